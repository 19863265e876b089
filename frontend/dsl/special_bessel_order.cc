// Modified Bessel functions of real order, by sums over the steepest paths of their integrals.
#include <numbers>
#include <tuple>
#include <utility>

#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/special_incomplete_parts.h"
#include "tc/frontend/dsl/special_incomplete_tables.h"

namespace tc::special {

using namespace dsl;
using namespace parts;

namespace {

// An order v >= 0 and an argument x > 0, and the saddle point of x cosh(t) - v t: t = asinh(v / x), where
// x cosh(t) = r.
struct Saddle {
  Var v, x, r, gap;  // gap = r - v
  Var excess;        // r - x
  Var t;
};

Saddle saddle(const Var& v, const Var& x) {
  const Var large = maximum(v, x), ratio = minimum(v, x) / large, r = large * sqrt(ratio * ratio + 1);
  const Var y = v / x, steep = y > 1e8, z = where(steep, 1, y);
  const Var t = where(steep, log(v) - log(x) + std::numbers::ln2, log_1p(z + z * (z / (sqrt(z * z + 1) + 1))));
  return {v, x, r, x * (x / (r + v)), v * (v / (r + x)), t};
}

std::pair<Var, Var> exact_sum(const Var& a, const Var& b) {
  const Var s = a + b, part = s - a;
  return {s, (a - (s - part)) + (b - part)};
}

// v asinh(v / x) - r, whose terms cancel, by sums and products of two numbers each.
Var saddle_exponent(const Saddle& p) {
  const auto [x2, x2_low] = exact_product(p.x, p.x);
  const auto [v2, v2_low] = exact_product(p.v, p.v);
  const auto [r2, r2_low] = exact_product(p.r, p.r);
  const Var r_low = (((maximum(x2, v2) - r2) + minimum(x2, v2)) + (x2_low + v2_low - r2_low)) / (p.r * 2);
  const auto [n, n_low] = exact_sum(p.r, p.v);
  const Var y = n / p.x;  // exp(t)
  const auto [product, product_low] = exact_product(y, p.x);
  const Var y_low = (((n - product) - product_low) + (n_low + r_low)) / p.x;
  // Its logarithm: of m = y / 2^k, 2 atanh((m - 1) / (m + 1)).
  const Var k = round(log(y) * std::numbers::log2e), scale = pow(2., -k), m = y * scale, m_low = y_low * scale;
  const auto [below, below_low] = exact_sum(m, 1 + m * 0);
  const Var s = (m - 1) / below;
  const auto [back, back_low] = exact_product(s, below);
  const Var s_low = ((((m - 1) - back) - back_low) + (m_low - s * (below_low + m_low))) / below, s2 = s * s;
  const Var rest = s_low + s * s2 * polynomial(s2, std::span(tables::kAtanhRest).first(10));
  constexpr double kLog2 = 0x1.62e42fee00000p-1, kLog2Rest = 0x1.a39ef35793c76p-33;
  const auto [t, t_low] = exact_sum(k * kLog2, s * 2);
  const auto [high, high_low] = exact_product(p.v, t);
  const auto [sum, sum_low] = exact_sum(high, -p.r);
  const Var fine = sum + (sum_low + high_low + p.v * (t_low + (k * kLog2Rest + rest * 2)) - r_low);
  return where((p.r > 1e-100) & (p.r < 1e100) & (p.v > 0), fine, p.v * p.t - p.r);
}

// A function, exp(exponent) times it, and logarithmic derivatives, all of the sum's terms.
struct OrderSums {
  Var sum, by_order, by_x;  // by_order and by_x: over the sum
};

// sinh(t) - t, sin(t) - t.
Var sinh_rest(const Var& t) {
  return t * t * t * polynomial(t * t, tables::kSinhRest);
}
Var sin_rest(const Var& t) {
  return -(t * t * t * polynomial(t * t, tables::kSinRest));
}

// How far t's real part counts from the saddle, and the exponent there: r (cosh(t) - 1) + v (sinh(t) - t).
Var real_exponent(const Saddle& p, const Var& t) {
  const Var near = abs(t) < 1, u = where(near, t, 0), half = sinh(u * 0.5), w = where(near, 0, t);
  const Var close = p.r * (half * half * 2) + p.v * sinh_rest(u);
  return where(near, close, ((p.r + p.v) * exp(w) + p.gap * exp(-w)) * 0.5 - p.r - p.v * w);
}

// exp(r - v t) K_v(x) (DLMF 10.32.9, over the whole line) by the trapezoidal rule, and exp(x) K_v(x) differentiated.
OrderSums k_sums(const Saddle& p, bool slopes) {
  const Var right = acosh(40 / p.r + 1);
  Var high = minimum((p.r + 40) / maximum(p.v, 1e-300), log((p.r + 40) * 2 / p.gap)), low = high * 0;
  for (int i = 0; i < 10; ++i) {
    const Var middle = (low + high) * 0.5, inside = real_exponent(p, -middle) < 40;
    low = where(inside, middle, low);
    high = where(inside, high, middle);
  }
  const Var finest = minimum(0.65 / sqrt(p.r), 0.22);
  const Var count = minimum(max(ceil((high + right) / finest)), 10000), end = astype(count, i64) + 1;
  const Var step = (high + right) / count, zero = p.r * 0;
  if (!slopes) {
    const Var sum = fori_loop(
        0, end, [&](Var i, Var s) { return s + exp(-real_exponent(p, step * astype(i, f64) - high)); }, {zero});
    return {sum * step * 0.5, Var(), Var()};
  }
  const auto [sum, by_order, by_x] =
      fori_loop(0, end,
                [&](Var i, Var s, Var sv, Var sx) {
                  const Var t = step * astype(i, f64) - high, e = exp(-real_exponent(p, t));
                  const Var near = abs(t) < 1, u = where(near, t, 0), half = sinh(u * 0.5), w = where(near, 0, t);
                  const Var close = p.excess + p.r * (half * half * 2) + p.v * sinh(u);
                  const Var rise = where(near, close, ((p.r + p.v) * exp(w) + p.gap * exp(-w)) * 0.5 - p.x);
                  return std::tuple{s + e, sv + e * (p.t + t), sx - e * rise};
                },
                {zero, zero, zero});
  return {sum * step * 0.5, by_order / sum, by_x / sum / p.x};
}

constexpr int kArcs = 24;

// exp(v t - r) I_v(x) of r >= 20, where the ends of the path do not count (DLMF 10.32.12), and exp(-x) I_v(x)
// differentiated.
OrderSums i_arcs(const Saddle& p, const Var& needed, bool slopes) {
  const Var end = acos(maximum(1 - 40 / p.r, -1)), step = end / kArcs, zero = p.r * 0;
  const auto weight = [&](const Var& i, const Var& t) {
    const Var half = sin(t * 0.5);
    return exp(-(p.r * (half * half * 2))) * where((i == 0) | (i == kArcs), 0.5, 1);
  };
  const Var all = trips(needed, kArcs + 1);
  if (!slopes) {
    const Var sum = fori_loop(0, all,
                              [&](Var i, Var s) {
                                const Var t = step * astype(i, f64);
                                return s + weight(i, t) * cos(p.v * sin_rest(t));
                              },
                              {zero});
    return {sum * step / std::numbers::pi, Var(), Var()};
  }
  const auto [sum, by_order, by_x] =
      fori_loop(0, all,
                [&](Var i, Var s, Var sv, Var sx) {
                  const Var t = step * astype(i, f64), angle = p.v * sin_rest(t), half = sin(t * 0.5);
                  const Var e = weight(i, t), c = e * cos(angle), d = e * sin(angle);
                  return std::tuple{s + c, sv + (t * d - p.t * c),
                                    sx + ((p.excess - p.r * (half * half * 2)) * c - p.v * sin(t) * d)};
                },
                {zero, zero, zero});
  return {sum * step / std::numbers::pi, by_order / sum, by_x / sum / p.x};
}

// I_v(x) gamma(v + 1) / (x / 2)^v, and I_v(x) differentiated (DLMF 10.25.2).
OrderSums i_series(const Var& v, const Var& x, const Var& needed, bool slopes) {
  const Var zero = x * 0, one = zero + 1, u = x * x * 0.25, all = trips(needed, 60);
  if (!slopes) {
    const auto sums = fori_loop(0, all,
                                [&](Var i, Var term, Var s) {
                                  const Var k = astype(i, f64) + 1, next = term * (u / (k * (v + k)));
                                  return std::tuple{next, s + next};
                                },
                                {one, one});
    return {std::get<1>(sums), Var(), Var()};
  }
  const auto sums = fori_loop(0, all,
                              [&](Var i, Var term, Var slope, Var s, Var sv, Var sx) {
                                const Var k = astype(i, f64) + 1, factor = u / (k * (v + k)), next = term * factor;
                                const Var steeper = slope * factor - next / (v + k);
                                return std::tuple{next, steeper, s + next, sv + steeper, sx + next * (k * 2)};
                              },
                              {one, zero, one, zero, zero});
  const Var s = std::get<2>(sums);
  return {s, log(x * 0.5) - digamma_of(v + 1) + std::get<3>(sums) / s, (std::get<4>(sums) / s + v) / x};
}

enum class Form { plain, scaled, logarithm };

struct OrderPoint {
  Var inside, v, x, far;  // far: by arcs
};
OrderPoint i_point(const Var& order, const Var& argument) {
  const Var a = abs(argument), whole = floor(order) == order;
  const Var inside = (order >= 0) & (order < kInfinity) & (a > 0) & (a < kInfinity) & ((argument > 0) | whole);
  const Var v = where(inside, order, 1), x = where(inside, a, 1);
  return {inside, v, x, (x > 20) | (v > 20) | (x * x + v * v > 400)};
}

Var bessel_i(const Var& order, const Var& argument, Form form) {
  const OrderPoint p = i_point(order, argument);
  const Saddle s = saddle(where(p.far, p.v, 3), where(p.far, p.x, 30));
  const Var sv = where(p.far, 1, p.v), sx = where(p.far, 1, p.x);
  const OrderSums arcs = i_arcs(s, p.far, false), series = i_series(sv, sx, !p.far, false);
  const Var odd = p.v - floor(p.v * 0.5) * 2 == 1;
  Var y, at_zero = where(order == 0, 1, 0);
  if (form == Form::logarithm) {
    const Var near = sv * log(sx * 0.5) - gammaln_right(sv + 1) + log(series.sum) - sx;
    y = where(argument < 0, kNan, where(p.far, s.excess - s.v * s.t + log(arcs.sum), near));
    at_zero = where(order == 0, 0, -kInfinity);
  } else {
    const Var half = exp((form == Form::plain ? -saddle_exponent(s) : s.excess - s.v * s.t) * 0.5);
    Var near = pow(sx * 0.5, sv) / gamma_right(sv + 1) * series.sum;
    if (form == Form::scaled) near = near * exp(-sx);
    y = where(p.far, half * arcs.sum * half, near);
    y = where((argument < 0) & odd, -y, y);
  }
  const double end = form == Form::plain ? kInfinity : form == Form::scaled ? 0 : -kInfinity;
  const Var valid = order >= 0;
  const Var edge = where(valid & (argument == 0), at_zero,
                         where(valid & (order < kInfinity) & (argument == kInfinity), end, astype(kNan, f64)));
  return where(p.inside, y, edge);
}

// The derivatives of log(I) by order and argument; of exp(-|x|) I if `scaled`.
std::pair<Var, Var> bessel_i_slopes(const Var& order, const Var& argument, bool scaled) {
  const OrderPoint p = i_point(order, argument);
  const Saddle s = saddle(where(p.far, p.v, 3), where(p.far, p.x, 30));
  const OrderSums arcs = i_arcs(s, p.far, true);
  const OrderSums series = i_series(where(p.far, 1, p.v), where(p.far, 1, p.x), !p.far, true);
  const Var by_x = scaled ? where(p.far, arcs.by_x, series.by_x - 1) : where(p.far, arcs.by_x + 1, series.by_x);
  return {where(p.inside, where(p.far, arcs.by_order, series.by_order), 0), where(argument < 0, -by_x, by_x)};
}

std::pair<Var, Var> bessel_i_rule(const Var& v, const Var& x, const Var& y, const Var& g, bool scaled) {
  const auto [by_order, by_x] = bessel_i_slopes(v, x, scaled);
  const Var at_zero = where(v == 1, 0.5, where((v > 1) | (v == 0), 0, kInfinity));
  return {where(y == 0, 0, g * y * by_order), where(x == 0, g * at_zero, g * y * by_x)};
}

struct KPoint {
  Var inside;
  Saddle saddle;
};
KPoint k_point(const Var& order, const Var& argument) {
  const Var v = abs(order), inside = (v < kInfinity) & (argument > 0) & (argument < kInfinity);
  return {inside, saddle(where(inside, v, 1), where(inside, argument, 1))};
}

Var bessel_k(const Var& order, const Var& argument, Form form) {
  const KPoint p = k_point(order, argument);
  const Saddle& s = p.saddle;
  const Var sum = k_sums(s, false).sum;
  Var y;
  if (form == Form::logarithm) {
    y = s.v * s.t - s.excess + log(sum);
  } else {
    const Var half = exp((form == Form::plain ? saddle_exponent(s) : s.v * s.t - s.excess) * 0.5);
    y = half * sum * half;
  }
  const Var finite = abs(order) < kInfinity;
  const double end = form == Form::logarithm ? -kInfinity : 0;
  const Var edge =
      where(finite & (argument == 0), kInfinity, where(finite & (argument == kInfinity), end, astype(kNan, f64)));
  return where(p.inside, y, edge);
}

// The derivatives of log(K) by order and argument; of exp(x) K if `scaled`.
std::pair<Var, Var> bessel_k_slopes(const Var& order, const Var& argument, bool scaled) {
  const KPoint p = k_point(order, argument);
  const OrderSums sums = k_sums(p.saddle, true);
  const Var by_x = scaled ? sums.by_x : sums.by_x - 1;
  return {where(p.inside, sums.by_order * sign(order), 0), where(p.inside, by_x, -kInfinity)};
}

std::pair<Var, Var> bessel_k_rule(const Var& v, const Var& x, const Var& y, const Var& g, bool scaled) {
  const auto [by_order, by_x] = bessel_k_slopes(v, x, scaled);
  return {where(y == 0, 0, g * y * by_order), where(y == 0, 0, g * y * by_x)};
}

}  // namespace

Var iv(Arg v, Arg x) {
  return apply(
      "special.iv", v, x, [](Var a, Var b) { return bessel_i(a, b, Form::plain); },
      [](Var a, Var b, Var y, Var g) { return bessel_i_rule(a, b, y, g, false); });
}

Var ive(Arg v, Arg x) {
  return apply(
      "special.ive", v, x, [](Var a, Var b) { return bessel_i(a, b, Form::scaled); },
      [](Var a, Var b, Var y, Var g) { return bessel_i_rule(a, b, y, g, true); });
}

Var log_ive(Arg v, Arg x) {
  return apply(
      "special.log_ive", v, x, [](Var a, Var b) { return bessel_i(a, b, Form::logarithm); },
      [](Var a, Var b, Var, Var g) {
        const auto [by_order, by_x] = bessel_i_slopes(a, b, true);
        return std::pair{g * by_order, g * by_x};
      });
}

Var kv(Arg v, Arg x) {
  return apply(
      "special.kv", v, x, [](Var a, Var b) { return bessel_k(a, b, Form::plain); },
      [](Var a, Var b, Var y, Var g) { return bessel_k_rule(a, b, y, g, false); });
}

Var kve(Arg v, Arg x) {
  return apply(
      "special.kve", v, x, [](Var a, Var b) { return bessel_k(a, b, Form::scaled); },
      [](Var a, Var b, Var y, Var g) { return bessel_k_rule(a, b, y, g, true); });
}

Var log_kve(Arg v, Arg x) {
  return apply(
      "special.log_kve", v, x, [](Var a, Var b) { return bessel_k(a, b, Form::logarithm); },
      [](Var a, Var b, Var, Var g) {
        const auto [by_order, by_x] = bessel_k_slopes(a, b, true);
        return std::pair{g * by_order, g * by_x};
      });
}

Var kn(Arg n, Arg x) {
  return apply(
      "special.kn", n, x, [](Var a, Var b) { return where(floor(a) == a, bessel_k(a, b, Form::plain), kNan); },
      [](Var a, Var b, Var y, Var g) {
        const Var slope = bessel_k_rule(a, b, y, g, false).second;
        return std::pair{g * 0, slope};
      });
}

}  // namespace tc::special
