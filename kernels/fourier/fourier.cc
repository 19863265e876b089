#include "tc/kernels/fourier/fourier.h"

#include "tc/kernels/parallel.h"
#include "tc/kernels/worker_stride.h"

namespace tc::kernels {
namespace {

// Floats of the two blocks that a transform goes to and fro between.
std::int64_t work_floats(const FourierTable& table, const FourierPlan& p) {
  return worker_stride<float>(2 * 2 * (p.padded ? p.padded->n : p.n) * table.lanes.fn());
}

}  // namespace

size_t fourier_scratch_bytes(const FourierTable& table, const FourierArgs& a, int threads) {
  return static_cast<size_t>(work_floats(table, *a.plan)) * sizeof(float) * static_cast<size_t>(threads);
}

void fourier(const FourierTable& table, Team& team, const FourierArgs& a) {
  const Tiling tiles{a.outer * a.inner, table.lanes.fn()};
  const std::int64_t each = work_floats(table, *a.plan);
  parallel_for(team, tiles.count(), static_cast<double>(tiles.count() * each) * 0.5,
               [&](std::int64_t tile, int worker) {
                 table.lines.fn(a, tiles.begin(tile), tiles.end(tile) - tiles.begin(tile),
                                reinterpret_cast<float*>(a.scratch) + worker * each);
               });
}

}  // namespace tc::kernels
