// Pooling of what pool_tier.cc does not take: f64, u8 and i8, in plain layout, and maxima of bytes on NCHW16c. A tap of
// the kernel goes over a whole row of outputs at a time, in loops that the compiler vectorises.
#include <algorithm>
#include <cstring>
#include <limits>

#include "tc/kernels/pool/pool.h"
#include "tc/kernels/pool/span.h"

namespace tc::kernels {

void TC_TIER_NAME(pool_any)(const PoolAnyArgs& args, int64_t plane0, int64_t plane1, int64_t row0, int64_t row1);

namespace {

template <class T>
constexpr T kLeast = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                          : std::numeric_limits<T>::lowest();

// y[o] joins x[o * step]; NaN stays.
template <bool kMax, class T>
inline void join_row(T* __restrict y, const T* __restrict x, int64_t step, int64_t n) {
  for (int64_t o = 0; o < n; ++o) {
    const T v = x[o * step];
    if constexpr (kMax)
      y[o] = y[o] != y[o] || v < y[o] ? y[o] : v;
    else
      y[o] += v;
  }
}

// y[o] = the maximum of from(i)[o] for i in [0, count), in the vectors of the compiler; from(0) may be y.
template <class T, int64_t kBytes, class From>
[[gnu::always_inline]] inline void max_pieces(T* y, int64_t n, int64_t count, From&& from) {
  typedef T Vector __attribute__((vector_size(kBytes)));
  constexpr int64_t kPiece = kBytes / static_cast<int64_t>(sizeof(T));
  for (int64_t o = 0; o < n; o += kPiece) {
    const int64_t at = least(o, n - kPiece);  // the last piece overlaps the one before
    Vector a, b;
    std::memcpy(&a, from(0) + at, kBytes);
    for (int64_t i = 1; i < count; ++i) {
      std::memcpy(&b, from(i) + at, kBytes);
      a = ((a != a) | (b < a)) ? a : b;
    }
    std::memcpy(y + at, &a, kBytes);
  }
}
template <class T, class From>
void max_of(T* y, int64_t n, int64_t count, From&& from) {
  const int64_t bytes = n * static_cast<int64_t>(sizeof(T));
  if (bytes >= 32 && count == 3) {
    // Bytes may alias whatever from(i) reads: it is asked once.
    const T* const three[] = {from(0), from(1), from(2)};
    return max_pieces<T, 32>(y, n, 3, [&](int64_t i) { return three[i]; });
  }
  if (bytes >= 32) return max_pieces<T, 32>(y, n, count, from);
  if (bytes >= 16) return max_pieces<T, 16>(y, n, count, from);
  std::memmove(y, from(0), static_cast<size_t>(n) * sizeof(T));
  for (int64_t i = 1; i < count; ++i) join_row<true>(y, from(i), 1, n);
}

// f(tap's distance from the window's first column, first output, last output + 1) for the taps of a row of outputs, and
// the outputs that see them inside the input.
template <class F>
inline void for_columns(const PoolShape& s, F&& f) {
  const int64_t step = s.stride[2];
  for (int64_t kx = 0; kx < s.kernel[2]; ++kx) {
    const int64_t from = kx * s.dilation[2] - s.pad[2], room = s.in[2] - from;
    const int64_t o0 = from >= 0 ? 0 : (-from + step - 1) / step;
    const int64_t o1 = room <= 0 ? 0 : least(s.out[2], (room + step - 1) / step);
    if (o0 < o1) f(from, o0, o1);
  }
}

template <bool kMax, class T>
void pool_row(const PoolAnyArgs& g, const T* x, T* y, const Span& sz, const Span& sy) {
  const PoolShape& s = g.shape;
  const int64_t step = s.stride[2];
  for (int64_t o = 0; o < s.out[2]; ++o) y[o] = kMax ? kLeast<T> : T{0};
  for (int64_t kz = sz.k0; kz < sz.k1; ++kz) {
    for (int64_t ky = sy.k0; ky < sy.k1; ++ky) {
      const T* line = x + ((sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1]) * s.in[2];
      for_columns(s, [&](int64_t from, int64_t o0, int64_t o1) {
        if (kMax && step == 1)
          max_of(y + o0, o1 - o0, 2, [&](int64_t i) { return i ? line + from + o0 : y + o0; });
        else
          join_row<kMax>(y + o0, line + from + o0 * step, step, o1 - o0);
      });
    }
  }
  if constexpr (!kMax) {
    for (int64_t o = 0; o < s.out[2]; ++o)
      y[o] /= static_cast<T>(taps_of(g.count_include_pad, sz, sy, span_of(s, 2, o)));
  }
}

// The lines of x that a row of windows sees, of columns of `unit` elements.
template <class T>
struct LinesSeen {
  const PoolShape& s;
  const T* x;
  int64_t unit;
  Span sz, sy;
  int64_t in_plane, count;
  LinesSeen(const PoolShape& shape, const T* from, int64_t row, int64_t column)
      : s(shape),
        x(from),
        unit(column),
        sz(depth_span(s, row)),
        sy(height_span(s, row)),
        in_plane(sy.k1 - sy.k0),
        count(in_plane * (sz.k1 - sz.k0)) {}
  const T* operator()(int64_t tap) const {
    const int64_t kz = count == in_plane ? sz.k0 : sz.k0 + tap / in_plane;
    const int64_t ky = sy.k0 + tap - (kz - sz.k0) * in_plane;
    return x + ((sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1]) * s.in[2] * unit;
  }
};

// Elements of rows that maxima are first taken of over the rows of the windows, then over their columns.
constexpr int64_t kLine = 4096;

// Columns that windows at a step of two cover, padding included, even and odd ones.
int64_t half_line(const PoolShape& s) {
  const int64_t windows = 2 * (s.out[2] - 1) + (s.kernel[2] - 1) * s.dilation[2] + 1, width = s.pad[2] + s.in[2];
  return ((windows < width ? width : windows) + 1) / 2;
}

// Maxima at a step of two: even and odd columns of the rows' maxima lie apart, so that all reads are of neighbours.
// Each of the three sweeps takes several rows, so that none reads what was stored just now, in other pieces. 64 planes
// of 112 x 112 bytes, 3 x 3: 1.3 to 0.2 ms.
template <class T>
void max_rows_by_two(const PoolShape& s, const T* x, T* y, int64_t row0, int64_t row1) {
  T lines[kLine], halves[kLine];
  const int64_t width = s.in[2], half = half_line(s), most = kLine / (2 * half);
  std::fill(lines, lines + kLine, kLeast<T>);
  for (int64_t first = row0; first < row1; first += most) {
    const int64_t rows = least(most, row1 - first);
    for (int64_t i = 0; i < rows; ++i) {
      T* line = lines + i * 2 * half + s.pad[2];
      const LinesSeen<T> seen(s, x, first + i, 1);
      if (seen.count <= 0)
        std::fill(line, line + width, kLeast<T>);
      else
        max_of(line, width, seen.count, seen);
    }
    // The even columns of all rows, then the odd ones.
    for (int64_t i = 0; i < rows * half; ++i) halves[i] = lines[2 * i];
    for (int64_t i = 0; i < rows * half; ++i) halves[rows * half + i] = lines[2 * i + 1];
    for (int64_t i = 0; i < rows; ++i, y += s.out[2])
      max_of(y, s.out[2], s.kernel[2], [&](int64_t tap) {
        const int64_t at = tap * s.dilation[2];
        return halves + (at % 2 * rows + i) * half + at / 2;
      });
  }
}

template <class T>
void place_row(const PoolAnyArgs& g, const T* x, T* y, int64_t* places, int64_t base, const Span& sz, const Span& sy) {
  const PoolShape& s = g.shape;
  for (int64_t o = 0; o < s.out[2]; ++o) {
    const Span sx = span_of(s, 2, o);
    T best = kLeast<T>;
    int64_t place = -1;
    for (int64_t kz = sz.k0; kz < sz.k1; ++kz) {
      for (int64_t ky = sy.k0; ky < sy.k1; ++ky) {
        const int64_t line = ((sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1]) * s.in[2];
        for (int64_t kx = sx.k0; kx < sx.k1; ++kx) {
          const int64_t at = line + sx.at + kx * s.dilation[2];
          const T v = x[at];
          if (place < 0 || v > best || (v != v && best == best)) best = v, place = at;
        }
      }
    }
    y[o] = best;
    places[o] = place < 0 ? place : base + place;
  }
}

// Maxima of bytes in blocks of 16 channels: over the rows of the windows, then over their columns. 4 blocks of 112 x
// 112, 3x3 at a step of two 0.137 to 0.038 ms.
template <class T>
void max_blocked_rows(const PoolShape& s, const T* x, T* y, int64_t row0, int64_t row1) {
  constexpr int64_t kBlock = 16;
  const int64_t room = outputs_in(s, kLine / kBlock);
  T line[kLine];
  for (int64_t first = 0; first < s.out[2] && room > 0; first += room) {
    const int64_t cols = least(room, s.out[2] - first);
    const Piece p(s, first, cols);
    T *const inside = line + p.left * kBlock, *const beyond = line + p.right * kBlock;
    std::fill(line, line + p.line * kBlock, kLeast<T>);
    for (int64_t row = row0; row < row1; ++row) {
      const LinesSeen<T> seen(s, x + (p.x0 + p.left) * kBlock, row, kBlock);
      if (seen.count > 0)
        max_of(inside, beyond - inside, seen.count, seen);
      else
        std::fill(inside, beyond, kLeast<T>);
      T* const to = y + ((row - row0) * s.out[2] + first) * kBlock;
      const auto column = [&](int64_t kx) { return line + kx * s.dilation[2] * kBlock; };
      if (s.stride[2] == 1) {
        max_of(to, cols * kBlock, s.kernel[2], column);
        continue;
      }
      for (int64_t o = 0; o < cols; ++o) {
        const auto at = [&](int64_t kx) { return column(kx) + o * s.stride[2] * kBlock; };
        if (s.kernel[2] == 3)
          max_pieces<T, kBlock>(to + o * kBlock, kBlock, 3, at);
        else
          max_pieces<T, kBlock>(to + o * kBlock, kBlock, s.kernel[2], at);
      }
    }
  }
  if (room > 0) return;
  for (int64_t row = row0; row < row1; ++row) {  // windows that no line holds
    const LinesSeen<T> seen(s, x, row, kBlock);
    for (int64_t o = 0; o < s.out[2]; ++o, y += kBlock) {
      const Span sx = span_of(s, 2, o);
      std::fill(y, y + kBlock, kLeast<T>);
      for (int64_t tap = 0; tap < seen.count; ++tap)
        for (int64_t kx = sx.k0; kx < sx.k1; ++kx)
          join_row<true>(y, seen(tap) + (sx.at + kx * s.dilation[2]) * kBlock, 1, kBlock);
    }
  }
}

template <class T>
void pool_as(const PoolAnyArgs& g, int64_t plane, int64_t row0, int64_t row1) {
  const PoolShape& s = g.shape;
  const int64_t base = plane * s.in[0] * s.in[1] * s.in[2];
  const T* x = static_cast<const T*>(g.x) + base;
  if constexpr (sizeof(T) == 1) {
    if (s.blocked)
      return max_blocked_rows(s, static_cast<const T*>(g.x) + base * 16,
                              static_cast<T*>(g.y) + (plane * s.out[0] * s.out[1] + row0) * s.out[2] * 16, row0, row1);
  }
  if (g.kind == PoolKind::max && g.places == nullptr && s.stride[2] == 2 && s.out[2] > 0 && 2 * half_line(s) <= kLine)
    return max_rows_by_two(s, x, static_cast<T*>(g.y) + (plane * s.out[0] * s.out[1] + row0) * s.out[2], row0, row1);
  for (int64_t row = row0; row < row1; ++row) {
    const int64_t to = (plane * s.out[0] * s.out[1] + row) * s.out[2];
    T* y = static_cast<T*>(g.y) + to;
    const Span sz = depth_span(s, row), sy = height_span(s, row);
    if (g.places != nullptr)
      place_row(g, x, y, g.places + to, base, sz, sy);
    else if (g.kind == PoolKind::max)
      pool_row<true>(g, x, y, sz, sy);
    else if constexpr (std::numeric_limits<T>::has_infinity)
      pool_row<false>(g, x, y, sz, sy);
  }
}

}  // namespace

void TC_TIER_NAME(pool_any)(const PoolAnyArgs& args, int64_t plane0, int64_t plane1, int64_t row0, int64_t row1) {
  const auto run = args.type == Elem::u8 ? pool_as<uint8_t> : args.type == Elem::i8 ? pool_as<int8_t> : pool_as<double>;
  for (int64_t plane = plane0; plane < plane1; ++plane) run(args, plane, row0, row1);
}

}  // namespace tc::kernels
