#include "tc/kernels/linalg/det.h"

#include "tc/kernels/parallel.h"
#include "tc/kernels/worker_stride.h"

namespace tc::kernels {
namespace {

std::int64_t work_doubles(const LinalgTable& table, const DetArgs& a) {
  return worker_stride<double>(a.n * a.n * table.lanes.fn());
}

}  // namespace

std::size_t det_scratch_bytes(const LinalgTable& table, const DetArgs& a, int threads) {
  return static_cast<std::size_t>(work_doubles(table, a)) * sizeof(double) * static_cast<std::size_t>(threads);
}

void det(const LinalgTable& table, Team& team, const DetArgs& a) {
  const Tiling tiles{a.count, table.lanes.fn()};
  const std::int64_t each = work_doubles(table, a);
  parallel_for(team, tiles.count(), static_cast<double>(tiles.count() * each * a.n),
               [&](std::int64_t tile, int worker) {
                 table.det.fn(a, tiles.begin(tile), tiles.end(tile) - tiles.begin(tile),
                              reinterpret_cast<double*>(a.scratch) + worker * each);
               });
}

}  // namespace tc::kernels
