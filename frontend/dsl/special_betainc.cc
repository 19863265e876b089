// The incomplete beta functions and their derivatives.
#include <iterator>
#include <numbers>
#include <tuple>
#include <utility>

#include "tc/frontend/dsl/creation.h"
#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/special_incomplete_parts.h"
#include "tc/frontend/dsl/special_incomplete_tables.h"

namespace tc::special {

using namespace dsl;
using namespace parts;

std::pair<Var, Var> parts::exact_product(const Var& a, const Var& b) {
  const auto halves = [](const Var& v) {
    const Var c = v * 0x1.0000002p+27, high = c - (c - v);
    return std::pair{high, v - high};
  };
  const auto [ah, al] = halves(a);
  const auto [bh, bl] = halves(b);
  const Var p = a * b;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

namespace {

// a - (a + b) x without cancellation.
Var exact_lambda(const Var& a, const Var& b, const Var& x) {
  const Var s = a + b, part = s - a, lost = (a - (s - part)) + (b - part);
  const auto [product, rest] = exact_product(s, x);
  return ((a - product) - rest) - lost * x;
}

}  // namespace

namespace parts {

BetaPoint beta_point(const Var& a, const Var& b, const Var& x, const Var& y) {
  const Var left = x <= y;
  const Var lambda = exact_lambda(where(left, a, b), where(left, b, a), where(left, x, y));
  return {a, b, x, y, where(left, lambda, -lambda)};
}

// By exponents that do not cancel (Didonato and Morris 1992), of the smaller parameter p and the larger one q.
Var beta_prefactor(const BetaPoint& point, bool logarithm) {
  const Var less = point.a <= point.b;
  const Var p = where(less, point.a, point.b), q = where(less, point.b, point.a);
  const Var u = where(less, point.x, point.y), v = where(less, point.y, point.x);
  const Var lambda = where(less, point.lambda, -point.lambda);
  const Var small = q <= 8, large = p > 8;

  const Var sp = where(small, p, 1), sq = where(small, q, 1), su = where(small, u, 0.5), sv = where(small, v, 0.5);
  const Var gammas = gamma_right(sp + sq) / gamma_right(sp) / gamma_right(sq);
  const Var first = logarithm ? sp * log(su) + sq * log(sv) + log(gammas) : pow(su, sp) * pow(sv, sq) * gammas;

  const Var bq = where(small, 20, q), bu = where(small, 0.5, u), bl = where(small, 0, lambda), s = p + bq;
  const Var distance = bq * log1pmx(bl / bq, where(small, 0.5, v) * (s / bq));
  const Var stirlings = stirling(s) - stirling(bq);
  const Var mp = where(large, 1, p), z = where(large, 1, bu * s);
  const Var mixed = -(z + distance) + stirlings;
  const Var second = logarithm ? mp * log(z) + mixed - log_1p(mp / bq) * 0.5 - gammaln_right(mp)
                               : pow(minimum(z, 1e4), mp) / gamma_right(mp) * exp(mixed) / sqrt(mp / bq + 1);

  const Var lp = where(large, p, 20);
  const Var near = lp * log1pmx(where(large, -lambda, 0) / lp, where(large, u * (s / lp), 1));
  const Var exponent = -(near + distance) + (stirlings - stirling(lp));
  const Var square = lp / (lp / bq + 1) * (std::numbers::inv_pi / 2);
  const Var third = logarithm ? exponent + log(square) * 0.5 : exp(exponent) * sqrt(square);
  return where(small, first, where(large, third, second));
}

}  // namespace parts

namespace {

constexpr int64_t kBetaTrips = 110;

BetaPoint swapped(const BetaPoint& p, const Var& swap) {
  return {where(swap, p.b, p.a), where(swap, p.a, p.b), where(swap, p.y, p.x), where(swap, p.x, p.y),
          where(swap, -p.lambda, p.lambda)};
}

// The point where `inside`, else one where everything is defined.
BetaPoint safe(const BetaPoint& p, const Var& inside, double a, double b) {
  const double x = 0.45;
  return {where(inside, p.a, a), where(inside, p.b, b), where(inside, p.x, x), where(inside, p.y, 1 - x),
          where(inside, p.lambda, a * (1 - x) - b * x)};
}

// x^a y^b / beta(a, b) over I_x(a, b), over a: the even part of the continued fraction DLMF 8.17.22 (Didonato and
// Morris 1992), from its end.
Var beta_fraction(const BetaPoint& p, const Var& needed) {
  const auto step = [&](const Var& m) { return p.a + m * 2; };
  const auto constant = [&](const Var& m, const Var& t) {
    return m + m * (p.b - m) * p.x / (t - 1) + (p.a + m) * (p.lambda + 1 + m * (2 - p.x)) / (t + 1);
  };
  const Var last = p.a * 0 + static_cast<double>(kBetaTrips);
  const auto f = fori_loop(0, trips(needed, kBetaTrips - 1),
                           [&](Var i, Var last_f) {
                             const Var k = kBetaTrips - astype(i, f64), m = k - 1, t = step(k) - 1;
                             const Var ratio = p.x / t;
                             const Var top = (p.a + m) * (p.a + p.b + m) * k * (p.b - k) * (ratio * ratio);
                             return constant(m, step(m)) + top / last_f;
                           },
                           {constant(last, step(last))});
  const Var one = p.a + 1, ratio = p.x / one;
  return (p.lambda + 1) / one + (p.a + p.b) * (p.b - 1) * (ratio * ratio) / f;
}

// The same with its derivatives by a and b.
struct Fraction {
  Var f, by_a, by_b;
};
Fraction beta_fraction_slopes(const BetaPoint& p, const Var& needed) {
  const auto term = [&](const Var& m) {
    const Var r = 1 / (p.a + m * 2 - 1), s = 1 / (p.a + m * 2 + 1), left = m * p.x * r, wide = p.a + m;
    const Var right = (p.lambda + 1 + m * (2 - p.x)) * s;
    return Fraction{m + left * (p.b - m) + wide * right, right - left * (p.b - m) * r + wide * s * (p.y - right),
                    left - wide * p.x * s};
  };
  const Fraction last = term(p.a * 0 + static_cast<double>(kBetaTrips));
  const auto sums =
      fori_loop(0, trips(needed, kBetaTrips - 1),
                [&](Var i, Var g, Var ga, Var gb) {
                  const Var k = kBetaTrips - astype(i, f64), m = k - 1, t = p.a + k * 2 - 1, ratio = p.x / t;
                  const Var u = p.a + m, v = p.a + p.b + m, w = p.b - k, scale = k * (ratio * ratio) / g;
                  const Var top = u * v * w * scale;
                  const Fraction c = term(m);
                  return std::tuple{c.f + top, c.by_a + ((v + u - u * v * 2 / t) * w * scale - top * (ga / g)),
                                    c.by_b + (u * (w + v) * scale - top * (gb / g))};
                },
                {last.f, last.by_a, last.by_b});
  const auto [f, fa, fb] = sums;
  const Var one = p.a + 1, both = p.a + p.b, less = p.b - 1, ratio = p.x / one, scale = ratio * ratio / f;
  const Var first = (p.lambda + 1) / one;
  return {first + both * less * scale, (p.y - first) / one + less * scale * (1 - both * 2 / one - both * (fa / f)),
          -ratio + scale * (less + both - both * less * (fb / f))};
}

// exp(z) - 1 - z of |z| < 1.
Var exp_rest(const Var& z) {
  return z * z * polynomial(z, tables::kExpRest);
}

// For two large parameters, the integral of the density's ratio to that at x, in the logarithm of the odds, up to where
// it counts no more, by the rule of Gauss and Legendre; with `slopes` also times the derivatives of its exponent.
Fraction beta_integral(const BetaPoint& p, const Var& needed, bool slopes) {
  const Var total = p.a + p.b, curvature = total * p.x * p.y, fall = maximum(p.lambda, 0);
  const Var length = (sqrt(fall * fall + curvature * 80) - fall) / curvature * 1.15;
  const Var nodes = asarray(Tensor::of<double>({32}, {std::begin(tables::kNodes), std::end(tables::kNodes)}));
  const Var weights = asarray(Tensor::of<double>({32}, {std::begin(tables::kWeights), std::end(tables::kWeights)}));
  const Var zero = p.a * 0;
  struct Node {
    Var shift, rest, density;
  };
  const auto node = [&](const Var& i) {
    const Var shift = length * take(nodes, i);
    const Var rest = log_1p(p.y * exp_rest(p.x * shift) + p.x * exp_rest(-p.y * shift));
    return Node{shift, rest, exp(-(p.lambda * shift + total * rest)) * take(weights, i)};
  };
  if (!slopes) {
    const auto sum = fori_loop(0, trips(needed, 32), [&](Var i, Var s) { return s + node(i).density; }, {zero});
    return {sum * length, Var(), Var()};
  }
  const auto sums = fori_loop(0, trips(needed, 32),
                              [&](Var i, Var s, Var sa, Var sb) {
                                const Node n = node(i);
                                return std::tuple{s + n.density, sa + n.density * (p.y * n.shift + n.rest),
                                                  sb + n.density * (n.rest - p.x * n.shift)};
                              },
                              {zero, zero, zero});
  return {std::get<0>(sums) * length, std::get<1>(sums) * length, std::get<2>(sums) * length};
}

// log(I_x(a, b)) of a < 1, x below the mean: I is near 1, and its logarithm is the sum of small terms.
Var log_beta_near_one(const BetaPoint& p, const Var& needed) {
  const auto sums = fori_loop(0, trips(needed, 60),
                              [&](Var i, Var term, Var sum) {
                                const Var k = astype(i, f64) + 1, next = term * (k - p.b) * p.x / k;
                                return std::tuple{next, sum + next / (p.a + k)};
                              },
                              {p.a * 0 + 1, p.a * 0});
  const Var low = p.b <= 8, b = where(low, p.b + 8, p.b);
  Var y = p.a * log(p.x * (p.a + b)) + ((b - 0.5) * log_1p(p.a / b) - p.a) + (stirling(p.a + b) - stirling(b));
  for (int j = 0; j < 8; ++j) y = y - where(low, log_1p(p.a / where(low, p.b + j, 1)), 0);
  return y - log_1p(p.a * gamma_rise(p.a)) + log_1p(p.a * std::get<1>(sums));
}

// Where two parameters are so large that the continued fraction would take more than kBetaTrips steps.
Var both_large(const BetaPoint& p) {
  return (p.a > 300) & (p.b > 300);
}

}  // namespace

namespace parts {

Sides beta_sides(const BetaPoint& point, bool logarithms) {
  const Var swap = point.x > (point.a + 1) / (point.a + point.b + 2);
  const BetaPoint p = swapped(point, swap);
  const Var large = both_large(p), small = (p.a < 1) & !large;
  const Var fraction = 1 / (beta_fraction(safe(p, !large, 2, 3), !large) * p.a);
  const Var factor = where(large, beta_integral(safe(p, large, 400, 400), large, false).f, fraction);
  const Var near_one = log_beta_near_one(safe(p, small, 0.5, 0.6), small);
  Var tail, rest;
  if (logarithms) {
    tail = minimum(beta_prefactor(p, true) + log(factor), -1e-300);
    rest = where(small, log(-expm1(near_one)), log_1p(-exp(tail)));
  } else {
    tail = beta_prefactor(p, false) * factor;
    rest = where(small, -expm1(near_one), 1 - tail);
  }
  return {where(swap, rest, tail), where(swap, tail, rest)};
}

BetaSlopes beta_slopes(const BetaPoint& point) {
  const Var swap = point.x > (point.a + 1) / (point.a + point.b + 2);
  const BetaPoint p = swapped(point, swap);
  const Var large = both_large(p);
  const Fraction f = beta_fraction_slopes(safe(p, !large, 2, 3), !large);
  const Fraction s = beta_integral(safe(p, large, 400, 400), large, true);
  const Var prefactor = beta_prefactor(p, false), total = digamma_of(p.a + p.b);
  const Var value = prefactor * where(large, s.f, 1 / (f.f * p.a));
  const Var rest_a = where(large, s.by_a / s.f, f.by_a / f.f), rest_b = where(large, s.by_b / s.f, f.by_b / f.f);
  const Var by_a = value * (log(p.x) - digamma_of(p.a + 1) + total - rest_a + where(large, 1 / p.a, 0));
  const Var by_b = value * (log(p.y) - digamma_of(p.b) + total - rest_b);
  return {where(swap, -by_b, by_a), where(swap, -by_a, by_b)};
}

}  // namespace parts

namespace {

Var beta_inside(const Var& a, const Var& b, const Var& x) {
  return (a > 0) & (b > 0) & (x > 0) & (x < 1) & (a < kInfinity) & (b < kInfinity);
}

BetaPoint beta_argument(const Var& a, const Var& b, const Var& x) {
  const Var inside = beta_inside(a, b, x), z = where(inside, x, 0.5);
  return beta_point(where(inside, a, 1), where(inside, b, 1), z, 1 - z);
}

Var incomplete_beta(const Var& a, const Var& b, const Var& x, bool lower) {
  const Sides sides = beta_sides(beta_argument(a, b, x), false);
  const Var all = (a == 0) | (b == kInfinity), none = (b == 0) | (a == kInfinity);
  const Var wrong = (!((a >= 0) & (b >= 0) & (x >= 0) & (x <= 1))) | (all & none);
  const Var high = (all & (x > 0)) | ((!all) & (x == 1));
  const Var edge = where(wrong, astype(kNan, f64), where(high, lower ? 1. : 0., lower ? 0. : 1.));
  return where(beta_inside(a, b, x), lower ? sides.lower : sides.upper, edge);
}

std::tuple<Var, Var, Var> incomplete_beta_slopes(const Var& a, const Var& b, const Var& x) {
  const Var inside = beta_inside(a, b, x);
  const BetaPoint p = beta_argument(a, b, x);
  const BetaSlopes slopes = beta_slopes(p);
  const Var wrong = where((a >= 0) & (b >= 0) & (x >= 0) & (x <= 1), 0, astype(kNan, f64));
  const auto end = [](const Var& v) { return where(v < 1, kInfinity, where(v == 1, 1, 0)); };
  const Var at_end = wrong + where(x == 0, end(a) * where(a == 1, b, 1), end(b) * where(b == 1, a, 1));
  return {where(inside, slopes.by_a, wrong), where(inside, slopes.by_b, wrong),
          where(inside, beta_prefactor(p, false) / p.x / p.y, at_end)};
}

}  // namespace

Var betainc(Arg a, Arg b, Arg x) {
  return apply(
      "special.betainc", a, b, x, [](Var u, Var v, Var w) { return incomplete_beta(u, v, w, true); },
      [](Var u, Var v, Var w, Var, Var g) {
        const auto [by_a, by_b, by_x] = incomplete_beta_slopes(u, v, w);
        return std::tuple{g * by_a, g * by_b, g * by_x};
      });
}

Var betaincc(Arg a, Arg b, Arg x) {
  return apply(
      "special.betaincc", a, b, x, [](Var u, Var v, Var w) { return incomplete_beta(u, v, w, false); },
      [](Var u, Var v, Var w, Var, Var g) {
        const auto [by_a, by_b, by_x] = incomplete_beta_slopes(u, v, w);
        return std::tuple{-g * by_a, -g * by_b, -g * by_x};
      });
}

}  // namespace tc::special
