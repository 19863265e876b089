#include <algorithm>

#include "tc/backend/cpu/executable.h"
#include "tc/frontend/api/tc.h"
#include "tc/kernels/cpu.h"
#include "tc/tools/bench/engine.h"

namespace tc::bench {
namespace {

class TcEngine : public Engine {
 public:
  explicit TcEngine(const EngineOptions& o) : function_(load(o.model)), compiled_(compile(function_, {})) {
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
  double flops() override {
    std::vector<cpu::StepTiming> profile;
    context_->profile_into(&profile);
    run();
    context_->profile_into(nullptr);
    double sum = 0;
    for (const auto& t : profile) sum += t.flops;
    return sum;
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
