#include "tc/kernels/gemm/gemm.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tc/kernels/cpu.h"
#include "tc/kernels/gemm/strassen.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/rounding.h"
#include "tc/kernels/simd/subnormals.h"
#include "tc/kernels/worker_stride.h"

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
// Packed B of one phase: well inside L3; the most, where A is packed again in each or sums are long.
constexpr int64_t kPhaseFloats = int64_t{1} << 20, kLargePhaseFloats = 4 * kPhaseFloats;
// A block of B packed inside a tile: stays in L2 beside A. Its rows are read by 256 bytes at least, 16x1024x1024 with
// AVX2 0.73 ms by 192, 0.53 so.
constexpr int64_t kTileFloats = 48 * 1024, kTileColumns = 64;
// From these on, A is packed too: a tile then reads one stream instead of one for each row. 128x768x3072 with weights
// from memory 7.5 to 6.4 ms, 1024^3 29 to 25; 512^3 as before, 256^3 0.36 to 0.39. What a worker packs the others read:
// on two cores of Zen 5 that share no cache 64x512x512 takes 0.084 ms so and 0.068 where it lies, 64x3072x768 the same.
constexpr int64_t kPackedASteps = 256;
constexpr int64_t kPackedAProducts = int64_t{1} << 27;
// Columns that are a multiple of every tier's register, and rows of B between which the machine's prefetchers follow.
constexpr int64_t kWholeRegisters = 16, kNearRow = 128;
// Rows of A for which each tile packs the B it reads. Of more, one copy for all tiles: 512x256x256 with AVX2 1.05 times
// as fast, on two threads 1.07.
constexpr int64_t kFewRows = 256;
// Enough tiles to balance two to eight threads, none so small that handing it to another core shows: so many
// operations for each lane of a register. Two threads, half as many tiles and so: 64x128x128 with AVX-512 0.020 to
// 0.011 ms, 48x128x128 with AVX2 0.028 to 0.015.
constexpr int64_t kWantedTiles = 16;
constexpr double kLeastLaneFlops = 1 << 16;
constexpr double kLeastGemvFloats = 32 * 1024;
// Shorter sums of few columns leave most of a register empty. 100000 rows by 3 columns, 3 steps: 3.5 ms, by tiles 0.16.
constexpr int64_t kLeastDot = 16;
// From so many floats on, B comes from memory. A Xeon's core reads 9.8 GB/s in one stream, 11.4 in two, 13.1 in four;
// from a cache one is faster, by a tenth. A core of Zen 4 does best with one that it asks for into the second-level
// cache: 4096 x 4096 1.83 ms by four into the first, 1.58 by one into that, 1.42 so (two threads 1.33, 1.24, 1.18). One
// of Zen 5 with one into the first: 1.19, the other way 1.26 (two threads 0.93, 1.03); 4 x 1024 x 1024 of the
// third-level cache 0.037, 0.052, 1 x 768 x 3072 0.079, 0.091. One of Zen 3 with four: 6.6 to 5.6.
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
  // by halves 33 to 23; one thread 41 to 46.
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

// Rows that are multiplied while a panel from memory is read once. With more of them less of it is under way: a Xeon,
// 340 MB of 768x3072 in turns, one thread, ms with AVX-512 by gemv, tiles and few: 3 rows of floats 0.77, -, 0.77, 4
// 0.90, -, 0.87, 6 -, 1.08, 0.85, 12 -, 1.11, 0.87; in fixed point 2 0.41, -, 0.40, 3 0.53, -, 0.49, 4 0.55, -, 0.50.
// AVX2, 2 of floats 0.82, -, 0.91, 3 1.04, -, 0.78, 6 -, 1.29, 0.88; in fixed point 1 0.58, -, 0.51, 3 1.02, -, 0.62.
int64_t rows_at_once(const GemmArgs& g, const GemmTraits& t) {
  const bool far =
      g.packed_b != nullptr && g.halves == nullptr && (g.form != GemmForm::panels || g.k * g.n > t.near_floats);
  if (!far || t.few_rows == 0) return kGemvRows;
  return g.form == GemmForm::fixed && t.lanes == 8 ? 0 : 2;
}

// Steps of a panel that all rows go over before the next ones: the second-level cache holds them and those.
constexpr int64_t kFewSteps = 256;

// All rows by some columns, at least so many.
void plan_columns(GemmPlan& p, const GemmArgs& g, const GemmTraits& t, int64_t least) {
  const auto by_work = static_cast<int64_t>(kLeastGemvFloats / static_cast<double>(g.k + 1));
  p.col_tile = std::min(round_up(std::max(least, by_work), t.width), p.n_block);
  p.col_tiles = ceil_div(g.n, p.col_tile);
  p.row_tile = g.m;
  p.row_tiles = 1;
}

void plan_few(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  p.path = GemmPlan::Path::few;
  p.source = GemmPlan::Source::packed;
  plan_columns(p, g, t, t.width);
  p.k_block = kFewSteps;
  p.worker_floats = g.m * (t.width + few_left_floats(g.k));
}

// By halves: floats of A between two visits of an output, which take half of L2, and least steps. None and 1 MB: 2048^3
// 50.8 and 44.5 ms, 1024^3 5.1 and 4.75, 128x768x3072 1.26 and 1.08; 2 MB 50.2, 4.75, 1.10.
constexpr int64_t kSplitFloats = 256 * 1024, kSplitK = 512, kSplitRows = 256, kSplitStep = 32, kSplitStrip = 32;
// Below, the tiles of sums are mostly padding, and of a few products by themselves the threads mostly wait for each
// other: 100x100x100, one thread and two, 0.032 and 0.041 ms, without halves 0.023 and 0.017; 128x128x128 on a quiet
// host and on a busy one 0.017 and 0.038, 0.036 and 0.038.
constexpr int64_t kLeastSplitRows = 12, kLeastSplitColumns = 32, kLeastSplitSteps = 32;
constexpr double kLeastSplitProducts = 512 * 1024, kLeastSplitAll = 4 * kLeastSplitProducts;
// What the way to halves costs, in products that they save: each saves 4 to 13 ps, by the state of the host, and a
// number takes 160 to 250 ps. A right factor that is not packed has to be packed anyway. What a sum costs more counts
// where it is short, time without / with halves: 12544x32x64 0.83, 3136x32x192 1.1-1.15, 1024x32x1024 1.25, 256x32x256
// 1.6-1.9.
constexpr double kSplitA = 40, kSplitPackedB = 56, kSplitB = 28, kSplitSum = 13;

bool worth_splitting(const GemmArgs& g, const GemmTraits& t) {
  constexpr int64_t kMostStride = int64_t{1} << 26;  // offsets of 16 lanes are 32 bits wide
  const auto m = static_cast<double>(g.m), n = static_cast<double>(g.n);
  const double products = m * n * static_cast<double>(g.k);
  const double sums = m * n * (1 - kSplitSum / static_cast<double>(std::max<int64_t>(1, g.k)));
  if (g.halves != nullptr) return g.packed_b == nullptr || sums >= kSplitA * m;
  return (t.splits && g.m >= kLeastSplitRows && g.n >= kLeastSplitColumns && g.k >= kLeastSplitSteps &&
          products >= kLeastSplitProducts &&
          products * static_cast<double>(g.batch[0] * g.batch[1]) >= kLeastSplitAll &&
          sums >= kSplitA * m + (g.packed_b != nullptr ? kSplitPackedB : kSplitB) * n &&
          std::abs(g.a_cs) < kMostStride && (g.packed_b != nullptr || std::abs(g.b_cs) < kMostStride));
}

void plan_split(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  const int64_t k = round_up(g.k, kSplitStep);
  p.split = true;
  p.strip_floats = kSplitStrip * k;
  p.row_tile = round_up(ceil_div(g.m, ceil_div(g.m, kSplitRows)), kSplitStrip);
  const int64_t most_k = std::max(kSplitK, kSplitFloats / p.row_tile);
  p.k_block = round_up(ceil_div(k, ceil_div(k, most_k)), kSplitStep);
  p.col_tile = std::min(round_up(g.n, t.width), kBlockN);
  const bool packed = g.packed_b != nullptr || g.halves != nullptr;
  const auto count = [&] { return p.batches * ceil_div(g.m, p.row_tile) * ceil_div(g.n, p.col_tile); };
  const bool in_tile = !packed && g.m <= p.row_tile && (g.n > t.width || count() >= kWantedTiles / 2);
  // Halves of B stay in L2 while a worker goes over rows; of panels each tile makes them anew.
  const bool near = g.halves != nullptr && g.k * g.n <= kSplitFloats;
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
    if (g.halves == nullptr) p.worker_floats = p.k_block * kSplitStrip;
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

// By Strassen's method: rows of a tile, and floats of A that a worker packs, of which the sums take as many.
constexpr int64_t kStrassenRows = 256, kStrassenFloats = int64_t{1} << 20;
// An eighth of the products is saved. Its own work, sums and visits of C, costs a share of the time by every extent;
// measured on Zen 4, GFLOP/s without and with it, AVX-512: 256x768x768 114, 128; 128x768x768 114, 124; 64x768x768 115,
// 122; 256x768x128 114, 117; 256x128x768 115, 120; 32x768x768 115, 112. AVX2: 128x768x768 110, 118; 256x128x768 112,
// 113; 256x768x128 112, 103. On Zen 5 with AVX-512, how many times as fast: 96x768x768 1.04; 256x768x256 1.04;
// 256x128x768 1.02; 64x768x768 1.00; 256x768x128 0.96; 48x768x768 0.96.
struct StrassenCost {
  double rows, columns, steps;
};
constexpr StrassenCost kWideStrassen{5.5, 6, 12}, kNarrowStrassen{8, 6, 22};
// Two threads: 256x256x256, which takes 0.15 ms, 230 and 194 GFLOP/s.
constexpr double kLeastStrassenProducts = 1 << 25;

bool worth_strassen(const GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  const auto m = static_cast<double>(g.m), n = static_cast<double>(g.n), k = static_cast<double>(g.k);
  const StrassenCost& cost = t.width >= 64 ? kWideStrassen : kNarrowStrassen;
  // Columns beside the pairs of panels go the plain way, and read A where it lies.
  return p.batches == 1 && m * n * k >= kLeastStrassenProducts && 4 * (g.n % (2 * t.width)) <= g.n &&
         cost.rows / m + cost.columns / n + cost.steps / k <= t.strassen_cost;
}

void plan_strassen(GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
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

// Whether B is read where it lies: whole registers of a narrow panel, no page further than the next row, or for too few
// rows to make up for a copy, unless rows of B meet in the same lines of a second-level cache that they overflow. 64
// products of 128 x 128 and 16 columns: 0.73 to 0.60 ms. On a Xeon, how many times as fast as packed by tiles: AVX-512
// 16x256x256 1.7, 64x256x256 1.09, 64x512x512 1.05, 256x256x256 0.98, 200x144x1024 0.87; 64x1024x1024 0.68; AVX2
// 16x256x256 1.3, 24x512x512 0.99, 48x512x512 0.93, 256x256x256 0.88; 16x1024x1024 0.51, 16x1024x1008 0.95.
bool reads_in_place(const GemmArgs& g, const GemmTraits& t) {
  constexpr int64_t kMeeting = 256;
  if (g.b_cs != 1 || g.n % kWholeRegisters != 0 || g.b_rs < g.n) return false;
  const bool narrow = g.n <= t.width && g.b_rs <= kNearRow, few = g.m <= (t.width >= 64 ? 64 : 32);
  const bool meets = g.b_rs % kMeeting == 0 && g.k * g.b_rs >= t.near_floats;
  return narrow || (few && !meets);
}

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

// Two threads meet in the middle of a phase. Where both would go over all columns, one for each of two row tiles, half
// of B comes from the core that packed it, and is taken back to be packed anew: 512x512x512 on cores that share no
// cache spends 80 of 820 us on packing. By halves of the columns each core packs what it reads, in 23 of 775 us, though
// both pack all of A; of more row tiles that takes as long as it saves.
bool by_halves(const GemmPlan& p, const Team& team) {
  return team.threads() == 2 && p.strassen && p.source == GemmPlan::Source::phase && p.row_tiles == 2 &&
         p.col_tiles % 2 == 0;
}
// The tile whose turn it is then: the kernel counts them along the rows of tiles.
int64_t tile_of_half(const GemmPlan& p, int64_t turn) {
  const int64_t half = p.col_tiles / 2, of_half = p.row_tiles * half;
  const int64_t side = turn / of_half % 2, slot = turn / of_half / 2, rest = turn % of_half;
  return (slot * p.row_tiles + rest / half) * p.col_tiles + side * half + rest % half;
}

}  // namespace

int GemmPlan::phases() const {
  const int first = packs_a ? 1 : 0;
  if (source != Source::phase) return first + 1;
  return first + static_cast<int>(2 * ceil_div(units(), units_per_phase));
}

int64_t GemmPlan::tiles(int phase) const {
  if (packs_a && phase-- == 0) return (split ? batches : row_tiles) * row_strips;
  if (source != Source::phase) return units() * row_tiles * col_tiles;
  const int64_t here = std::min(units_per_phase, units() - (phase / 2) * units_per_phase);
  return here * col_tiles * (phase % 2 == 0 ? 1 : row_tiles);
}

int64_t gemm_packed_floats(const GemmTraits& traits, int64_t k, int64_t n, GemmForm form) {
  if (form == GemmForm::halves) return round_up(n, kSplitStrip) * round_up(k, kSplitStep);
  const int64_t columns = round_up(n, traits.lanes);
  // Eleven bytes for four of them.
  if (form == GemmForm::fixed) return ceil_div(11 * columns * k, 16) + columns;
  return form == GemmForm::panels ? columns * k : columns * k / 2;
}

bool gemm_fixed_holds(const GemmTraits& traits, const float* packed, int64_t k, int64_t n) {
  for (int64_t j = 0, end; j < n; j = end) {
    end = std::min<int64_t>(n, j + traits.width);
    const float* behind = packed + gemm_packed_floats(traits, k, end, GemmForm::fixed);
    const float* scales = behind - round_up(end - j, traits.lanes);
    if (std::any_of(scales, behind, [](float scale) { return std::isnan(scale); })) return false;
  }
  return true;
}

GemmForm gemm_form(const GemmTraits& traits, int64_t k, int64_t n) {
  const bool halves = traits.splits && k >= kLeastSplitSteps && n >= kLeastSplitColumns &&
                      4 * gemm_packed_floats(traits, k, n, GemmForm::halves) <= 5 * k * n;
  return halves ? GemmForm::halves : GemmForm::panels;
}

// Both operands lie where they are read, and sums in registers. A Xeon, one thread, by the other ways and so: 1024
// products of 3x3x3 0.166 and 0.074 ms, 4x4x4 0.221 and 0.050, 8x8x8 0.234 and 0.109, 16x16x16 0.329 and 0.243; 256 of
// 32x32x32 0.202 and 0.244, 16x64x16 0.117 and 0.180.
bool is_small(const GemmArgs& g) {
  const bool dots = g.n <= 4 && g.a_cs == 1 && g.k >= kLeastDot;
  return g.m <= kSmallExtent && g.n <= kSmallExtent && g.k <= kSmallExtent && (g.b_cs == 1 || g.n == 1) && !dots;
}

GemmPlan gemm_plan(const GemmArgs& g, const GemmTraits& t) {
  using Source = GemmPlan::Source;
  GemmPlan p;
  p.width = t.width, p.lanes = t.lanes;
  p.batches = g.batch[0] * g.batch[1];
  p.n_blocks = 1;
  p.n_block = round_up(std::max<int64_t>(1, g.n), t.width);
  if (g.m == 0 || g.n == 0 || p.batches == 0) {
    p.batches = 0;
    return p;
  }
  const bool k_contiguous = g.a_cs == 1 && g.b_rs == 1;
  const bool packed = g.packed_b != nullptr, halves = g.halves != nullptr;
  if (!packed && !halves && is_small(g)) {
    p.path = GemmPlan::Path::small;
    p.source = GemmPlan::Source::direct;
    plan_columns(p, g, t, g.n);
    return p;
  }
  // Few columns of an unpacked B: the larger operand is A, so A takes B's place.
  p.swapped = !packed && !halves && g.n <= 4 && g.m > g.n && g.a_cs == 1 && (g.k >= kLeastDot || g.m <= 4);
  const int64_t n = p.swapped ? g.m : g.n;
  if (p.swapped || (!packed && !halves && g.m <= 4 && k_contiguous)) {
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
    return p;
  }
  // Of more rows halves are multiplied by tiles, mostly of padding. 4x1024x1024 0.221 to 0.151 ms, 4x4096x4096 3.57 to
  // 2.49; of three rows 0.171 to 0.151 and 2.73 to 2.47.
  constexpr int64_t kMostHalvesRows = 2;
  if (g.m <= (halves && !packed ? kMostHalvesRows : rows_at_once(g, t)) && (packed || halves || g.b_cs == 1)) {
    p.path = GemmPlan::Path::gemv;
    p.source = packed || halves ? GemmPlan::Source::packed : GemmPlan::Source::direct;
    // Row-major B is read along its rows, a kilobyte or more at a time.
    plan_columns(p, g, t, packed || halves ? t.width : 512);
    p.k_block = g.k;
    p.split = halves && !packed;
    p.worker_floats = p.split                     ? g.m * (round_up(g.k, kSplitStep) + kSplitStrip)
                      : g.form == GemmForm::fixed ? g.m * g.k
                      : packed                    ? 0
                                                  : 4 * p.col_tile;
    if (g.k * g.n >= kFarFloats) p.reach = far_reach();
    return p;
  }
  if (rows_at_once(g, t) < kGemvRows && g.m <= t.few_rows) {
    plan_few(p, g, t);
    return p;
  }
  if (worth_splitting(g, t)) {
    plan_split(p, g, t);
    return p;
  }
  if (worth_strassen(p, g, t)) {
    plan_strassen(p, g, t);
    return p;
  }
  plan_tiles(p, g, t, g.m);
  const bool may_pack_a = p.batches == 1 && g.m > 2 * t.rows && g.m * g.k <= kPhaseFloats;
  // A's steps do not follow each other, which the tiles want that are in assembler (simd/tile_steps.h): 256x256x256 of
  // a transposed A on Zen 3, one thread and two, 0.465 and 0.244 to 0.398 and 0.224 ms.
  const bool gathers_a = may_pack_a && t.unit_steps && g.a_cs != 1 && g.n > 2 * t.width && g.k > 2 * kGemmShortSum;
  if (packed) {
    p.source = Source::packed;
  } else if (!gathers_a && reads_in_place(g, t)) {
    p.source = Source::direct;
  } else if (!gathers_a && g.m <= kFewRows) {
    plan_packing_tiles(p, g, t);
  } else {
    plan_phases(p, t, g.n, g.k);
  }
  const bool large = g.n >= t.packed_a_columns && g.k >= kPackedASteps && g.m * g.n * g.k >= kPackedAProducts;
  p.packs_a = gathers_a || (may_pack_a && large && p.source != Source::in_tile && p.source != Source::direct);
  p.row_tiles = ceil_div(g.m, p.row_tile);
  if (p.packs_a) {
    p.row_strips = ceil_div(p.row_tile, t.rows);
    p.strip_floats = t.packed_rows * g.k;
    p.packed_a_floats = p.row_tiles * p.row_strips * p.strip_floats;
    p.shared_floats += p.packed_a_floats;
  }
  p.col_tiles = ceil_div(std::min(p.n_block, round_up(g.n, t.width)), p.col_tile);
  return p;
}

float* gemm_worker_scratch(const GemmArgs& args, const GemmPlan& plan, int worker) {
  return args.scratch + round_up(plan.shared_floats, 16) + worker * worker_stride<float>(plan.worker_floats);
}

size_t gemm_scratch_bytes(const GemmPlan& plan, int threads) {
  return static_cast<size_t>(round_up(plan.shared_floats, 16) + threads * worker_stride<float>(plan.worker_floats)) *
         sizeof(float);
}

void gemm_pack(Team& team, const GemmTable& kernels, const float* b, int64_t b_rs, int64_t b_cs, int64_t k, int64_t n,
               float* dst, GemmForm form) {
  const GemmTraits traits = kernels.traits.fn();
  const auto pack = kernels.pack(form).fn;
  const int64_t width = form == GemmForm::halves ? kSplitStrip * kSplitTogether : traits.width;
  const Tiling panels = tile_by_cost(ceil_div(n, width), width * k, kPhaseFloats / 16);
  parallel_for(team, panels.count(), [&](int64_t tile, int) {
    const int64_t col = panels.begin(tile) * width;
    pack(b, b_rs, b_cs, k, col, std::min(n, panels.end(tile) * width), dst + gemm_packed_floats(traits, k, col, form));
  });
}

void gemm_repack(Team& team, const GemmTable& kernels, GemmForm from, const float* packed, int64_t k, int64_t n,
                 float* dst, GemmForm form) {
  const GemmTraits traits = kernels.traits.fn();
  parallel_for(team, ceil_div(n, traits.width), [&](int64_t panel, int) {
    const int64_t col = panel * traits.width, cols = std::min<int64_t>(traits.width, n - col);
    const int64_t width = round_up(cols, traits.lanes);
    std::vector<float> floats(static_cast<size_t>(k * width));
    kernels.widen.fn(from, packed + gemm_packed_floats(traits, k, col, from), k * width, floats.data());
    kernels.pack(form).fn(floats.data(), width, 1, k, 0, cols, dst + gemm_packed_floats(traits, k, col, form));
  });
}

void gemm(Team& team, const GemmTable& kernels, const GemmArgs& args, const GemmPlan& plan) {
  if (plan.own_a)
    for (auto [worker, last] = team.workers(); worker < last; ++worker)
      own_left(gemm_worker_scratch(args, plan, worker)).row_tile = -1;
  const bool halves = by_halves(plan, team);
  for (int phase = 0; phase < plan.phases(); ++phase) {
    parallel_for(team, plan.tiles(phase), [&](int64_t tile, int worker) {
      const NoSubnormals flushed;
      kernels.run.fn(args, plan, phase, halves && phase % 2 == 1 ? tile_of_half(plan, tile) : tile, worker);
    });
  }
}

}  // namespace tc::kernels
