#include "tc/kernels/conv/conv.h"

#include <algorithm>
#include <cstring>

#include "tc/kernels/conv/conv_shapes.h"
#include "tc/kernels/cpu.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/simd/subnormals.h"

namespace tc::kernels {
namespace {

// Steps of K between two visits of an output tile: 64 input channels of a 3x3 kernel and 64 output channels are 147 KB
// of weights, which stay in L2 beside the input.
constexpr int64_t kChunkSteps = 512;
// Long pointwise sums do better in pieces whose weights stay in L1: 2048 to 512 channels at 7 x 7 by 7-14 %, 1024 to
// 256 at 14 x 14 by 4-11 %; of up to 512 channels there is no difference.
constexpr int64_t kLongSteps = 1024, kLongChunkSteps = 128;
// So do those of images that are no wider than a tile, which read the weights for a row's few pixels, where L1 holds
// what a tile of one input block has: 512 channels of 3x3 at 7 x 7 with AVX-512 1.79 to 1.63 ms, two threads 0.88 to
// 0.81. Tiles of AVX2 take longer, 2.60 and 2.80.
constexpr int64_t kNarrow = 7;
// The copy of a padded input region stays in L2.
constexpr int64_t kRegionFloats = 64 * 1024;
// Up to this size it is kept for the next tile, which may want it for other output channels. Of a 3x3 convolution of
// 256 channels at 28 x 28 with stride 2, eight tiles, the copies took a fifth of the time.
constexpr int64_t kKeptFloats = 160 * 1024;
constexpr int64_t kWantedTiles = 16;
// Fewer where each tile would read many weights anew.
constexpr int64_t kWantedFewTiles = 8, kHeavyWeights = 256 * 1024;
// Pointwise tiles read all of their weights for so few pixels that they do better with more of these: 576 to 96
// channels at 14 x 14 in pieces of 25 pixels 91 GFLOP/s, of 49 100, of 98 104.
constexpr int64_t kFewestPointwisePixels = 49;
// Depthwise ones are cut into parts of the image first, as the pointwise ones before and after them are: a core reads
// what it has written. Two threads, mobilenet_v2's depthwise layers 0.335 to 0.296 ms; in four parts they take 9 %
// longer with one thread.
constexpr int64_t kDepthwiseParts = 2, kLeastDepthwiseRows = 7, kLeastDepthwiseColumns = 56;
// Some 5 us of one core: claiming a tile takes 0.1 us.
constexpr double kLeastTileFlops = 6e5;
// What shows whether a call is worth a second thread.
constexpr double kNsPerFlop = 0.01, kNsPerSplitFlop = 0.005, kNsPerDepthwiseFlop = 0.06, kNsPerReordered = 0.25;
// Groups of this many output blocks share a pass over the input.
constexpr int64_t kBlockGroup = 4;
// Output columns of a tile on plain NCHW, and what they are a multiple of.
constexpr int64_t kNchwCols = 256, kNchwPiece = 64;
// Output channels for which a tile copies its input. 256 to 1024 channels of 14 x 14, four pieces of columns of which
// the last is short: two threads 0.61 to 0.53 ms, one thread 0.97 to 0.98.
constexpr int64_t kLeastNchwChannels = 64;

// Input rows or columns that `count` outputs of one phase read.
int64_t reach(const ConvShape& s, int axis, int64_t count) {
  if (s.transposed) return count + ceil_div((s.kernel[axis] - 1) * s.dilation[axis] + s.stride[axis], s.stride[axis]);
  return (count - 1) * s.stride[axis] + (s.kernel[axis] - 1) * s.dilation[axis] + 1;
}

// Of these the ones that are read: a kernel smaller than the stride leaves gaps, and a wide one reaches beyond the
// image.
int64_t reads(const ConvShape& s, int axis, int64_t count) {
  return std::min({reach(s, axis, count), s.transposed ? s.in[axis] : count * s.kernel[axis], s.in[axis]});
}

void plan_direct(ConvPlan& p, const ConvShape& s, int width) {
  const bool plain = p.algorithm == ConvAlgorithm::direct_plain;
  const auto step = [&](int axis) { return s.transposed ? s.stride[axis] : 1; };
  p.planes = ceil_div(s.out[0], step(0));
  p.rows = ceil_div(s.out[1], step(1));
  p.cols = ceil_div(s.out[2], step(2));
  const bool pointwise = p.one_row = is_pointwise(s);
  if (pointwise) p.cols = volume(s.out), p.rows = p.planes = 1;
  const int64_t taps = volume(s.kernel);
  const int64_t in_blocks = plain ? 1 : blocks(s.ic / s.groups);
  const int64_t block = plain ? s.ic : kChannelBlock;
  const int64_t chunk_steps = pointwise && in_blocks * block >= kLongSteps ? kLongChunkSteps : kChunkSteps;
  const auto block_weights = static_cast<size_t>(taps * block * kBlockGroup * kChannelBlock);
  const bool narrow = !pointwise && !s.transposed && p.cols <= kNarrow && width >= kBlockGroup * kChannelBlock &&
                      block_weights * sizeof(float) <= cpu_info().l1d_bytes;
  p.chunk = narrow ? 1 : std::clamp<int64_t>(ceil_div(chunk_steps, taps * block), 1, in_blocks);
  p.chunk = ceil_div(in_blocks, ceil_div(in_blocks, p.chunk));
  const int64_t chunk_floats = p.chunk * block;
  p.block_tile = blocks(s.oc / s.groups);
  p.row_tile = p.rows;
  p.col_tile = p.cols;
  const auto region = [&] {
    if (pointwise) return p.col_tile * chunk_floats;
    return reads(s, 0, 1) * reads(s, 1, p.row_tile) * reads(s, 2, p.col_tile) * chunk_floats;
  };
  // The phases of a transposed one share its taps.
  const auto flops = [&] {
    return 2.0 * static_cast<double>(p.row_tile * p.col_tile) *
           static_cast<double>(std::min(p.block_tile * kChannelBlock, s.oc)) *
           static_cast<double>(in_blocks * block * taps);
  };
  const auto count = [&] {
    return s.n * s.groups * p.planes * ceil_div(p.rows, p.row_tile) * ceil_div(p.cols, p.col_tile) *
           ceil_div(blocks(s.oc / s.groups), p.block_tile);
  };
  while (region() > kRegionFloats && (p.row_tile > 1 || p.col_tile > 56)) {
    if (p.row_tile > 4 || p.col_tile <= 112) {
      if (p.row_tile == 1) break;
      p.row_tile = ceil_div(p.row_tile, 2);
    } else {
      p.col_tile = ceil_div(p.col_tile, 2);
    }
  }
  const int64_t per_block = kChannelBlock * in_blocks * block * taps;
  const bool few = pointwise || per_block * p.block_tile >= kHeavyWeights;
  const int64_t wanted = few ? kWantedFewTiles : kWantedTiles;
  const int64_t least_cols = pointwise ? 2 * kFewestPointwisePixels : 28;
  while (count() < wanted && flops() > 2 * kLeastTileFlops) {
    // Tiles of fewer output channels read the input anew, tiles of fewer pixels the weights: the smaller of both.
    if (p.block_tile > kBlockGroup && per_block * p.block_tile > region() / p.chunk * in_blocks) {
      p.block_tile = ceil_div(ceil_div(p.block_tile, 2), kBlockGroup) * kBlockGroup;
    } else if (p.row_tile > 4) {
      p.row_tile = ceil_div(p.row_tile, 2);
    } else if (pointwise && p.col_tile > 112) {
      p.col_tile = ceil_div(p.col_tile, 2);
    } else if (p.block_tile > kBlockGroup) {
      p.block_tile = ceil_div(ceil_div(p.block_tile, 2), kBlockGroup) * kBlockGroup;
    } else if (p.row_tile > 1) {
      p.row_tile = ceil_div(p.row_tile, 2);
    } else if (p.col_tile > least_cols) {
      p.col_tile = ceil_div(p.col_tile, 2);
    } else {
      break;
    }
  }
  const int64_t out_blocks = blocks(s.oc / s.groups);
  p.block_tiles = ceil_div(out_blocks, p.block_tile);
  // Of three or five tiles two threads get one more than half. 960 to 320 channels of 7 x 7: 0.170 to 0.148 ms, one
  // thread 0.274 to 0.282.
  if (p.block_tiles > 1 && count() < kWantedFewTiles && count() % 2 == 1) --p.block_tiles;
  p.block_tile = ceil_div(out_blocks, p.block_tiles);
  p.tap_floats = ceil_div(4 * taps * (plain && s.ic <= kFlatChannels ? s.ic : 1), 16) * 16;
  const int64_t region_floats = pointwise
                                    ? 0
                                    : std::min(reach(s, 0, 1), s.in[0]) * std::min(reach(s, 1, p.row_tile), s.in[1]) *
                                          reach(s, 2, p.col_tile) * block;
  p.keeps_region = !s.transposed && region_floats * in_blocks <= kKeptFloats;
  p.worker_floats = p.tap_floats + kScratchHead + region_floats * (p.keeps_region ? in_blocks : p.chunk);
  p.block_tiles = ceil_div(out_blocks, p.block_tile);
}

// Of the split algorithm: the halves of a tile's input take up to half a megabyte of L2, which machines with AMX have
// two of.
constexpr int64_t kSplitRegionFloats = 128 * 1024;
int64_t split_region_floats(const ConvShape& s, int64_t rows, int64_t cols) {
  return ceil_div(s.ic, kSplitChannels) * split_region(s, rows, cols).block / static_cast<int64_t>(sizeof(float));
}

void plan_split(ConvPlan& p, const ConvShape& shape) {
  const bool pointwise = is_pointwise(shape);
  const ConvShape s = split_forward(shape);
  p.rows = s.out[1];
  p.cols = s.out[2];
  if (pointwise) p.cols *= p.rows, p.rows = 1;
  p.row_tile = p.rows;
  p.col_tile = p.cols;
  p.block_tile = round_up(blocks(s.oc), 2);
  const auto halve = [](int64_t n, int64_t of) { return round_up(ceil_div(n, 2), of); };
  const auto shrink = [&] {
    if (pointwise ? p.col_tile <= 2 * kSplitOutputs : p.row_tile <= 2) return false;
    if (pointwise)
      p.col_tile = halve(p.col_tile, kSplitOutputs);
    else
      p.row_tile = ceil_div(p.row_tile, 2);
    return true;
  };
  while (split_region_floats(s, p.row_tile, p.col_tile) > kSplitRegionFloats && shrink()) {
  }
  const auto count = [&] {
    return s.n * ceil_div(p.rows, p.row_tile) * ceil_div(p.cols, p.col_tile) * ceil_div(blocks(s.oc), p.block_tile);
  };
  // Fewer output channels to a tile: every worker makes halves of the region, but no weight is read twice.
  while (count() < kWantedFewTiles && p.block_tile > 4) p.block_tile = halve(p.block_tile, 2);
  while (count() < kWantedFewTiles && shrink()) {
  }
  p.block_tiles = ceil_div(blocks(s.oc), p.block_tile);
  p.tap_floats = round_up(2 * volume(shape.kernel), 16);
  // Strips of 32 lines end beyond the region.
  p.worker_floats = kScratchHead + p.tap_floats + split_region_floats(s, p.row_tile, p.col_tile) + 64 * kChannelBlock;
}

void plan_depthwise(ConvPlan& p, const ConvShape& s) {
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

bool is_depthwise(ConvAlgorithm a) {
  return a == ConvAlgorithm::depthwise || a == ConvAlgorithm::depthwise_nchw;
}

void plan_nchw(ConvPlan& p, const ConvShape& s) {
  const bool depthwise = p.algorithm == ConvAlgorithm::depthwise_nchw;
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

void plan_im2col(ConvPlan& p, const ConvShape& s, int width) {
  const int64_t k = std::max<int64_t>(1, s.ic / s.groups * volume(s.kernel));
  p.chunk = ceil_div(k, ceil_div(k, kIm2colK));
  p.rows = 1;
  p.row_tile = 1;
  p.cols = volume(s.out);
  p.block_tile = p.block_tiles = 1;
  p.col_tile = width;
  const double flops = 2.0 * static_cast<double>(k) * static_cast<double>(s.oc / s.groups) * width;
  while (p.col_tile < 256 && flops * static_cast<double>(p.col_tile / width) < kLeastTileFlops) p.col_tile *= 2;
  p.worker_floats = p.chunk * width;
}

void plan_patches(ConvPlan& p, const ConvShape& s) {
  p.rows = s.in[0] * s.in[1];
  p.cols = p.col_tile = s.in[2];
  const double flops = 2.0 * static_cast<double>(s.in[2] * s.ic * conv_patch_floats(s));
  p.row_tile = std::clamp<int64_t>(static_cast<int64_t>(kLeastTileFlops / flops), 1, p.rows);
  p.block_tile = p.block_tiles = 1;
  p.worker_floats = (2 * kPatchPixels + 1) * conv_patch_floats(s);
}

const auto& tile_slot(const ConvTable& kernels, ConvAlgorithm a) {
  switch (a) {
    case ConvAlgorithm::depthwise:
      return kernels.depthwise;
    case ConvAlgorithm::split:
    case ConvAlgorithm::split_plain:
      return kernels.split;
    case ConvAlgorithm::split_winograd:
      return kernels.split_winograd;
    case ConvAlgorithm::winograd2:
    case ConvAlgorithm::winograd4:
    case ConvAlgorithm::winograd6:
      return kernels.winograd;
    case ConvAlgorithm::im2col:
      return kernels.im2col;
    case ConvAlgorithm::nchw:
      return kernels.nchw;
    case ConvAlgorithm::depthwise_nchw:
      return kernels.depthwise_nchw;
    case ConvAlgorithm::patches:
      return kernels.patches;
    case ConvAlgorithm::direct:
    case ConvAlgorithm::direct_plain:
      break;
  }
  return kernels.direct;
}

// What a Winograd tile of the plan works on, transformed input and products, as a share of L2: they go through it one
// after the other, and longer tiles read the weights less often. Zen 5, 0.625, 1.25, 1.8 and 2.5, one thread:
// unet 54.7, 52.6, 52.4, 52.3 ms, resnet18 12.7, 12.1, 12.0, 12.1; two threads: unet 33.0, 31.5, 31.7, 32.3.
constexpr double kWinogradShare = 1.25;

int64_t winograd_floats() {
  return static_cast<int64_t>(kWinogradShare * static_cast<double>(cpu_info().l2_bytes / sizeof(float)));
}

// s: of conv_group.
void plan_winograd(ConvPlan& p, const ConvShape& s, int width) {
  const int64_t m = winograd_outputs(p.algorithm);
  const auto [products, elements] = winograd_counts(s, m);
  const int64_t channels = blocks(s.ic) * kChannelBlock;
  const int64_t most = std::clamp<int64_t>(winograd_floats() / (products * channels + elements * width), 8, 64);
  p.planes = s.out[0];
  p.rows = p.row_tile = 1;
  p.cols = winograd_tiles(s, m);
  p.block_tile = width / kChannelBlock;
  p.block_tiles = ceil_div(blocks(s.oc), p.block_tile);
  // Every range reads all weights anew: no more of them than four threads want.
  const int64_t ranges =
      std::max(ceil_div(p.cols, most), std::min(ceil_div(p.cols, 8), ceil_div(4, p.block_tiles * p.groups)));
  p.col_tile = ceil_div(p.cols, ranges);
  // Grows with the image, so that memory for the largest image serves all.
  const int64_t tiles = std::min(most, p.cols);
  p.worker_floats =
      kScratchHead + products * (tiles * channels + kChannelBlock) + elements * (tiles * width + kChannelBlock);
}

// The same by halves, whose products are of 32 tiles and 32 outputs. Strips of these share an element's input as long
// as it is near; where there are few, ranges are shorter: 128 to 32 channels of 14 x 14, two threads, 0.042 to 0.026
// ms, 256 to 32 0.090 to 0.048.
constexpr int64_t kMostStrips = 4, kWantedStripTiles = 4;
void plan_split_winograd(ConvPlan& p, const ConvShape& s) {
  const int64_t m = winograd_outputs(p.algorithm);
  const auto [products, elements] = winograd_counts(s, m);
  const int64_t channels = round_up(s.ic, kSplitChannels), strips = ceil_div(s.oc, kSplitOutputs);
  const int64_t near = winograd_floats() / (products * channels) / kSplitTiles * kSplitTiles;
  const int64_t most = std::clamp(near, kSplitTiles, 2 * kSplitTiles);
  const int64_t of_tile = std::clamp<int64_t>(strips / kWantedStripTiles, 1, kMostStrips);
  p.planes = s.out[0];
  p.rows = p.row_tile = 1;
  p.cols = winograd_tiles(s, m);
  p.block_tile = of_tile * kSplitOutputs / kChannelBlock;
  p.block_tiles = ceil_div(strips, of_tile);
  const int64_t ranges = std::max(ceil_div(p.cols, most),
                                  std::min(ceil_div(p.cols, kSplitTiles), ceil_div(kWantedStripTiles, p.block_tiles)));
  p.col_tile = round_up(ceil_div(p.cols, ranges), kSplitTiles);
  p.tap_floats = round_up(2 * products / elements, kChannelBlock);
  // As above.
  const int64_t tiles = round_up(std::min(most, p.cols), kChannelBlock);
  p.worker_floats = kScratchHead + p.tap_floats + products * (tiles * channels + kChannelBlock) +
                    of_tile * elements * (tiles * kSplitOutputs + kChannelBlock);
}

}  // namespace

ConvShape split_forward(const ConvShape& s) {
  ConvShape forward = s;
  if (!s.transposed) return forward;
  forward.transposed = false;
  for (int i = 1; i < 3; ++i) {
    forward.kernel[i] = ceil_div(s.kernel[i], s.stride[i]);
    forward.stride[i] = 1;
    forward.pad[i] = forward.kernel[i] - 1;
    forward.out[i] = (s.out[i] - 1 + s.pad[i]) / s.stride[i] + 1;
  }
  return forward;
}

ConvShape split_gathered(const ConvShape& s) {
  ConvShape pointwise;
  pointwise.n = s.n;
  pointwise.ic = s.ic * volume(s.kernel);
  pointwise.oc = s.oc;
  std::copy(std::begin(s.out), std::end(s.out), std::begin(pointwise.in));
  std::copy(std::begin(s.out), std::end(s.out), std::begin(pointwise.out));
  return pointwise;
}

SplitRegion split_region(const ConvShape& s, int64_t rows, int64_t cols) {
  constexpr int64_t kLine = 64;
  const auto beyond = [&](int axis) { return (s.kernel[axis] - 1) * s.dilation[axis] / s.stride[axis]; };
  SplitRegion r;
  r.rows = rows + beyond(1);
  r.cols = cols + beyond(2);
  for (int i = 0; i < 2; ++i) r.phases[i] = s.kernel[1 + i] == 1 ? 1 : s.stride[1 + i];
  r.plane = r.rows * r.cols * kLine;
  // A few lines more, so that planes of a power of two do not meet in the same sets of a cache.
  r.low = r.phases[0] * r.phases[1] * r.plane + 4 * kLine;
  r.block = 2 * r.low;
  return r;
}

const char* conv_kernel_name(const ConvTable& kernels, ConvAlgorithm algorithm) {
  return tile_slot(kernels, algorithm).name;
}

ConvPlan conv_plan(ConvAlgorithm algorithm, const ConvShape& s, int width) {
  ConvPlan p;
  p.algorithm = algorithm;
  p.groups = is_depthwise(algorithm) ? 1 : conv_grouped(algorithm, s).groups;
  if (s.n == 0 || s.oc == 0 || volume(s.out) == 0) return p;
  switch (algorithm) {
    case ConvAlgorithm::direct:
    case ConvAlgorithm::direct_plain:
      plan_direct(p, conv_grouped(algorithm, s), width);
      break;
    case ConvAlgorithm::depthwise:
      plan_depthwise(p, s);
      break;
    case ConvAlgorithm::split:
      plan_split(p, s);
      break;
    case ConvAlgorithm::split_plain:
      plan_split(p, split_gathered(s));
      p.worker_floats += kGatheredPixels * round_up(s.ic * volume(s.kernel), kSplitChannels) + kChannelBlock;
      break;
    case ConvAlgorithm::split_winograd:
      plan_split_winograd(p, s);
      break;
    case ConvAlgorithm::winograd2:
    case ConvAlgorithm::winograd4:
    case ConvAlgorithm::winograd6:
      plan_winograd(p, conv_group(algorithm, s), width);
      break;
    case ConvAlgorithm::im2col:
      plan_im2col(p, s, width);
      break;
    case ConvAlgorithm::nchw:
    case ConvAlgorithm::depthwise_nchw:
      plan_nchw(p, s);
      break;
    case ConvAlgorithm::patches:
      plan_patches(p, s);
      break;
  }
  p.row_tiles = ceil_div(p.rows, p.row_tile);
  p.col_tiles = ceil_div(p.cols, p.col_tile);
  return p;
}

size_t conv_scratch_bytes(const ConvPlan& plan, int threads) {
  return static_cast<size_t>(threads * plan.worker_floats_apart()) * sizeof(float);
}

int64_t conv_packed_floats(ConvAlgorithm algorithm, const ConvShape& s) {
  const int64_t taps = volume(s.kernel);
  switch (algorithm) {
    case ConvAlgorithm::direct:
      if (conv_few_outputs(algorithm, s)) return blocks(s.ic) * taps * s.oc * kChannelBlock;
      if (conv_by_lanes(algorithm, s)) return blocks(s.oc) * taps * kChannelBlock;
      return s.groups * blocks(s.oc / s.groups) * blocks(s.ic / s.groups) * taps * kChannelBlock * kChannelBlock;
    case ConvAlgorithm::direct_plain:
      return blocks(s.oc) * s.ic * taps * kChannelBlock;
    case ConvAlgorithm::depthwise:
      return blocks(s.oc) * taps * kChannelBlock;
    case ConvAlgorithm::split:
      return round_up(s.oc, kSplitOutputs) * round_up(s.ic, kSplitChannels) * taps;
    case ConvAlgorithm::split_plain:
      return conv_packed_floats(ConvAlgorithm::split, split_gathered(s));
    case ConvAlgorithm::split_winograd:
      return winograd_counts(s, winograd_outputs(algorithm)).products * round_up(s.oc, kSplitOutputs) *
             round_up(s.ic, kSplitChannels);
    case ConvAlgorithm::winograd2:
    case ConvAlgorithm::winograd4:
    case ConvAlgorithm::winograd6:
      return winograd_counts(s, winograd_outputs(algorithm)).products * conv_group(algorithm, s).ic *
             blocks(conv_grouped(algorithm, s).oc) * kChannelBlock;
    case ConvAlgorithm::im2col:
    case ConvAlgorithm::nchw:
    case ConvAlgorithm::depthwise_nchw:
      return s.oc * (s.ic / s.groups) * taps;
    case ConvAlgorithm::patches:
      return s.ic * conv_patch_floats(s);
  }
  return 0;
}

bool conv_packed_is_plain(ConvAlgorithm algorithm, const ConvShape& s) {
  return !conv_gives_blocked(algorithm) && !s.transposed;
}

// An output channel for the algorithms on plain NCHW, else an output block of a group.
int64_t conv_pack_tiles(ConvAlgorithm algorithm, const ConvShape& s) {
  switch (algorithm) {
    case ConvAlgorithm::direct: {
      const ConvShape grouped = conv_grouped(algorithm, s);
      return grouped.groups * blocks(grouped.oc / grouped.groups);
    }
    case ConvAlgorithm::direct_plain:
    case ConvAlgorithm::depthwise:
      return blocks(s.oc);
    case ConvAlgorithm::winograd2:
    case ConvAlgorithm::winograd4:
    case ConvAlgorithm::winograd6:
      return blocks(conv_grouped(algorithm, s).oc);
    case ConvAlgorithm::split:
    case ConvAlgorithm::split_plain:
    case ConvAlgorithm::split_winograd:
      return ceil_div(s.oc, kSplitOutputs);
    case ConvAlgorithm::im2col:
    case ConvAlgorithm::nchw:
    case ConvAlgorithm::depthwise_nchw:
      return s.oc;
    case ConvAlgorithm::patches:
      return 1;
  }
  return 0;
}

void conv_pack(Team& team, const ConvTable& kernels, const ConvShape& s, ConvAlgorithm algorithm, const float* w,
               float* dst) {
  parallel_for(team, conv_pack_tiles(algorithm, s), [&](int64_t tile, int) {
    const NoSubnormals flushed;  // transforms make more of them
    kernels.pack.fn(s, algorithm, w, tile, dst);
  });
}

void conv(Team& team, const ConvTable& kernels, const ConvArgs& args, const ConvPlan& plan) {
  const auto run = tile_slot(kernels, plan.algorithm).fn;
  if (plan.row_tiles == 0) return;
  if (conv_gives_blocked(plan.algorithm) && plan.worker_floats > 0) {
    for (int worker = 0; worker < team.threads(); ++worker)
      std::memset(args.scratch + worker * plan.worker_floats_apart(), 0, kScratchHead * sizeof(float));
  }
  const ConvShape& s = args.shape;
  const auto flops = 2.0 * static_cast<double>(s.n * s.oc * volume(s.transposed ? s.in : s.out)) *
                     static_cast<double>(s.ic / s.groups * volume(s.kernel));
  const double ns = flops * (is_depthwise(plan.algorithm)     ? kNsPerDepthwiseFlop
                             : conv_by_halves(plan.algorithm) ? kNsPerSplitFlop
                                                              : kNsPerFlop);
  parallel_for(team, plan.tiles(s), ns, [&](int64_t tile, int worker) {
    const NoSubnormals flushed;
    run(args, plan, tile, worker);
  });
}

namespace {

template <bool kToBlocked>
void reorder(Team& team, const ConvTable& kernels, const float* x, int64_t n, int64_t c, int64_t pixels, float* y) {
  const int64_t per_image = blocks(c);
  // Pieces of about 128 KB.
  const Tiling pieces{pixels, std::max<int64_t>(256, std::min<int64_t>(pixels, 2048))};
  const double ns = kNsPerReordered * static_cast<double>(n * c * pixels);
  parallel_for(team, n * per_image * pieces.count(), ns, [&](int64_t tile, int) {
    const int64_t piece = tile % pieces.count();
    const int64_t image = tile / pieces.count() / per_image;
    const int64_t block = tile / pieces.count() % per_image;
    const int channels = static_cast<int>(std::min<int64_t>(kChannelBlock, c - block * kChannelBlock));
    const int64_t begin = pieces.begin(piece);
    const int64_t plain = (image * c + block * kChannelBlock) * pixels + begin;
    const int64_t blocked = ((image * per_image + block) * pixels + begin) * kChannelBlock;
    if constexpr (kToBlocked) {
      kernels.to_blocked.fn(x + plain, pixels, channels, pieces.end(piece) - begin, y + blocked);
    } else {
      kernels.to_plain.fn(x + blocked, pixels, channels, pieces.end(piece) - begin, y + plain);
    }
  });
}

}  // namespace

void to_blocked(Team& team, const ConvTable& kernels, const float* x, int64_t n, int64_t c, int64_t pixels, float* y) {
  reorder<true>(team, kernels, x, n, c, pixels, y);
}

void to_plain(Team& team, const ConvTable& kernels, const float* x, int64_t n, int64_t c, int64_t pixels, float* y) {
  reorder<false>(team, kernels, x, n, c, pixels, y);
}

}  // namespace tc::kernels
