// Convolution of any shape on plain NCHW: panels of output pixels are gathered, a block of K at a time, into the packed
// form of a matrix product's right operand.
#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/conv/gather_tier.h"
#include "tc/kernels/gemm/block_tier.h"
#include "tc/kernels/simd/stride2.h"

namespace tc::kernels {
namespace {

// The next `count` pixels of a line in patches of N floats -> a row of a panel for each of their taps.
template <int N>
void take_patches(const float* line, int count, float* dst) {
  const auto take = [&](int pixels, auto read, auto write) __attribute__((always_inline)) {
    VecF m[N];
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) {
      const int64_t rest = pixels * N - i * kVecFloats;
      m[i] = read(line + i * kVecFloats, static_cast<int>(rest <= 0 ? 0 : least(rest, kVecFloats)));
    }
    take_apart(m);
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) write(dst + i * kPanel, m[i]);
    line += kVecFloats * N, dst += kVecFloats;
  };
  for (; count >= kVecFloats; count -= kVecFloats)
    take(
        kVecFloats, [](const float* p, int) { return load(p); }, [](float* p, VecF v) { store(p, v); });
  if (count == 0) return;
  const Tail<float> tail(count);
  take(
      count, [](const float* p, int rest) { return load(p, Tail<float>(rest)); },
      [&](float* p, VecF v) { store(p, v, tail); });
}

// Runs::gather for a line of the kernel, whose first tap this is.
void gather_patches(const ConvShape& s, const Runs<kPanel>& runs, const float* plane, int64_t tap, float* dst) {
  const int64_t k = s.kernel[2];
  const auto take = k == 2 ? take_patches<2> : k == 4 ? take_patches<4> : k == 8 ? take_patches<8> : take_patches<16>;
  const auto clear = [&](int at, int count) {
    for (int64_t q = 0; q < k; ++q) std::memset(dst + q * kPanel + at, 0, static_cast<size_t>(count) * sizeof(float));
  };
  runs.lines(s, plane, tap, [&](const Run& run, int at, const float* line) {
    if (line != nullptr)
      take(line + run.x * k, run.count, dst + at);
    else
      clear(at, run.count);
  });
  if (runs.cols < kPanel) clear(runs.cols, kPanel - runs.cols);
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
  const bool patches = conv_by_patches(s);
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
      for (int64_t k = k0, step; k < k1; k += step) {
        const float* plane = x + k / taps * in_plane;
        float* to = panel + (k - k0) * kPanel;
        const bool whole = patches && k % s.kernel[2] == 0 && k + s.kernel[2] <= k1;
        step = whole ? s.kernel[2] : 1;
        if (whole)
          gather_patches(s, runs, plane, k % taps, to);
        else
          runs.gather(s, plane, k % taps, to);
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
