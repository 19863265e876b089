// The kernels of int8.h over the byte vectors of the instruction set that the including file is compiled for.
#pragma once
#include <utility>

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
#if defined(TC_VNNI)
inline constexpr int kInt8Vecs = 2, kInt8Rows = 6;
#else
inline constexpr int kInt8Vecs = 2, kInt8Rows = 4;
#endif
#else
inline constexpr int kInt8Vecs = 2, kInt8Rows = 3;
#endif
inline constexpr int kInt8Width = kInt8Vecs * kQuads;

Int8Traits int8_traits() {
  // Enough rows to read a panel from the first-level cache several times over.
  return {kInt8Width, kQuads, 1, kInt8Rows, 8 * kInt8Rows};
}

// Quads whose vectors stay in the second-level cache while one row tile after the other reads them: 256 KB. Parts that
// the first one holds would bring each tile's sums there and back, 2 % of a product on a Zen 4.
inline constexpr int64_t kInt8Quads = 256 * 1024 / (kInt8Width * 4);

// Bytes of vectors that are fetched ahead.
inline constexpr int64_t kInt8Ahead = 8 * kInt8Width * 4;

// Adds up quads [first, first + count) for R rows and NV registers of columns.
template <int R, int NV, bool kSignedVectors, bool kAt>
void int8_tile(const Int8Block& b, int64_t first, int64_t count, int64_t at_row) {
  int32_t* acc = b.acc + at_row * kInt8Width;
  Bytes sum[R][NV];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) sum[r][v] = first ? load_bytes(acc + r * kInt8Width + v * kQuads) : no_bytes();
  const uint8_t* at = b.vectors + first * kInt8Width * 4;
  const int64_t row_step = b.group == 1 ? b.depth * 4 : 4, quad_step = b.group * 4;
  const uint8_t* quad = b.row + at_row * b.depth * 4 + first * quad_step;
  const int64_t rows_ahead = R * b.depth * 4;
  const uint8_t* row[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) row[r] = kAt ? b.row + b.at[at_row + r] : nullptr;
  const bool far = !b.cached_vectors;
  for (int64_t s = 0; s < count; ++s, at += kInt8Width * 4, quad += quad_step) {
    // The rows of the next tile, and vectors that the first-level cache may not hold.
    if constexpr (!kAt) __builtin_prefetch(quad + rows_ahead);
    if (far)
#pragma GCC unroll 4
      for (int64_t line = 0; line < kInt8Width * 4; line += 64) __builtin_prefetch(at + kInt8Ahead + line);
    Quads<kSignedVectors> x[NV];
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) x[v] = Quads<kSignedVectors>(load_bytes(at + v * static_cast<int>(sizeof(Bytes))));
    const int64_t step = kAt ? b.step[first + s] : 0;
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Quads<!kSignedVectors> w(repeat_quad(kAt ? row[r] + step : quad + r * row_step));
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) sum[r][v] = dot4(sum[r][v], x[v], w);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) store_bytes(acc + r * kInt8Width + v * kQuads, sum[r][v]);
}

using Int8Tile = void (*)(const Int8Block&, int64_t first, int64_t count, int64_t at_row);

// Tiles of up to so many rows; of few columns more rows fit, and are needed for as many independent sums.
template <int NV, bool kSignedVectors, bool kAt, int... kLess>
void int8_rows(const Int8Block& b, std::integer_sequence<int, kLess...>) {
  constexpr int kMost = sizeof...(kLess);
  static constexpr Int8Tile kTiles[] = {int8_tile<kLess + 1, NV, kSignedVectors, kAt>...};
  const int64_t parts = b.depth > kInt8Quads ? (b.depth + kInt8Quads - 1) / kInt8Quads : 1;
  // Groups of rows are tiles; others are split evenly.
  const int64_t tiles = (b.rows + kMost - 1) / kMost, taller = kAt ? b.rows % tiles : 0,
                least = kAt ? b.rows / tiles : kMost;
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t first = b.depth * part / parts, count = b.depth * (part + 1) / parts - first;
    for (int64_t r = 0, tile = 0; r < b.rows; ++tile) {
      const int64_t height = least + (tile < taller), rest = b.rows - r, rows = rest < height ? rest : height;
      kTiles[rows - 1](b, first, count, r);
      r += rows;
    }
  }
}

template <int NV>
void int8_pixels(const Int8Block& b) {
  constexpr int kMost = 2 * NV <= kInt8Vecs ? 2 * kInt8Rows : kInt8Rows;
  int8_rows<NV, true, true>(b, std::make_integer_sequence<int, kMost>());
}

template <int... kLess>
void int8_columns(const Int8Block& b, std::integer_sequence<int, kLess...>) {
  const int64_t registers = (b.cols + kQuads - 1) / kQuads;
  if (b.at) {
    static constexpr void (*kPixels[])(const Int8Block&) = {int8_pixels<kLess + 1>...};
    return kPixels[registers - 1](b);
  }
  using Fn = void (*)(const Int8Block&, std::make_integer_sequence<int, kInt8Rows>);
  static constexpr Fn kByVecs[][2] = {{int8_rows<kLess + 1, false, false>, int8_rows<kLess + 1, true, false>}...};
  kByVecs[registers - 1][b.signed_vectors](b, {});
}

void int8_block(const Int8Block& b) {
  int8_columns(b, std::make_integer_sequence<int, kInt8Vecs>());
}

}  // namespace
}  // namespace tc::kernels
