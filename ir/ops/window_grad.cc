#include "tc/ir/ops/window_grad.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace tc {
namespace {

// Beyond so many taps the gradient of weights is a convolution instead of one slice per tap.
constexpr int64_t kMaxTapSlices = 64;

bool all_zero(const TapAxes& axes) {
  return std::all_of(axes.begin(), axes.end(),
                     [](const TapAxis& a) { return a.before_extent.is(0) && a.after_extent.is(0); });
}

int64_t tap_count(const TapAxes& axes) {
  int64_t n = 1;
  for (const auto& a : axes) n *= a.kernel;
  return n;
}

// The attributes of a convolution over explicitly padded operands.
ConvAttrs unpadded(const TapAxes& axes, int64_t group) {
  ConvAttrs attrs;
  for (const auto& a : axes) attrs.strides.push_back(a.stride), attrs.dilations.push_back(a.dilation);
  attrs.group = group;
  return attrs;
}

// [n, group * c, spatial...] as [group, c, n, spatial...] without the group axis where there is one group only.
Value* channels_first(Builder& b, Value* v, int64_t group) {
  const int rank = v->shape().rank();
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), int64_t{0});
  if (group == 1) {
    std::swap(perm[0], perm[1]);
    return transpose(b, v, perm);
  }
  std::vector<Value*> parts{extent_of(b, v, 0), b.ints({group})};
  if (!v->shape()[1].is_const())
    parts.push_back(Expr(b, extent_of(b, v, 1)) / Expr(b, b.ints({group})));
  else
    parts.push_back(b.ints({v->shape()[1].value() / group}));
  for (int k = 2; k < rank; ++k) parts.push_back(extent_of(b, v, k));
  perm.push_back(rank);
  std::rotate(perm.begin(), perm.begin() + 1, perm.begin() + 3);
  return transpose(b, reshape(b, v, join_ints(b, parts)), perm);
}

}  // namespace

TapAxes tap_axes(GradContext& ctx, const WindowSpec& spec, const std::vector<WindowAxis<Dim>>& windows,
                 Value* long_side, Value* short_side) {
  Builder& b = ctx.b;
  TapAxes axes;
  for (int i = 0; i < spec.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    const Dim &in = long_side->shape()[i + 2], &out = short_side->shape()[i + 2];
    TapAxis a{spec.kernel[k], spec.strides[k], spec.dilations[k], in, out, windows[k].pad_begin, 0, nullptr, nullptr};
    const Dim needed = (out - 1) * Dim(a.stride) + Dim(a.reach());
    a.after_extent = needed - a.before_extent - in;
    auto number = [&](int64_t n) { return Expr(b, b.ints({n})); };
    auto long_extent = [&] { return Expr(b, extent_of(b, long_side, i + 2)); };
    auto span = [&] {
      return (Expr(b, extent_of(b, short_side, i + 2)) - number(1)) * number(a.stride) + number(a.reach());
    };
    a.before = known_or(b, a.before_extent, [&]() -> Value* {
      if (spec.auto_pad != AutoPad::same_upper && spec.auto_pad != AutoPad::same_lower)
        ctx.fail("the padding of ", ctx.node().op(), " depends on extents that are not known");
      const Expr total = (span() - long_extent()).make<Max>(number(0));
      return (spec.auto_pad == AutoPad::same_upper ? total : total + number(1)) / number(2);
    });
    a.after = known_or(b, a.after_extent, [&]() -> Value* { return span() - long_extent() - Expr(b, a.before); });
    axes.push_back(std::move(a));
  }
  return axes;
}

TapAxes tap_axes(GradContext& ctx, const WindowSpec& spec, Value* x, Value* y) {
  std::vector<WindowAxis<Dim>> windows;
  for (int i = 0; i < spec.rank(); ++i) windows.push_back(window_axis(spec, i, x->shape()[i + 2]));
  return tap_axes(ctx, spec, windows, x, y);
}

Value* pad_for_taps(Builder& b, Value* v, const TapAxes& axes, int first_axis) {
  if (all_zero(axes)) return v;
  std::vector<Value*> pads;
  std::vector<int64_t> places;
  for (const auto& a : axes) pads.push_back(a.before);
  for (const auto& a : axes) pads.push_back(a.after);
  for (size_t k = 0; k < axes.size(); ++k) places.push_back(first_axis + static_cast<int64_t>(k));
  return b.make<Pad>({v, join_ints(b, pads), nullptr, b.ints(places)});
}

std::vector<Value*> tap_slices(Builder& b, Value* padded, const TapAxes& axes, int first_axis) {
  std::vector<int64_t> places, steps;
  for (size_t k = 0; k < axes.size(); ++k) {
    places.push_back(first_axis + static_cast<int64_t>(k));
    steps.push_back(axes[k].stride);
  }
  std::vector<Value*> slices;
  std::vector<int64_t> tap(axes.size(), 0);
  for (int64_t n = tap_count(axes); n > 0; --n) {
    std::vector<int64_t> starts, ends;
    for (size_t k = 0; k < axes.size(); ++k) {
      starts.push_back(tap[k] * axes[k].dilation);
      const int64_t left = (axes[k].kernel - 1 - tap[k]) * axes[k].dilation;
      ends.push_back(left ? -left : std::numeric_limits<int64_t>::max());
    }
    slices.push_back(b.make<Slice>({padded, b.ints(starts), b.ints(ends), b.ints(places), b.ints(steps)}));
    for (size_t k = axes.size(); k-- > 0;) {
      if (++tap[k] < axes[k].kernel) break;
      tap[k] = 0;
    }
  }
  return slices;
}

Value* gather_taps(Builder& b, Value* x, Value* w, const TapAxes& axes, int64_t group) {
  ConvAttrs attrs = unpadded(axes, group);
  const bool in_place = std::all_of(axes.begin(), axes.end(), [](const TapAxis& a) {
    return a.before_extent.is_const() && a.before_extent.value() >= 0 && a.after_extent.is_const() &&
           a.after_extent.value() >= 0;
  });
  if (!in_place) return b.make<Conv>({pad_for_taps(b, x, axes, 2), w}, attrs);
  for (const auto& a : axes) attrs.pads.push_back(a.before_extent.value());
  for (const auto& a : axes) attrs.pads.push_back(a.after_extent.value());
  return b.make<Conv>({x, w}, attrs);
}

namespace {

// Of groups: a convolution of stride 1 by the weights mirrored, and within each group transposed, which kernels know
// better. Null where extents are not known.
Value* spread_by_mirrored(Builder& b, Value* g, Value* w, const TapAxes& axes, int64_t group) {
  const Shape& shape = w->shape();
  ConvAttrs attrs;
  attrs.group = group;
  for (const auto& a : axes) {
    if (a.stride != 1 || !a.before_extent.is_const() || a.before_extent.value() >= a.reach()) return nullptr;
    if (!a.after_extent.is_const() || a.after_extent.value() >= a.reach()) return nullptr;
    attrs.dilations.push_back(a.dilation), attrs.strides.push_back(1);
    attrs.pads.push_back(a.reach() - 1 - a.before_extent.value());
  }
  for (const auto& a : axes) attrs.pads.push_back(a.reach() - 1 - a.after_extent.value());
  if (group == 1 || !shape[0].is_const() || !shape[1].is_const()) return nullptr;
  const int64_t out = shape[0].value() / group, in = shape[1].value();
  std::vector<int64_t> places, starts(axes.size(), -1), ends(axes.size(), std::numeric_limits<int64_t>::min());
  for (size_t k = 0; k < axes.size(); ++k) places.push_back(2 + static_cast<int64_t>(k));
  Value* mirrored = b.make<Slice>({w, b.ints(starts), b.ints(ends), b.ints(places), b.ints(starts)});
  if (out > 1 || in > 1) {
    std::vector<int64_t> split{group, out, in}, joined{group * in, out}, perm{0, 2, 1};
    for (size_t k = 0; k < axes.size(); ++k) {
      split.push_back(axes[k].kernel), joined.push_back(axes[k].kernel);
      perm.push_back(3 + static_cast<int64_t>(k));
    }
    mirrored = reshape(b, transpose(b, reshape(b, mirrored, b.ints(split)), perm), b.ints(joined));
  }
  return b.make<Conv>({g, mirrored}, attrs);
}

}  // namespace

// What the last window does not reach is output padding: zeros.
Value* spread_taps(Builder& b, Value* g, Value* w, Value* like, const TapAxes& axes, int64_t group) {
  if (Value* mirrored = spread_by_mirrored(b, g, w, axes, group)) return mirrored;
  ConvTranspose::Attrs attrs;
  const ConvAttrs common = unpadded(axes, group);
  attrs.strides = common.strides, attrs.dilations = common.dilations, attrs.group = group;
  const bool fixed = std::all_of(axes.begin(), axes.end(), [](const TapAxis& a) {
    return a.before_extent.is_const() && a.before_extent.value() >= 0 && a.after_extent.is_const() &&
           -a.after_extent.value() < std::max(a.stride, a.dilation);
  });
  if (fixed) {
    for (const auto& a : axes) attrs.pads.push_back(a.before_extent.value());
    for (const auto& a : axes) attrs.pads.push_back(std::max<int64_t>(0, a.after_extent.value()));
    bool beyond = false;
    for (const auto& a : axes) {
      attrs.output_padding.push_back(std::max<int64_t>(0, -a.after_extent.value()));
      beyond = beyond || attrs.output_padding.back() > 0;
    }
    if (!beyond) attrs.output_padding.clear();
    return b.make<ConvTranspose>({g, w}, attrs);
  }
  Value* full_size = b.make<ConvTranspose>({g, w}, attrs);
  std::vector<Value*> pads;
  std::vector<int64_t> places;
  for (const auto& a : axes) pads.push_back(-Expr(b, a.before));
  for (const auto& a : axes) pads.push_back(-Expr(b, a.after));
  for (size_t k = 0; k < axes.size(); ++k) places.push_back(2 + static_cast<int64_t>(k));
  Value* cut = b.make<Pad>({full_size, b.make<Concat>(pads, {0}), nullptr, b.ints(places)});
  return reshape_like(b, cut, like);
}

namespace {

// Paddings, where they are known and cut nothing off.
std::optional<std::vector<int64_t>> known_pads(const TapAxes& axes) {
  std::vector<int64_t> before, after;
  for (const auto& a : axes) {
    if (!a.before_extent.is_const() || !a.after_extent.is_const()) return std::nullopt;
    before.push_back(a.before_extent.value()), after.push_back(a.after_extent.value());
  }
  before.insert(before.end(), after.begin(), after.end());
  if (std::any_of(before.begin(), before.end(), [](int64_t n) { return n < 0; })) return std::nullopt;
  return before;
}

// Groups of which a convolution by g has a kernel: g has more places than there are taps.
bool is_long_in_groups(Value* g, const TapAxes& axes, int64_t group) {
  Dim places = 1;
  for (int k = 2; k < g->shape().rank(); ++k) places *= g->shape()[k];
  return group > 1 && axes.size() <= 2 && places.is_const() && places.value() > tap_count(axes) &&
         known_pads(axes).has_value();
}

// As a convolution whose batch are the input channels, whose channels are the batch, and whose kernel is g.
Value* weights_by_convolution(Builder& b, Value* x, Value* g, Value* w, const TapAxes& axes, int64_t group) {
  ConvAttrs attrs;
  for (const auto& a : axes) attrs.strides.push_back(a.dilation), attrs.dilations.push_back(a.stride);
  attrs.group = group;
  Value* long_side = channels_first(b, x, group);
  if (const auto pads = known_pads(axes))
    attrs.pads = *pads;
  else
    long_side = pad_for_taps(b, long_side, axes, group == 1 ? 2 : 3);
  if (group > 1) {
    std::vector<int64_t> perm(static_cast<size_t>(long_side->shape().rank()));
    std::iota(perm.begin(), perm.end(), int64_t{0});
    std::swap(perm[0], perm[1]);
    Value* by_channel = transpose(b, long_side, perm);
    std::vector<Value*> parts{extent_of(b, by_channel, 0),
                              Expr(b, extent_of(b, by_channel, 1)) * Expr(b, extent_of(b, by_channel, 2))};
    for (int k = 3; k < by_channel->shape().rank(); ++k) parts.push_back(extent_of(b, by_channel, k));
    long_side = reshape(b, by_channel, join_ints(b, parts));
  }
  return reshape_like(b, channels_first(b, b.make<Conv>({long_side, channels_first(b, g, 1)}, attrs), 1), w);
}

}  // namespace

Value* tap_weights(Builder& b, Value* x, Value* g, Value* w, const TapAxes& axes, int64_t group) {
  const int64_t taps = tap_count(axes);
  if (taps > kMaxTapSlices || is_long_in_groups(g, axes, group)) return weights_by_convolution(b, x, g, w, axes, group);
  const int lead = group == 1 ? 0 : 1, first_axis = lead + 2;
  Value* long_side = pad_for_taps(b, channels_first(b, x, group), axes, first_axis);  // [(group,) c, n, ...]
  Value* short_side = merge_axes_from(b, channels_first(b, g, group), lead + 1);      // [(group,) out, n * places]
  std::vector<Value*> columns;
  for (Value* s : tap_slices(b, long_side, axes, first_axis)) columns.push_back(merge_axes_from(b, s, lead + 1));
  Value* matrix = columns.size() == 1 ? columns[0] : b.make<Concat>(columns, {lead});
  if (group == 1) {
    // [taps * c, out]: the wide side of the product is the one that is often a multiple of a register.
    Value* product = b.make<MatMul>({matrix, swap_last_axes(b, short_side)});
    Value* split = reshape(b, product, join_ints(b, {b.ints({taps}), extent_of(b, w, 1), extent_of(b, w, 0)}));
    return reshape_like(b, transpose(b, split, {2, 1, 0}), w);
  }
  Value* product = b.make<MatMul>({short_side, swap_last_axes(b, matrix)});  // [group, out, taps * c]
  if (taps == 1) return reshape_like(b, product, w);
  Value* split = reshape(b, product, join_ints(b, {extent_of(b, w, 0), b.ints({taps}), extent_of(b, w, 1)}));
  return reshape_like(b, transpose(b, split, {0, 2, 1}), w);
}

Value* spread_windows(Builder& b, Value* g, Value* like, const TapAxes& axes) {
  const Dim& channels = like->shape()[1];
  std::vector<Value*> kernel;
  for (const auto& a : axes) kernel.push_back(b.ints({a.kernel}));
  auto ones = [&](int64_t n) {
    std::vector<Value*> shape{b.ints({n, 1})};
    shape.insert(shape.end(), kernel.begin(), kernel.end());
    return full(b, join_ints(b, shape), g->dtype(), 1);
  };
  if (channels.is_const()) return spread_taps(b, g, ones(channels.value()), like, axes, channels.value());
  // Each channel as an image of its own.
  auto flat = [&](Value* v) {
    std::vector<Value*> shape{Expr(b, extent_of(b, v, 0)) * Expr(b, extent_of(b, v, 1)), b.ints({1})};
    for (int k = 2; k < v->shape().rank(); ++k) shape.push_back(extent_of(b, v, k));
    return join_ints(b, shape);
  };
  Value* images = reshape(b, like, flat(like));
  return reshape_like(b, spread_taps(b, reshape(b, g, flat(g)), ones(1), images, axes, 1), like);
}

}  // namespace tc
