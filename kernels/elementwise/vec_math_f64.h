// Exponentials, logarithms, the error function and activations of a register of doubles, for *_tier.cc files: at most
// 2 ulp, products of them up to 4.5, as the tests measure.
//
// Reductions are those of vec_math.h, polynomials minimax fits of our own; each names the bound of its error.
#pragma once

#include "tc/kernels/elementwise/vec_math.h"

namespace tc::kernels {
namespace {

TC_INLINE VecD f64(double x) {
  return VecD(x);
}

// A sum of which the second part is what the first one lost.
struct Wide {
  VecD high, low;
};
// a + b where a is the larger one.
TC_INLINE Wide sum_of(VecD a, VecD b) {
  const VecD sum = a + b;
  return {sum, b - (sum - a)};
}
// 2^n for integral n in [-1022, 1023]. Adding 1.5 * 2^52 puts n into the low bits of the significand.
TC_INLINE VecD power_of_two(VecD n) {
  return from_bits(shift_left<52>(bits(n + f64(0x1.8p52)) + VecL(1023)));
}

// x * 2^n for integral n, |n| <= 2044: in two steps, so that it is rounded once where it falls below the normal
// numbers.
TC_INLINE VecD scale_by_power(VecD x, VecD n) {
  const VecD half = vfloor(n * f64(0.5));
  return x * power_of_two(half) * power_of_two(n - half);
}

struct ExpPartsF64 {
  VecD p;        // expm1 of the reduced argument
  VecD n;        // exp(x) = 2^n (1 + p)
  VecD r, rest;  // p is their sum
};

TC_INLINE ExpPartsF64 exp_parts(VecD x) {
  // (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2; relative error of e^r - 1 2^-58.
  constexpr double kQ[] = {0.5000000000000001,    0.1666666666666667,     0.04166666666665203,    0.008333333333326042,
                           0.0013888888895703545, 0.00019841269875155396, 2.4801574363292525e-05, 2.755725496726247e-06,
                           2.756804960165271e-07, 2.510539981693196e-08,  1.7657668025276255e-09};
  const VecD n = vround(x * f64(1.44269504088896340736));
  // ln 2 in two parts, the first of 33 bits: its multiples are exact.
  VecD r = fnma(n, f64(0x1.62e42feep-1), x);
  const VecD first = r;
  r = fnma(n, f64(0x1.a39ef35793c76p-33), first);
  const VecD low = fnma(n, f64(0x1.a39ef35793c76p-33), first - r);
  const VecD rest = fma(r * r, polynomial(r, kQ), low);
  return {r + rest, n, r, rest};
}

// 2^kShift e^x. Beyond the bounds the result is 0 or infinity.
template <int kShift = 0>
TC_INLINE VecD vexp(VecD x) {
  const ExpPartsF64 e = exp_parts(clip_nan(x, f64(-750.0), f64(720.0)));
  return scale_by_power(f64(1.0) + e.p, kShift == 0 ? e.n : e.n + f64(kShift));
}
// e^x for x <= 0. As for floats, what rounds to 0 stays away from the scaling.
TC_INLINE VecD vexp_negative(VecD x) {
  const Mask<double> gone = x < f64(-745.14);
  const ExpPartsF64 e = exp_parts(select(gone, f64(0.0), x));
  return select(gone, f64(0.0), scale_by_power(f64(1.0) + e.p, e.n));
}

// Half of it in full precision, doubled at the end: 2^1024 is no double, but e^709.7 is, and e^709.9 is infinite.
TC_INLINE VecD vexpm1(VecD x) {
  const ExpPartsF64 e = exp_parts(clip_nan(x, f64(-45.0), f64(709.9)));
  const VecD s = scale_by_power(f64(0.5), e.n);
  const VecD y = fma(s, e.p, s - f64(0.5));
  return select(vabs(x) < f64(1e-30), x, y + y);
}

// log((1 + f) 2^e + low 2^e) for 1 + f in [sqrt(1/2), sqrt(2)) and a low part that is small beside f.
TC_INLINE VecD log_of_parts(VecD f, VecD low, VecD e) {
  // 2 atanh(s) / s - 2 in s^2, s = f / (2 + f); relative error of the result 2^-58.
  constexpr double kQ[] = {0.6666666666666734,  0.39999999999414326, 0.28571428742474353, 0.22222198563515919,
                           0.18183564865997923, 0.1531403583486055,  0.14796105583675156};
  // log(1 + f) = f - (f^2/2 - s (f^2/2 + rest)), which keeps the leading term exact.
  const VecD s = f / (f64(2.0) + f), s2 = s * s;
  const VecD rest = s2 * polynomial(s2, kQ), half = f64(0.5) * f * f;
  const VecD small = fma(e, f64(0x1.a39ef35793c76p-33), fma(s, half + rest, low));
  return fma(e, f64(0x1.62e42feep-1), f - (half - small));
}

// Of positive normal numbers: as in log_parts of floats, the exponent field switches at sqrt(1/2).
struct LogPartsF64 {
  VecD m, e;
  VecL exponent;  // of the power of two, where it is in a double
};
TC_INLINE LogPartsF64 log_parts_of_normal(VecD x) {
  const VecL shifted = bits(x) + VecL(0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  const VecD e = from_bits(shift_right<52>(shifted) | bits(f64(0x1p52))) - f64(0x1p52 + 1023);
  return {from_bits((shifted & VecL(0x000fffffffffffff)) + VecL(0x3fe6a09e667f3bcd)), e,
          shifted & VecL(0x7ff0000000000000)};
}
TC_INLINE LogPartsF64 log_parts(VecD x) {
  const Mask<double> small = x < f64(std::numeric_limits<double>::min());
  LogPartsF64 l = log_parts_of_normal(select(small, x * f64(0x1p54), x));
  l.e = select(small, l.e - f64(54.0), l.e);
  return l;
}

TC_INLINE VecD vlog(VecD x) {
  const LogPartsF64 l = log_parts(x);
  VecD y = log_of_parts(l.m - f64(1.0), f64(0.0), l.e);
  y = select(x == f64(infinity<double>), x, y);
  y = select(x == f64(0.0), f64(-infinity<double>), y);
  return select(x >= f64(0.0), y, f64(not_a_number<double>));
}

// log(1 + x + low) for -1 < x: log(m 2^e) with m 2^e = fl(1 + x), to whose m - 1 comes what that sum lost.
TC_INLINE VecD log1p_core(VecD x, VecD low) {
  const VecD one = f64(1.0), u = one + x;
  // Either the number or 1 is the larger part of the sum.
  const Mask<double> less = x < one;
  const VecD lost = select(less, x, one) - (u - select(less, one, x));
  const LogPartsF64 l = log_parts_of_normal(u);
  const VecD inverse_power = from_bits(VecL(0x7fe0000000000000) - l.exponent);
  // Of large sums nothing is lost that shows, and the greatest have no inverse power.
  const Wide f = sum_of(l.m - one, select(u < f64(0x1p1000), (lost + low) * inverse_power, f64(0.0)));
  return log_of_parts(f.high, f.low, l.e);
}
TC_INLINE VecD vlog1p(VecD x) {
  VecD y = log1p_core(x, f64(0.0));
  y = select(vabs(x) < f64(1e-17), x, y);
  y = select(x == f64(-1.0), f64(-infinity<double>), y);
  y = select(x == f64(infinity<double>), x, y);
  return select(x >= f64(-1.0), y, f64(not_a_number<double>));
}

TC_INLINE VecD vsigmoid(VecD x) {
  const VecD e = vexp(negate(vabs(x)));
  return select(x < f64(0.0), e, f64(1.0)) / (f64(1.0) + e);
}

TC_INLINE VecD vsilu(VecD x) {
  return x * vsigmoid(x);
}

TC_INLINE VecD vsoftplus(VecD x) {
  return vmax(f64(0.0), x) + vlog1p(vexp(negate(vabs(x))));
}

// expm1(2t) / (expm1(2t) + 2), which is 1 from 20 on.
TC_INLINE VecD vtanh(VecD x) {
  const VecD t = vmin(f64(20.0), vabs(x));
  const VecD e = vexpm1(t + t);
  return copysign(e / (e + f64(2.0)), x);
}

TC_INLINE VecD vmish(VecD x) {
  return x * vtanh(vsoftplus(x));
}

TC_INLINE VecD verf(VecD x) {
  // (erf(t) - t) / t in t^2 on |t| <= 0.9375; relative error 2^-59.
  constexpr double kSmall[] = {0.12837916709551256,     -0.3761263890318369,     0.11283791670951986,
                               -0.026866170644470954,   0.005223977618248963,    -0.0008548326559857435,
                               0.00012055313985513828,  -1.4925136104910318e-05, 1.6452780565190234e-06,
                               -1.6253040693768022e-07, 1.392930844339609e-08,   -8.219855924720134e-10};
  // log(erfc(1 + t)) on [0.93, 5.95]; error of erf 2^-58.
  constexpr double kLarge[] = {
      -1.8496055099332482,     -2.638967514234791,      -0.8431072563584792,    -0.0415610980468251,
      0.010033825435090965,    -0.001977902989288578,   0.0002373243413215944,  2.627232027940787e-05,
      -2.7147419834255657e-05, 9.591084187619626e-06,   -2.039786184332083e-06, 1.262228170803811e-07,
      1.078689487934761e-07,   -5.6766792053976554e-08, 1.6487267934259464e-08, -3.234459106768713e-09,
      4.263414222160046e-10,   -3.426046619702751e-11,  1.2693911668434056e-12};
  const VecD t = clip_nan(vabs(x), f64(0.0), f64(5.95));
  const VecD small = fma(t, polynomial_by_halves(t * t, kSmall), t);
  const ExpPartsF64 e = exp_parts(polynomial_by_halves(t - f64(1.0), kLarge));
  const VecD power = power_of_two(e.n);
  return copysign(select(t < f64(0.9375), small, f64(1.0) - fma(power, e.p, power)), x);
}

TC_INLINE VecD vgelu(VecD x) {
  return f64(0.5) * x * (f64(1.0) + verf(x * f64(0.70710678118654752440)));
}
TC_INLINE VecD vgelu_tanh(VecD x) {
  const VecD inner = f64(0.79788456080286535588) * fma(f64(0.044715) * x * x, x, x);
  return f64(0.5) * x * (f64(1.0) + vtanh(inner));
}

}  // namespace
}  // namespace tc::kernels
