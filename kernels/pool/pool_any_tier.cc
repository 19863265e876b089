// Pooling in plain layout of what pool_tier.cc does not take: f64, u8 and i8. A tap of the kernel goes over a whole row
// of outputs at a time, in loops that the compiler vectorises.
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

// Bytes of neighbours that are joined at once, in the vectors of the compiler.
template <class T, int64_t kBytes>
void join_pieces(T* y, const T* x, int64_t n) {
  typedef T Piece __attribute__((vector_size(kBytes)));
  constexpr int64_t kPiece = kBytes / static_cast<int64_t>(sizeof(T));
  for (int64_t o = 0; o < n; o += kPiece) {
    // Maxima may be joined twice: the last piece overlaps the one before.
    const int64_t at = least(o, n - kPiece);
    Piece a, b;
    std::memcpy(&a, y + at, kBytes);
    std::memcpy(&b, x + at, kBytes);
    a = (a != a) | (b < a) ? a : b;
    std::memcpy(y + at, &a, kBytes);
  }
}
template <class T>
void join_neighbours(T* y, const T* x, int64_t n) {
  if (n * static_cast<int64_t>(sizeof(T)) >= 32)
    join_pieces<T, 32>(y, x, n);
  else if (n * static_cast<int64_t>(sizeof(T)) >= 16)
    join_pieces<T, 16>(y, x, n);
  else
    join_row<true>(y, x, 1, n);
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
          join_neighbours(y + o0, line + from + o0, o1 - o0);
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

// Elements of a row that maxima are first taken of over the rows of the window, then over its columns.
constexpr int64_t kLine = 4096;

// Maxima at a step of two: even and odd columns of the rows' maxima lie apart, so that all reads are of neighbours. 64
// planes of 112 x 112 bytes, 3 x 3: 1.3 to 0.1 ms.
template <class T>
void max_row_by_two(const PoolShape& s, const T* x, T* y, const Span& sz, const Span& sy) {
  T line[kLine], half[2][kLine / 2];
  const int64_t width = s.in[2];
  bool started = false;
  for (int64_t kz = sz.k0; kz < sz.k1; ++kz) {
    for (int64_t ky = sy.k0; ky < sy.k1; ++ky, started = true) {
      const T* from = x + ((sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1]) * width;
      if (started)
        join_neighbours(line, from, width);
      else
        std::memcpy(line, from, static_cast<size_t>(width) * sizeof(T));
    }
  }
  for (int64_t o = 0; o < s.out[2]; ++o) y[o] = kLeast<T>;
  if (!started) return;
  for (int64_t i = 0; i < width / 2; ++i) half[0][i] = line[2 * i], half[1][i] = line[2 * i + 1];
  if (width % 2) half[0][width / 2] = line[width - 1];
  for_columns(s, [&](int64_t from, int64_t o0, int64_t o1) {
    const int64_t at = from + 2 * o0;
    join_neighbours(y + o0, half[at % 2] + at / 2, o1 - o0);
  });
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

template <class T>
void pool_as(const PoolAnyArgs& g, int64_t plane, int64_t row0, int64_t row1) {
  const PoolShape& s = g.shape;
  const int64_t base = plane * s.in[0] * s.in[1] * s.in[2];
  const T* x = static_cast<const T*>(g.x) + base;
  for (int64_t row = row0; row < row1; ++row) {
    const int64_t to = (plane * s.out[0] * s.out[1] + row) * s.out[2];
    T* y = static_cast<T*>(g.y) + to;
    const Span sz = span_of(s, 0, row / s.out[1]), sy = span_of(s, 1, row % s.out[1]);
    if (g.places != nullptr)
      place_row(g, x, y, g.places + to, base, sz, sy);
    else if (g.kind == PoolKind::max && s.stride[2] == 2 && s.in[2] < kLine)
      max_row_by_two(s, x, y, sz, sy);
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
