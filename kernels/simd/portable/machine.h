// What machines have instructions for that the compiler's vectors do not name, by what those do name. A target for one
// machine has a header of its own in place of this one, which defines the same functions.
#pragma once
#include "tc/kernels/simd/portable/raw.h"
#if defined(__wasm_simd128__)
#include "tc/kernels/simd/wasm/machine.h"
#endif

namespace tc::kernels {
namespace {

#if !defined(__wasm_simd128__)

TC_INLINE F32 root(F32 x) {
  return F32{__builtin_sqrtf(x[0]), __builtin_sqrtf(x[1]), __builtin_sqrtf(x[2]), __builtin_sqrtf(x[3])};
}
TC_INLINE F64 root(F64 x) {
  return F64{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])};
}

// Bits of floats.
template <class T>
inline constexpr Word<T> kSignBit = Word<T>{1} << (8 * sizeof(T) - 1);
template <class T>
TC_INLINE Raw<T> magnitude(Raw<T> x) {
  return (Raw<T>)((Raw<Word<T>>)x & splat<Word<T>>(~kSignBit<T>));
}
template <class T>
TC_INLINE Raw<T> with_sign(Raw<T> x, Raw<T> of) {
  return (Raw<T>)((Raw<Word<T>>)magnitude<T>(x) | ((Raw<Word<T>>)of & splat<Word<T>>(kSignBit<T>)));
}

// To whole numbers: beyond 2^23, or 2^52, all are; below, adding that much rounds to them, split bf16 to even.
template <class T>
TC_INLINE Raw<T> nearest(Raw<T> x) {
  const Raw<T> whole = splat<T>(sizeof(T) == 4 ? T(0x1p23) : T(0x1p52)), size = magnitude<T>(x);
  return size < whole ? with_sign<T>((size + whole) - whole, x) : x;
}
template <class T>
TC_INLINE Raw<T> floor_of(Raw<T> x) {
  const Raw<T> near = nearest<T>(x);
  return with_sign<T>(near > x ? near - splat<T>(1) : near, x);
}
template <class T>
TC_INLINE Raw<T> ceil_of(Raw<T> x) {
  const Raw<T> near = nearest<T>(x);
  return with_sign<T>(near < x ? near + splat<T>(1) : near, x);
}
template <class T>
TC_INLINE Raw<T> trunc_of(Raw<T> x) {
  return with_sign<T>(floor_of<T>(magnitude<T>(x)), x);
}

// Cut off; INT32_MIN for what no i32 holds, whose conversion the language leaves open.
TC_INLINE I32 cut_to_i32(F32 x) {
  const I32 inside = (x >= splat<float>(-0x1p31F)) & (x < splat<float>(0x1p31F));
  const I32 whole = __builtin_convertvector(inside ? x : F32{}, I32);
  return inside ? whole : splat<int32_t>(INT32_MIN);
}
// Four bytes of memory as integers.
template <bool kSigned>
TC_INLINE I32 widen_bytes(uint32_t four) {
  const U8 bytes = (U8)U32{four, 0, 0, 0}, none{};
  if constexpr (kSigned) return (I32)interleave<false>((U16)none, (U16)interleave<false>(none, bytes)) >> 24;
  return (I32)interleave<false>((U16)interleave<false>(bytes, none), (U16)none);
}
// The eight lower bytes of a register, or the upper ones.
template <bool kSigned, bool kUpper>
TC_INLINE I16 widen_words(U8 bytes) {
  if constexpr (kSigned) return (I16)interleave<kUpper>(U8{}, bytes) >> 8;
  return (I16)interleave<kUpper>(bytes, U8{});
}

// Integers to the nearest ones of half the size, a's before b's.
TC_INLINE I16 narrow_words(I32 a, I32 b) {
  const auto fit = [](I32 x) __attribute__((always_inline)) {
    const I32 low = splat<int32_t>(INT16_MIN), high = splat<int32_t>(INT16_MAX);
    x = x < low ? low : x;
    return (I16)(x > high ? high : x);
  };
  return (I16)__builtin_shufflevector(fit(a), fit(b), 0, 2, 4, 6, 8, 10, 12, 14);
}
template <bool kSigned>
TC_INLINE U8 narrow_bytes(I16 a, I16 b) {
  const auto fit = [](I16 x) __attribute__((always_inline)) {
    const I16 low = splat<int16_t>(kSigned ? INT8_MIN : 0), high = splat<int16_t>(kSigned ? INT8_MAX : UINT8_MAX);
    x = x < low ? low : x;
    return (U8)(x > high ? high : x);
  };
  return __builtin_shufflevector(fit(a), fit(b), 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}

// Sums of two products of words per lane of 32 bits.
TC_INLINE I32 add_products(I16 a, I16 b) {
  const I32 x = (I32)a, y = (I32)b;
  return ((x << 16) >> 16) * ((y << 16) >> 16) + (x >> 16) * (y >> 16);
}
// Of the lanes of a comparison.
TC_INLINE uint32_t lane_bits(I32 m) {
  const U32 bits = (U32)m & U32{1, 2, 4, 8};
  return bits[0] | bits[1] | bits[2] | bits[3];
}
TC_INLINE uint32_t lane_bits(I64 m) {
  const U64 bits = (U64)m & U64{1, 2};
  return static_cast<uint32_t>(bits[0] | bits[1]);
}
TC_INLINE bool any_set(U64 m) {
  return (m[0] | m[1]) != 0;
}
TC_INLINE bool all_set(U64 m) {
  return (m[0] & m[1]) == ~uint64_t{0};
}

#endif

// Whether multiply_add rounds once. WebAssembly's relaxed ones do or do not, as the machine likes.
inline constexpr bool kFuses = false;

template <class V>
TC_INLINE V multiply_add(V a, V b, V c) {
  return a * b + c;
}
template <class V>
TC_INLINE V subtract_product(V a, V b, V c) {
  return c - a * b;
}

// To the nearest; INT32_MIN for what no i32 holds.
TC_INLINE I32 nearest_i32(F32 x) {
  return cut_to_i32(nearest<float>(x));
}

// Sums of two products of bytes per word, which hold them.
TC_INLINE I16 add_byte_products(U8 a, I8 b) {
  const I16 x = (I16)a, y = (I16)b;
  return (I16)((U16)(x & splat<int16_t>(255)) * (U16)((y << 8) >> 8) + ((U16)x >> 8) * (U16)(y >> 8));
}

// Half to float: the exponent is re-biased by a multiplication with 2^112, which also normalises subnormals.
TC_INLINE F32 half_to_float(uint64_t four) {
  const I32 h = __builtin_convertvector(load_raw<HalfU16>(&four), I32);
  const I32 size = (h & splat(0x7fff)) << 13;
  const U32 sign = (U32)(h & splat(0x8000)) << 16;
  const F32 scaled = (F32)size * (F32)splat((254 - 15) << 23);
  const I32 exponent = (size >= splat(0x7c00 << 13)) & splat(0xff << 23);
  const I32 quiet = (size > splat(0x7c00 << 13)) & splat(1 << 22);
  return (F32)((U32)exponent | (U32)quiet | sign | (U32)scaled);
}
// The low bf16 pairs of four lanes.
TC_INLINE uint64_t low_halves(I32 x) {
  const U16 words = (U16)x;
  return ((U64)__builtin_shufflevector(words, words, 0, 2, 4, 6, 0, 2, 4, 6))[0];
}
// Float to half, to nearest even: normal results round in integers, subnormal ones by adding a power of two.
TC_INLINE uint64_t float_to_half(F32 v) {
  const I32 size = (I32)magnitude<float>(v);
  const I32 odd = (size >> 13) & splat(1);
  const I32 normal = (size + splat((15 - 127) * (1 << 23) + 0xfff) + odd) >> 13;
  const I32 magic = splat(((127 - 15) + (23 - 10) + 1) << 23);
  const I32 tiny = (I32)((F32)size + (F32)magic) - magic;
  const I32 payload = ((size >> 13) & splat(0x3ff)) | splat(0x7e00);
  I32 out = size < splat((127 - 14) << 23) ? tiny : normal;
  out = size >= splat((127 + 16) << 23) ? splat(0x7c00) : out;
  out = size > splat(0xff << 23) ? payload : out;
  return low_halves(out | (I32)(((U32)v >> 16) & splat(0x8000U)));
}

}  // namespace
}  // namespace tc::kernels
