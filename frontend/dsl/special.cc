#include "tc/frontend/dsl/special.h"

#include <iterator>
#include <numbers>
#include <utility>
#include <vector>

#include "tc/frontend/dsl/special_parts.h"
#include "tc/frontend/dsl/special_tables.h"

namespace tc::special {

using namespace dsl;
using namespace parts;

namespace parts {

Var polynomial(const Var& t, std::span<const double> c) {
  Var y = t * c[c.size() - 1] + c[c.size() - 2];
  for (size_t i = c.size() - 2; i-- > 0;) y = y * t + c[i];
  return y;
}

// log(1 + x) as Kahan has it: what rounding 1 + x loses cancels in the quotient. Made of ops with f64 kernels.
Var log_1p(const Var& x) {
  // The maximum changes nothing: it keeps log(1 + exp(y)) from becoming softplus, which does not lose what d has lost.
  const Var u = maximum(x + 1, -1), d = u - 1;
  const Var plain = (d == 0) | (u == kInfinity);
  return where(d == 0, x, where(plain, u, log(u) * (x / where(plain, 1, d))));
}

// exp(scale * x^2), scale a power of two or its negative: the square of the rounded part is exact.
Var exp_square(const Var& x, double scale) {
  const Var a = abs(x), near = where(a > 64, 64, a);
  const Var high = round(near * 64) / 64;
  return exp(high * high * scale) * exp((near - high) * (near + high) * scale);
}

Var erfcx_right(const Var& x) {
  return polynomial(1 - 7.5 / (x + 3.75), tables::kErfcx) / (x + 0.5);
}

Var erfcx_of(const Var& x) {
  const Var right = erfcx_right(abs(x));
  return where(x < 0, exp_square(where(x < 0, x, 0), 1) * 2 - right, where(x == 0, 1, right));
}

}  // namespace parts

namespace {

constexpr double kTwoOverRootPi = 2 * std::numbers::inv_sqrtpi;
constexpr double kRootHalf = std::numbers::sqrt2 / 2;
constexpr double kRootTwoOverPi = kTwoOverRootPi * kRootHalf;

// erf of |x| <= 1/2.
Var erf_near(const Var& x) {
  return x * polynomial(x * x * 8 - 1, tables::kErf);
}

Var erfc_of(const Var& x) {
  const Var a = abs(x), near = a < 0.5;
  const Var tail = exp_square(x, -1) * erfcx_right(a);
  return where(near, 1 - erf_near(where(near, x, 0)), where(x < 0, 2 - tail, tail));
}

}  // namespace

Var parts::ndtr_of(const Var& x) {
  const Var a = abs(x), near = a < 0.7;
  const Var tail = exp_square(x, -0.5) * (erfcx_right(a * kRootHalf) * 0.5);
  return where(near, erf_near(where(near, x, 0) * kRootHalf) * 0.5 + 0.5, where(x < 0, tail, 1 - tail));
}

namespace {

Var log_ndtr_of(const Var& x) {
  const Var far = x<-1, right = x> 0;
  const Var left = where(far, -x, 1);
  const Var tail = log(erfcx_right(left * kRootHalf) * 0.5) - left * (left * 0.5);
  const Var middle = ndtr_of(where(far, 0, where(right, -x, x)));
  return where(far, tail, where(right, log_1p(-middle), log(where(right, 0.5, middle))));
}

// exp(-x) and i0e or i1e(x) / sign(x), of x = |x|.
Var bessel(const Var& a, std::span<const double> series, std::span<const double> large, bool odd, bool scaled) {
  const Var far = a > 7.75;
  const Var small = where(far, 1, a), big = where(far, a, 8);
  Var near = polynomial(small * small * 0.25, series);
  if (odd) near = near * (small * 0.5);
  Var outer = polynomial(15.5 / big - 1, large) / sqrt(big);
  if (scaled) return where(far, outer, near * exp(-small));
  const Var half = exp(big * 0.5);
  outer = where(big == kInfinity, big, half * outer * half);
  return where(far, outer, near);
}

Var bessel0(const Var& x, bool scaled) {
  return bessel(abs(x), tables::kI0, tables::kI0e, false, scaled);
}
Var bessel1(const Var& x, bool scaled) {
  const Var y = bessel(abs(x), tables::kI1, tables::kI1e, true, scaled);
  return where(x < 0, -y, where(x == 0, x, y));
}

Var i0_of(const Var& x) {
  return bessel0(x, false);
}
Var i0e_of(const Var& x) {
  return bessel0(x, true);
}
Var i1_of(const Var& x) {
  return bessel1(x, false);
}
Var i1e_of(const Var& x) {
  return bessel1(x, true);
}

Var expit_of(const Var& x) {
  return 1 / (exp(-x) + 1);
}

Var log_expit_of(const Var& x) {
  return where(x < 0, x, where(x == x, 0, x)) - log_1p(exp(-abs(x)));
}

Var logit_of(const Var& p) {
  const Var near = (p > 0.3) & (p < 0.65);
  const Var q = where(near, p, 0.5);
  return where(near, log_1p((q * 2 - 1) / (1 - q)), log(where(near, 0.5, p) / (1 - where(near, 0.5, p))));
}

Var log1mexp_of(const Var& x) {
  const Var near = x > -std::numbers::ln2;
  return where(near, log(-expm1(where(near, x, -1))), log_1p(-exp(where(near, -1, x))));
}

Var entr_of(const Var& x) {
  const Var inside = x > 0;
  return where(inside, -x * log(where(inside, x, 1)), where(x < 0, -kInfinity, x));
}

Var cbrt_of(const Var& x) {
  const Var a = abs(x), odd = (a == 0) | (a == kInfinity);
  const Var safe = where(odd, 1, a);
  const Var y = pow(safe, 1. / 3);
  const Var root = y - (y - safe / (y * y)) / 3;
  return where(odd, x, where(x < 0, -root, root));
}

// x log(x / y), of x and y that are near by their difference, which is exact.
Var rel_entr_of(const Var& x, const Var& y) {
  const Var inside = (x > 0) & (y > 0) & (x < kInfinity) & (y < kInfinity);
  const Var u = where(inside, x, 1), v = where(inside, y, 1), near = (u < v * 2) & (v < u * 2);
  const Var ratio = u / v, plain = (ratio > 1e-300) & (ratio < 1e300);
  const Var far = where(plain, log(where(plain, ratio, 1)), log(u) - log(v));
  const Var logarithm = where(near, log_1p(where(near, (u - v) / v, 0)), far);
  const Var none = (x == 0) & (y >= 0);
  const Var edge = where(
      none, 0, where((x == x) & (y == y), where((x > 0) & (y == kInfinity), -kInfinity, kInfinity), astype(kNan, f64)));
  return where(inside, u * logarithm, edge);
}

Var kl_div_of(const Var& x, const Var& y) {
  const Var d = (x - y) / where(y == 0, 1, y), near = (x > 0) & (y > 0) & (abs(d) < 0.5);
  const Var e = where(near, d, 0);
  return where(near, e * e * y * polynomial(e * 2, tables::kDivergence),
               where(y == kInfinity, y, rel_entr_of(x, y) - x + y));
}

Var sinc_of(const Var& x) {
  const Var near = abs(x) < 0.5, safe = where(near | (abs(x) == kInfinity), 1, x);
  const Var n = round(safe), odd = n - floor(n * 0.5) * 2;
  const Var far = sin((safe - n) * std::numbers::pi) * (1 - odd * 2) / std::numbers::pi / safe;
  const Var small = where(near, x, 0);
  return where(near, polynomial(small * small, tables::kSinc), where(abs(x) == kInfinity, 0, where(x == x, far, x)));
}

Var sinc_slope(const Var& x, const Var& y) {
  const Var near = abs(x) < 0.5, safe = where(near, 1, x);
  std::vector<double> c;
  for (size_t k = 1; k < std::size(tables::kSinc); ++k) c.push_back(2 * static_cast<double>(k) * tables::kSinc[k]);
  const Var small = where(near, x, 0), n = round(safe), odd = n - floor(n * 0.5) * 2;
  const Var cosine = cos((safe - n) * std::numbers::pi) * (1 - odd * 2);
  return where(near, small * polynomial(small * small, c), (cosine - y) / safe);
}

Var logaddexp2_of(const Var& a, const Var& b) {
  const Var distance = where(a == b, 0, abs(a - b));
  return maximum(a, b) + log_1p(pow(2., -distance)) * std::numbers::log2e;
}

// The largest finite number of a floating-point type.
double largest_of(DType t) {
  double largest = std::numeric_limits<double>::max();
  if (t == f32) largest = std::numeric_limits<float>::max();
  if (t == f16) largest = 65504;
  if (t == bf16) largest = 0x1.fep+127;
  return largest;
}

}  // namespace

Var erfc(Arg x) {
  return apply("special.erfc", x, erfc_of, [](Var v, Var, Var g) { return g * exp_square(v, -1) * -kTwoOverRootPi; });
}

Var erfcx(Arg x) {
  return apply("special.erfcx", x, erfcx_of, [](Var v, Var y, Var g) {
    // Where 2 x y - 2 / sqrt(pi) cancels, its asymptotic series.
    const Var far = v > 50;
    const Var r = 1 / where(far, v, 50), r2 = r * r;
    const Var series = r2 * -std::numbers::inv_sqrtpi * (1 - r2 * (1.5 - r2 * (3.75 - r2 * 13.125)));
    return g * where(far, series, where(far, 0, v) * y * 2 - kTwoOverRootPi);
  });
}

Var ndtr(Arg x) {
  return apply("special.ndtr", x, ndtr_of,
               [](Var v, Var, Var g) { return g * exp_square(v, -0.5) * (kRootTwoOverPi * 0.5); });
}

Var log_ndtr(Arg x) {
  return apply("special.log_ndtr", x, log_ndtr_of, [](Var v, Var, Var g) {
    return g * kRootTwoOverPi / kernel("special.erfcx", erfcx_of, v * -kRootHalf);
  });
}

Var i0(Arg x) {
  return apply("special.i0", x, i0_of, [](Var v, Var, Var g) { return g * kernel("special.i1", i1_of, v); });
}

Var i1(Arg x) {
  return apply("special.i1", x, i1_of, [](Var v, Var y, Var g) {
    return g * (kernel("special.i0", i0_of, v) - where(v == 0, 0.5, y / where(v == 0, 1, v)));
  });
}

Var i0e(Arg x) {
  return apply("special.i0e", x, i0e_of,
               [](Var v, Var y, Var g) { return g * (kernel("special.i1e", i1e_of, v) - sign(v) * y); });
}

Var i1e(Arg x) {
  return apply("special.i1e", x, i1e_of, [](Var v, Var y, Var g) {
    return g * (kernel("special.i0e", i0e_of, v) - where(v == 0, 0.5, y / where(v == 0, 1, v)) - sign(v) * y);
  });
}

Var expit(Arg x) {
  return apply("special.expit", x, expit_of, [](Var v, Var y, Var g) { return g * (y * expit_of(-v)); });
}

Var log_expit(Arg x) {
  return apply("special.log_expit", x, log_expit_of, [](Var v, Var, Var g) { return g * expit_of(-v); });
}

Var logit(Arg p) {
  return apply("special.logit", p, logit_of, [](Var v, Var, Var g) { return g / (v * (1 - v)); });
}

Var log1mexp(Arg x) {
  return apply("special.log1mexp", x, log1mexp_of, [](Var v, Var, Var g) { return -g / expm1(-v); });
}

Var entr(Arg x) {
  return apply("special.entr", x, entr_of, [](Var v, Var, Var g) { return g * (-log(v) - 1); });
}

Var xlogy(Arg x, Arg y) {
  const Site site("special.xlogy", x.at());
  const auto [a, b] = promoted(x, y, Domain::floating);
  const Var u = astype(a, f64), v = astype(b, f64);
  const Var zero = (u == 0) & ((v <= 0) | (v == kInfinity));
  return astype(where(zero, 0, u * log(where(zero, 1, v))), a.dtype());
}

Var xlog1py(Arg x, Arg y) {
  const Site site("special.xlog1py", x.at());
  const auto [a, b] = promoted(x, y, Domain::floating);
  const Var u = astype(a, f64), v = astype(b, f64);
  const Var zero = (u == 0) & ((v <= -1) | (v == kInfinity));
  const auto f = custom_vjp(log_1p, [](Var w, Var, Var g) { return g / (w + 1); });
  return astype(where(zero, 0, u * f(where(zero, 0, v))), a.dtype());
}

Var rel_entr(Arg x, Arg y) {
  return apply("special.rel_entr", x, y, rel_entr_of, [](Var u, Var v, Var, Var g) {
    return std::pair{g * (rel_entr_of(u, v) / u + 1), -g * (u / v)};
  });
}

Var kl_div(Arg x, Arg y) {
  return apply("special.kl_div", x, y, kl_div_of, [](Var u, Var v, Var, Var g) {
    return std::pair{g * (rel_entr_of(u, v) / u), g * ((v - u) / v)};
  });
}

Var logaddexp2(Arg x, Arg y) {
  return apply("special.logaddexp2", x, y, logaddexp2_of, [](Var u, Var v, Var, Var g) {
    const Var distance = where(u == v, 0, v - u);
    return std::pair{g / (pow(2., distance) + 1), g / (pow(2., -distance) + 1)};
  });
}

Var sinc(Arg x) {
  return apply("special.sinc", x, sinc_of, [](Var v, Var y, Var g) { return g * sinc_slope(v, y); });
}

Var exp2(Arg x) {
  return apply(
      "special.exp2", x, [](Var v) { return pow(2., v); }, [](Var, Var y, Var g) { return g * y * std::numbers::ln2; });
}

Var exp10(Arg x) {
  return apply(
      "special.exp10", x, [](Var v) { return pow(10., v); },
      [](Var, Var y, Var g) { return g * y * std::numbers::ln10; });
}

Var cbrt(Arg x) {
  return apply("special.cbrt", x, cbrt_of, [](Var, Var y, Var g) { return g / (y * y * 3); });
}

Var log1pexp(Arg x) {
  return apply(
      "special.log1pexp", x, [](Var v) { return -log_expit_of(-v); },
      [](Var v, Var, Var g) { return g * expit_of(v); });
}

Var nan_to_num(Arg x, NanToNumOptions options) {
  const Site site("special.nan_to_num", x.at());
  const Var v = operand(x, Domain::floating);
  const double largest = largest_of(v.dtype());
  const Var low = where(v == -kInfinity, options.neginf.value_or(-largest), v);
  const Var high = where(v == kInfinity, options.posinf.value_or(largest), low);
  return where(v == v, high, options.nan);
}

Var deg2rad(Arg x) {
  const Site site("special.deg2rad", x.at());
  const Var v = operand(x, Domain::floating);
  return astype(astype(v, f64) * (std::numbers::pi / 180), v.dtype());
}

Var rad2deg(Arg x) {
  const Site site("special.rad2deg", x.at());
  const Var v = operand(x, Domain::floating);
  return astype(astype(v, f64) * (180 / std::numbers::pi), v.dtype());
}

}  // namespace tc::special
