// stride2.h on x86.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// a[kA], a[kA + 2], ..., b[kB], b[kB + 2], ...
template <int kA, int kB>
TC_INLINE VecF every_second(VecF a, VecF b) {
#if defined(__AVX512F__)
  constexpr int a0 = kA, b0 = 16 + kB;
  const __m512i lanes = _mm512_setr_epi32(a0, a0 + 2, a0 + 4, a0 + 6, a0 + 8, a0 + 10, a0 + 12, a0 + 14, b0, b0 + 2,
                                          b0 + 4, b0 + 6, b0 + 8, b0 + 10, b0 + 12, b0 + 14);
  return VecF(_mm512_permutex2var_ps(a, lanes, b));
#elif defined(__AVX2__)
  const __m256d pairs = _mm256_castps_pd(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(2 + kB, kB, 2 + kA, kA)));
  return VecF(_mm256_castpd_ps(_mm256_permute4x64_pd(pairs, _MM_SHUFFLE(3, 1, 2, 0))));
#else
  return VecF(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2 + kB, kB, 2 + kA, kA)));
#endif
}

// p[0] = a[0], p[1] = b[0], p[2] = a[1], ...
TC_INLINE void store_pairs(float* p, VecF a, VecF b) {
#if defined(__AVX512F__)
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  store(p, VecF(_mm512_permutex2var_ps(a, low, b)));
  store(p + kLanes<float>, VecF(_mm512_permutex2var_ps(a, high, b)));
#elif defined(__AVX2__)
  const __m256 even = _mm256_unpacklo_ps(a, b), odd = _mm256_unpackhi_ps(a, b);
  store(p, VecF(_mm256_permute2f128_ps(even, odd, 0x20)));
  store(p + kLanes<float>, VecF(_mm256_permute2f128_ps(even, odd, 0x31)));
#else
  store(p, VecF(_mm_unpacklo_ps(a, b)));
  store(p + kLanes<float>, VecF(_mm_unpackhi_ps(a, b)));
#endif
}

// left[i] = from[at[i]], right[i] = from[at[i] + 1]: neighbours by one load, which is fewer than gathering takes.
TC_INLINE void load_neighbours(const float* from, const int32_t* at, VecF& left, VecF& right) {
  const auto two = [&](int i) {
    const __m128 low = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + at[i])));
    return _mm_loadh_pi(low, reinterpret_cast<const __m64*>(from + at[i + 1]));
  };
#if defined(__AVX512F__)
  const auto four = [&](int i) { return _mm256_set_m128(two(i + 4), two(i)); };
  const auto eight = [&](int i) { return _mm512_insertf32x8(_mm512_castps256_ps512(four(i)), four(i + 8), 1); };
  const __m512 a = eight(0), b = eight(2);
  left = VecF(_mm512_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
  right = VecF(_mm512_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
#elif defined(__AVX2__)
  const __m256 a = _mm256_set_m128(two(4), two(0)), b = _mm256_set_m128(two(6), two(2));
  left = VecF(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
  right = VecF(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
#else
  const __m128 a = two(0), b = two(2);
  left = VecF(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
  right = VecF(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
#endif
}

}  // namespace
}  // namespace tc::kernels
