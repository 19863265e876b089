// Sliding windows run backwards, for the gradients of convolutions and pools. A window rule relates a long side (what a
// convolution reads) and a short side (what it writes): place p of the short side and tap k meet at place
// p * stride + k * dilation - before of the long side.
#pragma once

#include <vector>

#include "tc/ir/grad.h"
#include "tc/ir/ops/window.h"

namespace tc {

struct TapAxis {
  int64_t kernel, stride, dilation;
  Dim long_extent, short_extent, before_extent, after_extent;  // after: padding that the last window reaches, or less
  Value *before, *after;                                       // i64[1]; they may be negative, which crops
  int64_t reach() const { return (kernel - 1) * dilation + 1; }
};
using TapAxes = std::vector<TapAxis>;

// Of a convolution or pool that reads x and writes y: [batch, channels, spatial...].
TapAxes tap_axes(GradContext& ctx, const WindowSpec& spec, Value* x, Value* y);
TapAxes tap_axes(GradContext& ctx, const WindowSpec& spec, const std::vector<WindowAxis<Dim>>& axes, Value* long_side,
                 Value* short_side);

// v with the padding that all windows need.
Value* pad_for_taps(Builder& b, Value* v, const TapAxes& axes, int first_axis);
// What each tap sees of a padded v (its spatial axes begin at first_axis): of the extents of the short side.
std::vector<Value*> tap_slices(Builder& b, Value* padded, const TapAxes& axes, int first_axis);

// sum over taps and channels of w[out, in, k] * x: the short side, from the long one.
Value* gather_taps(Builder& b, Value* x, Value* w, const TapAxes& axes, int64_t group);
// Its transpose: the long side from the short one, with the same weights.
Value* spread_taps(Builder& b, Value* g, Value* w, Value* like, const TapAxes& axes, int64_t group);
// The gradient with respect to the weights [out, in / group, kernel...]: long side x [n, in, ...], short side g.
Value* tap_weights(Builder& b, Value* x, Value* g, Value* w, const TapAxes& axes, int64_t group);
// Each place of the long side gets the sum of the windows of g that hold it: [n, channels, ...].
Value* spread_windows(Builder& b, Value* g, Value* like, const TapAxes& axes);

// WindowSpec's errors, raised as no_gradient.
struct WindowErrors {
  GradContext& ctx;
  template <class... Parts>
  [[noreturn]] void fail(ErrorCode, const Parts&... parts) const {
    ctx.fail(parts...);
  }
};

}  // namespace tc
