// Gradients of convolutions (V. Dumoulin, F. Visin, A guide to convolution arithmetic, 2016): with respect to the input
// a transposed convolution by the same weights; with respect to the weights one matrix product over batch and places,
// of the gradient and of what each tap saw.
#include <numeric>

#include "tc/ir/ops/window_grad.h"

namespace tc {
namespace {

std::vector<int64_t> kernel_of(GradContext& ctx, int w) {
  std::vector<int64_t> kernel;
  for (int k = 2; k < ctx.rank(w); ++k) {
    const Dim& d = ctx.in(w)->shape()[k];
    if (!d.is_const()) ctx.fail("the kernel's extents are not known: ", ctx.in(w)->type());
    kernel.push_back(d.value());
  }
  return kernel;
}

void give_bias(GradContext& ctx, int i) {
  if (!ctx.wanted(i)) return;
  std::vector<int64_t> axes{0};
  for (int k = 2; k < ctx.rank(0); ++k) axes.push_back(k);
  ctx.give(i, sum_over(ctx.b, ctx.seed(), axes, false));
}

}  // namespace

void Conv::grad(GradContext& ctx) {
  const auto& attrs = ctx.attrs<Conv>();
  ctx.rank(0);
  const WindowSpec spec = window_spec(WindowErrors{ctx}, attrs, kernel_of(ctx, 1));
  const TapAxes axes = tap_axes(ctx, spec, ctx.in(0), ctx.out());
  if (ctx.wanted(0)) ctx.give(0, spread_taps(ctx.b, ctx.seed(), ctx.in(1), ctx.in(0), axes, attrs.group));
  if (ctx.wanted(1)) ctx.give(1, tap_weights(ctx.b, ctx.in(0), ctx.seed(), ctx.in(1), axes, attrs.group));
  give_bias(ctx, 2);
}

void ConvTranspose::grad(GradContext& ctx) {
  const auto& attrs = ctx.attrs<ConvTranspose>();
  ctx.rank(0);
  const WindowErrors errors{ctx};
  const WindowSpec spec = window_spec(errors, attrs, kernel_of(ctx, 1));
  const Value* x = ctx.in(0);
  const auto windows = transposed_axes(errors, attrs, spec, std::span<const Dim>(x->shape().dims()).subspan(2));
  const TapAxes axes = tap_axes(ctx, spec, windows, ctx.out(), ctx.in(0));
  if (ctx.wanted(0)) ctx.give(0, gather_taps(ctx.b, ctx.seed(), ctx.in(1), axes, attrs.group));
  if (ctx.wanted(1)) ctx.give(1, tap_weights(ctx.b, ctx.seed(), ctx.in(0), ctx.in(1), axes, attrs.group));
  give_bias(ctx, 2);
}

// The blocks are what the taps of the block see of the image.
void Col2Im::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const auto& attrs = ctx.attrs<Col2Im>();
  const auto image = ctx.ints(1), block = ctx.ints(2);
  const WindowSpec spec = window_spec(WindowErrors{ctx}, attrs, block);
  TapAxes axes;
  Value* g = ctx.seed();
  for (int i = 0; i < spec.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    const WindowAxis<Dim> w = window_axis(spec, i, image[k]);
    TapAxis a{spec.kernel[k], spec.strides[k], spec.dilations[k], image[k], w.out, w.pad_begin, 0, nullptr, nullptr};
    a.after_extent = (a.short_extent - 1) * Dim(a.stride) + Dim(a.reach()) - a.before_extent - a.long_extent;
    a.before = b.ints({a.before_extent.value()});
    a.after = b.ints({a.after_extent.value()});
    axes.push_back(std::move(a));
  }
  std::vector<Value*> columns;
  for (Value* s : tap_slices(b, pad_for_taps(b, g, axes, 2), axes, 2)) columns.push_back(unsqueeze(b, s, {2}));
  // [n, channels, taps, spatial...] to [n, channels * taps, places].
  ctx.give(0, reshape_like(b, b.make<Concat>(columns, {2}), ctx.in(0)));
}

std::vector<Value*> CausalConvWithState::decompose(Builder& b, const Node& node) {
  Value *x = node.operand(0), *w = node.operand(1), *past = node.operand(3);
  const Shape &xs = x->shape(), &ws = w->shape();
  if (!xs.ranked() || !ws.ranked() || !ws[0].is_const() || !ws[2].is_const())
    throw Error({ErrorCode::unsupported,
                 "causal_conv_with_state of unknown channels or kernel has no simpler form",
                 node.location(),
                 {},
                 {}});
  const int64_t state = ws[2].value() - 1;
  Value* all = past ? b.make<Concat>({past, x}, {2}) : b.make<Pad>({x, b.ints({state, 0}), nullptr, b.ints({2})});
  Expr y(b, b.make<Conv>({all, w, node.operand(2)}, {.group = ws[0].value()}));
  if (node.attrs<CausalConvWithState>().activation != ConvActivation::none) y = y * y.make<Sigmoid>();
  std::vector<Value*> results{y};
  if (node.num_results() > 1) {
    // The last columns; none where the kernel has one tap.
    Value* length = b.make<ShapeOf>({all}, {.start = 2, .end = 3});
    Value* start = b.make<Sub>({length, b.ints({state})});
    results.push_back(b.make<Slice>({all, start, length, b.ints({2})}));
  }
  return results;
}

}  // namespace tc
