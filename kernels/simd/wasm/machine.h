// portable/machine.h for WebAssembly, by its 128-bit instructions.
#pragma once
#include <wasm_simd128.h>

#include "tc/kernels/simd/portable/raw.h"

namespace tc::kernels {
namespace {

TC_INLINE F32 root(F32 x) {
  return (F32)wasm_f32x4_sqrt((v128_t)x);
}
TC_INLINE F64 root(F64 x) {
  return (F64)wasm_f64x2_sqrt((v128_t)x);
}

// Bits of floats.
template <class T>
TC_INLINE Raw<T> magnitude(Raw<T> x) {
  if constexpr (sizeof(T) == 4) return (Raw<T>)wasm_f32x4_abs((v128_t)x);
  return (Raw<T>)wasm_f64x2_abs((v128_t)x);
}

// To whole numbers, split bf16 to even.
template <class T>
TC_INLINE Raw<T> nearest(Raw<T> x) {
  if constexpr (sizeof(T) == 4) return (Raw<T>)wasm_f32x4_nearest((v128_t)x);
  return (Raw<T>)wasm_f64x2_nearest((v128_t)x);
}
template <class T>
TC_INLINE Raw<T> floor_of(Raw<T> x) {
  if constexpr (sizeof(T) == 4) return (Raw<T>)wasm_f32x4_floor((v128_t)x);
  return (Raw<T>)wasm_f64x2_floor((v128_t)x);
}
template <class T>
TC_INLINE Raw<T> ceil_of(Raw<T> x) {
  if constexpr (sizeof(T) == 4) return (Raw<T>)wasm_f32x4_ceil((v128_t)x);
  return (Raw<T>)wasm_f64x2_ceil((v128_t)x);
}
template <class T>
TC_INLINE Raw<T> trunc_of(Raw<T> x) {
  if constexpr (sizeof(T) == 4) return (Raw<T>)wasm_f32x4_trunc((v128_t)x);
  return (Raw<T>)wasm_f64x2_trunc((v128_t)x);
}

// Cut off; INT32_MIN for what no i32 holds. The instruction gives the nearest i32, 0 for NaN: only
// what is not below 2^31 is put right.
TC_INLINE I32 cut_to_i32(F32 x) {
  const I32 cut = (I32)wasm_i32x4_trunc_sat_f32x4((v128_t)x);
  return x < splat<float>(0x1p31F) ? cut : splat<int32_t>(INT32_MIN);
}
// Four bytes of memory as integers.
template <bool kSigned>
TC_INLINE I32 widen_bytes(uint32_t four) {
  const v128_t bytes = wasm_i32x4_make(static_cast<int32_t>(four), 0, 0, 0);
  if constexpr (kSigned) return (I32)wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(bytes));
  return (I32)wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(bytes));
}
// The eight lower bytes of a register, or the upper ones.
template <bool kSigned, bool kUpper>
TC_INLINE I16 widen_words(U8 bytes) {
  const auto x = (v128_t)bytes;
  if constexpr (kSigned) return (I16)(kUpper ? wasm_i16x8_extend_high_i8x16(x) : wasm_i16x8_extend_low_i8x16(x));
  return (I16)(kUpper ? wasm_u16x8_extend_high_u8x16(x) : wasm_u16x8_extend_low_u8x16(x));
}

// Integers to the nearest ones of half the size, a's before b's.
TC_INLINE I16 narrow_words(I32 a, I32 b) {
  return (I16)wasm_i16x8_narrow_i32x4((v128_t)a, (v128_t)b);
}
template <bool kSigned>
TC_INLINE U8 narrow_bytes(I16 a, I16 b) {
  if constexpr (kSigned) return (U8)wasm_i8x16_narrow_i16x8((v128_t)a, (v128_t)b);
  return (U8)wasm_u8x16_narrow_i16x8((v128_t)a, (v128_t)b);
}

// Sums of two products of words per lane of 32 bits.
TC_INLINE I32 add_products(I16 a, I16 b) {
  return (I32)wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b);
}
// Of the lanes of a comparison.
TC_INLINE uint32_t lane_bits(I32 m) {
  return wasm_i32x4_bitmask((v128_t)m);
}
TC_INLINE uint32_t lane_bits(I64 m) {
  return wasm_i64x2_bitmask((v128_t)m);
}
TC_INLINE bool any_set(U64 m) {
  return wasm_v128_any_true((v128_t)m);
}
TC_INLINE bool all_set(U64 m) {
  return wasm_i8x16_all_true((v128_t)m);
}

}  // namespace
}  // namespace tc::kernels
