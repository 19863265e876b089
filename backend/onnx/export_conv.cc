#include <algorithm>

#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

// The state, or zeros, in front of x; then an ordinary depthwise convolution.
std::vector<Value*> causal_conv(Lowering& l) {
  Value *x = l.in(0), *w = l.in(1), *past = l.in(3);
  const Shape& s = w->shape();
  if (!s.ranked() || !s[0].is_const() || !s[2].is_const()) l.refuse("the weight's extents are not known");
  const int64_t channels = s[0].value(), before = s[2].value() - 1;
  Value* all = past ? l.b.make<Concat>({past, x}, {2}) : l.b.make<Pad>({x, l.b.ints({0, 0, before, 0, 0, 0})});
  Value* y = l.b.make<Conv>({all, w, l.in(2)}, {.group = channels});
  if (l.attrs<CausalConvWithState>().activation != ConvActivation::none) y = l.b.make<Mul>({y, l.b.make<Sigmoid>({y})});
  std::vector<Value*> results{y};
  if (l.node().num_results() > 1) {
    Value* length = l.settled(l.b.make<Slice>({l.b.make<ShapeOf>({x}), l.b.ints({2}), l.b.ints({3})}));
    results.push_back(l.b.make<Slice>({all, length, l.b.ints({INT64_MAX}), l.b.ints({2})}));
  }
  return results;
}

// ONNX Runtime keeps extents with dilated kernels only where it is told how much to pad.
std::vector<Value*> dilated_with_pads(Lowering& l) {
  auto a = l.attrs<Conv>();
  const bool same = a.auto_pad == AutoPad::same_upper || a.auto_pad == AutoPad::same_lower;
  const bool dilated = std::any_of(a.dilations.begin(), a.dilations.end(), [](int64_t d) { return d > 1; });
  if (!l.ort() || !same || !dilated) return {};
  const size_t spatial = static_cast<size_t>(l.rank(0)) - 2;
  const Shape &x = l.in(0)->shape(), &w = l.in(1)->shape();
  a.pads.assign(2 * spatial, 0);
  for (size_t i = 0; i < spatial; ++i) {
    const Dim &extent = x[static_cast<int>(i) + 2], &kernel = w[static_cast<int>(i) + 2];
    if (!extent.is_const() || !kernel.is_const())
      l.refuse("ONNX Runtime pads dilated kernels by known amounts only, and extents are not known");
    const int64_t stride = a.strides.empty() ? 1 : a.strides[i], reach = (kernel.value() - 1) * a.dilations[i] + 1;
    const int64_t count = (extent.value() + stride - 1) / stride;
    const int64_t total = std::max<int64_t>((count - 1) * stride + reach - extent.value(), 0);
    a.pads[i] = a.auto_pad == AutoPad::same_upper ? total / 2 : total - total / 2;
    a.pads[spatial + i] = total - a.pads[i];
  }
  a.auto_pad = AutoPad::notset;
  l.why = "padded explicitly: ONNX Runtime has no automatic padding for dilated kernels";
  return l.again<Conv>(std::move(a));
}

}  // namespace

void rows_export_conv(ExportRows& rows) {
  rows.push_back({OpId::Conv, 1, nullptr, dilated_with_pads});
  rows.push_back({OpId::CausalConvWithState, 1, nullptr, nullptr, causal_conv});
}

}  // namespace tc::onnx
