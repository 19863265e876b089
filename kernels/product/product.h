// Matrix products of f64, i32 and i64, and convolutions of f64: one register tile per type, for what f32's gemm/ and
// conv/ do not compute. Unsigned integers are the same bits as signed ones: sums and products wrap around.
//
// Calls are planned from shapes alone and run as independent tiles, whose results do not depend on the number of
// threads. Both pack the right operand into panels of a tier's width, [k][width], padded with zeros. Kernels do not
// allocate: the caller gives scratch.
#pragma once
#include <cstddef>
#include <cstdint>

#include "tc/kernels/conv/conv.h"
#include "tc/kernels/elem.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;

// C = alpha * A B + bias + beta * residual; integers have alpha = beta = 1.
struct ProductArgs {
  Elem type = Elem::f64;  // f64, i32 or i64; f32 of small products of a batch, whose B has rows of neighbours
  GemmShape shape;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;               // overlaps neither A nor B; may be the residual
  const void* bias = nullptr;      // one per column, or null
  const void* residual = nullptr;  // with the shape's strides, or null
  double alpha = 1, beta = 1;
  void* scratch = nullptr;  // 64-byte aligned
};

struct ProductPlan {
  enum class Path : uint8_t {
    shared,  // per batch and block of columns: pack B, then tiles of C
    alone,   // small matrices: a tile computes rows of one of the batch, and packs its B or reads it where it lies
    rows,    // m <= 4: sums over rows of B
    dots,    // m <= 3 (or n <= 3, swapped): both operands contiguous in K
  };
  Path path = Path::shared;
  bool swapped = false;  // C^T = B^T A^T
  int64_t width = 0;     // of a panel
  int64_t row_tile = 0, row_tiles = 0, col_tile = 0, col_tiles = 0;
  int64_t n_block = 0, n_blocks = 0;  // columns packed at a time
  size_t shared_bytes = 0, worker_bytes = 0;
};

ProductPlan product_plan(const struct ProductTable& kernels, const ProductArgs& args);
size_t product_scratch_bytes(const ProductPlan& plan, int threads);
void product(Team& team, const ProductTable& kernels, const ProductArgs& args, const ProductPlan& plan);

// y = conv(x, w) + bias of f64 in plain layout; algorithm and blocked layouts of conv.h do not apply.
struct ConvF64Args {
  ConvShape shape;
  const double* x = nullptr;
  const double* w = nullptr;  // as ConvShape tells
  double* y = nullptr;
  const double* bias = nullptr;
  const double* residual = nullptr;  // in y's layout
  double* scratch = nullptr;         // 64-byte aligned
  // Set by conv_f64.
  int64_t col_tile = 0;
  const double* rows = nullptr;  // weights as [group][output channel][input channel][tap]
};
size_t conv_f64_scratch_bytes(const ProductTable& kernels, const ConvShape& shape, int threads);
void conv_f64(Team& team, const ProductTable& kernels, const ConvF64Args& args);

struct ProductTable {
  // Elements of a panel's row.
  Slot<int64_t(Elem)> width;
  // Packs columns [col0, col1) of the k x n matrix at b; col0 is a multiple of the width.
  Slot<void(const ProductArgs&, const void* b, int64_t col0, int64_t col1, void* dst)> pack;
  // One tile of C, whose B the shared block of columns from col0 on has. Of `alone` in one tile of rows, without memory
  // of a worker: `tile` matrices from `batch` on.
  Slot<void(const ProductArgs&, const ProductPlan&, int64_t batch, int64_t col0, int64_t tile, int worker)> run;
  // One tile of output pixels of an image's group.
  Slot<void(const ConvF64Args&, int64_t tile, int worker)> conv;
};

// Steps of K that a panel runs through at a time.
inline constexpr int64_t kProductBlockK = 256;

}  // namespace tc::kernels
