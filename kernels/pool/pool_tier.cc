#include "tc/kernels/conv/blocks_tier.h"
#include "tc/kernels/pool/pool.h"
#include "tc/kernels/pool/span.h"
#include "tc/kernels/reduce/lanes.h"
#include "tc/kernels/simd/stride2.h"
#include "tc/kernels/simd/vec.h"

#include <limits>

namespace tc::kernels {

void TC_TIER_NAME(pool_any)(const PoolAnyArgs& args, int64_t plane0, int64_t plane1, int64_t row0, int64_t row1);
void TC_TIER_NAME(pool_fold)(const FoldArgs& args, int64_t plane);
void TC_TIER_NAME(pool_places)(const PoolArgs& args, int64_t plane, int64_t row0, int64_t row1);

namespace {

constexpr int kV = kLanes<float>;

// Floats of a line of column results, and of some lines together.
constexpr int64_t kLine = 2048, kLines = 2 * kLine;

template <bool kMax>
TC_INLINE VecF join(VecF a, VecF b) {
  return kMax ? max_nan(a, b) : a + b;
}
template <bool kMax>
TC_INLINE Block16 join(Block16 a, Block16 b) {
#pragma GCC unroll 4
  for (int r = 0; r < Block16::kRegs; ++r) a.r[r] = join<kMax>(a.r[r], b.r[r]);
  return a;
}
template <bool kMax>
constexpr float kStart = kMax ? -std::numeric_limits<float>::infinity() : 0.0f;

// What a row of windows sees of the image's rows.
struct Down {
  int64_t planes, rows;      // taps
  int64_t plane_step, step;  // columns between these
  int64_t corner;            // of the line's first column in the first tap's row
  Down(const PoolShape& s, const Span& sz, const Span& sy, int64_t x0)
      : planes(sz.k1 - sz.k0),
        rows(sy.k1 - sy.k0),
        plane_step(s.dilation[0] * s.in[1] * s.in[2]),
        step(s.dilation[1] * s.in[2]),
        corner(((sz.at + sz.k0 * s.dilation[0]) * s.in[1] + sy.at + sy.k0 * s.dilation[1]) * s.in[2] + x0) {}

  // f(in) for what each tap reads where the first one reads `first`; a column is `unit` floats.
  template <class F>
  TC_INLINE void each(const float* first, int64_t unit, F&& f) const {
    for (int64_t kz = planes; kz > 0; --kz, first += plane_step * unit) {
      const float* in = first;
      for (int64_t ky = rows; ky > 0; --ky, in += step * unit) f(in);
    }
  }
};

template <bool kMax>
TC_INLINE Block16 blocked_one(const PoolShape& s, const float* x, const Span& sz, const Span& sy, const Span& sx) {
  Block16 acc = Block16::broadcast(kStart<kMax>);
  for (int64_t kz = sz.k0; kz < sz.k1; ++kz) {
    for (int64_t ky = sy.k0; ky < sy.k1; ++ky) {
      const int64_t line = (sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1];
      const float* in = x + (line * s.in[2] + sx.at) * 16;
      for (int64_t kx = sx.k0; kx < sx.k1; ++kx) acc = join<kMax>(acc, Block16::load(in + kx * s.dilation[2] * 16));
    }
  }
  return acc;
}

TC_INLINE Block16 divided(Block16 a, float n) {
  const VecF divisor(n);
#pragma GCC unroll 4
  for (int r = 0; r < Block16::kRegs; ++r) a.r[r] = a.r[r] / divisor;
  return a;
}

// What averages divide by: the taps of output columns [first, first + cols), times those of a row of windows.
TC_INLINE void column_taps(const PoolArgs& g, int64_t first, int64_t cols, float* taps) {
  for (int64_t i = 0; i < cols; ++i) {
    const Span sx = span_of(g.shape, 2, first + i);
    taps[i] = static_cast<float>(g.count_include_pad ? sx.padded : sx.k1 - sx.k0);
  }
}
TC_INLINE float row_taps(const PoolArgs& g, const Span& sz, const Span& sy) {
  const int64_t taps = g.count_include_pad ? sz.padded * sy.padded : (sz.k1 - sz.k0) * (sy.k1 - sy.k0);
  return static_cast<float>(taps);
}

// For `count` outputs, `step` floats apart in the input, what N (or n) inputs come to that are `apart` floats apart;
// over `above` times what `taps` has for each where that is not null.
template <bool kMax, int N>
TC_INLINE void join_each(const float* in, int64_t n, int64_t apart, int64_t step, int64_t count, float* out,
                         const float* taps = nullptr, float above = 0) {
  for (; count > 0; --count, in += step, out += 16) {
    Block16 acc = Block16::load(in);
    const float* tap = in;
    if constexpr (N > 0) {
#pragma GCC unroll 4
      for (int i = 1; i < N; ++i) acc = join<kMax>(acc, Block16::load(tap += apart));
    } else {
      for (int64_t i = n - 1; i > 0; --i) acc = join<kMax>(acc, Block16::load(tap += apart));
    }
    if (!kMax && taps != nullptr) acc = divided(acc, above * *taps++);
    acc.store(out);
  }
}
// Mostly two or three: mnist_cnn's maxima by 2x2 1.8 to 1.1 us, squeezenet's by 3x3 0.276 to 0.246 ms.
template <bool kMax>
TC_INLINE void join_each(const float* in, int64_t n, int64_t apart, int64_t step, int64_t count, float* out,
                         const float* taps = nullptr, float above = 0) {
  switch (n) {
    case 2:
      return join_each<kMax, 2>(in, n, apart, step, count, out, taps, above);
    case 3:
      return join_each<kMax, 3>(in, n, apart, step, count, out, taps, above);
    default:
      return join_each<kMax, 0>(in, n, apart, step, count, out, taps, above);
  }
}

// A row of windows in two passes: what each column of the input comes to, with the padding beside the image as columns
// of their own, then what the columns of each window do. GoogLeNet's maxima 2.2 to 0.8 ms. Columns that windows skip
// are not worth that.
template <bool kMax>
void blocked_rows(const PoolArgs& g, int64_t plane, int64_t row0, int64_t row1) {
  const PoolShape& s = g.shape;
  const float* x = g.x + plane * s.in[0] * s.in[1] * s.in[2] * 16;
  float* y = g.y + (plane * s.out[0] * s.out[1] + row0) * s.out[2] * 16;
  const int64_t step = s.stride[2] * 16, apart = s.dilation[2] * 16;
  const int64_t room = s.stride[2] > s.kernel[2] ? 0 : outputs_in(s, kLine / 16);
  if (room == 0) {
    for (int64_t row = row0; row < row1; ++row) {
      const Span sz = depth_span(s, row), sy = height_span(s, row);
      for (int64_t ox = 0; ox < s.out[2]; ++ox, y += 16) {
        const Span sx = span_of(s, 2, ox);
        const Block16 sum = blocked_one<kMax>(s, x, sz, sy, sx);
        (kMax ? sum : divided(sum, static_cast<float>(taps_of(g.count_include_pad, sz, sy, sx)))).store(y);
      }
    }
    return;
  }
  const Block16 start = Block16::broadcast(kStart<kMax>);
  alignas(64) float line[kLine], taps[kLine / 16];
  for (int64_t first = 0; first < s.out[2]; first += room) {
    const int64_t cols = least(room, s.out[2] - first);
    const Piece p(s, first, cols);
    for (int64_t i = 0; i < p.left; ++i) start.store(line + i * 16);
    for (int64_t i = p.right; i < p.line; ++i) start.store(line + i * 16);
    if (!kMax) column_taps(g, first, cols, taps);
    for (int64_t row = row0; row < row1; ++row) {
      const Span sz = depth_span(s, row), sy = height_span(s, row);
      const Down down(s, sz, sy, p.x0);
      const float* const corner = x + (down.corner + p.left) * 16;
      if (down.planes == 1 && down.rows > 0) {
        join_each<kMax>(corner, down.rows, down.step * 16, 16, p.right - p.left, line + p.left * 16);
      } else {
        for (int64_t i = p.left; i < p.right; ++i) {
          Block16 acc = start;
          down.each(corner + (i - p.left) * 16, 16, [&](const float* in) { acc = join<kMax>(acc, Block16::load(in)); });
          acc.store(line + i * 16);
        }
      }
      float* const to = y + ((row - row0) * s.out[2] + first) * 16;
      if (kMax)
        join_each<kMax>(line, s.kernel[2], apart, step, cols, to);
      else
        join_each<kMax>(line, s.kernel[2], apart, step, cols, to, taps, row_taps(g, sz, sy));
    }
  }
}

template <bool kMax>
TC_INLINE float plain_one(const PoolArgs& g, const float* x, const Span& sz, const Span& sy, const Span& sx) {
  const PoolShape& s = g.shape;
  float acc = kStart<kMax>;
  for (int64_t kz = sz.k0; kz < sz.k1; ++kz) {
    for (int64_t ky = sy.k0; ky < sy.k1; ++ky) {
      const int64_t line = (sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1];
      const float* in = x + line * s.in[2] + sx.at;
      for (int64_t kx = sx.k0; kx < sx.k1; ++kx) {
        const float v = in[kx * s.dilation[2]];
        if (kMax) {
          acc = acc != acc || v < acc ? acc : v;
        } else {
          acc += v;
        }
      }
    }
  }
  return kMax ? acc : acc / static_cast<float>(taps_of(g.count_include_pad, sz, sy, sx));
}

// What N (or n) registers of columns come to that are `apart` floats apart.
template <bool kMax, int N, class Load>
TC_INLINE VecF join_taps(const float* in, int64_t n, int64_t apart, Load load) {
  VecF acc = load(in);
  if constexpr (N > 0) {
#pragma GCC unroll 4
    for (int i = 1; i < N; ++i) acc = join<kMax>(acc, load(in + i * apart));
  } else {
    for (int64_t i = 1; i < n; ++i) acc = join<kMax>(acc, load(in += apart));
  }
  return acc;
}

// What a row of windows sees of a plane: where its first tap's first column is, so many rows, and what averages divide
// by beside the taps of a row. The same in all planes.
struct RowSeen {
  int64_t corner, taps;
  float above;
};
constexpr int64_t kRows = 256;

// `count` rows of windows, n rows of the image each, of `width` columns: whole registers are stored, whose other lanes
// are padding.
template <bool kMax, int N>
void join_rows(const float* x, const RowSeen* seen, int64_t count, int64_t apart, int64_t width, float* line,
               int64_t pitch) {
  const int64_t n = seen->taps, whole = width / kV * kV;
  const Tail<float> tail(static_cast<int>(width - whole));
  const VecF start(kStart<kMax>);
  for (const RowSeen* const end = seen + count; seen < end; ++seen, line += pitch) {
    const float* const in = x + seen->corner;
    for (int64_t i = 0; i < whole; i += kV)
      store(line + i, join_taps<kMax, N>(in + i, n, apart, [](const float* p) { return load(p); }));
    if (whole == width) continue;
    const VecF acc = join_taps<kMax, N>(in + whole, n, apart, [=](const float* p) { return load(p, tail); });
    store(line + whole, kMax ? select(tail.mask(), acc, start) : acc);
  }
}

// `count` rows of windows over n columns of a line each. Averages divide by what is above times what `taps` has for
// each column.
template <bool kMax, int kStep, int N>
void join_columns(const PoolShape& s, const float* line, int64_t pitch, VecI lanes, const RowSeen* seen, int64_t count,
                  int64_t cols, const float* taps, float* y) {
  const int64_t step = kStep > 0 ? kStep : s.stride[2], n = s.kernel[2], apart = s.dilation[2], pixels = s.out[2];
  const int64_t whole = cols / kV * kV;
  const Tail<float> tail(static_cast<int>(cols - whole));
  const auto columns = [=](const float* p) __attribute__((always_inline)) {
    return kStep == 1 ? load(p) : kStep == 2 ? load_every_second(p) : gather(p, lanes);
  };
  for (const RowSeen* const end = seen + count; seen < end; ++seen, line += pitch, y += pixels) {
    const VecF above(kMax ? 0.0f : seen->above);
    for (int64_t i = 0; i < whole; i += kV) {
      const VecF acc = join_taps<kMax, N>(line + i * step, n, apart, columns);
      store(y + i, kMax ? acc : acc / (above * load(taps + i)));
    }
    if (whole == cols) continue;
    const VecF acc = join_taps<kMax, N>(line + whole * step, n, apart, columns);
    store(y + whole, kMax ? acc : acc / (above * load(taps + whole, tail)), tail);
  }
}

template <bool kMax>
auto rows_kernel(int64_t n) {
  return n == 2 ? join_rows<kMax, 2> : n == 3 ? join_rows<kMax, 3> : join_rows<kMax, 0>;
}
template <bool kMax, int kStep>
auto columns_kernel(int64_t n) {
  return n == 2 ? join_columns<kMax, kStep, 2> : n == 3 ? join_columns<kMax, kStep, 3> : join_columns<kMax, kStep, 0>;
}
template <bool kMax>
auto columns_kernel(int64_t step, int64_t n) {
  return step == 1 ? columns_kernel<kMax, 1>(n) : step == 2 ? columns_kernel<kMax, 2>(n) : join_columns<kMax, 0, 0>;
}

// The same, a register of columns at a time, and first the columns of several rows, then their windows: what two stores
// meet in is slow to read at once. Of 320 channels of 14 x 14, 3x3 windows 1.59 to 0.18 ms.
template <bool kMax>
void plain_rows(const PoolArgs& g, int64_t plane0, int64_t plane1, int64_t row0, int64_t row1) {
  const PoolShape& s = g.shape;
  const int64_t in_pixels = s.in[0] * s.in[1] * s.in[2], out_pixels = s.out[0] * s.out[1] * s.out[2];
  const int64_t step = s.stride[2], room = outputs_in(s, kLine) / kV * kV;
  if (room == 0) {
    for (int64_t plane = plane0; plane < plane1; ++plane) {
      float* y = g.y + plane * out_pixels + row0 * s.out[2];
      for (int64_t row = row0; row < row1; ++row) {
        const Span sz = depth_span(s, row), sy = height_span(s, row);
        for (int64_t ox = 0; ox < s.out[2]; ++ox)
          *y++ = plain_one<kMax>(g, g.x + plane * in_pixels, sz, sy, span_of(s, 2, ox));
      }
    }
    return;
  }
  const VecF start(kStart<kMax>);
  alignas(64) int32_t lane[kV];
  for (int i = 0; i < kV; ++i) lane[i] = static_cast<int32_t>(i * step);
  const VecI lanes = load(lane);
  const auto join_windows = columns_kernel<kMax>(step, s.kernel[2]);
  alignas(64) float lines[kLines + 2 * kV], taps[kLine];
  RowSeen seen[kRows];
  for (int64_t first = 0; first < s.out[2]; first += room) {
    const int64_t cols = least(room, s.out[2] - first);
    const Piece p(s, first, cols);
    // A line's padding follows it, and is also the padding before the next.
    const int64_t width = p.right - p.left, used = (width + kV - 1) / kV * kV;
    const int64_t pitch = (width + most(p.left, p.line - p.right) + kV - 1) / kV * kV;
    const int64_t before = (p.left + kV - 1) / kV * kV;
    const int64_t last = Piece(s, first, (cols + kV - 1) / kV * kV).line;  // read, in the last line
    const int64_t batch = least(kRows, 1 + most(0, kLines - before - last) / most(1, pitch));
    for (int64_t i = 0; i < before; i += kV) store(lines + i, start);
    for (int64_t row = 0; row < least(batch, (plane1 - plane0) * (row1 - row0)); ++row)
      for (int64_t i = used; i < pitch; i += kV) store(lines + before + row * pitch + i, start);
    if (!kMax) column_taps(g, first, cols, taps);
    bool one_plane = true;
    const auto join_plane = [&](const float* x, int64_t top, int64_t rows, float* line) {
      for (int64_t i = 0, same; i < rows; i += same, line += same * pitch) {
        same = 1;
        if (one_plane && seen[i].taps > 0) {
          while (i + same < rows && seen[i + same].taps == seen[i].taps) ++same;
          rows_kernel<kMax>(seen[i].taps)(x, seen + i, same, s.dilation[1] * s.in[2], width, line, pitch);
          continue;
        }
        const Down down(s, depth_span(s, top + i), height_span(s, top + i), p.x0);
        for (int64_t c = 0; c < width; c += kV) {
          const Tail<float> tail(static_cast<int>(least(kV, width - c)));
          VecF acc = start;
          down.each(x + seen[i].corner + c, 1, [&](const float* in) { acc = join<kMax>(acc, load(in, tail)); });
          store(line + c, kMax ? select(tail.mask(), acc, start) : acc);
        }
      }
    };
    for (int64_t top = row0; top < row1; top += batch) {
      const int64_t rows = least(batch, row1 - top);
      one_plane = true;
      for (int64_t i = 0; i < rows; ++i) {
        const Span sz = depth_span(s, top + i), sy = height_span(s, top + i);
        const Down down(s, sz, sy, p.x0);
        one_plane = one_plane && down.planes == 1;
        seen[i] = {down.corner + p.left, down.rows, row_taps(g, sz, sy)};
      }
      const int64_t together = most(1, batch / rows);
      for (int64_t plane = plane0; plane < plane1; plane += together) {
        const int64_t planes = least(together, plane1 - plane);
        for (int64_t i = 0; i < planes; ++i)
          join_plane(g.x + (plane + i) * in_pixels, top, rows, lines + before + i * rows * pitch);
        for (int64_t i = 0; i < planes; ++i)
          join_windows(s, lines + before - p.left + i * rows * pitch, pitch, lanes, seen, rows, cols, taps,
                       g.y + (plane + i) * out_pixels + top * s.out[2] + first);
      }
    }
  }
}

// Planes of at most so many pixels, before and after together, go 16 at a time as a block of channels.
constexpr int64_t kTurnedPixels = 896;

// Blocks leave no lanes idle at the end of a row. 1024 planes of 14 x 14, 5x5 windows 0.145 to 0.064 ms; 4080 of 7 x 7,
// 3x3 0.24 to 0.06.
template <bool kMax>
void turned(const PoolArgs& g, int64_t plane) {
  const PoolShape& s = g.shape;
  const int64_t in = s.in[0] * s.in[1] * s.in[2], out = s.out[0] * s.out[1] * s.out[2];
  alignas(64) float blocks[kTurnedPixels * 16];
  float* const to = blocks + in * 16;
  to_blocked(g.x + plane * in, in, 16, in, blocks);
  PoolArgs block = g;
  block.x = blocks, block.y = to;
  blocked_rows<kMax>(block, 0, 0, s.out[0] * s.out[1]);
  to_plain(to, out, 16, out, g.y + plane * out);
}

void plain(const PoolArgs& g, int64_t plane0, int64_t plane1, int64_t row0, int64_t row1) {
  if (g.places != nullptr) {
    for (int64_t plane = plane0; plane < plane1; ++plane) TC_TIER_NAME(pool_places)(g, plane, row0, row1);
    return;
  }
  const PoolShape& s = g.shape;
  const int64_t rows = s.out[0] * s.out[1], pixels = s.in[0] * s.in[1] * s.in[2] + rows * s.out[2];
  const bool max = g.kind == PoolKind::max;
  if (pixels <= kTurnedPixels && row1 - row0 == rows)
    for (; plane1 - plane0 >= 16; plane0 += 16) (max ? turned<true> : turned<false>)(g, plane0);
  if (plane0 < plane1) (max ? plain_rows<true> : plain_rows<false>)(g, plane0, plane1, row0, row1);
}

void blocked(const PoolArgs& g, int64_t plane0, int64_t plane1, int64_t row0, int64_t row1) {
  const auto run = g.kind == PoolKind::max ? blocked_rows<true> : blocked_rows<false>;
  for (int64_t plane = plane0; plane < plane1; ++plane) run(g, plane, row0, row1);
}

// The lanes that a plane's pixels come to.
template <bool kMax>
TC_INLINE VecF plane_lanes(const float* x, int64_t pixels) {
  const VecF start(kStart<kMax>);
  VecF acc[4] = {start, start, start, start};
  int64_t p = 0;
  for (; p + 4 * kV <= pixels; p += 4 * kV) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) acc[i] = join<kMax>(acc[i], load(x + p + i * kV));
  }
  for (; p < pixels; p += kV) {
    const Tail<float> tail(static_cast<int>(least(kV, pixels - p)));
    acc[0] = join<kMax>(acc[0], select(tail.mask(), load(x + p, tail), start));
  }
  return join<kMax>(join<kMax>(acc[0], acc[1]), join<kMax>(acc[2], acc[3]));
}

// A register's lanes of planes at a time. 2048 planes of 7 x 7 14 to 6 us.
template <bool kMax>
void global_plain_of(const float* x, int64_t planes, int64_t pixels, float* y) {
  using Fold = std::conditional_t<kMax, MaxStep<float>, SumStep<float>>;
  for (; planes > 0; planes -= kV, x += kV * pixels, y += kV) {
    const int count = static_cast<int>(least(kV, planes));
    VecF lanes[kV];
    for (int i = 0; i < kV; ++i) lanes[i] = i < count ? plane_lanes<kMax>(x + i * pixels, pixels) : VecF(0.0f);
    const VecF all = fold_groups<Fold, float>(lanes);
    store(y, kMax ? all : all / VecF(static_cast<float>(pixels)), Tail<float>(count));
  }
}

template <bool kMax>
void global_blocked_of(const float* x, int64_t planes, int64_t pixels, float* y) {
  const Block16 start = Block16::broadcast(kStart<kMax>);
  for (; planes > 0; --planes, x += pixels * 16, y += 16) {
    Block16 acc[4] = {start, start, start, start};
    int64_t p = 0;
    for (; p + 4 <= pixels; p += 4) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) acc[i] = join<kMax>(acc[i], Block16::load(x + (p + i) * 16));
    }
    for (; p < pixels; ++p) acc[0] = join<kMax>(acc[0], Block16::load(x + p * 16));
#pragma GCC unroll 4
    for (int r = 0; r < Block16::kRegs; ++r) {
      const VecF all = join<kMax>(join<kMax>(acc[0].r[r], acc[1].r[r]), join<kMax>(acc[2].r[r], acc[3].r[r]));
      store(y + r * kV, kMax ? all : all / VecF(static_cast<float>(pixels)));
    }
  }
}

void global_plain(PoolKind kind, const float* x, int64_t planes, int64_t pixels, float* y) {
  (kind == PoolKind::max ? global_plain_of<true> : global_plain_of<false>)(x, planes, pixels, y);
}

void global_blocked(PoolKind kind, const float* x, int64_t planes, int64_t pixels, float* y) {
  (kind == PoolKind::max ? global_blocked_of<true> : global_blocked_of<false>)(x, planes, pixels, y);
}

}  // namespace

extern constinit const PoolTable TC_TIER_NAME(pool_table);
constinit const PoolTable TC_TIER_NAME(pool_table) = {
    .plain = TC_KERNEL(plain, "pool_f32__nchw"),
    .blocked = TC_KERNEL(blocked, "pool_f32__nchw16c"),
    .global_plain = TC_KERNEL(global_plain, "global_pool_f32__nchw"),
    .global_blocked = TC_KERNEL(global_blocked, "global_pool_f32__nchw16c"),
    .any = TC_KERNEL(TC_TIER_NAME(pool_any), "pool__nchw"),
    .fold = TC_KERNEL(TC_TIER_NAME(pool_fold), "fold_windows"),
};

}  // namespace tc::kernels
