#include "tc/kernels/pool/pool.h"

#include "tc/kernels/parallel.h"

namespace tc::kernels {
namespace {

// Elements read per tile, and what shows whether a call is worth a second thread.
constexpr int64_t kGrain = 64 * 1024;
constexpr double kNsPerRead = 0.07;
// Small planes that are pooled together.
constexpr int64_t kTogether = 16;

// `separable`: windows' rows are joined, then what these come to.
template <class Args>
void run_pool(Team& team, void (*run)(const Args&, int64_t, int64_t, int64_t, int64_t), const Args& args,
              bool separable) {
  const PoolShape& s = args.shape;
  const int64_t lanes = s.blocked ? 16 : 1;
  const int64_t rows = s.out[0] * s.out[1];
  if (rows * s.out[2] == 0) return;
  const int64_t above = s.kernel[0] * s.kernel[1], taps = separable ? above + s.kernel[2] : above * s.kernel[2];
  const int64_t row_cost = (s.in[0] * s.in[1] * s.in[2] / rows + s.out[2] * taps) * lanes;
  const double ns = (separable ? 1 : 3) * kNsPerRead * static_cast<double>(s.planes * rows * row_cost);
  // Whole planes together while they are small, else pieces of one: by rows first, as convolutions go, so that two
  // threads find in their own caches what they have written. The first pool of resnet18 108 to 40 us.
  if (rows * row_cost <= kGrain) {
    Tiling planes = tile_by_cost(s.planes, rows * row_cost, kGrain);
    if (planes.size > kTogether / 2) planes.size = (planes.size + kTogether - 1) / kTogether * kTogether;
    parallel_for(team, planes.count(), ns,
                 [&](int64_t tile, int) { run(args, planes.begin(tile), planes.end(tile), 0, rows); });
    return;
  }
  const Tiling pieces = tile_by_cost(rows, row_cost, kGrain);
  parallel_for(team, s.planes * pieces.count(), ns, [&](int64_t tile, int) {
    const int64_t plane = tile % s.planes, piece = tile / s.planes;
    run(args, plane, plane + 1, pieces.begin(piece), pieces.end(piece));
  });
}

}  // namespace

void pool(Team& team, const PoolTable& kernels, const PoolArgs& args) {
  run_pool(team, args.shape.blocked ? kernels.blocked.fn : kernels.plain.fn, args, args.places == nullptr);
}

void pool(Team& team, const PoolTable& kernels, const PoolAnyArgs& args) {
  run_pool(team, kernels.any.fn, args, args.shape.blocked);
}

void fold_windows(Team& team, const PoolTable& kernels, const FoldArgs& args) {
  const PoolShape& s = args.shape;
  const int64_t cost = s.out[0] * s.out[1] * s.out[2] * s.kernel[0] * s.kernel[1] * s.kernel[2];
  const Tiling planes = tile_by_cost(s.planes, cost, kGrain / 4);
  parallel_for(team, planes.count(), 2 * kNsPerRead * static_cast<double>(s.planes * cost), [&](int64_t tile, int) {
    for (int64_t p = planes.begin(tile); p < planes.end(tile); ++p) kernels.fold.fn(args, p);
  });
}

void global_pool(Team& team, const PoolTable& kernels, PoolKind kind, bool blocked, const float* x, int64_t planes,
                 int64_t pixels, float* y) {
  const int64_t lanes = blocked ? 16 : 1;
  const auto run = blocked ? kernels.global_blocked.fn : kernels.global_plain.fn;
  const Tiling tiles = tile_by_cost(planes, pixels * lanes, kGrain);
  const double ns = kNsPerRead * static_cast<double>(planes * pixels * lanes);
  parallel_for(team, tiles.count(), ns, [&](int64_t tile, int) {
    const int64_t p = tiles.begin(tile);
    run(kind, x + p * pixels * lanes, tiles.end(tile) - p, pixels, y + p * lanes);
  });
}

}  // namespace tc::kernels
