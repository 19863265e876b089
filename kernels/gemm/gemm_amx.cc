// Compiled for AMX: of the tier that has it.
#include "tc/kernels/gemm/gemm_amx.h"

#include <cstring>

#include "tc/kernels/gemm/item.h"
#include "tc/kernels/gemm/split_amx.h"

namespace tc::kernels {
namespace {

using Source = GemmPlan::Source;

// The table's own functions, which do all that is not split. Written once, with the tables.
GemmTable other;

GemmTraits traits() {
  GemmTraits t = other.traits.fn();
  t.splits = true;
  return t;
}

std::byte* bytes(float* p) {
  return reinterpret_cast<std::byte*>(p);
}

// Steps [k0, k1) of columns [col0, col1) of B: strip after strip, strip_bytes apart, of which several are read
// together.
void split_strips(const float* b, int64_t rs, int64_t cs, int64_t k0, int64_t k1, int64_t col0, int64_t col1,
                  std::byte* to, int64_t strip_bytes) {
  for (int64_t j = col0; j < col1; j += kSplitTogether * kStripCols, to += kSplitTogether * strip_bytes) {
    std::byte* step = to;
    for (int64_t k = k0; k < k1; k += kStep, step += kStepBytes) {
      std::byte* strip = step;
      for (int64_t i = j; i < least(col1, j + kSplitTogether * kStripCols); i += kStripCols, strip += strip_bytes)
        split_columns(b + i * cs + k * rs, rs, cs, least(kStep, k1 - k), least(kStripCols, col1 - i), strip);
    }
  }
}

void pack_split(const float* b, int64_t rs, int64_t cs, int64_t k, int64_t col0, int64_t col1, float* dst) {
  split_strips(b, rs, cs, 0, k, col0, col1, bytes(dst), ceil_div(k, kStep) * kStepBytes);
}

// B is asked for so far ahead, into L2: a GPT-2's step, one thread and two, two steps ahead into
// the first-level one 29.8 and 16.9 ms, so 28.6 and 15.6. One strip follows another: of 0.5 GB so, two steps
// ahead, 17.6 GB/s, unasked 14.4, by tiles of AMX 15, of two and four strips side by side 15 and 13.
constexpr int64_t kGemvAhead = 4 * kStepBytes;

// M rows by a strip of 32 columns of B; a: for each row and step a line of high parts and one of low ones. to: rows of
// 32 floats.
template <int M>
void gemv_strip(const std::byte* b, const std::byte* end, const std::byte* next, const std::byte* a, int64_t steps,
                float* to) {
  constexpr int64_t kPairs = kStep / 2, kLines = 2 * kRowBytes;
  __m512 sum[M][2][3];
  for (auto& row : sum)
    for (auto& half : row)
      for (__m512& s : half) s = _mm512_setzero_ps();
  for (int64_t step = 0; step < steps; ++step, b += kStepBytes) {
    const std::byte* ahead = b + kGemvAhead;
    if (ahead >= end) ahead = next + (ahead - end);
    for (int64_t p = 0; p < kPairs; ++p) {
      __m512bh high[2], low[2];
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        const std::byte* line = b + h * 2 * kTileBytes + p * kRowBytes;
        high[h] = reinterpret_cast<__m512bh>(_mm512_load_si512(line));
        low[h] = reinterpret_cast<__m512bh>(_mm512_load_si512(line + kTileBytes));
        _mm_prefetch(reinterpret_cast<const char*>(ahead + (line - b)), _MM_HINT_T1);
        _mm_prefetch(reinterpret_cast<const char*>(ahead + (line - b) + kTileBytes), _MM_HINT_T1);
      }
#pragma GCC unroll 2
      for (int r = 0; r < M; ++r) {
        int32_t x[2];
        const std::byte* pair = a + (r * steps + step) * kLines + p * 4;
        std::memcpy(&x[0], pair, 4), std::memcpy(&x[1], pair + kRowBytes, 4);
        const auto x_high = reinterpret_cast<__m512bh>(_mm512_set1_epi32(x[0]));
        const auto x_low = reinterpret_cast<__m512bh>(_mm512_set1_epi32(x[1]));
#pragma GCC unroll 2
        for (int h = 0; h < 2; ++h) {
          sum[r][h][0] = _mm512_dpbf16_ps(sum[r][h][0], high[h], x_high);
          sum[r][h][1] = _mm512_dpbf16_ps(sum[r][h][1], low[h], x_high);
          sum[r][h][2] = _mm512_dpbf16_ps(sum[r][h][2], high[h], x_low);
        }
      }
    }
  }
#pragma GCC unroll 2
  for (int r = 0; r < M; ++r)
    for (int h = 0; h < 2; ++h)
      _mm512_store_ps(to + r * kStripCols + h * kSide,
                      _mm512_add_ps(sum[r][h][0], _mm512_add_ps(sum[r][h][1], sum[r][h][2])));
}

void run_gemv(const GemmArgs& g, const GemmPlan& p, int64_t tile, int worker) {
  static constexpr void (*kByRows[])(const std::byte*, const std::byte*, const std::byte*, const std::byte*, int64_t,
                                     float*) = {gemv_strip<1>, gemv_strip<2>};
  const int64_t batch = tile / p.col_tiles, col0 = tile % p.col_tiles * p.col_tile;
  const int64_t col1 = least(g.n, col0 + p.col_tile), steps = ceil_div(g.k, kStep);
  if (col0 >= col1) return;
  const Item it = item_of(g, g.split_bf16, batch);
  float *own = gemm_worker_scratch(g, p, worker), *sums = own + g.m * steps * kStep;
  for (int64_t r = 0; r < g.m; ++r)
    split_row(it.a + r * g.a_rs, g.a_cs, g.k, bytes(own + r * steps * kStep), 2 * kRowBytes, kRowBytes);
  const auto* b = reinterpret_cast<const std::byte*>(it.b) + col0 / kStripCols * steps * kStepBytes;
  const std::byte* end = b + ceil_div(col1 - col0, kStripCols) * steps * kStepBytes;
  const std::byte* next = b + (next_column(p, worker, col0, col1) - col0) / kStripCols * steps * kStepBytes;
  for (int64_t j = col0; j < col1; j += kStripCols, b += steps * kStepBytes) {
    kByRows[g.m - 1](b, end, next, bytes(own), steps, sums);
    finish_split(sums, g.m, g.epilogue, out_at(g, it, 0, j, least(kStripCols, col1 - j)));
  }
  strip(g, it, 0, g.m, col0, col1 - col0);
}

const float* right_of(const GemmArgs& g, const GemmPlan& p) {
  return p.source != Source::packed ? g.b : g.split_bf16 != nullptr ? g.split_bf16 : g.packed_b;
}

// Rows [row0, row1) of A, strip after strip: [K in steps of 32][high, low][32 rows]. Rows beyond the last one hold what
// they held.
void split_rows(const GemmArgs& g, const GemmPlan& p, int64_t batch, int64_t row0, int64_t row1, float* to) {
  const float* a = item_of(g, right_of(g, p), batch).a + row0 * g.a_rs;
  for (int64_t i = 0; i < row1 - row0; ++i, a += g.a_rs)
    split_row(a, g.a_cs, g.k, bytes(to + i / kStripRows * p.strip_floats) + i % kStripRows * kRowBytes, kStepBytes,
              2 * kTileBytes);
}

void run_split(const GemmArgs& g, const GemmPlan& p, int phase, int64_t tile, int worker) {
  if (p.packs_a && phase-- == 0) {
    const int64_t row0 = tile % p.row_strips * kStripRows;
    return split_rows(g, p, tile / p.row_strips, row0, least(g.m, row0 + kStripRows),
                      g.scratch + tile * p.strip_floats);
  }
  const auto [packing, slot, batch, row_tile, n0, col0, col1] = place_of(g, p, phase, tile);
  if (col0 >= col1) return;
  const Item it = item_of(g, right_of(g, p), batch);
  const int64_t steps = ceil_div(g.k, kStep);
  std::byte* shared = nullptr;
  if (p.source == Source::phase)
    shared = bytes(g.scratch + p.packed_a_floats) + (slot * p.n_block + col0 - n0) / kStripCols * steps * kStepBytes;
  if (packing) return split_strips(it.b, g.b_rs, g.b_cs, 0, g.k, col0, col1, shared, steps * kStepBytes);

  float *scratch = gemm_worker_scratch(g, p, worker), *left = g.scratch;
  const int64_t row0 = row_tile * p.row_tile, row1 = least(g.m, row0 + p.row_tile);
  if (p.own_a) {
    OwnLeft& held = own_left(scratch);
    left = scratch + kOwnLeftFloats;
    scratch = left + p.row_strips * p.strip_floats;
    if (const int64_t of_all = batch * p.row_tiles + row_tile; held.row_tile != of_all) {
      held.row_tile = of_all;
      split_rows(g, p, batch, row0, row1, left);
    }
  } else {
    left += (batch * p.row_strips + row0 / kStripRows) * p.strip_floats;
  }
  const std::byte* a = bytes(left);
  std::byte* own = bytes(scratch);
  const Epilogue& e = g.epilogue;
  alignas(64) float sums[kStripRows * kStripCols];
  SplitSum sum = sum_of_strip();
  const TileScope tiles;
  for (int64_t s0 = 0; s0 < steps; s0 += p.k_block / kStep) {
    const int64_t s1 = least(steps, s0 + p.k_block / kStep), k0 = s0 * kStep, k1 = least(g.k, s1 * kStep);
    sum.blocks = s1 - s0;
    for (int64_t j = col0; j < col1; j += kStripCols) {
      const int64_t cols = least(kStripCols, col1 - j);
      SplitAhead first_ahead, ahead;
      if (shared != nullptr) {
        sum.b = shared + ((j - col0) / kStripCols * steps + s0) * kStepBytes;
      } else if (g.split_bf16 != nullptr) {
        sum.b = reinterpret_cast<const std::byte*>(it.b) + (j / kStripCols * steps + s0) * kStepBytes;
        const int64_t strips = ceil_div(row1 - row0, kStripRows);
        first_ahead = ahead_of_first(sum.b);
        if (j + kStripCols < g.n && p.row_tiles == 1) ahead = ahead_of_later(sum.b + steps * kStepBytes, strips);
      } else if (p.source == Source::in_tile) {
        const int64_t strip = (j - col0) / kStripCols % kSplitTogether, strip_bytes = sum.blocks * kStepBytes;
        if (strip == 0)
          split_strips(it.b, g.b_rs, g.b_cs, k0, k1, j, least(col1, j + kSplitTogether * kStripCols), own, strip_bytes);
        sum.b = own + strip * strip_bytes;
      } else {
        // Packed panels are as wide as the tier's, and hold two of ours.
        const float* panels = it.b;
        const int64_t first = j / p.width * p.width, second = j % p.width;
        const auto stride = [&](int64_t panel) { return least(p.width, ceil_div(g.n - panel, p.lanes) * p.lanes); };
        split_columns(panels + first * g.k + k0 * stride(first) + second, stride(first), 1, k1 - k0, cols, own);
        sum.b = own;
        // Next come the same steps of the next panel, the next steps of the first one, or the next tile.
        const bool more_panels = first + p.width < col1, more_steps = k1 < g.k;
        const int64_t next = more_panels ? first + p.width : more_steps ? col0 : col1;
        if (next < g.n && (more_panels || more_steps || p.row_tiles == 1)) {
          const int64_t lines = (k1 - k0) * stride(next) / 16 / 2;
          const float* from = panels + next * g.k + (more_panels ? k0 : more_steps ? k1 : 0) * stride(next);
          ahead.at = reinterpret_cast<const std::byte*>(from + (second == 0 ? 0 : lines * 16));
          ahead.lines = ceil_div(lines, 4 * sum.blocks * ceil_div(row1 - row0, kStripRows));
        }
      }
      for (int64_t row = row0; row < row1; row += kStripRows) {
        const int64_t rows = least(kStripRows, row1 - row);
        sum.a = a + (row - row0) / kStripRows * p.strip_floats * 4 + s0 * kStepBytes;
        sum_split(rows, cols, sum, row == row0 && first_ahead.lines > 0 ? first_ahead : ahead, sums);
        TileOut out = out_at(g, it, row, j, cols);
        out.first = s0 == 0;
        out.last = s1 == steps;
        finish_split(sums, rows, e, out);
      }
      const int64_t end = j + cols;
      if (s1 == steps && e.strip != nullptr && (end % p.width == 0 || end == col1)) {
        const int64_t from = (end - 1) / p.width * p.width;
        strip(g, it, row0, row1 - row0, from, end - from);
      }
    }
  }
}

void run(const GemmArgs& g, const GemmPlan& p, int phase, int64_t tile, int worker) {
  if (p.split && p.path == GemmPlan::Path::gemv)
    run_gemv(g, p, tile, worker);
  else if (p.split)
    run_split(g, p, phase, tile, worker);
  else
    other.run.fn(g, p, phase, tile, worker);
}

}  // namespace

void use_gemm_amx(GemmTable& table) {
  other = table;
  table.traits.fn = traits;
  table.packs[static_cast<size_t>(GemmForm::split_bf16)] = {pack_split, "gemm_f32_pack_split__amx"};
  table.run = {run, "gemm_f32_split__amx"};
}

}  // namespace tc::kernels
