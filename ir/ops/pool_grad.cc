#include <cmath>
#include <numeric>

#include "tc/ir/ops/window_grad.h"

namespace tc {
namespace {

template <class Op>
TapAxes pool_axes(GradContext& ctx) {
  ctx.rank(0);
  const auto& attrs = ctx.attrs<Op>();
  return tap_axes(ctx, window_spec(WindowErrors{ctx}, attrs, attrs.kernel_shape), ctx.in(0), ctx.out());
}

Value* flat(Builder& b, Value* v) {
  return reshape(b, v, known_or(b, v->shape().count(), [&] { return unsqueeze(b, count_of(b, v), {0}); }));
}

std::vector<int64_t> spatial_axes(GradContext& ctx) {
  std::vector<int64_t> axes(static_cast<size_t>(ctx.rank(0) - 2));
  std::iota(axes.begin(), axes.end(), int64_t{2});
  return axes;
}

// sign(x) |x|^(p - 1)
Expr odd_power(Expr x, int64_t p) {
  if (p == 1) return sign(x);
  if (p == 2) return x;
  return sign(x) * abs(x).make<Pow>(static_cast<double>(p - 1));
}

// g * y^(1 - p), nothing where the norm is zero.
Expr over_norm(Expr g, Expr y, int64_t p) {
  if (p == 1) return g;
  const Expr zero = equal(y, 0), safe = where(zero, 1, y);
  return where(zero, 0, p == 2 ? g / safe : g / safe.make<Pow>(static_cast<double>(p - 1)));
}

}  // namespace

// Each window's gradient goes to the place of its maximum.
void MaxPool::grad(GradContext& ctx) {
  if (!ctx.has_seed(0)) return;
  Builder& b = ctx.b;
  auto attrs = ctx.attrs<MaxPool>();
  Value *x = ctx.in(0), *places = nullptr;
  if (attrs.storage_order == 0) {
    places = ctx.out(1);
  } else {
    attrs.storage_order = 0;
    places = b.make_n<MaxPool>({x}, attrs, 2)->result(1);
  }
  const WindowSpec spec = window_spec(WindowErrors{ctx}, attrs, attrs.kernel_shape);
  bool overlap = false;
  for (int i = 0; i < spec.rank(); ++i) overlap = overlap || spec.strides[static_cast<size_t>(i)] < spec.reach(i);
  Value* shape = known_or(b, x->shape().count(), [&] { return unsqueeze(b, count_of(b, x), {0}); });
  Value* sum =
      b.make<ScatterND>({full(b, shape, x->dtype(), 0), unsqueeze(b, flat(b, places), {-1}), flat(b, ctx.seed())},
                        {overlap ? ScatterReduction::add : ScatterReduction::none});
  ctx.give(0, reshape_like(b, sum, x));
}

void AveragePool::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const auto& attrs = ctx.attrs<AveragePool>();
  const TapAxes axes = pool_axes<AveragePool>(ctx);
  const WindowSpec spec = window_spec(WindowErrors{ctx}, attrs, attrs.kernel_shape);
  const Expr x = ctx.in(0), g = ctx.seed();
  // The elements that each window averages: the same number everywhere, or those of an image of ones that it sees.
  bool uniform = true;
  std::vector<Value*> counted{b.ints({1, 1})}, kernel{b.ints({1, 1})};
  TapAxes ones_axes = axes;
  for (int i = 0; i < spec.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    const TapAxis& a = axes[k];
    const Dim pad_end = window_axis(spec, i, x->shape()[i + 2]).pad_end;
    const Dim extent = a.long_extent + (attrs.count_include_pad ? a.before_extent + pad_end : Dim(0));
    const Dim before = attrs.count_include_pad ? Dim(0) : a.before_extent, needed = a.after_extent + a.before_extent;
    const Dim after = needed - before - (extent - a.long_extent);
    uniform = uniform && before.is(0) && after.is_const() && after.value() <= 0;
    if (attrs.count_include_pad && !pad_end.is_const())
      ctx.fail("the padding of average_pool depends on extents that are not known");
    counted.push_back(known_or(b, extent, [&]() -> Value* {
      const Expr in(b, extent_of(b, x, i + 2));
      return attrs.count_include_pad ? in + Expr(b, a.before) + Expr(b, b.ints({pad_end.value()})) : in;
    }));
    kernel.push_back(b.ints({a.kernel}));
    TapAxis& o = ones_axes[k];
    o.before_extent = before, o.after_extent = after;
    o.before = attrs.count_include_pad ? b.ints({0}) : a.before;
    o.after = known_or(b, after, [&]() -> Value* {
      const Expr rest(b, a.after);
      return attrs.count_include_pad ? rest - Expr(b, b.ints({pad_end.value()})) : rest;
    });
  }
  if (uniform) {
    const double taps = std::accumulate(spec.kernel.begin(), spec.kernel.end(), 1.0,
                                        [](double n, int64_t k) { return n * static_cast<double>(k); });
    return ctx.give(0, spread_windows(b, g * (1 / taps), x, axes));
  }
  const Expr count(b, gather_taps(b, full(b, join_ints(b, counted), x.dtype(), 1),
                                  full(b, join_ints(b, kernel), x.dtype(), 1), ones_axes, 1));
  ctx.give(0, spread_windows(b, g / count, x, axes));
}

void LpPool::grad(GradContext& ctx) {
  const int64_t p = ctx.attrs<LpPool>().p;
  const Expr x = ctx.in(0);
  Value* spread = spread_windows(ctx.b, over_norm(ctx.seed(), ctx.out(), p), x, pool_axes<LpPool>(ctx));
  ctx.give(0, odd_power(x, p) * Expr(ctx.b, spread));
}

void GlobalAveragePool::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const Expr x = ctx.in(0), y = ctx.out(), g = ctx.seed();
  const bool known = x->shape().is_static() && y->shape().is_static() && !x->shape().count().is(0);
  const Expr share =
      known ? g * (static_cast<double>(y->shape().count().value()) / static_cast<double>(x->shape().count().value()))
            : g * Expr(b, count_of(b, y)).cast(g.dtype()) / Expr(b, count_of(b, x)).cast(g.dtype());
  ctx.give(0, expand_like(b, share, x));
}

void GlobalMaxPool::grad(GradContext& ctx) {
  const Expr x = ctx.in(0), chosen = equal(x, ctx.out());
  const Expr ties(ctx.b, sum_over(ctx.b, chosen.cast(x.dtype()), spatial_axes(ctx), true));
  ctx.give(0, where(chosen, ctx.seed() / ties, 0));
}

void GlobalLpPool::grad(GradContext& ctx) {
  const int64_t p = ctx.attrs<GlobalLpPool>().p;
  ctx.give(0, odd_power(ctx.in(0), p) * over_norm(ctx.seed(), ctx.out(), p));
}

// The result holds the natural extents in its low corner.
void MaxUnpool::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const auto& attrs = ctx.attrs<MaxUnpool>();
  Value *x = ctx.in(0), *g = ctx.seed();
  const int rank = ctx.rank(0);
  if (ctx.has(2)) {
    std::vector<int64_t> starts, ends, axes;
    for (int i = 0; i + 2 < rank; ++i) {
      const Dim extent = unpooled_extent(WindowErrors{ctx}, attrs, i, x->shape()[i + 2]);
      if (!extent.is_const()) ctx.fail("the extents of max_unpool are not known: ", x->type());
      starts.push_back(0), ends.push_back(extent.value()), axes.push_back(i + 2);
    }
    g = b.make<Slice>({g, b.ints(starts), b.ints(ends), b.ints(axes)});
  }
  ctx.give(0, b.make<Gather>({flat(b, g), ctx.in(1)}));
}

}  // namespace tc
