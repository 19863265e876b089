// Regions of interest: each region of an image becomes a grid of bins, averages or maxima of bilinear samples
// (RoiAlign) or maxima of elements (MaxRoiPool).
//
// Images are NCHW16c: what a sample reads is one block of channels. Results are plain. Regions, and groups of blocks of
// channels within them, are independent tiles.
#pragma once
#include <cstddef>
#include <cstdint>

#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;

// Bin i of an axis covers [start + i * size, start + (i + 1) * size), in elements.
struct RoiBins {
  double start = 0, size = 0;
  int64_t samples = 0;  // of a bin; RoiAlign only
};

struct RoiBox {
  int64_t image = 0;
  RoiBins y, x;
};

struct RoiArgs {
  int64_t regions = 0, channels = 0;
  int64_t height = 1, width = 1;  // of an image, both at least 1
  int64_t rows = 1, columns = 1;  // of bins
  int64_t most_samples = 0;       // of a bin and axis over all regions; 0: any number. RoiAlign only
  const RoiBox* boxes = nullptr;
  const float* x = nullptr;
  float* y = nullptr;            // [regions, channels, rows, columns]
  std::byte* scratch = nullptr;  // roi_scratch_bytes
  size_t scratch_bytes = 0;      // of one worker
  int64_t blocks() const { return (channels + 15) / 16; }
};

using RoiKernel = void(const RoiArgs& args, int64_t region, int64_t block0, int64_t block1, int worker);

struct RoiTable {
  Slot<RoiKernel> average;   // of bilinear samples; those outside of the image are zeros
  Slot<RoiKernel> maximum;   // of the weighted neighbours of bilinear samples
  Slot<RoiKernel> max_pool;  // of elements; 0 of none
};

size_t roi_scratch_bytes(const RoiArgs& args, int threads);
void roi(Team& team, const Slot<RoiKernel>& kernel, const RoiArgs& args);

// What the scratch of a worker holds.
struct RoiTap {
  int32_t at;  // a row, or a place in the list of columns
  float weight;
};
struct RoiScratch {
  RoiTap *row_taps, *column_taps;     // of all bins of an axis
  int32_t *row_begin, *column_begin;  // the first tap of each bin, and the end
  int32_t* used_columns;              // that any bin reads
  float* line;                        // a block of channels for each of them
  float* bins;                        // a block of channels for each bin
};
RoiScratch roi_scratch(const RoiArgs& args, int worker);

}  // namespace tc::kernels
