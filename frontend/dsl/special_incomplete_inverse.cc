// The inverses of the incomplete gamma and beta functions.
//
// Both are solved for the logarithm of the smaller probability, as a function of log(x) or of the logarithm of the
// odds. The densities are logarithmically concave in these, and so are the probabilities: Newton's method comes from
// one side after its first step, from wherever it starts.
#include <tuple>
#include <utility>

#include "tc/frontend/dsl/creation.h"
#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/special_incomplete_parts.h"

namespace tc::special {

using namespace dsl;
using namespace parts;

namespace {

constexpr int64_t kMostSteps = 60;

// u where step(u) vanishes, of all elements; `scale` is that of the curvature, so that what is left is below rounding.
template <class Step>
Var solve(const Var& start, const Var& settled, const Var& scale, Step step) {
  const auto result =
      while_loop([](Var i, Var, Var going) { return (i < kMostSteps) & any(going); },
                 [&](Var i, Var u, Var going) {
                   const Var next = step(u);
                   return std::tuple{i + 1, where(going, next, u), going & (abs(next - u) * scale > 1e-8)};
                 },
                 {asarray(int64_t{0}), start, !settled});
  return std::get<1>(result);
}

// x > 0 where log(P(a, x)), or log(Q(a, x)) unless `lower`, is `target` <= log(1/2).
Var solve_gamma(const Var& a, const Var& target, const Var& lower) {
  // From below: P < x^a / gamma(a + 1), which is all of it where x is tiny.
  const Var probability = where(lower, target, log_1p(-exp(where(lower, -1, target))));
  const Var below = (probability + gammaln_right(a + 1)) / a, settled = below < -38;
  // From above: Q < 2^a exp(-x / 2).
  const Var above = log((a * 0.7 - where(lower, -0.7, target)) * 2);
  // Wilson and Hilferty (1931): the cube root is nearly normal.
  const Var normal = ndtri_exp_of(target), root = a * 9;
  const Var w = 1 - 1 / root + where(lower, normal, -normal) / sqrt(root);
  const Var guess = where(w > 0.1, log(a) + log(where(w > 0.1, w, 1)) * 3, below);
  const Var start = where(settled, 0, clip(guess, -40, above));
  const Var u = solve(start, settled, sqrt(a + 1), [&](const Var& v) {
    const Var x = exp(v);
    const Sides sides = gamma_sides(a, x, true);
    const Var have = where(lower, sides.lower, sides.upper);
    const Var step = (have - target) * exp(have - log_gamma_prefactor(a, x) - log(a));
    return clip(v - where(lower, step, -step), -40, above);
  });
  return exp(where(settled, below, u));
}

// The inverse of P by p, or of Q by q = p.
Var inverse_gamma(const Var& a, const Var& p, bool of_lower) {
  const Var inside = (a > 0) & (a < kInfinity) & (p > 0) & (p < 1);
  const Var small = p <= 0.5, q = where(inside, where(small, p, 1 - p), 0.5);
  const Var y = solve_gamma(where(inside, a, 1), log(q), of_lower ? small : !small);
  const Var wrong = !((a > 0) & (a < kInfinity) & (p >= 0) & (p <= 1));
  const Var low = p == (of_lower ? 0. : 1.);
  return where(inside, y, where(wrong, astype(kNan, f64), where(low, 0, kInfinity)));
}

// The derivatives of the inverse by a and p.
std::pair<Var, Var> inverse_gamma_slopes(const Var& a, const Var& y, bool of_lower) {
  const Var inside = (y > 0) & (y < kInfinity) & (a > 0);
  const Var b = where(inside, a, 1), x = where(inside, y, 1);
  const Var spread = x / (gamma_prefactor(b, x) * b);
  return {where(inside, -(gamma_slope(b, x) * spread), 0), where(inside, of_lower ? spread : -spread, kNan)};
}

// The odds' logarithm u where log(I_x(a, b)) of x = 1 / (1 + exp(-u)) is `target` <= log(1/2).
Var solve_beta(const Var& a, const Var& b, const Var& target) {
  // Where x is tiny, I = x^a / (a beta(a, b)).
  const Var below = (target + log(a) + betaln_of(a, b)) / a, settled = below + log(b + 1) < -38;
  const Var normal = ndtri_exp_of(target) * sqrt(trigamma_of(a) + trigamma_of(b));
  const Var start = where(settled, 0, clip(digamma_of(a) - digamma_of(b) + normal, -700, 700));
  const Var u = solve(start, settled, sqrt(minimum(a, b) + 1), [&](const Var& v) {
    const Var e = exp(-abs(v)), near = 1 / (e + 1), far = e * near, left = v < 0;
    const BetaPoint p = beta_point(a, b, where(left, far, near), where(left, near, far));
    const Var have = beta_sides(p, true).lower;
    return clip(v - (have - target) * exp(have - beta_prefactor(p, true)), -700, 700);
  });
  return where(settled, below, u);
}

// x, and 1 - x, where I_x(a, b) = p; 1/2 where there is none.
std::pair<Var, Var> inverse_beta_sides(const Var& a, const Var& b, const Var& p) {
  const Var inside = (a > 0) & (a < kInfinity) & (b > 0) & (b < kInfinity) & (p > 0) & (p < 1);
  const Var lower = p <= 0.5, q = where(inside, where(lower, p, 1 - p), 0.5);
  const Var u = where(inside, a, 1), v = where(inside, b, 1);
  const Var odds = solve_beta(where(lower, u, v), where(lower, v, u), log(q));
  const Var e = exp(-abs(odds)), near = 1 / (e + 1), far = e * near, left = where(lower, odds, -odds) < 0;
  return {where(inside, where(left, far, near), 0.5), where(inside, where(left, near, far), 0.5)};
}

Var inverse_beta(const Var& a, const Var& b, const Var& p) {
  const Var domain = (a > 0) & (a < kInfinity) & (b > 0) & (b < kInfinity), inside = domain & (p > 0) & (p < 1);
  const Var end = domain & ((p == 0) | (p == 1));
  return where(inside, inverse_beta_sides(a, b, p).first, where(end, p, astype(kNan, f64)));
}

// The point is found again, for 1 - x may be far below the rounding of x.
std::tuple<Var, Var, Var> inverse_beta_slopes(const Var& a, const Var& b, const Var& p) {
  const Var inside = (a > 0) & (a < kInfinity) & (b > 0) & (b < kInfinity) & (p > 0) & (p < 1);
  const auto [x, y] = inverse_beta_sides(a, b, p);
  const BetaPoint point = beta_point(where(inside, a, 1), where(inside, b, 1), x, y);
  const BetaSlopes slopes = beta_slopes(point);
  const Var spread = x * y / beta_prefactor(point, false);
  return {where(inside, -(slopes.by_a * spread), 0), where(inside, -(slopes.by_b * spread), 0),
          where(inside, spread, kNan)};
}

}  // namespace

Var gammaincinv(Arg a, Arg p) {
  return apply(
      "special.gammaincinv", a, p, [](Var u, Var v) { return inverse_gamma(u, v, true); },
      [](Var u, Var, Var y, Var g) {
        const auto [by_a, by_p] = inverse_gamma_slopes(u, y, true);
        return std::pair{g * by_a, g * by_p};
      });
}

Var gammainccinv(Arg a, Arg q) {
  return apply(
      "special.gammainccinv", a, q, [](Var u, Var v) { return inverse_gamma(u, v, false); },
      [](Var u, Var, Var y, Var g) {
        const auto [by_a, by_p] = inverse_gamma_slopes(u, y, false);
        return std::pair{g * by_a, g * by_p};
      });
}

Var betaincinv(Arg a, Arg b, Arg p) {
  return apply("special.betaincinv", a, b, p, inverse_beta, [](Var u, Var v, Var w, Var, Var g) {
    const auto [by_a, by_b, by_p] = inverse_beta_slopes(u, v, w);
    return std::tuple{g * by_a, g * by_b, g * by_p};
  });
}

}  // namespace tc::special
