// The operators of bench/zoo/operators.txt on every tier of the machine: kernels of all families, as programs of one
// step or a few.
#include <memory>
#include <string>
#include <vector>

#include "ceilings.h"
#include "tc/backend/cpu/run/executable.h"
#include "tc/bench/zoo/operators.h"
#include "tc/frontend/api/tc.h"
#include "tc/kernels/cpu.h"

namespace tc::kernels {
namespace {

Run operator_run(const std::string& line, Tier tier, int threads) {
  const auto model = std::make_shared<zoo::OperatorModel>(zoo::operator_model(line));
  const Compiled compiled =
      compile(load_onnx(model->bytes.data(), model->bytes.size(), model), {.isa = tier_name(tier)});
  std::shared_ptr<Context> context = compiled.executable().make_context(threads);
  std::vector<Datum> inputs;
  for (const auto& [name, value] : model->inputs) inputs.emplace_back(value);
  std::vector<cpu::StepTiming> profile;
  context->profile_into(&profile);
  compiled.executable().run(inputs, *context);
  context->profile_into(nullptr);
  Run run;
  for (const auto& step : profile) {
    run.work.flops += step.flops;
    run.work.bytes += static_cast<double>(step.bytes);
  }
  run.repeat = [compiled, context, inputs, outputs = std::vector<Datum>()]() mutable {
    outputs.clear();  // their memory is used again
    outputs = compiled.executable().run(inputs, *context);
  };
  return run;
}

}  // namespace

void register_operators() {
  const std::vector<std::string> lines = zoo::operator_lines("all");
  for (const Tier tier : usable_tiers()) {
    for (const auto& line : lines)
      register_runs(std::string("op/") + tier_name(tier) + "/" + line, tier,
                    [=](int threads) { return operator_run(line, tier, threads); });
  }
}

}  // namespace tc::kernels
