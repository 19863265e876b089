// What the incomplete gamma and beta functions and their inverses share. Bodies are of f64.
#pragma once

#include <utility>

#include "tc/frontend/dsl/special_parts.h"

namespace tc::special::parts {

// The product without rounding: its rounded value, and the rest (Dekker 1971).
std::pair<Var, Var> exact_product(const Var& a, const Var& b);

// (mu - log(1 + mu)) / mu^2 of -0.6 < mu < 1.5.
Var log1pmx_ratio(const Var& mu);
// mu - log(1 + mu), where 1 + mu is known as `ratio`.
Var log1pmx(const Var& mu, const Var& ratio);
// gamma(1 + a) - 1 over a of 0 <= a <= 1.
Var gamma_rise(const Var& a);

// `count` where a condition holds anywhere, else 0: what a loop costs where no element needs it.
Var trips(const Var& needed, int64_t count);

// A probability and 1 minus it, each with relative accuracy; or their logarithms, also of those that are no numbers.
struct Sides {
  Var lower, upper;
};
// P(a, x) and Q(a, x), or with `logarithms` their logarithms, of a, x > 0.
Sides gamma_sides(const Var& a, const Var& x, bool logarithms);
Var gamma_slope(const Var& a, const Var& x);          // the derivative of P by a, of a, x > 0
Var gamma_prefactor(const Var& a, const Var& x);      // x^a exp(-x) / gamma(a + 1)
Var log_gamma_prefactor(const Var& a, const Var& x);  // its logarithm

// The parts of the incomplete beta function, 0 < x < 1 and y = 1 - x, a, b > 0.
struct BetaPoint {
  Var a, b, x, y;
  Var lambda;  // a y - b x
};
BetaPoint beta_point(const Var& a, const Var& b, const Var& x, const Var& y);
Var beta_prefactor(const BetaPoint& p, bool logarithm);  // x^a y^b / beta(a, b)
Sides beta_sides(const BetaPoint& p, bool logarithms);   // I_x(a, b) and 1 - I_x(a, b)
// The derivatives of I_x(a, b) by a and b.
struct BetaSlopes {
  Var by_a, by_b;
};
BetaSlopes beta_slopes(const BetaPoint& p);

}  // namespace tc::special::parts
