// What Winograd's method has in common for f32 and for split bf16: kernels, tiles of the input and of the output, and
// the ranges of them that a tile of the plan has. Only winograd_*.cc files include it.
#pragma once
#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/conv/winograd_forms_tier.h"
#include "tc/kernels/gemm/micro_tier.h"

namespace tc::kernels {
namespace {

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

// The products of a kernel's piece for one input channel and the outputs of a block, counted over all groups of
// channels: place p at to + p * step.
template <class F>
void transform_kernel(const ConvShape& given, const Part& part, const float* w, int64_t block, int64_t piece,
                      int64_t channel, float* to, int64_t step) {
  using Y = typename F::Rows;
  using X = typename F::Cols;
  const Pieces pieces = pieces_of<F>(given);
  const int64_t in_channels = given.ic / given.groups, out_channels = given.oc / given.groups;
  const int64_t z = piece / pieces.across / pieces.down;
  const int64_t y0 = piece / pieces.across % pieces.down * Y::kTaps, x0 = piece % pieces.across * X::kTaps;
  const int64_t in = part.in_block * kChannelBlock + channel;
  const int64_t group = in / in_channels, of_group = in % in_channels;
  double kernel[Y::kTaps][X::kTaps][kChannelBlock] = {};
  for (int64_t lane = 0; lane < kChannelBlock; ++lane) {
    const int64_t o = block * kChannelBlock + lane;
    if (channel >= part.shape.ic || o >= given.oc || o / out_channels != group) continue;
    const float* plane = w + ((o * in_channels + of_group) * given.kernel[0] + z) * given.kernel[1] * given.kernel[2];
    for (int y = 0; y < Y::kTaps && y0 + y < given.kernel[1]; ++y)
      for (int x = 0; x < X::kTaps && x0 + x < given.kernel[2]; ++x)
        kernel[y][x][lane] = double{plane[(y0 + y) * given.kernel[2] + x0 + x]};
  }
  for (int y = 0; y < Y::kLine; ++y) {
    double line[X::kTaps][kChannelBlock] = {};
    for (int x = 0; x < X::kTaps; ++x) {
      for (int tap = 0; tap < Y::kTaps; ++tap)
        for (int64_t lane = 0; lane < kChannelBlock; ++lane) line[x][lane] += Y::kKernel[y][tap] * kernel[tap][x][lane];
    }
    for (int x = 0; x < X::kLine; ++x) {
      for (int64_t lane = 0; lane < kChannelBlock; ++lane) {
        double sum = 0;
        for (int tap = 0; tap < X::kTaps; ++tap) sum += X::kKernel[x][tap] * line[tap][lane];
        to[F::place(y, x) * step + lane] = static_cast<float>(sum);
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

// The input of a range's tiles as a piece of the kernel sees it, for outputs of the plane out_z.
template <class F>
class InputOf {
 public:
  InputOf(const ConvShape& s, const Range& range, int64_t out_z, int64_t piece) : s_(s), range_(range) {
    const Pieces pieces = pieces_of<F>(s);
    z_ = out_z * s.stride[0] + piece / pieces.across / pieces.down * s.dilation[0] - s.pad[0];
    y_ = piece / pieces.across % pieces.down * Y::kTaps * range.dy - s.pad[1];
    x_ = piece % pieces.across * X::kTaps * range.dx - s.pad[2];
  }

  // Tile `at` of an input block: the product at place p to v + p * step.
  void transform(const float* image, int64_t block, int64_t at, float* v, int64_t step) const {
    const int64_t height = s_.in[1], width = s_.in[2], dy = range_.dy, dx = range_.dx;
    if (z_ < 0 || z_ >= s_.in[0]) {
      for (int p = 0; p < Y::kLine * X::kLine; ++p) Block16::broadcast(0.0f).store(v + p * step);
      return;
    }
    const float* plane = image + (block * s_.in[0] + z_) * height * width * kChannelBlock;
    int64_t y, x;
    range_.template place<F>(at, &y, &x);
    y = y * Y::kStride + y_, x = x * X::kStride + x_;
    if (y >= 0 && x >= 0 && y + (Y::kLine - 1) * dy < height && x + (X::kLine - 1) * dx < width)
      (dx == 1 ? transform_input<F, false> : transform_input<F, F::kDilates>)(plane + (y * width + x) * kChannelBlock,
                                                                              dy * width * kChannelBlock,
                                                                              dx * kChannelBlock, v, step);
    else
      transform_border<F>(plane, height, width, y, x, dy, dx, v, step);
  }

 private:
  using Y = typename F::Rows;
  using X = typename F::Cols;
  const ConvShape& s_;
  const Range& range_;
  int64_t z_, y_, x_;
};

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

// The outputs of a range, from its elements of `blocks` blocks, `first` of the part and those behind it: m_element
// floats apart, tiles m_tile, blocks kChannelBlock.
template <class F>
void write_outputs(const ConvArgs& args, const Part& part, const Range& range, int64_t image, int64_t out_z,
                   int64_t first, int64_t blocks, const float* m, int64_t m_element, int64_t m_tile) {
  const ConvShape& s = part.shape;
  const Epilogue& e = args.epilogue;
  for (int64_t b = 0; b < blocks; ++b) {
    const int64_t block = part.out_block + first + b, channel = block * kChannelBlock;
    const Finish finish(e, channel, static_cast<int>(least(kChannelBlock, args.shape.oc - channel)));
    const int64_t row = image * part.out_blocks + block, plane_floats = s.out[1] * s.out[2] * kChannelBlock;
    const int64_t base = row * s.out[0] * plane_floats, plane = out_z * plane_floats;
    for (int64_t i = 0; i < range.tiles(); ++i) {
      int64_t y0, x0;
      range.place<F>(range.first + i, &y0, &x0);
      const int64_t rows = least(F::Rows::kOutputs, ceil_div(s.out[1] - y0, range.dy));
      const int64_t cols = least(F::Cols::kOutputs, ceil_div(s.out[2] - x0, range.dx));
      if (rows <= 0 || cols <= 0) continue;  // of a phase that is shorter than others
      const int64_t here = base + plane + (y0 * s.out[2] + x0) * kChannelBlock;
      (range.dx == 1 ? transform_output<F, false>
                     : transform_output<F, F::kDilates>)(m + i * m_tile + b * kChannelBlock, m_element, finish, rows,
                                                         cols, range.dy * s.out[2] * kChannelBlock,
                                                         range.dx * kChannelBlock, args.y + here,
                                                         e.residual ? e.residual + here : nullptr);
    }
    if (e.strip != nullptr) strip_range<F>(args, range, args.y + base, plane, row);
  }
}

}  // namespace
}  // namespace tc::kernels
