// Exponential integrals, and Dawson's.
#include <iterator>
#include <numbers>
#include <utility>

#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/special_incomplete_parts.h"
#include "tc/frontend/dsl/special_incomplete_tables.h"
#include "tc/frontend/dsl/special_integral_tables.h"
#include "tc/frontend/dsl/special_parts.h"

namespace tc::special {

using namespace dsl;
using namespace parts;

namespace {

// E1 of x > 0; inf at 0, NaN of negative x.
Var e1_of(const Var& x) {
  const Var far = x > 1, inside = (x > 0) & (x < kInfinity);
  const Var small = where(far | !inside, 1, x), big = where(far & inside, x, 1);
  const Var near = small * polynomial(small, tables::kEin) - (log(small) + std::numbers::egamma);
  const Var outer = polynomial(((big - 2) / (big + 2) - 1. / 3) * 1.5, tables::kE1) * (exp(-big) / (big + 1));
  const Var edge = where(x == 0, kInfinity, where(x == kInfinity, 0, astype(kNan, f64)));
  return where(inside, where(far, outer, near), edge);
}

// Ei of x > 0.
Var ei_right(const Var& x) {
  const Var inside = x <= 4, finite = x < kInfinity;
  const Var small = where(inside, x, 1), big = where(inside | !finite, 4, x);
  const Var away = (small - tables::kEiRoot) - tables::kEiRootLow;
  const Var close = abs(away) < 0.2;
  const Var logarithm =
      where(close, log_1p(where(close, away, 0) / tables::kEiRoot), log(where(close, 1, small) / tables::kEiRoot));
  const Var near = logarithm + away * polynomial(small * 0.5 - 1, tables::kEi);
  const Var r = 1 / big;
  const Var first = polynomial(r * (40. / 3) - 7. / 3, tables::kEi1);
  const Var second = polynomial(minimum(r, 0.1) * 40 - 3, tables::kEi2);
  const Var third = polynomial(minimum(r, 0.05) * 40 - 1, tables::kEi3);
  const Var half = exp(big * 0.5);
  const Var outer = half * (where(big < 10, first, where(big < 20, second, third)) * r) * half;
  return where(inside, near, where(finite, outer, kInfinity));
}

Var ei_of(const Var& x) {
  const Var right = x > 0;
  return where(right, ei_right(where(right, x, 1)), -e1_of(where(right, 1, -x)));
}

Var dawson_of(const Var& x) {
  const Var a = abs(x), inside = a <= 1.5, big = where(inside, 1.5, a);
  const Var small = where(inside, x, 0);
  const Var near = small * polynomial(small * small * (8. / 9) - 1, tables::kDawson);
  const Var first = polynomial((minimum(big, 3) - 2.25) * (4. / 3), tables::kDawson1);
  const Var second = polynomial((clip(big, 3, 6) - 4.5) * (2. / 3), tables::kDawson2);
  const Var r = 6 / maximum(big, 6), third = polynomial(r * r * 2 - 1, tables::kDawson3);
  const Var outer = where(big < 3, first, where(big < 6, second, third)) / big;
  return where(inside, near, where(x < 0, -outer, outer));
}

// 1 - 2 x dawsn(x), by its asymptotic series where that cancels.
Var dawson_slope(const Var& x, const Var& y) {
  const Var far = abs(x) > 20, big = where(far, x, 20), r = 0.5 / (big * big);
  constexpr double kSeries[] = {1, 3, 15, 105, 945, 10395};
  return where(far, -r * polynomial(r, kSeries), 1 - where(far, 0, x) * y * 2);
}

constexpr int64_t kExpnTrips = 100;

// E_n of whole n >= 1 and 0 < x < inf.
Var expn_inside(const Var& n, const Var& x) {
  const Var near = x <= 1, small = where(near, x, 0.5), order = where(near, n, 1);
  // DLMF 8.19.8: the power series, whose term of x^(n - 1) has a logarithm.
  Var sum = small * 0, power = sum + 1;
  for (int k = 0; k < 22; ++k) {
    const Var divisor = order - (k + 1);
    sum = sum + where(divisor == 0, 0, power / where(divisor == 0, 1, divisor));
    power = power * small / -(k + 1);
  }
  const Var odd = order - floor(order * 0.5) * 2, single = pow(small, order - 1) / gamma_right(order);
  const Var series = sum + where(odd == 1, single, -single) * (digamma_of(order) - log(small));
  // DLMF 8.19.17: the even part of the continued fraction, from its end.
  const Var big = where(near, 2, x), base = big + n;
  const Var f = fori_loop(0, trips(!near, kExpnTrips),
                          [&](Var i, Var last) {
                            const Var k = kExpnTrips - astype(i, f64);
                            return base + (k - 1) * 2 - k * (n + k - 1) / last;
                          },
                          {base + 2 * kExpnTrips});
  return where(near, series, exp(-big) / f);
}

Var expn_of(const Var& n, const Var& x) {
  const Var whole = (floor(n) == n) & (n >= 0) & (n < kInfinity), inside = whole & (x > 0) & (x < kInfinity);
  const Var first = n == 0, y = where(inside, x, 1);
  const Var value = where(first, exp(-y) / y, expn_inside(where(inside & !first, n, 1), y));
  const Var at_zero = where(n > 1, 1 / (where(n > 1, n, 2) - 1), kInfinity);
  const Var edge = where(whole & (x == 0), at_zero, where(whole & (x == kInfinity), 0, astype(kNan, f64)));
  return where(inside, value, edge);
}

// T(h, a) of h >= 0 and 0 <= a <= 1: the rule of Gauss and Legendre over what counts of 0 <= t <= a.
Var owens_inside(const Var& h, const Var& a) {
  const Var end = minimum(a, 8.6 / maximum(h, 1e-3)), rise = h * end, square = end * end;
  Var sum = h * 0;
  for (size_t i = 0; i < std::size(tables::kNodes); ++i) {
    const double t = tables::kNodes[i];
    sum = sum + exp(rise * rise * (-0.5 * t * t)) / (square * (t * t) + 1) * tables::kWeights[i];
  }
  return exp_square(h, -0.5) * sum * end * (std::numbers::inv_pi / 2);
}

// Patefield and Tandy (2000), eq. 2: T(h, a) by T(a h, 1 / a), with probabilities above, which do not cancel.
Var owens_of(const Var& x, const Var& y) {
  const Var h = abs(x), a = abs(y), steep = a > 1, endless = a == kInfinity;
  const Var slope = where(steep & !endless, a, 1), wide = where(h == kInfinity, 40, h) * slope;
  const Var u = ndtr_of(-h), v = ndtr_of(-wide);
  const Var t =
      owens_inside(where(steep, minimum(wide, 1e3), where(h == kInfinity, 40, h)), where(steep, 1 / slope, a));
  const Var turned = (u + v) * 0.5 - u * v - t;
  const Var z = where(endless, u * 0.5, where(h == kInfinity, 0, where(steep, turned, t)));
  return where((x == x) & (y == y), where(y < 0, -z, z), astype(kNan, f64));
}

}  // namespace

Var exp1(Arg x) {
  return apply("special.exp1", x, e1_of, [](Var v, Var, Var g) { return -g * exp(-v) / v; });
}

Var expi(Arg x) {
  return apply("special.expi", x, ei_of, [](Var v, Var, Var g) { return g * exp(v) / v; });
}

Var dawsn(Arg x) {
  return apply("special.dawsn", x, dawson_of, [](Var v, Var y, Var g) { return g * dawson_slope(v, y); });
}

Var expn(Arg n, Arg x) {
  return apply("special.expn", n, x, expn_of, [](Var u, Var v, Var, Var g) {
    const Var first = u == 0, y = where(v > 0, v, 1);
    const Var slope = where(first, exp(-y) * (1 + 1 / y) / y, expn_of(where(first, 1, u - 1), v));
    return std::pair{g * 0, -g * where(first & (v <= 0), kInfinity, slope)};
  });
}

Var owens_t(Arg h, Arg a) {
  return apply("special.owens_t", h, a, owens_of, [](Var u, Var v, Var, Var g) {
    constexpr double kRootHalf = std::numbers::sqrt2 / 2;
    const Var by_h = exp_square(u, -0.5) * erf(u * v * kRootHalf) * (-0.5 / kRootTwoPi);
    const Var square = v * v + 1;
    return std::pair{g * by_h,
                     g * (exp_square(u, -0.5) * exp_square(u * v, -0.5) / square * (std::numbers::inv_pi / 2))};
  });
}

}  // namespace tc::special
