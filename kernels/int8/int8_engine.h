// The kernels of int8.h over the byte vectors of the instruction set that the including file is compiled for.
#pragma once
#include <utility>

#include "tc/kernels/int8/int8.h"
#include "tc/kernels/simd/dot4.h"
#include "tc/kernels/simd/tile_steps.h"

namespace tc::kernels {
namespace {

// Registers of a panel, and rows and registers of a tile: accumulators, one step of the vectors, a repeated quad and a
// sum of products fit 32 or 16 registers.
#if defined(__AVX512F__) || defined(TC_NEON_VECTORS)
inline constexpr int kInt8Vecs = 4, kInt8Rows = 6, kTileVecs = 4;
#elif defined(TC_VNNI)
inline constexpr int kInt8Vecs = 2, kInt8Rows = 6, kTileVecs = 2;
#elif defined(__wasm__)
inline constexpr int kInt8Vecs = 4, kInt8Rows = 4, kTileVecs = 2;  // V8 has registers for eight sums
#else
inline constexpr int kInt8Vecs = 4, kInt8Rows = 6, kTileVecs = 2;
#endif
inline constexpr int kInt8Width = kInt8Vecs * kQuads;

Int8Traits int8_traits() {
  // Enough rows to read a panel from L1 several times over, and to make up for its widening.
#if defined(TC_VNNI)
  constexpr int kTiles = 8;
#else
  constexpr int kTiles = 16;
#endif
  return {kInt8Width, kQuads, 1, kInt8Rows, kTiles * kInt8Rows};
}

// Quads whose vectors stay in L2 while one row tile after the other reads them: 256 KB. Parts that
// the first one holds would bring each tile's sums there and back, 2 % of a product on a Zen 4.
inline constexpr int64_t kInt8Quads = 256 * 1024 / (kInt8Width * 4);

// Bytes of vectors that are fetched ahead.
inline constexpr int64_t kInt8Ahead = 8 * kInt8Width * 4;

// The sums of R rows and NV registers of columns, of a panel's width each.
template <int R, int NV>
struct Sums {
  Bytes v[R][NV];
  // Zeros, or what there is already.
  TC_INLINE Sums(const int32_t* acc, bool resumes) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < NV; ++c) v[r][c] = resumes ? load_bytes(acc + r * kInt8Width + c * kQuads) : no_bytes();
  }
  TC_INLINE void store(int32_t* acc) const {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < NV; ++c) store_bytes(acc + r * kInt8Width + c * kQuads, v[r][c]);
  }
};

// Adds up quads [first, first + count) for R rows and NV registers of columns.
template <int R, int NV, bool kSignedVectors, bool kAt>
void int8_tile(const Int8Block& b, int64_t first, int64_t count, int64_t at_row) {
  int32_t* acc = b.acc + at_row * kInt8Width;
  Sums<R, NV> sum(acc, first > 0);
  const uint8_t* at = b.vectors + first * kInt8Width * 4;
  const int64_t row_step = b.group == 1 ? b.depth * 4 : 4, quad_step = b.group * 4;
  const uint8_t* quad = b.row + at_row * b.depth * 4 + first * quad_step;
  const int64_t rows_ahead = R * b.depth * 4;
  const uint8_t* row[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) row[r] = kAt ? b.row + b.at[at_row + r] : nullptr;
  const bool far = !b.cached_vectors;
  for (int64_t s = 0; s < count; ++s, at += kInt8Width * 4, quad += quad_step) {
    // The rows of the next tile, and vectors that L1 may not hold.
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
      for (int v = 0; v < NV; ++v) sum.v[r][v] = dot4(sum.v[r][v], x[v], w);
    }
  }
  sum.store(acc);
}

using Int8Tile = void (*)(const Int8Block&, int64_t first, int64_t count, int64_t at_row);

#if !defined(TC_VNNI)
// Whether there is an instruction for the sum of two products of bytes.
#if defined(__wasm__)
inline constexpr bool kMultipliesBytes = false;
#else
inline constexpr bool kMultipliesBytes = true;
#endif
// Without the instruction, bytes widen to words, once for a block: tiles read words, two of a quad at a time, and spend
// nothing but a multiply-add and an addition on each register of pairs. The multiply-add of bytes makes three
// instructions of four, but saturates: it is taken where few weights can make it. A loop in L1 of a
// Zen 3 reaches 120 GOP/s with words, 183 with bytes.
// Quads whose words stay in L1, vectors and rows.
inline constexpr int kWordQuads = 96;
// Words of a row; a line more, so that rows do not meet in one set of the cache.
inline constexpr int kWordRow = kWordQuads * 4 + 32;
// Of so few rows words would be read once or twice.
inline constexpr int64_t kFewWordRows = 3;

struct Words {
  alignas(64) int16_t vectors[kWordQuads * kInt8Width * 4];  // [quad][half][position][2]
  alignas(64) int16_t rows[2 * kInt8Rows * kWordRow];
};

// Steps of bytes for the columns of a tile. Pairs of a step never make products with unsigned bytes that leave a word:
// a quad whose weights could is two steps, of halves of each weight. A Xeon, normal weights with a standard deviation
// of 16, 25, 30 and 36 of 127, 512 x 1024 x 1024: none, 2, 14 and 50 % of the quads are halved, words 7.5 ms,
// so 5.5, 5.6, 6.4 and by words.
constexpr int64_t most_byte_steps(int64_t quads) {
  return quads + quads / 4;
}
constexpr int64_t kByteSteps = most_byte_steps(kWordQuads);
struct ByteSteps {
  alignas(64) uint8_t halved[kByteSteps * kTileVecs * sizeof(Bytes)];
  const uint8_t* vectors;  // halved, or where they lie when all fit
  int64_t apart;           // bytes from step to step
  int64_t count;
  int64_t at[kByteSteps];  // of a row's bytes
};

template <bool kSigned>
TC_INLINE void widen_quads(const uint8_t* from, int64_t quads, int16_t* to) {
  int64_t i = 0;
  for (; i + 4 <= quads; i += 4) widen_four_quads<kSigned>(from + i * 4, to + i * 4);
  for (; i < quads; ++i) widen_quad<kSigned>(from + i * 4, to + i * 4);
}

// The steps of NV registers of quads' signed bytes; at(s): what a row has of quad s. False where so many are halved
// that words are faster.
template <int NV, class At>
bool byte_steps(const uint8_t* from, int64_t quads, const At& at, ByteSteps& to) {
  to.vectors = from, to.apart = kInt8Width * 4, to.count = 0;
  uint8_t* next = to.halved;
  const auto put = [&](const Bytes* x) {
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v, next += sizeof(Bytes)) store_bytes(next, x[v]);
  };
  const auto read = [&](int64_t s, Bytes* x) {
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) x[v] = load_bytes(from + s * kInt8Width * 4 + v * static_cast<int>(sizeof(Bytes)));
  };
  for (int64_t s = 0; s < quads; ++s) {
    Bytes x[NV], sizes = no_bytes();
    read(s, x);
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) sizes = larger_words(sizes, pair_sizes(x[v]));
    if (any_above(sizes, 128)) {
      if (to.count + 1 + quads - s > most_byte_steps(quads)) return false;
      if (to.vectors == from) {
        to.vectors = to.halved, to.apart = NV * static_cast<int>(sizeof(Bytes));
        for (int64_t before = 0; before < s; ++before) {
          Bytes fit[NV];
          read(before, fit);
          put(fit);
        }
      }
      Bytes low[NV];
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) low[v] = lower_half(x[v]), x[v] = minus_bytes(x[v], low[v]);
      put(low);
      to.at[to.count++] = at(s);
    }
    if (to.vectors != from) put(x);
    to.at[to.count++] = at(s);
  }
  return true;
}

template <int NV, bool kSigned>
void widen_vectors(const uint8_t* from, int64_t quads, int16_t* to) {
  for (; quads > 0; --quads, from += kInt8Width * 4, to += kInt8Width * 4) {
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) {
      const Bytes quad = load_bytes(from + v * static_cast<int>(sizeof(Bytes)));
      store_bytes(to + v * 2 * kQuads, word_pair<0, kSigned>(quad));
      store_bytes(to + (kInt8Vecs + v) * 2 * kQuads, word_pair<1, kSigned>(quad));
    }
  }
}

// Quads [first, first + count) of R rows, each at kWordRow; of a group as they lie.
template <bool kSigned, bool kAt>
void widen_rows(const Int8Block& b, int64_t first, int64_t count, int64_t at_row, int64_t rows, int16_t* to) {
  if constexpr (kAt) {
    const int64_t* step = b.step + first;
    for (int64_t s = 0; s < count;) {
      const int64_t at = step[s];
      const bool four = s + 4 <= count && step[s + 1] == at + 4 && step[s + 2] == at + 8 && step[s + 3] == at + 12;
      for (int64_t r = 0; r < rows; ++r) {
        const uint8_t* from = b.row + b.at[at_row + r] + at;
        int16_t* words = to + r * kWordRow + s * 4;
        four ? widen_four_quads<kSigned>(from, words) : widen_quad<kSigned>(from, words);
      }
      s += four ? 4 : 1;
    }
  } else if (b.group == 1) {
    const uint8_t* from = b.row + (at_row * b.depth + first) * 4;
    for (int64_t r = 0; r < rows; ++r, from += b.depth * 4) {
      // The rows of the next tile.
      for (int64_t at = 0; at < count * 4; at += 64) __builtin_prefetch(from + rows * b.depth * 4 + at);
      widen_quads<kSigned>(from, count, to + r * kWordRow);
    }
  } else {
    widen_quads<kSigned>(b.row + (at_row * b.depth + first * b.group) * 4, count * b.group, to);
  }
}

template <int R, int NV, bool kGroup>
void word_tile(const Words& words, int first_vec, int64_t count, bool resumes, int32_t* acc) {
  constexpr int kRow = kGroup ? 4 : kWordRow, kQuad = kGroup ? 4 * kInt8Rows : 4;
  Sums<R, NV> sum(acc, resumes);
  const int16_t *at = words.vectors + first_vec * 2 * kQuads, *row = words.rows;
  if constexpr (kRunsSteps<R, NV>) {
    run_words<2 * kInt8Width, kRow, kQuad>(sum.v, at, row, count);
    return sum.store(acc);
  }
  for (; count > 0; --count, row += kQuad) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half, at += kInt8Width * 2) {
      Bytes x[NV];
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) x[v] = load_bytes(at + v * 2 * kQuads);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const Bytes w = repeat_quad(row + r * kRow + 2 * half);
#pragma GCC unroll 4
        for (int v = 0; v < NV; ++v) sum.v[r][v] = add_pairs(sum.v[r][v], x[v], w);
      }
    }
  }
  sum.store(acc);
}

// row: of each of R rows.
template <int R, int NV>
void byte_tile(const ByteSteps& steps, const uint8_t* const* row, bool resumes, int32_t* acc) {
  Sums<R, NV> sum(acc, resumes);
  const uint8_t* vectors = steps.vectors;
  const int64_t apart = steps.apart;
  for (const int64_t *at = steps.at, *end = at + steps.count; at < end; ++at, vectors += apart) {
    Quads<true, true> x[NV];
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) x[v] = Quads<true, true>(load_bytes(vectors + v * static_cast<int>(sizeof(Bytes))));
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Quads<false, true> w(repeat_quad(row[r] + *at));
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) sum.v[r][v] = dot4(sum.v[r][v], x[v], w);
    }
  }
  sum.store(acc);
}
#endif

// Tiles of up to so many rows; of few columns more rows fit, and are needed for as many independent sums.
template <int NV, bool kSignedVectors, bool kAt, int... kLess>
void int8_rows(const Int8Block& b, std::integer_sequence<int, kLess...>) {
  constexpr int kMost = sizeof...(kLess);
  // Groups of rows are tiles; others are split evenly.
  const int64_t tiles = (b.rows + kMost - 1) / kMost, taller = kAt ? b.rows % tiles : 0,
                least = kAt ? b.rows / tiles : kMost;
  const auto each_tile = [&](auto&& run) {
    for (int64_t r = 0, tile = 0; r < b.rows; ++tile) {
      const int64_t height = least + (tile < taller), rest = b.rows - r, rows = rest < height ? rest : height;
      run(r, rows);
      r += rows;
    }
  };
  const auto each_part = [&](int64_t most, auto&& run) {
    const int64_t parts = b.depth > most ? (b.depth + most - 1) / most : 1;
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t first = b.depth * part / parts;
      run(first, b.depth * (part + 1) / parts - first);
    }
  };
#if !defined(TC_VNNI)
  if (b.rows > kFewWordRows) {
    using WordTile = void (*)(const Words&, int first_vec, int64_t count, bool resumes, int32_t* acc);
    constexpr int kFull = NV < kTileVecs ? NV : kTileVecs, kEnd = NV % kFull == 0 ? kFull : NV % kFull;
    static constexpr WordTile kTiles[][2] = {
        {word_tile<kLess + 1, kFull, false>, word_tile<kLess + 1, kFull, true>}...};
    static constexpr WordTile kEnds[][2] = {{word_tile<kLess + 1, kEnd, false>, word_tile<kLess + 1, kEnd, true>}...};
    using ByteTile = void (*)(const ByteSteps&, const uint8_t* const*, bool resumes, int32_t* acc);
    static constexpr ByteTile kByteTiles[] = {byte_tile<kLess + 1, kFull>...};
    static constexpr ByteTile kByteEnds[] = {byte_tile<kLess + 1, kEnd>...};
    const auto by_bytes = [&](int64_t first, int64_t count) {
      ByteSteps steps[(NV + kFull - 1) / kFull];
      const auto at = [&](int64_t s) { return kAt ? b.step[first + s] : (first + s) * b.group * 4; };
      for (int v = 0; v < NV; v += kFull) {
        const uint8_t* from = b.vectors + first * kInt8Width * 4 + v * static_cast<int>(sizeof(Bytes));
        ByteSteps& to = steps[v / kFull];
        if (!(v + kFull < NV ? byte_steps<kFull>(from, count, at, to) : byte_steps<kEnd>(from, count, at, to)))
          return false;
      }
      each_tile([&](int64_t r, int64_t rows) {
        const uint8_t* row[kMost];
        for (int64_t i = 0; i < rows; ++i)
          row[i] = b.row + (kAt ? b.at[r + i] : b.group == 1 ? (r + i) * b.depth * 4 : r * b.depth * 4 + i * 4);
        for (int v = 0; v < NV; v += kFull)
          (v + kFull < NV ? kByteTiles : kByteEnds)[rows - 1](steps[v / kFull], row, first > 0,
                                                              b.acc + r * kInt8Width + v * kQuads);
      });
      return true;
    };
    // A part that has too many large weights speaks for the others.
    bool tries_bytes = kSignedVectors && kMultipliesBytes;
    Words words;
    each_part(kWordQuads, [&](int64_t first, int64_t count) {
      const uint8_t* const vectors = b.vectors + first * kInt8Width * 4;
      if constexpr (kSignedVectors) {
        tries_bytes = tries_bytes && by_bytes(first, count);
        if (tries_bytes) return;
      }
      widen_vectors<NV, kSignedVectors>(vectors, count, words.vectors);
      each_tile([&](int64_t r, int64_t rows) {
        widen_rows<!kSignedVectors, kAt>(b, first, count, r, rows, words.rows);
        for (int v = 0; v < NV; v += kFull) {
          int32_t* acc = b.acc + r * kInt8Width + v * kQuads;
          (v + kFull < NV ? kTiles : kEnds)[rows - 1][b.group > 1](words, v, count, first > 0, acc);
        }
      });
    });
    return;
  }
#endif
  static constexpr Int8Tile kTiles[] = {int8_tile<kLess + 1, NV, kSignedVectors, kAt>...};
  each_part(kInt8Quads, [&](int64_t first, int64_t count) {
    each_tile([&](int64_t r, int64_t rows) { kTiles[rows - 1](b, first, count, r); });
  });
}

template <int NV>
void int8_pixels(const Int8Block& b) {
  constexpr int kMost = 2 * NV <= kTileVecs ? 2 * kInt8Rows : kInt8Rows;
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
