// Copies of a k x cols piece of B, which may be misaligned, into one packed panel [k][width], padded with zeros; the
// width is a multiple of a register's. Only *_tier.cc files include it.
#pragma once
#include "tc/kernels/gemm/micro_tier.h"
#include "tc/kernels/simd/transpose.h"

namespace tc::kernels {
namespace {

// Columns contiguous.
inline void pack_rows(const float* src, int64_t rs, int64_t k, int cols, float* dst, int width = kPanel) {
  if (cols == kPanel) {
    for (int64_t p = 0; p < k; ++p, src += rs, dst += kPanel) {
#pragma GCC unroll 4
      for (int j = 0; j < kPanel; j += kVecFloats) store(dst + j, load(src + j));
    }
    return;
  }
  for (int64_t p = 0; p < k; ++p, src += rs, dst += width) {
    for (int j = 0; j < width; j += kVecFloats) {
      const int rest = cols - j;
      store(dst + j, rest <= 0 ? VecF(0.0f) : load(src + j, Tail<float>(rest < kVecFloats ? rest : kVecFloats)));
    }
  }
}

inline void pack_any(const float* src, int64_t rs, int64_t cs, int64_t k, int cols, float* dst, int width = kPanel) {
  for (int64_t p = 0; p < k; ++p, dst += width) {
    for (int j = 0; j < width; ++j) {
      dst[j] = 0.0f;
      if (j < cols) std::memcpy(dst + j, src + p * rs + j * cs, sizeof(float));
    }
  }
}

// K contiguous: squares of one register go through a transpose.
inline void pack_columns(const float* src, int64_t cs, int64_t k, int cols, float* dst, int width = kPanel) {
  int64_t p = 0;
  for (; p + kVecFloats <= k; p += kVecFloats) {
    for (int j = 0; j < width; j += kVecFloats) {
      VecF square[kVecFloats];
#pragma GCC unroll 16
      for (int q = 0; q < kVecFloats; ++q) {
        square[q] = j + q < cols ? load(src + (j + q) * cs + p) : VecF(0.0f);
      }
      transpose(square);
#pragma GCC unroll 16
      for (int q = 0; q < kVecFloats; ++q) store(dst + (p + q) * width + j, square[q]);
    }
  }
  pack_any(src + p, 1, cs, k - p, cols, dst + p * width, width);
}

// One strip of up to kPackedRows rows; what lies beyond them is not read by anyone.
inline void pack_strip(const float* a, int64_t rs, int64_t cs, int64_t k, int rows, float* dst) {
  int64_t p = 0;
  if (cs == 1) {
    const float* row[kPackedRows];
    for (int i = 0; i < kPackedRows; ++i) row[i] = a + (i < rows ? i : rows - 1) * rs;
    for (; p + 4 <= k; p += 4, dst += 4 * kPackedRows) {
#pragma GCC unroll 2
      for (int i = 0; i < kPackedRows; i += 4) {
        __m128 x[] = {_mm_loadu_ps(row[i] + p), _mm_loadu_ps(row[i + 1] + p), _mm_loadu_ps(row[i + 2] + p),
                      _mm_loadu_ps(row[i + 3] + p)};
        _MM_TRANSPOSE4_PS(x[0], x[1], x[2], x[3]);
#pragma GCC unroll 4
        for (int q = 0; q < 4; ++q) _mm_storeu_ps(dst + q * kPackedRows + i, x[q]);
      }
    }
  }
  for (; p < k; ++p, dst += kPackedRows)
    for (int i = 0; i < rows; ++i) std::memcpy(dst + i, a + i * rs + p * cs, sizeof(float));
}

}  // namespace
}  // namespace tc::kernels
