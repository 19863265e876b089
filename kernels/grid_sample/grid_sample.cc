#include "tc/kernels/grid_sample/grid_sample.h"

#include <algorithm>

#include "tc/kernels/parallel.h"

namespace tc::kernels {
namespace {

// Elements gathered per tile; places cost as much as some channels.
constexpr int64_t kGrain = 32 * 1024;
constexpr int64_t kPlaceCost = 8;
// Of a tile: neighbours that read near elements of a channel.
constexpr int64_t kLeastPoints = 256;

}  // namespace

void grid_sample(Team& team, const GridSampleTable& table, const GridSampleArgs& args) {
  if (args.images * args.channels * args.points == 0) return;
  const int64_t taps = args.mode == SampleMode::nearest ? 1 : args.mode == SampleMode::linear ? 4 : 16;
  const Tiling by_cost = tile_by_cost(args.points, (args.channels + kPlaceCost) * taps, kGrain);
  const Tiling pieces{args.points, std::max(by_cost.size, kLeastPoints)};
  parallel_for(team, args.images * pieces.count(), [&](int64_t tile, int) {
    const int64_t piece = tile % pieces.count();
    table.sample.fn(args, tile / pieces.count(), pieces.begin(piece), pieces.end(piece));
  });
}

}  // namespace tc::kernels
