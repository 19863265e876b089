// The kernels of int8.h over the byte vectors of the instruction set that the including file is compiled for.
#pragma once
#include "tc/kernels/int8/int8.h"
#include "tc/kernels/simd/dot4.h"

namespace tc::kernels {
namespace {

// A register tile: accumulators, one step of the vectors and a repeated quad fit 32 or 16 registers, of which widened
// operands take two each.
#if defined(__AVX512F__)
#if defined(TC_VNNI)
inline constexpr int kInt8Vecs = 4, kInt8Rows = 6;
#else
inline constexpr int kInt8Vecs = 4, kInt8Rows = 5;
#endif
#elif defined(__AVX2__)
inline constexpr int kInt8Vecs = 2, kInt8Rows = 4;
#else
inline constexpr int kInt8Vecs = 2, kInt8Rows = 3;
#endif
inline constexpr int kInt8Width = kInt8Vecs * kQuads;

Int8Traits int8_traits() {
  // Enough rows to read a panel from the first-level cache several times over.
  return {kInt8Width, 1, 8 * kInt8Rows};
}

// Quads whose vectors stay in the first-level cache while one row tile after the other reads them: 24 KB.
inline constexpr int64_t kInt8Quads = 24 * 1024 / (kInt8Width * 4);

// Adds up quads [first, first + count).
template <int R, bool kSignedVectors>
void int8_tile(const Int8Block& b, int64_t first, int64_t count, int64_t at_row) {
  int32_t* acc = b.acc + at_row * kInt8Width;
  Bytes sum[R][kInt8Vecs];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kInt8Vecs; ++v) sum[r][v] = first ? load_bytes(acc + r * kInt8Width + v * kQuads) : no_bytes();
  const uint8_t* at = b.vectors + first * kInt8Width * 4;
  const uint8_t* quad = b.row + (at_row * b.depth + first) * 4;
  for (int64_t s = 0; s < count; ++s, at += kInt8Width * 4, quad += 4) {
    const auto lane = [&](int v) { return Quads<kSignedVectors>(load_bytes(at + v * static_cast<int>(sizeof(Bytes)))); };
    static_assert(kInt8Vecs == 2 || kInt8Vecs == 4);
    const Quads<kSignedVectors> x0 = lane(0), x1 = lane(1), x2 = lane(kInt8Vecs - 2), x3 = lane(kInt8Vecs - 1);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const Quads<!kSignedVectors> w(repeat_quad(quad + r * b.depth * 4));
      sum[r][0] = dot4(sum[r][0], x0, w);
      sum[r][1] = dot4(sum[r][1], x1, w);
      if constexpr (kInt8Vecs == 4) {
        sum[r][2] = dot4(sum[r][2], x2, w);
        sum[r][3] = dot4(sum[r][3], x3, w);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kInt8Vecs; ++v) store_bytes(acc + r * kInt8Width + v * kQuads, sum[r][v]);
}

template <bool kSignedVectors>
void int8_rows(const Int8Block& b) {
  for (int64_t first = 0; first == 0 || first < b.depth; first += kInt8Quads) {
    const int64_t rest = b.depth - first, count = rest < kInt8Quads ? rest : kInt8Quads;
    int64_t r = 0;
    for (; r + kInt8Rows <= b.rows; r += kInt8Rows) int8_tile<kInt8Rows, kSignedVectors>(b, first, count, r);
    switch (b.rows - r) {
      case 5:
        int8_tile<5, kSignedVectors>(b, first, count, r);
        break;
      case 4:
        int8_tile<4, kSignedVectors>(b, first, count, r);
        break;
      case 3:
        int8_tile<3, kSignedVectors>(b, first, count, r);
        break;
      case 2:
        int8_tile<2, kSignedVectors>(b, first, count, r);
        break;
      case 1:
        int8_tile<1, kSignedVectors>(b, first, count, r);
        break;
      default:
        break;
    }
  }
}

void int8_block(const Int8Block& b) {
  b.signed_vectors ? int8_rows<true>(b) : int8_rows<false>(b);
}

}  // namespace
}  // namespace tc::kernels
