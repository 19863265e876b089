// Gamma, its logarithm and derivatives, and what is made of them.
#include <numbers>
#include <utility>

#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/special_parts.h"
#include "tc/frontend/dsl/special_tables.h"

namespace tc::special {

using namespace dsl;
using namespace parts;

namespace {

constexpr double kDigammaTail[] = {1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760, 1. / 12};
constexpr double kTrigammaTail[] = {1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6};

// digamma of x > 0.
Var digamma_right(const Var& x) {
  const Var below = x < 1, near = x <= 2;
  const Var y = where(near, where(below, x + 1, x), 1.5);
  Var inner = ((y - tables::kDigammaRoot) - tables::kDigammaRootLow) * polynomial(y * 2 - 3, tables::kDigamma);
  inner = inner - where(below, 1 / where(below, x, 1), 0);
  Var z = where(near, 10, x), sum = z * 0;
  for (int k = 0; k < 8; ++k) {
    const Var up = z < 10;
    sum = sum + where(up, 1 / z, 0);
    z = where(up, z + 1, z);
  }
  const Var r = 1 / z, r2 = r * r;
  const Var outer = log(z) - (r * 0.5 + r2 * polynomial(r2, kDigammaTail)) - where(z == kInfinity, 0, sum);
  return where(near, inner, outer);
}

Var trigamma_right(const Var& x) {
  Var z = x, sum = x * 0;
  for (int k = 0; k < 10; ++k) {
    const Var up = z < 10;
    const Var r = 1 / z;
    sum = sum + where(up, r * r, 0);
    z = where(up, z + 1, z);
  }
  const Var r = 1 / z, r2 = r * r;
  return where(x == kInfinity, 0, sum + (r + (r2 * 0.5 + r * r2 * polynomial(r2, kTrigammaTail))));
}

// log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2 of x >= 8: Stirling's series (DLMF 5.11.1).
constexpr double kStirling[] = {1. / 12,   -1. / 360,      1. / 1260, -1. / 1680,
                                1. / 1188, -691. / 360360, 1. / 156,  -3617. / 122400};

}  // namespace

namespace parts {

Var stirling(const Var& x) {
  const Var r = 1 / x;
  return r * polynomial(r * r, kStirling);
}

}  // namespace parts

namespace {

// x and the product of what is above: gamma(x) = product * gamma(shifted) with shifted <= 1 + low, for x <= 8.
std::pair<Var, Var> shifted(const Var& x, double low) {
  Var y = x, product = x * 0 + 1;
  for (int k = 0; k < 7; ++k) {
    const Var down = y >= low + 1;
    y = where(down, y - 1, y);
    product = where(down, product * y, product);
  }
  return {y, product};
}

}  // namespace

namespace parts {

// By recurrence to [1, 2], or by Stirling's series.
Var gamma_right(const Var& x) {
  const Var far = x > 8, low = x < 1, negative = x < 0;
  const auto [y, product] = shifted(where(far, 1.5, x), 1);
  const Var inner = polynomial(where(negative, y + 2, where(low, y + 1, y)) * 2 - 3, tables::kGamma);
  const Var near = where(low, inner / where(low, where(negative, y + 1, 1) * y, 1), inner * product);
  const Var z = where(far, minimum(x, 200), 10), half = pow(z, z * 0.5 - 0.25);
  return where(far, half * (exp(-z) * (exp(stirling(z)) * kRootTwoPi)) * half, near);
}

Var gammaln_right(const Var& x) {
  const Var far = x > 8, low = x < 0.5;
  const auto [shift, product] = shifted(where(far, 2, x), 1.5);
  const Var y = where(low, shift + 1, shift), first = y < 1.5;
  const Var r = where(first, polynomial(where(first, y, 1) * 2 - 2, tables::kGammaln1),
                      polynomial(where(first, 2, y) * 2 - 4, tables::kGammaln2));
  const Var near = (y - 1) * (y - 2) * r + log(where(low, 1 / where(low, x, 1), product));
  const Var z = where(far, x, 10);
  return where(far, (z - 0.5) * (log(z) - 1) + (stirling(z) + (kHalfLogTwoPi - 0.5)), near);
}

}  // namespace parts

namespace {

// sin(pi x) of x that is no whole number; where it is one, 1.
Var sine_of_turns(const Var& x, const Var& whole) {
  const Var turns = where(whole, 0.5, x);
  const Var n = round(turns), odd = n - floor(n * 0.5) * 2;
  return sin((turns - n) * std::numbers::pi) * (1 - odd * 2);
}

Var gammaln_of(const Var& x) {
  const Var left = x < 0, pole = (x <= 0) & (floor(x) == x);
  const Var right = gammaln_right(where(pole, 1, abs(x)));
  const Var size = abs(sine_of_turns(x, (!left) | pole) / std::numbers::pi);
  // In two logarithms, for the product may be below all numbers.
  const Var reflected = -log(size) - log(where(left & !pole, -x, 1)) - right;
  return where(pole, kInfinity, where(left, reflected, right));
}

}  // namespace

Var parts::gamma_of(const Var& x) {
  const Var left = x < -1, pole = (x < 0) & (floor(x) == x);
  const Var y = gamma_right(where(pole, 1, where(left, -x, x)));
  const Var safe = where(left, x, -1);
  const Var reflected = -std::numbers::pi / sine_of_turns(safe, (!left) | pole) / where(left, y, 1) / safe;
  return where(pole, astype(kNan, f64), where(left, reflected, y));
}

namespace parts {

// log(beta(a, b)) for a, b > 0 by ratios, which do not cancel: the form of SLATEC's DLBETA (Fullerton 1977).
Var betaln_of(const Var& a, const Var& b) {
  const Var p = minimum(a, b), q = maximum(a, b);
  const Var valid = (p > 0) & (q < kInfinity);
  const Var far = q > 8, both = p > 8;
  const Var u = where(valid, p, 1), v = where(far & valid, q, 10), s = u + v;
  const Var near = where(far | !valid, 1, q);
  const Var least = where(far, 1, u);
  const Var small = log(gamma_right(least) * (gamma_right(near) / gamma_right(least + near)));
  const Var rest = stirling(v) - stirling(s), ratio = u / s, lost = log_1p(-ratio);
  const Var w = where(both, u, 10);
  const Var large =
      (w - 0.5) * log(where(both, ratio, 0.5)) + v * lost + (stirling(w) + rest) + (kHalfLogTwoPi - log(v) * 0.5);
  const Var few = where(both, 1, u);
  const Var mixed = gammaln_right(few) + rest + few - few * log(s) + (v - 0.5) * lost;
  const Var y = where(far, where(both, large, mixed), small);
  const Var edge = where(p == 0, kInfinity, where((p > 0) & (q == kInfinity), -kInfinity, astype(kNan, f64)));
  return where(valid, y, edge);
}

}  // namespace parts

namespace {

// The product of few factors where gamma is not large, else exp(log).
Var beta_of(const Var& a, const Var& b) {
  const Var direct = (minimum(a, b) > 0) & (a + b < 16);
  const Var u = where(direct, a, 1), v = where(direct, b, 1);
  return where(direct, gamma_right(u) * (gamma_right(v) / gamma_right(u + v)), exp(betaln_of(a, b)));
}

Var comb_of(const Var& n, const Var& k) {
  const Var rest = n - k, inside = (n >= 0) & (k >= 0) & (rest >= 0) & (n < kInfinity);
  const Var m = where(inside, n, 1), j = where(inside, k, 0), l = where(inside, rest, 1);
  const Var y = 1 / ((m + 1) * beta_of(l + 1, j + 1));
  const Var whole = (round(m) == m) & (round(j) == j) & (y < 1e12);
  const Var value = where(whole, round(y), y);
  return where(inside, value, where((n == n) & (k == k) & (n < kInfinity), 0, astype(kNan, f64)));
}

Var poch_of(const Var& z, const Var& m) {
  const Var up = m > 0, base = where(up, z, z + m), steps = abs(m), top = where(up, z + m, z);
  const Var valid = (base > 0) & (top < kInfinity);
  const Var near = valid & (top < 16);
  const Var b = where(near, base, 1), t = where(near, top, 1);
  const Var far = valid & !near & (steps > 0);
  const Var w = where(far, steps, 1);
  const Var size = gammaln_right(w) - betaln_of(where(far, base, 1), w);
  const Var y = where(near, gamma_right(where(up, t, b)) / gamma_right(where(up, b, t)), exp(where(up, size, -size)));
  return where(valid, where(m == 0, 1, y), astype(kNan, f64));
}

}  // namespace

namespace parts {

Var digamma_of(const Var& x) {
  const Var left = x < 0;
  const Var whole = left & (floor(x) == x);
  const Var turn = where(left & !whole, x - round(x), 0.25) * std::numbers::pi;
  const Var right = digamma_right(where(left, 1 - x, where(x == 0, 1, x)));
  const Var reflected = right - cos(turn) / sin(turn) * std::numbers::pi;
  const Var y = where(left, reflected, right);
  return where(whole, astype(kNan, f64), where(x == 0, -1 / x, y));
}

Var trigamma_of(const Var& x) {
  const Var left = x < 0;
  const Var pole = (x <= 0) & (floor(x) == x);
  const Var s = sin(where(left & !pole, x - round(x), 0.5) * std::numbers::pi) / std::numbers::pi;
  const Var right = trigamma_right(where(left, 1 - x, where(pole, 1, x)));
  return where(pole, astype(kInfinity, f64), where(left, 1 / (s * s) - right, right));
}

Var digamma_call(const Var& x) {
  return kernel("special.digamma", digamma_of, x);
}
Var trigamma_call(const Var& x) {
  return kernel("special.trigamma", trigamma_of, x);
}

}  // namespace parts

Var digamma(Arg x) {
  return apply("special.digamma", x, digamma_of, [](Var v, Var, Var g) { return g * trigamma_call(v); });
}

Var trigamma(Arg x) {
  const Site site("special.trigamma", x.at());
  const Var v = operand(x, Domain::floating);
  return kernel("special.trigamma", trigamma_of, v);
}

Var gammaln(Arg x) {
  return apply("special.gammaln", x, gammaln_of, [](Var v, Var, Var g) { return g * digamma_call(v); });
}

Var gamma(Arg x) {
  return apply("special.gamma", x, gamma_of, [](Var v, Var y, Var g) { return g * y * digamma_call(v); });
}

Var gammasgn(Arg x) {
  const Site site("special.gammasgn", x.at());
  const Var v = stop_gradient(operand(x, Domain::floating));
  const Var below = v < 0, whole = floor(v), half = floor(whole * 0.5) * 2;
  const Var left = where(whole == v, astype(kNan, v.dtype()), 1 - (whole - half) * 2);
  return where(v == 0, sign(1 / v), where(below, left, where(v == v, 1, v)));
}

Var betaln(Arg a, Arg b) {
  return apply("special.betaln", a, b, betaln_of, [](Var u, Var v, Var, Var g) {
    const Var both = digamma_call(u + v);
    return std::pair{g * (digamma_call(u) - both), g * (digamma_call(v) - both)};
  });
}

Var beta(Arg a, Arg b) {
  return apply("special.beta", a, b, beta_of, [](Var u, Var v, Var y, Var g) {
    const Var both = digamma_call(u + v);
    return std::pair{g * y * (digamma_call(u) - both), g * y * (digamma_call(v) - both)};
  });
}

Var factorial(Arg n) {
  return apply(
      "special.factorial", n,
      [](Var v) {
        const Var inside = v >= 0;
        return where(inside, gamma_of(where(inside, v + 1, 1)), where(v == v, 0, v));
      },
      [](Var v, Var y, Var g) { return g * y * digamma_call(where(v >= 0, v + 1, 1)); });
}

Var comb(Arg n, Arg k) {
  return apply("special.comb", n, k, comb_of, [](Var u, Var v, Var y, Var g) {
    const Var inside = (v >= 0) & (u >= v);
    const Var rest = digamma_call(where(inside, u - v + 1, 1));
    const Var slope = where(inside, g * y, 0);
    return std::pair{slope * (digamma_call(where(inside, u + 1, 1)) - rest),
                     slope * (rest - digamma_call(where(inside, v + 1, 1)))};
  });
}

Var poch(Arg z, Arg m) {
  return apply("special.poch", z, m, poch_of, [](Var u, Var v, Var y, Var g) {
    const Var top = digamma_call(u + v);
    return std::pair{g * y * (top - digamma_call(u)), g * y * top};
  });
}

}  // namespace tc::special
