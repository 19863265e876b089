// Floats at a stride taken apart and put together.
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

// p[0], p[2], ..., one register of them; reads nothing past the last.
TC_INLINE VecF load_every_second(const float* p) {
  return every_second<0, 1>(load(p), load(p + kLanes<float> - 1));  // the second's odd lanes are the upper half
}

// Registers of neighbouring floats -> m[r]: those whose place modulo N, a power of two, is r.
template <int N>
TC_INLINE void take_apart(VecF (&m)[N]) {
  if constexpr (N > 1) {
    VecF even[N / 2], odd[N / 2];
#pragma GCC unroll 8
    for (int i = 0; i < N / 2; ++i) {
      even[i] = every_second<0, 0>(m[2 * i], m[2 * i + 1]);
      odd[i] = every_second<1, 1>(m[2 * i], m[2 * i + 1]);
    }
    take_apart(even);
    take_apart(odd);
#pragma GCC unroll 8
    for (int i = 0; i < N / 2; ++i) {
      m[2 * i] = even[i];
      m[2 * i + 1] = odd[i];
    }
  }
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

}  // namespace
}  // namespace tc::kernels
