// bytes.h on x86.
#pragma once
#include <cstring>
#include <type_traits>

#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// Bytes of signedness T in the lanes of i32: as many as there are lanes, or n.
template <class T>
TC_INLINE VecI load_i32(const uint8_t* p, int64_t n) {
  const Tail<int32_t> tail(n < kLanes<int32_t> ? static_cast<int>(n) : 0);
  if constexpr (std::is_signed_v<T>) {
    const auto* q = reinterpret_cast<const int8_t*>(p);
    return n >= kLanes<int32_t> ? load_i8(q) : load_i8(q, tail);
  } else {
    return n >= kLanes<int32_t> ? load_u8(p) : load_u8(p, tail);
  }
}

// Bytes of signedness T less a zero point, as floats.
template <class T>
struct MovedBytes {
  // Bytes put into the low bits of 2^23 need no conversion.
#if defined(__AVX512F__)
  static constexpr bool kPuts = std::is_unsigned_v<T>;
#else
  static constexpr bool kPuts = false;
#endif
  VecF zero;
  explicit MovedBytes(float of_zero) : zero(kPuts ? 0x1p23F + of_zero : of_zero) {}
  // As many as there are lanes.
  TC_INLINE VecF operator()(const uint8_t* p) const {
#if defined(__AVX512F__)
    if constexpr (kPuts) {
      const __m512i four = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
      const __m512i bytes = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
      return VecF(_mm512_castsi512_ps(
                 _mm512_mask_shuffle_epi8(_mm512_set1_epi32(0x4b000000), 0x1111111111111111, bytes, four))) -
             zero;
    }
#endif
    return to_float(load_i32<T>(p, kLanes<float>)) - zero;
  }
  // As many, or n.
  TC_INLINE VecF operator()(const uint8_t* p, int64_t n) const {
    const VecI bytes = load_i32<T>(p, n);
    return (kPuts ? from_bits(bytes | VecI(0x4b000000)) : to_float(bytes)) - zero;
  }
};

// The first n lanes of a register of bytes, less than all of them; the others are loaded as zeros.
#if defined(__AVX512F__)
template <class T>
TC_INLINE Vec<T> load_first_bytes(const T* p, int n) {
  return Vec<T>(_mm512_maskz_loadu_epi8((uint64_t{1} << n) - 1, p));
}
template <class T>
TC_INLINE void store_first_bytes(T* p, Vec<T> v, int n) {
  _mm512_mask_storeu_epi8(p, (uint64_t{1} << n) - 1, v);
}
#else
// Less than eight, without a call: 1000000 rows of 3 columns took 6.7 ms by copies on AVX2, and take 1.4 so.
template <class T>
TC_INLINE uint64_t load_few_bytes(const T* p, int n) {
  if (n >= 4) {
    uint32_t first, last;
    std::memcpy(&first, p, 4);
    std::memcpy(&last, p + n - 4, 4);
    return first | uint64_t{last} << 8 * (n - 4);
  }
  const auto byte = [&](int i) { return uint64_t{static_cast<uint8_t>(p[i])} << 8 * i; };
  return n == 0 ? 0 : byte(0) | byte(n / 2) | byte(n - 1);
}
template <class T>
TC_INLINE __m128i load_some_bytes(const T* p, int n) {
  if (n < 8) return _mm_cvtsi64_si128(static_cast<int64_t>(load_few_bytes(p, n)));
  const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm_insert_epi64(first, static_cast<int64_t>(load_few_bytes(p + 8, n - 8)), 1);
}
template <class T>
TC_INLINE Vec<T> load_first_bytes(const T* p, int n) {
#if defined(__AVX2__)
  if (n < 16) return Vec<T>(_mm256_zextsi128_si256(load_some_bytes(p, n)));
  const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return Vec<T>(_mm256_inserti128_si256(_mm256_castsi128_si256(first), load_some_bytes(p + 16, n - 16), 1));
#else
  return Vec<T>(load_some_bytes(p, n));
#endif
}
template <class T>
TC_INLINE void store_first_bytes(T* p, Vec<T> v, int n) {
  alignas(sizeof(Vec<T>)) T bytes[Vec<T>::size];
  v.store_aligned(bytes);
  std::memcpy(p, bytes, static_cast<size_t>(n));
}
#endif

#if defined(__AVX512F__)
TC_INLINE void store_low_bytes(uint8_t* p, VecI v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(v));
}
// Of the first n lanes.
TC_INLINE void store_low_bytes(uint8_t* p, VecI v, int64_t n) {
  _mm_mask_storeu_epi8(p, static_cast<__mmask16>((1U << n) - 1), _mm512_cvtepi32_epi8(v));
}
// Of four registers, one after the other, whose lanes plus `moved` are words of 16 bits: the nearest bytes of one
// signedness.
template <bool kSigned>
TC_INLINE void store_low_bytes(uint8_t* p, const VecI (&v)[4], int16_t moved = 0) {
  const __m512i by = _mm512_set1_epi16(moved);
  const __m512i ab = _mm512_add_epi16(_mm512_packs_epi32(v[0], v[1]), by);
  const __m512i cd = _mm512_add_epi16(_mm512_packs_epi32(v[2], v[3]), by);
  const __m512i quads = kSigned ? _mm512_packs_epi16(ab, cd) : _mm512_packus_epi16(ab, cd);
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  _mm512_storeu_si512(p, _mm512_permutexvar_epi32(order, quads));
}
#else
TC_INLINE __m128i low_bytes(VecI v) {
#if defined(__AVX2__)
  const __m256i order =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
  const __m256i split_bf16 = _mm256_shuffle_epi8(v, order);
  return _mm_unpacklo_epi32(_mm256_castsi256_si128(split_bf16), _mm256_extracti128_si256(split_bf16, 1));
#else
  return _mm_shuffle_epi8(v, _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
#endif
}
// Of the first n lanes.
TC_INLINE void store_low_bytes(uint8_t* p, VecI v, int64_t n) {
  alignas(16) uint8_t bytes[16];
  _mm_store_si128(reinterpret_cast<__m128i*>(bytes), low_bytes(v));
  std::memcpy(p, bytes, static_cast<size_t>(n));
}
TC_INLINE void store_low_bytes(uint8_t* p, VecI v) {
  store_low_bytes(p, v, kLanes<int32_t>);
}
template <bool kSigned>
TC_INLINE void store_low_bytes(uint8_t* p, const VecI (&v)[4], int16_t moved = 0) {
#if defined(__AVX2__)
  const __m256i by = _mm256_set1_epi16(moved);
  const __m256i ab = _mm256_add_epi16(_mm256_packs_epi32(v[0], v[1]), by);
  const __m256i cd = _mm256_add_epi16(_mm256_packs_epi32(v[2], v[3]), by);
  const __m256i quads = kSigned ? _mm256_packs_epi16(ab, cd) : _mm256_packus_epi16(ab, cd);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_permutevar8x32_epi32(quads, order));
#else
  const __m128i by = _mm_set1_epi16(moved);
  const __m128i ab = _mm_add_epi16(_mm_packs_epi32(v[0], v[1]), by);
  const __m128i cd = _mm_add_epi16(_mm_packs_epi32(v[2], v[3]), by);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), kSigned ? _mm_packs_epi16(ab, cd) : _mm_packus_epi16(ab, cd));
#endif
}
#endif

}  // namespace
}  // namespace tc::kernels
