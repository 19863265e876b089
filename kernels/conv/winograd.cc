// Winograd's method: see winograd_tier.cc for its tiles, winograd_amx.cc for those in split bf16.
#include <algorithm>

#include "tc/kernels/conv/conv_shapes.h"
#include "tc/kernels/cpu.h"

namespace tc::kernels {
namespace {

// What a Winograd tile of the plan works on, transformed input and products, as a share of L2: they go through it one
// after the other, and longer tiles read the weights less often. Zen 5, 0.625, 1.25, 1.8 and 2.5, one thread:
// unet 54.7, 52.6, 52.4, 52.3 ms, resnet18 12.7, 12.1, 12.0, 12.1; two threads: unet 33.0, 31.5, 31.7, 32.3.
constexpr double kWinogradShare = 1.25;

int64_t winograd_floats() {
  return static_cast<int64_t>(kWinogradShare * static_cast<double>(cpu_info().l2_bytes / sizeof(float)));
}

void plan(ConvPlan& p, const ConvShape& given, int width) {
  const ConvShape s = conv_group(p.algorithm, given);
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

// The same in split bf16, whose products are of 32 tiles and 32 outputs. Strips of these share an element's input as
// long as it is near; where there are few, ranges are shorter: 128 to 32 channels of 14 x 14, two threads, 0.042 to
// 0.026 ms, 256 to 32 0.090 to 0.048.
constexpr int64_t kMostStrips = 4, kWantedStripTiles = 4;
void plan_split(ConvPlan& p, const ConvShape& s, int) {
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

// Floats of a tile's transformed input; eight tiles are 4 MB. 2048 channels of 3x3 have 74 thousand, 512 of 3x3x3 55.
constexpr int64_t kMostWinogradFloats = 128 * 1024;
const char* refuses(ConvAlgorithm algorithm, const ConvShape& s) {
  const int64_t m = winograd_outputs(algorithm);
  const int64_t across = s.kernel[2], down = s.kernel[1];
  if (s.transposed) return "transposed";
  if (across * down == 1) return "pointwise";
  const int64_t channels = conv_group(algorithm, s).ic;
  if (winograd_counts(s, m).products * channels > kMostWinogradFloats) return "a transformed tile overflows the cache";
  const bool one_axis = across == 1 || down == 1;
  if (one_axis && m != 4) return "one axis";
  if (s.stride[1] == 1 && s.stride[2] == 1) return nullptr;
  if (one_axis) {
    const bool by_2 = down == 1 && across == 3 && s.stride[1] == 1 && s.stride[2] == 2 && s.dilation[2] == 1;
    return by_2 ? nullptr : "strides";
  }
  const bool by_2 = m < 6 && across == 3 && down == 3 && s.stride[1] == 2 && s.stride[2] == 2 && s.dilation[1] == 1 &&
                    s.dilation[2] == 1;
  return by_2 ? nullptr : "strides";
}
const char* refuses_split(ConvAlgorithm algorithm, const ConvShape& s) {
  if (s.groups != 1) return "there are groups";
  if (volume(s.stride) != 1) return "strides";
  return refuses(algorithm, s);
}

// Of a plane: fewer wait for the weights.
constexpr int64_t kFewestTiles = 4;
// Sums of stride 2 are four times as long, which hides more. Zen 4, one thread, time by this / directly, with weights
// from memory: 128 to 256 channels of 28 x 28 by m = 2 0.76, 256 to 256 0.78, 256 to 512 of 14 x 14 1.08; m = 4: 32 to
// 64 of 112 x 112 0.67, 128 to 128 of 56 x 56 0.67, 64 to 128 of 28 x 28 1.03.
//
// The 64 numbers of m = 6 do not fit registers while they are transformed, which takes back what its products save, the
// more the wider these are. A Xeon, one thread, time by m = 6 / by m = 4 with AVX-512, AVX2 and SSE4.2: 32 channels of
// 112 x 112 0.94, 0.94 and 0.85, 64 of it 1.04, 0.95 and 0.85, 128 of it 0.98, 0.95 and 0.86, 64 of 224 x 224 1.02,
// 0.92 and 0.88, 64 of 56 x 56 1.06, 0.99 and 0.93, 256 of it 1.09, 0.98 and 0.94, 32 of 28 x 28 1.12, 1.05 and 0.98.
constexpr double kTransformedNumber = 12;
double cost(ConvAlgorithm algorithm, const ConvQuery& q) {
  const ConvTable& kernels = q.kernels;
  const ConvShape& shape = q.shape;
  const int64_t m = winograd_outputs(algorithm), groups = conv_grouped(algorithm, shape).groups;
  const ConvShape s = conv_group(algorithm, shape);
  const auto [products, elements] = winograd_counts(s, m);
  const auto tiles = static_cast<double>(s.n * s.out[0] * std::max(kFewestTiles, winograd_tiles(s, m)));
  const auto weights = static_cast<double>(products * s.ic * s.oc);
  const double number =
      algorithm == ConvAlgorithm::winograd6 ? kernels.traits.fn().winograd6_number : kTransformedNumber;
  const double transforms = number * tiles * static_cast<double>(products * s.ic + elements * s.oc);
  const double reads = weight_cost(kernels, static_cast<double>(groups) * weights);
  if (s.stride[2] == 2) return weights * tiles / 0.9 + transforms + reads / 2;
  return weights * tiles / 0.8 + transforms + reads;
}

// The same in split bf16, at the speed of split_cost. A Xeon as above, one thread, time by this / directly in split
// bf16, quiet and busy: 64 channels of 56 x 56 1.13 and 0.65, 96 of 28 x 28 1.00 and 0.61, 128 of it 0.94 and 0.59, 192
// of 14 x 14 1.05 and 0.66, 256 of it 1.06 and 0.69, 512 of it 0.92 and 0.67, of 7 x 7 1.22 and 0.65, quiet 128 to 32
// of 14 x 14 1.24; / by m = 4 of f32: 64 of 28 x 28 1.00 and 1.27, of 56 x 56 0.95 and 1.24, 96 of 28 x 28 0.83
// and 1.17, 128 of it 0.82 and 1.08, of 56 x 56 0.73 and 1.15, 256 of 28 x 28 0.89 and 1.15, 512 of 14 x 14 0.60 and
// 0.80. (By m = 4 with split bf16 0.70 and 0.88 of these, but the error would be 4e-5, and in a U-Net of 23
// convolutions 9e-5.)
constexpr double kSplitTransformedNumber = 15;
double split_winograd_cost(ConvAlgorithm, const ConvQuery& q) {
  const ConvTable& kernels = q.kernels;
  const ConvShape& s = q.shape;
  constexpr int64_t m = winograd_outputs(ConvAlgorithm::split_winograd);
  const auto [products, elements] = winograd_counts(s, m);
  const int64_t tiles = winograd_tiles(s, m);
  const auto planes = static_cast<double>(s.n * s.out[0]);
  const auto weights = static_cast<double>(products * round_up(s.ic, kSplitChannels) * round_up(s.oc, kChannelBlock));
  return planes * weights * static_cast<double>(round_up(tiles, kChannelBlock)) / kSplitSpeed +
         weight_cost(kernels, weights) +
         kSplitTransformedNumber * planes * static_cast<double>(tiles * (products * s.ic + elements * s.oc));
}

int64_t packed_floats(ConvAlgorithm a, const ConvShape& s) {
  return winograd_counts(s, winograd_outputs(a)).products * conv_group(a, s).ic * blocks(conv_grouped(a, s).oc) *
         kChannelBlock;
}
int64_t packed_floats_split(ConvAlgorithm a, const ConvShape& s) {
  return winograd_counts(s, winograd_outputs(a)).products * round_up(s.oc, kSplitOutputs) *
         round_up(s.ic, kSplitChannels);
}

// An output block, or a strip of two.
int64_t pack_tiles(ConvAlgorithm a, const ConvShape& s) {
  return blocks(conv_grouped(a, s).oc);
}
int64_t pack_tiles_split(ConvAlgorithm, const ConvShape& s) {
  return ceil_div(s.oc, kSplitOutputs);
}
void pack(const ConvTable& kernels, ConvAlgorithm a, const ConvShape& s, const float* w, int64_t tile, float* dst) {
  kernels.winograd_pack.fn(s, a, w, tile, dst);
}
void pack_split(const ConvTable& kernels, ConvAlgorithm a, const ConvShape& s, const float* w, int64_t tile,
                float* dst) {
  kernels.split_pack.fn(s, a, w, tile, dst);
}

constexpr ConvRow kForms{.refuses = refuses,
                         .declines = declines_blocked,
                         .cost = cost,
                         .plan = plan,
                         .packed_floats = packed_floats,
                         .pack_tiles = pack_tiles,
                         .pack = pack,
                         .ns_per_flop = kNsPerFlop,
                         .constant_weights = true};

}  // namespace

constexpr ConvRow conv_row_winograd2 = kForms, conv_row_winograd4 = kForms, conv_row_winograd6 = kForms;
constexpr ConvRow conv_row_split_winograd{.refuses = refuses_split,
                                          .declines = declines_blocked,
                                          .cost = split_winograd_cost,
                                          .plan = plan_split,
                                          .packed_floats = packed_floats_split,
                                          .pack_tiles = pack_tiles_split,
                                          .pack = pack_split,
                                          .ns_per_flop = kNsPerSplitFlop,
                                          .constant_weights = true};

}  // namespace tc::kernels
