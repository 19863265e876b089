// Winograd's minimal filtering F(m x m, 3 x 3) for m = 2 and 4, blocked -> blocked: m x m outputs from (m + 2)^2
// products per pair of channels instead of 9 m^2 (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks",
// 2015).
//
// A tile of the plan is a rectangle of output tiles and a range of output blocks. Its input is transformed into the
// worker's scratch; then, a panel of output channels at a time, one product per transform element and the inverse
// transform, straight into the output: nothing of the size of the image is written in between.
//
// The interpolation points are 0, +-1 (m = 2) and 0, +-3/4, +-3/2 (m = 4), and infinity. Of the points tried for m = 4
// in f32 with 256 input channels these and 1/sqrt(2), sqrt(2) err least: 3.2e-6 of the largest output against 1.5e-5
// for the usual 0, +-1, +-2; and they are exact.
#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/gemm/micro_tier.h"

namespace tc::kernels {
namespace {

constexpr int kGroup = kPanel / kChannelBlock;
constexpr int kBlockVecs = kChannelBlock / kVecFloats;

TC_INLINE int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
TC_INLINE int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

TC_INLINE Block16 scaled(Block16 a, float f) {
  return a * Block16::broadcast(f);
}
TC_INLINE Block16 plus(Block16 a, float f, Block16 b) {
  return fma(Block16::broadcast(f), b, a);
}
TC_INLINE Block16 minus(Block16 a, Block16 b) {
  for (int i = 0; i < Block16::kRegs; ++i) a.r[i] = a.r[i] - b.r[i];
  return a;
}

// The transforms of one line: B^T of the input, A^T of the products, G of the kernel.
template <int M>
struct Transform;

template <>
struct Transform<2> {
  static TC_INLINE void input(const Block16 (&d)[4], Block16 (&v)[4]) {
    v[0] = minus(d[2], d[0]);
    v[1] = d[1] + d[2];
    v[2] = minus(d[2], d[1]);
    v[3] = minus(d[3], d[1]);
  }
  static TC_INLINE void output(const Block16 (&m)[4], Block16 (&y)[2]) {
    y[0] = m[0] + m[1] + m[2];
    y[1] = minus(m[1], m[2]) + m[3];
  }
  static constexpr double kKernel[4][3] = {{-1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
};

template <>
struct Transform<4> {
  static constexpr double kA = 0.75, kB = 1.5, kA2 = kA * kA, kB2 = kB * kB;
  static TC_INLINE void input(const Block16 (&d)[6], Block16 (&v)[6]) {
    constexpr auto product = static_cast<float>(kA2 * kB2), sum = static_cast<float>(kA2 + kB2);
    const Block16 even_a = plus(d[4], static_cast<float>(-kB2), d[2]),
                  odd_a = plus(d[3], static_cast<float>(-kB2), d[1]);
    const Block16 even_b = plus(d[4], static_cast<float>(-kA2), d[2]),
                  odd_b = plus(d[3], static_cast<float>(-kA2), d[1]);
    v[0] = plus(plus(d[4], -sum, d[2]), product, d[0]);
    v[1] = plus(even_a, static_cast<float>(kA), odd_a);
    v[2] = plus(even_a, static_cast<float>(-kA), odd_a);
    v[3] = plus(even_b, static_cast<float>(kB), odd_b);
    v[4] = plus(even_b, static_cast<float>(-kB), odd_b);
    v[5] = plus(plus(d[5], -sum, d[3]), product, d[1]);
  }
  static TC_INLINE void output(const Block16 (&m)[6], Block16 (&y)[4]) {
    const Block16 sum_a = m[1] + m[2], sum_b = m[3] + m[4];
    const Block16 diff_a = minus(m[1], m[2]), diff_b = minus(m[3], m[4]);
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

// An output block of [group][element][input channel][width of the group].
template <int M>
void pack(const ConvShape& s, const float* w, int64_t block, float* dst) {
  constexpr int N = M + 2;
  const int64_t blocks = ceil_div(s.oc, kChannelBlock);
  const int64_t group = block / kGroup;
  const int64_t width = least(kGroup, blocks - group * kGroup) * kChannelBlock;
  dst += group * kPanel * N * N * s.ic + block % kGroup * kChannelBlock;
  const auto& g = Transform<M>::kKernel;
  for (int64_t i = 0; i < s.ic; ++i) {
    double kernel[9][kChannelBlock];
    for (int64_t lane = 0; lane < kChannelBlock; ++lane) {
      const int64_t o = block * kChannelBlock + lane;
      for (int tap = 0; tap < 9; ++tap) kernel[tap][lane] = o < s.oc ? double{w[(o * s.ic + i) * 9 + tap]} : 0.0;
    }
    for (int y = 0; y < N; ++y) {
      double line[3][kChannelBlock];
      for (int x = 0; x < 3; ++x) {
        for (int64_t lane = 0; lane < kChannelBlock; ++lane)
          line[x][lane] = g[y][0] * kernel[x][lane] + g[y][1] * kernel[3 + x][lane] + g[y][2] * kernel[6 + x][lane];
      }
      for (int x = 0; x < N; ++x) {
        float* to = dst + ((y * N + x) * s.ic + i) * width;
        for (int64_t lane = 0; lane < kChannelBlock; ++lane)
          to[lane] = static_cast<float>(g[x][0] * line[0][lane] + g[x][1] * line[1][lane] + g[x][2] * line[2][lane]);
      }
    }
  }
}

// One (M + 2)^2 piece of a block of the input image, with zeros beyond its borders; element e goes to v + e * step.
template <int M>
void transform_input(const float* image, int64_t height, int64_t width, int64_t y0, int64_t x0, float* v,
                     int64_t step) {
  constexpr int N = M + 2;
  Block16 rows[N][N];
  const bool inside = y0 >= 0 && x0 >= 0 && y0 + N <= height && x0 + N <= width;
  for (int x = 0; x < N; ++x) {
    Block16 d[N], t[N];
    for (int y = 0; y < N; ++y) {
      const bool here = inside || (y0 + y >= 0 && y0 + y < height && x0 + x >= 0 && x0 + x < width);
      d[y] = here ? Block16::load(image + ((y0 + y) * width + x0 + x) * kChannelBlock) : Block16::broadcast(0.0f);
    }
    Transform<M>::input(d, t);
    for (int y = 0; y < N; ++y) rows[y][x] = t[y];
  }
  for (int y = 0; y < N; ++y) {
    Block16 t[N];
    Transform<M>::input(rows[y], t);
    for (int x = 0; x < N; ++x) t[x].store(v + (y * N + x) * step);
  }
}

// C = A B for R tiles and NV registers of output channels: A is [input block][tile][16], B [input channel][width].
template <int R, int NV>
void product(const float* a, int64_t a_block, int64_t ic, const float* b, float* c) {
  constexpr int64_t width = NV * kVecFloats;
  Tile<R, NV> t;
  t.zero();
  for (int64_t left = ic; left > 0; left -= kChannelBlock, a += a_block) {
    const int64_t steps = least(left, kChannelBlock);
    for (int64_t p = 0; p < steps; ++p, b += width) t.step(a + p, kChannelBlock, b, kChannelBlock);
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) store(c + i * width + j * kVecFloats, t.v[i][j]);
  }
}

using ProductFn = void (*)(const float*, int64_t, int64_t, const float*, float*);

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
void products(const float* a, int64_t a_block, int64_t tiles, int64_t ic, const float* b, float* c) {
  constexpr int NV = Blocks * kBlockVecs;
  constexpr int64_t most = kMaxRows[NV];
  const int64_t strips = ceil_div(tiles, most), height = tiles / strips, taller = tiles % strips;
  for (int64_t strip = 0; strip < strips; ++strip) {
    const int64_t rows = height + (strip < taller ? 1 : 0);
    product_of<NV>(rows)(a, a_block, ic, b, c);
    a += rows * kChannelBlock;
    c += rows * Blocks * kChannelBlock;
  }
}

void products(int64_t blocks, const float* a, int64_t a_block, int64_t tiles, int64_t ic, const float* b, float* c) {
#if defined(__AVX512F__)
  switch (blocks) {
    case 2:
      return products<2>(a, a_block, tiles, ic, b, c);
    case 3:
      return products<3>(a, a_block, tiles, ic, b, c);
    case 4:
      return products<4>(a, a_block, tiles, ic, b, c);
    default:
      break;
  }
#endif
  static_cast<void>(blocks);
  products<1>(a, a_block, tiles, ic, b, c);
}

// What every output of a block shares.
struct Finish {
  Block16 scale, bias;
  bool scales, adds;

  Finish(const Epilogue& e, int64_t channel, int count)
      : scale(e.scale ? Block16::load(e.scale + channel, count) * Block16::broadcast(e.alpha)
                      : Block16::broadcast(e.alpha)),
        bias(e.bias ? Block16::load(e.bias + channel, count) : Block16::broadcast(0.0f)),
        scales(e.scale != nullptr || e.alpha != 1.0f),
        adds(e.bias != nullptr) {}

  TC_INLINE Block16 operator()(Block16 v, const Epilogue& e, const float* residual) const {
    if (scales) v = v * scale;
    if (adds) v = v + bias;
    if (residual != nullptr) v = fma(Block16::broadcast(e.beta), Block16::load(residual), v);
    if (e.slope != 1.0f) {
      const Block16 zero = Block16::broadcast(0.0f);
      v = fma(Block16::broadcast(e.slope), vmin(zero, v), vmax(zero, v));
    }
    return vmin(Block16::broadcast(e.hi), vmax(Block16::broadcast(e.lo), v));
  }
};

template <int M>
void run(const ConvArgs& args, const ConvPlan& p, int64_t tile_index, int worker) {
  constexpr int N = M + 2;
  const ConvShape& s = args.shape;
  const Epilogue& e = args.epilogue;
  int64_t t = tile_index;
  const int64_t block_tile = t % p.block_tiles;
  t /= p.block_tiles;
  const int64_t col_tile = t % p.col_tiles;
  t /= p.col_tiles;
  const int64_t row_tile = t % p.row_tiles;
  const int64_t image = t / p.row_tiles;
  const int64_t height = s.in[1], width = s.in[2], out_height = s.out[1], out_width = s.out[2];
  const int64_t in_blocks = ceil_div(s.ic, kChannelBlock), out_blocks = ceil_div(s.oc, kChannelBlock);
  const int64_t row0 = row_tile * p.row_tile, row1 = least(out_height, row0 + p.row_tile);
  const int64_t col0 = col_tile * p.col_tile, col1 = least(out_width, col0 + p.col_tile);
  const int64_t tile_cols = ceil_div(col1 - col0, M), tiles = ceil_div(row1 - row0, M) * tile_cols;

  float* v = args.scratch + worker * ceil_div(p.worker_floats, 16) * 16;  // [element][input block][tile][16]
  const int64_t v_block = tiles * kChannelBlock, v_element = in_blocks * v_block;
  float* m = v + N * N * v_element;  // [element][tile][width]
  for (int64_t b = 0; b < in_blocks; ++b) {
    const float* plane = args.x + (image * in_blocks + b) * height * width * kChannelBlock;
    for (int64_t i = 0; i < tiles; ++i) {
      const int64_t y = row0 + i / tile_cols * M - s.pad[1], x = col0 + i % tile_cols * M - s.pad[2];
      transform_input<M>(plane, height, width, y, x, v + b * v_block + i * kChannelBlock, v_element);
    }
  }
  const int64_t last = least(out_blocks, (block_tile + 1) * p.block_tile);
  for (int64_t first = block_tile * p.block_tile; first < last; first += kGroup) {
    const int64_t blocks = least(kGroup, out_blocks - first);
    const int64_t panel = blocks * kChannelBlock;
    const float* w = args.w + first * kChannelBlock * N * N * s.ic;
    for (int64_t element = 0; element < N * N; ++element)
      products(blocks, v + element * v_element, v_block, tiles, s.ic, w + element * s.ic * panel,
               m + element * tiles * panel);
    for (int64_t b = 0; b < blocks; ++b) {
      const int64_t channel = (first + b) * kChannelBlock;
      const Finish finish(e, channel, static_cast<int>(least(kChannelBlock, s.oc - channel)));
      const int64_t plane = image * out_blocks + first + b;
      const int64_t base = plane * out_height * out_width * kChannelBlock;
      for (int64_t i = 0; i < tiles; ++i) {
        const float* from = m + i * panel + b * kChannelBlock;
        Block16 columns[M][N];
        for (int x = 0; x < N; ++x) {
          Block16 in[N], out[M];
          for (int y = 0; y < N; ++y) in[y] = Block16::load(from + (y * N + x) * tiles * panel);
          Transform<M>::output(in, out);
          for (int y = 0; y < M; ++y) columns[y][x] = out[y];
        }
        const int64_t y0 = row0 + i / tile_cols * M, x0 = col0 + i % tile_cols * M;
        const int64_t cols = least(M, col1 - x0);
        for (int64_t y = 0; y < M && y0 + y < row1; ++y) {
          Block16 out[M];
          Transform<M>::output(columns[y], out);
          const int64_t at = base + ((y0 + y) * out_width + x0) * kChannelBlock;
          for (int64_t x = 0; x < cols; ++x) {
            const int64_t here = at + x * kChannelBlock;
            finish(out[x], e, e.residual ? e.residual + here : nullptr).store(args.y + here);
          }
        }
      }
      if (e.strip == nullptr) continue;
      for (int64_t y = row0; y < row1; ++y) {
        const int64_t from = (y * out_width + col0) * kChannelBlock, count = (col1 - col0) * kChannelBlock;
        e.strip(e.context, args.y + base + from, 1, count, count, plane, from);
      }
    }
  }
}

}  // namespace

void TC_TIER_NAME(conv_winograd_pack)(const ConvShape& s, ConvAlgorithm algorithm, const float* w, int64_t block,
                                      float* dst) {
  (algorithm == ConvAlgorithm::winograd2 ? pack<2> : pack<4>)(s, w, block, dst);
}

void TC_TIER_NAME(conv_winograd)(const ConvArgs& args, const ConvPlan& p, int64_t tile, int worker) {
  (p.algorithm == ConvAlgorithm::winograd2 ? run<2> : run<4>)(args, p, tile, worker);
}

}  // namespace tc::kernels
