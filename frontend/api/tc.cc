#include "tc/frontend/api/tc.h"

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sstream>

#include "tc/backend/cpu/run/executable.h"
#include "tc/backend/cpu/run/nonfinite_check.h"
#include "tc/frontend/onnx/import.h"
#include "tc/ir/tensor_budget.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/verbose.h"
#include "tc/kernels/cpu.h"
#include "tc/passes/autodiff/autodiff.h"

namespace tc {
namespace {

int64_t nanoseconds(const std::optional<std::chrono::steady_clock::time_point>& t) {
  if (!t) return INT64_MAX;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(t->time_since_epoch()).count();
}

}  // namespace

Function load(const std::string& path, const LoadOptions& options) {
  if (!path.ends_with(".tc"))
    return Function(onnx::import_file(path, {.differentiate = gradients_at, .load = options}));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) fail(ErrorCode::bad_file, "cannot read ", path);
  return Function(parse_module(text.str(), path));
}

Function load_onnx(const void* data, size_t size, std::shared_ptr<const void> owner, const LoadOptions& options) {
  return Function(onnx::import_bytes(data, size, std::move(owner), "model in memory",
                                     {.differentiate = gradients_at, .load = options}));
}

Function parse(std::string_view text) {
  return Function(parse_module(text, "text"));
}

std::shared_ptr<kernels::Team> make_team(int threads) {
  if (threads < 0) fail(ErrorCode::bad_argument, "a team cannot have ", threads, " threads");
  return std::make_shared<kernels::Team>(threads);
}

// Idle contexts, one of which a call takes: made with the thread count, or on the team, that was asked for.
struct Compiled::Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Context>> idle;
  int threads = 0;
  std::shared_ptr<kernels::Team> team;
  size_t most_idle = 1;
  bool stop_at_nonfinite = false;

  std::unique_ptr<Context> take(const Executable& program) {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        auto context = std::move(idle.back());
        idle.pop_back();
        return context;
      }
    }
    return team ? program.make_context(team) : program.make_context(threads);
  }
  void give_back(std::unique_ptr<Context> context) {
    const std::lock_guard lock(mutex);
    if (idle.size() < most_idle) idle.push_back(std::move(context));
  }
};

namespace {

kernels::TableForm table_form(const Function& f, const CompilerOptions& options) {
  const char* given = options.precision.empty() ? std::getenv("TC_PRECISION") : options.precision.c_str();
  const std::string_view precision = given && *given ? given : "default";
  if (precision != "strict" && precision != "default" && precision != "fast")
    fail(ErrorCode::bad_argument, options.precision.empty() ? "TC_PRECISION: " : "", "unknown precision '", precision,
         "'; one of strict default fast");
  if (precision == "fast" && verbose(Topic::compile))
    report(Topic::compile, "graph,precision,computed", {f.name(), "fast", "default: there are no kernels of 16 bits"});
  if (precision == "strict") return kernels::TableForm::strict;
  return options.compact_weights ? kernels::TableForm::one_form : kernels::TableForm::fast;
}

}  // namespace

Compiled compile(const Function& f, const CompilerOptions& options) {
  CompileOptions o;
  o.level = options.level;
  o.max_memory = options.max_memory;
  o.max_steps = options.max_steps;
  o.seed = options.seed;
  o.force = options.force;
  if (options.level < 0 || options.level > 2)
    fail(ErrorCode::bad_argument, "optimisation level ", options.level, " is not 0, 1 or 2");
  if (options.threads < 0) fail(ErrorCode::bad_argument, "a run cannot have ", options.threads, " threads");
  if (options.idle_contexts < 0)
    fail(ErrorCode::bad_argument, "a program cannot keep ", options.idle_contexts, " contexts");
  if (!options.isa.empty()) {
    o.isa = kernels::parse_tier(options.isa);
    if (!o.isa) {
      std::string names;
      for (const std::string& name : kernels::tier_names()) names += " " + name;
      fail(ErrorCode::bad_argument, "unknown instruction set '", options.isa, "'; this build has", names);
    }
  }
  Compiled c;
  o.form = table_form(f, options);
  const auto budget = std::make_shared<Budget>();
  budget->stop_at(nullptr, nanoseconds(options.deadline));
  const Budget::Scope scope(budget);
  c.executable_ = compile(clone(f.module()), o);
  c.pool_ = std::make_shared<Compiled::Pool>();
  c.pool_->threads = options.threads;
  c.pool_->team = options.team;
  c.pool_->stop_at_nonfinite = options.stop_at_nonfinite;
  c.pool_->most_idle = static_cast<size_t>(options.idle_contexts ? options.idle_contexts : kernels::cpu_info().cores);
  return c;
}

const Executable& Compiled::executable() const {
  if (!executable_) fail(ErrorCode::bad_argument, "the Compiled is undefined: no program was compiled into it");
  return *executable_;
}

namespace {

StepTime described(const cpu::StepTiming& t) {
  const Node& n = *t.step->node;
  return {std::string(n.info().name()), n.location(), t.step->kernel, t.depth, t.begin_ns, t.end_ns, t.flops, t.bytes};
}

}  // namespace

std::vector<Datum> Compiled::run(std::vector<Datum> inputs, const RunOptions& options) const {
  const Executable& program = executable();
  std::unique_ptr<Context> context = pool_->take(program);
  const cpu::NonFiniteCheck::Scope checked(pool_->stop_at_nonfinite);
  const bool stops = options.cancel || options.deadline;
  if (!stops && !options.profile) {
    auto outputs = program.run(std::move(inputs), *context);
    pool_->give_back(std::move(context));
    return outputs;
  }
  context->stop_at(options.cancel, nanoseconds(options.deadline));
  std::vector<cpu::StepTiming> timings;
  if (options.profile) context->profile_into(&timings);
  auto outputs = program.run(std::move(inputs), *context);
  if (options.profile)
    for (const auto& t : timings) options.profile->push_back(described(t));
  context->profile_into(nullptr);
  context->stop_at(nullptr, INT64_MAX);
  pool_->give_back(std::move(context));
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
