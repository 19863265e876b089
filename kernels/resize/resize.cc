#include "tc/kernels/resize/resize.h"

#include "tc/kernels/parallel.h"
#include "tc/kernels/worker_stride.h"

namespace tc::kernels {
namespace {

// Floats written and read per tile.
constexpr int64_t kGrain = 64 * 1024;

int64_t line_floats(const ResizeArgs& a) {
  return worker_stride<float>((a.point > 1 ? 1 : kResizeRows) * a.axis[2].in * a.point);
}

}  // namespace

int64_t resize_scratch_floats(const ResizeArgs& a, int threads) {
  return a.blocked ? 0 : threads * line_floats(a);
}

void resize(Team& team, const ResizeTable& kernels, const ResizeArgs& args) {
  const int64_t rows = args.axis[0].out * args.axis[1].out;
  if (rows * args.axis[2].out == 0) return;
  int64_t row_cost = args.axis[2].out * (args.blocked ? 16 : args.point);
  for (const auto& axis : args.axis) row_cost *= axis.taps;
  const auto run = (args.blocked ? kernels.blocked : args.point > 1 ? kernels.points : kernels.plain).fn;
  const Tiling pieces = tile_by_cost(rows, row_cost, kGrain);
  parallel_for(team, args.planes * pieces.count(), [&](int64_t tile, int worker) {
    ResizeArgs mine = args;
    if (!args.blocked) mine.scratch += worker * line_floats(args);
    const int64_t piece = tile % pieces.count();
    run(mine, tile / pieces.count(), pieces.begin(piece), pieces.end(piece), worker);
  });
}

}  // namespace tc::kernels
