// What planning and choosing convolutions have in common; private to them.
#pragma once
#include <algorithm>

#include "tc/kernels/conv/algorithm.h"
#include "tc/kernels/rounding.h"

namespace tc::kernels {
namespace {

inline constexpr int64_t kIm2colK = 384;  // steps at a time
inline constexpr int64_t kSplitChannels = 32, kSplitOutputs = 32, kSplitTiles = 32;

inline int64_t blocks(int64_t channels) {
  return ceil_div(channels, kChannelBlock);
}
inline int64_t volume(const int64_t (&v)[3]) {
  return v[0] * v[1] * v[2];
}

inline bool is_pointwise(const ConvShape& s) {
  return !s.transposed && volume(s.kernel) == 1 && volume(s.stride) == 1 && volume(s.in) == volume(s.out) &&
         volume(s.pad) == 0;
}

// What a transform makes of one axis: winograd_forms_tier.h.
struct WinogradAxis {
  int64_t outputs, line, points, pieces;
};
inline WinogradAxis winograd_axis(const ConvShape& s, int axis, int64_t m) {
  if (s.kernel[axis] == 1) return {1, 1, 1, 1};
  const int64_t stride = s.stride[axis], line = stride * (m - 1) + 3;
  return {m, line, ceil_div(line, stride), ceil_div(s.kernel[axis], 3)};
}
// Of a tile of outputs: numbers that its input is transformed to, each of which has a weight of its own, and elements
// that the output comes from.
struct WinogradCounts {
  int64_t products, elements;
};
inline WinogradCounts winograd_counts(const ConvShape& s, int64_t m) {
  const WinogradAxis y = winograd_axis(s, 1, m), x = winograd_axis(s, 2, m);
  return {y.line * x.line * s.kernel[0] * y.pieces * x.pieces, y.points * x.points};
}
// Tiles of an image's plane; their outputs are a dilation apart.
inline int64_t winograd_tiles(const ConvShape& s, int64_t m) {
  int64_t tiles = 1;
  for (int i = 1; i < 3; ++i) {
    const int64_t apart = winograd_apart(s, i);
    tiles *= std::min(apart, s.out[i]) * ceil_div(ceil_div(s.out[i], apart), winograd_axis(s, i, m).outputs);
  }
  return tiles;
}

// Steps of K between two visits of an output tile: 64 input channels of a 3x3 kernel and 64 output channels are 147 KB
// of weights, which stay in L2 beside the input.
inline constexpr int64_t kChunkSteps = 512;
// The copy of a padded input region stays in L2.
inline constexpr int64_t kRegionFloats = 64 * 1024;
inline constexpr int64_t kWantedTiles = 16;
// Fewer where each tile would read many weights anew.
inline constexpr int64_t kWantedFewTiles = 8, kHeavyWeights = 256 * 1024;
// Some 5 us of one core: claiming a tile takes 0.1 us.
inline constexpr double kLeastTileFlops = 6e5;
// What shows whether a call is worth a second thread.
inline constexpr double kNsPerFlop = 0.01, kNsPerSplitFlop = 0.005, kNsPerDepthwiseFlop = 0.06;

// Input rows or columns that `count` outputs of one phase read.
inline int64_t reach(const ConvShape& s, int axis, int64_t count) {
  if (s.transposed) return count + ceil_div((s.kernel[axis] - 1) * s.dilation[axis] + s.stride[axis], s.stride[axis]);
  return (count - 1) * s.stride[axis] + (s.kernel[axis] - 1) * s.dilation[axis] + 1;
}

inline bool is_flat(const ConvShape& s) {
  return s.in[0] == 1 && s.out[0] == 1 && s.kernel[0] == 1 && s.pad[0] == 0;
}
// A channel to each group.
inline bool is_depthwise(const ConvShape& s) {
  return is_flat(s) && !s.transposed && s.groups == s.ic && s.groups == s.oc;
}
// Up to so many input channels a first layer has, which gains nothing from blocks that are mostly padding.
inline constexpr int64_t kFirstChannels = 7;
inline bool is_first_layer(const ConvShape& s) {
  return s.ic <= kFirstChannels && s.groups == 1;
}
// The weight of (output channel, input channel within its group, tap).
inline float conv_weight(const ConvShape& s, const float* w, int64_t oc, int64_t ic, int64_t tap, int64_t taps) {
  const int64_t in_channels = s.ic / s.groups, out_channels = s.oc / s.groups;
  if (!s.transposed) return w[(oc * in_channels + ic) * taps + tap];
  return w[((oc / out_channels * in_channels + ic) * out_channels + oc % out_channels) * taps + tap];
}
// The share of vector lanes that work on pixels of plain NCHW.
inline double nchw_use(const ConvShape& s) {
  const int64_t cols = is_pointwise(s) ? s.out[1] * s.out[2] : s.out[2];
  return static_cast<double>(cols) / static_cast<double>(round_up(cols, kChannelBlock));
}
// With less of them im2col is faster.
inline constexpr double kLeastNchwUse = 0.7;

}  // namespace

// Costs are in multiply-adds: arithmetic at the share of the peak that it reaches, and the weights' way from memory to
// the core, which this is.
double weight_cost(const ConvTable& kernels, double floats);
double direct_cost(const ConvTable& kernels, const ConvShape& shape);
double split_cost(const ConvTable& kernels, const ConvShape& shape);
double direct_plain_cost(const ConvQuery& query);
double depthwise_cost(ConvAlgorithm algorithm, const ConvQuery& query);
// In split bf16 on AMX: how many times as fast as multiply-adds at their peak.
inline constexpr double kSplitSpeed = 2.2;

const char* refuses_depthwise(ConvAlgorithm algorithm, const ConvShape& shape);
// Plain lines that depthwise kernels of NCHW want. Short ones leave registers half empty. 144 channels of 56 columns:
// 0.40 ms against 0.69 with two reorders; with stride 2, 0.22 against 0.38.
inline constexpr int64_t kLeastPlainLine = 24;
bool im2col_pays(const ConvShape& shape);
// Why an algorithm that takes blocks, and transforms or splits them, is not worth a look.
const char* declines_blocked(ConvAlgorithm algorithm, const ConvQuery& query);

// The filter of an output channel, [input channel][tap].
void pack_filter(const ConvTable&, ConvAlgorithm algorithm, const ConvShape& shape, const float* w, int64_t tile,
                 float* dst);

}  // namespace tc::kernels
