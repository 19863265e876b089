// Depthwise convolution on NCHW16c: a few output pixels of one channel block at a time, each a register (or two, or
// four).
#include <array>
#include <utility>

#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/gemm/micro_tier.h"

namespace tc::kernels {
namespace {

constexpr int kBlockVecs = kChannelBlock / kVecFloats;
// The most pixels of a tile.
#if defined(__AVX512F__)
constexpr int kPixels = 10;
#elif defined(__AVX2__)
constexpr int kPixels = 6;
#else
constexpr int kPixels = 3;
#endif

struct Window {
  int64_t ky0, ky1, kx0, kx1;  // the taps inside the image
  int64_t line, tap;           // floats between input rows and columns of neighbouring taps
  int64_t pixel;               // floats between output columns' inputs
  int64_t kernel_width;
};

// R output pixels; in: the input of tap (0, 0) of the first one.
template <int R>
void pixels(const Window& k, const float* in, const float* w, const Epilogue& e, const TileOut& out) {
  Tile<R, kBlockVecs> t;
  t.zero();
  for (int64_t ky = k.ky0; ky < k.ky1; ++ky) {
    for (int64_t kx = k.kx0; kx < k.kx1; ++kx) {
      const float* a = in + ky * k.line + kx * k.tap;
      const float* tap = w + (ky * k.kernel_width + kx) * kChannelBlock;
#pragma GCC unroll 4
      for (int j = 0; j < kBlockVecs; ++j) {
        const VecF x = load(tap + j * kVecFloats);
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i) t.v[i][j] = fma(load(a + i * k.pixel + j * kVecFloats), x, t.v[i][j]);
      }
    }
  }
  t.finish(e, out);
}

using PixelsFn = void (*)(const Window&, const float*, const float*, const Epilogue&, const TileOut&);
template <int... R>
constexpr std::array<PixelsFn, sizeof...(R)> pixels_by_count(std::integer_sequence<int, R...>) {
  return {pixels<R + 1>...};
}
constexpr auto kByCount = pixels_by_count(std::make_integer_sequence<int, kPixels>{});

// `count` runs of R pixels side by side, all of whose horizontal taps lie inside, for a kernel of K columns and a
// stride of S: each input is read once for all the outputs that see it. The same sums in the same order as above.
template <int R, int K, int S>
void lines(const Window& k, const float* in, const float* w, int64_t count, const Epilogue& e, TileOut out) {
  out.row = out.residual_row = kChannelBlock;
  const bool simple = out.simple(e);
  for (; count > 0; --count) {
    Tile<R, kBlockVecs> t;
    t.zero();
    for (int64_t ky = k.ky0; ky < k.ky1; ++ky) {
      const float* a = in + ky * k.line;
      const float* taps = w + ky * K * kChannelBlock;
#pragma GCC unroll 4
      for (int j = 0; j < kBlockVecs; ++j) {
        VecF weight[K];
#pragma GCC unroll 8
        for (int q = 0; q < K; ++q) weight[q] = load(taps + q * kChannelBlock + j * kVecFloats);
#pragma GCC unroll 32
        for (int c = 0; c < (R - 1) * S + K; ++c) {
          const VecF x = load(a + c * kChannelBlock + j * kVecFloats);
#pragma GCC unroll 8
          for (int q = 0; q < K; ++q) {
            if (c >= q && (c - q) % S == 0 && (c - q) / S < R)
              t.v[(c - q) / S][j] = fma(x, weight[q], t.v[(c - q) / S][j]);
          }
        }
      }
    }
    if (simple)
      t.finish_simple(e, out);
    else
      t.finish(e, out);
    in += R * S * kChannelBlock;
    out.c = forget(out.c + R * kChannelBlock);
    if (out.residual != nullptr) out.residual = forget(out.residual + R * kChannelBlock);
  }
}

using LinesFn = void (*)(const Window&, const float*, const float*, int64_t, const Epilogue&, TileOut);
template <int K, int S, int... R>
LinesFn lines_of(int64_t pixels, std::integer_sequence<int, R...>) {
  static constexpr LinesFn kByPixels[] = {lines<R + 1, K, S>...};
  return kByPixels[pixels - 1];
}
// Null where there is none.
LinesFn lines_of(const ConvShape& s, int64_t pixels) {
  constexpr std::make_integer_sequence<int, kPixels> all;
  if (s.dilation[2] != 1 || s.stride[2] > 2) return nullptr;
  const bool one = s.stride[2] == 1;
  switch (s.kernel[2]) {
    case 3:
      return one ? lines_of<3, 1>(pixels, all) : lines_of<3, 2>(pixels, all);
    case 5:
      return one ? lines_of<5, 1>(pixels, all) : lines_of<5, 2>(pixels, all);
    case 7:
      return one ? lines_of<7, 1>(pixels, all) : lines_of<7, 2>(pixels, all);
    default:
      return nullptr;
  }
}

TC_INLINE int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
TC_INLINE int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// The taps k of [0, kernel) for which at + k * dilation lies in [0, extent).
TC_INLINE void valid(int64_t at, int64_t dilation, int64_t kernel, int64_t extent, int64_t* k0, int64_t* k1) {
  *k0 = at >= 0 ? 0 : least(kernel, (-at + dilation - 1) / dilation);
  *k1 = at >= extent ? *k0 : most(*k0, least(kernel, (extent - at + dilation - 1) / dilation));
}

}  // namespace

void TC_TIER_NAME(conv_depthwise)(const ConvArgs& args, const ConvPlan& p, int64_t tile, int) {
  const ConvShape& s = args.shape;
  const Epilogue& e = args.epilogue;
  const int64_t row_tile = tile % p.row_tiles;
  const int64_t block = tile / p.row_tiles % p.block_tiles;
  const int64_t image = tile / p.row_tiles / p.block_tiles;
  const int64_t height = s.in[1], width = s.in[2], out_width = s.out[2];
  const int64_t plane = image * p.block_tiles + block;
  const float* x = args.x + plane * height * width * kChannelBlock;
  const float* w = args.w + block * s.kernel[1] * s.kernel[2] * kChannelBlock;
  const int64_t row0 = row_tile * p.row_tile;
  const int64_t row1 = least(p.rows, row0 + p.row_tile);

  // Output columns all of whose taps lie inside.
  const int64_t span = (s.kernel[2] - 1) * s.dilation[2];
  const int64_t last = width - 1 - span + s.pad[2];
  const int64_t left = least(out_width, (s.pad[2] + s.stride[2] - 1) / s.stride[2]);
  const int64_t right = last < 0 ? left : most(left, least(out_width, last / s.stride[2] + 1));

  Window k;
  k.line = s.dilation[1] * width * kChannelBlock;
  k.tap = s.dilation[2] * kChannelBlock;
  k.kernel_width = s.kernel[2];
  TileOut out;
  out.ragged = false;
  out.cols = static_cast<int>(least(kChannelBlock, s.oc - block * kChannelBlock));
  out.bias = e.bias == nullptr ? nullptr : e.bias + block * kChannelBlock;
  out.scale = e.scale == nullptr ? nullptr : e.scale + block * kChannelBlock;
  // `count` pixels from (y, c) on, `step_y` rows and `step_x` columns apart, that share their taps.
  const auto run = [&](int64_t y, int64_t c, int64_t count, int64_t step_y, int64_t step_x) {
    const int64_t in_y = y * s.stride[1] - s.pad[1], in_x = c * s.stride[2] - s.pad[2];
    valid(in_y, s.dilation[1], s.kernel[1], height, &k.ky0, &k.ky1);
    valid(in_x, s.dilation[2], s.kernel[2], width, &k.kx0, &k.kx1);
    k.pixel = (step_y * s.stride[1] * width + step_x * s.stride[2]) * kChannelBlock;
    out.row = out.residual_row = (step_y * out_width + step_x) * kChannelBlock;
    const float* in = x + (in_y * width + in_x) * kChannelBlock;
    const int64_t at = ((plane * p.rows + y) * out_width + c) * kChannelBlock;
    const Strips strips(count, kPixels);
    const bool inside = step_x == 1 && k.kx0 == 0 && k.kx1 == s.kernel[2] && c >= left && c + count <= right;
    for (int64_t strip = 0; strip < strips.count;) {
      const int pixels = strips.rows(strip);
      const LinesFn fn = inside ? lines_of(s, pixels) : nullptr;
      const int64_t next = fn == nullptr ? strip + 1 : strip < strips.taller ? strips.taller : strips.count;
      const int64_t done = strips.begin(strip);
      const float* from = in + done * k.pixel;
      out.c = args.y + at + done * out.row;
      out.residual = e.residual == nullptr ? nullptr : e.residual + at + done * out.row;
      if (fn != nullptr)
        fn(k, from, w, next - strip, e, out);
      else
        kByCount[static_cast<size_t>(pixels - 1)](k, from, w, e, out);
      strip = next;
    }
  };
  // Rows all of whose taps lie inside: their border pixels go down the columns.
  const int64_t below = height - 1 - (s.kernel[1] - 1) * s.dilation[1] + s.pad[1];
  const int64_t top = most(row0, least(row1, (s.pad[1] + s.stride[1] - 1) / s.stride[1]));
  const int64_t bottom = below < 0 ? top : most(top, least(row1, below / s.stride[1] + 1));
  for (int64_t y = row0; y < row1; ++y) {
    const bool whole = y >= top && y < bottom;
    for (int64_t c = 0; c < out_width; ++c) {
      if (c == left && right > left) {
        run(y, left, right - left, 0, 1);
        c = right - 1;
      } else if (!whole) {
        run(y, c, 1, 0, 1);
      } else if (y == top) {
        run(top, c, bottom - top, 1, 0);
      }
    }
  }
  if (e.strip != nullptr) {
    const int64_t from = row0 * out_width * kChannelBlock;
    const int64_t count = (row1 - row0) * out_width * kChannelBlock;
    e.strip(e.context, args.y + plane * p.rows * out_width * kChannelBlock + from, 1, count, count, plane, from);
  }
}

}  // namespace tc::kernels
