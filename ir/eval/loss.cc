#include "tc/ir/ops/loss.h"

#include <cmath>

#include "tc/ir/eval/eval.h"
#include "tc/ir/eval/softmax.h"

namespace tc {
namespace {

// The loss of log probabilities `x`, laid out as operand 0; operand 1 has the classes, operand 2 their weights.
void write_loss(EvalContext& ctx, const std::vector<double>& x, const LossAttrs& a) {
  const Extents &in = ctx.in(0).extents(), &target = ctx.in(1).extents();
  Extents expected = in;
  if (expected.size() >= 2) expected.erase(expected.begin() + 1);
  if (in.size() < 2 || target != expected)
    ctx.fail(ErrorCode::bad_shape, "labels ", ctx.in(1).type(), " do not fit scores ", ctx.in(0).type());
  const int64_t classes = in[1], inner = in[0] ? element_count(target) / in[0] : 0;
  std::vector<double> weights(static_cast<size_t>(classes), 1.0);
  if (ctx.has(2)) weights = ctx.read<double>(2);
  if (static_cast<int64_t>(weights.size()) != classes)
    ctx.fail(ErrorCode::bad_shape, "weights ", ctx.in(2).type(), " of ", classes, " classes");
  const auto labels = ctx.ints(1);
  std::vector<double> loss(labels.size());
  double sum = 0, weight_sum = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const int64_t label = labels[i];
    if (a.ignore_index && label == *a.ignore_index) continue;
    if (label < 0 || label >= classes)
      ctx.fail(ErrorCode::bad_value, "label ", label, " at element ", i, " is none of ", classes,
               " classes and not ignored");
    const int64_t n = static_cast<int64_t>(i) / inner, at = static_cast<int64_t>(i) % inner;
    const double weight = weights[static_cast<size_t>(label)];
    loss[i] = -x[static_cast<size_t>((n * classes + label) * inner + at)] * weight;
    sum += loss[i];
    weight_sum += weight;
  }
  if (a.reduction == LossReduction::none) return ctx.write(0, target, loss);
  ctx.write(0, {}, std::vector<double>{a.reduction == LossReduction::sum ? sum : sum / weight_sum});
}

}  // namespace

template <>
void eval<NegativeLogLikelihoodLoss>(EvalContext& ctx) {
  write_loss(ctx, ctx.read<double>(0), ctx.attrs<NegativeLogLikelihoodLoss>());
}

template <>
void eval<SoftmaxCrossEntropyLoss>(EvalContext& ctx) {
  const Extents& extents = ctx.in(0).extents();
  auto x = ctx.read<double>(0);
  if (extents.size() >= 2) log_softmax(x, extents, 1);
  write_loss(ctx, x, ctx.attrs<SoftmaxCrossEntropyLoss>());
  if (ctx.wanted(1)) ctx.write(1, extents, x);
}

}  // namespace tc
