// look_up.h on x86.
#pragma once
#include "tc/kernels/simd/dot4.h"

namespace tc::kernels {
namespace {

#if defined(__AVX512F__)
// The table as words; the low bit of a byte tells which half of its word.
struct LookUp {
  __m512i words[4];
  explicit LookUp(const uint8_t* table) {
    for (int i = 0; i < 4; ++i) words[i] = _mm512_loadu_si512(table + 64 * i);
  }
  // Of bytes in words.
  TC_INLINE __m512i of(__m512i bytes) const {
    const __m512i at = _mm512_srli_epi16(bytes, 1);
    const __m512i low = _mm512_permutex2var_epi16(words[0], at, words[1]);
    const __m512i high = _mm512_permutex2var_epi16(words[2], at, words[3]);
    const __m512i word = _mm512_mask_blend_epi16(_mm512_movepi16_mask(_mm512_slli_epi16(bytes, 8)), low, high);
    const __m512i shift = _mm512_slli_epi16(_mm512_and_si512(bytes, _mm512_set1_epi16(1)), 3);
    return _mm512_and_si512(_mm512_srlv_epi16(word, shift), _mm512_set1_epi16(255));
  }
  TC_INLINE __m512i operator()(__m512i x) const {
    const __m512i even = of(_mm512_and_si512(x, _mm512_set1_epi16(255))), odd = of(_mm512_srli_epi16(x, 8));
    return _mm512_or_si512(even, _mm512_slli_epi16(odd, 8));
  }
};

inline void look_up(const uint8_t* table, const uint8_t* x, int64_t n, uint8_t* y) {
  const LookUp of(table);
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) _mm512_storeu_si512(y + i, of(_mm512_loadu_si512(x + i)));
  if (i == n) return;
  const __mmask64 rest = ~uint64_t{0} >> (64 - (n - i));
  _mm512_mask_storeu_epi8(y + i, rest, of(_mm512_maskz_loadu_epi8(rest, x + i)));
}
#else
// By the sixteenths of the table one after the other: a shuffle gives 0 where an index has its high bit, which a
// saturating sum gives to all that are not of the sixteenth. A million bytes 0.8 to 0.3 ms.
inline void look_up(const uint8_t* table, const uint8_t* x, int64_t n, uint8_t* y) {
#if defined(__AVX2__)
  const auto sixteenth = [&](int k) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * k)));
  };
  const auto pick = [](Bytes of, Bytes at, int k) {
    const Bytes from = _mm256_xor_si256(at, _mm256_set1_epi8(static_cast<char>(16 * k)));
    return _mm256_shuffle_epi8(of, _mm256_adds_epu8(from, _mm256_set1_epi8(0x70)));
  };
#else
  const auto sixteenth = [&](int k) { return load_bytes(table + 16 * k); };
  const auto pick = [](Bytes of, Bytes at, int k) {
    const Bytes from = _mm_xor_si128(at, _mm_set1_epi8(static_cast<char>(16 * k)));
    return _mm_shuffle_epi8(of, _mm_adds_epu8(from, _mm_set1_epi8(0x70)));
  };
#endif
  constexpr int kStep = sizeof(Bytes);
  int64_t i = 0;
  for (; i + 4 * kStep <= n; i += 4 * kStep) {
    Bytes at[4], to[4] = {};
    for (int r = 0; r < 4; ++r) at[r] = load_bytes(x + i + r * kStep);
    for (int k = 0; k < 16; ++k) {
      const Bytes of = sixteenth(k);
      for (int r = 0; r < 4; ++r) to[r] = to[r] | pick(of, at[r], k);
    }
    for (int r = 0; r < 4; ++r) store_bytes(y + i + r * kStep, to[r]);
  }
  for (; i < n; ++i) y[i] = table[x[i]];
}
#endif

}  // namespace
}  // namespace tc::kernels
