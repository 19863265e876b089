// Depthwise convolution on NCHW16c: a few output pixels of one channel block at a time, each a register (or two, or
// four).
#include <array>
#include <utility>

#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/conv/rows_tier.h"
#include "tc/kernels/gemm/micro_tier.h"

namespace tc::kernels {
namespace {

constexpr int kBlockVecs = kChannelBlock / kVecFloats;
// The most pixels of a tile, and whether lines ask for the rows of outputs and inputs that come next: on Zen 3 32
// channels of 112 x 112 0.20 to 0.16 ms, 96 with strides of 2 0.20 to 0.19.
#if defined(__AVX512F__)
constexpr int kPixels = 14;
constexpr bool kFetchesRows = false;
#elif defined(__AVX2__)
constexpr int kPixels = 6;
constexpr bool kFetchesRows = true;
#else
constexpr int kPixels = 3;
constexpr bool kFetchesRows = false;
#endif

// Of a block's plane, `rows` lines of `count` runs of pixels side by side, from output (y, c) on.
struct Lines {
  int64_t y, c, rows, count;
};

// Adds up `rows` rows of K taps, S inputs apart, to R pixels: each input is read once for all the outputs that see it.
// Of the first tap's columns on, `from` to `end` lie in the image; kInside: all that are seen.
template <int K, int S, bool kInside, int R>
TC_INLINE void add_lines(Tile<R, kBlockVecs>& t, const float* a, int64_t line, const float* taps, int64_t rows,
                         int64_t from, int64_t end) {
  constexpr int kReach = (R - 1) * S + K;
  for (int64_t row = 0; row < rows; ++row, a += line, taps += K * kChannelBlock) {
#pragma GCC unroll 4
    for (int j = 0; j < kBlockVecs; ++j) {
      VecF weight[K];
#pragma GCC unroll 8
      for (int q = 0; q < K; ++q) weight[q] = load(taps + q * kChannelBlock + j * kVecFloats);
#pragma GCC unroll 40
      for (int c = 0; c < kReach; ++c) {
        if (!kInside && ((c < K - 1 && c < from) || (c > (R - 1) * S && c >= end))) continue;
        const VecF in = load(a + c * kChannelBlock + j * kVecFloats);
#pragma GCC unroll 8
        for (int q = 0; q < K; ++q) {
          if (c >= q && (c - q) % S == 0 && (c - q) / S < R)
            t.v[(c - q) / S][j] = fma(in, weight[q], t.v[(c - q) / S][j]);
        }
      }
    }
  }
}

// The same number R of pixels to a run, for a kernel of K columns, a stride of S and no dilation. Wants no more padding
// than K - 1. Where there is but a bias and a clip, sums begin with the bias: what follows them takes as long as half
// of their 9 taps otherwise.
template <int R, int K, int S>
void lines(const ConvShape& s, const Lines& l, const float* x, const float* w, const Epilogue& e,
           const TileOut& place) {
  TileOut out = place;
  out.row = out.residual_row = kChannelBlock;
  const TileEnds<kBlockVecs> ends(e, out);
  const int64_t height = s.in[1], width = s.in[2], line = width * kChannelBlock;
  for (int64_t row = 0; row < l.rows; ++row, advance(out, s.out[2] * kChannelBlock)) {
    const int64_t in_y = (l.y + row) * s.stride[1] - s.pad[1];
    const int64_t ky0 = most(0, -in_y), rows = least(s.kernel[1], height - in_y) - ky0;
    int64_t in_x = l.c * S - s.pad[2];
    TileOut to = out;
    for (int64_t run = 0; run < l.count; ++run, in_x += R * S, advance(to, R * kChannelBlock)) {
      const int64_t from = -in_x, end = width - in_x;  // columns of the image
      Tile<R, kBlockVecs> t;
      ends.begin(t);
      const float* const a = x + ((in_y + ky0) * width + in_x) * kChannelBlock;
      const float* const taps = w + ky0 * K * kChannelBlock;
      if constexpr (kFetchesRows) {
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i) __builtin_prefetch(to.c + (s.out[2] + i) * kChannelBlock, 1);
#pragma GCC unroll 16
        for (int i = 0; i < R * S; ++i) __builtin_prefetch(a + rows * line + i * kChannelBlock);
      }
      if (from <= 0 && end >= (R - 1) * S + K)
        add_lines<K, S, true>(t, a, line, taps, rows, from, end);
      else
        add_lines<K, S, false>(t, a, line, taps, rows, from, end);
      ends.end(t, to);
    }
  }
}

using LinesFn = void (*)(const ConvShape&, const Lines&, const float*, const float*, const Epilogue&, const TileOut&);
template <int K, int S, int... R>
LinesFn lines_of(int64_t pixels, std::integer_sequence<int, R...>) {
  static constexpr LinesFn kByPixels[] = {lines<R + 1, K, S>...};
  return kByPixels[pixels - 1];
}
// Null where there is none.
LinesFn lines_of(const ConvShape& s, int64_t pixels) {
  constexpr std::make_integer_sequence<int, kPixels> all;
  const int64_t most_pad = s.kernel[2] - 1;
  if (s.dilation[1] != 1 || s.dilation[2] != 1 || s.stride[2] > 2) return nullptr;
  if (s.pad[2] > most_pad || (s.out[2] - 1) * s.stride[2] - s.pad[2] >= s.in[2]) return nullptr;
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

// The taps k of [0, kernel) for which at + k * dilation lies in [0, extent).
TC_INLINE void valid(int64_t at, int64_t dilation, int64_t kernel, int64_t extent, int64_t* k0, int64_t* k1) {
  *k0 = at >= 0 ? 0 : least(kernel, (-at + dilation - 1) / dilation);
  *k1 = at >= extent ? *k0 : most(*k0, least(kernel, (extent - at + dilation - 1) / dilation));
}

struct Window {
  int64_t ky0, ky1, kx0, kx1;  // the taps inside the image
  int64_t line, tap;           // floats between input rows and columns of neighbouring taps
  int64_t pixel;               // floats between the inputs of neighbouring outputs
};

// R output pixels that share their taps; in: the input of tap (0, 0) of the first one.
template <int R>
void pixels(const ConvShape& s, const Window& k, const float* in, const float* w, const Epilogue& e,
            const TileOut& out) {
  Tile<R, kBlockVecs> t;
  t.zero();
  for (int64_t ky = k.ky0; ky < k.ky1; ++ky) {
    for (int64_t kx = k.kx0; kx < k.kx1; ++kx) {
      t.step_lanes(in + ky * k.line + kx * k.tap, k.pixel, w + (ky * s.kernel[2] + kx) * kChannelBlock);
    }
  }
  t.finish(e, out);
}

using PixelsFn = void (*)(const ConvShape&, const Window&, const float*, const float*, const Epilogue&, const TileOut&);
template <int... R>
constexpr std::array<PixelsFn, sizeof...(R)> pixels_by_count(std::integer_sequence<int, R...>) {
  return {pixels<R + 1>...};
}
constexpr auto kByCount = pixels_by_count(std::make_integer_sequence<int, kPixels>{});

// `count` of them, out.row apart.
void run_of(const ConvShape& s, const Window& k, const float* in, const float* w, int64_t count, const Epilogue& e,
            const TileOut& place) {
  TileOut out = place;
  const Strips strips(count, kPixels);
  for (int64_t strip = 0; strip < strips.count; ++strip) {
    const int size = strips.rows(strip);
    kByCount[static_cast<size_t>(size - 1)](s, k, in, w, e, out);
    in += size * k.pixel;
    advance(out, size * out.row);
  }
}

// Output columns [c0, c1) of a row for kernels of one row, any stride and dilation, by pieces of the input that are
// copied with their padding: most of what a filter of 15 taps sees of 50 columns touches it.
constexpr int64_t kPieceColumns = 512;
bool by_pieces(const ConvShape& s) {
  const bool rows_inside = s.kernel[1] == 1 && s.pad[1] == 0 && (s.out[1] - 1) * s.stride[1] < s.in[1];
  return rows_inside && (s.kernel[2] - 1) * s.dilation[2] < kPieceColumns / 2 && s.stride[2] < kPieceColumns / 2;
}
void row_by_pieces(const ConvShape& s, int64_t y, int64_t c0, int64_t c1, const float* x, const float* w,
                   const Epilogue& e, const TileOut& place) {
  TileOut out = place;
  const int64_t width = s.in[2], stride = s.stride[2], reach = (s.kernel[2] - 1) * s.dilation[2] + 1;
  const float* row = x + y * s.stride[1] * width * kChannelBlock;
  const Window k{.ky0 = 0,
                 .ky1 = 1,
                 .kx0 = 0,
                 .kx1 = s.kernel[2],
                 .line = 0,
                 .tap = s.dilation[2] * kChannelBlock,
                 .pixel = stride * kChannelBlock};
  out.row = out.residual_row = kChannelBlock;
  const int64_t most_columns = (kPieceColumns - reach) / stride + 1;
  alignas(64) float piece[kPieceColumns * kChannelBlock];
  while (c0 < c1) {
    const int64_t cols = least(most_columns, c1 - c0), x0 = c0 * stride - s.pad[2];
    const int64_t x1 = x0 + (cols - 1) * stride + reach;
    const float* in = row + x0 * kChannelBlock;
    if (x0 < 0 || x1 > width) {
      copy_rows(row, 1, 0, 1, width, kChannelBlock, x0, x1 - x0, piece);
      in = piece;
    }
    run_of(s, k, in, w, cols, e, out);
    advance(out, cols * kChannelBlock);
    c0 += cols;
  }
}

// Rows [row0, row1) and columns [col0, col1) of a block's plane, for any kernel, stride and dilation.
void any_rows(const ConvShape& s, int64_t row0, int64_t row1, int64_t col0, int64_t col1, const float* x,
              const float* w, const Epilogue& e, const TileOut& out) {
  const int64_t height = s.in[1], width = s.in[2], out_width = s.out[2];
  Window k;
  k.line = s.dilation[1] * width * kChannelBlock;
  k.tap = s.dilation[2] * kChannelBlock;
  // `count` pixels from (y, c) on, `step_y` rows and `step_x` columns apart.
  const auto run = [&](int64_t y, int64_t c, int64_t count, int64_t step_y, int64_t step_x) {
    const int64_t in_y = y * s.stride[1] - s.pad[1], in_x = c * s.stride[2] - s.pad[2];
    valid(in_y, s.dilation[1], s.kernel[1], height, &k.ky0, &k.ky1);
    valid(in_x, s.dilation[2], s.kernel[2], width, &k.kx0, &k.kx1);
    k.pixel = (step_y * s.stride[1] * width + step_x * s.stride[2]) * kChannelBlock;
    const float* in = x + (in_y * width + in_x) * kChannelBlock;
    TileOut to = out;
    to.row = to.residual_row = (step_y * out_width + step_x) * kChannelBlock;
    advance(to, ((y - row0) * out_width + c - col0) * kChannelBlock);
    run_of(s, k, in, w, count, e, to);
  };
  // Output columns and rows all of whose taps lie inside: border pixels of these rows go down the columns.
  const int64_t last_column = width - 1 - (s.kernel[2] - 1) * s.dilation[2] + s.pad[2];
  const int64_t left = most(col0, least(col1, (s.pad[2] + s.stride[2] - 1) / s.stride[2]));
  const int64_t right = last_column < 0 ? left : most(left, least(col1, last_column / s.stride[2] + 1));
  const int64_t last_row = height - 1 - (s.kernel[1] - 1) * s.dilation[1] + s.pad[1];
  const int64_t top = most(row0, least(row1, (s.pad[1] + s.stride[1] - 1) / s.stride[1]));
  const int64_t bottom = last_row < 0 ? top : most(top, least(row1, last_row / s.stride[1] + 1));
  for (int64_t y = row0; y < row1; ++y) {
    const bool whole = y >= top && y < bottom;
    for (int64_t c = col0; c < col1; ++c) {
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
}

}  // namespace

void TC_TIER_NAME(conv_depthwise)(const ConvArgs& args, const ConvPlan& p, int64_t tile, int) {
  const ConvShape& s = args.shape;
  const Epilogue& e = args.epilogue;
  const int64_t blocks = ceil_div(s.oc, kChannelBlock);
  const int64_t block_tile = tile % p.block_tiles;
  tile /= p.block_tiles;
  const int64_t col_tile = tile % p.col_tiles;
  tile /= p.col_tiles;
  const int64_t row_tile = tile % p.row_tiles, image = tile / p.row_tiles;
  const int64_t row0 = row_tile * p.row_tile, row1 = least(p.rows, row0 + p.row_tile);
  // Only images of one row are cut into columns.
  const int64_t col0 = col_tile * p.col_tile, col1 = least(p.cols, col0 + p.col_tile);
  const int64_t block1 = least(blocks, (block_tile + 1) * p.block_tile);
  const int64_t line = s.out[2] * kChannelBlock;
  const Strips strips(col1 - col0, kPixels);
  const LinesFn fn = lines_of(s, strips.height);
  const LinesFn taller = strips.taller > 0 ? lines_of(s, strips.height + 1) : nullptr;
  TileOut out;
  out.ragged = false;
  for (int64_t block = block_tile * p.block_tile; block < block1; ++block) {
    const int64_t plane = image * blocks + block, channel = block * kChannelBlock;
    const int64_t at = row0 * line + col0 * kChannelBlock;
    const float* x = args.x + plane * s.in[1] * s.in[2] * kChannelBlock;
    const float* w = args.w + channel * s.kernel[1] * s.kernel[2];
    float* y = args.y + plane * p.rows * line + at;
    out.cols = static_cast<int>(least(kChannelBlock, s.oc - channel));
    out.bias = e.bias == nullptr ? nullptr : e.bias + channel;
    out.scale = e.scale == nullptr ? nullptr : e.scale + channel;
    out.c = y;
    out.residual = e.residual == nullptr ? nullptr : e.residual + plane * p.rows * line + at;
    if (fn != nullptr) {
      const int64_t first = strips.begin(strips.taller);
      if (taller != nullptr) taller(s, {row0, col0, row1 - row0, strips.taller}, x, w, e, out);
      advance(out, first * kChannelBlock);
      fn(s, {row0, col0 + first, row1 - row0, strips.count - strips.taller}, x, w, e, out);
    } else if (by_pieces(s)) {
      for (int64_t row = row0; row < row1; ++row, advance(out, line)) row_by_pieces(s, row, col0, col1, x, w, e, out);
    } else {
      any_rows(s, row0, row1, col0, col1, x, w, e, out);
    }
    if (e.strip != nullptr) {
      const int64_t count = (row1 - row0 - 1) * line + (col1 - col0) * kChannelBlock;
      e.strip(e.context, y, 1, count, count, plane, at);
    }
  }
}

}  // namespace tc::kernels
