// The kernels of each tier: one immutable struct of slots per family. A slot that a tier does not improve holds the
// lesser tier's kernel. A family declares its struct (only Slot members) in its own header, fills it in its *_tier.cc
// as `extern constinit const XTable TC_TIER_NAME(x_table)`, and is listed here.
#pragma once
#include "tc/kernels/attention/attention.h"
#include "tc/kernels/blockwise/blockwise.h"
#include "tc/kernels/conv/conv.h"
#include "tc/kernels/elementwise/strip.h"
#include "tc/kernels/fourier/fourier.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/grid_sample/grid_sample.h"
#include "tc/kernels/int8/int8.h"
#include "tc/kernels/linalg/det.h"
#include "tc/kernels/models/models.h"
#include "tc/kernels/movement/movement.h"
#include "tc/kernels/norm/norm.h"
#include "tc/kernels/pool/pool.h"
#include "tc/kernels/product/product.h"
#include "tc/kernels/reduce/reduce.h"
#include "tc/kernels/resize/resize.h"
#include "tc/kernels/rnn/rnn.h"
#include "tc/kernels/roi/roi.h"
#include "tc/kernels/search/search.h"
#include "tc/kernels/tier.h"

// One row per family: the member's name and its struct.
// clang-format off
#define TC_KERNEL_FAMILIES(X) \
  X(strip, StripTable)        \
  X(reduce, ReduceTable)      \
  X(norm, NormTable)          \
  X(move, MoveTable)          \
  X(gemm, GemmTable)          \
  X(attention, AttentionTable) \
  X(conv, ConvTable)          \
  X(pool, PoolTable)          \
  X(resize, ResizeTable)      \
  X(rnn, RnnTable)            \
  X(roi, RoiTable)            \
  X(grid_sample, GridSampleTable) \
  X(int8, Int8Table)          \
  X(models, ModelTable)       \
  X(fourier, FourierTable)    \
  X(linalg, LinalgTable)      \
  X(product, ProductTable)    \
  X(blockwise, BlockwiseTable) \
  X(search, SearchTable)
// clang-format on

namespace tc::kernels {

struct Table {
#define TC_X(name, Struct) Struct name;
  TC_KERNEL_FAMILIES(TC_X)
#undef TC_X
};

// The table of a tier. The caller has checked that the machine has the tier (cpu.h).
const Table& table(Tier tier);

}  // namespace tc::kernels
