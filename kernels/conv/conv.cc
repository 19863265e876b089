#include "tc/kernels/conv/conv.h"

#include <algorithm>
#include <cstring>

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
constexpr int64_t kIm2colK = 384;
// Output columns of a tile on plain NCHW, and what they are a multiple of.
constexpr int64_t kNchwCols = 256, kNchwPiece = 64;
// Output channels for which a tile copies its input. 256 to 1024 channels of 14 x 14, four pieces of columns of which
// the last is short: two threads 0.61 to 0.53 ms, one thread 0.97 to 0.98.
constexpr int64_t kLeastNchwChannels = 64;

int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}
int64_t round_up(int64_t a, int64_t b) {
  return ceil_div(a, b) * b;
}
int64_t blocks(int64_t channels) {
  return ceil_div(channels, kChannelBlock);
}
int64_t volume(const int64_t (&v)[3]) {
  return v[0] * v[1] * v[2];
}

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

bool is_pointwise(const ConvShape& s) {
  return !s.transposed && volume(s.kernel) == 1 && volume(s.stride) == 1 && volume(s.in) == volume(s.out) &&
         volume(s.pad) == 0;
}

void plan_direct(ConvPlan& p, const ConvShape& s) {
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
  p.chunk = std::clamp<int64_t>(ceil_div(chunk_steps, taps * block), 1, in_blocks);
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
constexpr int64_t kSplitChannels = 32, kSplitOutputs = 32;

int64_t split_region_floats(const ConvShape& s, int64_t rows, int64_t cols) {
  return ceil_div(s.ic, kSplitChannels) * split_region(s, rows, cols).block / static_cast<int64_t>(sizeof(float));
}

void plan_split(ConvPlan& p, const ConvShape& s) {
  p.rows = s.out[1];
  p.cols = s.out[2];
  const bool pointwise = is_pointwise(s);
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
  p.tap_floats = round_up(2 * volume(s.kernel), 16);
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
      return kernels.split;
    case ConvAlgorithm::winograd2:
    case ConvAlgorithm::winograd4:
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

int64_t winograd_outputs(ConvAlgorithm a) {
  return a == ConvAlgorithm::winograd2 ? 2 : 4;
}
// What a transform makes of one axis: winograd_forms_tier.h.
struct WinogradAxis {
  int64_t outputs, line, points, pieces;
};
WinogradAxis winograd_axis(const ConvShape& s, int axis, int64_t m) {
  if (s.kernel[axis] == 1) return {1, 1, 1, 1};
  const int64_t stride = s.stride[axis], line = stride * (m - 1) + 3;
  return {m, line, ceil_div(line, stride), ceil_div(s.kernel[axis], 3)};
}
// Of a tile of outputs: numbers that its input is transformed to, each of which has a weight of its own, and elements
// that the output comes from.
struct WinogradCounts {
  int64_t products, elements;
};
WinogradCounts winograd_counts(const ConvShape& s, int64_t m) {
  const WinogradAxis y = winograd_axis(s, 1, m), x = winograd_axis(s, 2, m);
  return {y.line * x.line * s.kernel[0] * y.pieces * x.pieces, y.points * x.points};
}
// Tiles of an image's plane; their outputs are a dilation apart.
int64_t winograd_tiles(const ConvShape& s, int64_t m) {
  int64_t tiles = 1;
  for (int i = 1; i < 3; ++i) {
    const int64_t apart = winograd_apart(s, i);
    tiles *= std::min(apart, s.out[i]) * ceil_div(ceil_div(s.out[i], apart), winograd_axis(s, i, m).outputs);
  }
  return tiles;
}
// Floats of a tile's transformed input; eight tiles are 4 MB. 2048 channels of 3x3 have 74 thousand, 512 of 3x3x3 55.
constexpr int64_t kMostWinogradFloats = 128 * 1024;
bool winograd_accepts(const ConvShape& s, ConvAlgorithm algorithm) {
  const int64_t m = winograd_outputs(algorithm);
  const int64_t across = s.kernel[2], down = s.kernel[1];
  if (s.transposed || across * down == 1) return false;
  const int64_t channels = conv_group(conv_grouped(algorithm, s)).ic;
  if (winograd_counts(s, m).products * channels > kMostWinogradFloats) return false;
  if (across == 1 || down == 1) {
    if (m == 2) return false;
    if (s.stride[1] == 1 && s.stride[2] == 1) return true;
    return down == 1 && across == 3 && s.stride[1] == 1 && s.stride[2] == 2 && s.dilation[2] == 1;
  }
  if (s.stride[1] == 1 && s.stride[2] == 1) return true;
  return across == 3 && down == 3 && s.stride[1] == 2 && s.stride[2] == 2 && s.dilation[1] == 1 && s.dilation[2] == 1;
}

// What a Winograd tile of the plan works on, transformed input and products, as a share of L2: they go through it one
// after the other, and longer tiles read the weights less often. Zen 5, 0.625, 1.25, 1.8 and 2.5, one thread:
// unet 54.7, 52.6, 52.4, 52.3 ms, resnet18 12.7, 12.1, 12.0, 12.1; two threads: unet 33.0, 31.5, 31.7, 32.3.
constexpr double kWinogradShare = 1.25;

// s: of conv_group.
void plan_winograd(ConvPlan& p, const ConvShape& s, int width) {
  const int64_t m = winograd_outputs(p.algorithm);
  const auto [products, elements] = winograd_counts(s, m);
  const int64_t channels = blocks(s.ic) * kChannelBlock;
  const auto l2 = static_cast<int64_t>(kWinogradShare * static_cast<double>(cpu_info().l2_bytes / sizeof(float)));
  const int64_t most = std::clamp<int64_t>(l2 / (products * channels + elements * width), 8, 64);
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

// What a convolution costs, in multiply-adds: arithmetic at the share of the peak that it reaches, and the weights' way
// from memory to the core. One float comes in the time of 28 multiply-adds with one thread, of 51 with two (76 G of
// them and 11 GB/s per core, 12 GB/s for both), of which about half is hidden behind arithmetic. Cores of Zen 4 read
// faster and compute less: resnet18, one thread and two, with 24 19.0 and 10.2 ms, 16 17.3 and 9.7, 12 17.2 and 9.8, 6
// 20.2 and 12.1.
constexpr double kWeightPrice = 24, kWeightPriceAmd = 14;
// Up to half a megabyte of weights stay in L2 from run to run: 16 to 32 channels at 14 x 14 want Winograd.
constexpr double kCachedWeights = 128 * 1024;
double weight_cost(double floats) {
  return (cpu_info().amd ? kWeightPriceAmd : kWeightPrice) * std::max(0.0, floats - kCachedWeights);
}
// Kernel indices that meet the image for some output, and for how many outputs each does.
struct UsedTaps {
  int64_t taps = 0, pairs = 0;
};
UsedTaps used_taps(const ConvShape& s, int axis) {
  UsedTaps used;
  for (int64_t k = 0; k < s.kernel[axis]; ++k) {
    const int64_t at = k * s.dilation[axis] - s.pad[axis], stride = s.stride[axis];
    const int64_t first = at >= 0 ? 0 : ceil_div(-at, stride);
    const int64_t last = std::min(s.out[axis], ceil_div(s.in[axis] - at, stride));
    if (last <= first) continue;
    ++used.taps;
    used.pairs += last - first;
  }
  return used;
}
double direct_cost(const ConvShape& s) {
  const UsedTaps planes = used_taps(s, 0), rows = used_taps(s, 1), cols = used_taps(s, 2);
  const int64_t channels = s.ic / s.groups * s.oc;
  const auto weights = static_cast<double>(planes.taps * rows.taps * cols.taps * channels);
  // What lies in the padding of a dilated kernel is left out by rows, and by tiles of some columns.
  const bool apart = volume(s.dilation) > 1;
  const int64_t pairs = planes.pairs * (apart ? rows.pairs * cols.pairs : rows.taps * s.out[1] * cols.taps * s.out[2]);
  return static_cast<double>(s.n * channels) * static_cast<double>(pairs) / (apart ? 0.8 : 0.9) + weight_cost(weights);
}
// The share that padding to whole tiles leaves is computed too; a number's way to halves takes as long as 10 of them.
double split_cost(const ConvShape& s) {
  const auto padded =
      static_cast<double>(volume(s.kernel) * round_up(s.ic, kSplitChannels) * round_up(s.oc, kChannelBlock));
  const auto pixels = static_cast<double>(round_up(s.n * s.out[1] * s.out[2], kChannelBlock));
  const auto read =
      static_cast<double>(s.n * s.ic) * static_cast<double>(std::min(volume(s.in), volume(s.out) * volume(s.kernel)));
  return padded * pixels / 1.5 + 10 * read + weight_cost(padded);
}
// Of a plane: fewer wait for the weights.
constexpr int64_t kFewestTiles = 4;
// Sums of stride 2 are four times as long, which hides more. Zen 4, one thread, time by this / directly, with weights
// from memory: 128 to 256 channels of 28 x 28 by m = 2 0.76, 256 to 256 0.78, 256 to 512 of 14 x 14 1.08; m = 4: 32 to
// 64 of 112 x 112 0.67, 128 to 128 of 56 x 56 0.67, 64 to 128 of 28 x 28 1.03.
double winograd_cost(const ConvShape& shape, ConvAlgorithm algorithm) {
  const int64_t m = winograd_outputs(algorithm), groups = conv_grouped(algorithm, shape).groups;
  const ConvShape s = conv_group(conv_grouped(algorithm, shape));
  const auto [products, elements] = winograd_counts(s, m);
  const auto tiles = static_cast<double>(s.n * s.out[0] * std::max(kFewestTiles, winograd_tiles(s, m)));
  const auto weights = static_cast<double>(products * s.ic * s.oc);
  const double transforms = 12 * tiles * static_cast<double>(products * s.ic + elements * s.oc);
  const double reads = weight_cost(static_cast<double>(groups) * weights);
  if (s.stride[2] == 2) return weights * tiles / 0.9 + transforms + reads / 2;
  return weights * tiles / 0.8 + transforms + reads;
}

}  // namespace

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

bool conv_accepts(ConvAlgorithm algorithm, const ConvShape& s) {
  const int64_t per_group_in = s.ic / s.groups;
  const int64_t per_group_out = s.oc / s.groups;
  const bool flat = s.in[0] == 1 && s.out[0] == 1 && s.kernel[0] == 1 && s.pad[0] == 0;
  switch (algorithm) {
    case ConvAlgorithm::direct:
      return s.groups == 1 || conv_by_lanes(algorithm, s) ||
             (per_group_in % kChannelBlock == 0 && per_group_out % kChannelBlock == 0);
    case ConvAlgorithm::direct_plain:
      return s.groups == 1;
    case ConvAlgorithm::depthwise:
    case ConvAlgorithm::depthwise_nchw:
      return flat && !s.transposed && s.groups == s.ic && s.groups == s.oc;
    case ConvAlgorithm::split:
      return flat && !s.transposed && s.groups == 1;
    case ConvAlgorithm::winograd2:
    case ConvAlgorithm::winograd4:
      return winograd_accepts(s, algorithm);
    case ConvAlgorithm::im2col:
      return true;
    case ConvAlgorithm::nchw:
      return flat && !s.transposed;
    case ConvAlgorithm::patches:
      for (int i = 0; i < 3; ++i)
        if (s.kernel[i] != s.stride[i] || s.dilation[i] != 1 || s.pad[i] != 0 || s.out[i] != s.in[i] * s.kernel[i])
          return false;
      return s.transposed && s.groups == 1 && s.oc <= kFewOutputs && conv_patch_floats(s) <= kMostPatchFloats;
  }
  return false;
}

namespace {

// The share of vector lanes that work on pixels of plain NCHW.
double nchw_use(const ConvShape& s) {
  const int64_t cols = is_pointwise(s) ? s.out[1] * s.out[2] : s.out[2];
  return static_cast<double>(cols) / static_cast<double>(round_up(cols, kChannelBlock));
}
// With less of them im2col is faster.
constexpr double kLeastNchwUse = 0.7;

// The share of what direct reaches that it has with groups, of short sums for few outputs, and that those have which
// are no whole blocks and run on plain planes. Zen 3 at 90 GFLOP/s, one thread: 32 groups of 4 channels of 56 x 56 on
// planes 0.97 ms, by m = 4 1.10; of 8 of 28 x 28 0.84 and 0.53; of 16 of 14 x 14 directly 0.49, by m = 2 0.41; of 32 of
// 7 x 7 0.55, by m = 4 0.38.
double groups_share(const ConvShape& s) {
  if (s.groups == 1) return 1;
  if (conv_accepts(ConvAlgorithm::direct, s)) return 0.75;
  return nchw_use(s) > kLeastNchwUse ? 0.42 : 0.15;
}

}  // namespace

ConvAlgorithm conv_preferred(const ConvTable& kernels, const ConvShape& s, bool constant_weights) {
  if (conv_accepts(ConvAlgorithm::depthwise, s)) return ConvAlgorithm::depthwise;
  // A first layer gains nothing from blocks that are mostly padding.
  if (s.ic < 8 && conv_accepts(ConvAlgorithm::direct_plain, s)) return ConvAlgorithm::direct_plain;
  if (constant_weights && s.ic >= kChannelBlock && s.oc >= kChannelBlock) {
    ConvAlgorithm best = ConvAlgorithm::direct;
    double least = direct_cost(s) / groups_share(s);
    const auto consider = [&](ConvAlgorithm a, auto cost) {
      if (!conv_accepts(a, s)) return;
      if (const double c = cost(); c < least) best = a, least = c;
    };
    if (kernels.split.fn != nullptr) consider(ConvAlgorithm::split, [&] { return split_cost(s); });
    consider(ConvAlgorithm::winograd4, [&] { return winograd_cost(s, ConvAlgorithm::winograd4); });
    consider(ConvAlgorithm::winograd2, [&] { return winograd_cost(s, ConvAlgorithm::winograd2); });
    if (best != ConvAlgorithm::direct) return best;
  }
  // One thread, AVX-512, 64 channels of 56 x 56: direct 257 GFLOP/s, im2col 162.
  if (conv_accepts(ConvAlgorithm::direct, s)) return ConvAlgorithm::direct;
  if (conv_accepts(ConvAlgorithm::nchw, s) && nchw_use(s) > kLeastNchwUse) return ConvAlgorithm::nchw;
  return ConvAlgorithm::im2col;
}

ConvAlgorithm conv_preferred_plain(const ConvTable& kernels, const ConvShape& s, bool constant_weights) {
  // Short lines leave registers half empty. 144 channels of 56 columns: 0.40 ms against 0.69 with two reorders; with
  // stride 2, 0.22 against 0.38.
  if (conv_accepts(ConvAlgorithm::depthwise_nchw, s) && s.in[2] >= 24) return ConvAlgorithm::depthwise_nchw;
  // Few input channels by large patches. 3 to 96 channels of 224 x 224 by 4x4 on Zen 5 0.234 to 0.170 ms (AVX2 0.43 to
  // 0.33), eight images 3.1 to 1.8, 3 to 192 by 8x8 0.34 to 0.30; 32 to 64 of 56 x 56 by 2x2 0.087, so 0.101, 3 to 768
  // of 224 x 224 by 16x16 1.34, so 1.41.
  if (conv_by_patches(s) && s.kernel[2] >= 4 && s.ic * volume(s.kernel) <= kIm2colK) return ConvAlgorithm::im2col;
  const ConvAlgorithm blocked = conv_preferred(kernels, s, constant_weights);
  const bool direct = blocked == ConvAlgorithm::direct || blocked == ConvAlgorithm::direct_plain;
  if (!direct || !conv_accepts(ConvAlgorithm::nchw, s) || nchw_use(s) < 0.8) return blocked;
  // With fewer multiply-adds to a float that two reorders move, these take longer than blocked kernels save. Time by
  // plain planes / by those, one thread: 64 to 256 channels of 56 x 56 by 1x1 0.84, 512 to 512 of 16 x 16 1.01, of
  // 14 x 14, whose last register is not full, 384 to 64 0.85, 192 to 768 1.07, 256 to 1024 1.13; 128 to 128 of 400 by
  // 3 1.05; 64 to 64 of 56 x 56 by 3x1 1.33, by 1x7 1.26, 64 to 128 by 3x3 with stride 2 1.92, 8 to 16 by 5x5 1.07; of
  // first layers, 3 to 64 of 64 x 64 by 9x9 0.90, 4 to 32 of 84 x 84 by 8x8 with stride 4 2.2.
  const bool at_ease = is_pointwise(s) || (blocked == ConvAlgorithm::direct_plain && s.stride[2] <= 2);
  const double most = is_pointwise(s) && nchw_use(s) < 0.97 ? 70 : at_ease ? 300 : s.out[1] == 1 ? 200 : 40;
  const auto sums = static_cast<double>(s.oc * (s.ic / s.groups) * volume(s.kernel));
  const auto moved = static_cast<double>(s.oc + s.ic * volume(s.stride));
  return sums < most * moved ? ConvAlgorithm::nchw : blocked;
}

ConvPlan conv_plan(ConvAlgorithm algorithm, const ConvShape& s, int width) {
  ConvPlan p;
  p.algorithm = algorithm;
  p.groups = is_depthwise(algorithm) ? 1 : conv_grouped(algorithm, s).groups;
  if (s.n == 0 || s.oc == 0 || volume(s.out) == 0) return p;
  switch (algorithm) {
    case ConvAlgorithm::direct:
    case ConvAlgorithm::direct_plain:
      plan_direct(p, conv_grouped(algorithm, s));
      break;
    case ConvAlgorithm::depthwise:
      plan_depthwise(p, s);
      break;
    case ConvAlgorithm::split:
      plan_split(p, s);
      break;
    case ConvAlgorithm::winograd2:
    case ConvAlgorithm::winograd4:
      plan_winograd(p, conv_group(conv_grouped(algorithm, s)), width);
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
    case ConvAlgorithm::winograd2:
    case ConvAlgorithm::winograd4:
      return winograd_counts(s, winograd_outputs(algorithm)).products * conv_group(conv_grouped(algorithm, s)).ic *
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
      return blocks(conv_grouped(algorithm, s).oc);
    case ConvAlgorithm::split:
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
  const double ns = flops * (is_depthwise(plan.algorithm)             ? kNsPerDepthwiseFlop
                             : plan.algorithm == ConvAlgorithm::split ? kNsPerSplitFlop
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
