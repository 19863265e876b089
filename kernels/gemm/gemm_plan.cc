// How each algorithm cuts a product into tiles.
#include <algorithm>
#include <cstdlib>

#include "tc/kernels/cpu.h"
#include "tc/kernels/gemm/gemm_shapes.h"
#include "tc/kernels/gemm/strassen.h"
#include "tc/kernels/rounding.h"

namespace tc::kernels {
namespace {

// With 64-wide panels a K block of 384 rows streams through L2 at 18 of the 62 bytes per cycle it gives, and the tile's
// C is loaded and stored once per 5000 cycles.
constexpr int64_t kBlockK = 384;
// Rows of A that stay in L2: 112 x 384 floats are 172 KB.
constexpr int64_t kBlockM = 112;
// Steps of fewer rows, with which a panel of B takes a quarter of L2. 64x128x784 on Zen 5: 0.0497 to 0.0486 ms.
constexpr int64_t kMostBlockK = 1024;
constexpr int64_t kBlockN = 512;
// Of short sums: what the machine fetches ahead in a row is not another worker's. Two threads, 512 and all 1024
// columns to a tile: 1024x8x1024 0.165 and 0.060 ms.
constexpr int64_t kShortBlockN = 2048;
// A block of B packed inside a tile: stays in L2 beside A. Its rows are read by 256 bytes at least, 16x1024x1024 with
// AVX2 0.73 ms by 192, 0.53 so.
constexpr int64_t kTileFloats = 48 * 1024, kTileColumns = 64;
// From these on, A is packed too: a tile then reads one stream instead of one for each row. 128x768x3072 with weights
// from memory 7.5 to 6.4 ms, 1024^3 29 to 25; 512^3 as before, 256^3 0.36 to 0.39. What a worker packs the others read:
// on two cores of Zen 5 that share no cache 64x512x512 takes 0.084 ms so and 0.068 where it lies, 64x3072x768 the same.
constexpr int64_t kPackedASteps = 256;
constexpr int64_t kPackedAProducts = int64_t{1} << 27;
// Enough tiles to balance two to eight threads, none so small that handing it to another core shows: so many
// operations for each lane of a register. Two threads, half as many tiles and so: 64x128x128 with AVX-512 0.020 to
// 0.011 ms, 48x128x128 with AVX2 0.028 to 0.015.
constexpr int64_t kWantedTiles = 16;
constexpr double kLeastLaneFlops = 1 << 16;
constexpr double kLeastGemvFloats = 32 * 1024;
// From so many floats on, B comes from memory. A Xeon's core reads 9.8 GB/s in one stream, 11.4 in two, 13.1 in four;
// from a cache one is faster, by a tenth. A core of Zen 4 does best with one that it asks for into the second-level
// cache: 4096 x 4096 1.83 ms by four into the first, 1.58 by one into that, 1.42 so (two threads 1.33, 1.24, 1.18). One
// of Zen 5 with one into the first: 1.19, the other way 1.26 (two threads 0.93, 1.03); 4 x 1024 x 1024 of the
// L3 0.037, 0.052, 1 x 768 x 3072 0.079, 0.091. One of Zen 3 with four: 6.6 to 5.6.
constexpr int64_t kFarFloats = 256 * 1024;

GemmPlan::Reach far_reach() {
  const CpuInfo& cpu = cpu_info();
  if (!cpu.zen4_or_later()) return GemmPlan::Reach::streams;
  const bool zen5 = cpu.avx_vnni;  // the first of that vendor with it
  return zen5 ? GemmPlan::Reach::near : GemmPlan::Reach::stream;
}

void plan_tiles(GemmPlan& p, const GemmArgs& g, const GemmTraits& t, int64_t m) {
  p.row_tile = round_up(ceil_div(m, ceil_div(m, kBlockM)), t.rows);
  const int64_t block_n = g.k <= kGemmShortSum ? kShortBlockN : kBlockN;
  p.col_tile = std::min(round_up(g.n, t.width), round_up(block_n, t.width));
  const int64_t others = p.batches;
  const auto count = [&] { return others * ceil_div(m, p.row_tile) * ceil_div(g.n, p.col_tile); };
  const auto flops = [&] {
    return 2.0 * static_cast<double>(p.row_tile) * static_cast<double>(p.col_tile) * static_cast<double>(g.k);
  };
  const int64_t least_cols = round_up(64, t.width);
  while (count() < kWantedTiles && flops() > 2 * kLeastLaneFlops * t.lanes) {
    if (p.col_tile > least_cols) {
      p.col_tile = round_up(p.col_tile / 2, t.width);
    } else if (p.row_tile > 2 * t.rows) {
      p.row_tile = round_up(p.row_tile / 2, t.rows);
    } else {
      break;
    }
  }
  // Of a few tiles two threads get as many each. Two threads on Zen 5, three tiles and four: 300x300x17 0.0109 to
  // 0.0083 ms, 330x64x256 0.0283 to 0.0228; nine and ten: 1000x64x64 0.0190 to 0.0174.
  const int64_t row_tiles = ceil_div(m, p.row_tile);
  if (count() < kWantedTiles && count() % 2 == 1 && row_tiles > 1)
    p.row_tile = round_up(ceil_div(m, row_tiles + 1), t.rows);
  // Of fewer rows more steps stay in L2.
  const int64_t steps = std::clamp(kBlockM * kBlockK / p.row_tile, kBlockK, kMostBlockK);
  p.k_block = g.k <= steps || m <= t.rows ? std::max<int64_t>(1, g.k) : ceil_div(g.k, ceil_div(g.k, steps));
}

// B is packed by phases of their own, `k` rows of it.
void plan_phases(GemmPlan& p, const GemmTraits& t, int64_t n, int64_t k, int64_t floats = kPhaseFloats) {
  p.source = GemmPlan::Source::phase;
  // Several workers pack a phase, a larger one where sums are long. 320x4096x4096, two threads, with AVX2 77 to 53 ms,
  // in split bf16 33 to 23; one thread 41 to 46.
  constexpr int64_t kTiles = 4, kLeastColumns = 128;
  const int64_t unit_columns = p.strassen ? 2 * t.width : t.width, steps = std::max<int64_t>(1, k);
  const auto floats_of_two = [&] { return 2 * p.col_tile * k; };
  while (p.col_tile > unit_columns && floats_of_two() > (p.col_tile > kLeastColumns ? floats : kLargePhaseFloats))
    p.col_tile = round_up(p.col_tile / 2, unit_columns);
  const auto tiles_in = [&](int64_t size) { return std::max<int64_t>(1, size / steps / p.col_tile); };
  const int64_t columns = std::max(tiles_in(floats), std::min(kTiles, tiles_in(kLargePhaseFloats))) * p.col_tile;
  p.n_blocks = ceil_div(n, columns);
  p.n_block = round_up(ceil_div(n, p.n_blocks), p.col_tile);
  p.n_blocks = ceil_div(n, p.n_block);
  const int64_t unit = gemm_packed_floats(t, k, p.n_block);
  p.units_per_phase = std::clamp<int64_t>(floats / std::max<int64_t>(1, unit), 1, p.units());
  p.shared_floats += unit * p.units_per_phase;
}

// Steps of a panel that all rows go over before the next ones: L2 holds them and those.
constexpr int64_t kFewSteps = 256;

// All rows by some columns, at least so many.
void plan_columns(GemmPlan& p, const GemmArgs& g, const GemmTraits& t, int64_t least) {
  const auto by_work = static_cast<int64_t>(kLeastGemvFloats / static_cast<double>(g.k + 1));
  p.col_tile = std::min(round_up(std::max(least, by_work), t.width), p.n_block);
  p.col_tiles = ceil_div(g.n, p.col_tile);
  p.row_tile = g.m;
  p.row_tiles = 1;
}

}  // namespace

void gemm_plan_few(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  p.path = GemmPlan::Path::few;
  p.source = GemmPlan::Source::packed;
  plan_columns(p, g, t, t.width);
  p.k_block = kFewSteps;
  p.worker_floats = g.m * (t.width + few_left_floats(g.k));
}

namespace {

// In split bf16: floats of A between two visits of an output, which take half of L2, and least steps. None and 1 MB:
// 2048^3 50.8 and 44.5 ms, 1024^3 5.1 and 4.75, 128x768x3072 1.26 and 1.08; 2 MB 50.2, 4.75, 1.10.
constexpr int64_t kSplitFloats = 256 * 1024, kSplitK = 512, kSplitRows = 256;
}  // namespace

void gemm_plan_split(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  const int64_t k = round_up(g.k, kSplitStep);
  p.split = true;
  p.strip_floats = kSplitStrip * k;
  p.row_tile = round_up(ceil_div(g.m, ceil_div(g.m, kSplitRows)), kSplitStrip);
  const int64_t most_k = std::max(kSplitK, kSplitFloats / p.row_tile);
  p.k_block = round_up(ceil_div(k, ceil_div(k, most_k)), kSplitStep);
  p.col_tile = std::min(round_up(g.n, t.width), kBlockN);
  const bool packed = g.packed_b != nullptr || g.split_bf16 != nullptr;
  const auto count = [&] { return p.batches * ceil_div(g.m, p.row_tile) * ceil_div(g.n, p.col_tile); };
  const bool in_tile = !packed && g.m <= p.row_tile && (g.n > t.width || count() >= kWantedTiles / 2);
  // Split bf16 of B stay in L2 while a worker goes over rows; of panels each tile makes them anew.
  const bool near = g.split_bf16 != nullptr && g.k * g.n <= kSplitFloats;
  while (count() < kWantedTiles / 2) {
    const bool rows = !in_tile && p.row_tile > kSplitStrip, columns = p.col_tile > t.width;
    if (columns && !(near && rows)) {
      p.col_tile = round_up(p.col_tile / 2, t.width);
    } else if (rows) {
      p.row_tile = round_up(p.row_tile / 2, kSplitStrip);
    } else {
      break;
    }
  }
  p.row_tiles = ceil_div(g.m, p.row_tile);
  // What one core has split the others take from it line by line. Two threads, by a phase and each for itself: 16 rows
  // by 784x128 0.029 and 0.012 ms, 64 rows 0.074 and 0.051, 160x160x160 0.066 and 0.030.
  p.own_a = in_tile || (packed && (near || p.row_tiles == 1));
  p.packs_a = !p.own_a;
  p.row_strips = ceil_div(p.own_a ? std::min(g.m, p.row_tile) : g.m, kSplitStrip);
  if (p.packs_a) p.shared_floats = p.packed_a_floats = p.batches * p.row_strips * p.strip_floats;
  if (packed) {
    p.source = GemmPlan::Source::packed;
    if (g.split_bf16 == nullptr) p.worker_floats = p.k_block * kSplitStrip;
  } else if (in_tile) {
    // As in plan_packing_tiles: 128x4096x4096, one thread and two, 28 and 28 ms by phases, so 24 and 10.6; 64x512x512
    // 0.167 and 0.100, 0.129 and 0.084.
    p.source = GemmPlan::Source::in_tile;
    p.k_block = round_up(ceil_div(k, ceil_div(k, kSplitK)), kSplitStep);
    p.worker_floats = p.k_block * kSplitStrip * kSplitTogether;
  } else {
    plan_phases(p, t, g.n, k);
  }
  if (p.own_a) p.worker_floats += kOwnLeftFloats + p.row_strips * p.strip_floats;
  p.col_tiles = ceil_div(std::min(p.n_block, round_up(g.n, t.width)), p.col_tile);
}

namespace {

// By Strassen's method: rows of a tile, and floats of A that a worker packs, of which the sums take as many.
constexpr int64_t kStrassenRows = 256, kStrassenFloats = int64_t{1} << 20;
}  // namespace

void gemm_plan_strassen(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  p.strassen = p.own_a = true;
  const int64_t blocks = ceil_div(g.k, 2 * kBlockK);
  p.k_block = g.k / (2 * blocks);
  const int64_t rows = std::clamp<int64_t>(kStrassenFloats / g.k, kStrassenRows / 2, kStrassenRows);
  p.row_tile = ceil_div(g.m, ceil_div(g.m, rows));
  p.col_tile = round_up(std::min(g.n, kBlockN), 2 * t.width);
  const auto count = [&] { return ceil_div(g.m, p.row_tile) * ceil_div(g.n, p.col_tile); };
  while (count() < kWantedTiles && p.col_tile > 2 * t.width) p.col_tile = round_up(p.col_tile / 2, 2 * t.width);
  // Two threads and three tiles: 196 x 384 x 1536 1.31 ms, in six 1.0.
  if (count() < kWantedTiles / 2 && count() % 2 == 1) p.row_tile = ceil_div(p.row_tile, 2);
  p.row_tiles = ceil_div(g.m, p.row_tile);
  if (g.packed_b == nullptr) plan_phases(p, t, g.n, g.k, kLargePhaseFloats);
  p.row_strips = ceil_div(ceil_div(p.row_tile, 2), t.rows);
  p.strip_floats = strassen_packed_floats(1, t.rows, p.k_block, blocks);
  p.worker_floats = kOwnLeftFloats + p.row_strips * p.strip_floats +
                    strassen_scratch_floats(p.row_strips, t.rows, t.width, p.k_block);
  p.col_tiles = ceil_div(std::min(p.n_block, round_up(g.n, t.width)), p.col_tile);
}

namespace {

// Each tile has all rows and packs the columns of B that it reads, a block of steps at a time: no core takes from
// another what that one packed. Two threads on a Xeon, by phases and so: AVX2 128x128x128 0.034 and 0.021 ms,
// 64x128x128 0.020 and 0.012, 256x256x256 0.156 and 0.150; AVX-512 0.030 and 0.014, 0.014 and 0.008, 0.109 and 0.104.
void plan_packing_tiles(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  p.source = GemmPlan::Source::in_tile;
  p.row_tile = round_up(g.m, t.rows);
  p.k_block = std::max<int64_t>(1, ceil_div(g.k, ceil_div(std::max<int64_t>(1, g.k), kBlockK)));
  const int64_t columns = std::min(g.n, kTileFloats / p.k_block);
  p.col_tile = std::max(kTileColumns, columns / kTileColumns * kTileColumns);
  const auto flops = [&] { return 2.0 * static_cast<double>(g.m * p.col_tile) * static_cast<double>(g.k); };
  while (p.col_tile > kTileColumns && p.batches * ceil_div(g.n, p.col_tile) < kWantedTiles &&
         flops() > kLeastLaneFlops * t.lanes)
    p.col_tile = round_up(p.col_tile / 2, kTileColumns);
  p.col_tile = std::min(round_up(g.n, t.width), p.col_tile);
  // Of a few tiles two threads get as many each. Two threads, 160x160x160 with AVX2 0.051 to 0.041 ms.
  const int64_t count = ceil_div(g.n, p.col_tile);
  if (p.batches == 1 && count % 2 == 1 && 1 < count && count < kWantedTiles) {
    const int64_t wider = round_up(ceil_div(g.n, count - 1), t.width);
    if (wider * (count - 1) - g.n < t.width) p.col_tile = wider;
  }
  p.worker_floats = gemm_packed_floats(t, p.k_block, p.col_tile);
}

}  // namespace

void gemm_plan_small(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  p.path = GemmPlan::Path::small;
  p.source = GemmPlan::Source::direct;
  plan_columns(p, g, t, g.n);
}

void gemm_plan_dot(GemmPlan& p, const GemmArgs& g, const GemmTraits&) {
  p.swapped = swaps(g);
  const int64_t n = p.swapped ? g.m : g.n;
  p.path = GemmPlan::Path::dot;
  p.source = GemmPlan::Source::direct;
  // The smaller operand is gathered once per tile when it is not contiguous.
  p.worker_floats = p.swapped && g.b_rs != 1 ? 4 * round_up(g.k, 16) : 0;
  p.col_tile =
      std::max<int64_t>(16, round_up(static_cast<int64_t>(kLeastGemvFloats / static_cast<double>(g.k + 1)), 16));
  p.col_tile = std::min(p.col_tile, round_up(n, 4));
  p.col_tiles = ceil_div(n, p.col_tile);
  p.row_tile = p.swapped ? g.n : g.m;
  p.row_tiles = 1;
  p.n_block = n;
}

void gemm_plan_gemv(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  const bool packed = g.packed_b != nullptr, split_bf16 = g.split_bf16 != nullptr;
  p.path = GemmPlan::Path::gemv;
  p.source = packed || split_bf16 ? GemmPlan::Source::packed : GemmPlan::Source::direct;
  // Row-major B is read along its rows, a kilobyte or more at a time.
  plan_columns(p, g, t, packed || split_bf16 ? t.width : 512);
  p.k_block = g.k;
  p.split = split_bf16 && !packed;
  p.worker_floats = p.split                     ? g.m * (round_up(g.k, kSplitStep) + kSplitStrip)
                    : g.form == GemmForm::int22 ? g.m * g.k
                    : packed                    ? 0
                                                : 4 * p.col_tile;
  if (g.k * g.n >= kFarFloats) p.reach = far_reach();
}

namespace {

// What all tiles of panels have in common once it is known where B comes from.
void finish_tiles(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  using Source = GemmPlan::Source;
  const bool large = g.n >= t.packed_a_columns && g.k >= kPackedASteps && g.m * g.n * g.k >= kPackedAProducts;
  p.packs_a = gathers_left(p, g, t) || (may_pack_left(p, g, t) && large);
  if (p.source == Source::in_tile || p.source == Source::direct) p.packs_a = false;
  p.row_tiles = ceil_div(g.m, p.row_tile);
  if (p.packs_a) {
    p.row_strips = ceil_div(p.row_tile, t.rows);
    p.strip_floats = t.packed_rows * g.k;
    p.packed_a_floats = p.row_tiles * p.row_strips * p.strip_floats;
    p.shared_floats += p.packed_a_floats;
  }
  p.col_tiles = ceil_div(std::min(p.n_block, round_up(g.n, t.width)), p.col_tile);
}

}  // namespace

void gemm_plan_in_place(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  plan_tiles(p, g, t, g.m);
  p.source = GemmPlan::Source::direct;
  finish_tiles(p, g, t);
}

void gemm_plan_packing(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  plan_tiles(p, g, t, g.m);
  plan_packing_tiles(p, g, t);
  finish_tiles(p, g, t);
}

void gemm_plan_panels(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  plan_tiles(p, g, t, g.m);
  if (g.packed_b != nullptr)
    p.source = GemmPlan::Source::packed;
  else
    plan_phases(p, t, g.n, g.k);
  finish_tiles(p, g, t);
}

}  // namespace tc::kernels
