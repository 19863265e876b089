// Every second float of a stretch of memory.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// p[0], p[2], ..., one register of them; reads nothing past the last.
TC_INLINE VecF load_every_second(const float* p) {
  const VecF a = load(p), b = load(p + kLanes<float> - 1);  // b's odd lanes are the upper half
#if defined(__AVX512F__)
  const __m512i lanes = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
  return VecF(_mm512_permutex2var_ps(a, lanes, b));
#elif defined(__AVX2__)
  const __m256d pairs = _mm256_castps_pd(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 2, 0)));
  return VecF(_mm256_castpd_ps(_mm256_permute4x64_pd(pairs, _MM_SHUFFLE(3, 1, 2, 0))));
#else
  return VecF(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 2, 0)));
#endif
}

}  // namespace
}  // namespace tc::kernels
