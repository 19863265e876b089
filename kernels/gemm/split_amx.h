// f32 products on the bf16 tiles of AMX. A factor is the sum of two bf16: the nearest one, "high", and the nearest one
// of what is left, "low". The product is high * high + high * low + low * high, summed in f32; what is left out, low *
// low (at most 2^-16 of it) and the factors' own rests (2^-17 each), is kSplitError at most (Henry, Tang and Heinecke,
// "Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations", 2019). Infinities and
// NaN come out as those of f32 do; factors below 2^-110 lose their low part, those below 2^-126 count as zero.
//
// Only *_amx.cc files include it, compiled with one tier's flags and AMX's.
#pragma once
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "tc/kernels/gemm/micro_tier.h"
#include "tc/kernels/simd/x86/tiles_amx.h"

namespace tc::kernels {
namespace {

// A tile has 16 rows of 64 bytes: 16 rows of the left operand by 32 steps of K, 16 pairs of steps by 16 columns of the
// right one, or 16 x 16 sums.
constexpr int64_t kSide = 16, kStep = 32, kRowBytes = 64, kTileBytes = kSide * kRowBytes;
// Sums are computed two tiles by two: of the left operand a step has 2 KB high and 2 KB low, row after row; of the
// right one a high and a low tile for each 16 columns.
constexpr int64_t kStripRows = 2 * kSide, kStripCols = 2 * kSide, kStepBytes = 4 * kTileBytes;

struct Halves {
  __m512i high, low;  // each the bf16 of x, then of y
};

TC_INLINE __m512 widened(__m256i bf16) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bf16), 16));
}

TC_INLINE Halves split(__m512 x, __m512 y) {
  // The nearest bf16 of the largest floats and of infinities is infinite, and the rest of it would be no number: it
  // stays finite, and what is infinite goes into the rest.
  const __m512 most = _mm512_set1_ps(0x1.fep127f), least = _mm512_set1_ps(-0x1.fep127f);
  const __m512 cx = _mm512_min_ps(_mm512_max_ps(x, least), most), cy = _mm512_min_ps(_mm512_max_ps(y, least), most);
  const auto high = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(cy, cx));
  const __m512 rest_x = _mm512_sub_ps(x, widened(_mm512_castsi512_si256(high)));
  const __m512 rest_y = _mm512_sub_ps(y, widened(_mm512_extracti64x4_epi64(high, 1)));
  return {high, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(rest_y, rest_x))};
}

TC_INLINE __mmask16 lanes_below(int64_t count) {
  return static_cast<__mmask16>(count >= 16 ? 0xffff : count <= 0 ? 0 : (1 << count) - 1);
}

// 16 numbers `stride` floats apart, zero where `mask` is.
TC_INLINE __m512 strided(const float* from, int64_t stride, __mmask16 mask) {
  if (stride == 1) return _mm512_maskz_loadu_ps(mask, from);
  const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i at = _mm512_mullo_epi32(lane, _mm512_set1_epi32(static_cast<int>(stride)));
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, at, from, 4);
}

// A row of the left operand's `k` steps, `stride` floats apart; to: its first high line, from which the low one and the
// next step's are so many bytes away.
inline void split_row(const float* from, int64_t stride, int64_t k, std::byte* to, int64_t next, int64_t low) {
  for (; k > 0; k -= kStep, from += kStep * stride, to += next) {
    const Halves h =
        split(strided(from, stride, lanes_below(k)), strided(from + kSide * stride, stride, lanes_below(k - kSide)));
    _mm512_store_si512(to, h.high);
    _mm512_store_si512(to + low, h.low);
  }
}

// Two steps of 16 columns, of which `cols` exist, `stride` floats apart: pairs, as tiles want them.
TC_INLINE Halves split_pair(const float* even, const float* odd, int64_t stride, int64_t cols) {
  alignas(64) static constexpr int16_t kPairs[32] = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                                     8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __mmask16 mask = lanes_below(cols);
  const __m512 x = even == nullptr ? _mm512_setzero_ps() : strided(even, stride, mask);
  const __m512 y = odd == nullptr ? _mm512_setzero_ps() : strided(odd, stride, mask);
  const Halves h = split(x, y);
  const __m512i pairs = _mm512_load_si512(kPairs);
  return {_mm512_permutexvar_epi16(pairs, h.high), _mm512_permutexvar_epi16(pairs, h.low)};
}

// A k x cols piece of the right operand, element (p, j) at from[p * rs + j * cs], as kStepBytes per 32 steps of K;
// steps and columns beyond are zero.
inline void split_columns(const float* from, int64_t rs, int64_t cs, int64_t k, int64_t cols, std::byte* to) {
  for (int64_t p = 0; p < k; p += 2) {
    std::byte* pair = to + p / kStep * kStepBytes + p % kStep / 2 * kRowBytes;
    const float *even = from + p * rs, *odd = p + 1 < k ? even + rs : nullptr;
    for (int64_t j = 0; j < kStripCols; j += kSide, pair += 2 * kTileBytes) {
      const Halves h = split_pair(j < cols ? even + j * cs : nullptr,
                                  odd != nullptr && j < cols ? odd + j * cs : nullptr, cs, cols - j);
      _mm512_store_si512(pair, h.high);
      _mm512_store_si512(pair + kTileBytes, h.low);
    }
  }
  for (int64_t p = (k + 1) / 2 * 2; p % kStep != 0; p += 2) {
    std::byte* pair = to + p / kStep * kStepBytes + p % kStep / 2 * kRowBytes;
    for (int64_t tile = 0; tile < 4; ++tile) _mm512_store_si512(pair + tile * kTileBytes, _mm512_setzero_si512());
  }
}

// Sums of `blocks` x `tap_count` steps of K.
struct SplitSum {
  const std::byte* a = nullptr;  // the first step's high rows
  int64_t a_row = kRowBytes;     // bytes between rows
  int64_t a_low = 0;             // from high rows to low ones
  int64_t a_block = 0;
  const int64_t* taps = nullptr;  // bytes within a block
  int64_t blocks = 0, tap_count = 1;
  const std::byte* b = nullptr;  // step after step
};

// Of a strip that split_row has written.
inline SplitSum sum_of_strip() {
  static constexpr int64_t kNoTaps[] = {0};
  SplitSum sum;
  sum.a_low = 2 * kTileBytes;
  sum.a_block = kStepBytes;
  sum.taps = kNoTaps;
  return sum;
}

// What is read next, asked for a few cache lines at a time while there is arithmetic to hide their way behind.
struct SplitAhead {
  const std::byte* at = nullptr;
  int64_t lines = 0;   // with each quarter of a step: many at once would be in the way of what it reads itself
  int64_t beyond = 0;  // bytes from there to what the next step asks for

  TC_INLINE void touch() {
    for (int64_t i = 0; i < lines; ++i, at += 64) _mm_prefetch(reinterpret_cast<const char*>(at), _MM_HINT_T1);
  }
};

// Of weights that are met for the first time: a step is a page, whose first lines are asked for two steps before, and
// of which the machine then fetches the rest by itself. By the later ones of several strips of rows: the next weights.
// 512 channels of 7 x 7 by 3x3, one thread, in ms, weights from memory and from a cache that holds them: without 1.45
// and 0.71, 8 lines of the next ones with every step 1.12 and 0.69, both of these 0.83 and 0.65; on a host whose guests
// keep the cores' second threads busy 2.5, 2.4 and 1.65 from memory. By Winograd's method, without and so, 1.44 and
// 1.23, 2.3 and 1.6. resnet18 24.6 to 19.5, resnet50 31.3 to 29.0, bert_base 101 to 81.
inline SplitAhead ahead_of_first(const std::byte* b) {
  constexpr int64_t kSteps = 2, kLines = 24;
  return {b + kSteps * kStepBytes, kLines / 4, kStepBytes - kLines * 64};
}
inline SplitAhead ahead_of_later(const std::byte* next, int64_t strips) {
  constexpr int64_t kMostLines = 16;
  return {next, strips < 2 ? 0 : least(kMostLines / 4, ceil_div(kStepBytes / 64 / 4, strips - 1)), 0};
}

// Rows and columns in tiles, 1 or 2. to: rows of 32 floats, from which finish_split takes them. Every loaded tile
// serves two products or more; a tile of A's low part is loaded twice, for want of a register.
template <int kRows, int kCols>
void sum_split(const SplitSum& s, SplitAhead& ahead, float* to) {
  _tile_zero(0);
  if constexpr (kCols == 2) _tile_zero(1);
  if constexpr (kRows == 2) _tile_zero(2);
  if constexpr (kRows == 2 && kCols == 2) _tile_zero(3);
  const auto row = static_cast<size_t>(s.a_row);
  const int64_t lower = kSide * s.a_row;
  const std::byte *block = s.a, *b = s.b;
  for (int64_t i = 0; i < s.blocks; ++i, block += s.a_block) {
    for (int64_t t = 0; t < s.tap_count; ++t, b += kStepBytes) {
      const std::byte *a = block + s.taps[t], *low = a + s.a_low;
      ahead.touch();
      _tile_loadd(4, a, row);
      _tile_loadd(6, b, kRowBytes);
      if constexpr (kRows == 2) _tile_loadd(5, a + lower, row);
      _tile_dpbf16ps(0, 4, 6);
      if constexpr (kRows == 2) _tile_dpbf16ps(2, 5, 6);
      ahead.touch();
      _tile_loadd(7, b + kTileBytes, kRowBytes);
      _tile_dpbf16ps(0, 4, 7);
      if constexpr (kRows == 2) _tile_dpbf16ps(2, 5, 7);
      ahead.touch();
      _tile_loadd(7, low, row);
      _tile_dpbf16ps(0, 7, 6);
      if constexpr (kRows == 2) {
        _tile_loadd(7, low + lower, row);
        _tile_dpbf16ps(2, 7, 6);
      }
      ahead.touch();
      if constexpr (kCols == 2) {
        _tile_loadd(6, b + 2 * kTileBytes, kRowBytes);
        if constexpr (kRows == 2) {
          _tile_dpbf16ps(3, 7, 6);
          _tile_dpbf16ps(3, 5, 6);
          _tile_loadd(7, low, row);
        }
        _tile_dpbf16ps(1, 4, 6);
        _tile_dpbf16ps(1, 7, 6);
        _tile_loadd(7, b + 3 * kTileBytes, kRowBytes);
        _tile_dpbf16ps(1, 4, 7);
        if constexpr (kRows == 2) _tile_dpbf16ps(3, 5, 7);
      }
      ahead.at += ahead.beyond;
    }
  }
  constexpr size_t line = kStripCols * sizeof(float);
  _tile_stored(0, to, line);
  if constexpr (kCols == 2) _tile_stored(1, to + kSide, line);
  if constexpr (kRows == 2) _tile_stored(2, to + kSide * kStripCols, line);
  if constexpr (kRows == 2 && kCols == 2) _tile_stored(3, to + kSide * kStripCols + kSide, line);
}

inline void sum_split(int64_t rows, int64_t cols, const SplitSum& s, SplitAhead& ahead, float* to) {
  if (rows > kSide)
    cols > kSide ? sum_split<2, 2>(s, ahead, to) : sum_split<2, 1>(s, ahead, to);
  else
    cols > kSide ? sum_split<1, 2>(s, ahead, to) : sum_split<1, 1>(s, ahead, to);
}

template <int R, int NV>
TC_INLINE void finish_rows(const float* from, const Epilogue& e, const TileOut& out) {
  Tile<R, NV> t;
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < NV; ++j) t.v[i][j] = load(from + i * kStripCols + j * kVecFloats);
  }
  finish_tile(t, e, out);
}

template <int NV>
void finish_split(const float* from, int64_t rows, const Epilogue& e, TileOut out) {
  const auto advance = [&](int64_t count) {
    from += count * kStripCols;
    rows -= count;
    out.c += count * out.row;
    if (out.residual != nullptr) out.residual += count * out.residual_row;
    if (out.row_bias != nullptr) out.row_bias += count;
  };
  for (; rows >= 8; advance(8)) finish_rows<8, NV>(from, e, out);
  for (; rows >= 4; advance(4)) finish_rows<4, NV>(from, e, out);
  for (; rows >= 1; advance(1)) finish_rows<1, NV>(from, e, out);
}

// The epilogue of `rows` rows that sum_split has left.
inline void finish_split(const float* from, int64_t rows, const Epilogue& e, const TileOut& out) {
  out.cols > kSide ? finish_split<2>(from, rows, e, out) : finish_split<1>(from, rows, e, out);
}

}  // namespace
}  // namespace tc::kernels
