// Sines, arcs and hyperbolic functions of a register of floats, for *_tier.cc files: as exact as vec_math.h says.
#pragma once

#include "tc/kernels/elementwise/vec_math.h"

namespace tc::kernels {
namespace {

// Sines are computed in doubles, half a register at a time: then neither the reduction nor the polynomial needs a low
// part. pi is in two parts, of which the first has 33 bits: good for |x| < 2^18, larger arguments go to the C library.
inline constexpr float kReducible = 262144.0f;

TC_INLINE VecD less_multiple(VecD x, VecD n, double part, double rest) {
  return fnma(n, VecD(rest), fnma(n, VecD(part), x));
}

// sin of x, or of x + pi/2: x = n pi + r, for the cosine with halves for n, and sin(r) with a sign by the parity of n.
template <bool kCosine>
TC_INLINE VecD sine_wide(VecD x) {
  constexpr double kQ[] = {0.9999999999788362,      -0.16666666608796238,  0.008333330719483683,
                           -0.00019840832689337184, 2.752396431063414e-06, -2.3868227720629154e-08};
  const VecD shift(0x1.8p52);  // beside it doubles are whole numbers, whose last bit tells the parity
  const VecD turns = kCosine ? fma(x, VecD(0.318309886183790671538), VecD(-0.5)) + shift
                             : fma(x, VecD(0.318309886183790671538), shift);
  const VecD n = kCosine ? turns - shift + VecD(0.5) : turns - shift;
  const VecD r = less_multiple(x, n, 3.14159265346825122833, 1.21542010130123852e-10);
  const VecD y = r * polynomial(r * r, kQ);  // on |r| <= pi/2, relative error 2^-35
  const VecL sign = shift_left<63>(bits(turns));
  return from_bits(bits(y) ^ (kCosine ? sign ^ VecL(INT64_MIN) : sign));
}
template <bool kCosine, class Exact>
TC_INLINE VecF sine(VecF x, Exact exact) {
  const VecF y = narrow(sine_wide<kCosine>(low_f64(x)), sine_wide<kCosine>(high_f64(x)));
  const Mask<float> far = ~(vabs(x) < f32(kReducible));
  if (!any(far)) return y;
  return select(far, lanewise(x, x, [&](float v, float) { return static_cast<float>(exact(v)); }), y);
}
TC_INLINE VecF vsin(VecF x) {
  return sine<false>(x, [](double v) { return __builtin_sin(v); });
}
TC_INLINE VecF vcos(VecF x) {
  return sine<true>(x, [](double v) { return __builtin_cos(v); });
}

// tan(x) is `top` / `bottom`: sine and cosine of x less multiples of pi/2, which change places at odd ones.
struct Ratio {
  VecD top, bottom;
};
TC_INLINE Ratio tangent_wide(VecD x) {
  constexpr double kSine[] = {0.9999999967604953, -0.1666665021927945, 0.008332016189070333, -0.0001950178812264836};
  constexpr double kCosine[] = {0.9999999999439089, -0.4999999957138239, 0.0416666132172162, -0.0013886528670416056,
                                2.437263605186188e-05};  // on |r| <= pi/4, relative errors 2^-28 and 2^-34
  const VecD shift(0x1.8p52), turns = fma(x, VecD(0.636619772367581343076), shift);
  const VecD r = less_multiple(x, turns - shift, 1.57079632673412561417, 6.07710050650619224932e-11), r2 = r * r;
  const VecL s = bits(r * polynomial(r2, kSine)), c = bits(polynomial(r2, kCosine)), odd = bits(turns) & VecL(1);
  const VecL exchange = (s ^ c) & (VecL(0) - odd);
  return {from_bits(s ^ exchange ^ shift_left<63>(odd)), from_bits(c ^ exchange)};
}
TC_INLINE VecF vtan(VecF x) {
  const Ratio low = tangent_wide(low_f64(x)), high = tangent_wide(high_f64(x));
  const VecF y = narrow(low.top, high.top) / narrow(low.bottom, high.bottom);
  const Mask<float> far = ~(vabs(x) < f32(kReducible));
  if (!any(far)) return y;
  return select(far, lanewise(x, x, [](float v, float) { return static_cast<float>(__builtin_tan(double{v})); }), y);
}

inline constexpr float kHalfPi = 1.57079632679489661923f;
inline constexpr float kHalfPiLow = -4.37113900018624283e-8f;  // pi/2 - kHalfPi

// asin(t) - t.
TC_INLINE VecF asin_rest(VecF t, VecF t2) {
  // (asin(t) - t) / t^3 in t^2 on |t| <= 1/2; relative error 2^-31.7.
  constexpr float kQ[] = {0.16666659871886108f, 0.07500510916969029f,  0.044515720494825155f,
                          0.03181760932542573f, 0.014402614960358107f, 0.03756518839865203f};
  return t * t2 * polynomial(t2, kQ);
}
// Beyond 1/2: asin(x) = pi/2 - 2 asin(t), t^2 = (1 - x) / 2. The rounding of the root is made good as in fdlibm: head
// is t cut to 12 bits, so its square is exact, and t + error = head + (t^2 - head^2) / (t + head).
TC_INLINE VecF vasin(VecF x) {
  const VecF ax = vabs(x);
  const Mask<float> big = ax > f32(0.5f);
  const VecF t2 = select(big, f32(0.5f) * (f32(1.0f) - ax), ax * ax);
  const VecF t = select(big, vsqrt(t2), ax);
  const VecF rest = asin_rest(t, t2);
  const VecF head = from_bits(bits(t) & VecI(~0xfff));
  const VecF tail = (t2 - head * head) / (t + head + f32(std::numeric_limits<float>::min()));
  const VecF quarter = f32(kHalfPi / 2);
  const VecF far = quarter - ((rest + rest - (f32(kHalfPiLow) - (tail + tail))) - (quarter - (head + head)));
  return copysign(select(big, far, t + rest), x);
}
TC_INLINE VecF vacos(VecF x) {
  const VecF ax = vabs(x);
  const Mask<float> big = ax > f32(0.5f);
  const VecF t2 = select(big, f32(0.5f) * (f32(1.0f) - ax), ax * ax);
  const VecF t = select(big, vsqrt(t2), ax);
  const VecF p = t + asin_rest(t, t2);
  const VecF middle = f32(kHalfPi) - (copysign(p, x) - f32(kHalfPiLow));
  const VecF end = select(x < f32(0.0f), f32(2 * kHalfPi) - (p + p - f32(2 * kHalfPiLow)), p + p);
  return select(big, end, middle);
}

// Reduced to |t| <= tan(pi/8) by atan(x) = pi/4 + atan((x - 1)/(x + 1)) = pi/2 + atan(-1/x).
TC_INLINE VecF vatan(VecF x) {
  // (atan(t) - t) / t^3 in t^2; relative error 2^-30.5.
  constexpr float kQ[] = {-0.3333331534106989f, 0.19998478518242635f, -0.14243628064823127f, 0.10594273432851455f,
                          -0.060788498619233335f};
  const VecF ax = vabs(x), one = f32(1.0f);
  const Mask<float> far = ax > f32(2.41421356237309505f);
  const Mask<float> middle = ax > f32(0.414213562373095049f);
  const VecF t = select(far, f32(-1.0f), select(middle, ax - one, ax)) / select(far, ax, select(middle, ax + one, one));
  const VecF base = select(far, f32(kHalfPi), select(middle, f32(kHalfPi / 2), f32(0.0f)));
  const VecF base_low = select(far, f32(kHalfPiLow), select(middle, f32(kHalfPiLow / 2), f32(0.0f)));
  const VecF t2 = t * t;
  const VecF p = fma(t * t2, polynomial(t2, kQ), t + base_low);
  return copysign(base + p, x);
}

// With t = e^|x| - 1 it is (t + t / (t + 1)) / 2, of which all is counted in quarters, since e^89.4 is no float.
TC_INLINE VecF vsinh(VecF x) {
  const ExpParts e = exp_parts(clip_nan(vabs(x), f32(0.0f), f32(89.5f)));
  const VecF s = scale_by_power(f32(0.25f), e.n), quarter = fma(s, e.p, s - f32(0.25f)), t = quarter + quarter;
  const VecF most = vmin(f32(1e30f), t);
  return copysign(fma(most, inverse(most + most + f32(1.0f)), t), x);
}
TC_INLINE VecF vcosh(VecF x) {
  const VecF half = vexp<-1>(vabs(x));
  return half + f32(0.25f) / half;
}

// Logarithms of sums with a root. From 1e9 on they are log(2 x).
inline constexpr float kLn2 = 0.693147180559945309f;
TC_INLINE VecF log_of_sum(VecF x, VecF less_one) {
  const Mask<float> far = x > f32(1e9f);
  const VecF y = log1p_core(select(far, x, less_one));
  return select(far, select(x == f32(infinity<float>), x, y + f32(kLn2)), y);
}
TC_INLINE VecF vasinh(VecF x) {
  // Products of small numbers would be subnormal, which is slow.
  const VecF ax = vabs(x), one = f32(1.0f), near = select(ax < f32(1e-8f), f32(0.0f), ax), x2 = near * near;
  const VecF y = log_of_sum(ax, fma(x2, inverse(one + vsqrt(vmin(f32(1e30f), x2) + one)), near));
  return copysign(select(ax < f32(1e-8f), ax, select(is_nan(x), x, y)), x);
}
TC_INLINE VecF vacosh(VecF x) {
  const VecF t = x - f32(1.0f);
  const VecF y = log_of_sum(x, t + vsqrt(fma(t, t, t + t)));
  return select(x >= f32(1.0f), y, f32(not_a_number<float>));
}
TC_INLINE VecF vatanh(VecF x) {
  const VecF ax = vabs(x);
  const VecF y = f32(0.5f) * vlog1p((ax + ax) / (f32(1.0f) - ax));
  return copysign(y, x);
}

}  // namespace
}  // namespace tc::kernels
