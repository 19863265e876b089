#include "tc/kernels/pool/pool.h"

#include "tc/kernels/parallel.h"

namespace tc::kernels {
namespace {

// Floats read per tile, and what shows whether a call is worth a second thread: windows on plain planes take longer.
constexpr int64_t kGrain = 64 * 1024, kPlainGrain = 16 * 1024;
constexpr double kNsPerRead = 0.05, kNsPerPlainRead = 0.15;

template <class Args>
void run_pool(Team& team, void (*run)(const Args&, int64_t, int64_t, int64_t), const Args& args) {
  const PoolShape& s = args.shape;
  const int64_t lanes = s.blocked ? 16 : 1;
  const int64_t rows = s.out[0] * s.out[1];
  const int64_t row_cost = s.out[2] * s.kernel[0] * s.kernel[1] * s.kernel[2] * lanes;
  if (rows * s.out[2] == 0) return;
  const double ns = (s.blocked ? kNsPerRead : kNsPerPlainRead) * static_cast<double>(s.planes * rows * row_cost);
  const int64_t grain = s.blocked ? kGrain : kPlainGrain;
  // Whole planes together while they are small, else pieces of one.
  if (rows * row_cost <= grain) {
    const Tiling planes = tile_by_cost(s.planes, rows * row_cost, grain);
    parallel_for(team, planes.count(), ns, [&](int64_t tile, int) {
      for (int64_t p = planes.begin(tile); p < planes.end(tile); ++p) run(args, p, 0, rows);
    });
    return;
  }
  const Tiling pieces = tile_by_cost(rows, row_cost, grain);
  parallel_for(team, s.planes * pieces.count(), ns, [&](int64_t tile, int) {
    const int64_t piece = tile % pieces.count();
    run(args, tile / pieces.count(), pieces.begin(piece), pieces.end(piece));
  });
}

}  // namespace

void pool(Team& team, const PoolTable& kernels, const PoolArgs& args) {
  run_pool(team, args.shape.blocked ? kernels.blocked.fn : kernels.plain.fn, args);
}

void pool(Team& team, const PoolTable& kernels, const PoolAnyArgs& args) {
  run_pool(team, kernels.any.fn, args);
}

void global_pool(Team& team, const PoolTable& kernels, PoolKind kind, bool blocked, const float* x, int64_t planes,
                 int64_t pixels, float* y) {
  const int64_t lanes = blocked ? 16 : 1;
  const auto run = blocked ? kernels.global_blocked.fn : kernels.global_plain.fn;
  const Tiling tiles = tile_by_cost(planes, pixels * lanes, kGrain);
  const double ns = kNsPerRead * static_cast<double>(planes * pixels * lanes);
  parallel_for(team, tiles.count(), ns, [&](int64_t tile, int) {
    for (int64_t p = tiles.begin(tile); p < tiles.end(tile); ++p)
      run(kind, x + p * pixels * lanes, pixels, y + p * lanes);
  });
}

}  // namespace tc::kernels
