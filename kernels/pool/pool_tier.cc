#include "tc/kernels/pool/pool.h"
#include "tc/kernels/pool/span.h"
#include "tc/kernels/simd/stride2.h"
#include "tc/kernels/simd/vec.h"

#include <limits>

namespace tc::kernels {
namespace {

constexpr int kV = kLanes<float>;

// The larger one; NaN if either is.
TC_INLINE VecF greater(VecF a, VecF b) {
  return select(is_nan(a), a, vmax(a, b));
}

// Floats of a line of column results.
constexpr int64_t kLine = 2048;

template <bool kMax>
TC_INLINE VecF join(VecF a, VecF b) {
  return kMax ? greater(a, b) : a + b;
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

TC_INLINE Block16 divided(Block16 a, int64_t n) {
  const VecF divisor(static_cast<float>(n));
#pragma GCC unroll 4
  for (int r = 0; r < Block16::kRegs; ++r) a.r[r] = a.r[r] / divisor;
  return a;
}

// For `count` outputs, `step` floats apart in the input, what N (or n) inputs come to that are `apart` floats apart.
template <bool kMax, int N>
TC_INLINE void join_each(const float* in, int64_t n, int64_t apart, int64_t step, int64_t count, float* out) {
  for (; count > 0; --count, in += step, out += 16) {
    Block16 acc = Block16::load(in);
    const float* tap = in;
    if constexpr (N > 0) {
#pragma GCC unroll 4
      for (int i = 1; i < N; ++i) acc = join<kMax>(acc, Block16::load(tap += apart));
    } else {
      for (int64_t i = n - 1; i > 0; --i) acc = join<kMax>(acc, Block16::load(tap += apart));
    }
    acc.store(out);
  }
}
// Mostly two or three: mnist_cnn's maxima by 2x2 1.8 to 1.1 us, squeezenet's by 3x3 0.276 to 0.246 ms.
template <bool kMax>
TC_INLINE void join_each(const float* in, int64_t n, int64_t apart, int64_t step, int64_t count, float* out) {
  switch (n) {
    case 2:
      return join_each<kMax, 2>(in, n, apart, step, count, out);
    case 3:
      return join_each<kMax, 3>(in, n, apart, step, count, out);
    default:
      return join_each<kMax, 0>(in, n, apart, step, count, out);
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
        (kMax ? sum : divided(sum, taps_of(g.count_include_pad, sz, sy, sx))).store(y);
      }
    }
    return;
  }
  const Block16 start = Block16::broadcast(kStart<kMax>);
  alignas(64) float line[kLine];
  for (int64_t first = 0; first < s.out[2]; first += room) {
    const int64_t cols = least(room, s.out[2] - first);
    const Piece p(s, first, cols);
    for (int64_t i = 0; i < p.left; ++i) start.store(line + i * 16);
    for (int64_t i = p.right; i < p.line; ++i) start.store(line + i * 16);
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
      float* to = y + ((row - row0) * s.out[2] + first) * 16;
      join_each<kMax>(line, s.kernel[2], apart, step, cols, to);
      if (kMax) continue;
      for (int64_t ox = 0; ox < cols; ++ox, to += 16)
        divided(Block16::load(to), taps_of(g.count_include_pad, sz, sy, span_of(s, 2, first + ox))).store(to);
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

// What averages divide by: the taps of output columns [first, first + cols), times those of a row of windows.
TC_INLINE void column_taps(const PoolArgs& g, int64_t first, int64_t cols, float* taps) {
  for (int64_t i = 0; i < cols; ++i) {
    const Span sx = span_of(g.shape, 2, first + i);
    taps[i] = static_cast<float>(g.count_include_pad ? sx.padded : sx.k1 - sx.k0);
  }
}
TC_INLINE VecF row_taps(const PoolArgs& g, const Span& sz, const Span& sy) {
  const int64_t taps = g.count_include_pad ? sz.padded * sy.padded : (sz.k1 - sz.k0) * (sy.k1 - sy.k0);
  return VecF(static_cast<float>(taps));
}

#if defined(__AVX512F__)
// Columns that two registers hold, which permutations take each window's from, and the kernels that this is for.
constexpr int64_t kHeldColumns = 2 * kV;
constexpr int64_t kHeldTaps = 8;

// The same where the columns that `room` outputs see fit two registers: no line in memory, which would be read where
// two stores meet. Of 256 channels of 7 x 7, 3x3 windows with stride 2 23 to 15 us; of 64 of 28 x 28 21 to 13; of
// 224 x 224, which would take pieces of rows, 35 to 46.
template <bool kMax>
void held_rows(const PoolArgs& g, int64_t plane, int64_t row0, int64_t row1, int64_t room) {
  const PoolShape& s = g.shape;
  const float* x = g.x + plane * s.in[0] * s.in[1] * s.in[2];
  float* y = g.y + (plane * s.out[0] * s.out[1] + row0) * s.out[2];
  const VecF start(kStart<kMax>);
  const __m512i lanes = _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                           _mm512_set1_epi32(static_cast<int>(s.stride[2])));
  for (int64_t first = 0; first < s.out[2]; first += room) {
    const int64_t cols = least(room, s.out[2] - first), taps = s.kernel[2];
    const int registers = cols > kV ? 2 : 1;
    const Piece p(s, first, cols);
    const auto held = static_cast<int>(p.right - p.left);
    const Tail<float> low(held < kV ? held : kV), high(held < kV ? 0 : held - kV);
    __m512i from[2][kHeldTaps];
    __mmask16 inside[2][kHeldTaps];
    for (int r = 0; r < registers; ++r) {
      for (int64_t k = 0; k < taps; ++k) {
        const int64_t at = r * kV * s.stride[2] + k * s.dilation[2] - p.left;
        from[r][k] = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(at)));
        inside[r][k] = _mm512_cmplt_epu32_mask(from[r][k], _mm512_set1_epi32(held));
      }
    }
    alignas(64) float taps_beside[2 * kV];
    if (!kMax) column_taps(g, first, cols, taps_beside);
    for (int64_t row = row0; row < row1; ++row) {
      const Span sz = depth_span(s, row), sy = height_span(s, row);
      const Down down(s, sz, sy, p.x0);
      VecF columns[2] = {start, start};
      down.each(x + down.corner + p.left, 1, [&](const float* in) {
        columns[0] = join<kMax>(columns[0], load(in, low));
        if (held > kV) columns[1] = join<kMax>(columns[1], load(in + kV, high));
      });
      float* to = y + (row - row0) * s.out[2] + first;
      for (int r = 0; r < registers; ++r) {
        const Tail<float> tail(static_cast<int>(least(kV, cols - r * kV)));
        VecF acc = start;
        for (int64_t k = 0; k < taps; ++k) {
          const VecF column(_mm512_permutex2var_ps(columns[0], from[r][k], columns[1]));
          acc = join<kMax>(acc, select(Mask<float>(inside[r][k]), column, start));
        }
        if (!kMax) acc = acc / (row_taps(g, sz, sy) * load(taps_beside + r * kV, tail));
        store(to + r * kV, acc, tail);
      }
    }
  }
}
#endif

// The same, a register of columns at a time. Of 320 channels of 14 x 14, 3x3 windows 1.59 to 0.18 ms.
template <bool kMax>
void plain_rows(const PoolArgs& g, int64_t plane, int64_t row0, int64_t row1) {
  const PoolShape& s = g.shape;
  const float* x = g.x + plane * s.in[0] * s.in[1] * s.in[2];
  float* y = g.y + (plane * s.out[0] * s.out[1] + row0) * s.out[2];
  const int64_t step = s.stride[2], room = outputs_in(s, kLine) / kV * kV;
#if defined(__AVX512F__)
  const int64_t held = outputs_in(s, kHeldColumns);
  if (s.kernel[2] <= kHeldTaps && 2 * held >= s.out[2]) return held_rows<kMax>(g, plane, row0, row1, held);
#endif
  if (room == 0) {
    for (int64_t row = row0; row < row1; ++row) {
      const Span sz = depth_span(s, row), sy = height_span(s, row);
      for (int64_t ox = 0; ox < s.out[2]; ++ox) *y++ = plain_one<kMax>(g, x, sz, sy, span_of(s, 2, ox));
    }
    return;
  }
  const VecF start(kStart<kMax>);
  alignas(64) int32_t lane[kV];
  for (int i = 0; i < kV; ++i) lane[i] = static_cast<int32_t>(i * step);
  const VecI lanes = load(lane);
  alignas(64) float line[kLine + kV], taps[kLine];
  for (int64_t first = 0; first < s.out[2]; first += room) {
    const int64_t cols = least(room, s.out[2] - first), whole = (cols + kV - 1) / kV * kV;
    const Piece p(s, first, whole);
    for (int64_t i = 0; i < p.line; i += kV) store(line + i, start);
    if (!kMax) column_taps(g, first, cols, taps);
    for (int64_t row = row0; row < row1; ++row) {
      const Span sz = depth_span(s, row), sy = height_span(s, row);
      const Down down(s, sz, sy, p.x0);
      for (int64_t i = p.left; i < p.right; i += kV) {
        const Tail<float> tail(static_cast<int>(least(kV, p.right - i)));
        VecF acc = start;
        down.each(x + down.corner + i, 1, [&](const float* in) { acc = join<kMax>(acc, load(in, tail)); });
        // Whole registers: what a masked store leaves is slow to read.
        store(line + i, kMax ? select(tail.mask(), acc, start) : acc);
      }
      const VecF taps_above = row_taps(g, sz, sy);
      float* to = y + (row - row0) * s.out[2] + first;
      for (int64_t i = 0; i < cols; i += kV) {
        const Tail<float> tail(static_cast<int>(least(kV, cols - i)));
        const auto column = [&](int64_t kx) __attribute__((always_inline)) {
          const float* from = line + i * step + kx * s.dilation[2];
          return step == 1 ? load(from) : step == 2 ? load_every_second(from) : gather(from, lanes);
        };
        VecF acc = column(0);
        for (int64_t kx = 1; kx < s.kernel[2]; ++kx) acc = join<kMax>(acc, column(kx));
        store(to + i, kMax ? acc : acc / (taps_above * load(taps + i, tail)), tail);
      }
    }
  }
}

// The best so far of kV windows, and the bits of where in its plane it is.
TC_INLINE void improve(VecF v, VecI at, VecF& best, VecF& place) {
  const Mask<float> better = (v > best) | (is_nan(v) & ~is_nan(best));
  best = select(better, v, best);
  place = select(better, from_bits(at), place);
}

void place_one(const PoolShape& s, const float* x, const Span& sz, const Span& sy, const Span& sx, float* y,
               int64_t* where) {
  float best = -std::numeric_limits<float>::infinity();
  int64_t place = -1;
  for (int64_t kz = sz.k0; kz < sz.k1; ++kz) {
    for (int64_t ky = sy.k0; ky < sy.k1; ++ky) {
      const int64_t line = (sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1];
      for (int64_t kx = sx.k0; kx < sx.k1; ++kx) {
        const int64_t at = line * s.in[2] + sx.at + kx * s.dilation[2];
        const float v = x[at];
        if (place < 0 || v > best || (v != v && best == best)) best = v, place = at;
      }
    }
  }
  *y = best;
  *where = place;
}

// Maxima with their places. Output columns whose taps all lie inside go up to a register at a time.
void plain_places(const PoolArgs& g, int64_t plane, int64_t row0, int64_t row1) {
  const PoolShape& s = g.shape;
  const int64_t pixels = s.in[0] * s.in[1] * s.in[2], base = plane * pixels;
  const float* x = g.x + base;
  const int64_t first = (plane * s.out[0] * s.out[1] + row0) * s.out[2];
  float* y = g.y + first;
  int64_t* places = g.places + first;
  const int64_t step = s.stride[2], last = s.in[2] - 1 - (s.kernel[2] - 1) * s.dilation[2] + s.pad[2];
  const int64_t left = least(s.out[2], (s.pad[2] + step - 1) / step);
  // Places in a register are 32 bits wide.
  const int64_t right = last < 0 || pixels > INT32_MAX ? left : most(left, least(s.out[2], last / step + 1));
  for (int64_t row = row0; row < row1; ++row, y += s.out[2], places += s.out[2]) {
    const Span sz = depth_span(s, row), sy = height_span(s, row);
    const bool taps = sz.k0 < sz.k1 && sy.k0 < sy.k1;
    for (int64_t ox = 0; ox < s.out[2];) {
      if (ox < left || ox >= right || !taps) {
        place_one(s, x, sz, sy, span_of(s, 2, ox), y + ox, places + ox);
        if (places[ox] >= 0) places[ox] += base;
        ++ox;
        continue;
      }
      const int count = static_cast<int>(least(kV, right - ox));
      alignas(64) int32_t lane[kV];
      for (int i = 0; i < kV; ++i) lane[i] = static_cast<int32_t>((i < count ? i : count - 1) * step);
      const VecI lanes = load(lane);
      VecF best(0.0f), place(0.0f);
      bool started = false;
      for (int64_t kz = sz.k0; kz < sz.k1; ++kz) {
        for (int64_t ky = sy.k0; ky < sy.k1; ++ky) {
          const int64_t line = (sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1];
          for (int64_t kx = 0; kx < s.kernel[2]; ++kx) {
            const int64_t from = line * s.in[2] + ox * step - s.pad[2] + kx * s.dilation[2];
            const VecF v = gather(x + from, lanes);
            const VecI at = lanes + VecI(static_cast<int32_t>(from));
            if (started) {
              improve(v, at, best, place);
            } else {
              best = v, place = from_bits(at), started = true;
            }
          }
        }
      }
      const Tail<float> tail(count);
      store(y + ox, best, tail);
      store(lane, bits(place));
      for (int i = 0; i < count; ++i) places[ox + i] = base + lane[i];
      ox += count;
    }
  }
}

void plain(const PoolArgs& g, int64_t plane, int64_t row0, int64_t row1) {
  if (g.places != nullptr) return plain_places(g, plane, row0, row1);
  g.kind == PoolKind::max ? plain_rows<true>(g, plane, row0, row1) : plain_rows<false>(g, plane, row0, row1);
}

void blocked(const PoolArgs& g, int64_t plane, int64_t row0, int64_t row1) {
  g.kind == PoolKind::max ? blocked_rows<true>(g, plane, row0, row1) : blocked_rows<false>(g, plane, row0, row1);
}

template <bool kMax>
void global_plain_of(const float* x, int64_t pixels, float* y) {
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
  const VecF all = join<kMax>(join<kMax>(acc[0], acc[1]), join<kMax>(acc[2], acc[3]));
  if (!kMax) {
    *y = sum(all) / static_cast<float>(pixels);
  } else {
    *y = any(is_nan(all)) ? std::numeric_limits<float>::quiet_NaN() : hmax(all);
  }
}

template <bool kMax>
void global_blocked_of(const float* x, int64_t pixels, float* y) {
  const Block16 start = Block16::broadcast(kStart<kMax>);
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

void global_plain(PoolKind kind, const float* x, int64_t pixels, float* y) {
  kind == PoolKind::max ? global_plain_of<true>(x, pixels, y) : global_plain_of<false>(x, pixels, y);
}

void global_blocked(PoolKind kind, const float* x, int64_t pixels, float* y) {
  kind == PoolKind::max ? global_blocked_of<true>(x, pixels, y) : global_blocked_of<false>(x, pixels, y);
}

}  // namespace

void TC_TIER_NAME(pool_any)(const PoolAnyArgs& args, int64_t plane, int64_t row0, int64_t row1);

extern constinit const PoolTable TC_TIER_NAME(pool_table);
constinit const PoolTable TC_TIER_NAME(pool_table) = {
    .plain = TC_KERNEL(plain, "pool_f32__nchw"),
    .blocked = TC_KERNEL(blocked, "pool_f32__nchw16c"),
    .global_plain = TC_KERNEL(global_plain, "global_pool_f32__nchw"),
    .global_blocked = TC_KERNEL(global_blocked, "global_pool_f32__nchw16c"),
    .any = TC_KERNEL(TC_TIER_NAME(pool_any), "pool__nchw"),
};

}  // namespace tc::kernels
