// Any convolution, as products with columns that im2col_tier.cc gathers.
#include <algorithm>

#include "tc/kernels/conv/conv_shapes.h"

namespace tc::kernels {
namespace {

void plan(ConvPlan& p, const ConvShape& s, int width) {
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

// Of groups: see nchw.cc. One thread, AVX-512, 64 channels of 56 x 56: direct 257 GFLOP/s, im2col 162.
constexpr double kShare = 0.63, kGroupsShare = 0.15, kLongGroupsShare = 0.42;
double cost(ConvAlgorithm, const ConvQuery& q) {
  const double groups = nchw_use(q.shape) > kLeastNchwUse ? kLongGroupsShare : kGroupsShare;
  return direct_cost(q.kernels, q.shape) / (q.shape.groups > 1 ? groups : kShare);
}
const char* declines(ConvAlgorithm, const ConvQuery& q) {
  if (conv_accepts(ConvAlgorithm::direct, q.shape)) return "channels are blocks";
  const bool planes = conv_accepts(ConvAlgorithm::nchw, q.shape) && nchw_use(q.shape) > kLeastNchwUse;
  return planes ? "lines are long" : nullptr;
}

}  // namespace

// Few input channels by large patches. 3 to 96 channels of 224 x 224 by 4x4 on Zen 5 0.234 to 0.170 ms (AVX2 0.43 to
// 0.33), eight images 3.1 to 1.8, 3 to 192 by 8x8 0.34 to 0.30; 32 to 64 of 56 x 56 by 2x2 0.087, so 0.101, 3 to 768
// of 224 x 224 by 16x16 1.34, so 1.41.
bool im2col_pays(const ConvShape& s) {
  return conv_by_patches(s) && s.kernel[2] >= 4 && s.ic * volume(s.kernel) <= kIm2colK;
}

constexpr ConvRow conv_row_im2col{
    .refuses = [](ConvAlgorithm, const ConvShape&) -> const char* { return nullptr; },
    .declines = declines,
    .cost = cost,
    .plan = plan,
    .packed_floats = [](ConvAlgorithm, const ConvShape& s) { return s.oc * (s.ic / s.groups) * volume(s.kernel); },
    .pack_tiles = [](ConvAlgorithm, const ConvShape& s) { return s.oc; },
    .pack = pack_filter,
    .ns_per_flop = kNsPerFlop,
    .stays = [](const ConvQuery& q,
                ConvAlgorithm) { return im2col_pays(q.shape) ? nullptr : "not a few large patches"; }};

}  // namespace tc::kernels
