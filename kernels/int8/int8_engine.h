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

// Steps whose vectors stay in the first-level cache while one row tile after the other reads them: 24 KB.
inline constexpr int64_t kInt8Steps = 24 * 1024 / (kInt8Width * 4);

// What of the inner axis is added up at a time: steps [first, first + count) of taps [tap, tap + taps).
struct Int8Chunk {
  int64_t tap, taps, first, count;
  bool adds;  // to what `acc` holds
};

template <int R, bool kSignedVectors>
void int8_tile(const Int8Block& b, const Int8Chunk& c, const uint8_t* row, int32_t* acc) {
  Bytes sum[R][kInt8Vecs];
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < kInt8Vecs; ++v) sum[r][v] = c.adds ? load_bytes(acc + r * kInt8Width + v * kQuads) : no_bytes();
  for (int64_t t = c.tap; t < c.tap + c.taps; ++t) {
    const uint8_t* at = b.vectors + (b.offset ? b.offset[t] : 0) + c.first * b.vector_step;
    const uint8_t* quad = row + (t * b.depth + c.first) * 4;
    for (int64_t s = 0; s < c.count; ++s, at += b.vector_step, quad += 4) {
      const auto lane = [&](int v) { return Quads<kSignedVectors>(load_bytes(at + v * sizeof(Bytes))); };
      static_assert(kInt8Vecs == 2 || kInt8Vecs == 4);
      const Quads<kSignedVectors> x0 = lane(0), x1 = lane(1), x2 = lane(kInt8Vecs - 2), x3 = lane(kInt8Vecs - 1);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const Quads<!kSignedVectors> w(repeat_quad(quad + r * b.row_stride));
        sum[r][0] = dot4(sum[r][0], x0, w);
        sum[r][1] = dot4(sum[r][1], x1, w);
        if constexpr (kInt8Vecs == 4) {
          sum[r][2] = dot4(sum[r][2], x2, w);
          sum[r][3] = dot4(sum[r][3], x3, w);
        }
      }
    }
  }
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < kInt8Vecs; ++v) store_bytes(acc + r * kInt8Width + v * kQuads, sum[r][v]);
}

template <bool kSignedVectors>
void int8_chunk(const Int8Block& b, const Int8Chunk& c) {
  int64_t r = 0;
  for (; r + kInt8Rows <= b.rows; r += kInt8Rows)
    int8_tile<kInt8Rows, kSignedVectors>(b, c, b.row + r * b.row_stride, b.acc + r * kInt8Width);
  const uint8_t* row = b.row + r * b.row_stride;
  int32_t* acc = b.acc + r * kInt8Width;
  switch (b.rows - r) {
    case 5:
      return int8_tile<5, kSignedVectors>(b, c, row, acc);
    case 4:
      return int8_tile<4, kSignedVectors>(b, c, row, acc);
    case 3:
      return int8_tile<3, kSignedVectors>(b, c, row, acc);
    case 2:
      return int8_tile<2, kSignedVectors>(b, c, row, acc);
    case 1:
      return int8_tile<1, kSignedVectors>(b, c, row, acc);
    default:
      return;
  }
}

template <bool kSignedVectors>
void int8_rows(const Int8Block& b) {
  const int64_t steps = b.depth < kInt8Steps ? b.depth : kInt8Steps;
  const int64_t group = steps < b.depth || steps == 0 ? 1 : kInt8Steps / steps;
  for (int64_t t = 0; t < b.taps; t += group)
    for (int64_t first = 0; first == 0 || first < b.depth; first += kInt8Steps) {
      const int64_t rest = b.depth - first;
      int8_chunk<kSignedVectors>(b, {.tap = t,
                                     .taps = group < b.taps - t ? group : b.taps - t,
                                     .first = first,
                                     .count = rest < steps ? rest : steps,
                                     .adds = t + first > 0});
    }
}

void int8_block(const Int8Block& b) {
  b.signed_vectors ? int8_rows<true>(b) : int8_rows<false>(b);
}

}  // namespace
}  // namespace tc::kernels
