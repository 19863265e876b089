// What planning and choosing convolutions have in common; private to them.
#pragma once
#include <algorithm>

#include "tc/kernels/conv/conv.h"
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

}  // namespace
}  // namespace tc::kernels
