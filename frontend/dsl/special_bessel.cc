// Bessel functions of order 0 and 1: the second modified kind and the first kind.
#include <iterator>
#include <numbers>

#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/special_integral_tables.h"
#include "tc/frontend/dsl/special_parts.h"

namespace tc::special {

using namespace dsl;
using namespace parts;

namespace {

// K0 or K1 of x > 0, times exp(x) if `scaled`; its edges.
Var bessel_k(const Var& x, int order, bool scaled) {
  const Var far = x > 1, inside = (x > 0) & (x < kInfinity);
  const Var small = where(far | !inside, 1, x), big = where(far & inside, x, 1);
  const Var u = small * small * 0.25, logarithm = log(small * 0.5);
  Var near;
  if (order == 0)
    near = polynomial(u, tables::kK0) - (logarithm + std::numbers::egamma) * polynomial(u, tables::kI0Short);
  else
    near = 1 / small + small * (logarithm * 0.5 * polynomial(u, tables::kI1Short) + polynomial(u, tables::kK1));
  const Var t = (big - 1) / (big + 1) * 2 - 1;
  Var outer = (order == 0 ? polynomial(t, tables::kK0e) : polynomial(t, tables::kK1e)) / sqrt(big);
  if (scaled)
    near = near * exp(small);
  else
    outer = outer * exp(-big);
  const Var edge = where(x == 0, kInfinity, where(x == kInfinity, 0, astype(kNan, f64)));
  return where(inside, where(far, outer, near), edge);
}

// exp(x) (K1(x) - K0(x)) without cancellation.
Var bessel_k_difference(const Var& x) {
  const Var far = x > 1, big = where(far, x, 1), small = where(far, 1, x);
  const Var outer = polynomial((big - 1) / (big + 1) * 2 - 1, tables::kKDifference) / (big * sqrt(big));
  return where(far, outer, bessel_k(small, 1, true) - bessel_k(small, 0, true));
}

// The distance of a = |x| to a zero, times that to its negative.
Var from_zero(const Var& a, double high, double low) {
  return ((a - high) - low) * (a + high);
}

// J0, or J1 of |x|.
Var bessel_j(const Var& x, int order) {
  const Var a = abs(x), far = a > 8;
  const Var small = where(far, 0, a), big = where(far & (a < kInfinity), a, 8);
  const Var u = small * small * (1. / 32) - 1, r = 128 / (big * big) - 1;
  const Var s = sin(big), c = cos(big), scale = sqrt(big * std::numbers::pi);
  Var near, outer;
  if (order == 0) {
    near = polynomial(u, tables::kJ0) * from_zero(small, tables::kJ0First, tables::kJ0FirstLow) *
           from_zero(small, tables::kJ0Second, tables::kJ0SecondLow);
    near = where(a == 0, 1, near);
    outer = polynomial(r, tables::kP0) * (c + s) - polynomial(r, tables::kQ0) / big * (s - c);
  } else {
    near = small * polynomial(u, tables::kJ1) * from_zero(small, tables::kJ1First, tables::kJ1FirstLow) *
           from_zero(small, tables::kJ1Second, tables::kJ1SecondLow);
    outer = polynomial(r, tables::kP1) * (s - c) + polynomial(r, tables::kQ1) / big * (s + c);
  }
  return where(far, where(a == kInfinity, 0, outer / scale), where(x == x, near, x));
}

Var bessel_j0(const Var& x) {
  return bessel_j(x, 0);
}
Var bessel_j1(const Var& x) {
  const Var y = bessel_j(x, 1);
  return where(x == 0, x, where(x < 0, -y, y));
}

}  // namespace

Var k0(Arg x) {
  return apply(
      "special.k0", x, [](Var v) { return bessel_k(v, 0, false); },
      [](Var v, Var, Var g) { return -g * bessel_k(v, 1, false); });
}

Var k1(Arg x) {
  return apply(
      "special.k1", x, [](Var v) { return bessel_k(v, 1, false); },
      [](Var v, Var y, Var g) { return -g * (bessel_k(v, 0, false) + y / v); });
}

Var k0e(Arg x) {
  return apply(
      "special.k0e", x, [](Var v) { return bessel_k(v, 0, true); },
      [](Var v, Var, Var g) { return -g * bessel_k_difference(v); });
}

Var k1e(Arg x) {
  return apply(
      "special.k1e", x, [](Var v) { return bessel_k(v, 1, true); },
      [](Var v, Var y, Var g) { return g * (bessel_k_difference(v) - y / v); });
}

Var j0(Arg x) {
  return apply("special.j0", x, bessel_j0, [](Var v, Var, Var g) { return -g * kernel("special.j1", bessel_j1, v); });
}

Var j1(Arg x) {
  return apply("special.j1", x, bessel_j1, [](Var v, Var y, Var g) {
    return g * (kernel("special.j0", bessel_j0, v) - where(v == 0, 0.5, y / where(v == 0, 1, v)));
  });
}

}  // namespace tc::special
