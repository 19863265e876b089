// Elementary functions of a register of floats, for *_tier.cc files. At most 2.1 ulp (measured by the tests; most of
// them 1 to 1.5; activations that are their products up to 3.5), and IEEE results for infinities, NaN, zeros,
// subnormals and arguments of any size. Tests quote the errors found.
//
// Reductions are the classical ones (Cody and Waite, Software Manual for the Elementary Functions; Cephes). The
// polynomials are our own weighted minimax fits; each names its interval and the bound of its relative error.
#pragma once

#include <limits>

#include "tc/kernels/elementwise/pieces.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T lowest = std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T greatest = std::numeric_limits<T>::max();
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

// Whether fma rounds once; without it sums and differences of products cost more to get exactly.
#if defined(__AVX512F__) || defined(__FMA__)
inline constexpr bool kFusedProducts = true;
#else
inline constexpr bool kFusedProducts = false;
#endif

TC_INLINE VecD copysign(VecD a, VecD b) {
  const VecL sign(INT64_MIN);
  return from_bits((bits(a) & ~sign) | (bits(b) & sign));
}

TC_INLINE VecF f32(float x) {
  return VecF(x);
}

// c[0] + c[1] x + ... by Horner's rule.
template <class V, class T, int N>
TC_INLINE V polynomial(V x, const T (&c)[N]) {
  V sum(c[N - 1]);
  for (int i = N - 2; i >= 0; --i) sum = fma(sum, x, V(c[i]));
  return sum;
}

// The same by even and odd powers: one multiplication more, but half as long a chain. Of long functions too few
// registers' worth are under way otherwise to keep the ports busy.
template <class V, class T, int N>
TC_INLINE V polynomial_by_halves(V x, const T (&c)[N]) {
  const V x2 = x * x;
  V even(c[(N - 1) / 2 * 2]), odd(c[N / 2 * 2 - 1]);
  for (int i = (N - 1) / 2 * 2 - 2; i >= 0; i -= 2) even = fma(even, x2, V(c[i]));
  for (int i = N / 2 * 2 - 3; i >= 0; i -= 2) odd = fma(odd, x2, V(c[i]));
  return fma(odd, x, even);
}

TC_INLINE VecF negate(VecF a) {
  return from_bits(bits(a) ^ VecI(INT32_MIN));
}
TC_INLINE VecD negate(VecD a) {
  return from_bits(bits(a) ^ VecL(INT64_MIN));
}

template <class T>
TC_INLINE Mask<T> nonzero(Vec<T> a) {
  return not_equal(a, Vec<T>(T{0}));
}
template <class T>
TC_INLINE Vec<T> truth(Mask<T> m) {
  return select(m, Vec<T>(T{1}), Vec<T>(T{0}));
}
// min(max(x, low), high); a NaN in x stays, by the order of the operands.
template <class T>
TC_INLINE Vec<T> clip_nan(Vec<T> x, Vec<T> low, Vec<T> high) {
  return vmin(high, vmax(low, x));
}
template <class T>
TC_INLINE Vec<T> sign_of(Vec<T> a) {
  const Vec<T> zero(T{0});
  return select(is_nan(a), a, truth<T>(a > zero) - truth<T>(a < zero));
}
template <class T>
TC_INLINE Vec<T> hard_swish(Vec<T> a) {
  const Vec<T> gate = clip_nan(fma(a, Vec<T>(T{1} / T{6}), Vec<T>(T{0.5})), Vec<T>(T{0}), Vec<T>(T{1}));
  return a * gate;
}

// Applies a scalar function to each lane: for the few functions where exactness needs the C library.
template <class T, class F>
TC_INLINE Vec<T> lanewise(Vec<T> a, Vec<T> b, F f) {
  T x[kLanes<T>], y[kLanes<T>];
  store(x, a);
  store(y, b);
  for (int i = 0; i < kLanes<T>; ++i) x[i] = f(x[i], y[i]);
  return load(static_cast<const T*>(x));
}

// Remainders: of the quotient rounded to zero (C's fmod), and of its floor (the sign of the divisor).
// Quotients below 2^24 have products with the divisor that f64 holds, so that nothing is rounded; nor does division
// round one up to a whole number, which is at least 2^-48 of it away.
TC_INLINE VecF trunc_mod(VecF a, VecF b) {
  const auto part = [](VecD x, VecD y) { return fnma(vtrunc(x / y), y, x); };
  if (!all((vabs(a / b) < f32(0x1p23f)) & (vabs(b) < f32(std::numeric_limits<float>::infinity()))))
    return lanewise(a, b, [](float x, float y) { return __builtin_fmodf(x, y); });
  return copysign(narrow(part(low_f64(a), low_f64(b)), part(high_f64(a), high_f64(b))), a);
}
// With a quotient below 2^52 the remainder is exact where products are fused; the quotient may be rounded up by one.
TC_INLINE VecD trunc_mod(VecD a, VecD b) {
  const VecD quotient = vabs(a / b), divisor = vabs(b), zero(0.0);
  if (!kFusedProducts || !all((quotient < VecD(0x1p52)) & (divisor < VecD(infinity<double>))))
    return lanewise(a, b, [](double x, double y) { return __builtin_fmod(x, y); });
  const VecD rest = fnma(vtrunc(quotient), divisor, vabs(a));
  return copysign(select(rest < zero, rest + divisor, rest), a);
}
template <class T>
TC_INLINE Vec<T> floor_mod(Vec<T> a, Vec<T> b) {
  const Vec<T> zero(T{0});
  const Vec<T> r = trunc_mod(a, b);
  return select(nonzero(r) & exclusive_or<T>(r < zero, b < zero), r + b, r);
}

// x - n ln 2.
TC_INLINE VecF less_octaves(VecF x, VecF n) {
  return fnma(n, f32(-2.12194440e-4f), fnma(n, f32(0.693359375f), x));
}
// x / ln 2 rounded, and what x is beyond n ln 2. |x| < 2^21.
struct ExpReduced {
  VecF n, r;
};
TC_INLINE ExpReduced reduce_exp(VecF x) {
  const VecF shift = f32(0x1.8p23f);  // beside it, floats are whole numbers
  const VecF n = fma(x, f32(1.44269504088896341f), shift) - shift;
  return {n, less_octaves(x, n)};
}

// e^r - 1 on |r| <= ln 2 / 2; relative error 2^-31.9.
TC_INLINE VecF expm1_reduced(VecF r) {
  // (e^r - 1 - r) / r^2
  constexpr float kQ[] = {0.5000000047474719f,   0.16666666815548054f,  0.04166635010958746f,
                          0.008333273301978509f, 0.001394138142130745f, 0.0001991407946679753f};
  return fma(r * r, polynomial(r, kQ), r);
}

struct ExpParts {
  VecF p;  // expm1 of the reduced argument
  VecF n;  // exp(x) = 2^n (1 + p)
};
TC_INLINE ExpParts exp_parts(VecF x) {
  const ExpReduced e = reduce_exp(x);
  return {expm1_reduced(e.r), e.n};
}

// e^(kSign r) on |r| <= ln 2 / 2, with `one` in the place of 1; relative error 2^-28.0.
template <int kSign>
TC_INLINE VecF exp_reduced(VecF r, VecF one = f32(1.0f)) {
  constexpr float kP[] = {kSign * 1.0f,         0.49999993447787433f,         kSign * 0.16666520631709208f,
                          0.04166838804718863f, kSign * 0.00836871687971857f, 0.0013814598553557999f};
  return fma(r, polynomial(r, kP), one);
}

// exp(x) = 2^n p, where 1 + expm1 would take two steps more. With AVX-512 n has a fraction, which scale_by_power drops.
struct ExpScaled {
  VecF p, n;
};
#if defined(__AVX512F__)
// 2^(i / 16), and kSigmoidUnit times that, which of all multiples lies close to floats: within 0.2 ulp.
alignas(64) inline constexpr float kSixteenths[16] = {1.0f,          1.0442737824f, 1.0905077327f, 1.1387886348f,
                                                      1.1892071150f, 1.2418578121f, 1.2968395547f, 1.3542555469f,
                                                      1.4142135624f, 1.4768261459f, 1.5422108254f, 1.6104903319f,
                                                      1.6817928305f, 1.7562521604f, 1.8340080864f, 1.9152065614f};
inline constexpr float kSigmoidUnit = 1.00628018f;
alignas(64) inline constexpr float kSigmoidSixteenths[16] = {
    1.0062801838f, 1.0508320332f, 1.0973563194f, 1.1459404230f, 1.1966755390f, 1.2496569157f,
    1.3049839735f, 1.3627605438f, 1.4230951071f, 1.4861009121f, 1.5518962145f, 1.6206045151f,
    1.6923547983f, 1.7672817707f, 1.8455259800f, 1.9272344112f};
// Tang's method (Table-driven implementation of the exponential function): a sixteenth of an octave is looked up, so
// that two terms less do and the chain of steps is shorter. On a Zen 4 exp takes 8.2 cycles a register instead of 9.8.
TC_INLINE ExpScaled exp_scaled(VecF x, const float (&powers)[16] = kSixteenths) {
  // (e^r - 1 - r) / r^2 on |r| <= ln 2 / 32; error of e^r 2^-29.
  constexpr float kQ[] = {0.5000162f, 0.1666699f};
  const VecF shift = f32(0x1.8p19f);  // beside it floats are whole sixteenths, which their last four bits count
  const VecF sixteenths = fma(x, f32(1.44269504088896341f), shift);
  const VecF n = sixteenths - shift;
  const VecF r = less_octaves(x, n);
  const VecF power = pick_lanes(load(powers), bits(sixteenths));
  return {fma(power, fma(r * r, polynomial(r, kQ), r), power), n};
}
#else
TC_INLINE ExpScaled exp_scaled(VecF x) {
  const ExpReduced x_less = reduce_exp(x);
  return {exp_reduced<1>(x_less.r), x_less.n};
}
#endif

// Below it e^x rounds to 0. Arguments as low, which masks are full of, must not reach the scaling: an instruction whose
// result underflows takes 20 times as long.
constexpr float kExpIsZero = -103.98f;

// e^x is `power` e^r, where the power of two and its inverse are normal numbers: |x| <= 87.
struct ExpPower {
  VecF power, r;
};
constexpr float kExpIsNormal = 87.0f;
#if defined(__AVX512F__)
TC_INLINE ExpPower exp_power(VecF x) {
  const ExpReduced e = reduce_exp(x);
  return {scale_by_power(f32(1.0f), e.n), e.r};
}
// e^x for |x| <= kExpIsNormal.
TC_INLINE VecF exp_normal(VecF x) {
  const ExpScaled e = exp_scaled(x);
  return scale_by_power(e.p, e.n);
}
#else
// Beside it, floats are whole numbers, whose last bits are the biased exponent.
constexpr float kToExponent = 0x1.8p23f + 127.0f;
// 2^n of n + kToExponent for -126 <= n <= 127; of n = -127 it is 0.
TC_INLINE VecF power_of_two(VecF n_shifted) {
  return from_bits(shift_left<23>(bits(n_shifted)));
}
TC_INLINE ExpPower exp_power(VecF x) {
  const VecF t = fma(x, f32(1.44269504088896341f), f32(kToExponent)), n = t - f32(kToExponent);
  return {power_of_two(t), less_octaves(x, n)};
}
TC_INLINE VecF exp_normal(VecF x) {
  const ExpPower e = exp_power(x);
  return e.power * exp_reduced<1>(e.r);
}
#endif

// 2^kShift e^x. Beyond the bounds the result is 0 or infinity.
template <int kShift = 0>
TC_INLINE VecF vexp(VecF x) {
#if !defined(__AVX512F__)
  if (kShift == 0 && all(vabs(x) <= f32(kExpIsNormal))) return exp_normal(x);
#endif
  const ExpScaled e = exp_scaled(clip_nan(x, f32(-104.5f), f32(90.0f)));
  return scale_by_power(e.p, kShift == 0 ? e.n : e.n + f32(kShift));
}
// e^x for x <= 0.
TC_INLINE VecF vexp_negative(VecF x) {
#if !defined(__AVX512F__)
  if (all(x >= f32(-kExpIsNormal))) return exp_normal(x);
#endif
  const ExpScaled e = exp_scaled(x);
  return scale_by_power_unless(x < f32(kExpIsZero), e.p, e.n);
}

#if !defined(__AVX512F__)
// 2^x for x <= 0, from x = -126.5 on 0; relative error 2^-28.0, three steps less than e^x.
TC_INLINE VecF exp2_negative(VecF x) {
  // exp_reduced's polynomial, in r ln 2: |r| <= 1/2.
  constexpr float kP[] = {0.693147182f, 0.240226477f, 0.0555036217f, 0.00961852632f, 0.0013390173f, 0.000153211382f};
  const VecF low = vmax(f32(-127.0f), x), t = low + f32(kToExponent), r = low - (t - f32(kToExponent));
  return power_of_two(t) * fma(r, polynomial(r, kP), f32(1.0f));
}
#endif

// expm1(x) for |x| <= 89: half of it in full precision, doubled at the end, since 2^128 is no float but e^88.7 is.
TC_INLINE VecF expm1_core(VecF x) {
  const ExpParts e = exp_parts(x);
  const VecF s = scale_by_power(f32(0.5f), e.n);
  const VecF y = fma(s, e.p, s - f32(0.5f));
  return y + y;
}
TC_INLINE VecF vexpm1(VecF x) {
  return select(vabs(x) < f32(1e-30f), x, expm1_core(clip_nan(x, f32(-20.0f), f32(89.0f))));
}

struct LogParts {
  VecF m;  // in [sqrt(1/2), sqrt(2))
  VecF e;  // x = m 2^e
};

TC_INLINE LogParts log_parts_of_normal(VecF x) {
  // Adding the distance from sqrt(1/2) to 1 makes the exponent field switch at sqrt(1/2) instead of 1.
  const VecI shifted = bits(x) + VecI(0x3f800000 - 0x3f3504f3);
  const VecF e = to_float(shift_right_arith<23>(shifted) - VecI(127));
  return {from_bits((shifted & VecI(0x007fffff)) + VecI(0x3f3504f3)), e};
}
TC_INLINE LogParts log_parts(VecF x) {
  const Mask<float> small = x < f32(std::numeric_limits<float>::min());
  const LogParts l = log_parts_of_normal(select(small, x * f32(0x1p24f), x));
  return {l.m, select(small, l.e - f32(24.0f), l.e)};
}

// log((1 + f) 2^e)
TC_INLINE VecF log_of_parts(VecF f, VecF e) {
  // (log(1 + f) - f + f^2/2) / f^3 on [sqrt(1/2) - 1, sqrt(2) - 1]; relative error of log 2^-30.4.
  constexpr float kQ[] = {0.33333310438441127f,  -0.24999986625689505f, 0.20002226703581935f,
                          -0.16669249462809377f, 0.14218655431445873f,  -0.1238437029745602f,
                          0.11873016269609082f,  -0.11789695574951088f, 0.06915146948633175f};
  const VecF f2 = f * f;
  VecF y = f * f2 * polynomial(f, kQ);
  y = fma(e, f32(-2.12194440e-4f), y);
  y = fnma(f32(0.5f), f2, y);
  return fma(e, f32(0.693359375f), f + y);
}
TC_INLINE VecF log_of_positive(VecF x) {
  const LogParts l = log_parts(x);
  return log_of_parts(l.m - f32(1.0f), l.e);
}

TC_INLINE VecF vlog(VecF x) {
  VecF y = log_of_positive(x);
  y = select(x == f32(infinity<float>), x, y);
  y = select(x == f32(0.0f), f32(-infinity<float>), y);
  return select(x >= f32(0.0f), y, f32(not_a_number<float>));
}

// For -1 < x: log(m 2^e) with m 2^e = fl(1 + x), to whose m - 1 comes what that sum lost.
TC_INLINE VecF log1p_core(VecF x) {
  const VecF one = f32(1.0f), u = one + x, lost = x - (u - one);
  const LogParts l = log_parts_of_normal(u);
  const VecF two_by_power = from_bits(shift_left<23>(VecI(128) - to_i32(l.e)));  // 0 for e = 128
  return log_of_parts(fma(f32(0.5f) * lost, two_by_power, l.m - one), l.e);
}
TC_INLINE VecF vlog1p(VecF x) {
  const Mask<float> small = vabs(x) < f32(1e-8f);  // whose products would be subnormal, which is slow
  VecF y = log1p_core(select(small, f32(0.0f), x));
  y = select(small, x, y);
  y = select(x == f32(-1.0f), f32(-infinity<float>), y);
  y = select(x == f32(infinity<float>), x, y);
  return select(x >= f32(-1.0f), y, f32(not_a_number<float>));
}

#if defined(__AVX512F__)
// The function of `pieces` (elementwise/pieces.h) at t >= 0.
TC_INLINE VecF by_pieces(VecF t, const Pieces& pieces) {
  constexpr int kQuarter = 21;  // bits of a float below those that tell the quarter of its octave
  const Mask<float> later(t >= f32(1.25f * kPieceStart));
  const VecI piece = shift_right_where<kQuarter>(later, bits(t) - bits(f32(kPieceStart)));
  const VecF y = t - from_bits(and_where(later, bits(t), VecI(-(1 << kQuarter))));
  const auto coefficient = [&](int i) { return pick_lanes(load(pieces.c[i]), load(pieces.c[i] + 16), piece); };
  VecF sum = coefficient(kPieceTerms - 1);
#pragma GCC unroll 8
  for (int i = kPieceTerms - 2; i > 0; --i) sum = fma(sum, y, coefficient(i));
  return fma(sum, y, select(later, coefficient(0), y));
}
// That of an odd function, from |x| = most on what it is there.
TC_INLINE VecF odd_by_pieces(VecF x, const Pieces& pieces, float most) {
  return copysign(by_pieces(vmin(f32(most), vabs(x)), pieces), x);
}
TC_INLINE VecF vtanh(VecF x) {
  return odd_by_pieces(x, kTanhPieces, 15.0f);
}
TC_INLINE VecF verf(VecF x) {
  return odd_by_pieces(x, kErfPieces, 3.99f);
}
#else
TC_INLINE VecF vtanh(VecF x) {
  // tanh(h + n ln(2) / 2) is (c + d b) / (d + c b) with b = tanh(h), c = 2^n - 1, d = 2^n + 1. The roundings of both
  // sums cost less where a number `near` the quotient is left out of it: min(1, c / 4).
  // (b / h - 1) / h^2 in h^2 on |h| <= ln 2 / 4; relative error of b 2^-32.5.
  constexpr float kQ[] = {-0.33333322721379487f, 0.1333118326245882f, -0.052726782321151279f};
  const VecF t = vmin(f32(9.02f), vabs(x)), one = f32(1.0f);
  const VecF shifted = fma(t, f32(2.88539008177792681f), f32(kToExponent)), power = power_of_two(shifted);
  const VecF h = fnma(shifted - f32(kToExponent), f32(0.346573590279972655f), t), h2 = h * h;
  const VecF b = fma(h * h2, polynomial(h2, kQ), h);
  const VecF c = power - one, d = power + one, near = vmin(one, f32(0.25f) * c);
  return copysign(near + fma(fnma(near, c, d), b, fnma(near, d, c)) / fma(c, b, d), x);
}

TC_INLINE VecF verf(VecF x) {
  // (erf(t) - t) / t in t^2 on |t| <= 0.9375; relative error 2^-30.9.
  constexpr float kSmall[] = {0.1283791665914134f,    -0.37612633203220547f, 0.1128368635082309f,
                              -0.026858851206050534f, 0.005199599838453547f, -0.0008125806460966993f,
                              8.296609932100238e-05f};
  // log2(erfc(t)) on [0.93, 4.1]; error of erf 2^-29.4.
  constexpr float kLarge[] = {-0.000321404339f, -1.62672913f,    -0.919535995f,  -0.149697334f,
                              0.0319481194f,    -0.00436050911f, 0.000279609696f};
  const VecF t = clip_nan(vabs(x), f32(0.0f), f32(4.1f));
  const VecF small = fma(t, polynomial(t * t, kSmall), t);
  const VecF large = f32(1.0f) - exp2_negative(polynomial_by_halves(t, kLarge));
  return copysign(select(t < f32(0.9375f), small, large), x);
}
#endif

#if defined(__AVX512F__)
TC_INLINE VecF vsigmoid(VecF x) {
  // e^x / (e^x + 1), all of it times the unit: a first quotient is put right by what it leaves.
  const ExpScaled e = exp_scaled(clip_nan(x, f32(-104.5f), f32(30.0f)), kSigmoidSixteenths);
  const VecF power = scale_by_power_unless(x < f32(kExpIsZero), e.p, e.n), unit = f32(kSigmoidUnit);
  const VecF near = near_inverse(power + unit), quotient = power * near;
  return fma(fnma(quotient, power, fnma(quotient, unit, power)), near, quotient);
}
#else
// With e^-x = 2^-n p it is 2^n / (p + 2^n): nothing cancels, and only 2^n, which is exact, may be small.
TC_INLINE VecF sigmoid_anywhere(VecF x) {
  const ExpReduced e = reduce_exp(clip_nan(x, f32(-104.5f), f32(30.0f)));
  const VecF power = scale_by_power_unless(x < f32(kExpIsZero), f32(1.0f), e.n);
  return power * inverse_of_sum(exp_reduced<-1>(e.r), power);
}
TC_INLINE VecF vsigmoid(VecF x) {
#if defined(__AVX2__)
  const Mask<float> is_normal = vabs(x) <= f32(kExpIsNormal);
  const ExpPower e = exp_power(vmin(f32(30.0f), x));
  const VecF one = f32(1.0f), sum = one + e.power, lost = e.power - (sum - one);
  const VecF y = e.power / (sum + exp_reduced<-1>(e.r, lost));
  // A result must not depend on what is beside it.
  return all(is_normal) ? y : select(is_normal, y, sigmoid_anywhere(x));
#else
  return sigmoid_anywhere(x);
#endif
}
#endif

TC_INLINE VecF vsilu(VecF x) {
  return x * vsigmoid(x);
}
// x tanh(log(1 + e^x)) is x n / (n + 2) with n = e^x (e^x + 2).
TC_INLINE VecF vmish(VecF x) {
  const ExpScaled e = exp_scaled(vmin(f32(30.0f), x));
  const VecF power = scale_by_power_unless(x < f32(kExpIsZero), e.p, e.n), n = fma(power, power, power + power);
  return x * (n * inverse_of_sum(f32(2.0f), n));
}

TC_INLINE VecF vsoftplus(VecF x) {
  // The sum of a power of two and what e^-|x| is beyond it: an exponential rounded once, since log1p rounds too.
  const VecF z = negate(vabs(x));
  const ExpParts e = exp_parts(vmax(f32(kExpIsZero), z));
  const VecF power = scale_by_power_unless(z < f32(kExpIsZero), f32(1.0f), e.n);
  return vmax(f32(0.0f), x) + log1p_core(fma(power, e.p, power));
}

// x Phi(x) = max(x, 0) - u Phi(-u) with u = |x|; ends at -0.
TC_INLINE VecF vgelu(VecF x) {
  const VecF u = vmin(f32(15.0f), vabs(x)), at_least_zero = vmax(f32(-0.0f), x);
#if defined(__AVX512F__)
  return at_least_zero - by_pieces(u, kGeluPieces);
#else
  // log2 Phi(-u) on [0, 6]: the error of max(u, 0.3) Phi(-u) is 2^-26.5; beyond 6 the polynomial falls on, as far as
  // it matters.
  constexpr float kLog[] = {-1.0f,           -1.15110803f,     -0.459180683f,    -0.0525850095f,
                            0.00719628762f,  -0.000240915615f, -0.000142456658f, 3.00662887e-05f,
                            -2.05025708e-06f};
  return fnma(u, exp2_negative(polynomial_by_halves(u, kLog)), at_least_zero);
#endif
}

// 1 + tanh(z) is 2 sigmoid(2 z).
TC_INLINE VecF vgelu_tanh(VecF x) {
  return x * vsigmoid(f32(1.59576912160573071f) * fma(f32(0.044715f) * x * x, x, x));
}

}  // namespace
}  // namespace tc::kernels
