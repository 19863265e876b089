// Internal to autodiff: reverse mode.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tc/passes/autodiff/autodiff.h"
#include "tc/passes/autodiff/sweep.h"

namespace tc::autodiff {

class Reverse {
 public:
  explicit Reverse(const GradientOptions& options) : options_(options) {}

  // Appends the gradients of the outputs, weighted by the seeds (null: zero), with respect to the leaves, which count
  // as independent of each other; null where zero. Nothing is looked for behind the constants.
  std::vector<Value*> pullback(Builder& b, std::vector<Value*> outputs, const std::vector<Value*>& seeds,
                               std::vector<Value*> leaves, const std::vector<Value*>& constants = {}) const;
  // Appends what one node gives to the wanted ones of its operands and captured values.
  std::vector<std::pair<Value*, Value*>> apply(Builder& b, Node& node, std::vector<Value*> seeds,
                                               const std::function<bool(const Value*)>& wanted) const;

 private:
  const GradientOptions& options_;
};

}  // namespace tc::autodiff
