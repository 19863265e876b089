#include "tc/frontend/dsl/special.h"

#include <limits>
#include <numbers>
#include <span>
#include <utility>

#include "tc/frontend/dsl/custom.h"
#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/special_tables.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::special {

using namespace dsl;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTwoOverRootPi = 2 * std::numbers::inv_sqrtpi;
constexpr double kRootHalf = std::numbers::sqrt2 / 2;
constexpr double kRootTwoOverPi = kTwoOverRootPi * kRootHalf;

// f of x in f64 with the rule of its gradient. A rule is traced with every call, so it may not call a function that has
// a rule which leads back: rules use the bodies.
template <class F, class Rule>
Var apply(const char* name, const Arg& x, F f, Rule rule) {
  const Site site(name, x.at());
  const Var v = operand(x, Domain::floating);
  return astype(custom_vjp(f, rule)(astype(v, f64)), v.dtype());
}

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

// erfcx of x >= 0.
Var erfcx_right(const Var& x) {
  return polynomial(1 - 7.5 / (x + 3.75), tables::kErfcx) / (x + 0.5);
}

// erf of |x| <= 1/2.
Var erf_near(const Var& x) {
  return x * polynomial(x * x * 8 - 1, tables::kErf);
}

Var erfc_of(const Var& x) {
  const Var a = abs(x), near = a < 0.5;
  const Var tail = exp_square(x, -1) * erfcx_right(a);
  return where(near, 1 - erf_near(where(near, x, 0)), where(x < 0, 2 - tail, tail));
}

Var erfcx_of(const Var& x) {
  const Var right = erfcx_right(abs(x));
  return where(x < 0, exp_square(where(x < 0, x, 0), 1) * 2 - right, where(x == 0, 1, right));
}

Var ndtr_of(const Var& x) {
  const Var a = abs(x), near = a < 0.7;
  const Var tail = exp_square(x, -0.5) * (erfcx_right(a * kRootHalf) * 0.5);
  return where(near, erf_near(where(near, x, 0) * kRootHalf) * 0.5 + 0.5, where(x < 0, tail, 1 - tail));
}

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

Var digamma_of(const Var& x) {
  const Var left = x < 0;
  const Var whole = left & (floor(x) == x);
  const Var turn = where(left & !whole, x - round(x), 0.25) * std::numbers::pi;
  const Var right = digamma_right(where(left, 1 - x, where(x == 0, 1, x)));
  const Var reflected = right - cos(turn) / sin(turn) * std::numbers::pi;
  const Var y = where(left, reflected, right);
  return where(whole, astype(kNan, f64), where(x == 0, -1 / x, y));
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

Var trigamma_of(const Var& x) {
  const Var left = x < 0;
  const Var pole = (x <= 0) & (floor(x) == x);
  const Var s = sin(where(left & !pole, x - round(x), 0.5) * std::numbers::pi) / std::numbers::pi;
  const Var right = trigamma_right(where(left, 1 - x, where(pole, 1, x)));
  return where(pole, astype(kInfinity, f64), where(left, 1 / (s * s) - right, right));
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
  return apply("special.log_ndtr", x, log_ndtr_of,
               [](Var v, Var, Var g) { return g * kRootTwoOverPi / erfcx_of(v * -kRootHalf); });
}

Var i0(Arg x) {
  return apply(
      "special.i0", x, [](Var v) { return bessel0(v, false); },
      [](Var v, Var, Var g) { return g * bessel1(v, false); });
}

Var i1(Arg x) {
  return apply(
      "special.i1", x, [](Var v) { return bessel1(v, false); },
      [](Var v, Var y, Var g) { return g * (bessel0(v, false) - where(v == 0, 0.5, y / where(v == 0, 1, v))); });
}

Var i0e(Arg x) {
  return apply(
      "special.i0e", x, [](Var v) { return bessel0(v, true); },
      [](Var v, Var y, Var g) { return g * (bessel1(v, true) - sign(v) * y); });
}

Var i1e(Arg x) {
  return apply(
      "special.i1e", x, [](Var v) { return bessel1(v, true); },
      [](Var v, Var y, Var g) {
        return g * (bessel0(v, true) - where(v == 0, 0.5, y / where(v == 0, 1, v)) - sign(v) * y);
      });
}

Var digamma(Arg x) {
  return apply("special.digamma", x, digamma_of, [](Var v, Var, Var g) { return g * trigamma_of(v); });
}

Var trigamma(Arg x) {
  const Site site("special.trigamma", x.at());
  const Var v = operand(x, Domain::floating);
  return astype(trigamma_of(astype(v, f64)), v.dtype());
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
