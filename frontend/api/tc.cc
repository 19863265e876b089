#include "tc/frontend/api/tc.h"

#include <fstream>
#include <mutex>
#include <sstream>

#include "tc/backend/cpu/executable.h"
#include "tc/backend/cpu/nonfinite_check.h"
#include "tc/frontend/onnx/import.h"
#include "tc/ir/text/parse.h"
#include "tc/kernels/cpu.h"
#include "tc/passes/autodiff/autodiff.h"

namespace tc {

Function load(const std::string& path) {
  if (!path.ends_with(".tc")) return Function(onnx::import_file(path, {.differentiate = gradients_at}));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) fail(ErrorCode::bad_file, "cannot read ", path);
  return Function(parse_module(text.str(), path));
}

Function load_onnx(const void* data, size_t size, std::shared_ptr<const void> owner) {
  return Function(onnx::import_bytes(data, size, std::move(owner), "model in memory", {.differentiate = gradients_at}));
}

Function parse(std::string_view text) {
  return Function(parse_module(text, "text"));
}

// Idle contexts, one of which a call takes: made with the thread count that was asked for.
struct Compiled::Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Context>> idle;
  int threads = 0;
  size_t most_idle = 1;
  bool stop_at_nonfinite = false;
};

Compiled compile(const Function& f, const CompilerOptions& options) {
  CompileOptions o;
  o.level = options.level;
  o.max_memory = options.max_memory;
  o.max_steps = options.max_steps;
  o.seed = options.seed;
  if (options.level < 0 || options.level > 2)
    fail(ErrorCode::bad_argument, "optimisation level ", options.level, " is not 0, 1 or 2");
  if (options.threads < 0) fail(ErrorCode::bad_argument, "a run cannot have ", options.threads, " threads");
  if (options.idle_contexts < 0)
    fail(ErrorCode::bad_argument, "a program cannot keep ", options.idle_contexts, " contexts");
  if (!options.isa.empty()) {
    o.isa = kernels::parse_tier(options.isa);
    if (!o.isa)
      fail(ErrorCode::bad_argument, "unknown instruction set '", options.isa, "'; one of sse42 avx2 avx512 amx");
  }
  Compiled c;
  c.executable_ = compile(clone(f.module()), o);
  c.pool_ = std::make_shared<Compiled::Pool>();
  c.pool_->threads = options.threads;
  c.pool_->stop_at_nonfinite = options.stop_at_nonfinite;
  c.pool_->most_idle = static_cast<size_t>(options.idle_contexts ? options.idle_contexts : kernels::cpu_info().cores);
  return c;
}

const Executable& Compiled::executable() const {
  if (!executable_) fail(ErrorCode::bad_argument, "the Compiled is undefined: no program was compiled into it");
  return *executable_;
}

std::vector<Datum> Compiled::run(std::vector<Datum> inputs) const {
  const Executable& program = executable();
  std::unique_ptr<Context> context;
  {
    const std::lock_guard lock(pool_->mutex);
    if (!pool_->idle.empty()) {
      context = std::move(pool_->idle.back());
      pool_->idle.pop_back();
    }
  }
  if (!context) context = program.make_context(pool_->threads);
  const cpu::NonFiniteCheck::Scope checked(pool_->stop_at_nonfinite);
  auto outputs = program.run(std::move(inputs), *context);
  const std::lock_guard lock(pool_->mutex);
  if (pool_->idle.size() < pool_->most_idle) pool_->idle.push_back(std::move(context));
  return outputs;
}

void Compiled::trim() const {
  std::vector<std::unique_ptr<Context>> idle;  // they end outside of the lock
  const std::lock_guard lock(pool_->mutex);
  idle.swap(pool_->idle);
}

size_t Compiled::idle_contexts() const {
  const std::lock_guard lock(pool_->mutex);
  return pool_->idle.size();
}

Results<Tensor> Compiled::operator()(const std::vector<Tensor>& inputs) const {
  std::vector<Tensor> result;
  for (Datum& d : run({inputs.begin(), inputs.end()})) result.push_back(d.tensor());
  return Results<Tensor>(std::move(result));
}

}  // namespace tc
