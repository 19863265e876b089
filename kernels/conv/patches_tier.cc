// Transposed convolutions of few outputs whose taps do not overlap: a pixel gives a patch of kernel x outputs numbers,
// which are a row of a matrix product and go to the lines of plain NCHW that they belong to.
#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/conv/rows_tier.h"
#include "tc/kernels/gemm/block_tier.h"

namespace tc::kernels {
namespace {

// f(first lane, the output's floats before the line) for each run of a patch whose pixel is in line (z, y).
template <class F>
TC_INLINE void for_runs(const ConvShape& s, int64_t z, int64_t y, F f) {
  int64_t lane = 0;
  for (int64_t kz = 0; kz < s.kernel[0]; ++kz) {
    for (int64_t ky = 0; ky < s.kernel[1]; ++ky) {
      for (int64_t o = 0; o < s.oc; ++o, lane += s.kernel[2])
        f(lane, ((o * s.out[0] + z * s.kernel[0] + kz) * s.out[1] + y * s.kernel[1] + ky) * s.out[2]);
    }
  }
}

// `count` runs of `length` floats, so many floats apart.
TC_INLINE void copy_runs(int64_t count, int64_t length, const float* from, int64_t from_step, float* to,
                         int64_t to_step) {
  for (; count > 0; --count, from += from_step, to += to_step) {
    if (length == 2)
      std::memcpy(to, from, 2 * sizeof(float));
    else
      for (int64_t i = 0; i < length; ++i) to[i] = from[i];
  }
}

}  // namespace

void TC_TIER_NAME(conv_patches)(const ConvArgs& args, const ConvPlan& p, int64_t tile, int worker) {
  const ConvShape& s = args.shape;
  const Epilogue& e = args.epilogue;
  const int64_t row_tile = tile % p.row_tiles, image = tile / p.row_tiles;
  const int64_t width = conv_patch_floats(s), length = s.kernel[2];
  float* const sums = args.scratch + worker * p.worker_floats_apart();
  float *const addends = sums + kPatchPixels * width, *const bias = addends + kPatchPixels * width;
  if (e.bias != nullptr) {
    std::memset(bias, 0, static_cast<size_t>(width) * sizeof(float));
    for (int64_t lane = 0; lane < s.kernel[0] * s.kernel[1] * s.oc * length; ++lane)
      bias[lane] = e.bias[lane / length % s.oc];
  }
  const int64_t in_plane = s.in[0] * s.in[1] * s.in[2], out_plane = s.out[0] * s.out[1] * s.out[2];
  const int64_t in_blocks = ceil_div(s.ic, kChannelBlock), out0 = image * s.oc * out_plane;
  GemmBlock block;
  block.a_rs = kChannelBlock;
  block.b_rs = width;
  block.epilogue = &e;
  block.out.row = block.out.residual_row = width;
  const int64_t end = least(p.rows, (row_tile + 1) * p.row_tile);
  for (int64_t line = row_tile * p.row_tile; line < end; ++line) {
    const int64_t z = line / s.in[1], y = line % s.in[1];
    for (int64_t x = 0; x < s.in[2]; x += kPatchPixels) {
      const int64_t pixels = least(kPatchPixels, s.in[2] - x), at = out0 + x * length;
      if (e.residual != nullptr)
        for_runs(s, z, y, [&](int64_t lane, int64_t offset) {
          copy_runs(pixels, length, e.residual + at + offset, length, addends + lane, width);
        });
      block.rows = pixels;
      for (int64_t b = 0; b < in_blocks; ++b) {
        block.a = args.x + ((image * in_blocks + b) * in_plane + line * s.in[2] + x) * kChannelBlock;
        block.k = least(kChannelBlock, s.ic - b * kChannelBlock);
        block.out.first = b == 0;
        block.out.last = b + 1 == in_blocks;
        for (int64_t lane = 0; lane < width; lane += kPanel) {
          block.b = args.w + b * kChannelBlock * width + lane;
          block.out.c = sums + lane;
          block.out.cols = static_cast<int>(least(kPanel, width - lane));
          block.out.bias = e.bias == nullptr ? nullptr : bias + lane;
          block.out.residual = e.residual == nullptr ? nullptr : addends + lane;
          TC_TIER_NAME(gemm_block)(block);
        }
      }
      for_runs(s, z, y, [&](int64_t lane, int64_t offset) {
        copy_runs(pixels, length, sums + lane, width, args.y + at + offset, length);
      });
    }
    if (e.strip == nullptr) continue;
    for (int64_t row = 0; row < s.kernel[0] * s.kernel[1]; ++row) {
      const int64_t oz = z * s.kernel[0] + row / s.kernel[1], oy = y * s.kernel[1] + row % s.kernel[1];
      const int64_t first = (oz * s.out[1] + oy) * s.out[2];
      e.strip(e.context, args.y + out0 + first, s.oc, s.out[2], out_plane, image * s.oc, first);
    }
  }
}

}  // namespace tc::kernels
