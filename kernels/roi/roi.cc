#include "tc/kernels/roi/roi.h"

#include <algorithm>

#include "tc/kernels/parallel.h"
#include "tc/kernels/scratch.h"

namespace tc::kernels {
namespace {

constexpr int64_t kBlocksPerTile = 16;

// Samples along an axis never go back, so that a bin reads an element by one tap.
int64_t most_taps(const RoiArgs& a, int64_t extent) {
  return a.most_samples > 0 ? std::min(extent, 2 * a.most_samples) : extent;
}

RoiScratch cut(const RoiArgs& a, ScratchPieces& pieces) {
  const int64_t row_taps = a.rows * most_taps(a, a.height), column_taps = a.columns * most_taps(a, a.width);
  RoiScratch s;
  s.row_taps = pieces.take<RoiTap>(row_taps);
  s.column_taps = pieces.take<RoiTap>(column_taps);
  s.row_begin = pieces.take<int32_t>(a.rows + 1);
  s.column_begin = pieces.take<int32_t>(a.columns + 1);
  const int64_t used = std::min(column_taps, a.width);
  s.used_columns = pieces.take<int32_t>(used);
  s.line = pieces.take<float>(used * 16);
  s.bins = pieces.take<float>((a.rows * a.columns + 15) / 16 * 256);
  return s;
}

size_t worker_bytes(const RoiArgs& args) {
  ScratchPieces pieces(nullptr);
  cut(args, pieces);
  return pieces.used_apart();
}

}  // namespace

size_t roi_scratch_bytes(const RoiArgs& args, int threads) {
  return worker_bytes(args) * static_cast<size_t>(threads);
}

RoiScratch roi_scratch(const RoiArgs& args, int worker) {
  ScratchPieces pieces(args.scratch + static_cast<size_t>(worker) * args.scratch_bytes);
  return cut(args, pieces);
}

void roi(Team& team, const Slot<RoiKernel>& kernel, const RoiArgs& given) {
  if (given.regions * given.channels * given.rows * given.columns == 0) return;
  RoiArgs args = given;
  args.scratch_bytes = worker_bytes(args);
  const Tiling parts{args.blocks(), kBlocksPerTile};
  parallel_for(team, args.regions * parts.count(), [&](int64_t tile, int worker) {
    const int64_t part = tile % parts.count();
    kernel.fn(args, tile / parts.count(), parts.begin(part), parts.end(part), worker);
  });
}

}  // namespace tc::kernels
