#include "tc/kernels/norm/norm.h"

namespace tc::kernels {
namespace {

// Elements per tile.
constexpr std::int64_t kGrain = 16384;

}  // namespace

void softmax(const NormTable& table, Team& team, const SoftmaxArgs& args) {
  const Tiling tiling = tile_by_cost(args.outer * args.inner, args.n, kGrain);
  parallel_for(team, tiling.count(),
               [&](std::int64_t tile, int) { table.softmax.fn(args, tiling.begin(tile), tiling.end(tile)); });
}

void normalize(const NormTable& table, Team& team, const NormArgs& args) {
  const Tiling tiling = tile_by_cost(args.rows, args.channels * args.spatial, kGrain);
  parallel_for(team, tiling.count(),
               [&](std::int64_t tile, int) { table.normalize.fn(args, tiling.begin(tile), tiling.end(tile)); });
}

}  // namespace tc::kernels
