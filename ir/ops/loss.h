// Losses of classification. Scores are (N, C, d1, ..., dk) with the classes on axis 1, labels (N, d1, ..., dk).
#pragma once

#include <optional>
#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

class Builder;

enum class LossReduction : uint8_t { none, sum, mean };
inline constexpr std::string_view kLossReductionNames[] = {"none", "sum", "mean"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<LossReduction> = kLossReductionNames;

// Elements whose label is `ignore_index` count nothing, neither in a sum nor in the weight that a mean divides by. The
// mean over no weight at all is NaN.
struct LossAttrs {
  std::optional<int64_t> ignore_index;
  LossReduction reduction = LossReduction::mean;
  static constexpr auto fields =
      Fields{field("ignore_index", &LossAttrs::ignore_index), field("reduction", &LossAttrs::reduction)};
};

struct NegativeLogLikelihoodLoss {
  using Attrs = LossAttrs;
  static constexpr OpFacts facts{"negative_log_likelihood_loss",
                                 {"NegativeLogLikelihoodLoss", 12},
                                 "x:T, target:I, weight:T? -> loss:T",
                                 {{{'T', dtypes::floats}, {'I', dtypes::index}}},
                                 "minus x at the target class, times the weight of that class"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

struct SoftmaxCrossEntropyLoss {
  using Attrs = LossAttrs;
  static constexpr OpFacts facts{"softmax_cross_entropy_loss",
                                 {"SoftmaxCrossEntropyLoss", 12},
                                 "scores:T, labels:I, weights:T? -> loss:T, log_prob:T?",
                                 {{{'T', dtypes::floats}, {'I', dtypes::index}}},
                                 "negative log likelihood of the labels under the softmax of the scores"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

}  // namespace tc
