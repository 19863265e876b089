// Pooling of what pool_tier.cc does not take: f64, u8 and i8, in plain layout, and maxima of bytes on NCHW16c. A tap of
// the kernel goes over a whole row of outputs at a time, in loops that the compiler vectorises.
#include <algorithm>
#include <cstring>
#include <limits>

#include "tc/kernels/pool/pool.h"
#include "tc/kernels/pool/span.h"

namespace tc::kernels {

void TC_TIER_NAME(pool_any)(const PoolAnyArgs& args, int64_t plane, int64_t row0, int64_t row1);

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
void max_pieces(T* y, int64_t n, int64_t count, From&& from) {
  typedef T Piece __attribute__((vector_size(kBytes)));
  constexpr int64_t kPiece = kBytes / static_cast<int64_t>(sizeof(T));
  for (int64_t o = 0; o < n; o += kPiece) {
    const int64_t at = least(o, n - kPiece);  // the last piece overlaps the one before
    Piece a, b;
    std::memcpy(&a, from(0) + at, kBytes);
    for (int64_t i = 1; i < count; ++i) {
      std::memcpy(&b, from(i) + at, kBytes);
      a = (a != a) | (b < a) ? a : b;
    }
    std::memcpy(y + at, &a, kBytes);
  }
}
template <class T, class From>
void max_of(T* y, int64_t n, int64_t count, From&& from) {
  if (n * static_cast<int64_t>(sizeof(T)) >= 32) return max_pieces<T, 32>(y, n, count, from);
  if (n * static_cast<int64_t>(sizeof(T)) >= 16) return max_pieces<T, 16>(y, n, count, from);
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
      const Span sz = span_of(s, 0, (first + i) / s.out[1]), sy = span_of(s, 1, (first + i) % s.out[1]);
      const int64_t in_plane = sy.k1 - sy.k0, count = in_plane * (sz.k1 - sz.k0);
      if (count <= 0)
        std::fill(line, line + width, kLeast<T>);
      else
        max_of(line, width, count, [&](int64_t tap) {
          const int64_t kz = count == in_plane ? sz.k0 : sz.k0 + tap / in_plane;
          const int64_t ky = sy.k0 + tap - (kz - sz.k0) * in_plane;
          return x + ((sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1]) * width;
        });
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

// Maxima of bytes in blocks of 16 channels: of kPixels outputs whose windows have the same taps, side by side.
template <int kPixels, class T>
void max_blocked(const PoolShape& s, const T* x, T* y, const Span& sz, const Span& sy, const Span& sx) {
  typedef T Pixels __attribute__((vector_size(16 * kPixels)));
  Pixels best = kLeast<T> - Pixels{};
  for (int64_t kz = sz.k0; kz < sz.k1; ++kz) {
    for (int64_t ky = sy.k0; ky < sy.k1; ++ky) {
      const T* line = x + ((sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1]) * s.in[2] * 16;
      for (int64_t kx = sx.k0; kx < sx.k1; ++kx) {
        Pixels v;
        std::memcpy(&v, line + (sx.at + kx * s.dilation[2]) * 16, sizeof v);
        best = v < best ? best : v;
      }
    }
  }
  std::memcpy(y, &best, sizeof best);
}

template <class T>
void max_blocked_row(const PoolShape& s, const T* x, T* y, const Span& sz, const Span& sy) {
  constexpr int64_t kPixels = 4;
  for (int64_t o = 0; o < s.out[2];) {
    const Span sx = span_of(s, 2, o), last = span_of(s, 2, o + kPixels - 1);
    const bool together = s.stride[2] == 1 && o + kPixels <= s.out[2] && sx.k0 == 0 && last.k1 == s.kernel[2];
    if (together)
      max_blocked<kPixels>(s, x, y + o * 16, sz, sy, sx);
    else
      max_blocked<1>(s, x, y + o * 16, sz, sy, sx);
    o += together ? kPixels : 1;
  }
}

template <class T>
void pool_as(const PoolAnyArgs& g, int64_t plane, int64_t row0, int64_t row1) {
  const PoolShape& s = g.shape;
  const int64_t base = plane * s.in[0] * s.in[1] * s.in[2];
  const T* x = static_cast<const T*>(g.x) + base;
  if constexpr (sizeof(T) == 1) {
    for (int64_t row = row0; s.blocked && row < row1; ++row)
      max_blocked_row(s, static_cast<const T*>(g.x) + base * 16,
                      static_cast<T*>(g.y) + (plane * s.out[0] * s.out[1] + row) * s.out[2] * 16, depth_span(s, row),
                      height_span(s, row));
    if (s.blocked) return;
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

void TC_TIER_NAME(pool_any)(const PoolAnyArgs& args, int64_t plane, int64_t row0, int64_t row1) {
  switch (args.type) {
    case Elem::u8:
      return pool_as<uint8_t>(args, plane, row0, row1);
    case Elem::i8:
      return pool_as<int8_t>(args, plane, row0, row1);
    default:
      return pool_as<double>(args, plane, row0, row1);
  }
}

}  // namespace tc::kernels
