// Products with few rows, where reading the large operand once is all the work.
#pragma once
#include "tc/kernels/simd/transpose.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// y[j] += sum over r < rows <= 8 of a[r * a_step] * b[r * ld + j]. y is readable and writable up to a full register.
inline void axpy_rows(int rows, const float* a, int64_t a_step, const float* b, int64_t ld, int64_t cols, float* y) {
  constexpr int kV = kLanes<float>;
  if (rows == 8) {
    VecF x[8];
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) x[r] = VecF(a[r * a_step]);
    int64_t j = 0;
    for (; j + kV <= cols; j += kV) {
      VecF even = load(y + j);
      VecF odd(0.0f);
#pragma GCC unroll 4
      for (int r = 0; r < 8; r += 2) {
        even = fma(x[r], load(b + r * ld + j), even);
        odd = fma(x[r + 1], load(b + (r + 1) * ld + j), odd);
      }
      store(y + j, even + odd);
    }
    if (j < cols) {
      const Tail<float> tail(static_cast<int>(cols - j));
      VecF sum = load(y + j);
      for (int r = 0; r < 8; ++r) sum = fma(x[r], load(b + r * ld + j, tail), sum);
      store(y + j, sum);
    }
    return;
  }
  for (int r = 0; r < rows; ++r, a += a_step, b += ld) {
    const VecF x(*a);
    int64_t j = 0;
    for (; j + kV <= cols; j += kV) store(y + j, fma(x, load(b + j), load(y + j)));
    if (j < cols) store(y + j, fma(x, load(b + j, Tail<float>(static_cast<int>(cols - j))), load(y + j)));
  }
}

// sums[q] = dot(a, b + q * ld) over k floats.
template <int N>
inline void dots(int64_t k, const float* a, const float* b, int64_t ld, float* sums) {
  constexpr int kV = kLanes<float>;
  VecF even[N];
  VecF odd[N];
#pragma GCC unroll 4
  for (int q = 0; q < N; ++q) even[q] = odd[q] = VecF(0.0f);
  int64_t p = 0;
  for (; p + 2 * kV <= k; p += 2 * kV) {
    const VecF x = load(a + p);
    const VecF y = load(a + p + kV);
#pragma GCC unroll 4
    for (int q = 0; q < N; ++q) {
      even[q] = fma(x, load(b + q * ld + p), even[q]);
      odd[q] = fma(y, load(b + q * ld + p + kV), odd[q]);
    }
  }
  for (; p < k; p += kV) {
    const Tail<float> tail(static_cast<int>(k - p < kV ? k - p : kV));
    const VecF x = load(a + p, tail);
#pragma GCC unroll 4
    for (int q = 0; q < N; ++q) even[q] = fma(x, load(b + q * ld + p, tail), even[q]);
  }
#pragma GCC unroll 4
  for (int q = 0; q < N; ++q) sums[q] = sum(even[q] + odd[q]);
}

// Lane q: dot(a, b + q * ld) over k floats.
inline VecF dots_by_lanes(int64_t k, const float* a, const float* b, int64_t ld) {
  constexpr int kV = kLanes<float>;
  VecF sums[kV];
#pragma GCC unroll 16
  for (int q = 0; q < kV; ++q) sums[q] = VecF(0.0f);
  int64_t p = 0;
  for (; p + kV <= k; p += kV) {
    const VecF x = load(a + p);
#pragma GCC unroll 16
    for (int q = 0; q < kV; ++q) sums[q] = fma(x, load(b + q * ld + p), sums[q]);
  }
  if (p < k) {
    const Tail<float> tail(static_cast<int>(k - p));
    const VecF x = load(a + p, tail);
#pragma GCC unroll 16
    for (int q = 0; q < kV; ++q) sums[q] = fma(x, load(b + q * ld + p, tail), sums[q]);
  }
  return row_sums(sums);
}

}  // namespace
}  // namespace tc::kernels
