// Direct convolution on plain NCHW. The input region of a tile is copied with its padding into the worker's scratch,
// its columns sorted by their remainder modulo the stride: then neighbouring outputs read neighbouring floats at every
// tap, whatever stride and dilation are. Registers hold output pixels; weights are broadcast from where they lie.
#include <utility>

#include "tc/kernels/conv/algorithms_tier.h"
#if defined(__AVX2__)
#include "tc/kernels/conv/depthwise_plane_tier.h"
#endif
#include "tc/kernels/conv/rows_tier.h"
#include "tc/kernels/gemm/block_tier.h"
#include "tc/kernels/simd/stride2.h"

namespace tc::kernels {
namespace {

// `count` floats, step floats apart; a last register that is not full overlaps the one before.
template <class Load>
TC_INLINE void copy_floats(const float* from, int64_t step, int64_t count, float* dst, Load vec) {
  int64_t i = 0;
  for (; i + kVecFloats <= count; i += kVecFloats) store(dst + i, vec(from + i * step));
  if (i == count) return;
  if (count >= kVecFloats) {
    i = count - kVecFloats;
    store(dst + i, vec(from + i * step));
  } else {
    for (; i < count; ++i) dst[i] = from[i * step];
  }
}

// What a tile of the plan covers, and its copy of the input: [channel][remainder][row][line]; of a 1x1 kernel, whole
// registers of pixels where they lie. On Zen 5, copied / in place, one thread: 256 to 64 channels of 56 x 56 0.481 /
// 0.409 ms, 512 to 128 of 28 x 28 0.46 / 0.42, 80 to 80 of 28 x 28 in three groups 0.149 / 0.130.
struct Region {
  const ConvShape& s;
  int64_t height, width, out_width;  // one line each where the plan has made the image one
  int64_t row0, rows, col0, cols;    // of the output
  int64_t in_rows, line;
  bool in_place;
  float* data;

  Region(const ConvArgs& args, const ConvPlan& p, int64_t row_tile, int64_t col_tile, int worker)
      : s(args.shape),
        height(p.rows == s.out[1] ? s.in[1] : 1),
        width(p.rows == s.out[1] ? s.in[2] : s.in[1] * s.in[2]),
        out_width(p.cols),
        row0(row_tile * p.row_tile),
        rows(least(p.rows - row0, p.row_tile)),
        col0(col_tile * p.col_tile),
        cols(least(p.cols - col0, p.col_tile)),
        in_rows((rows - 1) * s.stride[1] + (s.kernel[1] - 1) * s.dilation[1] + 1),
        line(nchw_line(s, cols)),
        // Whole registers, and planes that do not meet in few sets of the cache.
        in_place(height == 1 && s.kernel[1] * s.kernel[2] == 1 && s.stride[2] == 1 && s.pad[1] == 0 && s.pad[2] == 0 &&
                 cols % kVecFloats == 0 && width % (2 * kPanel) != 0),
        data(args.scratch + worker * p.worker_floats_apart() + p.tap_floats) {}

  // The padding, which is the same for all channels.
  void pad(const ConvPlan& p) const {
    if (in_place) return;
    std::memset(data, 0, static_cast<size_t>(p.worker_floats - p.tap_floats) * sizeof(float));
  }

  // Where the first output's first tap reads.
  const float* copy(const float* planes, int64_t channels) const {
    if (in_place) return planes + col0;
    const int64_t step = s.stride[2], y0 = row0 * s.stride[1] - s.pad[1];
    const int64_t first_row = most(0, -y0), last_row = least(in_rows, height - y0);
    for (int64_t remainder = 0; remainder < step; ++remainder) {
      const int64_t x = col0 * step - s.pad[2] + remainder;
      const int64_t first = x >= 0 ? 0 : ceil_div(-x, step), last = least(line, ceil_div(width - x, step));
      if (last <= first) continue;
      for (int64_t c = 0; c < channels; ++c) {
        const float* from = planes + (c * height + y0 + first_row) * width + x + first * step;
        float* dst = data + ((c * step + remainder) * in_rows + first_row) * line + first;
        for (int64_t r = first_row; r < last_row; ++r, from += width, dst += line) {
          if (step == 1)
            copy_floats(from, 1, last - first, dst, [](const float* p) { return load(p); });
          else if (step == 2)
            copy_floats(from, 2, last - first, dst, [](const float* p) { return load_every_second(p); });
          else
            for (int64_t i = 0; i < last - first; ++i) dst[i] = from[i * step];
        }
      }
    }
    return data;
  }

  // Where a tap of a channel reads, from there.
  int64_t offset(int64_t channel, int64_t ky, int64_t kx) const {
    if (in_place) return channel * width;
    const int64_t x = kx * s.dilation[2];
    return ((channel * s.stride[2] + x % s.stride[2]) * in_rows + ky * s.dilation[1]) * line + x / s.stride[2];
  }
};

// `count` tiles of R output channels x NV registers of pixels, one below the other; w: rows w_row floats apart, in the
// order of the offsets.
template <int R, int NV>
void dense(int64_t count, int64_t steps, const float* w, int64_t w_row, const int64_t* offsets, const float* in,
           const Epilogue& e, const TileOut& place) {
  TileOut out = place;
  // Sums that start from the bias have less to do at their end: 64 to 256 channels of 56 x 56 by 1x1 0.434 to 0.423 ms.
  const float* bias = out.row_bias;
  const bool begins = out.first && bias != nullptr && out.scale == nullptr && e.alpha == 1;
  for (; count > 0; --count, w += R * w_row, advance(out, R * out.row)) {
    Tile<R, NV> t;
    out.row_bias = begins ? nullptr : bias;
    if (begins) {
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j) t.v[i][j] = VecF(bias[i]);
    } else {
      t.zero();
    }
    fetch_outputs<R, NV>(out);
    // A loop that is known to run leaves the accumulators where they are.
    if constexpr (kRunsSteps<R, NV>) {
      run_table_steps(t.v, w, w_row, in, offsets, steps);
    } else if (steps > 0) {
      const float* a = w;
      const int64_t *offset = offsets, *const end = offsets + steps;
      do {
        t.step(a++, w_row, in + *offset++, 16);
      } while (offset < end);
    }
    finish_tile(t, e, out);
    if (bias != nullptr) bias += R;
  }
}

using DenseFn = void (*)(int64_t, int64_t, const float*, int64_t, const int64_t*, const float*, const Epilogue&,
                         const TileOut&);

// Registers of the next piece of a row. The last one partly filled, or in a piece by itself: 1 to 6 channels of 28 x 28
// by 5x5 with AVX-512 5 us, 8; 3 to 32 of 40 x 40 by 3x3 29 us, 36.
TC_INLINE int vecs_of(int64_t cols) {
  return static_cast<int>(least(kPanelVecs, ceil_div(cols, kVecFloats)));
}

void strip(const ConvArgs& args, const Region& g, int64_t row, int64_t channels, int64_t plane) {
  const Epilogue& e = args.epilogue;
  if (e.strip == nullptr) return;
  for (int64_t y = g.row0; y < g.row0 + g.rows; ++y) {
    const int64_t at = y * g.out_width + g.col0;
    e.strip(e.context, args.y + row * plane + at, channels, g.cols, plane, row, at);
  }
}

// R rows x NV registers of one channel.
template <int R, int NV>
TC_INLINE void depthwise(int64_t taps, const float* w, const int64_t* offsets, const float* in, int64_t row,
                         const Epilogue& e, const TileOut& out) {
  Tile<R, NV> t;
  t.zero();
  for (int64_t q = 0; q < taps; ++q) {
    const VecF x(w[q]);
    const float* at = in + offsets[q];
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) t.v[i][j] = fma(load(at + i * row + j * kVecFloats), x, t.v[i][j]);
    }
  }
  if (out.cols < NV * kVecFloats)
    t.template finish<true>(e, out);
  else
    t.finish(e, out);
}

#if !defined(__AVX2__)
// The same for K x K neighbouring taps: a row of the input is read once for all rows of the output.
template <int R, int NV, int K>
void depthwise_square(const float* w, const float* in, int64_t line, const Epilogue& e, const TileOut& out) {
  Tile<R, NV> t;
  t.zero();
#pragma GCC unroll 8
  for (int r = 0; r < R + K - 1; ++r, in += line) {
#pragma GCC unroll 5
    for (int kx = 0; kx < K; ++kx) {
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) {
        const VecF row = load(in + j * kVecFloats + kx);
#pragma GCC unroll 5
        for (int ky = 0; ky < K; ++ky) {
          const int i = r - ky;
          if (i >= 0 && i < R) t.v[i][j] = fma(row, VecF(w[ky * K + kx]), t.v[i][j]);
        }
      }
    }
  }
  if (out.cols < NV * kVecFloats)
    t.template finish<true>(e, out);
  else
    t.finish(e, out);
}
#endif

// f(number of registers as a constant) for a piece of `vecs` of them.
template <class F>
TC_INLINE void with_vecs(int vecs, F f) {
  switch (vecs) {
    case 1:
      return f(std::integral_constant<int, 1>{});
#if !defined(__AVX2__) || defined(__AVX512F__)
    case 3:
      return f(std::integral_constant<int, 3>{});
    case 4:
      return f(std::integral_constant<int, 4>{});
#endif
    default:
      return f(std::integral_constant<int, 2>{});
  }
}

// Asks for `rows` x `count` floats, rows `step` apart.
template <int kWrite>
TC_INLINE void fetch(const float* p, int64_t rows, int64_t step, int64_t count) {
  for (const float* end = p + rows * step; p < end; p += step)
    for (int64_t i = 0; i < count; i += 16) __builtin_prefetch(p + i, kWrite, 2);
}

// Output rows at a time: with two or more registers each they fill the pipes of the arithmetic.
constexpr int kDepthwiseRows = kRegisters > 16 ? 4 : 2;
#if defined(__AVX2__)

// For these taps and strides, or null.
using PlaneFns = DepthwisePlaneFn (*)(int vecs, const PlanePiece& piece);
PlaneFns plane_fns(const ConvShape& s) {
  const int64_t k = s.kernel[1], stride = s.stride[1];
  if (s.kernel[2] != k || s.stride[2] != stride || s.dilation[1] != 1 || s.dilation[2] != 1 || !edges_fit(s))
    return nullptr;
  if (k == 3) return stride == 1 ? depthwise_plane_of<3, 1> : stride == 2 ? depthwise_plane_of<3, 2> : nullptr;
  if (k == 5) return stride == 1 ? depthwise_plane_of<5, 1> : stride == 2 ? depthwise_plane_of<5, 2> : nullptr;
  if (k == 7) return stride == 1 ? depthwise_plane_of<7, 1> : stride == 2 ? depthwise_plane_of<7, 2> : nullptr;
  return nullptr;
}

// A tile of the plan for one channel, whose image `x` is; `out` is of its first output.
void depthwise_plane_tile(const ConvShape& s, PlaneFns fns, int64_t row0, int64_t rows, int64_t col0, int64_t cols,
                          const float* x, const float* w, float bias, const Epilogue& e, TileOut out) {
  const int64_t most_cols = kPieceColumns / s.stride[2];
  const TileOut origin = out;
  for (int64_t c = 0; c < cols; c += most_cols) {
    out.cols = static_cast<int>(least(most_cols, cols - c));
    const int vecs = (out.cols + kVecFloats - 1) / kVecFloats;
    const PlanePiece piece(s, x, col0 + c);
    out.c = origin.c + c;
    out.residual = origin.residual == nullptr ? nullptr : origin.residual + c;
    fns(vecs, piece)(piece, row0 * s.stride[1] - s.pad[1], s.in[1], rows, w, bias, e, out);
  }
}
#endif

}  // namespace

void TC_TIER_NAME(conv_nchw)(const ConvArgs& args, const ConvPlan& p, int64_t tile, int worker) {
  const ConvShape& s = args.shape;
  const Epilogue& e = args.epilogue;
  const int64_t block_tile = tile % p.block_tiles;
  tile /= p.block_tiles;
  const int64_t col_tile = tile % p.col_tiles, row_tile = tile / p.col_tiles % p.row_tiles;
  const int64_t group = tile / p.col_tiles / p.row_tiles % s.groups;
  const int64_t image = tile / p.col_tiles / p.row_tiles / s.groups;
  const Region g(args, p, row_tile, col_tile, worker);
  g.pad(p);
  const int64_t in_channels = s.ic / s.groups, taps = s.kernel[1] * s.kernel[2];
  const int64_t first = block_tile * p.block_tile, out_channels = least(p.block_tile, s.oc / s.groups - first);
  const int64_t in_plane = g.height * g.width, plane = p.rows * p.cols;
  const int64_t channel = group * (s.oc / s.groups) + first, row0 = image * s.oc + channel;
  auto* offsets = reinterpret_cast<int64_t*>(g.data - p.tap_floats);
  int64_t* next = offsets;
  for (int64_t c = 0; c < p.chunk; ++c) {
    for (int64_t ky = 0; ky < s.kernel[1]; ++ky) {
      for (int64_t kx = 0; kx < s.kernel[2]; ++kx) *next++ = g.offset(c, ky, kx);
    }
  }
  TileOut out;
  out.row = out.residual_row = plane;
  for (int64_t c0 = 0; c0 < in_channels; c0 += p.chunk) {
    const int64_t c1 = least(in_channels, c0 + p.chunk);
    const float* from = g.copy(args.x + ((image * s.groups + group) * in_channels + c0) * in_plane, c1 - c0);
    out.first = c0 == 0;
    out.last = c1 == in_channels;
    for (int64_t y = 0; y < g.rows; ++y) {
      for (int64_t x = 0; x < g.cols;) {
        const int vecs = vecs_of(g.cols - x);
        out.cols = static_cast<int>(least(vecs * kVecFloats, g.cols - x));
        const int64_t at = row0 * plane + (g.row0 + y) * g.out_width + g.col0 + x;
        const float* in = from + y * s.stride[1] * g.line + x;
        const Strips strips(out_channels, tile_rows(vecs, out_channels));
        const auto run = [&](int64_t o, int64_t count, int64_t rows) {
          if (count == 0) return;
          out.c = args.y + at + o * plane;
          out.residual = e.residual == nullptr ? nullptr : e.residual + at + o * plane;
          out.row_bias = e.bias == nullptr ? nullptr : e.bias + channel + o;
          const DenseFn fn = tile_function<DenseFn, kPanelVecs>(vecs, static_cast<int>(rows),
                                                                [](auto r, auto nv) { return DenseFn{dense<r, nv>}; });
          fn(count, (c1 - c0) * taps, args.w + ((channel + o) * in_channels + c0) * taps, in_channels * taps, offsets,
             in, e, out);
        };
        run(0, strips.taller, strips.height + 1);
        run(strips.begin(strips.taller), strips.count - strips.taller, strips.height);
        x += out.cols;
      }
    }
  }
  strip(args, g, row0, out_channels, plane);
}

void TC_TIER_NAME(conv_depthwise_nchw)(const ConvArgs& args, const ConvPlan& p, int64_t tile, int worker) {
  const ConvShape& s = args.shape;
  const Epilogue& e = args.epilogue;
  const int64_t block_tile = tile % p.block_tiles, col_tile = tile / p.block_tiles % p.col_tiles;
  const int64_t row_tile = tile / p.block_tiles / p.col_tiles % p.row_tiles;
  const int64_t image = tile / p.block_tiles / p.col_tiles / p.row_tiles;
  const Region g(args, p, row_tile, col_tile, worker);
  const int64_t taps = s.kernel[1] * s.kernel[2], plane = p.rows * p.cols;
#if defined(__AVX2__)
  if (const PlaneFns fns = plane_fns(s)) {
    const int64_t end = least(s.oc, (block_tile + 1) * p.block_tile);
    for (int64_t channel = block_tile * p.block_tile; channel < end; ++channel) {
      const int64_t row0 = image * s.oc + channel, at = row0 * plane + g.row0 * p.cols + g.col0;
      TileOut out;
      out.row = out.residual_row = p.cols;
      out.c = args.y + at;
      out.residual = e.residual == nullptr ? nullptr : e.residual + at;
      depthwise_plane_tile(s, fns, g.row0, g.rows, g.col0, g.cols, args.x + row0 * g.height * g.width,
                           args.w + channel * taps, e.bias == nullptr ? 0.0f : e.bias[channel], e, out);
      strip(args, g, row0, 1, plane);
    }
    return;
  }
#endif
  g.pad(p);
  auto* offsets = reinterpret_cast<int64_t*>(g.data - p.tap_floats);
  int64_t* next = offsets;
  for (int64_t ky = 0; ky < s.kernel[1]; ++ky) {
    for (int64_t kx = 0; kx < s.kernel[2]; ++kx) *next++ = g.offset(0, ky, kx);
  }
#if !defined(__AVX2__)
  // Neighbouring taps, as many across as down; or 0.
  int64_t square = s.kernel[1];
  for (int i = 1; i <= 2; ++i)
    if (s.stride[i] != 1 || s.dilation[i] != 1 || s.kernel[i] != square) square = 0;
#endif
  TileOut out;
  out.row = out.residual_row = g.out_width;
  const int64_t last = least(s.oc, (block_tile + 1) * p.block_tile);
  for (int64_t channel = block_tile * p.block_tile; channel < last; ++channel) {
    const int64_t row0 = image * s.oc + channel;
    const float* from = g.copy(args.x + row0 * g.height * g.width, 1);
    const float* w = args.w + channel * taps;
    float bias[kDepthwiseRows];
    for (float& b : bias) b = e.bias == nullptr ? 0.0f : e.bias[channel];
    out.row_bias = e.bias == nullptr ? nullptr : bias;
    // There is too little arithmetic to hide where its operands come from: while a channel's rows are summed, those of
    // the next one are on their way.
    const float* next_in = args.x + ((row0 + 1) * g.height + g.row0 * s.stride[1]) * g.width + g.col0 * s.stride[2];
    const float* next_out = args.y + (row0 + 1) * plane + g.row0 * g.out_width + g.col0;
    for (int64_t y = 0; y < g.rows;) {
      const bool full = y + kDepthwiseRows <= g.rows;
      const int64_t step = full ? kDepthwiseRows : 1;
      fetch<0>(next_in + y * s.stride[1] * g.width, step * s.stride[1], g.width, g.cols * s.stride[2]);
      fetch<1>(next_out + y * g.out_width, step, g.out_width, g.cols);
      for (int64_t x = 0; x < g.cols;) {
        const int vecs = static_cast<int>(least(kPanelVecs, ceil_div(g.cols - x, kVecFloats)));
        out.cols = static_cast<int>(least(vecs * kVecFloats, g.cols - x));
        const int64_t at = row0 * plane + (g.row0 + y) * g.out_width + g.col0 + x;
        out.c = args.y + at;
        out.residual = e.residual == nullptr ? nullptr : e.residual + at;
        const float* in = from + y * s.stride[1] * g.line + x;
        const int64_t row = s.stride[1] * g.line;
        with_vecs(vecs, [&]<int NV>(std::integral_constant<int, NV>) {
#if !defined(__AVX2__)
          if (full && square == 3) return depthwise_square<kDepthwiseRows, NV, 3>(w, in, row, e, out);
          if (full && square == 5) return depthwise_square<kDepthwiseRows, NV, 5>(w, in, row, e, out);
#endif
          if (full)
            depthwise<kDepthwiseRows, NV>(taps, w, offsets, in, row, e, out);
          else
            depthwise<1, NV>(taps, w, offsets, in, row, e, out);
        });
        x += out.cols;
      }
      y += step;
    }
    strip(args, g, row0, 1, plane);
  }
}

}  // namespace tc::kernels
