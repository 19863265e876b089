#include <cmath>
#include <numeric>

#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

using Values = std::vector<Value*>;

// The scale or zero point with an element for each of x, or for each slice of the axis.
Value* spread(Lowering& l, Value* x, Value* v, int64_t axis, int64_t block) {
  const int rank = l.rank(0);
  const int at = static_cast<int>(axis < 0 ? axis + rank : axis);
  if (block) {
    Value* places = l.b.make<Range>({l.b.scalar<int64_t>(0), l.extent(x, at), l.b.scalar<int64_t>(1)});
    return l.b.make<Gather>({v, l.b.make<Div>({places, l.b.scalar(block)})}, {.axis = at});
  }
  if (!v->shape().ranked()) l.refuse("the rank of the scale is not known");
  if (v->shape().rank() == 0 || at == rank - 1) return v;
  std::vector<int64_t> axes(static_cast<size_t>(rank - 1 - at));
  std::iota(axes.begin(), axes.end(), int64_t{1});
  return l.b.make<Unsqueeze>({v, l.b.ints(axes)});
}

// round(x / scale) + zero point within the range of the result's integers.
Values quantize(Lowering& l) {
  const auto& a = l.attrs<QuantizeLinear>();
  Value *x = l.in(0), *scale = l.in(1), *zero = l.in(2);
  const DType to = l.node().result(0)->dtype();
  const bool is_signed = kind(to) == DTypeKind::signed_int;
  if (!is_signed && kind(to) != DTypeKind::unsigned_int)
    l.refuse("QuantizeLinear of opset ", l.opset(), " does not give ", to);
  const DType p = a.precision.value_or(scale->dtype());
  if (p != DType::f32 && p != DType::f16 && p != DType::bf16) l.refuse("a scale of ", p);
  scale = l.cast(spread(l, x, scale, a.axis, a.block_size), p);
  Value* y = l.b.make<Round>({l.cast(l.b.make<Div>({l.cast(x, p), scale}), DType::f32)});
  if (zero) y = l.b.make<Add>({y, l.cast(spread(l, x, zero, a.axis, a.block_size), DType::f32)});
  const int bits = info(to).bits - is_signed;
  const double high = std::exp2(bits) - 1, low = is_signed ? -std::exp2(bits) : 0;
  y = l.b.make<Clip>({y, l.b.scalar_like(DType::f32, low), l.b.scalar_like(DType::f32, high)});
  return {l.cast(y, to)};
}

// (x - zero point) * scale, the difference in integers.
Values dequantize(Lowering& l) {
  const auto& a = l.attrs<DequantizeLinear>();
  Value *x = l.in(0), *scale = l.in(1), *zero = l.in(2);
  const DType to = l.node().result(0)->dtype();
  if (scale->dtype() == DType::f8e8m0) l.refuse("a scale of ", scale->dtype());
  const bool integers = kind(x->dtype()) == DTypeKind::signed_int || kind(x->dtype()) == DTypeKind::unsigned_int;
  const DType t = integers ? DType::i32 : DType::f32;
  Value* y = l.cast(x, t);
  if (zero) y = l.b.make<Sub>({y, l.cast(spread(l, x, zero, a.axis, a.block_size), t)});
  y = l.b.make<Mul>({l.cast(y, DType::f32), l.cast(spread(l, x, scale, a.axis, a.block_size), DType::f32)});
  return {l.cast(y, to)};
}

// Before opset 21 a zero point was the only way to name the result's type.
Values with_zero_point(Lowering& l) {
  auto a = l.attrs<QuantizeLinear>();
  if (l.in(2) || !a.output_dtype || l.opset() >= 21) return {};
  const DType to = *a.output_dtype;
  a.output_dtype.reset();
  if (to == DType::u8) return l.again<QuantizeLinear>(a);
  const Shape& s = l.in(1)->shape();
  Value* zero = s.is_static() ? l.b.constant(Tensor(to, s.extents()))
                              : l.b.make<ConstantOfShape>({l.b.make<ShapeOf>({l.in(1)})}, {Tensor(to, {1})});
  return l.again({l.in(0), l.in(1), zero}, std::make_shared<QuantizeLinear::Attrs>(a));
}

// An element type in which a scale would do anyway is not worth saying.
void quantize_linear(NodeExport& n) {
  const auto& a = n.attrs<QuantizeLinear>();
  if (a.precision && *a.precision == n.node().operand(1)->dtype()) n.ignore("precision");
  if (a.output_dtype && n.node().operand(2)) n.ignore("output_dtype");
  if (!dtypes::f8.has(n.node().result(0)->dtype())) n.ignore("saturate");
  n.regular();
}

void dequantize_linear(NodeExport& n) {
  const auto& a = n.attrs<DequantizeLinear>();
  if (a.output_dtype && *a.output_dtype == n.node().operand(1)->dtype()) n.ignore("output_dtype");
  n.regular();
}

}  // namespace

void rows_export_quant(ExportRows& rows) {
  rows.push_back({OpId::QuantizeLinear, 1, quantize_linear, with_zero_point, quantize});
  rows.push_back({OpId::DequantizeLinear, 1, dequantize_linear, nullptr, dequantize});
}

}  // namespace tc::onnx
