// dot4.h by the compiler's vectors: without TC_VNNI bytes widen to words, whose products are summed by pairs.
#pragma once
#include "tc/kernels/simd/portable/by_machine.h"

namespace tc::kernels {
namespace {

using Bytes = I32;
TC_INLINE Bytes load_bytes(const void* p) {
  return load_raw<Bytes>(p);
}
TC_INLINE void store_bytes(void* p, Bytes v) {
  store_raw(p, v);
}
TC_INLINE Bytes no_bytes() {
  return Bytes{};
}
TC_INLINE Bytes repeat_quad(const void* p) {
  return splat<int32_t>(load_raw<int32_t>(p));
}
TC_INLINE Bytes add_lanes(Bytes a, Bytes b) {
  return (Bytes)((U32)a + (U32)b);
}

inline constexpr int kQuads = static_cast<int>(sizeof(Bytes) / 4);  // lanes

// An operand as dot4 takes it.
#if defined(TC_VNNI)
template <bool kSigned, bool kFit = false>
struct Quads {
  std::conditional_t<kSigned, SignedQuads, UnsignedQuads> all;
  Quads() = default;
  explicit TC_INLINE Quads(Bytes b) : all(b) {}
};
TC_INLINE Bytes dot4(Bytes sum, Quads<false> u, Quads<true> s) {
  return add_quad_products(sum, u.all, s.all);
}
#else
// kFit: two neighbouring products fit a word.
template <bool kSigned, bool kFit = false>
struct Quads {
  I16 even, odd;  // words
  Quads() = default;
  explicit TC_INLINE Quads(Bytes b) {
    if constexpr (kSigned) {
      even = (I16)((U16)b << 8) >> 8;
      odd = (I16)b >> 8;
    } else {
      even = (I16)b & splat<int16_t>(255);
      odd = (I16)((U16)b >> 8);
    }
  }
};
TC_INLINE Bytes dot4(Bytes sum, Quads<false> u, Quads<true> s) {
  return add_lanes(sum, add_lanes(add_products(u.even, s.even), add_products(u.odd, s.odd)));
}

template <bool kSigned>
struct Quads<kSigned, true> {
  Bytes all;
  Quads() = default;
  explicit TC_INLINE Quads(Bytes b) : all(b) {}
};

// Bytes 2 half and 2 half + 1 of each quad as words.
template <int kHalf, bool kSigned>
TC_INLINE Bytes word_pair(Bytes quads) {
  constexpr int a = 2 * kHalf, b = a + 1;
  const U8 bytes = (U8)quads;
  const U8 pairs =
      __builtin_shufflevector(bytes, bytes, a, b, a + 4, b + 4, a + 8, b + 8, a + 12, b + 12, 0, 0, 0, 0, 0, 0, 0, 0);
  return (Bytes)widen_words<kSigned, false>(pairs);
}
// Adds up the products of two words per lane.
TC_INLINE Bytes add_pairs(Bytes sum, Bytes a, Bytes b) {
  return add_lanes(sum, add_products((I16)a, (I16)b));
}
TC_INLINE Bytes dot4(Bytes sum, Quads<false, true> u, Quads<true, true> s) {
  return add_pairs(sum, (Bytes)add_byte_products((U8)u.all, (I8)s.all), (Bytes)splat<int16_t>(1));
}
TC_INLINE Bytes dot4(Bytes sum, Quads<true, true> s, Quads<false, true> u) {
  return dot4(sum, u, s);
}
// |a| + |b| of two neighbours, as words; the larger of two words.
TC_INLINE Bytes pair_sizes(Bytes b) {
  const U8 sign = (U8)((I8)b >> 7);
  const U16 sizes = (U16)(((U8)b ^ sign) - sign);
  return (Bytes)((sizes & splat<uint16_t>(255)) + (sizes >> 8));
}
TC_INLINE Bytes larger_words(Bytes a, Bytes b) {
  return (Bytes)((I16)a > (I16)b ? (I16)a : (I16)b);
}
TC_INLINE bool any_above(Bytes words, int16_t limit) {
  return any_set((U64)((I16)words > splat<int16_t>(limit)));
}
// Half of each signed byte, towards minus infinity.
TC_INLINE Bytes lower_half(Bytes b) {
  return (Bytes)((I8)b >> 1);
}
TC_INLINE Bytes minus_bytes(Bytes a, Bytes b) {
  return (Bytes)((U8)a - (U8)b);
}

// Four or sixteen bytes as words.
template <bool kSigned>
TC_INLINE void widen_quad(const uint8_t* from, int16_t* to) {
  const U8 bytes = (U8)splat<uint32_t>(load_raw<uint32_t>(from));
  store_raw(to, ((U64)widen_words<kSigned, false>(bytes))[0]);
}
template <bool kSigned>
TC_INLINE void widen_four_quads(const uint8_t* from, int16_t* to) {
  const U8 bytes = load_raw<U8>(from);
  store_raw(to, widen_words<kSigned, false>(bytes));
  store_raw(to + 8, widen_words<kSigned, true>(bytes));
}
#endif
TC_INLINE Bytes dot4(Bytes sum, Quads<true> s, Quads<false> u) {
  return dot4(sum, u, s);
}

// The same where unsigned bytes are below 2^kBits: for those of a few bits, pairs of up to four products fit words.
// Takes `kCalls` calls of add, then finish.
template <int kBits, int kCalls>
struct QuadSum {
#if defined(TC_VNNI)
  static constexpr bool kByWords = false;
#else
  static constexpr bool kByWords = kCalls * 2 * ((1 << kBits) - 1) * 128 < 1 << 15;
#endif
  Bytes sum = no_bytes(), words = no_bytes();
  TC_INLINE void add(Bytes u, Bytes s) {
    if constexpr (kByWords)
      words = (Bytes)((U16)words + (U16)add_byte_products((U8)u, (I8)s));
    else
      sum = dot4(sum, Quads<false>(u), Quads<true>(s));
  }
  TC_INLINE void finish() {
    if constexpr (kByWords) {
      sum = add_lanes(sum, add_products((I16)words, splat<int16_t>(1)));
      words = no_bytes();
    }
  }
};

TC_INLINE Bytes repeat_byte(uint8_t byte) {
  return (Bytes)splat<uint8_t>(byte);
}
// Adds eight unsigned bytes each to 64-bit lanes.
TC_INLINE Bytes add_eights(Bytes sums, Bytes unsigned_bytes) {
  const U16 x = (U16)unsigned_bytes;
  const U32 twos = (U32)((x & splat<uint16_t>(255)) + (x >> 8));
  const U64 fours = (U64)((twos & splat<uint32_t>(0xffff)) + (twos >> 16));
  return (Bytes)((U64)sums + (fours & splat<uint64_t>(0xffffffff)) + (fours >> 32));
}

}  // namespace
}  // namespace tc::kernels
