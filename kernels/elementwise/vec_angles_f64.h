// Sines, arcs and hyperbolic functions of a register of doubles, for *_tier.cc files: at most 2 ulp, as the tests
// measure.
//
// Reductions are the classical ones of vec_angles.h; what rounding loses is carried in low parts. Polynomials are
// minimax fits of our own; each names the bound of its error.
#pragma once

#include "tc/kernels/elementwise/vec_math_f64.h"

namespace tc::kernels {
namespace {

// a b - c without the roundings of fl(a b), when the difference is small beside c.
TC_INLINE VecD product_less(VecD a, VecD b, VecD c) {
  if constexpr (kFusedProducts) return fma(a, b, negate(c));
  // Halves of 26 bits, whose products are exact (Dekker).
  const VecL upper(~0x7ffffff);
  const VecD a1 = from_bits(bits(a) & upper), b1 = from_bits(bits(b) & upper), a2 = a - a1, b2 = b - b1;
  return a1 * b1 - c + a1 * b2 + a2 * b1 + a2 * b2;
}

// x = quadrant * pi/2 + r + low with |r| <= pi/4. pi/2 is in parts of 33 bits, so that products with them are exact for
// |x| < 2^20; larger arguments go to the C library.
inline constexpr double kReducibleF64 = 1048576.0;
// Up to here what rounding the last product loses is below the last place of any r.
inline constexpr double kReducibleSoon = 16384.0;
struct QuadrantsF64 {
  VecD r, low;
  VecL q;  // its last two bits
};
inline constexpr double kHalfPiParts[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};
// r + low = high + low where `high` is the larger one or both are rest of a cancellation.
TC_INLINE QuadrantsF64 quadrants_of(VecD high, VecD low, VecD turns) {
  const Wide r = sum_of(high, low);
  return {r.high, r.low, bits(turns)};
}
TC_INLINE QuadrantsF64 reduce_quadrants(VecD x) {
  const auto& [part, second_part, third_part, rest_part] = kHalfPiParts;
  const VecD shift = f64(0x1.8p52), turns = fma(x, f64(0.636619772367581343076), shift), n = turns - shift;
  const VecD first = fnma(n, f64(part), x), second = fnma(n, f64(second_part), first);
  const VecD lost = fnma(n, f64(second_part), first - second);
  const QuadrantsF64 soon = quadrants_of(second, fnma(n, f64(third_part + rest_part), lost), turns);
  const Mask<double> near = vabs(x) < f64(kReducibleSoon);
  if (all(near)) return soon;
  // The third part may be as large as what the others leave.
  const VecD q = n * f64(third_part), third = second - q, back = third - second;
  const VecD lost_too = (second - (third - back)) - (q + back);
  const QuadrantsF64 late = quadrants_of(third, lost + fnma(n, f64(rest_part), lost_too), turns);
  return {select(near, soon.r, late.r), select(near, soon.low, late.low), soon.q};
}

TC_INLINE Wide sin_core(const QuadrantsF64& k) {
  constexpr double kQ[] = {-0.16666666666666632,   0.00833333333332237,     -0.00019841269829771186,
                           2.7557313678672517e-06, -2.5050755962445946e-08, 1.5896666566103513e-10};
  const VecD r2 = k.r * k.r;  // on |r| <= pi/4, relative error 2^-58
  return sum_of(k.r, fma(k.r * r2, polynomial(r2, kQ), k.low));
}
TC_INLINE Wide cos_core(const QuadrantsF64& k) {
  constexpr double kQ[] = {0.0416666666666666,      -0.0013888888888874064, 2.480158728944347e-05,
                           -2.7557314340656887e-07, 2.087572162339473e-09,  -1.1359559314957982e-11};
  const VecD r2 = k.r * k.r, half = f64(0.5) * r2;  // on |r| <= pi/4, error 2^-64
  const VecD w = f64(1.0) - half;                   // what its rounding lost comes back with the small terms
  return sum_of(w, ((f64(1.0) - w) - half) + fnma(k.r, k.low, r2 * r2 * polynomial(r2, kQ)));
}
// Exchanges two numbers in the lanes where the last bit of `odd` is set.
TC_INLINE void exchange_where(VecL odd, VecD& a, VecD& b) {
  const VecL change = (bits(a) ^ bits(b)) & (VecL(0) - (odd & VecL(1)));
  a = from_bits(bits(a) ^ change), b = from_bits(bits(b) ^ change);
}

// sin of x + turns * pi/2.
template <class Exact>
TC_INLINE VecD sine(VecD x, int turns, Exact exact) {
  const QuadrantsF64 k = reduce_quadrants(x);
  const VecL q = k.q + VecL(turns);
  VecD y = sin_core(k).high, other = cos_core(k).high;
  exchange_where(q, y, other);
  y = from_bits(bits(y) ^ shift_left<62>(q & VecL(2)));
  if (turns == 0) y = select(x == f64(0.0), x, y);
  const Mask<double> far = ~(vabs(x) < f64(kReducibleF64));
  if (any(far)) y = select(far, lanewise(x, x, [&](double v, double) { return exact(v); }), y);
  return y;
}
TC_INLINE VecD vsin(VecD x) {
  return sine(x, 0, [](double v) { return __builtin_sin(v); });
}
TC_INLINE VecD vcos(VecD x) {
  return sine(x, 1, [](double v) { return __builtin_cos(v); });
}
TC_INLINE VecD vtan(VecD x) {
  const QuadrantsF64 k = reduce_quadrants(x);
  Wide s = sin_core(k), c = cos_core(k);
  exchange_where(k.q, s.high, c.high);
  exchange_where(k.q, s.low, c.low);
  // A first quotient is put right by what it leaves.
  const VecD inverse = f64(1.0) / c.high, near = s.high * inverse;
  const VecD left = (s.low - near * c.low) - product_less(near, c.high, s.high);
  VecD y = fma(left, inverse, near);
  y = from_bits(bits(y) ^ shift_left<63>(k.q));
  y = select(x == f64(0.0), x, y);
  const Mask<double> far = ~(vabs(x) < f64(kReducibleF64));
  if (any(far)) y = select(far, lanewise(x, x, [](double v, double) { return __builtin_tan(v); }), y);
  return y;
}

inline constexpr double kHalfPiF64 = 1.57079632679489661923;
inline constexpr double kHalfPiLowF64 = 6.123233995736766e-17;  // pi/2 - kHalfPiF64

// asin(t) - t.
TC_INLINE VecD asin_rest(VecD t, VecD t2) {
  // (asin(t) - t) / t^3 in t^2 on |t| <= 1/2; relative error 2^-56.
  constexpr double kQ[] = {0.16666666666665383,  0.07500000000343059,  0.04464285682347329,   0.03038195933154489,
                           0.022371753518221824, 0.017359771159864108, 0.01388459811702691,   0.01217328090795976,
                           0.006510848450785373, 0.01957391571282103,  -0.016294084102459902, 0.031958970380032564};
  return t * t2 * polynomial_by_halves(t2, kQ);
}
// What the arcs beyond 1/2 are made of: asin(x) = pi/2 - 2 asin(t), t^2 = (1 - x) / 2.
struct ArcParts {
  Mask<double> big;
  VecD t, t2;
};
TC_INLINE ArcParts arc_parts(VecD ax) {
  const Mask<double> big = ax > f64(0.5);
  const VecD t2 = select(big, f64(0.5) * (f64(1.0) - ax), ax * ax);
  return {big, select(big, vsqrt(t2), ax), t2};
}
// What the rounding of the root lost.
TC_INLINE VecD root_low(const ArcParts& k) {
  return negate(product_less(k.t, k.t, k.t2)) / (k.t + k.t + f64(std::numeric_limits<double>::min()));
}
TC_INLINE VecD vasin(VecD x) {
  const ArcParts k = arc_parts(vabs(x));
  const VecD rest = asin_rest(k.t, k.t2);
  // pi/4 - (2 rest - (pi/2's low part - 2 low)) - (pi/4 - 2 t), where the last difference is exact near 1/2.
  const VecD quarter = f64(kHalfPiF64 / 2), low = root_low(k);
  const Wide difference = sum_of(quarter, negate(k.t + k.t));
  const VecD small = (rest + rest) - (f64(kHalfPiLowF64) - (low + low));
  const VecD far = quarter - (small - difference.low - difference.high);
  return copysign(select(k.big, far, k.t + rest), x);
}
TC_INLINE VecD vacos(VecD x) {
  const ArcParts k = arc_parts(vabs(x));
  const VecD rest = asin_rest(k.t, k.t2);
  const VecD middle = f64(kHalfPiF64) - (copysign(k.t, x) - (f64(kHalfPiLowF64) - copysign(rest, x)));
  const VecD low = root_low(k), p = k.t + (rest + low);
  const VecD end = select(x < f64(0.0), f64(2 * kHalfPiF64) - (p + p - f64(2 * kHalfPiLowF64)), p + p);
  return select(k.big, end, middle);
}

// Reduced to |t| <= tan(pi/8) by atan(x) = pi/4 + atan((x - 1)/(x + 1)) = pi/2 + atan(-1/x).
TC_INLINE VecD vatan(VecD x) {
  // (atan(t) - t) / t^3 in t^2; relative error 2^-55.
  constexpr double kQ[] = {-0.3333333333333022,  0.1999999999910396,  -0.14285714196464638, 0.11111106700893345,
                           -0.09090783464308008, 0.07690082422792385, -0.06641237973613788, 0.05693120750488632,
                           -0.04360696311110853, 0.021278542549663746};
  const VecD ax = vabs(x), one = f64(1.0);
  const Mask<double> far = ax > f64(2.41421356237309505);
  const Mask<double> middle = (ax > f64(0.414213562373095049)) & ~far;
  const VecD less = ax - one, more = ax + one;
  const VecD top = select(far, f64(-1.0), select(middle, less, ax));
  const VecD bottom = select(far, ax, select(middle, more, one));
  const VecD base = select(far, f64(kHalfPiF64), select(middle, f64(kHalfPiF64 / 2), f64(0.0)));
  const VecD base_low = select(far, f64(kHalfPiLowF64), select(middle, f64(kHalfPiLowF64 / 2), f64(0.0)));
  const VecD inverse = one / bottom, t = top * inverse, t2 = t * t;
  // What the quotient lost, and the difference and the sum that it is of; infinities lose nothing.
  const VecD lost = select(middle, (ax - (less + one)) - t * (ax - (more - one)), f64(0.0));
  const VecD low = fma(lost - product_less(t, bottom, top), inverse, base_low);
  const Wide sum = sum_of(base, t);
  const VecD rest = fma(t * t2, polynomial_by_halves(t2, kQ), select(ax < f64(1e300), low, base_low));
  return copysign(sum.high + (sum.low + rest), x);
}

// With t = e^|x| - 1 it is (t + t / (t + 1)) / 2, of which all is counted in quarters, since e^710.4 is no double.
TC_INLINE VecD vsinh(VecD x) {
  const ExpPartsF64 e = exp_parts(clip_nan(vabs(x), f64(0.0), f64(710.6)));
  const VecD s = scale_by_power(f64(0.25), e.n), quarter = fma(s, e.p, s - f64(0.25)), t = quarter + quarter;
  const VecD most = vmin(f64(1e30), t);
  return copysign(t + most / (most + most + f64(1.0)), x);
}
TC_INLINE VecD vcosh(VecD x) {
  const VecD half = vexp<-1>(vabs(x));
  return half + f64(0.25) / half;
}

// Logarithms of sums with a root. From 2^500 on they are log(2 x).
TC_INLINE VecD log_of_sum(VecD x, Wide less_one) {
  const Mask<double> far = x > f64(0x1p500);
  const VecD y = log1p_core(select(far, x, less_one.high), select(far, f64(0.0), less_one.low));
  return select(far, select(x == f64(infinity<double>), x, y + f64(0.693147180559945309417)), y);
}
TC_INLINE VecD vasinh(VecD x) {
  const VecD ax = vabs(x), one = f64(1.0), x2 = ax * ax;
  const VecD y = log_of_sum(ax, sum_of(ax, x2 / (one + vsqrt(x2 + one))));
  return copysign(select(ax < f64(1e-17), ax, select(is_nan(x), x, y)), x);
}
TC_INLINE VecD vacosh(VecD x) {
  const VecD t = x - f64(1.0);
  const VecD y = log_of_sum(x, sum_of(vsqrt(fma(t, t, t + t)), t));
  return select(x >= f64(1.0), y, f64(not_a_number<double>));
}
TC_INLINE VecD vatanh(VecD x) {
  const VecD ax = vabs(x);
  return copysign(f64(0.5) * vlog1p((ax + ax) / (f64(1.0) - ax)), x);
}

}  // namespace
}  // namespace tc::kernels
