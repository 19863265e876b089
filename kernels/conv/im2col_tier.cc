// Convolution of any shape on plain NCHW: panels of output pixels are gathered, a block of K at a time, into the packed
// form of a matrix product's right operand.
#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/conv/gather_tier.h"
#include "tc/kernels/gemm/block_tier.h"

namespace tc::kernels {

void TC_TIER_NAME(conv_im2col)(const ConvArgs& args, const ConvPlan& p, int64_t tile, int worker) {
  const ConvShape& s = args.shape;
  const Epilogue& e = args.epilogue;
  const int64_t col_tile = tile % p.col_tiles;
  const int64_t group = tile / p.col_tiles % s.groups;
  const int64_t image = tile / p.col_tiles / s.groups;
  const int64_t in_channels = s.ic / s.groups, out_channels = s.oc / s.groups;
  const int64_t in_plane = s.in[0] * s.in[1] * s.in[2];
  const int64_t taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  const int64_t steps = in_channels * taps;
  const float* x = args.x + (image * s.groups + group) * in_channels * in_plane;
  const int64_t channel = group * out_channels;
  const int64_t row0 = image * s.oc + channel;
  float* panel = args.scratch + worker * p.worker_floats_apart();

  GemmBlock block;
  block.rows = out_channels;
  block.a_rs = steps;
  block.b = panel;
  block.b_rs = kPanel;
  block.epilogue = &e;
  block.out.row = block.out.residual_row = p.cols;
  block.out.row_bias = e.bias == nullptr ? nullptr : e.bias + channel;
  const int64_t end = least(p.cols, (col_tile + 1) * p.col_tile);
  for (int64_t pixel = col_tile * p.col_tile; pixel < end; pixel += kPanel) {
    const int cols = static_cast<int>(least(kPanel, end - pixel));
    const Runs<kPanel> runs(s, pixel, cols);
    block.out.c = args.y + row0 * p.cols + pixel;
    block.out.residual = e.residual == nullptr ? nullptr : e.residual + row0 * p.cols + pixel;
    block.out.cols = cols;
    for (int64_t k0 = 0; k0 < steps; k0 += p.chunk) {
      const int64_t k1 = least(steps, k0 + p.chunk);
      for (int64_t k = k0; k < k1; ++k) runs.gather(s, x + k / taps * in_plane, k % taps, panel + (k - k0) * kPanel);
      block.k = k1 - k0;
      block.a = args.w + channel * steps + k0;
      block.out.first = k0 == 0;
      block.out.last = k1 == steps;
      TC_TIER_NAME(gemm_block)(block);
    }
    if (e.strip != nullptr) e.strip(e.context, block.out.c, out_channels, cols, p.cols, row0, pixel);
  }
}

}  // namespace tc::kernels
