// Copies of a k x cols piece of B, which may be misaligned, into one packed panel [k][width], padded with zeros; the
// width is a multiple of a register's. Only *_tier.cc files include it.
#pragma once
#include "tc/kernels/gemm/micro_tier.h"
#include "tc/kernels/simd/transpose.h"

namespace tc::kernels {
namespace {

// Full panels whose rows are copied together: 256 bytes of B that follow each other. 512 x 512 x 512 of f32 on Zen
// 3: 1.01 to 1.04, of f64 1.1.
constexpr int kPanelsAtOnce = 64 / kPanel;

// Full panels side by side, columns contiguous.
template <int kPanels, class T>
void pack_rows(const T* src, int64_t rs, int64_t k, T* dst) {
  constexpr int kWidth = kPanelVecs * kLanes<T>;
  for (int64_t p = 0; p < k; ++p, src += rs, dst += kWidth) {
#pragma GCC unroll 4
    for (int q = 0; q < kPanels; ++q) {
#pragma GCC unroll 4
      for (int j = 0; j < kWidth; j += kLanes<T>) store(dst + q * k * kWidth + j, load(src + q * kWidth + j));
    }
  }
}

// Columns contiguous.
inline void pack_rows(const float* src, int64_t rs, int64_t k, int cols, float* dst, int width = kPanel) {
  if (cols == kPanel) return pack_rows<1>(src, rs, k, dst);
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

inline void pack_panel(const float* src, int64_t rs, int64_t cs, int64_t k, int cols, float* dst, int width) {
  if (cs == 1) {
    pack_rows(src, rs, k, cols, dst, width);
  } else if (rs == 1) {
    pack_columns(src, cs, k, cols, dst, width);
  } else {
    pack_any(src, rs, cs, k, cols, dst, width);
  }
}

static_assert(kPackedRows == kStepRows);

// The rows of a strip, the last one again where there are fewer.
struct StripRows {
  const float* at[kPackedRows];

  StripRows(const float* a, int64_t rs, int rows) {
    for (int i = 0; i < kPackedRows; ++i) at[i] = a + (i < rows ? i : rows - 1) * rs;
  }
};

// One strip of up to kPackedRows rows; what lies beyond them is not read by anyone.
inline void pack_strip(const float* a, int64_t rs, int64_t cs, int64_t k, int rows, float* dst) {
  const StripRows row(a, rs, rows);
  int64_t p = 0;
  if (cs == 1) {
    for (; p + 4 <= k; p += 4, dst += 4 * kPackedRows) {
      PackedStep x[4];
      packed_steps(row.at, p, x);
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q) store_step(dst + q * kPackedRows, x[q]);
    }
  }
  if constexpr (kPackedRows == kVecFloats) {
    const Tail<float> tail(rows);
    for (; rs == 1 && p < k; ++p, dst += kPackedRows) store(dst, load(a + p * cs, tail));
  }
  for (; p < k; ++p, dst += kPackedRows) store_step(dst, packed_step(row.at, p * cs));
}

}  // namespace
}  // namespace tc::kernels
