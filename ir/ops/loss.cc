#include "tc/ir/ops/loss.h"

#include "tc/ir/builder.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

// Axes that scores and labels share are called as the scores call them, or as the labels do.
void infer_loss(InferContext& ctx, const LossAttrs& a, bool as_labels) {
  const Shape &x = ctx.shape(0), &target = ctx.shape(1);
  if (x.ranked() && x.rank() < 2)
    ctx.fail(ErrorCode::bad_shape, ctx.node().op(), " needs scores of rank 2 or more, got ", ctx.type(0));
  if (x.ranked()) ctx.expect_rank(1, x.rank() - 1);
  if (ctx.has(2)) {
    ctx.expect_rank(2, 1);
    if (x.ranked() && ctx.shape(2).ranked()) same_extent(x[1], ctx.shape(2)[0], "classes and weights");
  }
  Shape result = target;
  if (x.ranked()) {
    Dims dims;
    for (int i = 0; i < x.rank(); ++i) {
      if (i == 1) continue;
      const int k = i == 0 ? 0 : i - 1;
      const Dim& other = target.ranked() ? target[k] : x[i];
      dims.push_back(same_extent(as_labels ? other : x[i], as_labels ? x[i] : other, "scores and labels"));
    }
    result = Shape(std::move(dims));
  }
  ctx.set(0, a.reduction == LossReduction::none ? result : Shape(Dims()));
}

// The loss from log probabilities.
Value* negative_log_likelihood(Builder& b, Value* x, Value* target, Value* weight, const LossAttrs& a) {
  const DType t = x->dtype();
  Value *zero = b.scalar_like(t, 0), *one = b.scalar_like(t, 1), *axis = b.ints({1});
  Value* ignored = nullptr;
  if (a.ignore_index) {
    Value* label = target->dtype() == DType::i64 ? target : b.make<Cast>({target}, {.to = DType::i64});
    ignored = b.make<Equal>({label, b.scalar<int64_t>(*a.ignore_index)});
    target = b.make<Where>({ignored, b.scalar_like(target->dtype(), 0), target});
  }
  Value* picked = b.make<GatherElements>({x, b.make<Unsqueeze>({target, axis})}, {.axis = 1});
  Value* loss = b.make<Neg>({b.make<Squeeze>({picked, axis})});
  Value* factor = weight ? b.make<Gather>({weight, target}) : nullptr;
  if (factor) loss = b.make<Mul>({loss, factor});
  if (ignored) {
    loss = b.make<Where>({ignored, zero, loss});
    factor = b.make<Where>({ignored, zero, factor ? factor : one});
  }
  if (a.reduction == LossReduction::none) return loss;
  if (a.reduction == LossReduction::mean && !factor) return b.make<ReduceMean>({loss}, {.keepdims = false});
  Value* sum = b.make<ReduceSum>({loss}, {.keepdims = false});
  if (a.reduction == LossReduction::sum) return sum;
  return b.make<Div>({sum, b.make<ReduceSum>({factor}, {.keepdims = false})});
}

}  // namespace

void NegativeLogLikelihoodLoss::infer(InferContext& ctx) {
  infer_loss(ctx, ctx.attrs<NegativeLogLikelihoodLoss>(), false);
}

std::vector<Value*> NegativeLogLikelihoodLoss::decompose(Builder& b, const Node& node) {
  return {negative_log_likelihood(b, node.operand(0), node.operand(1), node.operand(2),
                                  node.attrs<NegativeLogLikelihoodLoss>())};
}

void SoftmaxCrossEntropyLoss::infer(InferContext& ctx) {
  infer_loss(ctx, ctx.attrs<SoftmaxCrossEntropyLoss>(), true);
  ctx.set(1, ctx.shape(0));
}

std::vector<Value*> SoftmaxCrossEntropyLoss::decompose(Builder& b, const Node& node) {
  Value* log_prob = b.make<LogSoftmax>({node.operand(0)}, {.axis = 1});
  Value* loss =
      negative_log_likelihood(b, log_prob, node.operand(1), node.operand(2), node.attrs<SoftmaxCrossEntropyLoss>());
  if (node.num_results() == 1) return {loss};
  return {loss, log_prob};
}

}  // namespace tc
