#include <cmath>
#include <numbers>

#include "tc/backend/onnx/exact.h"
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

// Until opset 28 ONNX had it for f32 only: celu(x) = alpha elu(x / alpha).
Values celu(Lowering& l) {
  const double alpha = l.attrs<Celu>().alpha;
  if (alpha <= 0) l.refuse("alpha is ", alpha);
  return {l.scalar_op<Mul>(l.b.make<Elu>({l.scalar_op<Div>(l.in(0), alpha)}), alpha)};
}

// The others are for parameters that an attribute does not hold: it has 32 bits, an element of f64 more.

Value* is_less(Lowering& l, Value* x, double c) {
  return l.scalar_op<Less>(x, c);
}

Values leaky_relu(Lowering& l) {
  Value* x = l.in(0);
  return {l.b.make<Where>({is_less(l, x, 0), l.scalar_op<Mul>(x, l.attrs<LeakyRelu>().alpha), x})};
}

// alpha e^x - alpha below 0 is alpha times what an alpha of 1 gives.
Value* scaled_elu(Lowering& l, Value* x, double alpha) {
  Value* y = l.b.make<Elu>({x});
  return alpha == 1 ? y : l.b.make<Where>({is_less(l, x, 0), l.scalar_op<Mul>(y, alpha), x});
}

Values elu(Lowering& l) {
  const double alpha = l.attrs<Elu>().alpha;
  if (l.ort() && l.in(0)->dtype() == DType::f64) return exact_elu(l);
  if (alpha == 1) l.refuse("alpha is 1");
  return {scaled_elu(l, l.in(0), alpha)};
}

Values selu(Lowering& l) {
  const auto& a = l.attrs<Selu>();
  return {l.scalar_op<Mul>(scaled_elu(l, l.in(0), a.alpha), a.gamma)};
}

Values thresholded_relu(Lowering& l) {
  Value* x = l.in(0);
  Value* passes = l.scalar_op<Greater>(x, l.attrs<ThresholdedRelu>().alpha);
  return {l.b.make<Where>({passes, x, l.b.scalar_like(x->dtype(), 0)})};
}

Values hard_sigmoid(Lowering& l) {
  const auto& a = l.attrs<HardSigmoid>();
  Value* line = l.scalar_op<Add>(l.scalar_op<Mul>(l.in(0), a.alpha), a.beta);
  const DType t = line->dtype();
  return {l.b.make<Clip>({line, l.b.scalar_like(t, 0), l.b.scalar_like(t, 1)})};
}

Values shrink(Lowering& l) {
  const auto& a = l.attrs<Shrink>();
  Value *x = l.in(0), *zero = l.b.scalar_like(x->dtype(), 0);
  Value* positive = l.b.make<Where>({l.scalar_op<Greater>(x, a.lambd), l.scalar_op<Sub>(x, a.bias), zero});
  return {l.b.make<Where>({is_less(l, x, -a.lambd), l.scalar_op<Add>(x, a.bias), positive})};
}

Values relu(Lowering& l) {
  return {l.scalar_op<Max>(l.in(0), 0)};
}

Values prelu(Lowering& l) {
  Value* x = l.in(0);
  return {l.b.make<Where>({is_less(l, x, 0), l.b.make<Mul>({x, l.in(1)}), x})};
}

// ONNX Runtime's Sigmoid is 0 from -43 on, and a product with one of f64 becomes an operator that it has no kernel for.
Values sigmoid_of_f64(Lowering& l) {
  Value* x = l.in(0);
  if (!l.ort() || x->dtype() != DType::f64) return {};
  l.why = "as 1 / (1 + e^-x): ONNX Runtime's Sigmoid has no relative accuracy where it is small";
  return {l.b.make<Reciprocal>({l.scalar_op<Add>(l.b.make<Exp>({l.b.make<Neg>({x})}), 1)})};
}

// All bits of x flipped is -1 - x, and the greatest value - x without a sign.
Values bitwise_not(Lowering& l) {
  const DType t = l.in(0)->dtype();
  Value* ones = t == DType::u64
                    ? l.b.scalar(UINT64_MAX)
                    : l.b.scalar_like(t, kind(t) == DTypeKind::signed_int ? -1 : std::exp2(info(t).bits) - 1);
  return {l.b.make<Sub>({ones, l.in(0)})};
}

// The only element of an f64 tensor that a file holds.
std::optional<double> only_f64(const Value* v) {
  if (v->dtype() != DType::f64) return std::nullopt;
  const Tensor* t = v->def_as<Parameter>() ? &v->def()->attrs<Parameter>().value : v->constant();
  return t && t->size() == 1 ? std::optional(t->aligned_copy().span<double>()[0]) : std::nullopt;
}

// ONNX Runtime rounds the constant to f32 before it looks whether a sum with it, or a product or quotient, is x itself,
// and leaves out what then is x + 0 or x * 1. The optimisation knows neither Sum nor -1.
constexpr const char* kNoop = "ONNX Runtime would leave it out, as it rounds the constant to f32";

bool seems(const Value* v, float neutral) {
  const auto c = only_f64(v);
  return c && *c != static_cast<double>(neutral) && static_cast<float>(*c) == neutral;
}
Value* negated(Lowering& l, Value* v) {
  const Tensor* t = v->constant();
  return t ? l.b.constant(Tensor::of<double>(t->extents(), {-t->aligned_copy().span<double>()[0]}))
           : l.b.make<Neg>({v});
}

Values add_of_f64(Lowering& l) {
  if (!seems(l.in(0), 0) && !seems(l.in(1), 0)) return {};
  l.why = kNoop;
  return {l.b.make<Sum>({l.in(0), l.in(1)})};
}
Values sub_of_f64(Lowering& l) {
  if (!seems(l.in(1), 0)) return {};
  l.why = kNoop;
  return {l.b.make<Sum>({l.in(0), negated(l, l.in(1))})};
}
Values mul_of_f64(Lowering& l) {
  const int i = seems(l.in(0), 1) ? 0 : 1;
  if (!seems(l.in(i), 1)) return {};
  l.why = kNoop;
  return {l.b.make<Neg>({l.b.make<Mul>({l.in(1 - i), negated(l, l.in(i))})})};
}
Values div_of_f64(Lowering& l) {
  if (!seems(l.in(1), 1)) return {};
  l.why = kNoop;
  return {l.b.make<Neg>({l.b.make<Div>({l.in(0), negated(l, l.in(1))})})};
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
                           {OpId::LeakyRelu, 1, nullptr, nullptr, leaky_relu},
                           {OpId::PRelu, 1, nullptr, nullptr, prelu},
                           {OpId::Relu, 1, nullptr, nullptr, relu},
                           {OpId::Sigmoid, 1, nullptr, sigmoid_of_f64},
                           {OpId::Tan, 1, nullptr, nullptr, exact_tan},
                           {OpId::Asin, 1, nullptr, nullptr, exact_asin},
                           {OpId::Acos, 1, nullptr, nullptr, exact_acos},
                           {OpId::Atan, 1, nullptr, nullptr, exact_atan},
                           {OpId::Sinh, 1, nullptr, nullptr, exact_sinh},
                           {OpId::Cosh, 1, nullptr, nullptr, exact_cosh},
                           {OpId::Asinh, 1, nullptr, nullptr, exact_asinh},
                           {OpId::Acosh, 1, nullptr, nullptr, exact_acosh},
                           {OpId::Atanh, 1, nullptr, nullptr, exact_atanh},
                           {OpId::Erf, 1, nullptr, nullptr, exact_erf},
                           {OpId::Softplus, 1, nullptr, nullptr, exact_softplus},
                           {OpId::Elu, 1, nullptr, nullptr, elu},
                           {OpId::Selu, 1, nullptr, nullptr, selu},
                           {OpId::ThresholdedRelu, 1, nullptr, nullptr, thresholded_relu},
                           {OpId::HardSigmoid, 1, nullptr, nullptr, hard_sigmoid},
                           {OpId::Shrink, 1, nullptr, nullptr, shrink},
                           {OpId::Add, 1, nullptr, add_of_f64},
                           {OpId::Sub, 1, nullptr, sub_of_f64},
                           {OpId::Mul, 1, nullptr, mul_of_f64},
                           {OpId::Div, 1, nullptr, div_of_f64},
                           {OpId::BitwiseNot, 1, nullptr, nullptr, bitwise_not},
                           {OpId::Cast, 1, cast}});
}

}  // namespace tc::onnx
