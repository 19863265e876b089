// Winograd's minimal filtering, blocked -> blocked (Lavin and Gray, "Fast Algorithms for Convolutional Neural
// Networks", 2015): for 3x3 kernels m x m outputs from (m + 2)^2 products per pair of channels instead of 9 m^2. What
// else goes this way is in winograd_forms_tier.h. A dilated convolution is as many of them, one to each phase of pixels
// that are a dilation apart.
//
// A tile of the plan is a range of output tiles, counted along rows of phases, and a panel of output channels. The
// range's input is transformed into the worker's scratch, where the next panel of the same range finds it again; then
// comes one product per transform element and the inverse transform, straight into the output: nothing of the size of
// the image is written in between.
#include <cstring>

#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/conv/rows_tier.h"
#include "tc/kernels/conv/winograd_forms_tier.h"
#include "tc/kernels/cpu.h"
#include "tc/kernels/gemm/micro_tier.h"

namespace tc::kernels {
namespace {

constexpr int kGroup = kPanel / kChannelBlock;
constexpr int kBlockVecs = kChannelBlock / kVecFloats;

// The kernel in pieces that fill a transform, plane by plane.
struct Pieces {
  int64_t planes, down, across;
  int64_t all() const { return planes * down * across; }
};
template <class F>
Pieces pieces_of(const ConvShape& s) {
  return {s.kernel[0], ceil_div(s.kernel[1], F::Rows::kTaps), ceil_div(s.kernel[2], F::Cols::kTaps)};
}

// A group of channels, of which a last one may have fewer than the others.
struct Part {
  ConvShape shape;                                     // as of an image of its own
  int64_t in_block, out_block, in_blocks, out_blocks;  // where it begins, and how many there are of all groups
  int64_t most_in, most_out;                           // channels of a whole one

  Part(ConvAlgorithm algorithm, const ConvShape& given, int64_t index)
      : shape(conv_group(algorithm, given)), most_in(shape.ic), most_out(shape.oc) {
    in_block = index * ceil_div(most_in, kChannelBlock), out_block = index * ceil_div(most_out, kChannelBlock);
    in_blocks = ceil_div(given.ic, kChannelBlock), out_blocks = ceil_div(given.oc, kChannelBlock);
    shape.ic = least(most_in, given.ic - index * most_in), shape.oc = least(most_out, given.oc - index * most_out);
  }
  int64_t weights(int64_t products) const { return out_block * kChannelBlock * products * most_in; }  // before it
};

// An output block, counted over all groups of channels, of [group of channels][group][product][piece][input
// channel][width of the group].
template <class F>
void pack(ConvAlgorithm algorithm, const ConvShape& given, const float* w, int64_t block, float* dst) {
  using Y = typename F::Rows;
  using X = typename F::Cols;
  const int64_t most_blocks = ceil_div(conv_group(algorithm, given).oc, kChannelBlock);
  const int64_t index = block / most_blocks, of_part = block % most_blocks;
  const Part part(algorithm, given, index);
  const ConvShape& s = part.shape;
  const int64_t blocks = ceil_div(s.oc, kChannelBlock);
  if (of_part >= blocks) return;
  const Pieces pieces = pieces_of<F>(s);
  const int64_t all = pieces.all(), group = of_part / kGroup;
  const int64_t in_channels = given.ic / given.groups, out_channels = given.oc / given.groups;
  const int64_t width = least(kGroup, blocks - group * kGroup) * kChannelBlock;
  dst += part.weights(Y::kLine * X::kLine * all) + group * kPanel * Y::kLine * X::kLine * all * s.ic +
         of_part % kGroup * kChannelBlock;
  for (int64_t piece = 0; piece < all; ++piece) {
    const int64_t z = piece / pieces.across / pieces.down;
    const int64_t y0 = piece / pieces.across % pieces.down * Y::kTaps, x0 = piece % pieces.across * X::kTaps;
    for (int64_t i = 0; i < s.ic; ++i) {
      double kernel[Y::kTaps][X::kTaps][kChannelBlock];
      for (int y = 0; y < Y::kTaps; ++y) {
        for (int x = 0; x < X::kTaps; ++x) {
          const bool has = y0 + y < s.kernel[1] && x0 + x < s.kernel[2];
          for (int64_t lane = 0; lane < kChannelBlock; ++lane) {
            const int64_t o = block * kChannelBlock + lane, in = index * part.most_in + i;
            const bool meets = o < given.oc && o / out_channels == in / in_channels;
            const int64_t at =
                (((o * in_channels + in % in_channels) * s.kernel[0] + z) * s.kernel[1] + y0 + y) * s.kernel[2] + x0 +
                x;
            kernel[y][x][lane] = has && meets ? double{w[at]} : 0.0;
          }
        }
      }
      for (int y = 0; y < Y::kLine; ++y) {
        double line[X::kTaps][kChannelBlock] = {};
        for (int x = 0; x < X::kTaps; ++x) {
          for (int tap = 0; tap < Y::kTaps; ++tap)
            for (int64_t lane = 0; lane < kChannelBlock; ++lane)
              line[x][lane] += Y::kKernel[y][tap] * kernel[tap][x][lane];
        }
        for (int x = 0; x < X::kLine; ++x) {
          float* to = dst + ((F::place(y, x) * all + piece) * s.ic + i) * width;
          for (int64_t lane = 0; lane < kChannelBlock; ++lane) {
            double sum = 0;
            for (int tap = 0; tap < X::kTaps; ++tap) sum += X::kKernel[x][tap] * line[tap][lane];
            to[lane] = static_cast<float>(sum);
          }
        }
      }
    }
  }
}

// The transform of a tile of pixels of a block, `apart` floats apart (or kChannelBlock), and rows `line`; the product
// at place p has its own at v + p * step. Not inlined: in a loop over tiles the compiler would keep one pointer per
// element.
template <class F, bool kApart>
__attribute__((noinline)) void transform_input(const float* from, int64_t line, int64_t apart, float* v, int64_t step) {
  using Y = typename F::Rows;
  using X = typename F::Cols;
  const int64_t pixel = kApart ? apart : kChannelBlock;
  for (int lane = 0; lane < kChannelBlock; lane += kVecFloats) {
    VecF rows[Y::kLine][X::kLine];
#pragma GCC unroll 9
    for (int x = 0; x < X::kLine; ++x) {
      VecF d[Y::kLine], t[Y::kLine];
#pragma GCC unroll 9
      for (int y = 0; y < Y::kLine; ++y) d[y] = load(from + y * line + x * pixel + lane);
      Y::input(d, t);
#pragma GCC unroll 9
      for (int y = 0; y < Y::kLine; ++y) rows[y][x] = t[y];
    }
    float* to = v + lane;
#pragma GCC unroll 9
    for (int y = 0; y < Y::kLine; ++y) {
      VecF t[X::kLine];
      X::input(rows[y], t);
#pragma GCC unroll 9
      for (int x = 0; x < X::kLine; ++x) store(to + F::place(y, x) * step, t[x]);
    }
  }
}

// The same at (y0, x0) of an image, with zeros beyond its borders; pixels (dy, dx) apart.
template <class F>
void transform_border(const float* image, int64_t height, int64_t width, int64_t y0, int64_t x0, int64_t dy, int64_t dx,
                      float* v, int64_t step) {
  constexpr int kRows = F::Rows::kLine, kCols = F::Cols::kLine;
  alignas(64) float piece[kRows * kCols * kChannelBlock];
  float* to = piece;
  for (int64_t y = y0; y < y0 + kRows * dy; y += dy) {
    for (int64_t x = x0; x < x0 + kCols * dx; x += dx, to += kChannelBlock) {
      const bool inside = y >= 0 && y < height && x >= 0 && x < width;
      (inside ? Block16::load(image + (y * width + x) * kChannelBlock) : Block16::broadcast(0.0f)).store(to);
    }
  }
  transform_input<F, false>(piece, kCols * kChannelBlock, kChannelBlock, v, step);
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
      t.steps(block, kChannelBlock, b, steps);
      b += steps * width;
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
  const Strips strips(tiles, tile_rows(NV, tiles));
  // The strips share the lines of the next element's panel, which lies behind this one. Not on Zen 4 and 5, whose
  // prefetchers follow the panels by themselves, and whose requests wait for a place among the loads: resnet18 on Zen
  // 5, one thread and two, 15.2 and 9.9 ms with them, 12.5 and 8.6 without, resnet50 40.0 and 25.1 for 37.7 and 23.8.
  // On Zen 3 resnet18 26.5 and 14.4 without, 23.6 and 12.7 with them, resnet50 86.0 and 43.4, 81.6 and 41.8.
  const bool by_themselves = cpu_info().zen4_or_later();
  const int64_t lines = by_themselves ? 0 : ceil_div(kChannelBlock * Blocks, strips.count);
  const float *a = f.a, *ahead = f.b + f.products * f.ic * Blocks * kChannelBlock;
  for (int64_t strip = 0; strip < strips.count; ++strip) {
    const int64_t rows = strips.rows(strip);
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

// An output tile of a block from the elements, `element` floats apart: as many of its rows x cols pixels, `apart`
// floats apart (or kChannelBlock), and lines `line`.
template <class F, bool kApart>
__attribute__((noinline)) void transform_output(const float* m, int64_t element, const Finish& finish, int64_t rows,
                                                int64_t cols, int64_t line, int64_t apart, float* y,
                                                const float* residual) {
  using Y = typename F::Rows;
  using X = typename F::Cols;
  constexpr int kRows = Y::kOutputs, kCols = X::kOutputs;
  const int64_t pixel = kApart ? apart : kChannelBlock;
  const bool whole = rows == kRows && cols == kCols && finish.only_adds_and_clips();
  for (int lane = 0; lane < kChannelBlock; lane += kVecFloats) {
    VecF columns[kRows][X::kPoints], out[kRows][kCols];
#pragma GCC unroll 8
    for (int x = 0; x < X::kPoints; ++x) {
      VecF in[Y::kPoints], t[kRows];
      const float* from = m + x * element + lane;
#pragma GCC unroll 8
      for (int i = 0; i < Y::kPoints; ++i, from += X::kPoints * element) in[i] = load(from);
      Y::output(in, t);
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) columns[i][x] = t[i];
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) X::output(columns[i], out[i]);
    if (whole) {
      const VecF bias = load(finish.bias + lane), lo(finish.e.lo), hi(finish.e.hi);
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
        for (int x = 0; x < kCols; ++x) store(y + i * line + x * pixel + lane, vmin(hi, vmax(lo, out[i][x] + bias)));
      }
      continue;
    }
    alignas(64) float tile[kRows * kCols * kVecFloats];
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int x = 0; x < kCols; ++x) store(tile + (i * kCols + x) * kVecFloats, out[i][x]);
    }
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t x = 0; x < cols; ++x) {
        const int64_t at = i * line + x * pixel + lane;
        store(y + at, finish(load(tile + (i * kCols + x) * kVecFloats), lane, residual ? residual + at : nullptr));
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
  template <class F>
  void place(int64_t at, int64_t* y, int64_t* x) const {
    const int64_t phase = at / (rows * columns);
    at %= rows * columns;
    *y = phase / across + at / columns * F::Rows::kOutputs * dy;
    *x = phase % across + at % columns * F::Cols::kOutputs * dx;
  }
};

template <class F>
Range range_of(const ConvShape& s, int64_t first, int64_t last) {
  Range r;
  r.first = first, r.last = last;
  r.dy = winograd_apart(s, 1), r.dx = winograd_apart(s, 2);
  r.across = least(r.dx, s.out[2]);
  r.rows = ceil_div(ceil_div(s.out[1], r.dy), F::Rows::kOutputs);
  r.columns = ceil_div(ceil_div(s.out[2], r.dx), F::Cols::kOutputs);
  return r;
}

// v: [product][piece][input block][tile][16], `v_product` floats to a piece. out_z: the plane of the output.
template <class F>
void transform_range(const ConvShape& s, const float* image, const Range& range, int64_t out_z, float* v,
                     int64_t v_product) {
  using Y = typename F::Rows;
  using X = typename F::Cols;
  const int64_t height = s.in[1], width = s.in[2], in_blocks = ceil_div(s.ic, kChannelBlock);
  const int64_t dy = range.dy, dx = range.dx;
  const Pieces pieces = pieces_of<F>(s);
  const int64_t all = pieces.all(), step = all * v_product;
  for (int64_t piece = 0; piece < all; ++piece) {
    const int64_t z = out_z * s.stride[0] + piece / pieces.across / pieces.down * s.dilation[0] - s.pad[0];
    const int64_t y0 = piece / pieces.across % pieces.down * Y::kTaps * dy - s.pad[1];
    const int64_t x0 = piece % pieces.across * X::kTaps * dx - s.pad[2];
    const bool padding = z < 0 || z >= s.in[0];
    float* to = v + piece * v_product;
    for (int64_t b = 0; b < in_blocks; ++b) {
      const float* plane = padding ? nullptr : image + (b * s.in[0] + z) * height * width * kChannelBlock;
      for (int64_t at = range.first; at < range.last; ++at, to += kChannelBlock) {
        int64_t y, x;
        range.place<F>(at, &y, &x);
        y = y * Y::kStride + y0, x = x * X::kStride + x0;
        if (padding)
          for (int p = 0; p < Y::kLine * X::kLine; ++p) Block16::broadcast(0.0f).store(to + p * step);
        else if (y >= 0 && x >= 0 && y + (Y::kLine - 1) * dy < height && x + (X::kLine - 1) * dx < width)
          (dx == 1 ? transform_input<F, false>
                   : transform_input<F, F::kDilates>)(plane + (y * width + x) * kChannelBlock,
                                                      dy * width * kChannelBlock, dx * kChannelBlock, to, step);
        else
          transform_border<F>(plane, height, width, y, x, dy, dx, to, step);
      }
    }
  }
}

// The strip of a range: pieces of output rows, or pixels. The block's output starts at `block`, the plane `plane`
// further.
template <class F>
void strip_range(const ConvArgs& args, const Range& range, float* block, int64_t plane, int64_t row) {
  const int64_t height = args.shape.out[1], width = args.shape.out[2];
  const Epilogue& e = args.epilogue;
  for (int64_t i = range.first; i < range.last;) {
    const int64_t stop = range.dx > 1 ? i + 1 : least(range.last, (i / range.columns + 1) * range.columns);
    int64_t y0, x0;
    range.place<F>(i, &y0, &x0);
    for (int64_t y = y0; y < least(height, y0 + F::Rows::kOutputs * range.dy); y += range.dy) {
      const int64_t parts = range.dx > 1 ? F::Cols::kOutputs : 1,
                    cols = range.dx > 1 ? 1 : (stop - i) * F::Cols::kOutputs;
      for (int64_t x = x0; x < least(width, x0 + parts * range.dx); x += range.dx) {
        const int64_t from = plane + (y * width + x) * kChannelBlock, count = least(width - x, cols) * kChannelBlock;
        e.strip(e.context, block + from, 1, count, count, row, from);
      }
    }
    i = stop;
  }
}

template <class F>
void run(const ConvArgs& args, const ConvPlan& p, int64_t tile_index, int worker) {
  using Y = typename F::Rows;
  using X = typename F::Cols;
  const int64_t block_tile = tile_index % p.block_tiles, source = tile_index / p.block_tiles;
  const int64_t group = source / p.col_tiles / p.planes, image = group / p.groups;
  const int64_t out_z = source / p.col_tiles % p.planes;
  const Part part(p.algorithm, args.shape, group % p.groups);
  const ConvShape& s = part.shape;
  const int64_t first_tile = source % p.col_tiles * p.col_tile;
  const Range range = range_of<F>(s, first_tile, least(p.cols, first_tile + p.col_tile));
  const int64_t tiles = range.tiles(), dy = range.dy, dx = range.dx;
  const int64_t in_blocks = ceil_div(s.ic, kChannelBlock), out_blocks = ceil_div(s.oc, kChannelBlock);

  if (block_tile * p.block_tile >= out_blocks) return;  // of a last group with fewer channels

  // The transformed input, then [element][tile][width]; a block more for each, so that those of a tile do not meet in
  // one set of the cache.
  float* scratch = args.scratch + worker * p.worker_floats_apart();
  float* v = scratch + kScratchHead;
  const int64_t v_block = tiles * kChannelBlock, v_product = in_blocks * v_block + kChannelBlock;
  const int64_t all = pieces_of<F>(s).all(), products_of_tile = Y::kLine * X::kLine * all;
  float* m = v + products_of_tile * v_product;
  int64_t held;
  std::memcpy(&held, scratch, sizeof held);
  if (held != source + 1) {
    const int64_t volume = s.in[0] * s.in[1] * s.in[2] * kChannelBlock;
    transform_range<F>(s, args.x + (image * part.in_blocks + part.in_block) * volume, range, out_z, v, v_product);
    held = source + 1;
    std::memcpy(scratch, &held, sizeof held);
  }
  const int64_t last = least(out_blocks, (block_tile + 1) * p.block_tile);
  for (int64_t first = block_tile * p.block_tile; first < last; first += kGroup) {
    const int64_t blocks = least(kGroup, out_blocks - first);
    const int64_t panel = blocks * kChannelBlock, m_element = tiles * panel + kChannelBlock;
    const float* w = args.w + part.weights(products_of_tile) + first * kChannelBlock * products_of_tile * s.ic;
    for (int element = 0; element < Y::kPoints * X::kPoints; ++element) {
      const int i = element / X::kPoints, j = element % X::kPoints;
      const int64_t place = F::place(i, j) * all;
      const Factors f{v + place * v_product,   v_product, v_block,
                      F::products(i, j) * all, s.ic,      w + place * s.ic * panel};
      products(blocks, f, tiles, m + element * m_element);
    }
    for (int64_t b = 0; b < blocks; ++b) {
      const int64_t block = part.out_block + first + b, channel = block * kChannelBlock;
      const Finish finish(args.epilogue, channel, static_cast<int>(least(kChannelBlock, args.shape.oc - channel)));
      const int64_t row = image * part.out_blocks + block, plane_floats = s.out[1] * s.out[2] * kChannelBlock;
      const int64_t base = row * s.out[0] * plane_floats, plane = out_z * plane_floats;
      for (int64_t i = 0; i < tiles; ++i) {
        int64_t y0, x0;
        range.place<F>(range.first + i, &y0, &x0);
        const int64_t rows = least(Y::kOutputs, ceil_div(s.out[1] - y0, dy));
        const int64_t cols = least(X::kOutputs, ceil_div(s.out[2] - x0, dx));
        if (rows <= 0 || cols <= 0) continue;  // of a phase that is shorter than others
        const int64_t here = base + plane + (y0 * s.out[2] + x0) * kChannelBlock;
        (dx == 1 ? transform_output<F, false>
                 : transform_output<F, F::kDilates>)(m + i * panel + b * kChannelBlock, m_element, finish, rows, cols,
                                                     dy * s.out[2] * kChannelBlock, dx * kChannelBlock, args.y + here,
                                                     args.epilogue.residual ? args.epilogue.residual + here : nullptr);
      }
      if (args.epilogue.strip != nullptr) strip_range<F>(args, range, args.y + base, plane, row);
    }
  }
}

// f of the form that an algorithm and a shape have.
template <class Fn>
void with_form(ConvAlgorithm algorithm, const ConvShape& s, Fn f) {
  using Line4 = Transform<4, 1>;
  using Line4By2 = Transform<4, 2>;
  const bool by_2 = s.stride[2] == 2;
  if (s.kernel[1] == 1) return by_2 ? f(Form<NoTransform, Line4By2>{}) : f(Form<NoTransform, Line4>{});
  if (s.kernel[2] == 1) return f(Form<Line4, NoTransform>{});
  if (algorithm == ConvAlgorithm::winograd6) return f(Form<Transform<6, 1>, Transform<6, 1>>{});
  if (algorithm == ConvAlgorithm::winograd4) return by_2 ? f(Form<Line4By2, Line4By2>{}) : f(Form<Line4, Line4>{});
  by_2 ? f(Form<Transform<2, 2>, Transform<2, 2>>{}) : f(Form<Transform<2, 1>, Transform<2, 1>>{});
}

}  // namespace

void TC_TIER_NAME(conv_winograd_pack)(const ConvShape& s, ConvAlgorithm algorithm, const float* w, int64_t block,
                                      float* dst) {
  with_form(algorithm, s, [&](auto form) { pack<decltype(form)>(algorithm, s, w, block, dst); });
}

void TC_TIER_NAME(conv_winograd)(const ConvArgs& args, const ConvPlan& p, int64_t tile, int worker) {
  with_form(p.algorithm, args.shape, [&](auto form) { run<decltype(form)>(args, p, tile, worker); });
}

}  // namespace tc::kernels
