// Row programs: softmax, and the normalisations that need a mean and a variance. A row is read from memory once; its
// further passes run through cache.
#pragma once

#include <cstdint>

#include "tc/kernels/elem.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

// Softmax of f32 or f64 along the middle dimension of a dense [outer, n, inner] tensor; in place is fine. The largest
// element is subtracted first, so nothing overflows. Rows that hold NaN or only -infinity become NaN. Results below
// 1.2e-38 are 0: masks of -100, as of shifted windows, make many. 12 heads of 4 x 49 x 49 of these 0.68 to 0.05 ms.
struct SoftmaxArgs {
  Elem type = Elem::f32;
  const void* input = nullptr;
  void* output = nullptr;
  std::int64_t outer = 1, n = 1, inner = 1;
  bool log = false;  // log_softmax
};

// Normalises rows of f32 or f64, each of `channels` x `spatial` contiguous elements; in place is fine.
//
//   y = (x - mean) * inv_std * scale[c] + bias[c],  inv_std = 1 / sqrt(variance + epsilon)
//
// The variance is taken from deviations (two passes over a cached row). Channel c of row r has the parameters at
// (r % groups) * channels + c:
//   layer_norm     channels = normalised elements, spatial = 1, groups = 1
//   instance_norm  rows = N * C, channels = 1, spatial = H * W, groups = C
//   group_norm     rows = N * G, channels = C / G, spatial = H * W, groups = G
struct NormArgs {
  Elem type = Elem::f32;  // of everything
  const void* input = nullptr;
  void* output = nullptr;
  const void* scale = nullptr;  // null: 1
  const void* bias = nullptr;   // null: 0
  void* mean = nullptr;         // one per row; null: not wanted
  void* inv_std = nullptr;
  std::int64_t rows = 0, channels = 1, spatial = 1, groups = 1;
  double epsilon = 1e-5;
  bool rms = false;  // mean is taken for 0: y = x / sqrt(mean(x^2) + epsilon) * scale + bias
};

// The same of groups of channels of f32, in planes or in blocks of 16 channels, by the moments of pieces: where groups
// straddle blocks, or are too few for threads to share. In place is fine.
struct GroupNormArgs {
  const float* input = nullptr;
  float* output = nullptr;
  const float* scale = nullptr;  // per channel
  const float* bias = nullptr;
  std::int64_t images = 0, channels = 1, pixels = 1, groups = 1;
  bool blocked = false;  // lanes beyond the last channel hold anything
  double epsilon = 1e-5;
  float* scratch = nullptr;  // scratch_floats()

  // Of an image there are lines() * pieces() pieces of at most piece_pixels(), of lanes() channels each.
  std::int64_t lanes() const { return blocked ? 16 : 1; }
  std::int64_t lines() const { return (channels + lanes() - 1) / lanes(); }
  std::int64_t piece_pixels() const { return kNormPiece / lanes(); }
  std::int64_t pieces() const { return (pixels + piece_pixels() - 1) / piece_pixels(); }
  // Of an image in scratch: for each piece the means of its lanes and the sums of their squared deviations; then what
  // is subtracted, multiplied and added, for all lanes.
  std::int64_t image_floats() const { return lines() * lanes() * (2 * pieces() + 3); }
  std::int64_t scratch_floats() const { return images * image_floats(); }
  float* moments_of(std::int64_t piece) const {
    const std::int64_t in_image = lines() * pieces();
    return scratch + piece / in_image * image_floats() + piece % in_image * 2 * lanes();
  }
  float* affine_of(std::int64_t image) const {
    return moments_of(image * lines() * pieces()) + lines() * pieces() * 2 * lanes();
  }
  static constexpr std::int64_t kNormPiece = 8192;  // floats, which L1 holds for a second look
};

struct NormTable {
  // Lines [begin, end) of outer x inner.
  Slot<void(const SoftmaxArgs& args, std::int64_t begin, std::int64_t end)> softmax;
  // Rows [begin, end).
  Slot<void(const NormArgs& args, std::int64_t begin, std::int64_t end)> normalize;
  // Pieces [begin, end).
  Slot<void(const GroupNormArgs& args, std::int64_t begin, std::int64_t end)> moments;
  Slot<void(const GroupNormArgs& args, std::int64_t begin, std::int64_t end)> scale_groups;
};

void softmax(const NormTable& table, Team& team, const SoftmaxArgs& args);
void normalize(const NormTable& table, Team& team, const NormArgs& args);
void normalize_groups(const NormTable& table, Team& team, const GroupNormArgs& args);

}  // namespace tc::kernels
