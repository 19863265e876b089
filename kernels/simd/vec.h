// Vectors of one register of the tier this file is compiled for: a thin face of xsimd, plus what it lacks (tails,
// halves, widening). Only *_tier.cc files include it. Everything sits in an anonymous namespace or in types of xsimd
// that name the instruction set, so no symbol of one tier can stand in for another tier's.
//
// Invariants: a load or store with a Tail touches no byte beyond its count; min and max return their second operand
// when either is NaN, as the instructions do; fma is fused on AVX2 and AVX-512, and a multiply and an add on SSE4.2.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <xsimd/xsimd.hpp>

#include "tc/kernels/rounding.h"
#include "tc/kernels/tier.h"

#define TC_INLINE inline __attribute__((always_inline))

namespace tc::kernels {
namespace {

// As std::min and std::max, which would be other symbols that tiers share.
TC_INLINE int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
TC_INLINE int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

#if defined(__AVX512F__)
using Arch = xsimd::avx512bw;
#elif defined(__AVX2__)
using Arch = xsimd::fma3<xsimd::avx2>;
#else
using Arch = xsimd::sse4_2;
#endif

template <class T>
using Mask = xsimd::batch_bool<T, Arch>;

// A register of lanes of T: float, double, int32_t or int64_t. Operators + - * / & | ^ ~ and comparisons are xsimd's.
template <class T>
using Vec = xsimd::batch<T, Arch>;

using VecF = Vec<float>;
using VecD = Vec<double>;
using VecI = Vec<int32_t>;
using VecL = Vec<int64_t>;

template <class T>
inline constexpr int kLanes = static_cast<int>(Vec<T>::size);

template <class T>
TC_INLINE Vec<T> broadcast(T x) {
  return Vec<T>(x);
}
template <class T>
TC_INLINE Vec<T> load(const T* p) {
  return Vec<T>::load_unaligned(p);
}
template <class T>
TC_INLINE void store(T* p, Vec<T> v) {
  v.store_unaligned(p);
}
template <class T>
TC_INLINE Vec<T> vmin(Vec<T> a, Vec<T> b) {
  return xsimd::min(a, b);
}
template <class T>
TC_INLINE Vec<T> vmax(Vec<T> a, Vec<T> b) {
  return xsimd::max(a, b);
}
template <class T>
TC_INLINE Vec<T> select(Mask<T> m, Vec<T> if_true, Vec<T> if_false) {
  return xsimd::select(m, if_true, if_false);
}
// fma(a, b, c) is a * b + c, fnma(a, b, c) is c - a * b. xsimd 8.1 has them as two operations on AVX-512.
#if defined(__AVX512F__)
TC_INLINE VecF fma(VecF a, VecF b, VecF c) {
  return VecF(_mm512_fmadd_ps(a, b, c));
}
TC_INLINE VecD fma(VecD a, VecD b, VecD c) {
  return VecD(_mm512_fmadd_pd(a, b, c));
}
TC_INLINE VecF fnma(VecF a, VecF b, VecF c) {
  return VecF(_mm512_fnmadd_ps(a, b, c));
}
TC_INLINE VecD fnma(VecD a, VecD b, VecD c) {
  return VecD(_mm512_fnmadd_pd(a, b, c));
}
#else
template <class T>
TC_INLINE Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) {
  return xsimd::fma(a, b, c);
}
template <class T>
TC_INLINE Vec<T> fnma(Vec<T> a, Vec<T> b, Vec<T> c) {
  return xsimd::fnma(a, b, c);
}
#endif
template <class T>
TC_INLINE Vec<T> vsqrt(Vec<T> a) {
  return xsimd::sqrt(a);
}
// To the nearest integer, halves to even.
template <class T>
TC_INLINE Vec<T> vround(Vec<T> a) {
  return xsimd::nearbyint(a);
}
template <class T>
TC_INLINE Vec<T> vfloor(Vec<T> a) {
  return xsimd::floor(a);
}
template <class T>
TC_INLINE Vec<T> vceil(Vec<T> a) {
  return xsimd::ceil(a);
}
template <class T>
TC_INLINE Vec<T> vtrunc(Vec<T> a) {
  return xsimd::trunc(a);
}
// Comparisons that xsimd 8.1 gets wrong on some tiers: its != is false for NaN on AVX and AVX-512, and ^ of masks is
// broken on AVX-512.
template <class T>
TC_INLINE Mask<T> not_equal(Vec<T> a, Vec<T> b) {
  return ~(a == b);
}
template <class T>
TC_INLINE Mask<T> is_nan(Vec<T> a) {
  return not_equal(a, a);
}
template <class T>
TC_INLINE Mask<T> exclusive_or(Mask<T> a, Mask<T> b) {
  return (a & ~b) | (b & ~a);
}
TC_INLINE VecI bits(VecF a) {
  return xsimd::bitwise_cast<VecI>(a);
}
TC_INLINE VecL bits(VecD a) {
  return xsimd::bitwise_cast<VecL>(a);
}
TC_INLINE VecF from_bits(VecI a) {
  return xsimd::bitwise_cast<VecF>(a);
}
TC_INLINE VecD from_bits(VecL a) {
  return xsimd::bitwise_cast<VecD>(a);
}
template <class T>
TC_INLINE Vec<T> vabs(Vec<T> a) {
  return xsimd::abs(a);
}
// The magnitude of a with the sign of b.
TC_INLINE VecF copysign(VecF a, VecF b) {
  const VecI sign(INT32_MIN);
  return from_bits((bits(a) & ~sign) | (bits(b) & sign));
}

}  // namespace
}  // namespace tc::kernels

// Each defines, for its registers:
//   Tail<T>(n)                      the first n lanes, 0 <= n <= lanes; load(p, tail), store(p, v, tail); .mask()
//   tail loads fill the other lanes with zero
//   shift_left<N>, shift_right<N> (logical), shift_right_arith<N>   of VecI and VecL
//   to_i32 (truncates; INT32_MIN when out of range), round_to_i32, to_float
//   load_f16, load_bf16, store_f16, store_bf16 (round to nearest even), each also with a Tail<float>
//   load_u8, load_i8 -> VecI, each also with a Tail<int32_t>
//   low_f64, high_f64 of VecF, narrow(VecD, VecD) -> VecF
//   sum, hmin, hmax of a register; any(Mask), all(Mask); permute(VecI, lanes); gather(base, VecI)
#if defined(__AVX512F__)
#include "tc/kernels/simd/vec_avx512.h"
#elif defined(__AVX2__)
#include "tc/kernels/simd/vec_avx2.h"
#else
#include "tc/kernels/simd/vec_sse42.h"
#endif

namespace tc::kernels {
namespace {

// The number or pointer, as one that the compiler knows nothing about: it keeps neither sums with it nor pointers
// derived from it in registers that a loop needs, and on the stack when these run out.
template <class T>
TC_INLINE T forget(T value) {
  asm("" : "+r"(value));
  return value;
}

// x * 2^n for integral n, |n| <= 252, rounded once where it falls below the normal numbers.
TC_INLINE VecF scale_by_power(VecF x, VecF n) {
#if defined(__AVX512F__)
  return VecF(_mm512_scalef_ps(x, n));
#else
  const VecI exponent = to_i32(n);
  const VecI half = shift_right_arith<1>(exponent);
  return x * from_bits(shift_left<23>(half + VecI(127))) * from_bits(shift_left<23>(exponent - half + VecI(127)));
#endif
}

// The same, 0 in the lanes of `gone`, whatever x and n are there.
TC_INLINE VecF scale_by_power_unless(Mask<float> gone, VecF x, VecF n) {
#if defined(__AVX512F__)
  return VecF(_mm512_maskz_scalef_ps(Mask<float>::register_type(~gone), x, n));
#else
  const VecF zero(0.0f);
  return select(gone, zero, scale_by_power(x, select(gone, zero, n)));
#endif
}

// 1 / x within 0.6 ulp where x and the result are normal numbers. An estimate and a step of Newton's method keep a port
// busy for half as long as a division does.
TC_INLINE VecF inverse(VecF x) {
  const VecF one(1.0f);
#if defined(__AVX512F__)
  const VecF near(_mm512_rcp14_ps(x));
  return fma(fnma(x, near, one), near, near);
#else
  return one / x;
#endif
}
// 1 / (a + b) as exactly, without the rounding of the sum.
TC_INLINE VecF inverse_of_sum(VecF a, VecF b) {
  const VecF one(1.0f);
#if defined(__AVX512F__)
  const VecF near(_mm512_rcp14_ps(a + b));
#else
  const VecF near = one / (a + b);
#endif
  return fma(fnma(b, near, fnma(a, near, one)), near, near);
}

// Sixteen floats, the channel block of the NCHW16c layout: 1, 2 or 4 registers.
struct Block16 {
  static constexpr int kRegs = 16 / kLanes<float>;
  VecF r[kRegs];

  static TC_INLINE Block16 broadcast(float x) {
    Block16 out;
    for (int i = 0; i < kRegs; ++i) out.r[i] = VecF(x);
    return out;
  }
  static TC_INLINE Block16 load(const float* p) {
    Block16 out;
    for (int i = 0; i < kRegs; ++i) out.r[i] = VecF::load_unaligned(p + i * kLanes<float>);
    return out;
  }
  // The first n floats, and zeros.
  static TC_INLINE Block16 load(const float* p, int n) {
    Block16 out;
    for (int i = 0; i < kRegs; ++i) {
      const int rest = n - i * kLanes<float>;
      const int here = rest < 0 ? 0 : rest > kLanes<float> ? kLanes<float> : rest;
      out.r[i] = here == 0 ? VecF(0.0f) : kernels::load(p + i * kLanes<float>, Tail<float>(here));
    }
    return out;
  }
  TC_INLINE void store(float* p) const {
    for (int i = 0; i < kRegs; ++i) r[i].store_unaligned(p + i * kLanes<float>);
  }
  TC_INLINE void store(float* p, int n) const {
    for (int i = 0; i < kRegs; ++i) {
      const int rest = n - i * kLanes<float>;
      if (rest > 0)
        kernels::store(p + i * kLanes<float>, r[i], Tail<float>(rest > kLanes<float> ? kLanes<float> : rest));
    }
  }
};
TC_INLINE Block16 operator+(Block16 a, Block16 b) {
  for (int i = 0; i < Block16::kRegs; ++i) a.r[i] = a.r[i] + b.r[i];
  return a;
}
TC_INLINE Block16 operator*(Block16 a, Block16 b) {
  for (int i = 0; i < Block16::kRegs; ++i) a.r[i] = a.r[i] * b.r[i];
  return a;
}
TC_INLINE Block16 fma(Block16 a, Block16 b, Block16 c) {
  for (int i = 0; i < Block16::kRegs; ++i) c.r[i] = fma(a.r[i], b.r[i], c.r[i]);
  return c;
}
TC_INLINE Block16 vmax(Block16 a, Block16 b) {
  for (int i = 0; i < Block16::kRegs; ++i) a.r[i] = vmax(a.r[i], b.r[i]);
  return a;
}
TC_INLINE Block16 vmin(Block16 a, Block16 b) {
  for (int i = 0; i < Block16::kRegs; ++i) a.r[i] = vmin(a.r[i], b.r[i]);
  return a;
}

// f(first, tail) for the registers that n floats fill, the last one in part.
template <class F>
TC_INLINE void for_registers(int64_t n, F&& f) {
  constexpr int kV = kLanes<float>;
  for (int64_t i = 0; i < n; i += kV) f(i, Tail<float>(static_cast<int>(least(kV, n - i))));
}

}  // namespace
}  // namespace tc::kernels
