#include "tc/tools/tune/measure.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "tc/backend/cpu/bind/algorithms.h"
#include "tc/backend/cpu/run/executable.h"
#include "tc/bench/zoo/operators.h"
#include "tc/frontend/api/tc.h"
#include "tc/tools/common/timing.h"

namespace tc::tune {
namespace {

// The line compiled for one algorithm, or for the one that is chosen.
class Program {
 public:
  Program(const std::shared_ptr<const zoo::OperatorModel>& model, const std::string& kind, const std::string& algorithm,
          int threads)
      : compiled_(compile(load_onnx(model->bytes.data(), model->bytes.size(), model), options(kind, algorithm))) {
    context_ = compiled_.executable().make_context(threads);
    for (const auto& [name, value] : model->inputs) inputs_.emplace_back(value);
  }

  // Of the first step that has such algorithms.
  std::vector<cpu::Candidate> candidates(const std::vector<std::string>& names) {
    std::vector<cpu::StepCandidates> steps;
    context_->candidates_into(&steps);
    run();
    context_->candidates_into(nullptr);
    for (const auto& [step, all] : steps)
      if (!all.empty() && std::find(names.begin(), names.end(), all[0].name) != names.end()) return all;
    return {};
  }

  // Microseconds of the fastest run within a turn.
  double best_of(double turn_ms) {
    double best = std::numeric_limits<double>::infinity();
    const auto start = Clock::now();
    do {
      const auto before = Clock::now();
      run();
      best = std::min(best, 1e3 * ms_since(before));
    } while (ms_since(start) < turn_ms);
    return best;
  }

 private:
  static CompilerOptions options(const std::string& kind, const std::string& algorithm) {
    CompilerOptions o;
    if (!algorithm.empty()) o.force[kind] = algorithm;
    return o;
  }
  void run() {
    outputs_.clear();  // their memory is used again
    outputs_ = compiled_.executable().run(inputs_, *context_);
  }

  Compiled compiled_;
  std::unique_ptr<Context> context_;
  std::vector<Datum> inputs_, outputs_;
};

}  // namespace

const Algorithm& Measured::fastest() const {
  return *std::min_element(algorithms.begin(), algorithms.end(),
                           [](const Algorithm& a, const Algorithm& b) { return a.us < b.us; });
}

const Algorithm& Measured::chosen() const {
  return *std::find_if(algorithms.begin(), algorithms.end(), [](const Algorithm& a) { return a.chosen; });
}

double Measured::regret() const {
  return chosen().us / fastest().us;
}

std::optional<Measured> measure(const std::string& kind, const std::string& line, const Effort& effort) {
  const std::vector<std::string> names = cpu::algorithm_names(kind);
  const auto model = std::make_shared<const zoo::OperatorModel>(zoo::operator_model(line));
  Measured shape{kind, line, {}};
  std::vector<std::unique_ptr<Program>> programs;
  for (const cpu::Candidate& c : Program(model, kind, "", effort.threads).candidates(names)) {
    if (!c.usable) continue;
    auto program = std::make_unique<Program>(model, kind, c.name, effort.threads);
    // What a shape's extents allow may not be what its weights do.
    const std::vector<cpu::Candidate> forced = program->candidates(names);
    if (std::none_of(forced.begin(), forced.end(),
                     [&](const cpu::Candidate& f) { return f.chosen && f.name == c.name; }))
      continue;
    shape.algorithms.push_back({c.name, c.ns / 1e3, std::numeric_limits<double>::infinity(), c.chosen});
    programs.push_back(std::move(program));
  }
  const bool has_chosen =
      std::any_of(shape.algorithms.begin(), shape.algorithms.end(), [](const Algorithm& a) { return a.chosen; });
  if (programs.size() < 2 || !has_chosen) return {};
  for (int round = 0; round < effort.rounds; ++round)
    for (size_t i = 0; i < programs.size(); ++i)
      shape.algorithms[i].us = std::min(shape.algorithms[i].us, programs[i]->best_of(effort.turn_ms));
  return shape;
}

}  // namespace tc::tune
