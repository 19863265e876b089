// Convolution of any shape on plain NCHW: panels of output pixels are gathered, a block of K at a time, into the packed
// form of a matrix product's right operand.
#include <cstring>

#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/gemm/block_tier.h"

namespace tc::kernels {
namespace {

TC_INLINE int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// A run of output pixels in one row.
struct Run {
  int64_t z, y, x;
  int count;
};

// The input coordinate that kernel index k of output coordinate o reads, or -1.
TC_INLINE int64_t source(const ConvShape& s, int axis, int64_t o, int64_t k) {
  int64_t at;
  if (s.transposed) {
    const int64_t t = o + s.pad[axis] - k * s.dilation[axis];
    if (t < 0 || t % s.stride[axis] != 0) return -1;
    at = t / s.stride[axis];
  } else {
    at = o * s.stride[axis] - s.pad[axis] + k * s.dilation[axis];
  }
  return at >= 0 && at < s.in[axis] ? at : -1;
}

void gather_run(const ConvShape& s, const Run& run, const float* plane, int64_t kz, int64_t ky, int64_t kx,
                float* dst) {
  const int64_t z = source(s, 0, run.z, kz);
  const int64_t y = source(s, 1, run.y, ky);
  if (z < 0 || y < 0) {
    std::memset(dst, 0, static_cast<size_t>(run.count) * sizeof(float));
    return;
  }
  const float* line = plane + (z * s.in[1] + y) * s.in[2];
  if (s.transposed) {
    for (int i = 0; i < run.count; ++i) {
      const int64_t x = source(s, 2, run.x + i, kx);
      dst[i] = x < 0 ? 0.0f : line[x];
    }
    return;
  }
  const int64_t x0 = run.x * s.stride[2] - s.pad[2] + kx * s.dilation[2];
  const int64_t step = s.stride[2];
  int i = 0;
  for (; i < run.count && x0 + i * step < 0; ++i) dst[i] = 0.0f;
  int64_t stop = x0 >= s.in[2] ? 0 : (s.in[2] - x0 + step - 1) / step;
  if (stop > run.count) stop = run.count;
  if (step == 1) {
    for (; i < stop; ++i) dst[i] = line[x0 + i];
  } else {
    for (; i < stop; ++i) dst[i] = line[x0 + i * step];
  }
  for (; i < run.count; ++i) dst[i] = 0.0f;
}

}  // namespace

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
  float* panel = args.scratch + worker * ((p.worker_floats + 15) / 16 * 16);

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
    Run runs[kPanel];
    int run_count = 0;
    for (int at = 0; at < cols;) {
      const int64_t q = pixel + at;
      Run& run = runs[run_count++];
      run.x = q % s.out[2];
      run.y = q / s.out[2] % s.out[1];
      run.z = q / s.out[2] / s.out[1];
      run.count = static_cast<int>(least(cols - at, s.out[2] - run.x));
      at += run.count;
    }
    block.out.c = args.y + row0 * p.cols + pixel;
    block.out.residual = e.residual == nullptr ? nullptr : e.residual + row0 * p.cols + pixel;
    block.out.cols = cols;
    for (int64_t k0 = 0; k0 < steps; k0 += p.chunk) {
      const int64_t k1 = least(steps, k0 + p.chunk);
      for (int64_t k = k0; k < k1; ++k) {
        const int64_t tap = k % taps;
        float* dst = panel + (k - k0) * kPanel;
        for (int r = 0; r < run_count; dst += runs[r].count, ++r) {
          gather_run(s, runs[r], x + k / taps * in_plane, tap / (s.kernel[1] * s.kernel[2]),
                     tap / s.kernel[2] % s.kernel[1], tap % s.kernel[2], dst);
        }
        if (cols < kPanel) std::memset(dst, 0, static_cast<size_t>(kPanel - cols) * sizeof(float));
      }
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
