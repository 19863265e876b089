// Whole numbers of 24 bits, three bytes each. Beside vec.h.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// What the two below read or write beyond a register's numbers.
inline constexpr int64_t kWhole24Beyond = kLanes<float> == 16 ? 16 : 4;

// A register of them, each times 256.
TC_INLINE VecI load_whole24(const std::byte* from) {
  const __m128i spread = _mm_setr_epi8(-1, 0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11);
#if defined(__AVX512F__)
  const __m512i quarters = _mm512_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
  const __m512i x = _mm512_permutexvar_epi32(quarters, _mm512_loadu_si512(from));
  return VecI(_mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(spread)));
#elif defined(__AVX2__)
  const __m256i x =
      _mm256_loadu2_m128i(reinterpret_cast<const __m128i*>(from + 12), reinterpret_cast<const __m128i*>(from));
  return VecI(_mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(spread)));
#else
  return VecI(_mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), spread));
#endif
}

// The low 24 bits of each.
TC_INLINE void store_whole24(std::byte* to, VecI x) {
  const __m128i gather = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
#if defined(__AVX512F__)
  const __m512i quarters = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
  const __m512i y = _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(gather));
  _mm512_storeu_si512(to, _mm512_permutexvar_epi32(quarters, y));
#elif defined(__AVX2__)
  const __m256i y = _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(gather));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(y));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 12), _mm256_extracti128_si256(y, 1));
#else
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_shuffle_epi8(x, gather));
#endif
}

}  // namespace
}  // namespace tc::kernels
