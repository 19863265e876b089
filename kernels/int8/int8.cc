#include "tc/kernels/int8/int8.h"

#include <algorithm>
#include <cstring>

#include "tc/kernels/int8/int8_shapes.h"
#include "tc/kernels/parallel.h"

namespace tc::kernels {
namespace {

struct GemmScratch {
  // Few rows, which all tiles read, each worker copies for itself: lines that another core has just written come
  // slowly. Two threads, 32x384x1536 18 to 10 us.
  bool apart;
  PerWorker<int32_t> row_sums, bias, factor, acc;
  PerWorker<int64_t> held;  // whether the worker has copied them
  PerWorker<uint8_t> a;
  uint8_t* b = nullptr;
  size_t bytes = 0;
  GemmScratch(const Int8Table& table, const Int8GemmArgs& g, int threads) {
    ScratchPieces pieces(g.scratch);
    const Int8Traits t = table.traits.fn();
    const bool copied = g.a_signed || g.k % 4 || t.side > 1;
    apart = copied && g.m <= t.rows;
    const int copies = apart ? threads : 1;
    if (apart) held = pieces.take_each<int64_t>(threads, 1);
    if (g.b_zero || !g.b_signed) row_sums = pieces.take_each<int32_t>(copies, g.m);
    if (copied) a = pieces.take_each<uint8_t>(copies, round_up(g.m, t.side) * round_up(quads(g.k), t.side) * 4);
    if (!g.packed_b) b = pieces.take<uint8_t>(static_cast<int64_t>(int8_packed_bytes(table, g.k, g.n)));
    acc = pieces.take_each<int32_t>(threads, t.rows * t.width);
    bias = pieces.take_each<int32_t>(threads, t.rows);
    factor = pieces.take_each<int32_t>(threads, t.rows);
    bytes = pieces.used();
  }
};

int64_t panel_bytes(const Int8Traits& t, int64_t k) {
  return round_up(quads(k), t.side) * 4 * t.width;
}

}  // namespace

size_t int8_packed_bytes(const Int8Table& table, int64_t k, int64_t n) {
  const Int8Traits t = table.traits.fn();
  const int64_t panels = (n + t.width - 1) / t.width;
  return static_cast<size_t>(panels * (panel_bytes(t, k) + t.width * 4));
}

void int8_pack(Team& team, const Int8Table& table, const uint8_t* b, bool b_signed, int64_t k, int64_t n, uint8_t* to) {
  const Int8Traits t = table.traits.fn();
  const int64_t panels = (n + t.width - 1) / t.width, bytes = panel_bytes(t, k);
  parallel_for(team, panels, [&](int64_t p, int) {
    const int64_t col = p * t.width, cols = std::min<int64_t>(t.width, n - col);
    uint8_t* panel = to + p * bytes;
    if (cols < t.width) std::memset(panel, 0, static_cast<size_t>(bytes));
    const int64_t depth = round_up(quads(k), t.side);
    for (int64_t s = 0; s < depth; ++s) {
      const uint8_t* rows[4] = {};
      for (int64_t q = 0; q < 4 && 4 * s + q < k; ++q) rows[q] = b + (4 * s + q) * n + col;
      table.interleave.fn(rows, cols, 1, flip(!b_signed), panel + s * t.width * 4);
    }
    table.sum_panel.fn(panel, depth, t.width, reinterpret_cast<int32_t*>(to + panels * bytes) + col);
  });
}

size_t int8_gemm_scratch(const Int8Table& table, const Int8GemmArgs& args, int threads) {
  Int8GemmArgs g = args;
  g.scratch = nullptr;
  return GemmScratch(table, g, threads).bytes;
}

void int8_gemm(Team& team, const Int8Table& table, const Int8GemmArgs& g) {
  if (g.m * g.n == 0) return;
  const GemmScratch scratch(table, g, team.threads());
  const Int8Traits t = table.traits.fn();
  const int64_t depth = round_up(quads(g.k), t.side), panels = (g.n + t.width - 1) / t.width;
  const int64_t bytes = panel_bytes(t, g.k);
  const auto b_zero_at = [&](int64_t j) {
    return moved_zero(g.b_zero ? g.b_zero[j * g.b_zero_step] : 0, g.b_signed, true);
  };
  // Zero points that are zero want no sums of A's rows: 512 x 1024 x 1024 on Zen 5 1.075 to 1.045 ms.
  bool b_is_moved = false;
  for (int64_t j = 0; scratch.row_sums.first && j < (g.b_zero_step ? g.n : 1); ++j) b_is_moved |= b_zero_at(j) != 0;
  // Of the rows [first, last): copies, if tiles read those, and sums, if they want any.
  const auto copy_rows = [&](int64_t first, int64_t last, int copy) {
    uint8_t* const to = scratch.a.first ? scratch.a.of(copy) : nullptr;
    const int64_t piece = 4 * t.side;
    for (int64_t i = first; i < last; ++i) {
      uint8_t* row = to ? to + row_offset(t, t.side, depth, i) : nullptr;
      // Zeros behind the last bytes, which share their piece.
      if (row && g.k % piece) std::memset(row + g.k / piece * piece * t.side, 0, static_cast<size_t>(piece));
      const int32_t sum = table.copy_row.fn(g.a + i * g.k, g.k, flip(g.a_signed), piece, piece * t.side, row);
      if (b_is_moved) scratch.row_sums.of(copy)[i] = sum;
    }
  };
  if (scratch.apart) {
    for (int worker = 0; worker < team.threads(); ++worker) *scratch.held.of(worker) = 0;
  } else if (scratch.a.first || b_is_moved) {
    const Tiling groups = tile_by_cost(g.m, g.k, 1 << 14);
    parallel_for(team, groups.count(), static_cast<double>(g.m * g.k) * 0.05,
                 [&](int64_t tile, int) { copy_rows(groups.begin(tile), groups.end(tile), 0); });
  }
  if (scratch.b) int8_pack(team, table, g.b, g.b_signed, g.k, g.n, scratch.b);
  const uint8_t* b = scratch.b ? scratch.b : g.packed_b;
  const auto* column_sums = reinterpret_cast<const int32_t*>(b + panels * bytes);
  // Few panels make enough tiles for two threads if these are not as tall as can be.
  constexpr int64_t kFewPanels = 4, kRowsOfFew = 48;
  const Tiling rows{g.m, t.side == 1 && panels < kFewPanels ? std::min<int64_t>(t.rows, kRowsOfFew) : t.rows};
  // Some panels at once, so that what comes before the first one counts less; still enough for two threads.
  constexpr int64_t kWantedTiles = 8, kMostPanels = 8;
  const Tiling spans{panels,
                     std::clamp<int64_t>((rows.count() * panels + kWantedTiles - 1) / kWantedTiles, 1, kMostPanels)};
  // The larger operand is read once: 64 x 4096 x 1024, two threads, on Zen 5 0.299 to 0.288 ms.
  const bool by_panels = g.m <= g.n;
  // Of a row's quad and of a sum: what shows whether a call is worth a second thread.
  const double quad_ns = t.side > 1 ? 0.003 : 0.015, sum_ns = 0.1;
  const double ns = static_cast<double>(round_up(g.m, t.side) * g.n) * (sum_ns + quad_ns * static_cast<double>(depth));
  parallel_for(team, rows.count() * spans.count(), ns, [&](int64_t tile, int worker) {
    const int64_t span = by_panels ? tile / rows.count() : tile % spans.count();
    const int64_t part = by_panels ? tile % rows.count() : tile / spans.count();
    const int64_t first = rows.begin(part), count = rows.end(part) - first;
    const int copy = scratch.apart ? worker : 0;
    if (scratch.apart && !*scratch.held.of(worker)) copy_rows(0, g.m, copy), *scratch.held.of(worker) = 1;
    const uint8_t* a = scratch.a.first ? scratch.a.of(copy) : g.a;
    const int32_t* row_sums = b_is_moved ? scratch.row_sums.of(copy) : nullptr;
    int32_t *acc = scratch.acc.of(worker), *bias = scratch.bias.of(worker), *factor = scratch.factor.of(worker);
    const auto factor_at = [&](int64_t r) {
      return moved_zero(g.a_zero ? g.a_zero[(first + r) * g.a_zero_step] : 0, g.a_signed, false);
    };
    if (g.a_zero_step == 0) std::fill_n(factor, count, factor_at(0));
    for (int64_t r = 0; g.a_zero_step && r < count; ++r) factor[r] = factor_at(r);
    const bool any = std::any_of(factor, factor + count, [](int32_t f) { return f != 0; });
    std::fill_n(bias, count, 0);
    // (a - za)(b - zb) = a b - za b - zb (a - za)
    const auto row_less_zero = [&](int64_t r) { return row_sums[first + r] - static_cast<int32_t>(g.k) * factor[r]; };
    if (row_sums && g.b_zero_step == 0)
      for (int64_t r = 0; r < count; ++r) bias[r] = -b_zero_at(0) * row_less_zero(r);
    const Int8Blocks blocks(table);
    for (int64_t panel = spans.begin(span); panel < spans.end(span); ++panel) {
      const int64_t col = panel * t.width, cols = std::min<int64_t>(t.width, g.n - col);
      table.block.fn({.rows = count,
                      .cols = cols,
                      .depth = depth,
                      .vectors = b + panel * bytes,
                      .row = a + row_offset(t, t.side, depth, first),
                      .group = t.side,
                      .signed_vectors = true,
                      .acc = acc});
      for (int64_t r = 0; row_sums && g.b_zero_step && r < count; ++r) {
        const int32_t row = row_less_zero(r);
        for (int64_t j = 0; j < cols; ++j) acc[r * t.width + j] -= b_zero_at(col + j) * row;
      }
      Int8Finish f{.rows = count,
                   .cols = cols,
                   .acc = acc,
                   .acc_row = t.width,
                   .bias = bias,
                   .factor = any ? factor : nullptr,
                   .minus = column_sums + col,
                   .output = g.output.from(first, col),
                   .y = static_cast<std::byte*>(g.c) + (first * g.n + col) * g.output.bytes(),
                   .y_row = g.n};
      table.finish.fn(f);
    }
  });
}

}  // namespace tc::kernels
