// Which algorithms can compute a convolution, and which is the fastest.
#include <algorithm>

#include "tc/kernels/conv/conv_shapes.h"

namespace tc::kernels {
namespace {

// Floats of a tile's transformed input; eight tiles are 4 MB. 2048 channels of 3x3 have 74 thousand, 512 of 3x3x3 55.
constexpr int64_t kMostWinogradFloats = 128 * 1024;
bool winograd_accepts(const ConvShape& s, ConvAlgorithm algorithm) {
  const int64_t m = winograd_outputs(algorithm);
  const int64_t across = s.kernel[2], down = s.kernel[1];
  if (s.transposed || across * down == 1) return false;
  const int64_t channels = conv_group(algorithm, s).ic;
  if (winograd_counts(s, m).products * channels > kMostWinogradFloats) return false;
  if (across == 1 || down == 1) {
    if (m != 4) return false;
    if (s.stride[1] == 1 && s.stride[2] == 1) return true;
    return down == 1 && across == 3 && s.stride[1] == 1 && s.stride[2] == 2 && s.dilation[2] == 1;
  }
  if (s.stride[1] == 1 && s.stride[2] == 1) return true;
  return m < 6 && across == 3 && down == 3 && s.stride[1] == 2 && s.stride[2] == 2 && s.dilation[1] == 1 &&
         s.dilation[2] == 1;
}

// What a convolution costs, in multiply-adds: arithmetic at the share of the peak that it reaches, and the weights' way
// from memory to the core.
// Up to half a megabyte of weights stay in L2 from run to run: 16 to 32 channels at 14 x 14 want Winograd.
constexpr double kCachedWeights = 128 * 1024;
double weight_cost(const ConvTable& kernels, double floats) {
  return kernels.traits.fn().weight_price * std::max(0.0, floats - kCachedWeights);
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
// The share of the peak of transposed ones: 512 to 256 channels of 4 x 4, 256 to 128 of 8 x 8 and 128 to 64 of 16 x 16
// by 4x4 with stride 2, four images, 153, 169 and 172 of 241 GFLOP/s.
constexpr double kTransposedShare = 0.7;
double direct_cost(const ConvTable& kernels, const ConvShape& s) {
  if (s.transposed) {
    const auto weights = static_cast<double>(s.ic / s.groups * s.oc * volume(s.kernel));
    return weights * static_cast<double>(s.n * volume(s.in)) / kTransposedShare + weight_cost(kernels, weights);
  }
  const UsedTaps planes = used_taps(s, 0), rows = used_taps(s, 1), cols = used_taps(s, 2);
  const int64_t channels = s.ic / s.groups * s.oc;
  const auto weights = static_cast<double>(planes.taps * rows.taps * cols.taps * channels);
  // What lies in the padding of a dilated kernel is left out by rows, and by tiles of some columns.
  const bool apart = volume(s.dilation) > 1;
  const int64_t pairs = planes.pairs * (apart ? rows.pairs * cols.pairs : rows.taps * s.out[1] * cols.taps * s.out[2]);
  return static_cast<double>(s.n * channels) * static_cast<double>(pairs) / (apart ? 0.8 : 0.9) +
         weight_cost(kernels, weights);
}
// By halves on AMX: how many times as fast as multiply-adds at their peak, and what a number read or written costs
// beside them, and beside those of pointwise ones directly. The share that padding to whole tiles leaves is computed
// too, as is what lies between two rows of the image. Where a processor's other thread belongs to a busy guest, tiles
// take two to three times as long, multiply-adds 1.3 times, from second to second. So the method that loses less in the
// worse case is chosen. A Xeon, one thread, time by this / by Winograd's method, 3x3, quiet and busy: 16 channels of 56
// x 56 1.20 and 1.58, 32 of 28 x 28 1.03 and 1.59, of 112 x 112 0.85 and 1.66, 64 of 28 x 28 0.92 and 1.97, of 56 x 56
// 0.84 and 2.01, of 112 x 112 0.78 and 2.08, 96 of 28 x 28 0.94 and 1.92, 128 of it 0.88 and 1.90, 256 of it 0.94 and
// 2.22, 512 of it 1.01 and 1.99, 192 of 14 x 14 0.33 and 1.02, 256 of it 0.57 and 1.46, 512 of it 0.56 and 1.48, of 7 x
// 7 0.55 and 1.01; / directly, 1x1, quiet: 16 to 64 of 112 x 112 1.21, 32 to 16 of it 1.13, 24 to 72 of 56 x 56 0.92,
// 96 to 24 of it 0.70, 144 to 32 of 28 x 28 0.86, 80 to 200 of 14 x 14 0.41; quiet and busy: 64 to 256 of 56 x 56 0.50
// and 0.73, 256 to 64 of it 0.60 and 0.83, 512 to 1024 of 14 x 14 0.30 and 0.65.
constexpr double kSplitSpeed = 2.2, kSplitNumber = 18;
constexpr double kSplitPointwiseSpeed = 3.1, kSplitPointwiseNumber = 11;
double split_cost(const ConvTable& kernels, const ConvShape& s) {
  const bool pointwise = is_pointwise(s);
  const auto padded =
      static_cast<double>(volume(s.kernel) * round_up(s.ic, kSplitChannels) * round_up(s.oc, kChannelBlock));
  const ConvShape forward = split_forward(s);
  const int64_t cols = pointwise ? s.out[2] : split_region(forward, 1, forward.out[2]).cols;
  const auto pixels = static_cast<double>(round_up(s.n * forward.out[1] * cols, kChannelBlock));
  const int64_t read = s.ic * std::min(volume(s.in), volume(s.out) * volume(s.kernel)), written = s.oc * volume(s.out);
  return padded * pixels / (pointwise ? kSplitPointwiseSpeed : kSplitSpeed) + weight_cost(kernels, padded) +
         (pointwise ? kSplitPointwiseNumber : kSplitNumber) * static_cast<double>(s.n * (read + written));
}
// Up to so many input channels a first layer has.
constexpr int64_t kFirstChannels = 7;
// Of those with their taps gathered first: what a row of up to 16 taps costs, and a number read or written by the
// product and one written directly, in multiply-adds. `reordered`: what a number of the result costs afterwards. Time
// directly / so, one thread: 3 to 64 channels of 224 x 224 by 7x7 with stride 2 1.48, to 32 0.82, to 192 by 8x8 with
// stride 8 2.30, by 16x16 with stride 16 2.66, to 32 by 3x3 with stride 2 0.64; 3 to 64 of 64 x 64 by 9x9 1.55, 4 to
// 320 of it by 3x3 1.47. The first of them on plain planes / so and reordered, quiet and busy as above 1.15 and 0.85.
constexpr double kGatheredRow = 170, kDirectPlainShare = 0.75, kReordered = 40;
bool gathering_pays(const ConvTable& kernels, const ConvShape& s, bool constant_weights, double reordered) {
  if (kernels.split.fn == nullptr || !constant_weights || s.ic > kFirstChannels ||
      !conv_accepts(ConvAlgorithm::split_plain, s))
    return false;
  const auto pixels = static_cast<double>(s.n * volume(s.out)), outputs = static_cast<double>(s.oc);
  const auto weights = outputs * static_cast<double>(s.ic * volume(s.kernel));
  const auto rows = static_cast<double>(s.ic * s.kernel[1] * ceil_div(s.kernel[2], kChannelBlock));
  // By a margin: large results wait for memory either way.
  return 1.15 * (split_cost(kernels, split_gathered(s)) + pixels * (rows * kGatheredRow + outputs * reordered)) <
         pixels * (weights / kDirectPlainShare + outputs * kSplitPointwiseNumber) + weight_cost(kernels, weights);
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
double winograd_cost(const ConvTable& kernels, const ConvShape& shape, ConvAlgorithm algorithm) {
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

// The same by halves, at the speed of split_cost. A Xeon as above, one thread, time by this / directly by halves, quiet
// and busy: 64 channels of 56 x 56 1.13 and 0.65, 96 of 28 x 28 1.00 and 0.61, 128 of it 0.94 and 0.59, 192 of 14 x 14
// 1.05 and 0.66, 256 of it 1.06 and 0.69, 512 of it 0.92 and 0.67, of 7 x 7 1.22 and 0.65, quiet 128 to 32 of 14 x 14
// 1.24; / by m = 4 of f32: 64 of 28 x 28 1.00 and 1.27, of 56 x 56 0.95 and 1.24, 96 of 28 x 28 0.83 and 1.17, 128 of
// it 0.82 and 1.08, of 56 x 56 0.73 and 1.15, 256 of 28 x 28 0.89 and 1.15, 512 of 14 x 14 0.60 and 0.80. (By m = 4
// with halves 0.70 and 0.88 of these, but the error would be 4e-5, and in a U-Net of 23 convolutions 9e-5.)
constexpr double kSplitTransformedNumber = 15;
double split_winograd_cost(const ConvTable& kernels, const ConvShape& s) {
  constexpr int64_t m = winograd_outputs(ConvAlgorithm::split_winograd);
  const auto [products, elements] = winograd_counts(s, m);
  const int64_t tiles = winograd_tiles(s, m);
  const auto planes = static_cast<double>(s.n * s.out[0]);
  const auto weights = static_cast<double>(products * round_up(s.ic, kSplitChannels) * round_up(s.oc, kChannelBlock));
  return planes * weights * static_cast<double>(round_up(tiles, kChannelBlock)) / kSplitSpeed +
         weight_cost(kernels, weights) +
         kSplitTransformedNumber * planes * static_cast<double>(tiles * (products * s.ic + elements * s.oc));
}

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
      // Every remainder of a stride has taps.
      return flat && s.groups == 1 &&
             (!s.transposed || (volume(s.dilation) == 1 && s.pad[1] >= 0 && s.pad[2] >= 0 &&
                                s.kernel[1] >= s.stride[1] && s.kernel[2] >= s.stride[2]));
    case ConvAlgorithm::split_plain:
      return flat && s.groups == 1 && !s.transposed && s.dilation[2] == 1;
    case ConvAlgorithm::split_winograd:
      return s.groups == 1 && volume(s.stride) == 1 && winograd_accepts(s, algorithm);
    case ConvAlgorithm::winograd2:
    case ConvAlgorithm::winograd4:
    case ConvAlgorithm::winograd6:
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

ConvAlgorithm conv_preferred(const ConvTable& kernels, const ConvShape& s, bool constant_weights) {
  if (conv_accepts(ConvAlgorithm::depthwise, s)) return ConvAlgorithm::depthwise;
  // A first layer gains nothing from blocks that are mostly padding.
  if (gathering_pays(kernels, s, constant_weights, 0)) return ConvAlgorithm::split_plain;
  if (s.ic <= kFirstChannels && conv_accepts(ConvAlgorithm::direct_plain, s)) return ConvAlgorithm::direct_plain;
  if (constant_weights && s.ic >= kChannelBlock && s.oc >= kChannelBlock) {
    ConvAlgorithm best = ConvAlgorithm::direct;
    double least = direct_cost(kernels, s) / groups_share(s);
    const auto consider = [&](ConvAlgorithm a, auto cost) {
      if (!conv_accepts(a, s)) return;
      if (const double c = cost(); c < least) best = a, least = c;
    };
    if (kernels.split.fn != nullptr) {
      consider(ConvAlgorithm::split, [&] { return split_cost(kernels, s); });
      consider(ConvAlgorithm::split_winograd, [&] { return split_winograd_cost(kernels, s); });
    }
    if (kernels.winograd.fn != nullptr)
      for (const auto a : {ConvAlgorithm::winograd2, ConvAlgorithm::winograd4, ConvAlgorithm::winograd6})
        consider(a, [&] { return winograd_cost(kernels, s, a); });
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
  if (gathering_pays(kernels, s, constant_weights, kReordered)) return ConvAlgorithm::split_plain;
  // Few input channels by large patches. 3 to 96 channels of 224 x 224 by 4x4 on Zen 5 0.234 to 0.170 ms (AVX2 0.43 to
  // 0.33), eight images 3.1 to 1.8, 3 to 192 by 8x8 0.34 to 0.30; 32 to 64 of 56 x 56 by 2x2 0.087, so 0.101, 3 to 768
  // of 224 x 224 by 16x16 1.34, so 1.41.
  if (conv_by_patches(s) && s.kernel[2] >= 4 && s.ic * volume(s.kernel) <= kIm2colK) return ConvAlgorithm::im2col;
  const ConvAlgorithm blocked = conv_preferred(kernels, s, constant_weights);
  if (!conv_accepts(ConvAlgorithm::nchw, s) || nchw_use(s) < 0.8) return blocked;
  // What halves save must pay for both reorders, and for the way to halves, in multiply-adds. A Xeon, time by these /
  // by plain planes: 24 to 72 of 56 x 56 1.8, 32 to 64 of it 1.3, 144 to 32 of 28 x 28 1.2, 40 to 120 of it 1.1, 64 to
  // 64 and 120 to 40 of it 1.0, 240 to 80 of 14 x 14 0.66.
  constexpr int64_t kWritten = 23, kRead = 57;
  if (blocked == ConvAlgorithm::split && is_pointwise(s))
    return s.oc * s.ic < kWritten * s.oc + kRead * s.ic ? ConvAlgorithm::nchw : blocked;
  const bool first_layer = blocked == ConvAlgorithm::direct_plain || blocked == ConvAlgorithm::split_plain;
  if (blocked != ConvAlgorithm::direct && !first_layer) return blocked;
  // With fewer multiply-adds to a float that two reorders move, these take longer than blocked kernels save. Time by
  // plain planes / by those, one thread: 64 to 256 channels of 56 x 56 by 1x1 0.84, 512 to 512 of 16 x 16 1.01, of
  // 14 x 14, whose last register is not full, 384 to 64 0.85, 192 to 768 1.07, 256 to 1024 1.13; 128 to 128 of 400 by
  // 3 1.05; 64 to 64 of 56 x 56 by 3x1 1.33, by 1x7 1.26, 64 to 128 by 3x3 with stride 2 1.92, 8 to 16 by 5x5 1.07; of
  // first layers, 3 to 64 of 64 x 64 by 9x9 0.90, 4 to 32 of 84 x 84 by 8x8 with stride 4 2.2.
  const bool at_ease = is_pointwise(s) || (first_layer && s.stride[2] <= 2);
  const double most = is_pointwise(s) && nchw_use(s) < 0.97 ? 70 : at_ease ? 300 : s.out[1] == 1 ? 200 : 40;
  const auto sums = static_cast<double>(s.oc * (s.ic / s.groups) * volume(s.kernel));
  const auto moved = static_cast<double>(s.oc + s.ic * volume(s.stride));
  return sums < most * moved ? ConvAlgorithm::nchw : blocked;
}

}  // namespace tc::kernels
