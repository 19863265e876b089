// Which algorithm computes a product.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "tc/kernels/gemm/choice.h"
#include "tc/kernels/gemm/gemm_shapes.h"
#include "tc/kernels/rounding.h"

namespace tc::kernels {
namespace {

// Rows of A for which each tile packs the B it reads. Of more, one copy for all tiles: 512x256x256 with AVX2 1.05 times
// as fast, on two threads 1.07.
constexpr int64_t kFewRows = 256;
// Columns that are a multiple of every tier's register, and rows of B between which the machine's prefetchers follow.
constexpr int64_t kWholeRegisters = 16, kNearRow = 128;
// Rows that are multiplied while a panel from memory is read once. With more of them less of it is under way: a Xeon,
// 340 MB of 768x3072 in turns, one thread, ms with AVX-512 by gemv, tiles and few: 3 rows of floats 0.77, -, 0.77, 4
// 0.90, -, 0.87, 6 -, 1.08, 0.85, 12 -, 1.11, 0.87; as 22-bit integers 2 0.41, -, 0.40, 3 0.53, -, 0.49, 4 0.55, -,
// 0.50. AVX2, 2 of floats 0.82, -, 0.91, 3 1.04, -, 0.78, 6 -, 1.29, 0.88; as 22-bit integers 1 0.58, -, 0.51, 3 1.02,
// -, 0.62.
int64_t rows_at_once(const GemmArgs& g, const GemmTraits& t) {
  const bool far =
      g.packed_b != nullptr && g.split_bf16 == nullptr && (g.form != GemmForm::panels || g.k * g.n > t.near_floats);
  if (!far || t.few_rows == 0) return kGemvRows;
  return g.form == GemmForm::int22 && t.lanes == 8 ? 0 : 2;
}

// Below, the tiles of sums are mostly padding, and of a few products by themselves the threads mostly wait for each
// other: 100x100x100, one thread and two, 0.032 and 0.041 ms, without split bf16 0.023 and 0.017; 128x128x128 on a
// quiet host and on a busy one 0.017 and 0.038, 0.036 and 0.038.
constexpr int64_t kLeastSplitRows = 12;
constexpr double kLeastSplitProducts = 512 * 1024, kLeastSplitAll = 4 * kLeastSplitProducts;
// What the conversion to split bf16 costs, in products that they save: each saves 4 to 13 ps, by the state of the host,
// and a number takes 160 to 250 ps. A right operand that is not packed has to be packed anyway. What a sum costs more
// counts where it is short, time without / with split bf16: 12544x32x64 0.83, 3136x32x192 1.1-1.15, 1024x32x1024 1.25,
// 256x32x256 1.6-1.9.
constexpr double kSplitA = 40, kSplitPackedB = 56, kSplitB = 28, kSplitSum = 13;

// Offsets of 16 lanes are 32 bits wide.
bool split_reaches(const GemmArgs& g) {
  constexpr int64_t kMostStride = int64_t{1} << 26;
  return std::abs(g.a_cs) < kMostStride && (g.packed_b != nullptr || std::abs(g.b_cs) < kMostStride);
}
bool worth_splitting(const GemmArgs& g) {
  const auto m = static_cast<double>(g.m), n = static_cast<double>(g.n);
  const double products = m * n * static_cast<double>(g.k);
  const double sums = m * n * (1 - kSplitSum / static_cast<double>(std::max<int64_t>(1, g.k)));
  if (g.split_bf16 != nullptr) return g.packed_b == nullptr || sums >= kSplitA * m;
  return g.m >= kLeastSplitRows && g.n >= kLeastSplitColumns && g.k >= kLeastSplitSteps &&
         products >= kLeastSplitProducts && products * static_cast<double>(g.batch[0] * g.batch[1]) >= kLeastSplitAll &&
         sums >= kSplitA * m + (g.packed_b != nullptr ? kSplitPackedB : kSplitB) * n;
}

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

bool worth_strassen(const GemmArgs& g, const GemmTraits& t) {
  const auto m = static_cast<double>(g.m), n = static_cast<double>(g.n), k = static_cast<double>(g.k);
  const StrassenCost& cost = t.width >= 64 ? kWideStrassen : kNarrowStrassen;
  // Columns beside the pairs of panels go the plain way, and read A where it lies.
  return m * n * k >= kLeastStrassenProducts && 4 * (g.n % (2 * t.width)) <= g.n &&
         cost.rows / m + cost.columns / n + cost.steps / k <= t.strassen_cost;
}

// Whether B is read where it lies: whole registers of a narrow panel, no page further than the next row, or for too few
// rows to make up for a copy, unless rows of B meet in the same lines of L2 that they overflow. 64
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

bool unpacked(const GemmArgs& g) {
  return g.packed_b == nullptr && g.split_bf16 == nullptr;
}
// What lies as B does, or is packed as panels of floats.
const char* refuses_forms(const GemmArgs& g) {
  if (g.packed_b == nullptr && g.split_bf16 != nullptr) return "weights are split";
  return g.packed_b != nullptr && g.form != GemmForm::panels ? "weights are packed in fewer bits" : nullptr;
}

// Both operands lie where they are read, and sums in registers. A Xeon, one thread, by the other ways and so: 1024
// products of 3x3x3 0.166 and 0.074 ms, 4x4x4 0.221 and 0.050, 8x8x8 0.234 and 0.109, 16x16x16 0.329 and 0.243; 256 of
// 32x32x32 0.202 and 0.244, 16x64x16 0.117 and 0.180.
const char* refuses_small(const GemmArgs& g, const GemmTraits&) {
  if (!unpacked(g)) return "weights are packed";
  if (g.m > kSmallExtent || g.n > kSmallExtent || g.k > kSmallExtent) return "more than 16 rows, columns or steps";
  return g.b_cs == 1 || g.n == 1 ? nullptr : "columns of B are apart";
}
const char* declines_small(const GemmArgs& g, const GemmTraits&) {
  return g.n <= 4 && g.a_cs == 1 && g.k >= kLeastDot ? "rows of A fill registers" : nullptr;
}
const char* refuses_dot(const GemmArgs& g, const GemmTraits&) {
  if (!unpacked(g)) return "weights are packed";
  return may_swap(g) || may_dot(g) ? nullptr : "more than 4 rows and columns, or steps are apart";
}
const char* declines_dot(const GemmArgs& g, const GemmTraits&) {
  const bool swapped = may_swap(g) && g.m > g.n && (g.k >= kLeastDot || g.m <= 4);
  return swapped || may_dot(g) ? nullptr : "short sums leave registers empty";
}
// Of more rows split bf16 are multiplied by tiles, mostly of padding. 4x1024x1024 0.221 to 0.151 ms, 4x4096x4096 3.57
// to 2.49; of three rows 0.171 to 0.151 and 2.73 to 2.47.
constexpr int64_t kMostSplitRows = 2;
const char* refuses_gemv(const GemmArgs& g, const GemmTraits&) {
  const bool split_bf16 = g.packed_b == nullptr && g.split_bf16 != nullptr;
  if (g.m > (split_bf16 ? kMostSplitRows : kGemvRows)) return "more than a few rows";
  return unpacked(g) && g.b_cs != 1 ? "columns of B are apart" : nullptr;
}
const char* declines_gemv(const GemmArgs& g, const GemmTraits& t) {
  if (g.packed_b == nullptr && g.split_bf16 != nullptr) return nullptr;
  return g.m <= rows_at_once(g, t) ? nullptr : "B comes from memory, and has more rows to serve";
}
const char* refuses_few(const GemmArgs& g, const GemmTraits& t) {
  if (t.few_rows == 0) return "no kernel of this machine and precision";
  if (g.packed_b == nullptr) return "weights are not packed";
  return g.m <= t.few_rows ? nullptr : "more than a few rows";
}
const char* declines_few(const GemmArgs& g, const GemmTraits& t) {
  return rows_at_once(g, t) < kGemvRows ? nullptr : "B is near";
}

const char* refuses_split(const GemmArgs& g, const GemmTraits& t) {
  if (g.split_bf16 != nullptr) return nullptr;
  if (!t.splits) return "no kernel of this machine and precision";
  if (const char* why = refuses_forms(g)) return why;
  return split_reaches(g) && g.k > 0 ? nullptr : "strides are too long";
}
const char* declines_split(const GemmArgs& g, const GemmTraits&) {
  return worth_splitting(g) ? nullptr : "splitting the factors takes longer than it saves";
}

const char* refuses_strassen(const GemmArgs& g, const GemmTraits& t) {
  if (t.strassen_cost <= 0) return "not at this precision";
  if (const char* why = refuses_forms(g)) return why;
  if (g.batch[0] * g.batch[1] != 1) return "there are batches";
  constexpr int64_t kLeastRows = 32, kLeastSteps = 64;
  return g.m >= kLeastRows && g.k >= kLeastSteps && g.n >= 2 * t.width ? nullptr : "too small to be quartered";
}
const char* declines_strassen(const GemmArgs& g, const GemmTraits& t) {
  return worth_strassen(g, t) ? nullptr : "its sums take longer than it saves";
}

const char* refuses_in_place(const GemmArgs& g, const GemmTraits&) {
  if (!unpacked(g)) return "weights are packed";
  return g.b_cs == 1 && g.n % kWholeRegisters == 0 && g.b_rs >= g.n ? nullptr : "rows of B are not whole registers";
}
const char* declines_in_place(const GemmArgs& g, const GemmTraits& t) {
  if (gathers_left(g, t)) return "A is packed";
  return reads_in_place(g, t) ? nullptr : "a copy of B pays";
}
const char* refuses_unpacked(const GemmArgs& g, const GemmTraits&) {
  return unpacked(g) ? nullptr : "weights are packed";
}
const char* declines_packing(const GemmArgs& g, const GemmTraits& t) {
  if (gathers_left(g, t)) return "A is packed";
  return g.m <= kFewRows ? nullptr : "many rows share one copy of B";
}
const char* refuses_tiles(const GemmArgs& g, const GemmTraits&) {
  return refuses_forms(g);
}
const char* declines_tiles(const GemmArgs&, const GemmTraits&) {
  return nullptr;
}
// In this order: the first that neither refuses nor declines computes a product.
struct GemmRow {
  const char* name;
  const char* (*refuses)(const GemmArgs&, const GemmTraits&);   // why it cannot compute it; null: it can
  const char* (*declines)(const GemmArgs&, const GemmTraits&);  // why others are faster; null: it is
  void (*plan)(GemmPlan&, const GemmArgs&, const GemmTraits&);
};
constexpr GemmRow kRows[] = {
#define TC_GEMM_ALGORITHM(name, refuses, declines, plan) {#name, refuses, declines, plan},
#include "tc/kernels/gemm/algorithms.def"
#undef TC_GEMM_ALGORITHM
};
const GemmRow& row_of(GemmAlgorithm a) {
  return kRows[static_cast<size_t>(a)];
}
constexpr int kAlgorithms = static_cast<int>(std::size(kRows));

}  // namespace

const char* gemm_refusal(GemmAlgorithm a, const GemmArgs& g, const GemmTraits& t) {
  return row_of(a).refuses(g, t);
}

GemmAlgorithm gemm_choice(const GemmArgs& g, const GemmTraits& t) {
  for (int i = 0; i + 1 < kAlgorithms; ++i)
    if (kRows[i].refuses(g, t) == nullptr && kRows[i].declines(g, t) == nullptr) return static_cast<GemmAlgorithm>(i);
  return GemmAlgorithm::tiles;
}

GemmPlan gemm_plan(const GemmArgs& g, const GemmTraits& t) {
  return gemm_plan(gemm_choice(g, t), g, t);
}

GemmPlan gemm_plan(GemmAlgorithm algorithm, const GemmArgs& g, const GemmTraits& t) {
  GemmPlan p;
  p.width = t.width, p.lanes = t.lanes;
  p.batches = g.batch[0] * g.batch[1];
  p.n_blocks = 1;
  p.n_block = round_up(std::max<int64_t>(1, g.n), t.width);
  if (g.m == 0 || g.n == 0 || p.batches == 0) {
    p.batches = 0;
    return p;
  }
  row_of(algorithm).plan(p, g, t);
  return p;
}

std::vector<GemmCandidate> gemm_candidates(const GemmArgs& g, const GemmTraits& t) {
  std::vector<GemmCandidate> all;
  for (int i = 0; i < kAlgorithms; ++i) {
    GemmCandidate c{static_cast<GemmAlgorithm>(i)};
    c.refused = kRows[i].refuses(g, t);
    if (c.refused == nullptr) c.declined = kRows[i].declines(g, t);
    all.push_back(c);
  }
  return all;
}

const char* gemm_algorithm_name(GemmAlgorithm a) {
  return row_of(a).name;
}

std::optional<GemmAlgorithm> gemm_algorithm(std::string_view name) {
  for (int i = 0; i < kAlgorithms; ++i)
    if (kRows[i].name == name) return static_cast<GemmAlgorithm>(i);
  return {};
}

}  // namespace tc::kernels
