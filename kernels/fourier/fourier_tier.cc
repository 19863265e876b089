#include <type_traits>

#include "tc/kernels/fourier/fourier.h"
#include "tc/kernels/simd/transpose.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// An element of a block: the real parts of the lanes, then the imaginary ones.
template <class T>
struct Cx {
  Vec<T> re, im;
  static TC_INLINE Cx load(const T* p) { return {kernels::load(p), kernels::load(p + kLanes<T>)}; }
  TC_INLINE void store(T* p) const {
    kernels::store(p, re);
    kernels::store(p + kLanes<T>, im);
  }
  TC_INLINE Cx times(Vec<T> wr, Vec<T> wi) const { return {fnma(im, wi, re * wr), fma(im, wr, re * wi)}; }
};
template <class T>
TC_INLINE Cx<T> operator+(Cx<T> a, Cx<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
TC_INLINE Cx<T> operator-(Cx<T> a, Cx<T> b) {
  return {a.re - b.re, a.im - b.im};
}
// a - i b and a + i b.
template <class T>
TC_INLINE Cx<T> minus_i(Cx<T> a, Cx<T> b) {
  return {a.re + b.im, a.im - b.re};
}
template <class T>
TC_INLINE Cx<T> plus_i(Cx<T> a, Cx<T> b) {
  return {a.re - b.im, a.im + b.re};
}

template <class T>
TC_INLINE T* at(T* p, std::int64_t k) {
  return p + k * 2 * kLanes<std::remove_const_t<T>>;
}

// The transform of R numbers; turns of R are `apart` places apart.
template <int R, class T>
TC_INLINE void butterfly(Cx<T> (&a)[R], const T* turns, std::int64_t apart) {
  if constexpr (R == 2) {
    const Cx<T> b = a[0] - a[1];
    a[0] = a[0] + a[1], a[1] = b;
  } else if constexpr (R == 4) {
    const Cx<T> even = a[0] + a[2], odd = a[1] + a[3], even_difference = a[0] - a[2], difference = a[1] - a[3];
    a[0] = even + odd, a[1] = minus_i(even_difference, difference);
    a[2] = even - odd, a[3] = plus_i(even_difference, difference);
  } else {
    // Of numbers r and R - r the sum goes with the cosines, the difference with the sines.
    constexpr int kHalf = R / 2;
    Cx<T> sum[kHalf], difference[kHalf];
    const Cx<T> start = a[0];
    for (int r = 0; r < kHalf; ++r) {
      sum[r] = a[r + 1] + a[R - 1 - r], difference[r] = a[r + 1] - a[R - 1 - r];
      a[0] = a[0] + sum[r];
    }
    for (int t = 1; t <= kHalf; ++t) {
      Cx<T> even = start, odd{Vec<T>(T{0}), Vec<T>(T{0})};
      for (int r = 0; r < kHalf; ++r) {
        const T* w = turns + 2 * (t * (r + 1) % R) * apart;
        const Vec<T> c(w[0]), s(-w[1]);
        even = {fma(sum[r].re, c, even.re), fma(sum[r].im, c, even.im)};
        odd = {fma(difference[r].re, s, odd.re), fma(difference[r].im, s, odd.im)};
      }
      a[t] = minus_i(even, odd), a[R - t] = plus_i(even, odd);
    }
  }
}

// A stage of Stockham's form: R residues that lie `rest` * `stride` elements apart, from x to y.
template <int R, class T>
void stage(const FourierPlan<T>& p, std::int64_t rest, std::int64_t stride, const T* x, T* y) {
  for (std::int64_t j = 0; j < rest; ++j) {
    Vec<T> wr[R], wi[R];
    for (int t = 1; t < R; ++t) {
      const T* w = p.turns + 2 * (j * t * stride);
      wr[t] = Vec<T>(w[0]), wi[t] = Vec<T>(w[1]);
    }
    for (std::int64_t q = 0; q < stride; ++q) {
      Cx<T> a[R];
      for (int r = 0; r < R; ++r) a[r] = Cx<T>::load(at(x, q + stride * (j + r * rest)));
      butterfly<R>(a, p.turns, p.n / R);
      a[0].store(at(y, q + stride * R * j));
      for (int t = 1; t < R; ++t) (j == 0 ? a[t] : a[t].times(wr[t], wi[t])).store(at(y, q + stride * (R * j + t)));
    }
  }
}

// Where the transform of x is: in x or y, of which the other is lost.
template <class T>
T* stages(const FourierPlan<T>& p, T* x, T* y) {
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
    T* const z = x;
    x = y, y = z;
  }
  return x;
}

template <class T>
TC_INLINE Cx<T> times(Cx<T> v, const T* w) {
  return v.times(Vec<T>(w[0]), Vec<T>(w[1]));
}

// As a circular convolution with the chirp. The inverse transform within is a forward one, read backwards.
template <class T>
T* convolution(const FourierPlan<T>& p, T* x, T* y) {
  const FourierPlan<T>& q = *p.padded;
  for (std::int64_t k = 0; k < p.n; ++k) times(Cx<T>::load(at(x, k)), p.chirp + 2 * k).store(at(x, k));
  for (std::int64_t k = p.n; k < q.n; ++k) Cx<T>{Vec<T>(T{0}), Vec<T>(T{0})}.store(at(x, k));
  T* z = stages(q, x, y);
  for (std::int64_t k = 0; k < q.n; ++k) times(Cx<T>::load(at(z, k)), p.filter + 2 * k).store(at(z, k));
  z = stages(q, z, z == x ? y : x);
  T* out = z == x ? y : x;
  for (std::int64_t k = 0; k < p.n; ++k)
    times(Cx<T>::load(at(z, k == 0 ? 0 : q.n - k)), p.chirp + 2 * k).store(at(out, k));
  return out;
}

template <class T>
struct Starts {
  std::int64_t from[kLanes<T>], to[kLanes<T>];
};

template <class T>
void load_lines(const FourierArgs<T>& a, const Starts<T>& s, T* block) {
  constexpr int kWidth = kLanes<T>;
  const std::int64_t n = a.plan->n, parts = a.is_complex ? 2 : 1, numbers = a.taken * parts;
  const Vec<T> zero(T{0});
  // Row f of the block: number f of each line.
  const auto row = [&](std::int64_t f) { return block + (a.is_complex ? f : 2 * f) * kWidth; };
  std::int64_t f = 0;
  if (a.from.step == parts)
    for (; f + kWidth <= numbers; f += kWidth) {
      Vec<T> m[kWidth];
      for (int i = 0; i < kWidth; ++i) m[i] = load(a.x + s.from[i] + f);
      transpose(m);
      for (int i = 0; i < kWidth; ++i) store(row(f + i), m[i]);
    }
  for (; f < numbers; ++f)
    for (int i = 0; i < kWidth; ++i) row(f)[i] = a.x[s.from[i] + f / parts * a.from.step + f % parts];
  if (!a.is_complex)
    for (std::int64_t t = 0; t < a.taken; ++t) store(at(block, t) + kWidth, zero);
  if (a.window)
    for (std::int64_t t = 0; t < a.taken; ++t) {
      const Cx<T> v = Cx<T>::load(at(block, t));
      const Vec<T> w(a.window[t]);
      Cx<T>{v.re * w, v.im * w}.store(at(block, t));
    }
  for (std::int64_t t = a.taken; t < n; ++t) Cx<T>{zero, zero}.store(at(block, t));
  if (a.mirrored)
    for (std::int64_t t = n / 2 + 1; t < n; ++t) {
      const Cx<T> v = Cx<T>::load(at(block, n - t));
      Cx<T>{v.re, zero - v.im}.store(at(block, t));
    }
}

template <class T>
void store_lines(const FourierArgs<T>& a, const Starts<T>& s, std::int64_t count, const T* block) {
  constexpr int kWidth = kLanes<T>;
  const std::int64_t n = a.plan->n, parts = a.real_only ? 1 : 2, numbers = a.bins * parts;
  const T scale = a.inverse ? static_cast<T>(1 / static_cast<double>(n)) : T{1};
  // The inverse transform is the forward one, read backwards, over n.
  const auto row = [&](std::int64_t f) {
    const std::int64_t k = f / parts;
    return at(block, a.inverse && k > 0 ? n - k : k) + f % parts * kWidth;
  };
  std::int64_t f = 0;
  if (a.to.step == parts)
    for (; f + kWidth <= numbers; f += kWidth) {
      Vec<T> m[kWidth];
      for (int i = 0; i < kWidth; ++i) m[i] = load(row(f + i)) * Vec<T>(scale);
      transpose(m);
      for (int i = 0; i < kWidth; ++i)
        if (i < count) store(a.y + s.to[i] + f, m[i]);
    }
  for (; f < numbers; ++f)
    for (int i = 0; i < count; ++i) a.y[s.to[i] + f / parts * a.to.step + f % parts] = row(f)[i] * scale;
}

template <class T>
void lines(const FourierArgs<T>& a, std::int64_t first, std::int64_t count, T* work) {
  constexpr int kWidth = kLanes<T>;
  Starts<T> s;
  for (int i = 0; i < kWidth; ++i) {
    const std::int64_t line = i < count ? first + i : first, o = line / a.inner, k = line % a.inner;
    s.from[i] = o * a.from.outer + k * a.from.inner;
    s.to[i] = o * a.to.outer + k * a.to.inner;
  }
  T* other = work + 2 * (a.plan->padded ? a.plan->padded->n : a.plan->n) * kWidth;
  load_lines(a, s, work);
  store_lines(a, s, count, a.plan->padded ? convolution(*a.plan, work, other) : stages(*a.plan, work, other));
}

std::int64_t lanes() {
  return kLanes<float>;
}

}  // namespace

extern constinit const FourierTable TC_TIER_NAME(fourier_table);
constinit const FourierTable TC_TIER_NAME(fourier_table) = {
    TC_KERNEL(lines<float>, "fourier_f32"),
    TC_KERNEL(lines<double>, "fourier_f64"),
    TC_KERNEL(lanes, "fourier_lanes"),
};

}  // namespace tc::kernels
