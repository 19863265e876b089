// A channel to each group, on blocks of channels: see depthwise_tier.cc for its tiles.
#include <algorithm>

#include "tc/kernels/conv/conv_shapes.h"

namespace tc::kernels {
namespace {

// Depthwise ones are cut into parts of the image first, as the pointwise ones before and after them are: a core reads
// what it has written. Two threads, mobilenet_v2's depthwise layers 0.335 to 0.296 ms; in four parts they take 9 %
// longer with one thread.
constexpr int64_t kDepthwiseParts = 2, kLeastDepthwiseRows = 7, kLeastDepthwiseColumns = 56;

void plan(ConvPlan& p, const ConvShape& s, int) {
  p.groups = 1;
  p.rows = s.out[1];
  p.cols = s.out[2];
  p.row_tile = std::min(p.rows, std::max(kLeastDepthwiseRows, ceil_div(p.rows, kDepthwiseParts)));
  p.col_tile = p.cols;
  if (p.rows == 1 && s.kernel[1] == 1)
    p.col_tile = std::min(p.cols, std::max(kLeastDepthwiseColumns, ceil_div(p.cols, kDepthwiseParts)));
  const double flops = 2.0 * static_cast<double>(p.row_tile * p.col_tile * kChannelBlock * volume(s.kernel));
  p.block_tile = std::clamp<int64_t>(static_cast<int64_t>(kLeastTileFlops / 2 / flops), 1, blocks(s.oc));
  p.block_tiles = ceil_div(blocks(s.oc), p.block_tile);
}

const char* declines(ConvAlgorithm, const ConvQuery& q) {
  if (!q.plain) return nullptr;
  if (q.shape.in[2] >= kLeastPlainLine) return "operands are plain, and their lines long";
  return im2col_pays(q.shape) ? "patches of plain lines" : nullptr;
}
int64_t packed_floats(ConvAlgorithm, const ConvShape& s) {
  return blocks(s.oc) * volume(s.kernel) * kChannelBlock;
}
int64_t pack_tiles(ConvAlgorithm, const ConvShape& s) {
  return blocks(s.oc);
}
void pack(const ConvTable&, ConvAlgorithm, const ConvShape& s, const float* w, int64_t tile, float* dst) {
  const int64_t taps = volume(s.kernel), first = tile * kChannelBlock;
  dst += tile * taps * kChannelBlock;
  for (int64_t tap = 0; tap < taps; ++tap)
    for (int64_t c = first; c < first + kChannelBlock; ++c) *dst++ = c < s.oc ? w[c * taps + tap] : 0.0f;
}

}  // namespace

constexpr ConvRow conv_row_depthwise{.refuses = refuses_depthwise,
                                     .declines = declines,
                                     .cost = depthwise_cost,
                                     .plan = plan,
                                     .packed_floats = packed_floats,
                                     .pack_tiles = pack_tiles,
                                     .pack = pack,
                                     .ns_per_flop = kNsPerDepthwiseFlop,
                                     .special = true};

}  // namespace tc::kernels
