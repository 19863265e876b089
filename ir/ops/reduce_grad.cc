// Gradients of reductions. Where several elements tie for the maximum or minimum, each gets an equal share.
#include <limits>

#include "tc/ir/grad.h"

namespace tc {
namespace {

// A value of the result's shape with the reduced axes kept as ones, or so that it broadcasts as if they were.
Expr kept(GradContext& ctx, Value* v) {
  if (ReduceOp::attrs_of(ctx.node()).keepdims || !ctx.has(1)) return {ctx.b, v};
  if (const Dims* axes = ctx.in(1)->contents(); axes && axes->empty()) return {ctx.b, v};
  return {ctx.b, ctx.b.make<Unsqueeze>({v, ctx.in(1)})};
}

// 1 / the number of elements that make one of the result.
Expr reciprocal_count(GradContext& ctx) {
  Builder& b = ctx.b;
  const Expr x = ctx.in(0), y = ctx.out();
  if (x->shape().is_static() && y->shape().is_static() && !x->shape().count().is(0) && !y->shape().count().is(0))
    return x.number(static_cast<double>(y->shape().count().value()) / static_cast<double>(x->shape().count().value()));
  const DType wide = x.dtype() == DType::f64 ? DType::f64 : DType::f32;
  return (Expr(b, count_of(b, y)).cast(wide) / Expr(b, count_of(b, x)).cast(wide)).cast(x.dtype());
}

Expr reduce(GradContext& ctx, OpId op, Value* v) {
  auto attrs = std::make_shared<ReduceOp::Attrs>(ReduceOp::attrs_of(ctx.node()));
  attrs->keepdims = true;
  Value* const operands[] = {v, ctx.node().operand(1)};
  return {ctx.b, ctx.b.node(op, operands, std::move(attrs), 1)->result(0)};
}

// The product of the others, axis by axis: those before times those after.
void give_product(GradContext& ctx) {
  Builder& b = ctx.b;
  const int rank = ctx.rank(0);
  const auto axes = ctx.has(1) ? ctx.ints(1) : std::vector<int64_t>();
  const auto reduced = reduced_axes(&axes, rank, ReduceOp::attrs_of(ctx.node()).noop_with_empty_axes);
  std::vector<std::pair<int64_t, Value*>> stages;  // an axis, what is reduced along it
  Value* x = ctx.in(0);
  for (int k = 0; k < rank; ++k) {
    if (!reduced[static_cast<size_t>(k)]) continue;
    stages.emplace_back(k, x);
    x = b.make<ReduceProd>({x, b.ints({k})});
  }
  Expr g = kept(ctx, ctx.seed());
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    Value* axis = b.scalar(stage->first);
    auto others = [&](bool after) {
      return Expr(b, b.make<CumProd>({stage->second, axis}, {.exclusive = true, .reverse = after}));
    };
    g = g * (others(false) * others(true));
  }
  ctx.give(0, g);
}

}  // namespace

void ReduceOp::grad(GradContext& ctx) {
  const Expr x = ctx.in(0), y = ctx.out(), g = kept(ctx, ctx.seed());
  auto spread = [&](Expr v) { ctx.give(0, expand_like(ctx.b, v, x)); };
  switch (ctx.node().op()) {
    case OpId::ReduceSum:
      return spread(g);
    case OpId::ReduceMean:
      return spread(g * reciprocal_count(ctx));
    case OpId::ReduceProd:
      return give_product(ctx);
    case OpId::ReduceMax:
    case OpId::ReduceMin: {
      const Expr chosen = equal(x, kept(ctx, y));
      return ctx.give(0, where(chosen, g / reduce(ctx, OpId::ReduceSum, chosen.cast(x.dtype())), 0));
    }
    case OpId::ReduceSumSquare:
      return ctx.give(0, 2 * g * x);
    case OpId::ReduceL1:
      return ctx.give(0, g * sign(x));
    case OpId::ReduceL2: {  // none at the origin, by convention
      const Expr norm = kept(ctx, y), zero = equal(norm, 0);
      return ctx.give(0, where(zero, 0, g / where(zero, 1, norm)) * x);
    }
    case OpId::ReduceLogSum:
      return spread(g / reduce(ctx, OpId::ReduceSum, x));
    case OpId::ReduceLogSumExp: {
      // Over nothing but minus infinities there is no slope.
      const Expr top = kept(ctx, y);
      return ctx.give(0, g * exp(x - where(equal(top, -std::numeric_limits<double>::infinity()), 0, top)));
    }
    default:
      TC_CHECK(false, "the gradient of ", ctx.node().op());
  }
}

void CumSum::grad(GradContext& ctx) {
  auto attrs = ctx.attrs<CumSum>();
  attrs.reverse = !attrs.reverse;
  ctx.give(0, ctx.b.make<CumSum>({ctx.seed(), ctx.in(1)}, attrs));
}

// Through the scan that it is, which is right at zeros too.
void CumProd::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const auto& at = ctx.attrs<CumProd>();
  const int rank = ctx.rank(0);
  const auto axes = ctx.ints(1);
  const int64_t axis = axes[0] < 0 ? axes[0] + rank : axes[0], reverse = at.reverse;
  // A copy, so that the scan's operand is its own.
  Value* x = b.make<Identity>({ctx.in(0)});
  std::vector<Value*> rest{b.ints({})};
  for (int k = 0; k < rank; ++k)
    if (k != axis) rest.push_back(extent_of(b, x, k));
  Value* ones = full(b, join_ints(b, rest), x->dtype(), 1);
  auto body = std::make_unique<Graph>(b.module());
  Value* so_far = body->add_input(ones->type());
  Value* next = body->add_input(ones->type());
  Builder inner(*body);
  Value* product = inner.make<Mul>({so_far, next});
  body->set_outputs(std::vector{product, inner.make<Identity>({at.exclusive ? so_far : product})});
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(body));
  Node* scan = b.make_n<Scan>({ones, x}, {1, {axis}, {reverse}, {axis}, {reverse}}, 2, std::move(regions));
  ctx.give(0, ctx.pullback(b, {scan->result(1)}, {ctx.seed()}, {x})[0]);
}

}  // namespace tc
