#include "tc/backend/cpu/run/executable.h"

#include <algorithm>
#include <chrono>

#include "tc/backend/cpu/bind/algorithms.h"
#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/legalize/target.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/verbose.h"
#include "tc/kernels/cpu.h"
#include "tc/passes/driver.h"
#include "tc/passes/pipeline.h"

namespace tc {

Context::Context(std::shared_ptr<const Executable> executable, int threads)
    : Context(std::move(executable), std::make_shared<kernels::Team>(threads)) {}

Context::Context(std::shared_ptr<const Executable> executable, std::shared_ptr<kernels::Team> team)
    : executable_(std::move(executable)), runtime_(std::move(team)), frame_(executable_->plan(), runtime_) {
  runtime_.max_memory = executable_->options().max_memory;
  runtime_.max_steps = executable_->options().max_steps;
}

Context::Memory Context::memory() const {
  Memory m{frame_.arena_bytes(), frame_.arena_capacity()};
  for (const auto& [plan, frame] : special_frames_)
    m = {std::max(m.planned, frame->arena_bytes()), m.capacity + frame->arena_capacity()};
  return m;
}

namespace {

// What a stage of compilation took, for the topic `compile`.
class Stage {
 public:
  Stage(const Executable& e, std::string_view name)
      : executable_(e), name_(name), start_(std::chrono::steady_clock::now()) {}
  void done(size_t steps) const {
    if (!verbose(Topic::compile)) return;
    const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start_;
    report(Topic::compile, "graph,stage,level,isa,ms,nodes,steps,packed_bytes",
           {executable_.graph().name(), name_, cat("O", executable_.options().level),
            std::string(kernels::tier_name(executable_.tier())), cat(ms.count()),
            cat(count_nodes(executable_.module())), cat(steps), cat(executable_.packed_bytes())});
  }

 private:
  const Executable& executable_;
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

// Which kernel every step got, and why those before it in the list did not.
void report_dispatch(const Executable& e) {
  walk_steps(e.plan(), [&](const cpu::Step& s, int depth) {
    std::string refusals;
    for (const auto& r : s.refusals) refusals += cat(refusals.empty() ? "" : "; ", r);
    // Of products the extents of a run decide: tc-run --candidates.
    const std::string candidates = s.candidates ? cpu::describe(s.candidates(nullptr)) : "";
    report(Topic::dispatch, "graph,depth,op,location,kernel,refused,candidates",
           {e.graph().name(), cat(depth), std::string(s.node->info().name()), s.node->location(), s.kernel, refusals,
            candidates});
  });
}

}  // namespace

void optimise(Module& module, const CompileOptions& options) {
  PipelineOptions passes;
  passes.level = options.level;
  passes.verify = options.level > 0;
  if (options.kernels)
    passes.target = &cpu::target();
  else
    passes.enable = {"inline-functions"};  // plans have no calls
  // Such products round what they multiply weights with to 16 bits.
  if (options.form == kernels::TableForm::strict)
    passes.disable = {"product-with-dequantised-weights", "gemm-with-dequantised-weights"};
  optimize(module, passes);
}

std::shared_ptr<const Executable> compile(std::unique_ptr<Module> module, const CompileOptions& options) {
  const Frame frame("compilation of", module->main().name());
  cpu::check_forced(options.force);
  std::shared_ptr<Executable> e(new Executable);
  e->module_ = std::move(module);
  e->options_ = options;
  e->seed_ = options.seed ? *options.seed : fresh_seed();
  e->tier_ = kernels::active_tier();
  if (options.isa) e->tier_ = std::min(e->tier_, *options.isa);
  const Stage optimising(*e, "optimise");
  optimise(*e->module_, e->options_);
  optimising.done(0);
  const Stage planning(*e, "plan");
  if (options.level == 2 && options.kernels && cpu::Specialisations::useful_for(e->module_->main()))
    e->special_ = std::make_unique<cpu::Specialisations>();
  cpu::PlanBuilder builder(e->options_, kernels::table(e->tier_, e->options_.form), e->packed_,
                           /*replaces_weights=*/!e->special_);
  e->plan_ = builder.build(e->module_->main());
  planning.done(e->plan_->steps.size());
  if (verbose(Topic::dispatch)) report_dispatch(*e);
  return e;
}

std::vector<Datum> Executable::run(std::vector<Datum> inputs, Context& context) const {
  TC_CHECK(&context.executable() == this, "the context belongs to another executable");
  bind_symbols(graph(), inputs);
  context.runtime_.random.start(seed_, runs_++);
  cpu::Frame& frame = frame_for(inputs, context);
  // What a special plan fails at, the general one may do; or it has the better error. Donated inputs are gone by then.
  if (&frame == &context.frame_ || !frame.plan().donations.empty()) return frame.run(std::move(inputs), nullptr);
  try {
    return frame.run(inputs, nullptr);
  } catch (const std::exception&) {
    std::vector<Datum> outputs = context.frame_.run(std::move(inputs), nullptr);
    special_->give_up(&frame.plan());
    return outputs;
  }
}

cpu::Frame& Executable::frame_for(const std::vector<Datum>& inputs, Context& context) const {
  if (!special_) return context.frame_;
  const cpu::Plan* plan = special_->find(
      *module_, inputs, [&](Module& m) { optimise(m, options_); },
      [&](const Module& m) {
        return cpu::PlanBuilder(options_, kernels::table(tier_, options_.form), packed_, /*replaces_weights=*/false)
            .build(m.main());
      });
  if (!plan) return context.frame_;
  auto& frame = context.special_frames_[plan];
  if (!frame) frame = std::make_unique<cpu::Frame>(*plan, context.runtime_);
  return *frame;
}

std::unique_ptr<Context> Executable::make_context(int threads) const {
  return std::make_unique<Context>(shared_from_this(), threads);
}

std::unique_ptr<Context> Executable::make_context(std::shared_ptr<kernels::Team> team) const {
  return std::make_unique<Context>(shared_from_this(), std::move(team));
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
