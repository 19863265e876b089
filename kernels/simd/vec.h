// Vectors of one register of the target that this file is compiled for. Only *_tier.cc files include it. What a target
// has to offer lies in a folder of its own: x86 (by its instruction sets) and portable (the compiler's vectors of 128
// bits, for any machine), whose headers define the same primitives. Every name sits in an anonymous namespace, so no
// symbol of one tier can stand in for another tier's.
//
// Invariants: a load or store with a Tail touches no byte beyond its count; min and max return their second operand
// when either is NaN, as the instructions of x86 do; fma is fused where kFuses, else a multiply and an add.
//
// A target's vec.h defines, beside Vec<T> and Mask<T> with operators + - * / & | ^ ~ and comparisons:
//   kLanes<T>, broadcast, load, store, vmin, vmax, select, fma(a, b, c) = a * b + c, fnma(a, b, c) = c - a * b, vsqrt,
//   vround (split bf16 to even), vfloor, vceil, vtrunc, vabs, not_equal, is_nan, exclusive_or of masks, bits, from_bits
//   Tail<T>(n)                      the first n lanes, 0 <= n <= lanes; load(p, tail), store(p, v, tail); .mask()
//   tail loads fill the other lanes with zero
//   shift_left<N>, shift_right<N> (logical), shift_right_arith<N>   of VecI and VecL
//   to_i32 (truncates; INT32_MIN when out of range), round_to_i32, to_float, to_i64, to_double
//   load_f16, load_bf16, store_f16, store_bf16 (round to nearest even), each also with a Tail<float>
//   load_u8, load_i8 -> VecI, each also with a Tail<int32_t>
//   low_f64, high_f64 of VecF, narrow(VecD, VecD) -> VecF; load_real, store_whole: i32 in memory as VecD
//   sum, hmin, hmax of a register; any(Mask), all(Mask); permute(VecI, lanes); gather(base, VecI)
//   min_nan, max_nan (NaN if either is); near_inverse, scale_by_power and kin; held
#pragma once
#include "tc/kernels/simd/base.h"
#if defined(TC_PORTABLE_VECTORS)
#include "tc/kernels/simd/portable/vec.h"
#else
#include "tc/kernels/simd/x86/vec.h"
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

// The magnitude of a with the sign of b.
TC_INLINE VecF copysign(VecF a, VecF b) {
  const VecI sign(INT32_MIN);
  return from_bits((bits(a) & ~sign) | (bits(b) & sign));
}

#if !defined(TC_SCALES_BY_POWER)
// x * 2^n for integral n, |n| <= 252, rounded once where it falls below the normal numbers.
TC_INLINE VecF scale_by_power(VecF x, VecF n) {
  const VecI exponent = to_i32(n);
  const VecI half = shift_right_arith<1>(exponent);
  return x * from_bits(shift_left<23>(half + VecI(127))) * from_bits(shift_left<23>(exponent - half + VecI(127)));
}

// The same, 0 in the lanes of `gone`, whatever x and n are there.
TC_INLINE VecF scale_by_power_unless(Mask<float> gone, VecF x, VecF n) {
  const VecF zero(0.0f);
  return select(gone, zero, scale_by_power(x, select(gone, zero, n)));
}

// 1 / x within 0.6 ulp where x and the result are normal numbers.
TC_INLINE VecF inverse(VecF x) {
  return VecF(1.0f) / x;
}
// 1 / (a + b) as exactly, without the rounding of the sum.
TC_INLINE VecF inverse_of_sum(VecF a, VecF b) {
  const VecF one(1.0f), near = one / (a + b);
  return fma(fnma(b, near, fnma(a, near, one)), near, near);
}

// NaN in a stays, by the selection, and in b, by the order of the operands.
template <class T>
TC_INLINE Vec<T> min_nan(Vec<T> a, Vec<T> b) {
  return select(is_nan(a), a, vmin(a, b));
}
template <class T>
TC_INLINE Vec<T> max_nan(Vec<T> a, Vec<T> b) {
  return select(is_nan(a), a, vmax(a, b));
}
#endif

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
