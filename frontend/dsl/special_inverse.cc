// Inverse error functions.
#include <numbers>

#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/special_parts.h"
#include "tc/frontend/dsl/special_tables.h"

namespace tc::special {

using namespace dsl;
using namespace parts;

namespace {

constexpr double kHalfRootPi = 1 / (2 * std::numbers::inv_sqrtpi);
constexpr double kSlopeAtHalf = std::numbers::sqrt2 * 2 * kHalfRootPi;

// erfinv of |x| <= 3/4.
Var erfinv_near(const Var& x) {
  return x * polynomial(x * x / 0.28125 - 1, tables::kErfinv);
}

// erfcinv(exp(-s^2)) of 1.17 < s < 28: all tails are smooth functions of s (Wichura 1988).
Var erfcinv_of_root(const Var& s) {
  const Var first = polynomial((minimum(s, 2.5) - 1.85) / 0.65, tables::kErfcinv1);
  const Var second = polynomial((clip(s, 2.5, 6) - 4.25) / 1.75, tables::kErfcinv2);
  const Var third = polynomial((clip(s, 6, 13) - 9.5) / 3.5, tables::kErfcinv3);
  const Var fourth = polynomial((clip(s, 13, 28) - 20.5) / 7.5, tables::kErfcinv4);
  return s * where(s <= 2.5, first, where(s <= 6, second, where(s <= 13, third, fourth)));
}

// erfcinv of 0 < q <= 1/4.
Var erfcinv_tail(const Var& q) {
  return erfcinv_of_root(sqrt(-log(q)));
}

Var erfinv_of(const Var& x) {
  const Var a = abs(x), inside = a <= 0.75, tail = (!inside) & (a < 1);
  const Var near = erfinv_near(where(inside, x, 0));
  const Var far = where(a == 1, kInfinity, where(tail, erfcinv_tail(where(tail, 1 - a, 0.25)), astype(kNan, f64)));
  return where(inside, near, where(x < 0, -far, far));
}

Var erfcinv_of(const Var& q) {
  const Var inside = (q >= 0.25) & (q <= 1.75), right = q > 1;
  const Var near = erfinv_near(1 - where(inside, q, 1));
  const Var rest = where(right, 2 - q, q), tail = (!inside) & (rest > 0);
  const Var far = where(rest == 0, kInfinity, where(tail, erfcinv_tail(where(tail, rest, 0.25)), astype(kNan, f64)));
  return where(inside, near, where(right, -far, far));
}

// erfcinv(exp(-s^2)) of s >= 28, where exp(-s^2) is no number: Newton's method for the logarithm of erfc.
Var erfcinv_beyond(const Var& s) {
  const Var square = s * s;
  Var z = sqrt(square - log(s / std::numbers::inv_sqrtpi));
  for (int k = 0; k < 2; ++k) {
    const Var scaled = erfcx_of(z);
    z = z + (square - z * z + log(scaled)) * scaled * kHalfRootPi;
  }
  return z;
}

// log(2) and what its rounding has lost.
constexpr double kLog2Low = 0x1.abc9e3b39803fp-56;

}  // namespace

Var parts::ndtri_exp_of(const Var& y) {
  const Var left = y<-2.0794, right = y> - 0.1335, finite = y > -kInfinity;
  const Var s = sqrt(where(left & finite, -y, 10) - std::numbers::ln2);
  const Var far = s > 28;
  const Var low = -where(far, erfcinv_beyond(where(far, s, 28)), erfcinv_of_root(where(far, 28, s)));
  const Var middle = erfinv_near(expm1((where(left | right, -1, y) + std::numbers::ln2) + kLog2Low));
  const Var inside = right & (y < 0);
  const Var high = erfcinv_tail(expm1(where(inside, y, -0.1)) * -2);
  const Var tails =
      where(left, where(finite, low, -kInfinity), where(inside, high, where(y == 0, kInfinity, astype(kNan, f64))));
  return where(left | right, tails, middle) * std::numbers::sqrt2;
}

Var erfinv(Arg x) {
  return apply("special.erfinv", x, erfinv_of, [](Var, Var y, Var g) { return g * kHalfRootPi * exp_square(y, 1); });
}

Var erfcinv(Arg q) {
  return apply("special.erfcinv", q, erfcinv_of, [](Var, Var y, Var g) { return g * -kHalfRootPi * exp_square(y, 1); });
}

Var ndtri(Arg p) {
  return apply(
      "special.ndtri", p, [](Var v) { return erfcinv_of(v * 2) * -std::numbers::sqrt2; },
      [](Var, Var y, Var g) { return g * kSlopeAtHalf * exp_square(y, 0.5); });
}

Var ndtri_exp(Arg y) {
  return apply("special.ndtri_exp", y, ndtri_exp_of, [](Var, Var x, Var g) {
    return g *
           (kernel("special.erfcx", erfcx_of, x * (-std::numbers::sqrt2 / 2)) * (kHalfRootPi * std::numbers::sqrt2));
  });
}

}  // namespace tc::special
