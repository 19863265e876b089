// The incomplete gamma functions and their derivatives.
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/special_incomplete_parts.h"
#include "tc/frontend/dsl/special_incomplete_tables.h"

namespace tc::special {

using namespace dsl;
using namespace parts;

namespace parts {

Var log1pmx_ratio(const Var& mu) {
  const Var d = mu + 2, s = mu / d;
  return (1 - s * polynomial(s * s, tables::kAtanhRest) / d * 2) / d;
}

Var log1pmx(const Var& mu, const Var& ratio) {
  const Var near = (mu > -0.6) & (mu < 1.5), z = where(near, mu, 0);
  return where(near, z * z * log1pmx_ratio(z), mu - log(where(near, 1, ratio)));
}

Var gamma_rise(const Var& a) {
  return polynomial(a * 2 - 1, tables::kGammaRise);
}

Var trips(const Var& needed, int64_t count) {
  return astype(any(needed), i64) * count;
}

Var log_gamma_prefactor(const Var& a, const Var& x) {
  const Var small = a <= 8, b = where(small, 10, a), y = where(small, 10, x);
  const Var large = -(b * log1pmx((y - b) / b, y / b)) - stirling(b) - log(b) * 0.5 - kHalfLogTwoPi;
  const Var c = where(small, a, 1), z = where(small, x, 1);
  return where(small, c * log(z) - z - gammaln_right(c + 1), large);
}

Var gamma_prefactor(const Var& a, const Var& x) {
  const Var small = a <= 8, b = where(small, 10, a), y = where(small, 10, x);
  const Var large = exp(-(b * log1pmx((y - b) / b, y / b)) - stirling(b)) / (sqrt(b) * kRootTwoPi);
  const Var c = where(small, a, 1), z = where(small, x, 1);
  return where(small, pow(minimum(z, 1e3), c) * exp(-z) / gamma_right(c + 1), large);
}

}  // namespace parts

namespace {

// Where which expansion is taken, with operands that are safe elsewhere.
struct GammaRegions {
  Var uniform, series, small;  // else the continued fraction
  Var a, mu;                   // of the uniform one
  Var series_a, series_x;      // of the series
  Var fraction_a, fraction_x;  // of the continued fraction
};

GammaRegions gamma_regions(const Var& a, const Var& x) {
  GammaRegions r;
  const Var mu = (x - a) / a;
  r.uniform = (a > 20) & (abs(mu) < 0.4);
  r.series = ((x < a) | (x < 1.1)) & !r.uniform;
  r.small = r.series & (a < 1) & (x < 1.1);
  r.a = where(r.uniform, a, 30), r.mu = where(r.uniform, mu, 0.1);
  r.series_a = where(r.series, a, 1), r.series_x = where(r.series, x, 0.5);
  const Var neither = r.series | r.uniform;
  r.fraction_a = where(neither, 2, a), r.fraction_x = where(neither, 3, x);
  return r;
}

constexpr int64_t kGammaTrips = 120;

// The sum of x^k / ((a + 1) ... (a + k)), and the reciprocal of Legendre's continued fraction from its 120th term on.
std::pair<Var, Var> gamma_sums(const GammaRegions& r) {
  const Var one = r.series_x * 0 + 1;
  const auto sums = fori_loop(0, trips(!r.uniform, kGammaTrips),
                              [&](Var i, Var term, Var sum, Var f) {
                                const Var k = astype(i, f64) + 1, n = kGammaTrips + 1 - k;
                                const Var next = term * (r.series_x / (r.series_a + k));
                                const Var g = (r.fraction_x - r.fraction_a) + (n * 2 - 1) - n * (n - r.fraction_a) / f;
                                return std::tuple{next, sum + next, g};
                              },
                              {one, one, (r.fraction_x - r.fraction_a) + (2 * kGammaTrips + 1)});
  return {std::get<1>(sums), std::get<2>(sums)};
}

// The coefficients of eta^k a^-n in the expansion that is uniform in x / a, and their use.
using Row = std::span<const double>;
constexpr std::array<Row, 12> kTemme = {tables::kTemme0, tables::kTemme1, tables::kTemme2,  tables::kTemme3,
                                        tables::kTemme4, tables::kTemme5, tables::kTemme6,  tables::kTemme7,
                                        tables::kTemme8, tables::kTemme9, tables::kTemme10, tables::kTemme11};

Var temme(const Var& eta, const Var& reciprocal) {
  Var sum = polynomial(eta, kTemme.back());
  for (size_t n = kTemme.size() - 1; n-- > 0;) sum = sum * reciprocal + polynomial(eta, kTemme[n]);
  return sum;
}

// The sums with their derivatives by a (Moore 1982).
struct GammaSlopes {
  Var sum, slopes, f, g;
};
GammaSlopes gamma_slope_sums(const GammaRegions& r) {
  const Var zero = r.series_x * 0, one = zero + 1, base = r.fraction_x - r.fraction_a;
  const auto sums = fori_loop(
      0, trips(!r.uniform, kGammaTrips),
      [&](Var i, Var term, Var slope, Var sum, Var slopes, Var f, Var g) {
        const Var k = astype(i, f64) + 1, n = kGammaTrips + 1 - k, divisor = r.series_a + k,
                  step = r.series_x / divisor;
        const Var next = term * step, steeper = slope * step - next / divisor;
        const Var ratio = n / f, c = n - r.fraction_a;
        return std::tuple{
            next, steeper, sum + next, slopes + steeper, base + (n * 2 - 1) - c * ratio, ratio - 1 + c * ratio / f * g};
      },
      {one, zero, one, zero, base + (2 * kGammaTrips + 1), zero - 1});
  return {std::get<2>(sums), std::get<3>(sums), std::get<4>(sums), std::get<5>(sums)};
}

// Q of a < 1 and x < 1.1 without the cancellation of 1 - P: x^a - 1 and gamma(1 + a) - 1 are small numbers.
Var upper_small(const Var& a, const Var& x) {
  Var sum = x * 0, power = x * 0 + 1;
  double factorial = 1;
  for (int k = 1; k < 20; ++k) {
    factorial *= -k;
    power = power * x;
    sum = sum + power / factorial / (a + k);
  }
  const Var rise = expm1(a * log(x)), f = a * gamma_rise(a) + 1;
  return ((gamma_rise(a) * a - rise) - (rise + 1) * a * sum) / f;
}

}  // namespace

namespace parts {

Sides gamma_sides(const Var& a, const Var& x, bool logarithms) {
  const GammaRegions r = gamma_regions(a, x);
  const auto [sum, f] = gamma_sums(r);
  // Temme (1979), DLMF 8.12: erfcx of a distance and a correction, times exp(-a (mu - log(1 + mu))).
  const Var ratio = log1pmx_ratio(r.mu), exponent = r.a * (r.mu * r.mu * ratio), left = r.mu < 0;
  const Var correction = temme(r.mu * sqrt(ratio * 2), 1 / r.a) / (sqrt(r.a) * kRootTwoPi);
  const Var factor = erfcx_right(sqrt(exponent)) * 0.5 + where(left, -correction, correction);
  const Var other = where(r.series, sum, a / f);
  const Var small = where(r.small, a, 0.5), small_x = where(r.small, x, 0.5);
  const Var upper = upper_small(small, small_x);
  const Var is_lower = r.series | (r.uniform & left);
  Var tail, rest;
  if (logarithms) {
    tail = where(r.uniform, log(factor) - exponent, log_gamma_prefactor(a, x) + log(other));
    rest = log_1p(-exp(minimum(tail, -1e-300)));
  } else {
    tail = where(r.uniform, exp(-exponent) * factor, gamma_prefactor(a, x) * other);
    rest = 1 - tail;
  }
  return {where(is_lower, tail, rest), where(r.small, logarithms ? log(upper) : upper, where(is_lower, rest, tail))};
}

Var gamma_slope(const Var& a, const Var& x) {
  const GammaRegions r = gamma_regions(a, x);
  const auto [sum, slopes, f, g] = gamma_slope_sums(r);
  const Var prefactor = gamma_prefactor(a, x), distance = log(x) - digamma_of(a);
  const Var series = prefactor * (sum * (distance - 1 / a) + slopes);
  const Var fraction = prefactor * a / f * (distance - g / f);

  const Var ratio = log1pmx_ratio(r.mu), root = sqrt(ratio * 2), eta = r.mu * root, reciprocal = 1 / r.a;
  Var value = eta * 0, by_eta = value, by_reciprocal = value;
  for (size_t n = kTemme.size(); n-- > 0;) {
    std::vector<double> slope;
    for (size_t k = 1; k < kTemme[n].size(); ++k) slope.push_back(static_cast<double>(k) * kTemme[n][k]);
    by_reciprocal = by_reciprocal * reciprocal + value;
    value = value * reciprocal + polynomial(eta, kTemme[n]);
    by_eta = by_eta * reciprocal + polynomial(eta, slope);
  }
  const Var change = by_eta / root + by_reciprocal * reciprocal;
  const Var uniform = exp(-(r.a * (r.mu * r.mu * ratio))) / (sqrt(r.a) * kRootTwoPi) *
                      (1 / root - eta * 0.5 + value * (log_1p(r.mu) - reciprocal * 0.5) - change * reciprocal);
  return where(r.uniform, -uniform, where(r.series, series, -fraction));
}

}  // namespace parts

namespace {

// P or Q with their edges.
Var incomplete_gamma(const Var& a, const Var& x, bool lower) {
  const Var inside = (a > 0) & (x > 0) & (a < kInfinity) & (x < kInfinity);
  const Sides sides = gamma_sides(where(inside, a, 1), where(inside, x, 1), false);
  const Var wrong = (!((a >= 0) & (x >= 0))) | ((a == 0) & (x == 0)) | ((a == kInfinity) & (x == kInfinity));
  const Var all = (a == 0) | (x == kInfinity);
  const Var edge = where(wrong, astype(kNan, f64), where(all, lower ? 1. : 0., lower ? 0. : 1.));
  return where(inside, lower ? sides.lower : sides.upper, edge);
}

// The derivatives of P.
std::pair<Var, Var> incomplete_gamma_slopes(const Var& a, const Var& x) {
  const Var inside = (a > 0) & (x > 0) & (a < kInfinity) & (x < kInfinity);
  const Var b = where(inside, a, 1), y = where(inside, x, 1);
  const Var at_zero = where(a < 1, kInfinity, where(a == 1, 1, 0));
  const Var edge = where((a >= 0) & (x >= 0), where((x == 0) & (a > 0), at_zero, 0), astype(kNan, f64));
  return {where(inside, gamma_slope(b, y), where(edge == edge, 0, edge)),
          where(inside, gamma_prefactor(b, y) * (b / y), edge)};
}

// gamma(a) P, or gamma(a) Q: with x^a exp(-x) as it is where that is a factor, for P or Q may be below all numbers.
Var whole_gamma(const Var& a, const Var& x, bool lower) {
  const Var inside = (a > 0) & (x > 0) & (a < kInfinity) & (x < kInfinity);
  const Var b = where(inside, a, 1), z = where(inside, x, 1), y = incomplete_gamma(a, x, lower);
  const GammaRegions r = gamma_regions(b, z);
  const auto [sum, f] = gamma_sums(r);
  const Var half = pow(z, b * 0.5), factor = lower ? sum / b : 1 / f;
  const Var direct = inside & (lower ? r.series : !(r.series | r.uniform));
  const Var large = b > 170, size = where(large, exp(gammaln_right(b) + log(y)), gamma_right(where(large, 1, b)) * y);
  return where(direct, half * (exp(-z) * factor) * half, where(inside, size, where(a == 0, y / a, y)));
}

// Its derivative by a.
Var whole_gamma_slope(const Var& a, const Var& x, const Var& y, bool lower) {
  const Var inside = (a > 0) & (x > 0) & (a < kInfinity) & (x < kInfinity);
  const Var b = where(inside, a, 1), z = where(inside, x, 1);
  const GammaRegions r = gamma_regions(b, z);
  const GammaSlopes s = gamma_slope_sums(r);
  const Var direct = lower ? r.series : !(r.series | r.uniform);
  const Var rise = lower ? s.slopes / s.sum - 1 / b : -(s.g / s.f), slope = gamma_slope(b, z);
  const Var other = y * digamma_of(b) + gamma_right(minimum(b, 171)) * (lower ? slope : -slope);
  return where(inside, where(direct, y * (log(z) + rise), other), 0);
}

}  // namespace

Var gammainc(Arg a, Arg x) {
  return apply(
      "special.gammainc", a, x, [](Var u, Var v) { return incomplete_gamma(u, v, true); },
      [](Var u, Var v, Var, Var g) {
        const auto [by_a, by_x] = incomplete_gamma_slopes(u, v);
        return std::pair{g * by_a, g * by_x};
      });
}

Var gammaincc(Arg a, Arg x) {
  return apply(
      "special.gammaincc", a, x, [](Var u, Var v) { return incomplete_gamma(u, v, false); },
      [](Var u, Var v, Var, Var g) {
        const auto [by_a, by_x] = incomplete_gamma_slopes(u, v);
        return std::pair{-g * by_a, -g * by_x};
      });
}

Var chi2sf(Arg x, Arg k) {
  const Site site("special.chi2sf", x.at());
  const auto [a, b] = promoted(x, k, Domain::floating);
  return astype(gammaincc(astype(b, f64) * 0.5, astype(a, f64) * 0.5), a.dtype());
}
Var gammal(Arg k, Arg x) {
  return apply(
      "special.gammal", k, x, [](Var u, Var v) { return whole_gamma(u, v, true); },
      [](Var u, Var v, Var y, Var g) {
        return std::pair{g * whole_gamma_slope(u, v, y, true), g * exp((u - 1) * log(v) - v)};
      });
}

Var gammau(Arg k, Arg x) {
  return apply(
      "special.gammau", k, x, [](Var u, Var v) { return whole_gamma(u, v, false); },
      [](Var u, Var v, Var y, Var g) {
        return std::pair{g * whole_gamma_slope(u, v, y, false), -g * exp((u - 1) * log(v) - v)};
      });
}

}  // namespace tc::special
