// Hurwitz' zeta function, and what it gives.
#include <numbers>
#include <tuple>
#include <utility>

#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/special_incomplete_parts.h"

namespace tc::special {

using namespace dsl;
using namespace parts;

namespace {

// B(2 j) / (2 j)!, the coefficients of Euler and Maclaurin.
constexpr double kEuler[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                             -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
                             0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
                             -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58,  -0x1.497d9033a2b5dp-63};

// The powers of q, q + 1, ..., and of the first number from 10 on, at least 10 further; a power of a negative number
// has the sign of (-1)^s. `weighted` with the derivatives by s.
struct ZetaSums {
  Var sum, weighted;
  Var end;  // where the sums end
};

Var reciprocal_power(const Var& v, const Var& s, const Var& odd) {
  const Var y = pow(abs(v), -s);
  return where((v < 0) & odd, -y, y);
}

Var is_odd(const Var& s) {
  return s - floor(s * 0.5) * 2 == 1;
}

constexpr int64_t kMostTerms = 1000;  // beyond q = -990 nothing is summed

ZetaSums zeta_sums(const Var& s, const Var& q, bool slopes) {
  const Var count = clip(ceil(10 - q), 10, static_cast<double>(kMostTerms)), odd = is_odd(s), zero = q * 0;
  const Var most = astype(max(count), i64);
  if (!slopes) {
    const Var sum =
        fori_loop(0, most,
                  [&](Var i, Var total) {
                    const Var k = astype(i, f64), v = q + k;
                    return total + where((k < count) & (v != 0), reciprocal_power(where(v == 0, 1, v), s, odd), 0);
                  },
                  {zero});
    return {sum, Var(), q + count};
  }
  const auto sums = fori_loop(0, most,
                              [&](Var i, Var total, Var weighted) {
                                const Var k = astype(i, f64), v = q + k, counts = (k < count) & (v != 0),
                                          w = where(counts, v, 1);
                                const Var term = where(counts, reciprocal_power(w, s, odd), 0);
                                return std::tuple{total + term, weighted - term * log(abs(w))};
                              },
                              {zero, zero});
  return {std::get<0>(sums), std::get<1>(sums), q + count};
}

// The sum of 1 / (q + k)^s over all k >= 0, of s > 1, and its derivative by s if `slope`.
Var zeta_inside(const Var& s, const Var& q, bool slope) {
  const ZetaSums head = zeta_sums(s, q, slope);
  // From there on the integral and the corrections of Euler and Maclaurin (DLMF 25.11.28).
  const Var far = s > 700, t = where(far, 2, s), w = head.end, power = pow(w, -t), r = 1 / w, r2 = r * r;
  Var factor = t * r, tail = w / (t - 1) + 0.5, change = factor * 0 + r, steeper = -(w / ((t - 1) * (t - 1)));
  for (size_t j = 0; j < std::size(kEuler); ++j) {
    tail = tail + factor * kEuler[j];
    steeper = steeper + change * kEuler[j];
    const Var a = t + static_cast<double>(2 * j + 1), b = a + 1;
    if (slope) change = (change * a * b + factor * (a + b)) * r2;
    factor = factor * a * b * r2;
  }
  if (!slope) return head.sum + where(far, 0, power * tail);
  return head.weighted + where(far, 0, power * (steeper - tail * log(w)));
}

Var zeta_inside_domain(const Var& s, const Var& q) {
  const Var whole = floor(q) == q;
  return (s > 1) & (s < kInfinity) & (q < kInfinity) & (((q > 0) | ((!whole) & (floor(s) == s) & (q > -990))));
}

Var zeta_of(const Var& s, const Var& q) {
  const Var inside = zeta_inside_domain(s, q);
  const Var y = zeta_inside(where(inside, s, 2), where(inside, q, 1), false);
  const Var pole = (s >= 1) & ((s == 1) | ((q <= 0) & (floor(q) == q)));
  const Var large = where(q < 1, kInfinity, where(q == 1, 1, 0));
  const Var edge =
      where(pole & (q == q), kInfinity,
            where((s > 1) & (q == kInfinity), 0, where((s == kInfinity) & (q > 0), large, astype(kNan, f64))));
  return where(inside, y, edge);
}

Var zeta_slope(const Var& s, const Var& q) {
  const Var inside = zeta_inside_domain(s, q) & (q > 0);
  return where(inside, zeta_inside(where(inside, s, 2), where(inside, q, 1), true), kNan);
}

Var polygamma_of(const Var& n, const Var& x) {
  const Var whole = (floor(n) == n) & (n > 0), order = where(whole, n, 1);
  const Var size = gamma_right(order + 1) * zeta_of(order + 1, x);
  return where(whole, where(is_odd(order), size, -size), where(n == 0, digamma_of(x), kNan));
}

}  // namespace

Var zeta(Arg s, Arg q) {
  return apply("special.zeta", s, q, zeta_of, [](Var u, Var v, Var, Var g) {
    return std::pair{g * zeta_slope(u, v), -g * (u * zeta_of(u + 1, v))};
  });
}

Var polygamma(Arg n, Arg x) {
  return apply("special.polygamma", n, x, polygamma_of, [](Var u, Var v, Var, Var g) {
    return std::pair{g * 0, g * polygamma_of(u + 1, v)};
  });
}

Var multigammaln(Arg a, int64_t d) {
  const Site site("special.multigammaln", a.at());
  if (d < 1) refuse(ErrorCode::bad_argument, cat("d is ", d, ", it should be positive"));
  const Var v = operand(a, Domain::floating), x = astype(v, f64);
  const double n = static_cast<double>(d);
  Var y = gammaln(x);
  for (int64_t j = 1; j < d; ++j) y = y + gammaln(x - static_cast<double>(j) * 0.5);
  y = y + n * (n - 1) * 0.25 * 0x1.250d048e7a1bdp+0;  // log(pi)
  return astype(where(x > (n - 1) * 0.5, y, kNan), v.dtype());
}

}  // namespace tc::special
