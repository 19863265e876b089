// Sampling of f32 images (N, C, H, W) at points given in normalised coordinates, as ONNX's GridSample has it.
//
// A register holds points; what they are made of is found once and serves every channel. Runs of points of an image are
// independent tiles.
#pragma once
#include <cstdint>

#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;

enum class SampleMode : uint8_t { linear, nearest, cubic };
enum class SamplePadding : uint8_t { zeros, border, reflection };

struct GridSampleArgs {
  SampleMode mode = SampleMode::linear;
  SamplePadding padding = SamplePadding::zeros;
  bool align_corners = false;
  int64_t images = 0, channels = 0, points = 0;
  int64_t height = 1, width = 1;  // both at least 1 and below kMostAlong; their product fits 32 bits
  const float* x = nullptr;
  const float* grid = nullptr;  // [images, points, 2]: (x, y)
  float* y = nullptr;           // [images, channels, points]
};
inline constexpr int64_t kMostAlong = int64_t{1} << 24;  // which f32 counts exactly

struct GridSampleTable {
  Slot<void(const GridSampleArgs& args, int64_t image, int64_t begin, int64_t end)> sample;
};

void grid_sample(Team& team, const GridSampleTable& table, const GridSampleArgs& args);

}  // namespace tc::kernels
