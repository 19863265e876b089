// Winograd's minimal filtering F(m x m, 3 x 3) for m = 2 and 4, blocked -> blocked: m x m outputs from (m + 2)^2
// products per pair of channels instead of 9 m^2 (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks",
// 2015). A dilated convolution is as many of them, one to each phase of pixels that are a dilation apart.
//
// With stride 2 the taps of even index see the even pixels of the tile's input alone, the odd one the odd pixels: along
// an axis F(m, 2) and m plain products, of which the latter have the former's transform but for the point at infinity,
// where they are zero. So their products are summed before the output is transformed, and (2m + 1)^2 do for 9 m^2.
//
// A tile of the plan is a range of output tiles, counted along rows of phases, and a panel of output channels. The
// range's input is transformed into the worker's scratch, where the next panel of the same range finds it again; then
// comes one product per transform element and the inverse transform, straight into the output: nothing of the size of
// the image is written in between.
//
// The interpolation points are 0, +-1 (m = 2) and 0, +-3/4, +-3/2 (m = 4), and infinity. Of the points tried for m = 4
// in f32 with 256 input channels these and 1/sqrt(2), sqrt(2) err least: 3.2e-6 of the largest output against 1.5e-5
// for the usual 0, +-1, +-2; and they are exact. With stride 2: +-1 and +-1/2, +-5/4 (2.0e-6, 0, +-1, 2 have 5.4e-6).
#include <cstring>

#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/conv/rows_tier.h"
#include "tc/kernels/gemm/micro_tier.h"

namespace tc::kernels {
namespace {

constexpr int kGroup = kPanel / kChannelBlock;
constexpr int kBlockVecs = kChannelBlock / kVecFloats;

TC_INLINE VecF scaled(VecF a, float f) {
  return a * VecF(f);
}
TC_INLINE VecF plus(VecF a, float f, VecF b) {
  return fma(VecF(f), b, a);
}

// The transforms of one line: B^T of the input, A^T of the products, G of the kernel. Of the input's numbers the first
// kPoints are those of taps 0, 1, 2 (stride 1) or 0, 2 at every point, the others of tap 1 at all points but infinity.
template <int M, int kStride>
struct Transform;

template <>
struct Transform<2, 1> {
  static TC_INLINE void input(const VecF (&d)[4], VecF (&v)[4]) {
    v[0] = d[2] - d[0];
    v[1] = d[1] + d[2];
    v[2] = d[2] - d[1];
    v[3] = d[3] - d[1];
  }
  static TC_INLINE void output(const VecF (&m)[4], VecF (&y)[2]) {
    y[0] = m[0] + m[1] + m[2];
    y[1] = m[1] - m[2] + m[3];
  }
  static constexpr double kKernel[4][3] = {{-1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
};

template <>
struct Transform<2, 2> {
  static TC_INLINE void input(const VecF (&d)[5], VecF (&v)[5]) {
    v[0] = d[2] + d[0];
    v[1] = d[2] - d[0];
    v[2] = d[4] - d[0];
    v[3] = d[3] + d[1];
    v[4] = d[3] - d[1];
  }
  static TC_INLINE void output(const VecF (&m)[3], VecF (&y)[2]) {
    y[0] = m[0] + m[1];
    y[1] = m[0] - m[1] + m[2];
  }
  static constexpr double kKernel[5][3] = {{0.5, 0, 0.5}, {-0.5, 0, 0.5}, {0, 0, 1}, {0, 0.5, 0}, {0, -0.5, 0}};
};

template <>
struct Transform<4, 1> {
  static constexpr double kA = 0.75, kB = 1.5, kA2 = kA * kA, kB2 = kB * kB;
  static TC_INLINE void input(const VecF (&d)[6], VecF (&v)[6]) {
    constexpr auto product = static_cast<float>(kA2 * kB2), sum = static_cast<float>(kA2 + kB2);
    const VecF even_a = plus(d[4], static_cast<float>(-kB2), d[2]), odd_a = plus(d[3], static_cast<float>(-kB2), d[1]);
    const VecF even_b = plus(d[4], static_cast<float>(-kA2), d[2]), odd_b = plus(d[3], static_cast<float>(-kA2), d[1]);
    v[0] = plus(plus(d[4], -sum, d[2]), product, d[0]);
    v[1] = plus(even_a, static_cast<float>(kA), odd_a);
    v[2] = plus(even_a, static_cast<float>(-kA), odd_a);
    v[3] = plus(even_b, static_cast<float>(kB), odd_b);
    v[4] = plus(even_b, static_cast<float>(-kB), odd_b);
    v[5] = plus(plus(d[5], -sum, d[3]), product, d[1]);
  }
  static TC_INLINE void output(const VecF (&m)[6], VecF (&y)[4]) {
    const VecF sum_a = m[1] + m[2], sum_b = m[3] + m[4];
    const VecF diff_a = m[1] - m[2], diff_b = m[3] - m[4];
    y[0] = m[0] + sum_a + sum_b;
    y[1] = plus(scaled(diff_a, static_cast<float>(kA)), static_cast<float>(kB), diff_b);
    y[2] = plus(scaled(sum_a, static_cast<float>(kA2)), static_cast<float>(kB2), sum_b);
    y[3] = plus(plus(m[5], static_cast<float>(kA * kA2), diff_a), static_cast<float>(kB * kB2), diff_b);
  }
  static constexpr double kFa = 2 * kA2 * (kA2 - kB2), kFb = 2 * kB2 * (kB2 - kA2);
  static constexpr double kKernel[6][3] = {{1 / (kA2 * kB2), 0, 0},         {1 / kFa, kA / kFa, kA2 / kFa},
                                           {1 / kFa, -kA / kFa, kA2 / kFa}, {1 / kFb, kB / kFb, kB2 / kFb},
                                           {1 / kFb, -kB / kFb, kB2 / kFb}, {0, 0, 1}};
};

template <>
struct Transform<4, 2> {
  static constexpr double kA = 0.5, kB = 1.25, kA2 = kA * kA, kB2 = kB * kB;
  // At the points but infinity.
  static TC_INLINE void finite(VecF d0, VecF d1, VecF d2, VecF d3, VecF* v) {
    const VecF even_a = plus(d2, static_cast<float>(-kB2), d0), odd_a = plus(d3, static_cast<float>(-kB2), d1);
    const VecF even_b = plus(d2, static_cast<float>(-kA2), d0), odd_b = plus(d3, static_cast<float>(-kA2), d1);
    v[0] = plus(odd_a, static_cast<float>(kA), even_a);
    v[1] = plus(odd_a, static_cast<float>(-kA), even_a);
    v[2] = plus(odd_b, static_cast<float>(kB), even_b);
    v[3] = plus(odd_b, static_cast<float>(-kB), even_b);
  }
  static TC_INLINE void input(const VecF (&d)[9], VecF (&v)[9]) {
    finite(d[0], d[2], d[4], d[6], v);
    v[4] = plus(plus(d[8], static_cast<float>(-kA2 - kB2), d[4]), static_cast<float>(kA2 * kB2), d[0]);
    finite(d[1], d[3], d[5], d[7], v + 5);
  }
  static TC_INLINE void output(const VecF (&m)[5], VecF (&y)[4]) {
    const VecF sum_a = m[0] + m[1], sum_b = m[2] + m[3];
    const VecF diff_a = m[0] - m[1], diff_b = m[2] - m[3];
    y[0] = sum_a + sum_b;
    y[1] = plus(scaled(diff_a, static_cast<float>(kA)), static_cast<float>(kB), diff_b);
    y[2] = plus(scaled(sum_a, static_cast<float>(kA2)), static_cast<float>(kB2), sum_b);
    y[3] = plus(plus(m[4], static_cast<float>(kA * kA2), diff_a), static_cast<float>(kB * kB2), diff_b);
  }
  static constexpr double kFa = 2 * kA * (kA2 - kB2), kFb = 2 * kB * (kB2 - kA2);
  static constexpr double kKernel[9][3] = {
      {1 / kFa, 0, kA / kFa}, {-1 / kFa, 0, kA / kFa}, {1 / kFb, 0, kB / kFb}, {-1 / kFb, 0, kB / kFb}, {0, 0, 1},
      {0, 1 / kFa, 0},        {0, -1 / kFa, 0},        {0, 1 / kFb, 0},        {0, -1 / kFb, 0}};
};

template <int M, int kStride>
struct Form : Transform<M, kStride> {
  static constexpr int kOutputs = M, kApart = kStride;
  static constexpr int kPoints = kStride == 1 ? M + 2 : M + 1;
  static constexpr int kLine = kStride * (M - 1) + 3;  // pixels of the input
  static_assert(kLine == kStride * kPoints - (kStride - 1));

  // An element of the transform, (i, j) of the points, is the sum of so many products; all that belong to it follow
  // each other. Product (a, b) of a tile's kLine x kLine is of element (a % kPoints, b % kPoints).
  static constexpr int products(int point) { return point < kPoints - 1 ? kStride : 1; }
  static constexpr int products(int i, int j) { return products(i) * products(j); }
  static constexpr int place(int a, int b) {
    const int i = a % kPoints, j = b % kPoints;
    return kStride * (kLine * i + products(i) * j) + a / kPoints * products(j) + b / kPoints;
  }
};

// An output block of [group][product][input channel][width of the group].
template <class F>
void pack(const ConvShape& s, const float* w, int64_t block, float* dst) {
  constexpr int L = F::kLine;
  const int64_t blocks = ceil_div(s.oc, kChannelBlock);
  const int64_t group = block / kGroup;
  const int64_t width = least(kGroup, blocks - group * kGroup) * kChannelBlock;
  dst += group * kPanel * L * L * s.ic + block % kGroup * kChannelBlock;
  const auto& g = F::kKernel;
  for (int64_t i = 0; i < s.ic; ++i) {
    double kernel[9][kChannelBlock];
    for (int64_t lane = 0; lane < kChannelBlock; ++lane) {
      const int64_t o = block * kChannelBlock + lane;
      for (int tap = 0; tap < 9; ++tap) kernel[tap][lane] = o < s.oc ? double{w[(o * s.ic + i) * 9 + tap]} : 0.0;
    }
    for (int y = 0; y < L; ++y) {
      double line[3][kChannelBlock];
      for (int x = 0; x < 3; ++x) {
        for (int64_t lane = 0; lane < kChannelBlock; ++lane)
          line[x][lane] = g[y][0] * kernel[x][lane] + g[y][1] * kernel[3 + x][lane] + g[y][2] * kernel[6 + x][lane];
      }
      for (int x = 0; x < L; ++x) {
        float* to = dst + (F::place(y, x) * s.ic + i) * width;
        for (int64_t lane = 0; lane < kChannelBlock; ++lane)
          to[lane] = static_cast<float>(g[x][0] * line[0][lane] + g[x][1] * line[1][lane] + g[x][2] * line[2][lane]);
      }
    }
  }
}

// The transform of a tile of pixels of a block, `apart` floats apart (or kChannelBlock), and rows `line`; the product
// at place p has its own at v + p * step. Not inlined: in a loop over tiles the compiler would keep one pointer per
// element.
template <class F, bool kApart>
__attribute__((noinline)) void transform_input(const float* from, int64_t line, int64_t apart, float* v, int64_t step) {
  constexpr int L = F::kLine;
  const int64_t pixel = kApart ? apart : kChannelBlock;
  for (int lane = 0; lane < kChannelBlock; lane += kVecFloats) {
    VecF rows[L][L];
#pragma GCC unroll 9
    for (int x = 0; x < L; ++x) {
      VecF d[L], t[L];
#pragma GCC unroll 9
      for (int y = 0; y < L; ++y) d[y] = load(from + y * line + x * pixel + lane);
      F::input(d, t);
#pragma GCC unroll 9
      for (int y = 0; y < L; ++y) rows[y][x] = t[y];
    }
    float* to = v + lane;
#pragma GCC unroll 9
    for (int y = 0; y < L; ++y) {
      VecF t[L];
      F::input(rows[y], t);
#pragma GCC unroll 9
      for (int x = 0; x < L; ++x) store(to + F::place(y, x) * step, t[x]);
    }
  }
}

// The same at (y0, x0) of an image, with zeros beyond its borders; pixels (dy, dx) apart.
template <class F>
void transform_border(const float* image, int64_t height, int64_t width, int64_t y0, int64_t x0, int64_t dy, int64_t dx,
                      float* v, int64_t step) {
  constexpr int L = F::kLine;
  alignas(64) float piece[L * L * kChannelBlock];
  float* to = piece;
  for (int64_t y = y0; y < y0 + L * dy; y += dy) {
    for (int64_t x = x0; x < x0 + L * dx; x += dx, to += kChannelBlock) {
      const bool inside = y >= 0 && y < height && x >= 0 && x < width;
      (inside ? Block16::load(image + (y * width + x) * kChannelBlock) : Block16::broadcast(0.0f)).store(to);
    }
  }
  transform_input<F, false>(piece, L * kChannelBlock, kChannelBlock, v, step);
}

// What is multiplied for one element, for all tiles of a range.
struct Factors {
  const float* a;  // [product][input block][tile][16]
  int64_t a_product, a_block;
  int64_t products, ic;
  const float* b;  // [product][input channel][width]
};

// C = A B for R tiles from a on and NV registers of output channels. `ahead`: what is read next after B, of which
// `lines` cache lines are asked for with each block of input channels.
template <int R, int NV>
void product(const Factors& f, const float* a, float* c, const float* ahead, int64_t lines) {
  constexpr int64_t width = NV * kVecFloats;
  Tile<R, NV> t;
  t.zero();
  const float* b = f.b;
  for (int64_t q = 0; q < f.products; ++q, a += f.a_product) {
    const float* block = a;
    for (int64_t left = f.ic; left > 0; left -= kChannelBlock, block += f.a_block) {
      for (int64_t i = 0; i < lines; ++i, ahead += kChannelBlock) __builtin_prefetch(ahead, 0, 2);
      const int64_t steps = least(left, kChannelBlock);
      for (int64_t p = 0; p < steps; ++p, b += width) t.step(block + p, kChannelBlock, b, kChannelBlock);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) store(c + i * width + j * kVecFloats, t.v[i][j]);
  }
}

using ProductFn = void (*)(const Factors&, const float*, float*, const float*, int64_t);

template <int NV, int... R>
ProductFn product_of(int64_t rows, std::integer_sequence<int, R...>) {
  static constexpr ProductFn kByRows[] = {product<R + 1, NV>...};
  return kByRows[rows - 1];
}
template <int NV>
ProductFn product_of(int64_t rows) {
  return product_of<NV>(rows, std::make_integer_sequence<int, kMaxRows[NV]>{});
}

// The products of all tiles with one element's panel of `blocks` output blocks.
template <int Blocks>
void products(const Factors& f, int64_t tiles, float* c) {
  constexpr int NV = Blocks * kBlockVecs;
  constexpr int64_t most = kMaxRows[NV];
  const int64_t strips = ceil_div(tiles, most), height = tiles / strips, taller = tiles % strips;
  // The strips share the lines of the next element's panel, which lies behind this one.
  const int64_t lines = ceil_div(kChannelBlock * Blocks, strips);
  const float *a = f.a, *ahead = f.b + f.products * f.ic * Blocks * kChannelBlock;
  for (int64_t strip = 0; strip < strips; ++strip) {
    const int64_t rows = height + (strip < taller ? 1 : 0);
    product_of<NV>(rows)(f, a, c, ahead, lines);
    ahead += f.products * ceil_div(f.ic, kChannelBlock) * lines * kChannelBlock;
    a += rows * kChannelBlock;
    c += rows * Blocks * kChannelBlock;
  }
}

void products(int64_t blocks, const Factors& f, int64_t tiles, float* c) {
#if defined(__AVX512F__)
  switch (blocks) {
    case 2:
      return products<2>(f, tiles, c);
    case 3:
      return products<3>(f, tiles, c);
    case 4:
      return products<4>(f, tiles, c);
    default:
      break;
  }
#endif
  static_cast<void>(blocks);
  products<1>(f, tiles, c);
}

// What every output of a block shares.
struct Finish {
  const Epilogue& e;
  alignas(64) float scale[kChannelBlock], bias[kChannelBlock];
  bool scales;

  Finish(const Epilogue& epilogue, int64_t channel, int count)
      : e(epilogue), scales(epilogue.scale != nullptr || epilogue.alpha != 1.0f) {
    for (int i = 0; i < kChannelBlock; ++i) {
      scale[i] = e.scale != nullptr && i < count ? e.scale[channel + i] * e.alpha : e.alpha;
      bias[i] = e.bias != nullptr && i < count ? e.bias[channel + i] : 0.0f;
    }
  }

  bool only_adds_and_clips() const { return !scales && e.residual == nullptr && e.slope == 1.0f; }

  // For the lanes from `lane` on.
  TC_INLINE VecF operator()(VecF v, int lane, const float* residual) const {
    if (scales) v = v * load(scale + lane);
    v = v + load(bias + lane);
    if (residual != nullptr) v = fma(VecF(e.beta), load(residual), v);
    if (e.slope != 1.0f) v = fma(VecF(e.slope), vmin(VecF(0.0f), v), vmax(VecF(0.0f), v));
    return vmin(VecF(e.hi), vmax(VecF(e.lo), v));
  }
};

// An output tile of a block from the elements, `element` floats apart: rows x cols <= M x M pixels, `apart` floats
// apart (or kChannelBlock), and lines `line`.
template <class F, bool kApart>
__attribute__((noinline)) void transform_output(const float* m, int64_t element, const Finish& finish, int64_t rows,
                                                int64_t cols, int64_t line, int64_t apart, float* y,
                                                const float* residual) {
  constexpr int M = F::kOutputs, N = F::kPoints;
  const int64_t pixel = kApart ? apart : kChannelBlock;
  const bool whole = rows == M && cols == M && finish.only_adds_and_clips();
  for (int lane = 0; lane < kChannelBlock; lane += kVecFloats) {
    VecF columns[M][N], out[M][M];
#pragma GCC unroll 8
    for (int x = 0; x < N; ++x) {
      VecF in[N], t[M];
      const float* from = m + x * element + lane;
#pragma GCC unroll 8
      for (int i = 0; i < N; ++i, from += N * element) in[i] = load(from);
      F::output(in, t);
#pragma GCC unroll 8
      for (int i = 0; i < M; ++i) columns[i][x] = t[i];
    }
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) F::output(columns[i], out[i]);
    if (whole) {
      const VecF bias = load(finish.bias + lane), lo(finish.e.lo), hi(finish.e.hi);
#pragma GCC unroll 8
      for (int i = 0; i < M; ++i) {
#pragma GCC unroll 8
        for (int x = 0; x < M; ++x) store(y + i * line + x * pixel + lane, vmin(hi, vmax(lo, out[i][x] + bias)));
      }
      continue;
    }
    alignas(64) float tile[M * M * kVecFloats];
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) {
#pragma GCC unroll 8
      for (int x = 0; x < M; ++x) store(tile + (i * M + x) * kVecFloats, out[i][x]);
    }
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t x = 0; x < cols; ++x) {
        const int64_t at = i * line + x * pixel + lane;
        store(y + at, finish(load(tile + (i * M + x) * kVecFloats), lane, residual ? residual + at : nullptr));
      }
    }
  }
}

// A range of output tiles of one image.
struct Range {
  int64_t first, last;
  int64_t columns, rows;  // of a phase's tiles
  int64_t across;         // phases side by side
  int64_t dy, dx;

  int64_t tiles() const { return last - first; }
  // The first output of tile `at` of the image.
  void place(int64_t at, int64_t m, int64_t* y, int64_t* x) const {
    const int64_t phase = at / (rows * columns);
    at %= rows * columns;
    *y = phase / across + at / columns * m * dy;
    *x = phase % across + at % columns * m * dx;
  }
};

Range range_of(const ConvShape& s, int64_t m, int64_t first, int64_t last) {
  Range r;
  r.first = first, r.last = last;
  r.dy = s.dilation[1], r.dx = s.dilation[2];
  r.across = least(r.dx, s.out[2]);
  r.rows = ceil_div(ceil_div(s.out[1], r.dy), m);
  r.columns = ceil_div(ceil_div(s.out[2], r.dx), m);
  return r;
}

template <class F>
void transform_range(const ConvArgs& args, const Range& range, int64_t image, float* v, int64_t element) {
  const ConvShape& s = args.shape;
  const int64_t height = s.in[1], width = s.in[2], in_blocks = ceil_div(s.ic, kChannelBlock);
  const int64_t dy = range.dy, dx = range.dx;
  for (int64_t b = 0; b < in_blocks; ++b) {
    const float* plane = args.x + (image * in_blocks + b) * height * width * kChannelBlock;
    for (int64_t at = range.first; at < range.last; ++at, v += kChannelBlock) {
      int64_t y, x;
      range.place(at, F::kOutputs, &y, &x);
      y = y * F::kApart - s.pad[1], x = x * F::kApart - s.pad[2];
      if (y >= 0 && x >= 0 && y + (F::kLine - 1) * dy < height && x + (F::kLine - 1) * dx < width)
        (dx == 1 ? transform_input<F, false> : transform_input<F, true>)(plane + (y * width + x) * kChannelBlock,
                                                                         dy * width * kChannelBlock, dx * kChannelBlock,
                                                                         v, element);
      else
        transform_border<F>(plane, height, width, y, x, dy, dx, v, element);
    }
  }
}

// The strip of a range: pieces of output rows, or pixels.
template <int M>
void strip_range(const ConvArgs& args, const Range& range, int64_t base, int64_t plane) {
  const int64_t height = args.shape.out[1], width = args.shape.out[2];
  const Epilogue& e = args.epilogue;
  for (int64_t i = range.first; i < range.last;) {
    const int64_t stop = range.dx > 1 ? i + 1 : least(range.last, (i / range.columns + 1) * range.columns);
    int64_t y0, x0;
    range.place(i, M, &y0, &x0);
    for (int64_t y = y0; y < least(height, y0 + M * range.dy); y += range.dy) {
      const int64_t pieces = range.dx > 1 ? M : 1, cols = range.dx > 1 ? 1 : (stop - i) * M;
      for (int64_t x = x0; x < least(width, x0 + pieces * range.dx); x += range.dx) {
        const int64_t from = (y * width + x) * kChannelBlock, count = least(width - x, cols) * kChannelBlock;
        e.strip(e.context, args.y + base + from, 1, count, count, plane, from);
      }
    }
    i = stop;
  }
}

template <class F>
void run(const ConvArgs& args, const ConvPlan& p, int64_t tile_index, int worker) {
  constexpr int M = F::kOutputs, N = F::kPoints, L = F::kLine;
  const ConvShape& s = args.shape;
  const int64_t block_tile = tile_index % p.block_tiles, source = tile_index / p.block_tiles;
  const int64_t image = source / p.col_tiles, first_tile = source % p.col_tiles * p.col_tile;
  const Range range = range_of(s, M, first_tile, least(p.cols, first_tile + p.col_tile));
  const int64_t tiles = range.tiles(), dy = range.dy, dx = range.dx;
  const int64_t in_blocks = ceil_div(s.ic, kChannelBlock), out_blocks = ceil_div(s.oc, kChannelBlock);

  // [product][input block][tile][16], then [element][tile][width]; a block more for each, so that those of a tile do
  // not meet in one set of the cache.
  float* scratch = args.scratch + worker * ceil_div(p.worker_floats, 16) * 16;
  float* v = scratch + kScratchHead;
  const int64_t v_block = tiles * kChannelBlock, v_product = in_blocks * v_block + kChannelBlock;
  float* m = v + L * L * v_product;
  int64_t held;
  std::memcpy(&held, scratch, sizeof held);
  if (held != source + 1) {
    transform_range<F>(args, range, image, v, v_product);
    held = source + 1;
    std::memcpy(scratch, &held, sizeof held);
  }
  const int64_t last = least(out_blocks, (block_tile + 1) * p.block_tile);
  for (int64_t first = block_tile * p.block_tile; first < last; first += kGroup) {
    const int64_t blocks = least(kGroup, out_blocks - first);
    const int64_t panel = blocks * kChannelBlock, m_element = tiles * panel + kChannelBlock;
    const float* w = args.w + first * kChannelBlock * L * L * s.ic;
    for (int element = 0; element < N * N; ++element) {
      const int i = element / N, j = element % N, place = F::place(i, j);
      const Factors f{v + place * v_product, v_product, v_block, F::products(i, j), s.ic, w + place * s.ic * panel};
      products(blocks, f, tiles, m + element * m_element);
    }
    for (int64_t b = 0; b < blocks; ++b) {
      const int64_t channel = (first + b) * kChannelBlock;
      const Finish finish(args.epilogue, channel, static_cast<int>(least(kChannelBlock, s.oc - channel)));
      const int64_t plane = image * out_blocks + first + b;
      const int64_t base = plane * s.out[1] * s.out[2] * kChannelBlock;
      for (int64_t i = 0; i < tiles; ++i) {
        int64_t y0, x0;
        range.place(range.first + i, M, &y0, &x0);
        const int64_t rows = least(M, ceil_div(s.out[1] - y0, dy)), cols = least(M, ceil_div(s.out[2] - x0, dx));
        if (rows <= 0 || cols <= 0) continue;  // of a phase that is shorter than others
        const int64_t here = base + (y0 * s.out[2] + x0) * kChannelBlock;
        (dx == 1 ? transform_output<F, false>
                 : transform_output<F, true>)(m + i * panel + b * kChannelBlock, m_element, finish, rows, cols,
                                              dy * s.out[2] * kChannelBlock, dx * kChannelBlock, args.y + here,
                                              args.epilogue.residual ? args.epilogue.residual + here : nullptr);
      }
      if (args.epilogue.strip != nullptr) strip_range<M>(args, range, base, plane);
    }
  }
}

// f of the form that an algorithm has.
template <class Fn>
void with_form(ConvAlgorithm algorithm, const ConvShape& s, Fn f) {
  const bool two = algorithm == ConvAlgorithm::winograd2;
  if (s.stride[1] == 1) return two ? f(Form<2, 1>{}) : f(Form<4, 1>{});
  two ? f(Form<2, 2>{}) : f(Form<4, 2>{});
}

}  // namespace

void TC_TIER_NAME(conv_winograd_pack)(const ConvShape& s, ConvAlgorithm algorithm, const float* w, int64_t block,
                                      float* dst) {
  with_form(algorithm, s, [&](auto form) { pack<decltype(form)>(s, w, block, dst); });
}

void TC_TIER_NAME(conv_winograd)(const ConvArgs& args, const ConvPlan& p, int64_t tile, int worker) {
  with_form(p.algorithm, args.shape, [&](auto form) { run<decltype(form)>(args, p, tile, worker); });
}

}  // namespace tc::kernels
