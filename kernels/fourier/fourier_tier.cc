#include "tc/kernels/fourier/fourier.h"
#include "tc/kernels/simd/transpose.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

constexpr int kWidth = kLanes<float>;

// An element of a block: the real parts of the lanes, then the imaginary ones.
struct Cx {
  VecF re, im;
  static TC_INLINE Cx load(const float* p) { return {kernels::load(p), kernels::load(p + kWidth)}; }
  TC_INLINE void store(float* p) const {
    kernels::store(p, re);
    kernels::store(p + kWidth, im);
  }
  TC_INLINE Cx times(VecF wr, VecF wi) const { return {fnma(im, wi, re * wr), fma(im, wr, re * wi)}; }
};
TC_INLINE Cx operator+(Cx a, Cx b) {
  return {a.re + b.re, a.im + b.im};
}
TC_INLINE Cx operator-(Cx a, Cx b) {
  return {a.re - b.re, a.im - b.im};
}
// a - i b and a + i b.
TC_INLINE Cx minus_i(Cx a, Cx b) {
  return {a.re + b.im, a.im - b.re};
}
TC_INLINE Cx plus_i(Cx a, Cx b) {
  return {a.re - b.im, a.im + b.re};
}

TC_INLINE float* at(float* p, std::int64_t k) {
  return p + k * 2 * kWidth;
}
TC_INLINE const float* at(const float* p, std::int64_t k) {
  return p + k * 2 * kWidth;
}

// The transform of R numbers; turns of R are `apart` places apart.
template <int R>
TC_INLINE void butterfly(Cx (&a)[R], const float* turns, std::int64_t apart) {
  if constexpr (R == 2) {
    const Cx b = a[0] - a[1];
    a[0] = a[0] + a[1], a[1] = b;
  } else if constexpr (R == 4) {
    const Cx even = a[0] + a[2], odd = a[1] + a[3], even_difference = a[0] - a[2], difference = a[1] - a[3];
    a[0] = even + odd, a[1] = minus_i(even_difference, difference);
    a[2] = even - odd, a[3] = plus_i(even_difference, difference);
  } else {
    // Of numbers r and R - r the sum goes with the cosines, the difference with the sines.
    constexpr int kHalf = R / 2;
    Cx sum[kHalf], difference[kHalf];
    const Cx start = a[0];
    for (int r = 0; r < kHalf; ++r) {
      sum[r] = a[r + 1] + a[R - 1 - r], difference[r] = a[r + 1] - a[R - 1 - r];
      a[0] = a[0] + sum[r];
    }
    for (int t = 1; t <= kHalf; ++t) {
      Cx even = start, odd{VecF(0.0f), VecF(0.0f)};
      for (int r = 0; r < kHalf; ++r) {
        const float* w = turns + 2 * (t * (r + 1) % R) * apart;
        const VecF c(w[0]), s(-w[1]);
        even = {fma(sum[r].re, c, even.re), fma(sum[r].im, c, even.im)};
        odd = {fma(difference[r].re, s, odd.re), fma(difference[r].im, s, odd.im)};
      }
      a[t] = minus_i(even, odd), a[R - t] = plus_i(even, odd);
    }
  }
}

// A stage of Stockham's form: R residues that lie `rest` * `stride` elements apart, from x to y.
template <int R>
void stage(const FourierPlan& p, std::int64_t rest, std::int64_t stride, const float* x, float* y) {
  for (std::int64_t j = 0; j < rest; ++j) {
    VecF wr[R], wi[R];
    for (int t = 1; t < R; ++t) {
      const float* w = p.turns + 2 * (j * t * stride);
      wr[t] = VecF(w[0]), wi[t] = VecF(w[1]);
    }
    for (std::int64_t q = 0; q < stride; ++q) {
      Cx a[R];
      for (int r = 0; r < R; ++r) a[r] = Cx::load(at(x, q + stride * (j + r * rest)));
      butterfly<R>(a, p.turns, p.n / R);
      a[0].store(at(y, q + stride * R * j));
      for (int t = 1; t < R; ++t) (j == 0 ? a[t] : a[t].times(wr[t], wi[t])).store(at(y, q + stride * (R * j + t)));
    }
  }
}

// Where the transform of x is: in x or y, of which the other is lost.
float* stages(const FourierPlan& p, float* x, float* y) {
  std::int64_t rest = p.n, stride = 1;
  for (int s = 0; s < p.stages; ++s) {
    const int radix = p.radix[s];
    rest /= radix;
    if (radix == 4)
      stage<4>(p, rest, stride, x, y);
    else if (radix == 2)
      stage<2>(p, rest, stride, x, y);
    else if (radix == 3)
      stage<3>(p, rest, stride, x, y);
    else if (radix == 5)
      stage<5>(p, rest, stride, x, y);
    else
      stage<7>(p, rest, stride, x, y);
    stride *= radix;
    float* const z = x;
    x = y, y = z;
  }
  return x;
}

TC_INLINE Cx times(Cx v, const float* w) {
  return v.times(VecF(w[0]), VecF(w[1]));
}

// As a circular convolution with the chirp. The inverse transform within is a forward one, read backwards.
float* convolution(const FourierPlan& p, float* x, float* y) {
  const FourierPlan& q = *p.padded;
  for (std::int64_t k = 0; k < p.n; ++k) times(Cx::load(at(x, k)), p.chirp + 2 * k).store(at(x, k));
  for (std::int64_t k = p.n; k < q.n; ++k) Cx{VecF(0.0f), VecF(0.0f)}.store(at(x, k));
  float* z = stages(q, x, y);
  for (std::int64_t k = 0; k < q.n; ++k) times(Cx::load(at(z, k)), p.filter + 2 * k).store(at(z, k));
  z = stages(q, z, z == x ? y : x);
  float* out = z == x ? y : x;
  for (std::int64_t k = 0; k < p.n; ++k)
    times(Cx::load(at(z, k == 0 ? 0 : q.n - k)), p.chirp + 2 * k).store(at(out, k));
  return out;
}

struct Starts {
  std::int64_t from[kWidth], to[kWidth];
};

void load_lines(const FourierArgs& a, const Starts& s, float* block) {
  const std::int64_t n = a.plan->n, parts = a.is_complex ? 2 : 1, floats = a.taken * parts;
  const VecF zero(0.0f);
  // Row f of the block: float f of each line.
  const auto row = [&](std::int64_t f) { return block + (a.is_complex ? f : 2 * f) * kWidth; };
  std::int64_t f = 0;
  if (a.from.step == parts)
    for (; f + kWidth <= floats; f += kWidth) {
      VecF m[kWidth];
      for (int i = 0; i < kWidth; ++i) m[i] = load(a.x + s.from[i] + f);
      transpose(m);
      for (int i = 0; i < kWidth; ++i) store(row(f + i), m[i]);
    }
  for (; f < floats; ++f)
    for (int i = 0; i < kWidth; ++i) row(f)[i] = a.x[s.from[i] + f / parts * a.from.step + f % parts];
  if (!a.is_complex)
    for (std::int64_t t = 0; t < a.taken; ++t) store(at(block, t) + kWidth, zero);
  if (a.window)
    for (std::int64_t t = 0; t < a.taken; ++t) {
      const Cx v = Cx::load(at(block, t));
      const VecF w(a.window[t]);
      Cx{v.re * w, v.im * w}.store(at(block, t));
    }
  for (std::int64_t t = a.taken; t < n; ++t) Cx{zero, zero}.store(at(block, t));
  if (a.mirrored)
    for (std::int64_t t = n / 2 + 1; t < n; ++t) {
      const Cx v = Cx::load(at(block, n - t));
      Cx{v.re, zero - v.im}.store(at(block, t));
    }
}

void store_lines(const FourierArgs& a, const Starts& s, std::int64_t count, const float* block) {
  const std::int64_t n = a.plan->n, parts = a.real_only ? 1 : 2, floats = a.bins * parts;
  const float scale = a.inverse ? static_cast<float>(1 / static_cast<double>(n)) : 1.0f;
  // The inverse transform is the forward one, read backwards, over n.
  const auto row = [&](std::int64_t f) {
    const std::int64_t k = f / parts;
    return at(block, a.inverse && k > 0 ? n - k : k) + f % parts * kWidth;
  };
  std::int64_t f = 0;
  if (a.to.step == parts)
    for (; f + kWidth <= floats; f += kWidth) {
      VecF m[kWidth];
      for (int i = 0; i < kWidth; ++i) m[i] = load(row(f + i)) * VecF(scale);
      transpose(m);
      for (int i = 0; i < kWidth; ++i)
        if (i < count) store(a.y + s.to[i] + f, m[i]);
    }
  for (; f < floats; ++f)
    for (int i = 0; i < count; ++i) a.y[s.to[i] + f / parts * a.to.step + f % parts] = row(f)[i] * scale;
}

void lines(const FourierArgs& a, std::int64_t first, std::int64_t count, float* work) {
  Starts s;
  for (int i = 0; i < kWidth; ++i) {
    const std::int64_t line = i < count ? first + i : first, o = line / a.inner, k = line % a.inner;
    s.from[i] = o * a.from.outer + k * a.from.inner;
    s.to[i] = o * a.to.outer + k * a.to.inner;
  }
  float* other = work + 2 * (a.plan->padded ? a.plan->padded->n : a.plan->n) * kWidth;
  load_lines(a, s, work);
  store_lines(a, s, count, a.plan->padded ? convolution(*a.plan, work, other) : stages(*a.plan, work, other));
}

std::int64_t lanes() {
  return kWidth;
}

}  // namespace

extern constinit const FourierTable TC_TIER_NAME(fourier_table);
constinit const FourierTable TC_TIER_NAME(fourier_table) = {
    TC_KERNEL(lines, "fourier_f32"),
    TC_KERNEL(lanes, "fourier_lanes"),
};

}  // namespace tc::kernels
