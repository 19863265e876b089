// Compiled for AMX: of the tier that has it.
#include "tc/kernels/int8/int8_amx.h"

#include <immintrin.h>

#include "tc/kernels/simd/x86/tiles_amx.h"

namespace tc::kernels {
namespace {

// A tile has 16 rows of 64 bytes: 16 rows by 16 columns of sums, 16 rows of 16 quads, or 16 quads of 16 positions.
constexpr int64_t kSide = 16, kTileBytes = kSide * kSide * 4;
constexpr int64_t kWidth = 2 * kSide;
// Tiles of the inner axis after which sums go back to memory: their panel takes 32 KB of L1.
constexpr int64_t kSteps = 16;
// The first rows that meet a panel fetch it from afar, four steps ahead: 64x4096x1024 1.04 ms, without 1.80. Never
// beyond a panel that the worker has gathered itself: there lies the other worker's.
constexpr int64_t kAhead = 4 * 2 * kTileBytes;

// Tiles 0 to 3: sums, two by two; 4 and 5: rows; 6 and 7: vectors. Steps [first, first + count) of one group of rows,
// or of two.
template <bool kSignedVectors, bool kTwo>
void sum_tiles(const Int8Block& b, int64_t first, int64_t count, int64_t row) {
  int32_t *acc = b.acc + row * kWidth, *below = acc + kSide * kWidth;
  constexpr int64_t kAccRow = kWidth * 4;
  if (first) {
    _tile_loadd(0, acc, kAccRow);
    _tile_loadd(1, acc + kSide, kAccRow);
    if constexpr (kTwo) {
      _tile_loadd(2, below, kAccRow);
      _tile_loadd(3, below + kSide, kAccRow);
    }
  } else {
    _tile_zero(0);
    _tile_zero(1);
    if constexpr (kTwo) {
      _tile_zero(2);
      _tile_zero(3);
    }
  }
  const uint8_t* rows = b.row + row * b.depth * 4 + first * kTileBytes;
  const uint8_t* lower = rows + kSide * b.depth * 4;
  const uint8_t* vectors = b.vectors + first * 2 * kTileBytes;
  for (int64_t s = 0; s < count; ++s, rows += kTileBytes, lower += kTileBytes, vectors += 2 * kTileBytes) {
    if (row == 0 && !b.cached_vectors)
      for (int64_t line = 0; line < 2 * kTileBytes; line += 64)
        _mm_prefetch(reinterpret_cast<const char*>(vectors) + kAhead + line, _MM_HINT_T0);
    _tile_loadd(4, rows, 64);
    _tile_loadd(6, vectors, kWidth * 4);
    if constexpr (kTwo) _tile_loadd(5, lower, 64);
    _tile_loadd(7, vectors + 64, kWidth * 4);
    if constexpr (kSignedVectors) {
      _tile_dpbusd(0, 4, 6);
      if constexpr (kTwo) _tile_dpbusd(2, 5, 6);
      _tile_dpbusd(1, 4, 7);
      if constexpr (kTwo) _tile_dpbusd(3, 5, 7);
    } else {
      _tile_dpbsud(0, 4, 6);
      if constexpr (kTwo) _tile_dpbsud(2, 5, 6);
      _tile_dpbsud(1, 4, 7);
      if constexpr (kTwo) _tile_dpbsud(3, 5, 7);
    }
  }
  _tile_stored(0, acc, kAccRow);
  _tile_stored(1, acc + kSide, kAccRow);
  if constexpr (kTwo) {
    _tile_stored(2, below, kAccRow);
    _tile_stored(3, below + kSide, kAccRow);
  }
}

template <bool kSignedVectors>
void sum_rows(const Int8Block& b) {
  const int64_t steps = b.depth / kSide;
  for (int64_t first = 0; first == 0 || first < steps; first += kSteps) {
    const int64_t count = steps - first < kSteps ? steps - first : kSteps;
    int64_t row = 0;
    for (; row + kSide < b.rows; row += 2 * kSide) sum_tiles<kSignedVectors, true>(b, first, count, row);
    if (row < b.rows) sum_tiles<kSignedVectors, false>(b, first, count, row);
  }
}

Int8Traits traits() {
  return {kWidth, kWidth, kSide, kSide, 8 * kSide};
}

void block(const Int8Block& b) {
  b.signed_vectors ? sum_rows<true>(b) : sum_rows<false>(b);
}

}  // namespace

void use_int8_amx(Int8Table& table) {
  table.row_traits = table.traits, table.row_block = table.block;
  table.traits = {traits, "int8_traits__amx"};
  table.begin_blocks = {begin_tiles, "begin_tiles__amx"};
  table.end_blocks = {end_tiles, "end_tiles__amx"};
  table.block = {block, "dot_i8__amx"};
}

}  // namespace tc::kernels
