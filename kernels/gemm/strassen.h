// What one tile of a product by Strassen's method computes, and what it needs; plain data, the same for every tier.
#pragma once
#include <cstdint>

#include "tc/kernels/gemm/tile.h"

namespace tc::kernels {

// Two panels of C. The halves of A's rows are the upper and the lower ones, k is `blocks` pairs of k_half steps and
// what is left.
struct StrassenBlock {
  int64_t rows = 0, k = 0, k_half = 0, blocks = 0;
  const float* a = nullptr;  // where it lies
  int64_t a_rs = 0, a_cs = 1;
  const float* packed_a = nullptr;  // strassen_pack's
  const float* b = nullptr;         // two packed panels, one after the other, all of k
  const float* next = nullptr;      // those that are read next, or null
  const Epilogue* epilogue = nullptr;
  TileOut out;
  float* scratch = nullptr;  // 64-byte aligned
};

// Sums of A's and of B's quarters.
inline constexpr int64_t kStrassenLefts = 4, kStrassenSums = 4;

// Floats of a row of a packed left operand, and of a sum `width` columns wide: an odd number of lines, or all of them
// would want the same set of level 1.
constexpr int64_t strassen_row_floats(int64_t k_half) {
  return ((k_half + 15) / 16 | 1) * 16;
}
constexpr int64_t strassen_sum_floats(int64_t width, int64_t k_half) {
  return width * k_half + 5 * 16;
}
// Floats of packed A: `strips` strips of up to `rows` rows in each half.
constexpr int64_t strassen_packed_floats(int64_t strips, int64_t rows, int64_t k_half, int64_t blocks) {
  return blocks * kStrassenLefts * strips * rows * strassen_row_floats(k_half);
}
// Floats of scratch for the same: sums of B, and quarters of C.
constexpr int64_t strassen_scratch_floats(int64_t strips, int64_t rows, int64_t width, int64_t k_half) {
  return kStrassenSums * strassen_sum_floats(width, k_half) + 4 * strips * rows * width;
}

}  // namespace tc::kernels
