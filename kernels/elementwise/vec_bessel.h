// Bessel functions of order 0 and 1 of a register, for *_tier.cc files; see vec_special.h.
#pragma once

#include "tc/kernels/elementwise/vec_special.h"

namespace tc::kernels {
namespace {

// I0, or I1 of |x|, times exp(-|x|) if kScaled.
template <class T, int kOrder, bool kScaled>
TC_INLINE VecD bessel_i(VecD x) {
  using namespace special;
  const VecD a = vabs(x);
  const Mask<double> far = a > f64(7.75);
  const VecD small = vmin(f64(7.75), a);
  VecD y;
  if constexpr (kBrief<T>) {
    const VecD t = fma(small, f64(1 / 3.875), f64(-1.0));
    y = kOrder ? small * polynomial_by_halves(t, kI1Brief) : polynomial_by_halves(t, kI0Brief);
    if (!kScaled) y = y * exp_of<T>(small);
  } else {
    const VecD u = small * small * f64(0.25);
    y = kOrder ? small * f64(0.5) * polynomial_by_halves(u, kI1) : polynomial_by_halves(u, kI0);
    if (kScaled) y = y * exp_of<T>(negate(small));
  }
  if (any(far)) {
    const VecD big = vmax(f64(7.75), a), t = f64(15.5) / big - f64(1.0);
    VecD outer = (kOrder ? series<T>(t, kI1e, kI1eBrief) : series<T>(t, kI0e, kI0eBrief)) / vsqrt(big);
    // The exponential is infinite before the function is: by its root, twice.
    const VecD half = kScaled ? f64(1.0) : exp_of<T>(vmin(f64(1e3), big) * f64(0.5));
    if (!kScaled) outer = select(a == f64(infinity<double>), a, half * outer * half);
    y = select(far, outer, y);
  }
  y = select(is_nan(x), x, y);
  return kOrder ? select(x == f64(0.0), x, copysign(y, x)) : y;
}

TC_CORE VecD i0_core(VecD x) {
  return bessel_i<T, 0, false>(x);
}
TC_CORE VecD i0e_core(VecD x) {
  return bessel_i<T, 0, true>(x);
}
TC_CORE VecD i1_core(VecD x) {
  return bessel_i<T, 1, false>(x);
}
TC_CORE VecD i1e_core(VecD x) {
  return bessel_i<T, 1, true>(x);
}

// The distance of a to a zero, times that to its negative.
TC_INLINE VecD from_zero(VecD a, double high, double low) {
  return ((a - f64(high)) - f64(low)) * (a + f64(high));
}

// J0, or J1 of |x|. Beyond 8 in full precision, since it has zeros there.
template <class T, int kOrder>
TC_INLINE VecD bessel_j(VecD x) {
  using namespace special;
  const VecD a = vabs(x), small = vmin(f64(8.0), a), u = fma(small * small, f64(1. / 32), f64(-1.0));
  const Mask<double> far = a > f64(8.0);
  VecD y;
  if constexpr (kOrder == 0)
    y = series<T>(u, kJ0, kJ0Brief) * from_zero(small, kJ0First, kJ0FirstLow) *
        from_zero(small, kJ0Second, kJ0SecondLow);
  else
    y = small * series<T>(u, kJ1, kJ1Brief) * from_zero(small, kJ1First, kJ1FirstLow) *
        from_zero(small, kJ1Second, kJ1SecondLow);
  if (!any(far)) return y;
  const VecD big = select(far & (a < f64(infinity<double>)), a, f64(8.0));
  const VecD t = f64(128.0) / (big * big) - f64(1.0), s = vsin(big), c = vcos(big);
  VecD p, q;
  if constexpr (kOrder == 0)
    p = polynomial_by_halves(t, kP0) * (c + s), q = negate(polynomial_by_halves(t, kQ0)) / big * (s - c);
  else
    p = polynomial_by_halves(t, kP1) * (s - c), q = polynomial_by_halves(t, kQ1) / big * (s + c);
  const VecD outer = (p + q) / vsqrt(big * f64(3.14159265358979323846));
  return select(far, select(a == f64(infinity<double>), f64(0.0), outer), y);
}

TC_CORE VecD j0_core(VecD x) {
  return select(x == f64(0.0), f64(1.0), select(is_nan(x), x, bessel_j<T, 0>(x)));
}
TC_CORE VecD j1_core(VecD x) {
  const VecD y = bessel_j<T, 1>(x);
  return select((x == f64(0.0)) | is_nan(x), x, select(x < f64(0.0), negate(y), y));
}

}  // namespace

TC_SPECIAL(i0)
TC_SPECIAL(i0e)
TC_SPECIAL(i1)
TC_SPECIAL(i1e)
TC_SPECIAL(j0)
TC_SPECIAL(j1)

}  // namespace tc::kernels
