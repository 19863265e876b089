// Transposed convolutions whose taps do not overlap: see patches_tier.cc for its tiles.
#include <algorithm>
#include <cstring>

#include "tc/kernels/conv/conv_shapes.h"

namespace tc::kernels {
namespace {

void plan(ConvPlan& p, const ConvShape& s, int) {
  p.rows = s.in[0] * s.in[1];
  p.cols = p.col_tile = s.in[2];
  const double flops = 2.0 * static_cast<double>(s.in[2] * s.ic * conv_patch_floats(s));
  p.row_tile = std::clamp<int64_t>(static_cast<int64_t>(kLeastTileFlops / flops), 1, p.rows);
  p.block_tile = p.block_tiles = 1;
  p.worker_floats = (2 * kPatchPixels + 1) * conv_patch_floats(s);
}

const char* refuses(ConvAlgorithm, const ConvShape& s) {
  if (!s.transposed) return "not transposed";
  if (s.groups != 1) return "there are groups";
  for (int i = 0; i < 3; ++i)
    if (s.kernel[i] != s.stride[i] || s.dilation[i] != 1 || s.pad[i] != 0 || s.out[i] != s.in[i] * s.kernel[i])
      return "taps overlap, or leave gaps";
  const bool few = s.oc <= kFewOutputs && conv_patch_floats(s) <= kMostPatchFloats;
  return few ? nullptr : "more than a few outputs";
}
double cost(ConvAlgorithm, const ConvQuery& q) {
  return direct_cost(q.kernels, q.shape);
}

// Lanes are [kz][ky][output][kx].
void pack(const ConvTable&, ConvAlgorithm, const ConvShape& s, const float* w, int64_t, float* dst) {
  const int64_t taps = volume(s.kernel);
  for (int64_t i = 0; i < s.ic; ++i, dst += conv_patch_floats(s)) {
    std::memset(dst, 0, static_cast<size_t>(conv_patch_floats(s)) * sizeof(float));
    for (int64_t lane = 0; lane < taps * s.oc; ++lane) {
      const int64_t kx = lane % s.kernel[2], o = lane / s.kernel[2] % s.oc, row = lane / s.kernel[2] / s.oc;
      dst[lane] = conv_weight(s, w, o, i, row * s.kernel[2] + kx, taps);
    }
  }
}

}  // namespace

constexpr ConvRow conv_row_patches{
    .refuses = refuses,
    .declines = [](ConvAlgorithm, const ConvQuery&) -> const char* { return nullptr; },
    .cost = cost,
    .plan = plan,
    .packed_floats = [](ConvAlgorithm, const ConvShape& s) { return s.ic * conv_patch_floats(s); },
    .pack_tiles = [](ConvAlgorithm, const ConvShape&) { return int64_t{1}; },
    .pack = pack,
    .ns_per_flop = kNsPerFlop,
    .special = true,
    .needs_pads = true};

}  // namespace tc::kernels
