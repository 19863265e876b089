#include "tc/backend/cpu/executable.h"

#include "tc/backend/cpu/bind.h"
#include "tc/ir/eval/interp.h"
#include "tc/kernels/cpu.h"
#include "tc/passes/pipeline.h"

namespace tc {

Context::Context(std::shared_ptr<const Executable> executable, int threads)
    : executable_(std::move(executable)), runtime_(threads), frame_(executable_->plan(), runtime_) {
  runtime_.max_memory = executable_->options().max_memory;
  runtime_.max_steps = executable_->options().max_steps;
}

std::shared_ptr<const Executable> compile(std::unique_ptr<Module> module, const CompileOptions& options) {
  const Frame frame("compilation of", module->main().name());
  std::shared_ptr<Executable> e(new Executable);
  e->module_ = std::move(module);
  e->options_ = options;
  PipelineOptions passes;
  passes.level = options.level;
  passes.verify = options.level > 0;
  passes.enable = {"inline-functions"};  // plans have no calls
  optimize(*e->module_, passes);
  e->tier_ = kernels::active_tier();
  if (options.isa) e->tier_ = std::min(e->tier_, *options.isa);
  cpu::PlanBuilder builder(e->options_, kernels::table(e->tier_), e->packed_);
  e->plan_ = builder.build(e->module_->main());
  return e;
}

std::vector<Datum> Executable::run(std::vector<Datum> inputs, Context& context) const {
  TC_CHECK(&context.executable() == this, "the context belongs to another executable");
  bind_symbols(graph(), inputs);
  return context.frame_.run(std::move(inputs), nullptr);
}

std::unique_ptr<Context> Executable::make_context(int threads) const {
  return std::make_unique<Context>(shared_from_this(), threads);
}

size_t Executable::constant_bytes() const {
  size_t n = 0;
  for (const auto& c : plan_->constants) n += c.tensor.bytes();
  return n;
}

void walk_steps(const cpu::Plan& plan, const std::function<void(const cpu::Step&, int)>& f, int depth) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    f(*plan.steps[i], depth);
    if (const auto it = plan.regions.find(static_cast<int>(i)); it != plan.regions.end())
      for (const auto& r : it->second) walk_steps(*r, f, depth + 1);
  }
}

}  // namespace tc
