#include <algorithm>
#include <limits>

#include "tc/backend/cpu/run/executable.h"
#include "tc/frontend/api/tc.h"
#include "tc/kernels/cpu.h"
#include "tc/tools/bench/engine.h"
#include "tc/tools/common/timing.h"

namespace tc::bench {
namespace {

// Of a step on one element: what a chain of them takes longer than a single one.
double one_element_step_ns() {
  const auto best_ns = [](int steps) {
    const auto chain = [&](Var x) {
      for (int i = 0; i < steps; ++i) x = -x;
      return x;
    };
    const Compiled compiled = compile(trace("chain", {{"x", DType::f32, {1}}}, chain), {.level = 0});
    const auto context = compiled.executable().make_context(1);
    const std::vector<Datum> inputs{Tensor::of<float>({1}, {1.0F})};
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < 100; ++run) {
      const auto start = Clock::now();
      compiled.executable().run(inputs, *context);
      best = std::min(best, 1e6 * ms_since(start));
    }
    return best;
  };
  constexpr int kSteps = 256;
  return (best_ns(1 + kSteps) - best_ns(1)) / kSteps;
}

class TcEngine : public Engine {
 public:
  explicit TcEngine(const EngineOptions& o)
      : function_(load(o.model)), compiled_(compile(function_, {.precision = o.strict ? "strict" : ""})) {
    context_ = compiled_.executable().make_context(o.threads);
    for (const auto& info : function_.inputs()) {
      const auto it =
          std::find_if(o.inputs.begin(), o.inputs.end(), [&](const auto& i) { return i.first == info.name; });
      if (it == o.inputs.end()) fail(ErrorCode::bad_input, "no value for input '", info.name, "'");
      inputs_.emplace_back(it->second);
    }
  }
  std::string version() const override { return cat("tc ", kernels::tier_name(compiled_.executable().tier())); }
  void run() override {
    outputs_.clear();  // their memory is used again
    outputs_ = compiled_.executable().run(inputs_, *context_);
  }
  NamedTensors outputs() override {
    NamedTensors named;
    const auto infos = function_.outputs();
    for (size_t i = 0; i < infos.size(); ++i)
      if (outputs_[i].is_tensor()) named.emplace_back(infos[i].name, outputs_[i].tensor());
    return named;
  }
  Counts counts() override {
    std::vector<cpu::StepTiming> profile;
    context_->profile_into(&profile);
    run();
    context_->profile_into(nullptr);
    Counts counts{.steps = static_cast<double>(profile.size()), .step_ns = one_element_step_ns()};
    for (const auto& t : profile) counts.flops += t.flops;
    return counts;
  }

 private:
  Function function_;
  Compiled compiled_;
  std::unique_ptr<Context> context_;
  std::vector<Datum> inputs_, outputs_;
};

}  // namespace

std::unique_ptr<Engine> make_tc_engine(const EngineOptions& options) {
  return std::make_unique<TcEngine>(options);
}

}  // namespace tc::bench
