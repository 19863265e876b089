#include "tc/backend/onnx/exact.h"

#include <limits>
#include <numbers>
#include <span>

#include "tc/backend/onnx/exact_tables.h"
#include "tc/ir/expr.h"

namespace tc::onnx {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();
// e^x overflows a little above, where (e^(x/2))^2 / 2 does not yet.
constexpr double kLargeExponent = 700;
// Beyond it 1 + x^2 is x^2.
constexpr double kLargeRoot = 1 << 28;

Expr operand(Lowering& l) {
  Value* x = l.in(0);
  if (x->dtype() != DType::f64) l.refuse("it is said by other operators for f64 alone");
  return {l.b, x};
}

Expr polynomial(Expr x, std::span<const double> c) {
  Expr y = x.number(c.back());
  for (size_t i = c.size() - 1; i-- > 0;) y = y * x + c[i];
  return y;
}

// Kahan: the error of 1 + x is in the logarithm and in the factor, and cancels.
Expr log1p(Expr x) {
  const Expr u = x + 1, d = u - 1, none = equal(d, 0);
  const Expr y = log(u) * (x / where(none, 1, d));
  return where(none, x, where(equal(x, kInfinity), x, y));
}

// The same with e^x; from 1 on nothing cancels.
Expr expm1(Expr x) {
  const Expr u = exp(x), d = u - 1, none = equal(d, 0);
  const Expr logarithm = log(u);
  const Expr near = d * (x / where(none, 1, logarithm));
  return where(abs(x) < 1, where(none, x, near), d);
}

Expr with_sign(Expr magnitude, Expr x) {
  return where(x < 0, -magnitude, magnitude);
}

// e^x / 2 where e^x may overflow and it does not.
Expr half_of_large_exp(Expr x) {
  const Expr root = exp(x * 0.5);
  return root * (root * 0.5);
}

// Arguments are reduced to |t| <= tan(pi / 8) (Cody and Waite, "Software Manual for the Elementary Functions", 1980).
Expr atan(Expr x) {
  constexpr double kTanEighth = std::numbers::sqrt2 - 1, kTanThreeEighths = std::numbers::sqrt2 + 1;
  // What pi / 2 and pi / 4 of f64 lack.
  constexpr double kPiHalfRest = 6.123233995736766e-17, pi = std::numbers::pi;
  const Expr a = abs(x), large = a > kTanThreeEighths, small = a <= kTanEighth;
  const Expr t = where(large, -1 / where(large, a, 1), where(small, a, (a - 1) / (a + 1)));
  const Expr z = t * t;
  const Expr rest = t * (z * polynomial(z, kAtan));
  const Expr head = where(large, x.number(pi / 2), where(small, x.number(0), x.number(pi / 4)));
  const Expr tail = where(large, x.number(kPiHalfRest), where(small, x.number(0), x.number(kPiHalfRest / 2)));
  return where(equal(x, 0), x, with_sign(head + (t + (rest + tail)), x));
}

}  // namespace

std::vector<Value*> exact_tan(Lowering& l) {
  const Expr x = operand(l);
  return {sin(x) / cos(x)};
}

std::vector<Value*> exact_asin(Lowering& l) {
  const Expr x = operand(l);
  return {atan(x / (sqrt((1 - x) * (x + 1)) + 1)) * 2};
}

std::vector<Value*> exact_acos(Lowering& l) {
  const Expr x = operand(l);
  return {atan(sqrt((1 - x) / (x + 1))) * 2};
}

std::vector<Value*> exact_atan(Lowering& l) {
  return {atan(operand(l))};
}

std::vector<Value*> exact_sinh(Lowering& l) {
  const Expr x = operand(l), a = abs(x), e = expm1(a);
  const Expr y = where(a > kLargeExponent, half_of_large_exp(a), (e + e / (e + 1)) * 0.5);
  return {where(equal(x, 0), x, with_sign(y, x))};
}

std::vector<Value*> exact_cosh(Lowering& l) {
  const Expr a = abs(operand(l)), e = exp(a);
  return {where(a > kLargeExponent, half_of_large_exp(a), (e + 1 / e) * 0.5)};
}

std::vector<Value*> exact_asinh(Lowering& l) {
  const Expr x = operand(l), a = abs(x), square = a * a;
  const Expr y = where(a > kLargeRoot, log(a) + std::numbers::ln2, log1p(a + square / (sqrt(square + 1) + 1)));
  return {where(equal(x, 0), x, with_sign(y, x))};
}

std::vector<Value*> exact_acosh(Lowering& l) {
  const Expr x = operand(l);
  const Expr y = where(x > kLargeRoot, log(x) + std::numbers::ln2, log1p((x - 1) + sqrt((x - 1) * (x + 1))));
  return {where(x < 1, kNaN, y)};
}

std::vector<Value*> exact_atanh(Lowering& l) {
  const Expr x = operand(l), a = abs(x);
  return {where(equal(x, 0), x, with_sign(log1p(a * 2 / (1 - a)) * 0.5, x))};
}

// x P(x^2), and 1 - erfc by the scaled complement (Shepherd and Laframboise, "Chebyshev approximation of
// (1 + 2x) exp(x^2) erfc x", 1981); from 6 on it is 1.
std::vector<Value*> exact_erf(Lowering& l) {
  const Expr x = operand(l), a = abs(x), square = a * a;
  const Expr scaled = polynomial((a - 2.5) / (a + 2.5), kErfc);
  const Expr complement = exp(-square) * scaled / (a * 2 + 1);
  const Expr outer = with_sign(where(a > 6, 1, 1 - complement), x);
  return {where(a < 1, x * polynomial(square, kErf), outer)};
}

std::vector<Value*> exact_softplus(Lowering& l) {
  const Expr x = operand(l);
  return {max(x, 0) + log1p(exp(-abs(x)))};
}

std::vector<Value*> exact_elu(Lowering& l) {
  const Expr x = operand(l);
  return {where(x < 0, expm1(x) * l.attrs<Elu>().alpha, x)};
}

}  // namespace tc::onnx
