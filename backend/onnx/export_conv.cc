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
  if (l.attrs<CausalConvWithState>().activation != ConvActivation::none) y = l.b.make<Swish>({y});
  std::vector<Value*> results{y};
  if (l.node().num_results() > 1) {
    Value* length = l.settled(l.b.make<Slice>({l.b.make<ShapeOf>({x}), l.b.ints({2}), l.b.ints({3})}));
    results.push_back(l.b.make<Slice>({all, length, l.b.ints({INT64_MAX}), l.b.ints({2})}));
  }
  return results;
}

}  // namespace

void rows_export_conv(ExportRows& rows) {
  rows.push_back({OpId::CausalConvWithState, 1, nullptr, nullptr, causal_conv});
}

}  // namespace tc::onnx
