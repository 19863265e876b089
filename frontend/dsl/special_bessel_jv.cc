// The Bessel function of the first kind, of real order.
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

// (x / 2)^v / gamma(v + 1) of v >= 0.
Var first_term(const Var& v, const Var& x) {
  const Var large = v > 100, few = where(large, 1, v), many = where(large, v, 101), half = x * 0.5;
  return where(large, exp(many * log(half) - gammaln_right(many + 1)), pow(half, few) / gamma_right(few + 1));
}

// x^2 <= 2 (v + 1): the power series (DLMF 10.2.2), which does not cancel.
Var jv_series(const Var& v, const Var& x) {
  const Var u = x * x * -0.25;
  Var term = u * 0 + 1, sum = term;
  for (int k = 1; k <= 14; ++k) {
    term = term * (u / ((v + k) * k));
    sum = sum + term;
  }
  return first_term(v, x) * sum;
}

// x > 25 and x > v^2 / 2: Hankel's expansion (DLMF 10.17.3).
Var jv_far(const Var& v, const Var& x) {
  const Var square = v * v * 4, r = 1 / (x * 8);
  Var term = r * 0 + 1, p = term, q = r * 0;
  for (int k = 1; k <= 30; ++k) {
    const double odd = 2 * k - 1;
    term = term * ((square - odd * odd) * r / k);
    if (k % 2)
      q = k % 4 == 1 ? q + term : q - term;
    else
      p = k % 4 == 2 ? p - term : p + term;
  }
  const Var turns = v * 0.25 + 0.125, phase = (turns - round(turns)) * (2 * std::numbers::pi);
  const Var s = sin(x), c = cos(x), ps = sin(phase), pc = cos(phase);
  return (p * (c * pc + s * ps) - q * (s * pc - c * ps)) * sqrt(2 / std::numbers::pi / x);
}

// Between them: Miller's backward recurrence in the order, normalised by DLMF 10.12.4. All elements take as many steps
// as the one that needs most, with numbers rescaled before they overflow.
Var jv_recurrence(const Var& order, const Var& x, const Var& needed) {
  const Var whole = floor(order), base = order - whole, top = maximum(order, x);
  const Var length = floor((top + cbrt(top) * 15 + 20) * 0.5) + 1;
  const Var most = max(where(needed, length, 0)), zero = x * 0;
  const Var shrink = zero + 1e-200;  // of f64: a choice of two numbers would be of f32
  const auto sums = fori_loop(0, astype(most, i64),
                              [&](Var i, Var upper, Var lower, Var total, Var wanted) {
                                // From orders 2 k + 2 and 2 k + 1 to 2 k and 2 k - 1.
                                const Var k = most - 1 - astype(i, f64), odd = base + (k * 2 + 1);
                                const Var even_value = odd * 2 / x * lower - upper;
                                const Var odd_value = (odd - 1) * 2 / x * even_value - lower;
                                const Var weight = (odd + 1) / (odd - 1 + where(k == 0, 1, 0)) * ((base + k) / (k + 1));
                                const Var ratio = where(k == 0, base + 2, weight);
                                const Var sum = even_value + ratio * total;
                                const Var found =
                                    where(whole == k * 2 + 1, lower, where(whole == k * 2, even_value, wanted));
                                const Var scale = where(abs(even_value) + abs(odd_value) > 1e150, shrink, 1);
                                return std::tuple{even_value * scale, odd_value * scale, sum * scale, found * scale};
                              },
                              {zero, zero + 1e-100, zero, zero});
  const Var half = x * 0.5;
  return std::get<3>(sums) * pow(half, base) / (gamma_right(base + 1) * std::get<2>(sums));
}

// J_v(x) of v >= 0, x > 0, both finite.
Var jv_inside(const Var& v, const Var& x) {
  const Var near = x * x <= (v + 1) * 2, far = (x > 25) & (x * 2 > v * v), middle = !(near | far);
  const Var series = jv_series(where(near, v, 1), where(near, x, 1));
  const Var wave = jv_far(where(far, v, 1), where(far, x, 30));
  const Var miller = jv_recurrence(where(middle, v, 1), where(middle, x, 5), middle);
  return where(near, series, where(far, wave, miller));
}

Var jv_of(const Var& order, const Var& x) {
  const Var whole = floor(order) == order, v = where(whole, abs(order), order), a = abs(x);
  const Var domain = (v >= 0) & (v < kInfinity) & ((x >= 0) | (whole & (x < 0))),
            inside = domain & (a > 0) & (a < kInfinity);
  const Var y = jv_inside(where(inside, v, 1), where(inside, a, 1));
  const Var turned = where(whole & ((order < 0) != (x < 0)) & (v - floor(v * 0.5) * 2 == 1), -y, y);
  const Var at_zero = where(v == 0, 1, 0);
  return where(inside, turned, where(domain, where(a == kInfinity, 0, at_zero), astype(kNan, f64)));
}

// (J_{v-1} - J_{v+1}) / 2, as (v / x) J_v - J_{v+1}.
Var jv_slope(const Var& v, const Var& x, const Var& y) {
  const Var at_zero = where(v == 1, 0.5, where(v == -1, -0.5, where((v > 1) | (v == 0) | (v < -1), 0, kInfinity)));
  return where(x == 0, at_zero, v / where(x == 0, 1, x) * y - jv_of(v + 1, x));
}

}  // namespace

Var jv(Arg v, Arg x) {
  return apply("special.jv", v, x, jv_of, [](Var a, Var b, Var y, Var g) {
    return std::pair{g * kNan, g * jv_slope(a, b, y)};
  });
}

Var jn(Arg n, Arg x) {
  return apply(
      "special.jn", n, x, [](Var a, Var b) { return where(floor(a) == a, jv_of(a, b), kNan); },
      [](Var a, Var b, Var y, Var g) {
        return std::pair{g * 0, g * jv_slope(a, b, y)};
      });
}

}  // namespace tc::special
