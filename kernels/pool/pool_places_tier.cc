// Maxima of f32 on plain planes with their places.
#include <limits>

#include "tc/kernels/pool/pool.h"
#include "tc/kernels/pool/span.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {

void TC_TIER_NAME(pool_places)(const PoolArgs& args, int64_t plane, int64_t row0, int64_t row1);

namespace {

constexpr int kV = kLanes<float>;

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

}  // namespace

// Output columns whose taps all lie inside go up to a register at a time.
void TC_TIER_NAME(pool_places)(const PoolArgs& g, int64_t plane, int64_t row0, int64_t row1) {
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

}  // namespace tc::kernels
