// Powers of a register of floats or doubles, for *_tier.cc files: at most 1 ulp, as the tests measure.
#pragma once

#include "tc/kernels/elementwise/vec_angles_f64.h"

namespace tc::kernels {
namespace {

// x^y where `power` is |x|^y, good for ordinary numbers.
template <class T>
TC_INLINE Vec<T> signed_power(Vec<T> x, Vec<T> y, Vec<T> power) {
  using V = Vec<T>;
  const V ax = vabs(x), zero(T{0}), one(T{1}), inf(infinity<T>);
  if (all((x > zero) & (x < inf) & (vabs(y) < inf))) return power;
  // |x| = 0 or infinity, which have no logarithm: 0 or infinity by the sign of y.
  const Mask<T> rising = exclusive_or<T>(ax == inf, y < zero);
  V r = select((ax == zero) | (ax == inf), select(rising, inf, zero), power);
  // Odd integers keep the sign of x; a negative finite x has no power that is not an integer.
  const V half_y = y * V(T{0.5});
  const Mask<T> integer = vfloor(y) == y;
  const Mask<T> odd = integer & ~(vfloor(half_y) == half_y) & ~(vabs(y) == inf);
  r = select(odd, copysign(r, x), r);
  r = select((x < zero) & ~(ax == inf) & ~integer, V(not_a_number<T>), r);
  r = select(vabs(y) == inf, select(ax == one, one, select(exclusive_or<T>(ax > one, y < zero), inf, zero)), r);
  r = select(is_nan(x) | is_nan(y), x + y, r);
  return select((y == zero) | (x == one), one, r);
}

// log(m 2^e) and exp in double precision, half a register at a time, so that y log x is exact enough for x^y of floats.
TC_INLINE VecD log_wide(VecD m, VecD e) {
  // log(1 + f) / f for 1 + f in [sqrt(1/2), sqrt(2)]; relative error 2^-35.8.
  constexpr double kQ[] = {0.9999999999859368,  -0.5000000002948893,  0.33333334334962866, -0.24999994065445172,
                           0.19999881023768612, -0.1666694416060669,  0.1429099133451979,  -0.12497470456632198,
                           0.1100501241288129,  -0.09922958169870726, 0.10033698291372105, -0.09900663533188017,
                           0.053618208070507274};
  const VecD f = m - VecD(1.0);
  return fma(e, VecD(0.693147180559945309417), f * polynomial_by_halves(f, kQ));
}
struct WideExp {
  VecD p, n;
};
TC_INLINE WideExp exp_wide(VecD z) {
  constexpr double kQ[] = {1.0000000005586884,  1.0000000365386053,   0.4999999203181869,   0.16666419189820977,
                           0.04166823185266177, 0.008374898472497996, 0.0013836740979689779};
  const VecD n = vround(z * VecD(1.44269504088896340736));  // beyond whose multiple of ln 2 the relative error is 2^-29
  return {polynomial_by_halves(fnma(n, VecD(0.693147180559945309417), z), kQ), n};
}
TC_INLINE VecF vpow(VecF x, VecF y) {
  const LogParts l = log_parts(vabs(x));
  VecD z[2] = {low_f64(y) * log_wide(low_f64(l.m), low_f64(l.e)), high_f64(y) * log_wide(high_f64(l.m), high_f64(l.e))};
  for (VecD& part : z) part = clip_nan(part, VecD(-110.0), VecD(90.0));
  const WideExp low = exp_wide(z[0]), high = exp_wide(z[1]);
  return signed_power<float>(x, y, scale_by_power(narrow(low.p, high.p), narrow(low.n, high.n)));
}

// log(m 2^e) with a relative error of 2^-65 or so, where products are fused: 2 atanh(s) for s = (m - 1) / (m + 1), with
// the quotient, the terms in s and s^3 and their sum in two parts each.
TC_INLINE Wide log_in_parts(VecD m, VecD e) {
  // (2 atanh(s) / s - 2 - 2/3 s^2) / s^4 in s^2; relative error of the result 2^-65.
  constexpr double kQ[] = {0.40000000000002256, 0.2857142857009924, 0.22222222519979104, 0.18181784362490844,
                           0.15386757533952175, 0.1325681322738475, 0.13196369127430108};
  const VecD one = f64(1.0), f = m - one, d = m + one, d_low = m - (d - one);
  const VecD inverse = one / d, s = f * inverse, s_low = (fnma(s, d, f) - s * d_low) * inverse;
  const VecD s2 = s * s, s2_low = fma(s, s, negate(s2)) + f64(2.0) * s * s_low;
  const VecD s3 = s * s2, s3_low = fma(s, s2, negate(s3)) + fma(s, s2_low, s_low * s2);
  const VecD third = f64(2.0 / 3), p = third * s3;
  const VecD p_low = fma(third, s3, negate(p)) + fma(f64(0x1.5555555555555p-55), s3, third * s3_low);
  const VecD tail = s3 * s2 * polynomial_by_halves(s2, kQ);
  // e ln 2 is 0 or larger than 2 s, which is larger than the rest.
  const VecD octaves = e * f64(0x1.62e42fefp-1), two_s = s + s, first = octaves + two_s;
  const VecD back = first - octaves, first_low = (octaves - (first - back)) + (two_s - back);
  const Wide sum = sum_of(first, p);
  const VecD low = fma(e, f64(0x1.473de6af278edp-34), first_low + sum.low) + (s_low + s_low + p_low + tail);
  return sum_of(sum.high, low);
}
TC_INLINE VecD vpow(VecD x, VecD y) {
  if constexpr (!kFusedProducts) return lanewise(x, y, [](double a, double b) { return __builtin_pow(a, b); });
  const LogPartsF64 l = log_parts(vabs(x));
  const Wide log = log_in_parts(l.m, l.e);
  const VecD product = y * log.high, z = clip_nan(product, f64(-750.0), f64(720.0));
  const VecD z_low = select(product == z, fma(y, log.low, fma(y, log.high, negate(product))), f64(0.0));
  const ExpPartsF64 e = exp_parts(z);
  const Wide sum = sum_of(f64(1.0), e.r);
  const VecD power = sum.high + (sum.low + (e.rest + fma(e.p, z_low, z_low)));
  return signed_power<double>(x, y, scale_by_power(power, e.n));
}

}  // namespace
}  // namespace tc::kernels
