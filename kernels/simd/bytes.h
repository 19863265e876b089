// Bytes: the low one of each lane of a register, stored side by side; short copies.
#pragma once
#include <cstring>

#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

#if defined(__AVX512F__)
TC_INLINE void store_low_bytes(uint8_t* p, VecI v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(v));
}
TC_INLINE void copy_bytes(uint8_t* to, const uint8_t* from, int64_t n) {
  for (; n > 0; n -= 32, to += 32, from += 32) {
    const __mmask32 some = n >= 32 ? ~__mmask32{0} : (__mmask32{1} << n) - 1;
    _mm256_mask_storeu_epi8(to, some, _mm256_maskz_loadu_epi8(some, from));
  }
}
#else
TC_INLINE void copy_bytes(uint8_t* to, const uint8_t* from, int64_t n) {
  std::memcpy(to, from, static_cast<size_t>(n));
}
TC_INLINE __m128i low_bytes(VecI v) {
#if defined(__AVX2__)
  const __m256i order =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
  const __m256i halves = _mm256_shuffle_epi8(v, order);
  return _mm_unpacklo_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
#else
  return _mm_shuffle_epi8(v, _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
#endif
}
TC_INLINE void store_low_bytes(uint8_t* p, VecI v) {
  alignas(16) uint8_t bytes[16];
  _mm_store_si128(reinterpret_cast<__m128i*>(bytes), low_bytes(v));
  std::memcpy(p, bytes, kLanes<int32_t>);
}
#endif

}  // namespace
}  // namespace tc::kernels
