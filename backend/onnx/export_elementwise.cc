#include <cmath>
#include <numbers>

#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

using Values = std::vector<Value*>;

Values hard_swish(Lowering& l) {
  Value* x = l.in(0);
  return {l.b.make<Mul>({x, l.b.make<HardSigmoid>({x}, {.alpha = 1.0 / 6, .beta = 0.5})})};
}

Values mish(Lowering& l) {
  Value* x = l.in(0);
  return {l.b.make<Mul>({x, l.b.make<Tanh>({l.b.make<Softplus>({x})})})};
}

Value* swish_of(Lowering& l, Value* x, double alpha) {
  return l.b.make<Mul>({x, l.b.make<Sigmoid>({alpha == 1 ? x : l.scalar_op<Mul>(x, alpha)})});
}

Values swish(Lowering& l) {
  return {swish_of(l, l.in(0), l.attrs<Swish>().alpha)};
}

Values swiglu(Lowering& l) {
  return {l.b.make<Mul>({swish_of(l, l.in(0), l.attrs<SwiGLU>().alpha), l.in(1)})};
}

// x/2 (1 + erf(x / sqrt 2)), or x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
Values gelu(Lowering& l) {
  Value *x = l.in(0), *inner;
  if (l.attrs<Gelu>().approximate == GeluApproximation::tanh) {
    Value* cube = l.b.make<Mul>({l.b.make<Mul>({x, x}), x});
    Value* sum = l.b.make<Add>({x, l.scalar_op<Mul>(cube, 0.044715)});
    inner = l.b.make<Tanh>({l.scalar_op<Mul>(sum, std::sqrt(2 / std::numbers::pi))});
  } else {
    inner = l.b.make<Erf>({l.scalar_op<Mul>(x, 1 / std::numbers::sqrt2)});
  }
  return {l.b.make<Mul>({l.scalar_op<Mul>(x, 0.5), l.scalar_op<Add>(inner, 1)})};
}

// ONNX had it for f32 only: celu(x) = alpha elu(x / alpha).
Values celu(Lowering& l) {
  const double alpha = l.attrs<Celu>().alpha;
  if (alpha <= 0) l.refuse("alpha is ", alpha);
  return {l.scalar_op<Mul>(l.b.make<Elu>({l.scalar_op<Div>(l.in(0), alpha)}), alpha)};
}

// All bits of x flipped is -1 - x, and the greatest value - x without a sign.
Values bitwise_not(Lowering& l) {
  const DType t = l.in(0)->dtype();
  Value* ones = t == DType::u64
                    ? l.b.scalar(UINT64_MAX)
                    : l.b.scalar_like(t, kind(t) == DTypeKind::signed_int ? -1 : std::exp2(info(t).bits) - 1);
  return {l.b.make<Sub>({ones, l.in(0)})};
}

// Saturation is about 8-bit floats only, and the rounding mode about scales.
void cast(NodeExport& n) {
  const auto& a = n.attrs<Cast>();
  if (!dtypes::f8.has(a.to)) n.ignore("saturate");
  if (a.to != DType::f8e8m0) n.ignore("round_mode");
  n.regular();
}

}  // namespace

void rows_export_elementwise(ExportRows& rows) {
  rows.insert(rows.end(), {{OpId::HardSwish, 1, nullptr, nullptr, hard_swish},
                           {OpId::Mish, 1, nullptr, nullptr, mish},
                           {OpId::Swish, 1, nullptr, nullptr, swish},
                           {OpId::SwiGLU, 1, nullptr, nullptr, swiglu},
                           {OpId::Gelu, 1, nullptr, nullptr, gelu},
                           {OpId::Celu, 1, nullptr, nullptr, celu},
                           {OpId::BitwiseNot, 1, nullptr, nullptr, bitwise_not},
                           {OpId::Cast, 1, cast}});
}

}  // namespace tc::onnx
