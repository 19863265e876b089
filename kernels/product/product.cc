#include "tc/kernels/product/product.h"

#include <algorithm>

#include "tc/kernels/parallel.h"
#include "tc/kernels/rounding.h"
#include "tc/kernels/worker_stride.h"

namespace tc::kernels {
namespace {

// Rows of A that stay in L2 beside a panel: 112 x 256 doubles are 229 KB.
constexpr int64_t kRowTile = 112;
constexpr int64_t kColTile = 256;
constexpr int64_t kWantedTiles = 16;
// Packed B of a block of columns: inside L3.
constexpr int64_t kSharedElements = int64_t{1} << 19;
// B of one matrix of a batch that a tile packs for itself: inside L2.
constexpr int64_t kAloneElements = 32 * 1024;
constexpr int64_t kLeastTileWork = int64_t{1} << 18;  // multiply-adds
constexpr int64_t kThinWork = 32 * 1024;              // elements of the large operand per tile
constexpr int64_t kThinRows = 3;
constexpr int64_t kMostRows = 4;       // whose sums stay in registers while B passes
constexpr int64_t kMostColumns = 512;  // of a tile of rows
// Multiply-adds that a worker takes at once, and what a matrix costs beside its own.
constexpr int64_t kShareWork = int64_t{1} << 16, kItemCost = 32;
// Of B that is read where it lies: what L1 holds of it, or what does not pay for being packed.
constexpr int64_t kUnpackedElements = 10 * 1024, kUnpackedColumns = 16, kUnpackedRows = 64;

size_t bytes_of(int64_t elements, Elem type) {
  return static_cast<size_t>(round_up(elements * elem_bytes(type), 64));
}
// Is B better read where it lies?
bool stays_unpacked(const GemmShape& g, int64_t batches) {
  if (g.b_cs != 1 || (g.n == 1 && (batches == 1 || g.k > kUnpackedColumns))) return false;
  if (g.m <= kThinRows && g.n * g.k > kUnpackedElements) return false;
  return g.n <= kUnpackedColumns || g.n * g.k <= kUnpackedElements;
}
size_t apart(size_t worker_bytes) {
  return static_cast<size_t>(worker_stride<std::byte>(static_cast<int64_t>(worker_bytes)));
}

}  // namespace

ProductPlan product_plan(const ProductTable& kernels, const ProductArgs& args) {
  using Path = ProductPlan::Path;
  const GemmShape& g = args.shape;
  ProductPlan p;
  p.width = kernels.width.fn(args.type);
  const int64_t batches = g.batch[0] * g.batch[1];
  if (g.m == 0 || g.n == 0 || batches == 0) return p;
  // Few columns of one long product are sums along K.
  const bool few_columns = g.n <= kThinRows && g.m > g.n && g.a_cs == 1;
  // Of f32 come small ones alone.
  if (args.type == Elem::f32 ||
      (g.k > 0 && stays_unpacked(g, batches) && (batches > 1 || (g.m > kMostRows && !few_columns)))) {
    p.path = Path::alone;
    p.row_tile = args.type == Elem::f32 ? g.m : std::min(g.m, kUnpackedRows), p.row_tiles = ceil_div(g.m, p.row_tile);
    p.col_tile = g.n, p.col_tiles = 1;
    return p;
  }
  p.swapped = few_columns;
  if (p.swapped || (g.m <= kThinRows && g.a_cs == 1 && g.b_rs == 1)) {
    p.path = Path::dots;
    const int64_t few = p.swapped ? g.n : g.m, many = p.swapped ? g.m : g.n;
    p.row_tile = few, p.row_tiles = 1;
    p.col_tile = std::min(many, std::max<int64_t>(4, kThinWork / (g.k + 1)));
    p.col_tiles = ceil_div(many, p.col_tile);
    p.worker_bytes = p.swapped && g.b_rs != 1 ? apart(bytes_of(few * g.k, args.type)) : 0;
  } else if (g.m <= kMostRows && g.b_cs == 1) {
    p.path = Path::rows;
    p.row_tile = g.m, p.row_tiles = 1;
    p.col_tile =
        std::min(std::clamp<int64_t>(round_up(kThinWork / (g.k + 1), 64), kMostColumns / 2, kMostColumns), g.n);
    p.col_tiles = ceil_div(g.n, p.col_tile);
  } else if (batches > 1 && round_up(g.n, p.width) * g.k <= kAloneElements) {
    p.path = Path::alone;
    p.row_tile = g.m, p.row_tiles = 1;
    p.col_tile = round_up(g.n, p.width), p.col_tiles = 1;
    p.worker_bytes = apart(bytes_of(p.col_tile * g.k, args.type));
  } else {
    const int64_t columns = std::max<int64_t>(1, kSharedElements / std::max<int64_t>(1, g.k) / kColTile) * kColTile;
    p.n_blocks = ceil_div(g.n, columns);
    p.n_block = round_up(ceil_div(g.n, p.n_blocks), p.width);
    p.n_blocks = ceil_div(g.n, p.n_block);
    p.shared_bytes = bytes_of(p.n_block * g.k, args.type);
    p.row_tile = std::min(g.m, kRowTile), p.col_tile = std::min(p.n_block, round_up(kColTile, p.width));
    const auto tiles = [&] { return ceil_div(g.m, p.row_tile) * ceil_div(p.n_block, p.col_tile); };
    while (tiles() < kWantedTiles && p.row_tile * p.col_tile * g.k > 2 * kLeastTileWork) {
      if (p.row_tile > 32)
        p.row_tile = ceil_div(p.row_tile, 2);
      else if (p.col_tile > 2 * p.width)
        p.col_tile = round_up(p.col_tile / 2, p.width);
      else
        break;
    }
    p.row_tiles = ceil_div(g.m, p.row_tile);
    p.col_tiles = ceil_div(p.n_block, p.col_tile);
  }
  return p;
}

size_t product_scratch_bytes(const ProductPlan& plan, int threads) {
  return plan.shared_bytes + static_cast<size_t>(threads) * plan.worker_bytes;
}

void product(Team& team, const ProductTable& kernels, const ProductArgs& args, const ProductPlan& plan) {
  const GemmShape& g = args.shape;
  const int64_t batches = g.batch[0] * g.batch[1], tiles = plan.row_tiles * plan.col_tiles;
  if (plan.path != ProductPlan::Path::shared) {
    // Matrices of a batch may be so small that several are a share of work.
    const Tiling shares = tile_by_cost(batches * tiles, g.m * g.n * g.k / tiles + kItemCost, kShareWork);
    const bool by_matrices = plan.path == ProductPlan::Path::alone && plan.worker_bytes == 0 && plan.row_tiles == 1;
    parallel_for(team, shares.count(), [&](int64_t share, int worker) {
      if (by_matrices) {
        const int64_t first = shares.begin(share);
        kernels.run.fn(args, plan, first, 0, shares.end(share) - first, worker);
        return;
      }
      for (int64_t tile = shares.begin(share); tile < shares.end(share); ++tile)
        kernels.run.fn(args, plan, tile / tiles, 0, tile % tiles, worker);
    });
    return;
  }
  for (int64_t unit = 0; unit < batches * plan.n_blocks; ++unit) {
    const int64_t batch = unit / plan.n_blocks, col0 = unit % plan.n_blocks * plan.n_block,
                  col1 = std::min(g.n, col0 + plan.n_block);
    const int64_t offset = batch / g.batch[1] * g.b_batch[0] + batch % g.batch[1] * g.b_batch[1];
    const auto* b = static_cast<const std::byte*>(args.b) + offset * elem_bytes(args.type);
    const Tiling panels = tile_by_cost(ceil_div(col1 - col0, plan.width), plan.width * g.k, kThinWork);
    parallel_for(team, panels.count(), [&](int64_t tile, int) {
      const int64_t from = panels.begin(tile) * plan.width, to = panels.end(tile) * plan.width;
      kernels.pack.fn(args, b, col0 + from, std::min(col1, col0 + to),
                      static_cast<std::byte*>(args.scratch) + from * g.k * elem_bytes(args.type));
    });
    parallel_for(team, tiles, [&](int64_t tile, int worker) { kernels.run.fn(args, plan, batch, col0, tile, worker); });
  }
}

namespace {

int64_t pixels(const ConvShape& s) {
  return s.out[0] * s.out[1] * s.out[2];
}
int64_t steps(const ConvShape& s) {
  return s.ic / s.groups * s.kernel[0] * s.kernel[1] * s.kernel[2];
}
// Elements before the workers' panels.
int64_t rearranged(const ConvShape& s) {
  return s.transposed ? round_up(s.oc * steps(s), 8) : 0;
}

}  // namespace

size_t conv_f64_scratch_bytes(const ProductTable& kernels, const ConvShape& shape, int threads) {
  const int64_t panel = std::min(kProductBlockK, std::max<int64_t>(1, steps(shape))) * kernels.width.fn(Elem::f64);
  return static_cast<size_t>(rearranged(shape) + threads * worker_stride<double>(panel)) * sizeof(double);
}

void conv_f64(Team& team, const ProductTable& kernels, const ConvF64Args& given) {
  ConvF64Args args = given;
  const ConvShape& s = args.shape;
  const int64_t width = kernels.width.fn(Elem::f64), k = steps(s), out_channels = s.oc / s.groups,
                in_channels = s.ic / s.groups;
  args.rows = args.w;
  if (s.transposed) {
    // From [input channel][output channel of the group][tap].
    const int64_t taps = k / std::max<int64_t>(1, in_channels);
    for (int64_t o = 0; o < s.oc; ++o)
      for (int64_t i = 0; i < in_channels; ++i) {
        const int64_t from = (o / out_channels * in_channels + i) * out_channels + o % out_channels;
        std::copy_n(args.w + from * taps, taps, args.scratch + (o * in_channels + i) * taps);
      }
    args.rows = args.scratch;
    args.scratch += rearranged(s);
  }
  const int64_t work = std::max<int64_t>(1, out_channels * k);
  args.col_tile =
      std::clamp(round_up(kLeastTileWork / work, width), width, round_up(std::max<int64_t>(1, pixels(s)), width));
  parallel_for(team, s.n * s.groups * ceil_div(pixels(s), args.col_tile),
               [&](int64_t tile, int worker) { kernels.conv.fn(args, tile, worker); });
}

}  // namespace tc::kernels
