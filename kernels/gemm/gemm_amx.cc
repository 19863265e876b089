// Compiled for AMX: of the tier that has it.
#include "tc/kernels/gemm/gemm_amx.h"

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

struct Offset {
  int64_t a, b, c, residual;
};

Offset offset_of(const GemmArgs& g, int64_t batch) {
  const int64_t i = batch / g.batch[1], j = batch % g.batch[1];
  return {i * g.a_batch[0] + j * g.a_batch[1], i * g.b_batch[0] + j * g.b_batch[1], i * g.c_batch[0] + j * g.c_batch[1],
          i * g.residual_batch[0] + j * g.residual_batch[1]};
}

std::byte* bytes(float* p) {
  return reinterpret_cast<std::byte*>(p);
}

// One strip of rows: [K in steps of 32][high, low][32 rows]. Rows beyond the last one hold what they held.
void split_strip(const GemmArgs& g, const GemmPlan& p, int64_t tile) {
  const int64_t batch = tile / p.row_strips, strip = tile % p.row_strips, row0 = strip * kStripRows;
  const float* a = g.a + offset_of(g, batch).a + row0 * g.a_rs;
  std::byte* to = bytes(g.scratch + tile * p.strip_floats);
  const int64_t rows = least(kStripRows, g.m - row0);
  for (int64_t i = 0; i < rows; ++i, a += g.a_rs) split_row(a, g.a_cs, g.k, to + i * kRowBytes);
}

void run_split(const GemmArgs& g, const GemmPlan& p, int phase, int64_t tile, int worker) {
  if (phase-- == 0) return split_strip(g, p, tile);
  const bool packing = p.source == Source::phase && phase % 2 == 0;
  const int64_t row_tiles = packing ? 1 : p.row_tiles;
  const int64_t row_tile = tile % row_tiles, col_tile = tile / row_tiles % p.col_tiles;
  const int64_t slot = tile / row_tiles / p.col_tiles;
  const int64_t unit = slot + (p.source == Source::phase ? phase / 2 * p.units_per_phase : 0);
  const int64_t batch = unit / p.n_blocks, n0 = unit % p.n_blocks * p.n_block;
  const int64_t col0 = n0 + col_tile * p.col_tile;
  const int64_t col1 = least(least(g.n, n0 + p.n_block), col0 + p.col_tile);
  if (col0 >= col1) return;
  const Offset at = offset_of(g, batch);
  const int64_t steps = ceil_div(g.k, kStep);
  std::byte* shared = nullptr;
  if (p.source == Source::phase)
    shared = bytes(g.scratch + p.packed_a_floats) + (slot * p.n_block + col0 - n0) / kStripCols * steps * kStepBytes;
  if (packing) {
    for (int64_t j = col0; j < col1; j += kStripCols, shared += steps * kStepBytes)
      split_columns(g.b + at.b + j * g.b_cs, g.b_rs, g.b_cs, g.k, least(kStripCols, col1 - j), shared);
    return;
  }

  std::byte* own = bytes(gemm_worker_scratch(g, p, worker));
  const int64_t row0 = row_tile * p.row_tile, row1 = least(g.m, row0 + p.row_tile);
  const std::byte* a = bytes(g.scratch + (batch * p.row_strips + row0 / kStripRows) * p.strip_floats);
  const Epilogue& e = g.epilogue;
  const float* residual = e.residual == nullptr ? nullptr : e.residual + at.residual;
  alignas(64) float sums[kStripRows * kStripCols];
  SplitSum sum = sum_of_strip();
  TileOut out;
  out.row = g.c_rs;
  out.residual_row = g.residual_rs;
  out.residual_step = g.residual_cs;
  const TileScope tiles;
  for (int64_t s0 = 0; s0 < steps; s0 += p.k_block / kStep) {
    const int64_t s1 = least(steps, s0 + p.k_block / kStep), k0 = s0 * kStep, k1 = least(g.k, s1 * kStep);
    sum.blocks = s1 - s0;
    out.first = s0 == 0;
    out.last = s1 == steps;
    for (int64_t j = col0; j < col1; j += kStripCols) {
      const int64_t cols = least(kStripCols, col1 - j);
      SplitAhead ahead;
      if (shared != nullptr) {
        sum.b = shared + ((j - col0) / kStripCols * steps + s0) * kStepBytes;
      } else {
        // Packed panels are as wide as the tier's, and hold two of ours.
        const float* panels = g.packed_b + at.b;
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
          ahead.lines = ceil_div(lines, sum.blocks * ceil_div(row1 - row0, kStripRows));
        }
      }
      out.cols = static_cast<int>(cols);
      out.bias = e.bias == nullptr ? nullptr : e.bias + j;
      out.scale = e.scale == nullptr ? nullptr : e.scale + j;
      for (int64_t row = row0; row < row1; row += kStripRows) {
        const int64_t rows = least(kStripRows, row1 - row);
        sum.a = a + (row - row0) / kStripRows * p.strip_floats * 4 + s0 * kStepBytes;
        sum_split(rows, cols, sum, ahead, sums);
        out.c = g.c + at.c + row * g.c_rs + j;
        out.row_bias = e.row_bias == nullptr ? nullptr : e.row_bias + row;
        out.residual = residual == nullptr ? nullptr : residual + row * g.residual_rs + j * g.residual_cs;
        finish_split(sums, rows, e, out);
      }
      const int64_t end = j + cols;
      if (out.last && e.strip != nullptr && (end % p.width == 0 || end == col1)) {
        const int64_t from = (end - 1) / p.width * p.width;
        e.strip(e.context, g.c + at.c + row0 * g.c_rs + from, row1 - row0, end - from, g.c_rs, batch * g.m + row0,
                from);
      }
    }
  }
}

void run(const GemmArgs& g, const GemmPlan& p, int phase, int64_t tile, int worker) {
  if (p.split)
    run_split(g, p, phase, tile, worker);
  else
    other.run.fn(g, p, phase, tile, worker);
}

}  // namespace

void use_gemm_amx(GemmTable& table) {
  other = table;
  table.traits.fn = traits;
  table.run = {run, "gemm_f32_split__amx"};
}

}  // namespace tc::kernels
