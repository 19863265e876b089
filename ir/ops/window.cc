#include "tc/ir/ops/window.h"

#include <algorithm>

namespace tc {
namespace {

// Bounds that keep products of attributes within 64 bits.
constexpr int64_t kMaxAttribute = int64_t{1} << 30;

std::string check_list(std::string_view name, const std::vector<int64_t>& values, size_t count, int64_t least) {
  if (values.size() != count) return cat(name, " has ", values.size(), " entries, expected ", count);
  for (const int64_t v : values)
    if (v < least || v > kMaxAttribute) return cat(name, " holds ", v, ", expected ", least, " to ", kMaxAttribute);
  return {};
}

// The windows of a pool, on axes of at least one element: slack / stride + 1, truncated.
Dim truncated_windows(const Dim& slack, int64_t least_slack, int64_t stride) {
  const Dim whole = floordiv(slack, stride) + 1;
  if (least_slack >= 0) return whole;
  if (least_slack > -stride) return max(whole, Dim(1));
  return max(whole, min(ceildiv(slack, stride) + 1, Dim(1)));
}

}  // namespace

int64_t WindowSpec::kernel_size() const {
  return element_count(kernel);
}

std::string complete_window(WindowSpec& spec, const std::vector<int64_t>& pads) {
  const size_t n = spec.kernel.size();
  if (spec.strides.empty()) spec.strides.assign(n, 1);
  if (spec.dilations.empty()) spec.dilations.assign(n, 1);
  for (const auto& problem : {check_list("kernel_shape", spec.kernel, n, 1), check_list("strides", spec.strides, n, 1),
                              check_list("dilations", spec.dilations, n, 1)})
    if (!problem.empty()) return problem;
  spec.pads_begin.assign(n, 0);
  spec.pads_end.assign(n, 0);
  if (spec.auto_pad != AutoPad::notset || pads.empty()) return {};
  if (auto problem = check_list("pads", pads, 2 * n, -kMaxAttribute); !problem.empty()) return problem;
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(n);
  spec.pads_begin.assign(pads.begin(), middle);
  spec.pads_end.assign(middle, pads.end());
  return {};
}

WindowAxis<Dim> window_axis(const WindowSpec& spec, int i, const Dim& in) {
  const auto k = static_cast<size_t>(i);
  const int64_t stride = spec.strides[k], reach = spec.reach(i);
  WindowAxis<Dim> axis{in, 0, spec.pads_begin[k], spec.pads_end[k], spec.kernel[k], stride, spec.dilations[k]};
  if (spec.auto_pad == AutoPad::same_upper || spec.auto_pad == AutoPad::same_lower) {
    axis.out = ceildiv(in, stride);
    const Dim total = max((axis.out - 1) * stride + reach - in, Dim(0)), half = floordiv(total, 2);
    const bool upper = spec.auto_pad == AutoPad::same_upper;
    axis.pad_begin = upper ? half : total - half;
    axis.pad_end = upper ? total - half : half;
    return axis;
  }
  const Dim slack = in + axis.pad_begin + axis.pad_end - reach;
  const int64_t padding = spec.pads_begin[k] + spec.pads_end[k];
  axis.out = spec.pool && !in.is(0)
                 ? truncated_windows(slack, std::max<int64_t>(in.lower_bound(), 1) + padding - reach, stride)
                 : floordiv(slack, stride) + 1;
  if (spec.ceil_mode && spec.auto_pad == AutoPad::notset) {
    const Dim ceiled = ceildiv(slack, stride) + 1;
    axis.out = max(ceiled - 1, min(ceiled, ceildiv(in + axis.pad_begin, stride)));
  }
  return axis;
}

WindowAxis<Dim> transposed_axis(const WindowSpec& spec, int i, const Dim& in, int64_t output_padding,
                                const int64_t* out) {
  const auto k = static_cast<size_t>(i);
  const int64_t stride = spec.strides[k];
  WindowAxis<Dim> axis{in, 0, spec.pads_begin[k], spec.pads_end[k], spec.kernel[k], stride, spec.dilations[k]};
  const Dim natural = (in - 1) * stride + output_padding + spec.reach(i);
  const bool same = spec.auto_pad == AutoPad::same_upper || spec.auto_pad == AutoPad::same_lower;
  if (!out && !same) {
    axis.out = natural - axis.pad_begin - axis.pad_end;
    return axis;
  }
  axis.out = out ? Dim(*out) : in * stride;
  const Dim total = max(natural - axis.out, Dim(0)), half = floordiv(total, 2);
  const bool upper = spec.auto_pad == AutoPad::same_upper;
  axis.pad_begin = upper ? half : total - half;
  axis.pad_end = upper ? total - half : half;
  return axis;
}

WindowAxis<int64_t> actual(const WindowAxis<Dim>& axis) {
  TC_CHECK(axis.in.is_const() && axis.out.is_const(), "window over symbolic extents");
  return {axis.in.value(), axis.out.value(), axis.pad_begin.value(), axis.pad_end.value(),
          axis.kernel,     axis.stride,      axis.dilation};
}

}  // namespace tc
