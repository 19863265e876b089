// Matrix products C = epilogue(A * B), batched, with any strides for A and B.
//
// A call is planned from shapes and strides alone (gemm_plan), then runs as a few phases of independent tiles. What a
// tile computes does not depend on the number of threads, so neither do the results' bits. Kernels do not allocate: the
// caller gives scratch of gemm_scratch_bytes.
//
// The packed form of B serves every M: panels of `width` columns (GemmTraits, a property of the tier), each [k][width];
// the last one is as wide as its columns, padded with zeros to a multiple of `lanes`. B may be packed once and for all
// (gemm_pack) or lies in memory with any strides. Where the tier computes in split bf16, B may be packed as
// such instead (GemmForm::split_bf16), or as well: panels then serve up to four rows. What is multiplied by a few rows
// alone may be packed in fewer bits (GemmForm::int22, f16 and bf16).
#pragma once
#include <cstddef>
#include <cstdint>

#include "tc/kernels/gemm/epilogue.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;
struct Table;

// Extents, and strides in elements.
struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
  int64_t batch[2] = {1, 1};                        // two levels of batch; more collapse into these, or loop outside
  int64_t a_rs = 0, a_cs = 1, a_batch[2] = {0, 0};  // element (i, p) at a[i * a_rs + p * a_cs]
  int64_t b_rs = 0, b_cs = 1, b_batch[2] = {0, 0};  // element (p, j) at b[p * b_rs + j * b_cs]
  int64_t c_rs = 0, c_batch[2] = {0, 0};            // element (i, j) at c[i * c_rs + j]
  int64_t residual_rs = 0, residual_cs = 1, residual_batch[2] = {0, 0};  // 0 broadcasts
};

// How B is packed. `int22`: panels of 22-bit integers, behind each a power of two for every column. Of floats
// half as much again is read. What 22 bits of a column's largest number hold is exact. `f16`, `bf16`: panels of such
// numbers, for a B that is exact in them.
enum class GemmForm : uint8_t { panels, split_bf16, int22, f16, bf16 };

struct GemmArgs : GemmShape {
  const float* a = nullptr;
  const float* b = nullptr;           // unused when packed_b or split bf16 are set
  const float* packed_b = nullptr;    // as panels; b_batch then counts floats of packed form
  GemmForm form = GemmForm::panels;   // of packed_b; in fewer bits: m <= few_rows, or kGemvRows
  const float* split_bf16 = nullptr;  // as split bf16; the same. Both: without batches
  float* c = nullptr;                 // overlaps neither A nor B
  Epilogue epilogue;
  float* scratch = nullptr;  // 64-byte aligned
};

// Of a tier's f32 kernel.
struct GemmTraits {
  int rows;                  // of the largest register tile of full width
  int width;                 // of a packed panel
  int lanes;                 // of a register
  int packed_rows;           // that a strip of packed A has room for, at least `rows`
  double strassen_cost;      // in shares of a product, up to which Strassen's method saves more than it costs
  int64_t packed_a_columns;  // from which on large products pack A
  bool unit_steps;           // tiles are faster where A's steps follow each other
  int64_t few_rows;          // that Path::few is made for, and that fewer bits from memory are faster for than panels
  int64_t near_floats;       // of B that L2 holds
  bool splits = false;       // large products may go in split bf16, with an error of kSplitError
};

// Of a product in split bf16, relative to it, at most: gemm/split_amx.h.
inline constexpr double kSplitError = 1.0 / (1 << 15);

// Up to so many steps a product is as quick as C is written: tiles run along its rows, several panels at a time. 1024 x
// 1024 of 4, 8, 12 and 16 steps on Zen 5 0.136 to 0.068 ms, 0.139 to 0.098, 0.149 to 0.129, 0.183 to 0.177, of 32 0.333
// to 0.331.
inline constexpr int64_t kGemmShortSum = 16;

// Of 22-bit integers: a number errs by so much of the largest one of its column, at most, and a typical result by about
// as much as through the order of its sum (with 256, 1024 and 4096 normally distributed weights 5.6e-7, 6.7e-7
// and 7.1e-7 of it, the sum 1.6e-7 to 3e-7, 3e-7 to 5e-7 and 6e-7 to 11e-7). Columns are held whose largest magnitude
// is 0, or within these bounds and at most kFixedPeak root mean squares.
inline constexpr double kFixedError = 1.0 / (1 << 20);
inline constexpr float kFixedLeast = 0x1p-50f, kFixedMost = 0x1p50f, kFixedPeak = 32;

// Bound on the error of Strassen's method (gemm/strassen_tier.h) with zero-mean data, relative to the largest |sum|;
// measured 2.3e-6 with k of 256 to 3072, where a plain product has 0.8e-6.
inline constexpr double kStrassenError = 4e-6;
// Tiles with rows of A whose largest magnitudes differ by more than this do without it.
inline constexpr float kStrassenRatio = 1024;

// Floats from one row of the left operand to the next where Path::few copies it: not to the same sets of a cache.
inline int64_t few_left_floats(int64_t k) {
  return (k + 15) / 16 * 16 + 16;
}

// Rows of products that read each panel once, at most.
inline constexpr int64_t kGemvRows = 4;
// Rows, columns and steps of Path::small, at most.
inline constexpr int64_t kSmallExtent = 16;

// Strips of a right operand that a tile splits at once in split bf16, so that memory is read by 512 bytes.
inline constexpr int64_t kSplitTogether = 4;

struct GemmPlan {
  enum class Path : uint8_t {
    tiles,  // register tiles over packed panels
    gemv,   // m <= 4, of split bf16 or from memory 2: all of K for a few columns of packed or row-major B
    few,    // m <= GemmTraits::few_rows, packed B from memory: some of K for a few columns
    dot,    // m <= 4 (or n <= 4, swapped): both operands contiguous in K
    small,  // extents up to kSmallExtent: a whole product at a time
  };
  enum class Source : uint8_t {
    packed,   // the caller's packed B
    phase,    // packed by a phase of its own, shared by all tiles
    in_tile,  // packed by each tile into the worker's scratch
    direct,   // read where it lies
  };
  Path path = Path::tiles;
  Source source = Source::packed;
  // How a gemv of packed B reads it: from a cache, or from memory as one stream or several.
  enum class Reach : uint8_t { near, stream, streams };
  Reach reach = Reach::near;
  bool swapped = false;   // computes C^T = B^T A^T
  bool packs_a = false;   // a first phase packs A, strip by strip
  bool own_a = false;     // each worker packs the row tile of A that it reads, for all of its columns
  bool split = false;     // in split bf16; with Path::tiles A is packed into such
  bool strassen = false;  // own_a, into sums of its quarters; blocks of k are pairs of k_block steps
  int width = 0, lanes = 0;
  int64_t batches = 0;
  int64_t row_tile = 0, row_tiles = 0;  // rows of a tile
  int64_t col_tile = 0, col_tiles = 0;  // columns of a tile; tiles per N block
  int64_t k_block = 0;
  int64_t n_block = 0, n_blocks = 0;  // columns packed at a time
  int64_t units_per_phase = 0;        // (batch, N block) pairs packed at a time
  // Of packed A: strips of a tile, or of all rows where a phase packs it in split bf16; floats of each.
  int64_t row_strips = 0, strip_floats = 0;
  int64_t packed_a_floats = 0;                   // of shared_floats, the first ones
  int64_t shared_floats = 0, worker_floats = 0;  // scratch

  int64_t units() const { return batches * n_blocks; }
  int phases() const;
  // Tiles of a phase. After the one that packs A, with Source::phase even phases pack B and odd ones compute.
  int64_t tiles(int phase) const;
};

// What a worker's scratch begins with where it packs A for itself.
struct OwnLeft {
  int64_t row_tile;  // of all batches, or -1
  bool fits;         // by Strassen's method
};
inline constexpr int64_t kOwnLeftFloats = 16;

inline OwnLeft& own_left(float* scratch) {
  return *reinterpret_cast<OwnLeft*>(scratch);
}

// The first column of what a worker reads after those of [col0, col1): see parallel_for. col1 where it is done.
inline int64_t next_column(const GemmPlan& plan, int worker, int64_t col0, int64_t col1) {
  return worker == 0 || col0 == 0 ? col1 : col0 - plan.col_tile;
}

struct GemmTable {
  Slot<GemmTraits()> traits;
  // Packs columns [col0, col1) of a k x n matrix with strides; col0 is a multiple of the width. dst is the packed form
  // of column col0. split bf16 are empty where traits.splits is false.
  using Pack =
      Slot<void(const float* b, int64_t b_rs, int64_t b_cs, int64_t k, int64_t col0, int64_t col1, float* dst)>;
  Pack packs[5];
  // Floats of packed f16 or bf16.
  Slot<void(GemmForm form, const float* packed, int64_t count, float* to)> widen;
  // One tile of one phase; worker < the number of threads that scratch was sized for.
  Slot<void(const GemmArgs&, const GemmPlan&, int phase, int64_t tile, int worker)> run;

  const Pack& pack(GemmForm form) const { return packs[static_cast<size_t>(form)]; }
};

// Rows m, n and k may be zero; k = 0 gives the epilogue of zero.
GemmPlan gemm_plan(const GemmArgs& args, const GemmTraits& traits);
size_t gemm_scratch_bytes(const GemmPlan& plan, int threads);
float* gemm_worker_scratch(const GemmArgs& args, const GemmPlan& plan, int worker);
// What is better for more than a few rows of B, k x n: split bf16 where the tier has them and k and n fill most of
// their tiles.
GemmForm gemm_form(const GemmTraits& traits, int64_t k, int64_t n);
// Floats of a packed k x n matrix.
int64_t gemm_packed_floats(const GemmTraits& traits, int64_t k, int64_t n, GemmForm form = GemmForm::panels);

// Whether 22-bit integers held all columns of what was packed.
bool gemm_fixed_holds(const GemmTraits& traits, const float* packed, int64_t k, int64_t n);

// Packs a k x n matrix; dst: gemm_packed_floats of them, split bf16 from a multiple of 64 bytes on.
void gemm_pack(Team& team, const GemmTable& kernels, const float* b, int64_t b_rs, int64_t b_cs, int64_t k, int64_t n,
               float* dst, GemmForm form = GemmForm::panels);

// The same of a matrix that is packed as f16 or bf16, into panels or split bf16.
void gemm_repack(Team& team, const GemmTable& kernels, GemmForm from, const float* packed, int64_t k, int64_t n,
                 float* dst, GemmForm form);

// Runs a plan. args.scratch holds gemm_scratch_bytes(plan, team.threads()).
void gemm(Team& team, const GemmTable& kernels, const GemmArgs& args, const GemmPlan& plan);

}  // namespace tc::kernels
