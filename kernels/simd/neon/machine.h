// What simd/portable/machine.h defines, by instructions that every aarch64 machine has.
#pragma once
#include <arm_neon.h>

#include "tc/kernels/simd/portable/raw.h"

namespace tc::kernels {
namespace {

inline constexpr bool kFuses = true;
TC_INLINE F32 multiply_add(F32 a, F32 b, F32 c) {
  return vfmaq_f32(c, a, b);
}
TC_INLINE F64 multiply_add(F64 a, F64 b, F64 c) {
  return vfmaq_f64(c, a, b);
}
TC_INLINE F32 subtract_product(F32 a, F32 b, F32 c) {
  return vfmsq_f32(c, a, b);
}
TC_INLINE F64 subtract_product(F64 a, F64 b, F64 c) {
  return vfmsq_f64(c, a, b);
}

TC_INLINE F32 root(F32 x) {
  return vsqrtq_f32(x);
}
TC_INLINE F64 root(F64 x) {
  return vsqrtq_f64(x);
}

#define TC_BY_TYPE(name, intrinsic)      \
  template <class T>                     \
  TC_INLINE Raw<T> name(Raw<T> x) {      \
    if constexpr (sizeof(T) == 4)        \
      return Raw<T>(intrinsic##_f32(x)); \
    else                                 \
      return Raw<T>(intrinsic##_f64(x)); \
  }
TC_BY_TYPE(magnitude, vabsq)
TC_BY_TYPE(nearest, vrndnq)
TC_BY_TYPE(floor_of, vrndmq)
TC_BY_TYPE(ceil_of, vrndpq)
TC_BY_TYPE(trunc_of, vrndq)
#undef TC_BY_TYPE

// Conversions saturate, and give 0 for NaN: what is too large, or no number, becomes INT32_MIN.
TC_INLINE I32 unless_large(F32 x, I32 whole) {
  return x < splat(0x1p31F) ? whole : splat(INT32_MIN);
}
TC_INLINE I32 cut_to_i32(F32 x) {
  return unless_large(x, vcvtq_s32_f32(x));
}
TC_INLINE I32 nearest_i32(F32 x) {
  return unless_large(x, vcvtnq_s32_f32(x));
}

template <bool kSigned>
TC_INLINE I32 widen_bytes(uint32_t four) {
  if constexpr (kSigned) return vmovl_s16(vget_low_s16(vmovl_s8(vcreate_s8(four))));
  return (I32)vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four))));
}
template <bool kSigned, bool kUpper>
TC_INLINE I16 widen_words(U8 bytes) {
  if constexpr (kSigned) return kUpper ? vmovl_high_s8((I8)bytes) : vmovl_s8(vget_low_s8((I8)bytes));
  return (I16)(kUpper ? vmovl_high_u8(bytes) : vmovl_u8(vget_low_u8(bytes)));
}
TC_INLINE I16 narrow_words(I32 a, I32 b) {
  return vqmovn_high_s32(vqmovn_s32(a), b);
}
template <bool kSigned>
TC_INLINE U8 narrow_bytes(I16 a, I16 b) {
  if constexpr (kSigned) return (U8)vqmovn_high_s16(vqmovn_s16(a), b);
  return vqmovun_high_s16(vqmovun_s16(a), b);
}

TC_INLINE I32 add_products(I16 a, I16 b) {
  return vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b));
}
TC_INLINE I16 add_byte_products(U8 a, I8 b) {
  const I16 low = (I16)vmovl_u8(vget_low_u8(a)) * (I16)vmovl_s8(vget_low_s8(b));
  return vpaddq_s16(low, (I16)vmovl_high_u8(a) * (I16)vmovl_high_s8(b));
}

TC_INLINE uint32_t lane_bits(I32 m) {
  return vaddvq_u32((U32)m & U32{1, 2, 4, 8});
}
TC_INLINE uint32_t lane_bits(I64 m) {
  return static_cast<uint32_t>(vaddvq_u64((U64)m & U64{1, 2}));
}
TC_INLINE bool any_set(U64 m) {
  return vmaxvq_u32((U32)m) != 0;
}
TC_INLINE bool all_set(U64 m) {
  return vminvq_u32((U32)m) == ~uint32_t{0};
}

TC_INLINE F32 half_to_float(uint64_t four) {
  return vcvt_f32_f16(vreinterpret_f16_u64(vcreate_u64(four)));
}
TC_INLINE uint64_t low_halves(I32 x) {
  return vget_lane_u64(vreinterpret_u64_s16(vmovn_s32(x)), 0);
}
TC_INLINE uint64_t float_to_half(F32 v) {
  return vget_lane_u64(vreinterpret_u64_f16(vcvt_f16_f32(v)), 0);
}

// Operands of products of bytes that are summed by quads, for files that are compiled for machines with an instruction
// for it. Where it takes bytes of one signedness alone, unsigned ones are moved by 128, and signed ones bring along
// what that takes from a sum.
#if defined(__ARM_FEATURE_MATMUL_INT8)
struct UnsignedQuads {
  U8 all;
  UnsignedQuads() = default;
  explicit TC_INLINE UnsignedQuads(I32 b) : all((U8)b) {}
};
struct SignedQuads {
  I8 all;
  SignedQuads() = default;
  explicit TC_INLINE SignedQuads(I32 b) : all((I8)b) {}
};
TC_INLINE I32 add_quad_products(I32 sum, UnsignedQuads u, SignedQuads s) {
  return vusdotq_s32(sum, u.all, s.all);
}
#elif defined(__ARM_FEATURE_DOTPROD)
struct UnsignedQuads {
  I8 all;
  UnsignedQuads() = default;
  explicit TC_INLINE UnsignedQuads(I32 b) : all((I8)((U8)b ^ splat<uint8_t>(128))) {}
};
struct SignedQuads {
  I8 all;
  I32 moved;
  SignedQuads() = default;
  explicit TC_INLINE SignedQuads(I32 b) : all((I8)b), moved(-vdotq_s32(I32{}, (I8)b, splat<int8_t>(-128))) {}
};
TC_INLINE I32 add_quad_products(I32 sum, UnsignedQuads u, SignedQuads s) {
  return vdotq_s32((I32)((U32)sum + (U32)s.moved), u.all, s.all);
}
#endif

}  // namespace
}  // namespace tc::kernels
