// dot4.h on x86.
#pragma once
#include <immintrin.h>

#include "tc/kernels/simd/base.h"

namespace tc::kernels {
namespace {

#if defined(__AVX512F__)
using Bytes = __m512i;
TC_INLINE Bytes load_bytes(const void* p) {
  return _mm512_loadu_si512(p);
}
TC_INLINE void store_bytes(void* p, Bytes v) {
  _mm512_storeu_si512(p, v);
}
TC_INLINE Bytes no_bytes() {
  return _mm512_setzero_si512();
}
#define TC_WORDS(op) _mm512_##op
#define TC_AND _mm512_and_si512
#elif defined(__AVX2__)
using Bytes = __m256i;
TC_INLINE Bytes load_bytes(const void* p) {
  return _mm256_loadu_si256(static_cast<const Bytes*>(p));
}
TC_INLINE void store_bytes(void* p, Bytes v) {
  _mm256_storeu_si256(static_cast<Bytes*>(p), v);
}
TC_INLINE Bytes no_bytes() {
  return _mm256_setzero_si256();
}
#define TC_WORDS(op) _mm256_##op
#define TC_AND _mm256_and_si256
#else
using Bytes = __m128i;
TC_INLINE Bytes load_bytes(const void* p) {
  return _mm_loadu_si128(static_cast<const Bytes*>(p));
}
TC_INLINE void store_bytes(void* p, Bytes v) {
  _mm_storeu_si128(static_cast<Bytes*>(p), v);
}
TC_INLINE Bytes no_bytes() {
  return _mm_setzero_si128();
}
#define TC_WORDS(op) _mm_##op
#define TC_AND _mm_and_si128
#endif

TC_INLINE Bytes repeat_quad(const void* p) {
  int32_t quad;
  std::memcpy(&quad, p, sizeof quad);
  return TC_WORDS(set1_epi32)(quad);
}

inline constexpr int kQuads = static_cast<int>(sizeof(Bytes) / 4);  // lanes

#if defined(TC_VNNI)
// An operand as dot4 takes it.
template <bool kSigned, bool kFit = false>
struct Quads {
  Bytes all;
  Quads() = default;
  explicit TC_INLINE Quads(Bytes b) : all(b) {}
};
TC_INLINE Bytes dot4(Bytes sum, Quads<false> u, Quads<true> s) {
#if defined(__AVX512F__)
  return _mm512_dpbusd_epi32(sum, u.all, s.all);
#else
  return _mm256_dpbusd_avx_epi32(sum, u.all, s.all);
#endif
}
#else
// kFit: two neighbouring products fit a word.
template <bool kSigned, bool kFit = false>
struct Quads {
  Bytes even, odd;  // words
  Quads() = default;
  explicit TC_INLINE Quads(Bytes b) {
    if constexpr (kSigned) {
      even = TC_WORDS(srai_epi16)(TC_WORDS(slli_epi16)(b, 8), 8);
      odd = TC_WORDS(srai_epi16)(b, 8);
    } else {
      even = TC_AND(b, TC_WORDS(set1_epi16)(255));
      odd = TC_WORDS(srli_epi16)(b, 8);
    }
  }
};
TC_INLINE Bytes dot4(Bytes sum, Quads<false> u, Quads<true> s) {
  const Bytes pairs = TC_WORDS(madd_epi16)(u.even, s.even);
  return TC_WORDS(add_epi32)(sum, TC_WORDS(add_epi32)(pairs, TC_WORDS(madd_epi16)(u.odd, s.odd)));
}

template <bool kSigned>
struct Quads<kSigned, true> {
  Bytes all;
  Quads() = default;
  explicit TC_INLINE Quads(Bytes b) : all(b) {}
};

// Bytes 2 half and 2 half + 1 of each quad, as shuffles within 128 bits place them in words: signed ones above, from
// where a shift brings their signs along.
struct WordPlaces {
  alignas(64) uint8_t of[sizeof(Bytes)];
  constexpr WordPlaces(int half, bool is_signed) : of() {
    for (size_t i = 0; i < sizeof(Bytes); ++i)
      of[i] = static_cast<uint8_t>((i % 2 == 1) == is_signed ? i % 16 / 4 * 4 + 2 * half + i / 2 % 2 : 0x80);
  }
};
template <int kHalf, bool kSigned>
TC_INLINE Bytes word_pair(Bytes quads) {
  static constexpr WordPlaces kPlaces(kHalf, kSigned);
  const Bytes words = TC_WORDS(shuffle_epi8)(quads, load_bytes(kPlaces.of));
  return kSigned ? TC_WORDS(srai_epi16)(words, 8) : words;
}
// Adds up the products of two words per lane. In assembler: the compiler would add products to each other first, which
// takes registers that sums are in, or copy every sum.
TC_INLINE Bytes add_pairs(Bytes sum, Bytes a, Bytes b) {
  const Bytes products = TC_WORDS(madd_epi16)(a, b);
#if defined(__AVX512F__)
  asm("vpaddd %1, %0, %0" : "+v"(sum) : "v"(products));
#elif defined(__AVX2__)
  asm("vpaddd %1, %0, %0" : "+x"(sum) : "x"(products));
#else
  asm("paddd %1, %0" : "+x"(sum) : "x"(products));
#endif
  return sum;
}
TC_INLINE Bytes dot4(Bytes sum, Quads<false, true> u, Quads<true, true> s) {
  return add_pairs(sum, TC_WORDS(maddubs_epi16)(u.all, s.all), TC_WORDS(set1_epi16)(1));
}
TC_INLINE Bytes dot4(Bytes sum, Quads<true, true> s, Quads<false, true> u) {
  return dot4(sum, u, s);
}
// |a| + |b| of two neighbours, as words; the larger of two words.
TC_INLINE Bytes pair_sizes(Bytes b) {
  return TC_WORDS(maddubs_epi16)(TC_WORDS(abs_epi8)(b), TC_WORDS(set1_epi8)(1));
}
TC_INLINE Bytes larger_words(Bytes a, Bytes b) {
  return TC_WORDS(max_epi16)(a, b);
}
TC_INLINE bool any_above(Bytes words, int16_t limit) {
#if defined(__AVX512F__)
  return _mm512_cmpgt_epi16_mask(words, _mm512_set1_epi16(limit)) != 0;
#else
  return TC_WORDS(movemask_epi8)(TC_WORDS(cmpgt_epi16)(words, TC_WORDS(set1_epi16)(limit))) != 0;
#endif
}
// Half of each signed byte, towards minus infinity.
TC_INLINE Bytes lower_half(Bytes b) {
  const Bytes above = TC_WORDS(sub_epi8)(b, TC_WORDS(set1_epi8)(-128));
  const Bytes half = TC_AND(TC_WORDS(srli_epi16)(above, 1), TC_WORDS(set1_epi8)(127));
  return TC_WORDS(sub_epi8)(half, TC_WORDS(set1_epi8)(64));
}
TC_INLINE Bytes minus_bytes(Bytes a, Bytes b) {
  return TC_WORDS(sub_epi8)(a, b);
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
      words = TC_WORDS(add_epi16)(words, TC_WORDS(maddubs_epi16)(u, s));
    else
      sum = dot4(sum, Quads<false>(u), Quads<true>(s));
  }
  TC_INLINE void finish() {
    if constexpr (kByWords) {
      sum = TC_WORDS(add_epi32)(sum, TC_WORDS(madd_epi16)(words, TC_WORDS(set1_epi16)(1)));
      words = no_bytes();
    }
  }
};

TC_INLINE Bytes repeat_byte(uint8_t byte) {
  return TC_WORDS(set1_epi8)(static_cast<char>(byte));
}
// Adds eight unsigned bytes each to 64-bit lanes.
TC_INLINE Bytes add_eights(Bytes sums, Bytes unsigned_bytes) {
  return TC_WORDS(add_epi64)(sums, TC_WORDS(sad_epu8)(unsigned_bytes, no_bytes()));
}

#if !defined(TC_VNNI)
// Four or sixteen bytes as words.
template <bool kSigned>
TC_INLINE void widen_eight(__m128i bytes, int16_t* to) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), kSigned ? _mm_cvtepi8_epi16(bytes) : _mm_cvtepu8_epi16(bytes));
}
template <bool kSigned>
TC_INLINE void widen_quad(const uint8_t* from, int16_t* to) {
  int32_t quad;
  std::memcpy(&quad, from, sizeof quad);
  widen_eight<kSigned>(_mm_cvtsi32_si128(quad), to);
}
template <bool kSigned>
TC_INLINE void widen_four_quads(const uint8_t* from, int16_t* to) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
#if defined(__AVX2__)
  const __m256i words = kSigned ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words);
#else
  widen_eight<kSigned>(bytes, to);
  widen_eight<kSigned>(_mm_srli_si128(bytes, 8), to + 8);
#endif
}
#endif
#undef TC_WORDS
#undef TC_AND

}  // namespace
}  // namespace tc::kernels
