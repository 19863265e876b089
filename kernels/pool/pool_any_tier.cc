// Pooling in plain layout of what pool_tier.cc does not take: f64, u8 and i8. A tap of the kernel goes over a whole row
// of outputs at a time, in loops that the compiler vectorises.
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

template <bool kMax, class T>
void pool_row(const PoolAnyArgs& g, const T* x, T* y, const Span& sz, const Span& sy) {
  const PoolShape& s = g.shape;
  const int64_t step = s.stride[2];
  for (int64_t o = 0; o < s.out[2]; ++o) y[o] = kMax ? kLeast<T> : T{0};
  for (int64_t kz = sz.k0; kz < sz.k1; ++kz) {
    for (int64_t ky = sy.k0; ky < sy.k1; ++ky) {
      const T* line = x + ((sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1]) * s.in[2];
      for (int64_t kx = 0; kx < s.kernel[2]; ++kx) {
        // Outputs [o0, o1) see this tap inside the input.
        const int64_t from = kx * s.dilation[2] - s.pad[2], room = s.in[2] - from;
        const int64_t o0 = from >= 0 ? 0 : (-from + step - 1) / step;
        const int64_t o1 = room <= 0 ? 0 : least(s.out[2], (room + step - 1) / step);
        if (o0 >= o1) continue;
        const T* in = line + from + o0 * step;
        if (step == 1)
          join_row<kMax>(y + o0, in, 1, o1 - o0);
        else
          join_row<kMax>(y + o0, in, step, o1 - o0);
      }
    }
  }
  if constexpr (!kMax) {
    for (int64_t o = 0; o < s.out[2]; ++o)
      y[o] /= static_cast<T>(taps_of(g.count_include_pad, sz, sy, span_of(s, 2, o)));
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
