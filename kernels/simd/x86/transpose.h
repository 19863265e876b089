// transpose.h on x86.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

#if defined(__AVX512F__)
// The 128-bit lanes of four registers as a square of four by four.
TC_INLINE void transpose_lanes(const __m512 (&row)[4], __m512 (&column)[4]) {
  const __m512 low02 = _mm512_shuffle_f32x4(row[0], row[1], 0x88), low13 = _mm512_shuffle_f32x4(row[0], row[1], 0xdd);
  const __m512 high02 = _mm512_shuffle_f32x4(row[2], row[3], 0x88), high13 = _mm512_shuffle_f32x4(row[2], row[3], 0xdd);
  column[0] = _mm512_shuffle_f32x4(low02, high02, 0x88);
  column[1] = _mm512_shuffle_f32x4(low13, high13, 0x88);
  column[2] = _mm512_shuffle_f32x4(low02, high02, 0xdd);
  column[3] = _mm512_shuffle_f32x4(low13, high13, 0xdd);
}

// Pairs of rows, then pairs of pairs inside 128-bit lanes, then the lanes themselves.
TC_INLINE void transpose(VecF (&m)[16]) {
  __m512 a[16];
  __m512 b[16];
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    a[i] = _mm512_unpacklo_ps(m[i], m[i + 1]);
    a[i + 1] = _mm512_unpackhi_ps(m[i], m[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    b[i] = _mm512_shuffle_ps(a[i], a[i + 2], 0x44);
    b[i + 1] = _mm512_shuffle_ps(a[i], a[i + 2], 0xee);
    b[i + 2] = _mm512_shuffle_ps(a[i + 1], a[i + 3], 0x44);
    b[i + 3] = _mm512_shuffle_ps(a[i + 1], a[i + 3], 0xee);
  }
  // b[4 g + i], lane l: rows 4 g .. 4 g + 3 of column 4 l + i.
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    __m512 column[4];
    transpose_lanes({b[i], b[4 + i], b[8 + i], b[12 + i]}, column);
#pragma GCC unroll 4
    for (int l = 0; l < 4; ++l) m[4 * l + i] = VecF(column[l]);
  }
}

TC_INLINE void transpose(VecD (&m)[8]) {
  __m512 a[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    a[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(m[i], m[i + 1]));
    a[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(m[i], m[i + 1]));
  }
  // a[2 p + i], lane l: rows 2 p and 2 p + 1 of column 2 l + i.
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    __m512 column[4];
    transpose_lanes({a[i], a[2 + i], a[4 + i], a[6 + i]}, column);
#pragma GCC unroll 4
    for (int l = 0; l < 4; ++l) m[2 * l + i] = VecD(_mm512_castps_pd(column[l]));
  }
}

// Lane i: the sum of m[i]'s lanes. Half the shuffles of a transposition.
TC_INLINE VecF row_sums(const VecF (&m)[16]) {
  __m512 quads[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m512 a =
        _mm512_add_ps(_mm512_unpacklo_ps(m[4 * i], m[4 * i + 1]), _mm512_unpackhi_ps(m[4 * i], m[4 * i + 1]));
    const __m512 b =
        _mm512_add_ps(_mm512_unpacklo_ps(m[4 * i + 2], m[4 * i + 3]), _mm512_unpackhi_ps(m[4 * i + 2], m[4 * i + 3]));
    quads[i] = _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x44), _mm512_shuffle_ps(a, b, 0xee));
  }
  const auto halve = [](__m512 a, __m512 b) __attribute__((always_inline)) {
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
  };
  return VecF(halve(halve(quads[0], quads[1]), halve(quads[2], quads[3])));
}
#elif defined(__AVX2__)
TC_INLINE void transpose(VecF (&m)[8]) {
  __m256 a[8];
  __m256 b[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    a[i] = _mm256_unpacklo_ps(m[i], m[i + 1]);
    a[i + 1] = _mm256_unpackhi_ps(m[i], m[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    b[i] = _mm256_shuffle_ps(a[i], a[i + 2], 0x44);
    b[i + 1] = _mm256_shuffle_ps(a[i], a[i + 2], 0xee);
    b[i + 2] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0x44);
    b[i + 3] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    m[i] = VecF(_mm256_permute2f128_ps(b[i], b[4 + i], 0x20));
    m[4 + i] = VecF(_mm256_permute2f128_ps(b[i], b[4 + i], 0x31));
  }
}
TC_INLINE void transpose(VecD (&m)[4]) {
  const __m256d a = _mm256_unpacklo_pd(m[0], m[1]), b = _mm256_unpackhi_pd(m[0], m[1]);
  const __m256d c = _mm256_unpacklo_pd(m[2], m[3]), d = _mm256_unpackhi_pd(m[2], m[3]);
  m[0] = VecD(_mm256_permute2f128_pd(a, c, 0x20));
  m[1] = VecD(_mm256_permute2f128_pd(b, d, 0x20));
  m[2] = VecD(_mm256_permute2f128_pd(a, c, 0x31));
  m[3] = VecD(_mm256_permute2f128_pd(b, d, 0x31));
}

TC_INLINE VecF row_sums(const VecF (&m)[8]) {
  __m256 quads[2];
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i)
    quads[i] = _mm256_hadd_ps(_mm256_hadd_ps(m[4 * i], m[4 * i + 1]), _mm256_hadd_ps(m[4 * i + 2], m[4 * i + 3]));
  return VecF(_mm256_add_ps(_mm256_permute2f128_ps(quads[0], quads[1], 0x20),
                            _mm256_permute2f128_ps(quads[0], quads[1], 0x31)));
}
#else
TC_INLINE void transpose(VecF (&m)[4]) {
  const __m128 a = _mm_unpacklo_ps(m[0], m[1]);
  const __m128 b = _mm_unpackhi_ps(m[0], m[1]);
  const __m128 c = _mm_unpacklo_ps(m[2], m[3]);
  const __m128 d = _mm_unpackhi_ps(m[2], m[3]);
  m[0] = VecF(_mm_movelh_ps(a, c));
  m[1] = VecF(_mm_movehl_ps(c, a));
  m[2] = VecF(_mm_movelh_ps(b, d));
  m[3] = VecF(_mm_movehl_ps(d, b));
}
TC_INLINE void transpose(VecD (&m)[2]) {
  const __m128d a = _mm_unpacklo_pd(m[0], m[1]);
  m[1] = VecD(_mm_unpackhi_pd(m[0], m[1]));
  m[0] = VecD(a);
}

TC_INLINE VecF row_sums(const VecF (&m)[4]) {
  return VecF(_mm_hadd_ps(_mm_hadd_ps(m[0], m[1]), _mm_hadd_ps(m[2], m[3])));
}
#endif

// A square of elements of 1, 2 or 8 bytes, as many to a side as 16 bytes hold: what is at from(0), from(1), ... goes to
// to(0), to(1), ... Rows that are half the square apart are interleaved, until every row has met every other.
template <int kSize, class From, class To>
TC_INLINE void transpose_square(From from, To to) {
  constexpr int kRows = 16 / kSize;
  __m128i a[kRows], b[kRows];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) a[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from(i)));
#pragma GCC unroll 4
  for (int met = 1; met < kRows; met *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < kRows / 2; ++i) {
      const __m128i x = a[i], y = a[i + kRows / 2];
      b[2 * i] = kSize == 1   ? _mm_unpacklo_epi8(x, y)
                 : kSize == 2 ? _mm_unpacklo_epi16(x, y)
                              : _mm_unpacklo_epi64(x, y);
      b[2 * i + 1] = kSize == 1   ? _mm_unpackhi_epi8(x, y)
                     : kSize == 2 ? _mm_unpackhi_epi16(x, y)
                                  : _mm_unpackhi_epi64(x, y);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) a[i] = b[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(to(i)), a[i]);
}

// One step of kStepRows rows that are packed together: lanes are rows.
#if defined(__AVX2__)
inline constexpr int kStepRows = 8;
using PackedStep = __m256;
TC_INLINE PackedStep packed_step(const float* const* row, int64_t p) {
  return _mm256_setr_ps(row[0][p], row[1][p], row[2][p], row[3][p], row[4][p], row[5][p], row[6][p], row[7][p]);
}
// Four steps of contiguous rows: squares of 4 x 4 side by side.
TC_INLINE void packed_steps(const float* const* row, int64_t p, PackedStep (&x)[4]) {
  for (int i = 0; i < 4; ++i)
    x[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row[i] + p)), _mm_loadu_ps(row[i + 4] + p), 1);
  const PackedStep low = _mm256_unpacklo_ps(x[0], x[1]), high = _mm256_unpackhi_ps(x[0], x[1]);
  const PackedStep low_2 = _mm256_unpacklo_ps(x[2], x[3]), high_2 = _mm256_unpackhi_ps(x[2], x[3]);
  x[0] = _mm256_shuffle_ps(low, low_2, 0x44), x[1] = _mm256_shuffle_ps(low, low_2, 0xee);
  x[2] = _mm256_shuffle_ps(high, high_2, 0x44), x[3] = _mm256_shuffle_ps(high, high_2, 0xee);
}
TC_INLINE void store_step(float* to, PackedStep x) {
  _mm256_storeu_ps(to, x);
}
#else
inline constexpr int kStepRows = 4;
using PackedStep = __m128;
TC_INLINE PackedStep packed_step(const float* const* row, int64_t p) {
  return _mm_setr_ps(row[0][p], row[1][p], row[2][p], row[3][p]);
}
TC_INLINE void packed_steps(const float* const* row, int64_t p, PackedStep (&x)[4]) {
  for (int i = 0; i < 4; ++i) x[i] = _mm_loadu_ps(row[i] + p);
  _MM_TRANSPOSE4_PS(x[0], x[1], x[2], x[3]);
}
TC_INLINE void store_step(float* to, PackedStep x) {
  _mm_storeu_ps(to, x);
}
#endif

}  // namespace
}  // namespace tc::kernels
