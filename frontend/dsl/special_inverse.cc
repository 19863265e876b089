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

// erfcinv of 0 < q <= 1/4 in s = sqrt(-log(q)), which all tails are smooth functions of (Wichura 1988).
Var erfcinv_tail(const Var& q) {
  const Var s = sqrt(-log(q));
  const Var first = polynomial((minimum(s, 2.5) - 1.85) / 0.65, tables::kErfcinv1);
  const Var second = polynomial((clip(s, 2.5, 6) - 4.25) / 1.75, tables::kErfcinv2);
  const Var third = polynomial((clip(s, 6, 13) - 9.5) / 3.5, tables::kErfcinv3);
  const Var fourth = polynomial((clip(s, 13, 28) - 20.5) / 7.5, tables::kErfcinv4);
  return s * where(s <= 2.5, first, where(s <= 6, second, where(s <= 13, third, fourth)));
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

}  // namespace

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

}  // namespace tc::special
