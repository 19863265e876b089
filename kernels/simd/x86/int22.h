// int22.h on x86.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// Bytes that `lanes` of them take, and what the functions below read or write beyond a register's.
TC_INLINE constexpr int64_t int22_bytes(int64_t lanes) {
  return lanes / 4 * 11;
}
inline constexpr int64_t kWhole22Beyond = kLanes<float> == 16 ? 20 : 5;

// A register of them, each times 1024: bytes are brought to their lanes, then bits to the upper end of these.
TC_INLINE VecI load_int22(const std::byte* from) {
  const __m128i bytes = _mm_setr_epi8(0, 1, 2, 3, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11);
#if defined(__AVX2__)
  const __m128i places = _mm_setr_epi32(10, 4, 6, 8);
#endif
#if defined(__AVX512F__)
  const __m512i quarters = _mm512_setr_epi32(0, 1, 2, 3, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11);
  const __m512i later = _mm512_setr_epi64(0, 0, 0x0303030303030303, 0x0303030303030303, 0x0202020202020202,
                                          0x0202020202020202, 0x0101010101010101, 0x0101010101010101);
  const __m512i x = _mm512_permutexvar_epi32(quarters, _mm512_loadu_si512(from));
  const __m512i y = _mm512_shuffle_epi8(x, _mm512_add_epi8(_mm512_broadcast_i32x4(bytes), later));
  return VecI(_mm512_and_si512(_mm512_sllv_epi32(y, _mm512_broadcast_i32x4(places)), _mm512_set1_epi32(-1024)));
#elif defined(__AVX2__)
  const auto* at = reinterpret_cast<const __m128i*>(from);
  const __m256i x = _mm256_loadu2_m128i(reinterpret_cast<const __m128i*>(from + 11), at);
  const __m256i y = _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(bytes));
  return VecI(_mm256_and_si256(_mm256_sllv_epi32(y, _mm256_broadcastsi128_si256(places)), _mm256_set1_epi32(-1024)));
#else
  const __m128i x = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), bytes);
  const __m128i powers = _mm_setr_epi32(1 << 10, 1 << 4, 1 << 6, 1 << 8);
  return VecI(_mm_and_si128(_mm_mullo_epi32(x, powers), _mm_set1_epi32(-1024)));
#endif
}

// The low 22 bits of each.
TC_INLINE void store_int22(std::byte* to, VecI x) {
  alignas(64) int32_t lanes[kLanes<float>];
  store(lanes, x);
  const __m128i powers = _mm_setr_epi32(1, 1 << 6, 1 << 4, 1 << 2);
  const __m128i even = _mm_setr_epi8(0, 1, 2, -1, -1, 8, 9, 10, 11, -1, -1, -1, -1, -1, -1, -1);
  const __m128i odd = _mm_setr_epi8(-1, -1, 4, 5, 6, 7, -1, -1, 12, 13, 14, -1, -1, -1, -1, -1);
  for (int i = 0; i < kLanes<float>; i += 4, to += 11) {
    const __m128i four =
        _mm_and_si128(_mm_load_si128(reinterpret_cast<const __m128i*>(lanes + i)), _mm_set1_epi32(0x3fffff));
    const __m128i placed = _mm_mullo_epi32(four, powers);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm_or_si128(_mm_shuffle_epi8(placed, even), _mm_shuffle_epi8(placed, odd)));
  }
}

}  // namespace
}  // namespace tc::kernels
