// The geometry of sliding windows, which convolutions and pools share: attributes as ONNX spells them become a
// WindowSpec with one entry per spatial axis, and a WindowSpec with extents becomes WindowAxis records. Extents may be
// symbolic; a resolved axis with the auto_pad modes turned into explicit pads is all that a kernel needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tc/ir/attrs.h"
#include "tc/ir/tensor.h"
#include "tc/ir/type.h"

namespace tc {

enum class AutoPad : uint8_t { notset, same_upper, same_lower, valid };
inline constexpr std::string_view kAutoPadNames[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<AutoPad> = kAutoPadNames;

struct WindowSpec {
  AutoPad auto_pad = AutoPad::notset;
  bool ceil_mode = false;
  bool pool = false;  // a window may be longer than the padded axis: what it has of it counts
  // One entry per spatial axis. Pads may be negative, which crops.
  std::vector<int64_t> kernel, strides, dilations, pads_begin, pads_end;

  int rank() const { return static_cast<int>(kernel.size()); }
  // Elements that a window spans.
  int64_t reach(int i) const {
    const auto k = static_cast<size_t>(i);
    return (kernel[k] - 1) * dilations[k] + 1;
  }
  int64_t kernel_size() const;
};

// Window o reads the elements o * stride - pad_begin + k * dilation, k in [0, kernel), of an axis of `in` elements;
// those outside are padding. For a transposed convolution the parts of `in` and `out` are exchanged in that rule.
template <class Extent>
struct WindowAxis {
  Extent in, out, pad_begin, pad_end;
  int64_t kernel, stride, dilation;
};
using WindowAxes = std::vector<WindowAxis<int64_t>>;

// Fills in defaults (empty means 1, pads 0); returns what is wrong with the attributes, or nothing.
std::string complete_window(WindowSpec& spec, const std::vector<int64_t>& pads);
// The axis i of a convolution or pool. In ceil mode the last window may reach beyond the padding at the end, but is
// dropped when it starts there. A pool rounds the number of strides towards zero, as ONNX Runtime does: where the first
// window is longer than the axis, by less than a stride, it is there; by less than two, there are none.
WindowAxis<Dim> window_axis(const WindowSpec& spec, int i, const Dim& in);
// The axis i of a transposed convolution. `out` is the asked-for extent (output_shape), or null.
WindowAxis<Dim> transposed_axis(const WindowSpec& spec, int i, const Dim& in, int64_t output_padding,
                                const int64_t* out);
WindowAxis<int64_t> actual(const WindowAxis<Dim>& axis);  // of fixed extents

// The window of an op's attributes. Errors bad_attribute, raised through the inference or evaluation context.
template <class Context, class Attrs>
WindowSpec window_spec(const Context& ctx, const Attrs& a, std::vector<int64_t> kernel) {
  WindowSpec spec;
  spec.kernel = std::move(kernel);
  spec.strides = a.strides;
  if constexpr (requires { a.dilations; }) spec.dilations = a.dilations;
  if constexpr (requires { a.auto_pad; }) spec.auto_pad = a.auto_pad;
  if constexpr (requires { a.ceil_mode; }) spec.ceil_mode = a.ceil_mode, spec.pool = true;
  const std::string problem = complete_window(spec, a.pads);
  if (!problem.empty()) ctx.fail(ErrorCode::bad_attribute, problem);
  return spec;
}

// Error bad_shape when no window fits.
template <class Context>
void check_window(const Context& ctx, const WindowSpec& spec, const WindowAxis<Dim>& axis) {
  if (!axis.out.is_const()) return;
  const bool same = spec.auto_pad == AutoPad::same_upper || spec.auto_pad == AutoPad::same_lower;
  const bool may_be_empty = same || (spec.pool && !axis.in.is(0));
  if (axis.out.value() < (may_be_empty ? 0 : 1))
    ctx.fail(ErrorCode::bad_shape, "a window of ", axis.kernel, " elements, dilation ", axis.dilation,
             ", does not fit an extent of ", axis.in, " with padding ", axis.pad_begin, " and ", axis.pad_end);
}

// All spatial axes; `extents` are those of the spatial axes only.
template <class Context>
std::vector<WindowAxis<Dim>> window_axes(const Context& ctx, const WindowSpec& spec, std::span<const Dim> extents) {
  std::vector<WindowAxis<Dim>> axes;
  for (int i = 0; i < spec.rank(); ++i) {
    axes.push_back(window_axis(spec, i, extents[static_cast<size_t>(i)]));
    check_window(ctx, spec, axes.back());
  }
  return axes;
}
template <class Context>
WindowAxes window_axes(const Context& ctx, const WindowSpec& spec, std::span<const int64_t> extents) {
  WindowAxes axes;
  const Dims dims(extents.begin(), extents.end());
  for (const auto& axis : window_axes(ctx, spec, std::span<const Dim>(dims))) axes.push_back(actual(axis));
  return axes;
}

}  // namespace tc
