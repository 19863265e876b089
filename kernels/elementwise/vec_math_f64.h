// Elementary functions of a register of doubles, for *_tier.cc files: exponentials and logarithms in vectors (at most
// 2.5 ulp, as the tests measure), everything else lane by lane through the C library.
//
// Reductions are those of vec_math.h. Within the reduced intervals Taylor series are carried until the next term is
// below 2^-57 of the result: at this length minimax fits would save a term or two.
#pragma once

#include "tc/kernels/elementwise/vec_math.h"

namespace tc::kernels {
namespace {

TC_INLINE VecD f64(double x) {
  return VecD(x);
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
  VecD p;  // expm1 of the reduced argument
  VecD n;  // exp(x) = 2^n (1 + p)
};

TC_INLINE ExpPartsF64 exp_parts(VecD x) {
  // (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2.
  constexpr double kQ[] = {1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
                           1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  const VecD n = vround(x * f64(1.44269504088896340736));
  // ln 2 in two parts, the first of 33 bits: its multiples are exact.
  VecD r = fnma(n, f64(0x1.62e42feep-1), x);
  r = fnma(n, f64(0x1.a39ef35793c76p-33), r);
  return {fma(r * r, polynomial(r, kQ), r), n};
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

TC_INLINE VecD log_of_positive(VecD x) {
  // 2 atanh(s) / s - 2 in s^2, s = f / (2 + f) for 1 + f in [sqrt(1/2), sqrt(2)).
  constexpr double kQ[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                           2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};
  const Mask<double> small = x < f64(std::numeric_limits<double>::min());
  const VecD scaled = select(small, x * f64(0x1p54), x);
  // As in log_parts of floats: the exponent field switches at sqrt(1/2).
  const VecL shifted = bits(scaled) + VecL(0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  VecD e = from_bits(shift_right<52>(shifted) | bits(f64(0x1p52))) - f64(0x1p52 + 1023);
  e = select(small, e - f64(54.0), e);
  const VecD f = from_bits((shifted & VecL(0x000fffffffffffff)) + VecL(0x3fe6a09e667f3bcd)) - f64(1.0);
  // log(1 + f) = f - (f^2/2 - s (f^2/2 + rest)), which keeps the leading term exact.
  const VecD s = f / (f64(2.0) + f);
  const VecD s2 = s * s;
  const VecD rest = s2 * polynomial(s2, kQ);
  const VecD half = f64(0.5) * f * f;
  const VecD low = fma(e, f64(0x1.a39ef35793c76p-33), s * (half + rest));
  return fma(e, f64(0x1.62e42feep-1), f - (half - low));
}

TC_INLINE VecD vlog(VecD x) {
  VecD y = log_of_positive(x);
  y = select(x == f64(infinity<double>), x, y);
  y = select(x == f64(0.0), f64(-infinity<double>), y);
  return select(x >= f64(0.0), y, f64(not_a_number<double>));
}

TC_INLINE VecD vlog1p(VecD x) {
  // As for floats: the second term restores what the sum lost.
  const VecD u = f64(1.0) + x;
  VecD y = vlog(u) + (x - (u - f64(1.0))) / u;
  y = select(vabs(x) < f64(1e-17), x, y);
  y = select(x == f64(-1.0), f64(-infinity<double>), y);
  return select(x == f64(infinity<double>), x, y);
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
  const VecL sign(INT64_MIN);
  return from_bits((bits(e / (e + f64(2.0))) & ~sign) | (bits(x) & sign));
}

TC_INLINE VecD vmish(VecD x) {
  return x * vtanh(vsoftplus(x));
}

#define TC_LANEWISE(name, f)                                      \
  TC_INLINE VecD name(VecD x) {                                   \
    return lanewise(x, x, [](double v, double) { return f(v); }); \
  }
TC_LANEWISE(verf, __builtin_erf)
TC_LANEWISE(vsin, __builtin_sin)
TC_LANEWISE(vcos, __builtin_cos)
TC_LANEWISE(vtan, __builtin_tan)
TC_LANEWISE(vasin, __builtin_asin)
TC_LANEWISE(vacos, __builtin_acos)
TC_LANEWISE(vatan, __builtin_atan)
TC_LANEWISE(vsinh, __builtin_sinh)
TC_LANEWISE(vcosh, __builtin_cosh)
TC_LANEWISE(vasinh, __builtin_asinh)
TC_LANEWISE(vacosh, __builtin_acosh)
TC_LANEWISE(vatanh, __builtin_atanh)
#undef TC_LANEWISE
TC_INLINE VecD vpow(VecD x, VecD y) {
  return lanewise(x, y, [](double a, double b) { return __builtin_pow(a, b); });
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
