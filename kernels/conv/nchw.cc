// Direct convolution of plain planes, and of one channel to each group: see nchw_tier.cc and depthwise_plane_tier.h for
// the tiles.
#include <algorithm>

#include "tc/kernels/conv/conv_shapes.h"

namespace tc::kernels {
namespace {

// Output columns of a tile on plain NCHW, and what they are a multiple of.
constexpr int64_t kNchwCols = 256, kNchwPiece = 64;
// Output channels for which a tile copies its input. 256 to 1024 channels of 14 x 14, four pieces of columns of which
// the last is short: two threads 0.61 to 0.53 ms, one thread 0.97 to 0.98.
constexpr int64_t kLeastNchwChannels = 64;

void plan(ConvPlan& p, const ConvShape& s, int) {
  const bool depthwise = p.algorithm == ConvAlgorithm::depthwise_nchw;
  if (depthwise) p.groups = 1;
  const int64_t taps = volume(s.kernel), in_channels = s.ic / s.groups, out_channels = s.oc / s.groups;
  p.rows = is_pointwise(s) ? 1 : s.out[1];
  p.cols = is_pointwise(s) ? s.out[1] * s.out[2] : s.out[2];
  p.chunk = std::clamp<int64_t>(kChunkSteps / taps, 1, in_channels);
  p.chunk = ceil_div(in_channels, ceil_div(in_channels, p.chunk));
  p.row_tile = p.rows;
  p.col_tile = round_up(ceil_div(p.cols, ceil_div(p.cols, kNchwCols)), kNchwPiece);
  p.block_tile = p.block_tiles = 1;
  const double flops_per_pixel = 2.0 * static_cast<double>(taps * in_channels * out_channels);
  const auto region = [&] { return p.chunk * s.stride[2] * reach(s, 1, p.row_tile) * nchw_line(s, p.col_tile); };
  const auto flops = [&] { return flops_per_pixel * static_cast<double>(p.row_tile * p.col_tile); };
  const auto count = [&] { return s.n * s.groups * ceil_div(p.rows, p.row_tile) * ceil_div(p.cols, p.col_tile); };
  while (region() > kRegionFloats && p.row_tile > 1) p.row_tile = ceil_div(p.row_tile, 2);
  while (count() < kWantedTiles && flops() > kLeastTileFlops) {
    if (p.row_tile > 4)
      p.row_tile = ceil_div(p.row_tile, 2);
    else if (p.col_tile > kNchwPiece)
      p.col_tile = round_up(ceil_div(p.col_tile, 2), kNchwPiece);
    else
      break;
  }
  if (depthwise) {
    p.block_tile = std::clamp<int64_t>(static_cast<int64_t>(kLeastTileFlops / 2 / flops()), 1, s.oc);
    p.block_tiles = ceil_div(s.oc, p.block_tile);
  } else {
    p.block_tile = out_channels;
    while (count() * p.block_tiles < kWantedFewTiles && p.block_tile >= 2 * kLeastNchwChannels &&
           flops() > kLeastTileFlops * static_cast<double>(p.block_tiles)) {
      p.block_tile = ceil_div(p.block_tile, 2);
      p.block_tiles = ceil_div(out_channels, p.block_tile);
    }
  }
  p.tap_floats = round_up(2 * p.chunk * taps, 16);
  p.worker_floats = p.tap_floats + region();
}

const char* refuses(ConvAlgorithm, const ConvShape& s) {
  if (!is_flat(s)) return "three axes";
  return s.transposed ? "transposed" : nullptr;
}

// Of groups that are no whole blocks, the share of what direct reaches. Zen 3 at 90 GFLOP/s, one thread: 32 groups of 4
// channels of 56 x 56 on planes 0.97 ms, by m = 4 1.10; of 8 of 28 x 28 0.84 and 0.53.
constexpr double kShare = 0.8, kGroupsShare = 0.42;
double cost(ConvAlgorithm, const ConvQuery& q) {
  return direct_cost(q.kernels, q.shape) / (q.shape.groups > 1 ? kGroupsShare : kShare * nchw_use(q.shape));
}
const char* declines(ConvAlgorithm, const ConvQuery& q) {
  if (conv_accepts(ConvAlgorithm::direct, q.shape)) return "channels are blocks";
  return nchw_use(q.shape) > kLeastNchwUse ? nullptr : "short lines leave lanes empty";
}

constexpr const char* kReordersPay = "reorders pay";
const char* stays(const ConvQuery& q, ConvAlgorithm blocked) {
  const ConvShape& s = q.shape;
  if (nchw_use(s) < 0.8) return "short lines leave lanes empty";
  // What split bf16 save must pay for both reorders, and for the conversion to split bf16, in multiply-adds. A Xeon,
  // time by these / by plain planes: 24 to 72 of 56 x 56 1.8, 32 to 64 of it 1.3, 144 to 32 of 28 x 28 1.2, 40 to 120
  // of it 1.1, 64 to 64 and 120 to 40 of it 1.0, 240 to 80 of 14 x 14 0.66.
  constexpr int64_t kWritten = 23, kRead = 57;
  if (blocked == ConvAlgorithm::split && is_pointwise(s))
    return s.oc * s.ic < kWritten * s.oc + kRead * s.ic ? nullptr : kReordersPay;
  const bool first_layer = blocked == ConvAlgorithm::direct_plain || blocked == ConvAlgorithm::split_plain;
  if (blocked != ConvAlgorithm::direct && !first_layer) return kReordersPay;
  // With fewer multiply-adds to a float that two reorders move, these take longer than blocked kernels save. Time by
  // plain planes / by those, one thread: 64 to 256 channels of 56 x 56 by 1x1 0.84, 512 to 512 of 16 x 16 1.01, of
  // 14 x 14, whose last register is not full, 384 to 64 0.85, 192 to 768 1.07, 256 to 1024 1.13; 128 to 128 of 400 by
  // 3 1.05; 64 to 64 of 56 x 56 by 3x1 1.33, by 1x7 1.26, 64 to 128 by 3x3 with stride 2 1.92, 8 to 16 by 5x5 1.07; of
  // first layers, 3 to 64 of 64 x 64 by 9x9 0.90, 4 to 32 of 84 x 84 by 8x8 with stride 4 2.2.
  const bool at_ease = is_pointwise(s) || (first_layer && s.stride[2] <= 2);
  const double most = is_pointwise(s) && nchw_use(s) < 0.97 ? 70 : at_ease ? 300 : s.out[1] == 1 ? 200 : 40;
  const auto sums = static_cast<double>(s.oc * (s.ic / s.groups) * volume(s.kernel));
  const auto moved = static_cast<double>(s.oc + s.ic * volume(s.stride));
  return sums < most * moved ? nullptr : kReordersPay;
}

// The filter of an output channel.
int64_t packed_floats(ConvAlgorithm, const ConvShape& s) {
  return s.oc * (s.ic / s.groups) * volume(s.kernel);
}
int64_t pack_tiles(ConvAlgorithm, const ConvShape& s) {
  return s.oc;
}

const char* declines_depthwise(ConvAlgorithm, const ConvQuery& q) {
  if (!q.plain) return "operands may be blocks";
  return q.shape.in[2] >= kLeastPlainLine ? nullptr : "short lines leave registers half empty";
}

}  // namespace

const char* refuses_depthwise(ConvAlgorithm, const ConvShape& s) {
  return is_depthwise(s) ? nullptr : "not one channel to each group on two axes";
}
double depthwise_cost(ConvAlgorithm, const ConvQuery& q) {
  return direct_cost(q.kernels, q.shape) * kNsPerDepthwiseFlop / kNsPerFlop;
}
void pack_filter(const ConvTable&, ConvAlgorithm, const ConvShape& s, const float* w, int64_t tile, float* dst) {
  const int64_t taps = volume(s.kernel), in_channels = s.ic / s.groups;
  dst += tile * in_channels * taps;
  for (int64_t i = 0; i < in_channels; ++i)
    for (int64_t tap = 0; tap < taps; ++tap) *dst++ = conv_weight(s, w, tile, i, tap, taps);
}

constexpr ConvRow conv_row_nchw{.refuses = refuses,
                                .declines = declines,
                                .cost = cost,
                                .plan = plan,
                                .packed_floats = packed_floats,
                                .pack_tiles = pack_tiles,
                                .pack = pack_filter,
                                .ns_per_flop = kNsPerFlop,
                                .stays = stays};
constexpr ConvRow conv_row_depthwise_nchw{.refuses = refuses_depthwise,
                                          .declines = declines_depthwise,
                                          .cost = depthwise_cost,
                                          .plan = plan,
                                          .packed_floats = packed_floats,
                                          .pack_tiles = pack_tiles,
                                          .pack = pack_filter,
                                          .ns_per_flop = kNsPerDepthwiseFlop,
                                          .special = true};

}  // namespace tc::kernels
