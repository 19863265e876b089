// The gamma function, its logarithm and their derivatives of a register, for *_tier.cc files; see vec_special.h.
#pragma once

#include "tc/kernels/elementwise/vec_special.h"

namespace tc::kernels {
namespace {

inline constexpr double kHalfLogTwoPi = 0x1.d67f1c864beb5p-1, kLogPi = 0x1.250d048e7a1bdp+0;

TC_INLINE Mask<double> is_whole(VecD x) {
  return vfloor(x) == x;
}

// sin(pi r) and cos(pi r) of |r| <= 1/2.
TC_INLINE VecD sine_of_turn(VecD r) {
  const VecD r2 = r * r;
  return r * fma(r2, polynomial(r2, special::kSine), f64(3.14159265358979323846));
}
TC_INLINE VecD cosine_of_turn(VecD r) {
  return sine_of_turn(f64(0.5) - vabs(r));
}

// log(gamma(x)) - (x - 1/2) (log(x) - 1) of x >= 8, or with floats of x >= 3; r = 1 / x.
template <class T>
TC_INLINE VecD stirling_rest(VecD r) {
  const VecD r2 = r * r;
  if constexpr (kBrief<T>) return fma(r, polynomial(r2, special::kStirlingBrief), f64(kHalfLogTwoPi - 0.5));
  return fma(r, polynomial(r2, special::kStirling), f64(kHalfLogTwoPi - 0.5));
}

// 0 < x <= 8 as y = x - k, which is below `least` + 1 unless x is, and the product of y and what lies between: by a
// step of four, of two and of one.
struct Shifted {
  VecD y, product;
};
TC_INLINE Shifted shift_down(VecD x, double least) {
  const VecD one = f64(1.0), two = f64(2.0), three = f64(3.0);
  VecD y = x;
  Mask<double> down = y >= f64(least + 4);
  VecD product = select(down, (y - one) * (y - two) * ((y - three) * (y - f64(4.0))), one);
  y = select(down, y - f64(4.0), y);
  down = y >= f64(least + 2);
  product = select(down, product * ((y - one) * (y - two)), product);
  y = select(down, y - two, y);
  down = y >= f64(least + 1);
  y = select(down, y - one, y);
  return {y, select(down, product * y, product)};
}

// Of 0 < x: with floats a polynomial on [1, 2], one step of the recurrence on either side, and from 3 on the series.
TC_INLINE VecD gammaln_right_brief(VecD x) {
  const VecD one = f64(1.0);
  const Mask<double> low = x < one, second = x >= f64(2.0), far = x >= f64(3.0);
  const VecD y = select(low, x + one, select(second, x - one, x));
  const VecD p = (y - one) * (y - f64(2.0)) * polynomial_by_halves(y + y - f64(3.0), special::kGammalnBrief);
  const VecD l = log_of<float>(select(low | far, x, select(second, y, one)));
  const VecD near = select(low, p - l, p + l);
  if (!any(far)) return near;
  return select(far, fma(x - f64(0.5), l - one, stirling_rest<float>(one / x)), near);
}

// With doubles polynomials on [1/2, 3/2] and [3/2, 5/2], so that 1 and 2 are in the middle.
TC_INLINE VecD gammaln_right_full(VecD x) {
  const VecD one = f64(1.0), two = f64(2.0);
  const Mask<double> low = x<f64(0.5), far = x> f64(8.0);
  const Shifted s = shift_down(select(far, two, x), 1.5);
  const VecD y = select(low, x + one, s.y);
  const Mask<double> first = y < f64(1.5);
  const VecD t = y + y - select(first, two, f64(4.0));
  VecD r = polynomial_by_halves(t, special::kGammaln2);
  if (any(first)) r = select(first, polynomial_by_halves(t, special::kGammaln1), r);
  const VecD l = log_of<double>(select(low | far, x, s.product));
  const VecD near = fma((y - one) * (y - two), r, select(low, negate(l), l));
  if (!any(far)) return near;
  return select(far, fma(x - f64(0.5), l - one, stirling_rest<double>(one / x)), near);
}

// By reflection, of x < 0 that is no whole number; in full precision, since it has zeros.
__attribute__((noinline, unused)) VecD gammaln_left(VecD x) {
  const VecD a = vmin(f64(0x1p60), vabs(x)), s = vabs(sine_of_turn(x - vround(x)));
  // In two logarithms, for the product may be below all numbers.
  return f64(kLogPi) - log_of<double>(s) - log_of<double>(a) - gammaln_right_full(a);
}

TC_CORE VecD gammaln_core(VecD x) {
  const Mask<double> left = x < f64(0.0), pole = (x <= f64(0.0)) & is_whole(x);
  const VecD a = vabs(x);
  VecD y = kBrief<T> ? gammaln_right_brief(a) : gammaln_right_full(a);
  if (any(left)) y = select(left, gammaln_left(x), y);
  return select(pole | (a == f64(infinity<double>)), f64(infinity<double>), y);
}

// Of x >= 0.
template <class T>
TC_INLINE VecD gamma_right(VecD x) {
  const VecD one = f64(1.0);
  const Mask<double> low = x<one, far = x> f64(kBrief<T> ? 3.0 : 8.0);
  VecD y = select(low, x + one, x), factor = one;
  if constexpr (kBrief<T>) {
    const Mask<double> second = x >= f64(2.0);
    y = select(second, x - one, y), factor = select(second, y, one);
  } else {
    const Shifted s = shift_down(select(far, one, y), 1.0);
    y = s.y, factor = s.product;
  }
  const VecD p = series<T>(y + y - f64(3.0), special::kGamma, special::kGammaBrief);
  const VecD near = select(low, p / x, p * factor);
  if (!any(far)) return near;
  const VecD z = vmin(f64(200.0), select(far, x, f64(10.0))), rest = stirling_rest<T>(one / z);
  if constexpr (kBrief<T>) return select(far, exp_of<T>(fma(z - f64(0.5), log_of<T>(z) - one, rest)), near);
  // z^(z - 1/2) would be infinite before gamma is: by its root, twice.
  const VecD half = vpow(z, fma(z, f64(0.5), f64(-0.25)));
  return select(far, half * (vexp(negate(z)) * vexp(rest + f64(0.5))) * half, near);
}

TC_CORE VecD gamma_core(VecD x) {
  const VecD zero = f64(0.0);
  const Mask<double> left = x < zero;
  const VecD a = vabs(x);
  VecD y = gamma_right<T>(select(x == zero, x, a));
  if (!any(left)) return y;
  // pi / sin(pi a) has the sign that the parity of the nearest whole number tells.
  const VecD n = vround(a), odd = n - (vfloor(n * f64(0.5)) + vfloor(n * f64(0.5)));
  const VecD s = sine_of_turn(a - n) * (f64(1.0) - odd - odd);
  const VecD reflected = f64(-3.14159265358979323846) / s / y / a;
  return select(left, select(is_whole(x), f64(not_a_number<double>), reflected), y);
}

// The sum of 1 / x + 1 / (x + 1) + ... as far as the denominators are below 10, and what follows.
struct Climbed {
  VecD x, sum;
};
TC_INLINE Climbed climb(VecD x) {
  Climbed c{x, f64(0.0)};
#pragma GCC unroll 1
  for (int k = 0; k < 7; ++k) {
    const Mask<double> up = c.x < f64(10.0);
    if (!any(up)) break;
    c.sum = c.sum + select(up, f64(1.0) / c.x, f64(0.0));
    c.x = select(up, c.x + f64(1.0), c.x);
  }
  return c;
}

// A polynomial times the distance to the root on [1, 2], one step of the recurrence on either side, and from 3 on the
// series, to which doubles climb.
template <class T>
TC_INLINE VecD digamma_right(VecD x) {
  const VecD one = f64(1.0);
  const Mask<double> low = x<one, second = x> f64(2.0), far = x > f64(3.0);
  const VecD y = select(low, x + one, select(second, x - one, x));
  VecD r = one / select(second & ~far, y, x);
  const VecD step = select(low, negate(r), select(second, r, f64(0.0)));
  const VecD from_root = (y - f64(special::kDigammaRoot)) - f64(special::kDigammaRootLow);
  const VecD near = fma(from_root, series<T>(y + y - f64(3.0), special::kDigamma, special::kDigammaBrief), step);
  if (!any(far)) return near;
  VecD z = select(far, x, f64(10.0)), sum = f64(0.0);
  if constexpr (!kBrief<T>) {
    const Climbed c = climb(z);
    z = c.x, sum = c.sum, r = one / z;
  }
  const VecD r2 = r * r;
  const VecD tail = kBrief<T> ? polynomial(r2, special::kDigammaTailBrief) : polynomial(r2, special::kDigammaTail);
  const VecD outer = log_of<T>(z) - fma(r, f64(0.5), r2 * tail) - sum;
  return select(far, select(x == f64(infinity<double>), x, outer), near);
}

// By reflection; in full precision, since it has zeros.
__attribute__((noinline, unused)) VecD digamma_left(VecD x) {
  const VecD r = x - vround(x);
  return digamma_right<double>(f64(1.0) - x) -
         copysign(cosine_of_turn(r), r) / vabs(sine_of_turn(r)) * f64(3.14159265358979323846);
}

TC_CORE VecD digamma_core(VecD x) {
  const Mask<double> left = x < f64(0.0);
  VecD y = digamma_right<T>(vabs(x));
  y = select(x == f64(0.0), copysign(f64(infinity<double>), negate(x)), y);
  if (!any(left)) return y;
  return select(left, select(is_whole(x), f64(not_a_number<double>), digamma_left(x)), y);
}

template <class T>
TC_INLINE VecD trigamma_right(VecD x) {
  const VecD one = f64(1.0), start = f64(kBrief<T> ? 4.0 : 10.0);
  VecD z = x, sum = f64(0.0);
#pragma GCC unroll 1
  for (int k = 0; k < (kBrief<T> ? 4 : 10); ++k) {
    const Mask<double> up = z < start;
    if (!any(up)) break;
    const VecD r = one / z;
    sum = sum + select(up, r * r, f64(0.0));
    z = select(up, z + one, z);
  }
  const VecD r = one / z, r2 = r * r;
  const VecD tail = kBrief<T> ? polynomial(r2, special::kTrigammaTailBrief) : polynomial(r2, special::kTrigammaTail);
  return sum + (r + fma(r2, f64(0.5), r * r2 * tail));
}

TC_CORE VecD trigamma_core(VecD x) {
  const Mask<double> left = x < f64(0.0), pole = (x <= f64(0.0)) & is_whole(x);
  VecD y = trigamma_right<T>(select(left, f64(1.0) - x, x));
  if (any(left)) {
    const VecD s = sine_of_turn(x - vround(x)) * f64(0.31830988618379067154);
    y = select(left, f64(1.0) / (s * s) - y, y);
  }
  return select(pole, f64(infinity<double>), y);
}

}  // namespace

TC_SPECIAL(gamma)
TC_SPECIAL(gammaln)
TC_SPECIAL(digamma)
TC_SPECIAL(trigamma)

}  // namespace tc::kernels
