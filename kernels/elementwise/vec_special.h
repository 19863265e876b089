// Error functions, their inverses, logistic functions and exponentials of a register, for *_tier.cc files.
//
// All special functions are computed in doubles. A core is a function of <T>: of double it has full precision, of float
// the exponents, logarithms and polynomials that it is made of are brief ones, of 2^-33 or better, and a register of
// floats is two calls. Cores are no inline functions: they are long, and a call costs little beside them.
// Methods: frontend/dsl/special*.h. Tests quote the errors found.
#pragma once

#include "tc/kernels/elementwise/special_tables.h"
#include "tc/kernels/elementwise/vec_angles_f64.h"
#include "tc/kernels/elementwise/vec_pow.h"

#define TC_CORE      \
  template <class T> \
  __attribute__((noinline))

namespace tc::kernels {
namespace {

template <class T>
inline constexpr bool kBrief = std::is_same_v<T, float>;

template <class T, int N, int M>
TC_INLINE VecD series(VecD x, const double (&full)[N], const double (&brief)[M]) {
  if constexpr (kBrief<T>)
    return polynomial_by_halves(x, brief);
  else
    return polynomial_by_halves(x, full);
}

// log(x) of positive finite numbers; brief ones of normal numbers.
template <class T>
TC_INLINE VecD log_of(VecD x) {
  if constexpr (!kBrief<T>) {
    const LogPartsF64 l = log_parts(x);
    return log_of_parts(l.m - f64(1.0), f64(0.0), l.e);
  }
  const LogPartsF64 l = log_parts_of_normal(x);
  const VecD f = l.m - f64(1.0), s = f / (f64(2.0) + f), s2 = s * s;
  return fma(l.e, f64(0x1.62e42fefa39efp-1), fma(s * s2, polynomial(s2, special::kLogBrief), s + s));
}

template <class T>
TC_INLINE VecD exp_of(VecD x) {
  if constexpr (!kBrief<T>) return vexp(x);
  const VecD near = clip_nan(x, f64(-700.0), f64(700.0)), n = vround(near * f64(1.44269504088896340736));
  const VecD r = fnma(n, f64(0x1.abc9e3b39803fp-56), fnma(n, f64(0x1.62e42fefa39efp-1), near));
  return fma(r * r, polynomial(r, special::kExpBrief), f64(1.0) + r) * power_of_two(n);
}

// exp(x) - 1 of |x| <= log(2).
template <class T>
TC_INLINE VecD expm1_near(VecD x) {
  if constexpr (!kBrief<T>) return vexpm1(x);
  const VecD n = vround(x * f64(1.44269504088896340736)), r = fnma(n, f64(0x1.62e42fefa39efp-1), x);
  const VecD power = power_of_two(n), p = fma(r * r, polynomial(r, special::kExpBrief), r);
  return fma(power, p, power - f64(1.0));
}

// log(1 + x) of -1 <= x <= 1.
template <class T>
TC_INLINE VecD log1p_near(VecD x) {
  if constexpr (!kBrief<T>) return vlog1p(x);
  const VecD one = f64(1.0), u = one + x;
  const VecD y = log_of<T>(u) + (x - (u - one)) / u;
  return select(u == f64(0.0), f64(-infinity<double>), y);
}

// exp(scale x^2), scale a power of two or its negative, of |x| <= 60: what rounding the square loses is a factor.
template <class T>
TC_INLINE VecD exp_square(VecD x, double scale) {
  const VecD square = x * x, e = exp_of<T>(square * f64(scale));
  if constexpr (kBrief<T>) return e;
  const VecD lost = product_less(x, x, square) * f64(scale);
  return scale < 0 ? fma(e, lost, e) : e * (f64(1.0) + lost);  // which may be infinite
}

// The function of doubles, of both halves of a register of floats.
template <class F>
TC_INLINE VecF by_doubles(VecF x, F f) {
  return narrow(f(low_f64(x)), f(high_f64(x)));
}

// erfcx(x) of x >= 0.
template <class T>
TC_INLINE VecD erfcx_right(VecD x) {
  const VecD t = f64(1.0) - f64(7.5) / (x + f64(3.75));
  return series<T>(t, special::kErfcx, special::kErfcxBrief) / (x + f64(0.5));
}

TC_CORE VecD erfc_core(VecD x) {
  const VecD a = vmin(f64(40.0), vabs(x));
  const VecD tail = exp_square<T>(a, -1.0) * erfcx_right<T>(a);
  const VecD y = select(x < f64(0.0), f64(2.0) - tail, tail);
  if constexpr (kBrief<T>) return y;
  const Mask<double> near = a < f64(0.5);  // as exact as 1 is
  return any(near) ? select(near, f64(1.0) - verf(x), y) : y;
}

TC_CORE VecD erfcx_core(VecD x) {
  const VecD a = vabs(x), right = select(a == f64(0.0), f64(1.0), erfcx_right<T>(a));
  const Mask<double> left = x < f64(0.0);
  if (!any(left)) return right;
  const VecD e = exp_square<T>(vmin(f64(40.0), a), 1.0);
  return select(left, e + e - right, right);
}

inline constexpr double kRootHalf = 0.70710678118654752440;

// The normal distribution beyond a >= 0.
template <class T>
TC_INLINE VecD normal_tail(VecD a) {
  return exp_square<T>(a, -0.5) * (erfcx_right<T>(a * f64(kRootHalf)) * f64(0.5));
}

TC_CORE VecD ndtr_core(VecD x) {
  const VecD a = vmin(f64(60.0), vabs(x)), tail = normal_tail<T>(a);
  const VecD y = select(x < f64(0.0), tail, f64(1.0) - tail);
  if constexpr (kBrief<T>) return y;
  const Mask<double> near = a < f64(0.7);
  return any(near) ? select(near, fma(verf(x * f64(kRootHalf)), f64(0.5), f64(0.5)), y) : y;
}

TC_CORE VecD log_ndtr_core(VecD x) {
  const VecD a = vabs(x), scaled = erfcx_right<T>(a * f64(kRootHalf)) * f64(0.5);
  const VecD near = vmin(f64(60.0), a), tail = exp_square<T>(near, -0.5) * scaled;
  const Mask<double> left = x < f64(-1.0);
  // Of -1 <= x <= 0 the tail itself, of x > 0 what it leaves of 1.
  const VecD inner = select(x <= f64(0.0), log_of<T>(tail), log1p_near<T>(negate(tail)));
  return select(left, log_of<T>(scaled) - a * (a * f64(0.5)), inner);
}

// erfinv(x) of |x| <= 3/4.
template <class T>
TC_INLINE VecD erfinv_near(VecD x) {
  return x * series<T>(fma(x * x, f64(1 / 0.28125), f64(-1.0)), special::kErfinv, special::kErfinvBrief);
}

// erfcinv(q) of 0 < q <= 1/4 in s = sqrt(-log(q)).
template <class T>
TC_INLINE VecD erfcinv_tail(VecD q) {
  const VecD s = vsqrt(negate(log_of<T>(q)));
  VecD y = series<T>((vmin(f64(2.5), s) - f64(1.85)) * f64(1 / 0.65), special::kErfcinv1, special::kErfcinv1Brief);
  const Mask<double> second = s > f64(2.5), third = s > f64(6.0), fourth = s > f64(13.0);
  if (any(second)) {
    const VecD t = (clip_nan(s, f64(2.5), f64(6.0)) - f64(4.25)) * f64(1 / 1.75);
    y = select(second, series<T>(t, special::kErfcinv2, special::kErfcinv2Brief), y);
  }
  if (any(third)) {
    const VecD t = (clip_nan(s, f64(6.0), f64(13.0)) - f64(9.5)) * f64(1 / 3.5);
    y = select(third, series<T>(t, special::kErfcinv3, special::kErfcinv3Brief), y);
  }
  if constexpr (!kBrief<T>)
    if (any(fourth)) {
      const VecD t = (clip_nan(s, f64(13.0), f64(28.0)) - f64(20.5)) * f64(1 / 7.5);
      y = select(fourth, polynomial_by_halves(t, special::kErfcinv4), y);
    }
  return s * y;
}

// `inside` of the middle, else that of the tail whose probability is `rest`, with the sign of `sign`.
template <class T>
TC_INLINE VecD inverse_of_tail(Mask<double> inside, VecD middle, VecD rest, VecD sign) {
  if (all(inside)) return middle;
  const VecD zero = f64(0.0);
  VecD far = erfcinv_tail<T>(select(~inside & (rest > zero), rest, f64(0.25)));
  far = select(rest == zero, f64(infinity<double>), far);
  far = select(rest < zero, f64(not_a_number<double>), far);
  return select(inside | is_nan(rest), middle, copysign(far, sign));
}

TC_CORE VecD erfinv_core(VecD x) {
  const VecD a = vabs(x);
  return inverse_of_tail<T>(a <= f64(0.75), erfinv_near<T>(x), f64(1.0) - a, x);
}

template <class T>
TC_INLINE VecD erfcinv_of(VecD q) {
  const VecD one = f64(1.0), x = one - q;
  const Mask<double> inside = vabs(x) <= f64(0.75);
  return inverse_of_tail<T>(inside, erfinv_near<T>(x), select(q > one, f64(2.0) - q, q), x);
}
TC_CORE VecD erfcinv_core(VecD q) {
  return erfcinv_of<T>(q);
}
TC_CORE VecD ndtri_core(VecD p) {
  return erfcinv_of<T>(p + p) * f64(-2 * kRootHalf);
}

TC_CORE VecD logit_core(VecD p) {
  const VecD one = f64(1.0), q = one - p;
  VecD y = log_of<T>(p / q);
  if constexpr (!kBrief<T>) {
    const Mask<double> near = (p > f64(0.3)) & (p < f64(0.65));
    y = select(near, vlog1p((p + p - one) / select(near, q, one)), y);
  }
  y = select(p == f64(0.0), f64(-infinity<double>), y);
  y = select(p == one, f64(infinity<double>), y);
  return select((p >= f64(0.0)) & (p <= one), y, f64(not_a_number<double>));
}

TC_CORE VecD log1mexp_core(VecD x) {
  const Mask<double> near = x > f64(-0.69314718055994530942);
  const VecD outer = log1p_near<T>(negate(exp_of<T>(select(near, f64(-1.0), x))));
  if (!any(near)) return outer;
  const VecD q = negate(expm1_near<T>(select(near, vmin(f64(1.0), x), f64(-1.0)))), zero = f64(0.0);
  VecD inner = log_of<T>(select(q > zero, q, f64(1.0)));
  inner = select(q == zero, f64(-infinity<double>), inner);
  return select(near, select(q >= zero, inner, f64(not_a_number<double>)), outer);
}

TC_CORE VecD entr_core(VecD x) {
  const VecD zero = f64(0.0);
  const Mask<double> inside = x > zero;
  const VecD y = negate(x) * log_of<T>(select(inside, vmin(f64(greatest<double>), x), f64(1.0)));
  return select(inside, y, select(x < zero, f64(-infinity<double>), x));
}

TC_CORE VecD expit_core(VecD x) {
  return f64(1.0) / (f64(1.0) + exp_of<T>(negate(x)));
}

// log(1 + exp(-|x|))
template <class T>
TC_INLINE VecD log_of_one_and_less(VecD x) {
  return log1p_near<T>(exp_of<T>(negate(vabs(x))));
}
TC_CORE VecD log_expit_core(VecD x) {
  return vmin(f64(0.0), x) - log_of_one_and_less<T>(x);
}
TC_CORE VecD log1pexp_core(VecD x) {
  return vmax(f64(0.0), x) + log_of_one_and_less<T>(x);
}

TC_CORE VecD exp2_core(VecD x) {
  return kBrief<T> ? exp_of<T>(x * f64(0.69314718055994530942)) : vpow(f64(2.0), x);
}
TC_CORE VecD exp10_core(VecD x) {
  return kBrief<T> ? exp_of<T>(x * f64(2.30258509299404568402)) : vpow(f64(10.0), x);
}

TC_CORE VecD cbrt_core(VecD x) {
  const VecD a = vabs(x);
  const Mask<double> plain = (a > f64(0.0)) & (a < f64(infinity<double>));
  const VecD size = select(plain, a, f64(1.0)), third = f64(1.0 / 3);
  if constexpr (kBrief<T>) return select(plain, copysign(exp_of<T>(log_of<T>(size) * third), x), x);
  const VecD y = vpow(size, third);
  return select(plain, copysign(y - (y - size / (y * y)) * third, x), x);
}

}  // namespace

// A function of each type of register from its core.
#define TC_SPECIAL(name)                                                      \
  namespace {                                                                 \
  TC_INLINE VecD v##name(VecD x) {                                            \
    return name##_core<double>(x);                                            \
  }                                                                           \
  TC_INLINE VecF v##name(VecF x) {                                            \
    return by_doubles(x, [](VecD half) { return name##_core<float>(half); }); \
  }                                                                           \
  }
TC_SPECIAL(erfc)
TC_SPECIAL(erfcx)
TC_SPECIAL(ndtr)
TC_SPECIAL(log_ndtr)
TC_SPECIAL(erfinv)
TC_SPECIAL(erfcinv)
TC_SPECIAL(ndtri)
TC_SPECIAL(logit)
TC_SPECIAL(log1mexp)
TC_SPECIAL(entr)
TC_SPECIAL(expit)
TC_SPECIAL(log_expit)
TC_SPECIAL(log1pexp)
TC_SPECIAL(exp2)
TC_SPECIAL(exp10)
TC_SPECIAL(cbrt)

}  // namespace tc::kernels
