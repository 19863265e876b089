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

template <bool kMax>
void blocked_rows(const PoolArgs& g, int64_t plane, int64_t row0, int64_t row1) {
  const PoolShape& s = g.shape;
  const float* x = g.x + plane * s.in[0] * s.in[1] * s.in[2] * 16;
  float* y = g.y + (plane * s.out[0] * s.out[1] + row0) * s.out[2] * 16;
  for (int64_t row = row0; row < row1; ++row) {
    const Span sz = depth_span(s, row);
    const Span sy = height_span(s, row);
    for (int64_t ox = 0; ox < s.out[2]; ++ox, y += 16) {
      const Span sx = span_of(s, 2, ox);
      Block16 acc = Block16::broadcast(kMax ? -std::numeric_limits<float>::infinity() : 0.0f);
      for (int64_t kz = sz.k0; kz < sz.k1; ++kz) {
        for (int64_t ky = sy.k0; ky < sy.k1; ++ky) {
          const int64_t line = (sz.at + kz * s.dilation[0]) * s.in[1] + sy.at + ky * s.dilation[1];
          const float* in = x + (line * s.in[2] + sx.at) * 16;
          for (int64_t kx = sx.k0; kx < sx.k1; ++kx) {
            const Block16 v = Block16::load(in + kx * s.dilation[2] * 16);
#pragma GCC unroll 4
            for (int r = 0; r < Block16::kRegs; ++r) acc.r[r] = kMax ? greater(acc.r[r], v.r[r]) : acc.r[r] + v.r[r];
          }
        }
      }
      if (!kMax) {
        const VecF n(static_cast<float>(taps_of(g.count_include_pad, sz, sy, sx)));
#pragma GCC unroll 4
        for (int r = 0; r < Block16::kRegs; ++r) acc.r[r] = acc.r[r] / n;
      }
      acc.store(y);
    }
  }
}

template <bool kMax>
TC_INLINE float plain_one(const PoolArgs& g, const float* x, const Span& sz, const Span& sy, const Span& sx) {
  const PoolShape& s = g.shape;
  float acc = kMax ? -std::numeric_limits<float>::infinity() : 0.0f;
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

// Floats of a line of column results.
constexpr int64_t kLine = 2048;

template <bool kMax>
TC_INLINE VecF join(VecF a, VecF b) {
  return kMax ? greater(a, b) : a + b;
}

// A row of windows in two passes: what each column of the input comes to, with the padding beside the image as columns
// of their own, then what the columns of each window do. Of 320
// channels of 14 x 14, 3x3 windows 1.59 to 0.18 ms.
template <bool kMax>
void plain_rows(const PoolArgs& g, int64_t plane, int64_t row0, int64_t row1) {
  const PoolShape& s = g.shape;
  const float* x = g.x + plane * s.in[0] * s.in[1] * s.in[2];
  float* y = g.y + (plane * s.out[0] * s.out[1] + row0) * s.out[2];
  const int64_t step = s.stride[2], reach = (s.kernel[2] - 1) * s.dilation[2] + 1;
  const int64_t room = reach > kLine || step > kLine ? 0 : ((kLine - reach) / step + 1) / kV * kV;
  if (room == 0) {
    for (int64_t row = row0; row < row1; ++row) {
      const Span sz = depth_span(s, row), sy = height_span(s, row);
      for (int64_t ox = 0; ox < s.out[2]; ++ox) *y++ = plain_one<kMax>(g, x, sz, sy, span_of(s, 2, ox));
    }
    return;
  }
  const VecF start(kMax ? -std::numeric_limits<float>::infinity() : 0.0f);
  alignas(64) int32_t lane[kV];
  for (int i = 0; i < kV; ++i) lane[i] = static_cast<int32_t>(i * step);
  const VecI lanes = load(lane);
  alignas(64) float line[kLine + kV], taps[kLine];
  for (int64_t first = 0; first < s.out[2]; first += room) {
    const int64_t cols = least(room, s.out[2] - first), whole = (cols + kV - 1) / kV * kV;
    // The line's first column, and which of the image it has.
    const int64_t x0 = first * step - s.pad[2], line_cols = (whole - 1) * step + reach;
    const int64_t left = least(line_cols, most(0, -x0)), right = most(left, least(line_cols, s.in[2] - x0));
    for (int64_t i = 0; i < line_cols; i += kV) store(line + i, start);
    for (int64_t i = 0; !kMax && i < cols; ++i) {
      const int64_t at = x0 + i * step;
      taps[i] = static_cast<float>(s.kernel[2]);
      if (at >= 0 && at + reach <= s.in[2]) continue;
      const Span sx = span_of(s, 2, first + i);
      taps[i] = static_cast<float>(g.count_include_pad ? sx.padded : sx.k1 - sx.k0);
    }
    for (int64_t row = row0; row < row1; ++row) {
      const Span sz = depth_span(s, row), sy = height_span(s, row);
      const int64_t taps_down = sy.k1 - sy.k0, down = s.dilation[1] * s.in[2];
      const int64_t deep = s.dilation[0] * s.in[1] * s.in[2];
      const float* const corner =
          x + ((sz.at + sz.k0 * s.dilation[0]) * s.in[1] + sy.at + sy.k0 * s.dilation[1]) * s.in[2] + x0;
      for (int64_t i = left; i < right; i += kV) {
        const Tail<float> tail(static_cast<int>(least(kV, right - i)));
        const float* plane_in = corner + i;
        VecF acc = start;
        for (int64_t kz = sz.k1 - sz.k0; kz > 0; --kz, plane_in += deep) {
          const float* in = plane_in;
          for (int64_t ky = taps_down; ky > 0; --ky, in += down) acc = join<kMax>(acc, load(in, tail));
        }
        // Whole registers: what a masked store leaves is slow to read.
        store(line + i, kMax ? select(tail.mask(), acc, start) : acc);
      }
      const int64_t rows = g.count_include_pad ? sz.padded * sy.padded : (sz.k1 - sz.k0) * (sy.k1 - sy.k0);
      const VecF row_taps(static_cast<float>(rows));
      float* to = y + (row - row0) * s.out[2] + first;
      for (int64_t i = 0; i < cols; i += kV) {
        const Tail<float> tail(static_cast<int>(least(kV, cols - i)));
        const auto column = [&](int64_t kx) __attribute__((always_inline)) {
          const float* from = line + i * step + kx * s.dilation[2];
          return step == 1 ? load(from) : step == 2 ? load_every_second(from) : gather(from, lanes);
        };
        VecF acc = column(0);
        for (int64_t kx = 1; kx < s.kernel[2]; ++kx) acc = join<kMax>(acc, column(kx));
        store(to + i, kMax ? acc : acc / (row_taps * load(taps + i, tail)), tail);
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
  const VecF start(kMax ? -std::numeric_limits<float>::infinity() : 0.0f);
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
  const Block16 start = Block16::broadcast(kMax ? -std::numeric_limits<float>::infinity() : 0.0f);
  Block16 acc[4] = {start, start, start, start};
  int64_t p = 0;
  for (; p + 4 <= pixels; p += 4) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const Block16 v = Block16::load(x + (p + i) * 16);
#pragma GCC unroll 4
      for (int r = 0; r < Block16::kRegs; ++r) acc[i].r[r] = join<kMax>(acc[i].r[r], v.r[r]);
    }
  }
  for (; p < pixels; ++p) {
    const Block16 v = Block16::load(x + p * 16);
#pragma GCC unroll 4
    for (int r = 0; r < Block16::kRegs; ++r) acc[0].r[r] = join<kMax>(acc[0].r[r], v.r[r]);
  }
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
