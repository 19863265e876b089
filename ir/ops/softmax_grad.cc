#include "tc/ir/grad.h"

namespace tc {
namespace {

// v summed along the axis; a scalar is its own axis.
Expr sum_along(GradContext& ctx, Expr v) {
  if (ctx.rank(0) == 0) return v;
  return {ctx.b, sum_over(ctx.b, v, {AlongAxis::attrs_of(ctx.node()).axis}, true)};
}

}  // namespace

void Softmax::grad(GradContext& ctx) {
  const Expr y = ctx.out(), weighted = ctx.seed() * y;
  ctx.give(0, weighted - y * sum_along(ctx, weighted));
}

void LogSoftmax::grad(GradContext& ctx) {
  const Expr g = ctx.seed();
  ctx.give(0, g - exp(ctx.out()) * sum_along(ctx, g));
}

}  // namespace tc
