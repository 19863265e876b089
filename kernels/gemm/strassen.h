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
  const float* packed_a = nullptr;
  const float* b = nullptr;     // two packed panels, one after the other, all of k
  const float* next = nullptr;  // those that are read next, or null
  const Epilogue* epilogue = nullptr;
  TileOut out;
  float* scratch = nullptr;  // 64-byte aligned
};

// Packed A has this many left factors, sums or copies of its quarters; of B's quarters there are so many sums.
inline constexpr int64_t kStrassenLefts = 7, kStrassenSums = 4;

// Floats of a packed left factor of `rows` rows, and of a sum `width` columns wide: each and an odd number of lines, or
// all of them would want the same set of level 1.
constexpr int64_t strassen_left_floats(int64_t rows, int64_t k_half) {
  return rows * k_half + 16;
}
constexpr int64_t strassen_sum_floats(int64_t width, int64_t k_half) {
  return width * k_half + 5 * 16;
}
// Floats of a block's packed strip of 2 x `rows` rows: the largest magnitude of each, and the left factors.
constexpr int64_t strassen_strip_floats(int64_t rows, int64_t k_half) {
  return 2 * rows + kStrassenLefts * strassen_left_floats(rows, k_half);
}
// Floats of scratch with `strips` strips of up to `rows` rows: sums of B, and quarters of C.
constexpr int64_t strassen_scratch_floats(int64_t strips, int64_t rows, int64_t width, int64_t k_half) {
  return kStrassenSums * strassen_sum_floats(width, k_half) + 4 * strips * rows * width;
}

}  // namespace tc::kernels
