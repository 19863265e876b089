// Elementwise functions of NumPy that the Array API does not have, and NumPy's spellings of those that it does.
#pragma once

#include <optional>

#include "tc/frontend/dsl/elementwise.h"

namespace tc {

Var fmod(Arg a, Arg b);  // the remainder with the sign of a
struct [[nodiscard]] DivModResult {
  Var quotient, remainder;
};
DivModResult divmod(Arg a, Arg b);  // floor_divide and remainder
Var fmax(Arg a, Arg b);             // the larger one; a NaN counts as missing
Var fmin(Arg a, Arg b);
Var heaviside(Arg x, Arg at_zero);

Var round_half_away(Arg x);      // halves away from zero
Var ldexp(Arg x, Arg exponent);  // x times 2 to the exponent
// x = mantissa times 2 to the exponent, i32; the mantissa of finite numbers other than 0 is from 0.5 to below 1 in
// magnitude, all others are their own mantissa.
struct [[nodiscard]] FrexpResult {
  Var mantissa, exponent;
};
FrexpResult frexp(Arg x);
struct [[nodiscard]] ModfResult {
  Var fraction, whole;  // both with the sign of x
};
ModfResult modf(Arg x);

Var bitwise_count(Arg x);  // the ones among the bits of abs(x), as u8
Var gcd(Arg a, Arg b);     // of integers; not negative
Var lcm(Arg a, Arg b);

struct NanToNumOptions {
  double nan = 0;
  std::optional<double> posinf = {}, neginf = {};  // the largest finite numbers of the type
};
Var nan_to_num(Arg x, NanToNumOptions options = {});
Var isposinf(Arg x);
Var isneginf(Arg x);

struct CloseOptions {
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
};
Var isclose(Arg a, Arg b, CloseOptions options = {});   // |a - b| <= atol + rtol |b|
Var allclose(Arg a, Arg b, CloseOptions options = {});  // of all elements
Var array_equal(Arg a, Arg b);                          // one boolean; false where the shapes differ

// NumPy's names for functions of elementwise.h.
inline Var absolute(Arg x) {
  return abs(std::move(x));
}
inline Var arccos(Arg x) {
  return acos(std::move(x));
}
inline Var arccosh(Arg x) {
  return acosh(std::move(x));
}
inline Var arcsin(Arg x) {
  return asin(std::move(x));
}
inline Var arcsinh(Arg x) {
  return asinh(std::move(x));
}
inline Var arctan(Arg x) {
  return atan(std::move(x));
}
inline Var arctan2(Arg y, Arg x) {
  return atan2(std::move(y), std::move(x));
}
inline Var arctanh(Arg x) {
  return atanh(std::move(x));
}
inline Var fix(Arg x) {
  return trunc(std::move(x));
}
inline Var invert(Arg x) {
  return bitwise_invert(std::move(x));
}
inline Var left_shift(Arg x, Arg bits) {
  return bitwise_left_shift(std::move(x), std::move(bits));
}
inline Var mod(Arg a, Arg b) {
  return remainder(std::move(a), std::move(b));
}
inline Var power(Arg x, Arg exponent) {
  return pow(std::move(x), std::move(exponent));
}
inline Var right_shift(Arg x, Arg bits) {
  return bitwise_right_shift(std::move(x), std::move(bits));
}
inline Var rint(Arg x) {
  return round(std::move(x));
}
inline Var true_divide(Arg a, Arg b) {
  return divide(std::move(a), std::move(b));
}

}  // namespace tc
