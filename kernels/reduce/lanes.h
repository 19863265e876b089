// Groups of lanes for reductions in *_tier.cc files, a register each, and the accumulation steps on them and on single
// values.
#pragma once

#include <limits>
#include <type_traits>

#include "tc/kernels/elementwise/vec_math_f64.h"

namespace tc::kernels {
namespace {

// xsimd has no products of 64 bits.
template <class T>
using IntLanes [[gnu::vector_size(sizeof(VecF))]] = T;

template <class T, bool kReal = std::is_floating_point_v<T>>
struct Group {
  using Type = Vec<T>;
  static constexpr int kWidth = kLanes<T>;
  static TC_INLINE Type all(T x) { return Type(x); }
  static TC_INLINE Type load(const T* p) { return kernels::load(p); }
  static TC_INLINE Type load(const T* p, int n, T rest) {
    const Tail<T> tail(n);
    return select(tail.mask(), kernels::load(p, tail), Type(rest));
  }
  static TC_INLINE void store(T* p, Type x) { kernels::store(p, x); }
  static TC_INLINE void store(T* p, Type x, int n) { kernels::store(p, x, Tail<T>(n)); }
  // The first n lanes of x, the others of rest.
  static TC_INLINE Type join(Type x, Type rest, int n) { return select(Tail<T>(n).mask(), x, rest); }
  template <class Step>
  static TC_INLINE Type apply(Type a, Type x, Type shift) {
    return Step::lanes(a, x, shift);
  }
};

template <class T>
struct Group<T, false> {
  using Type = IntLanes<T>;
  static constexpr int kWidth = static_cast<int>(sizeof(Type) / sizeof(T));
  static TC_INLINE Type all(T x) { return x + Type{}; }
  static TC_INLINE Type load(const T* p) {
    Type out;
    __builtin_memcpy(&out, p, sizeof(out));
    return out;
  }
  static TC_INLINE Type load(const T* p, int n, T rest) {
    Type out = all(rest);
    for (int i = 0; i < n; ++i) out[i] = p[i];
    return out;
  }
  static TC_INLINE void store(T* p, Type x) { __builtin_memcpy(p, &x, sizeof(x)); }
  static TC_INLINE void store(T* p, Type x, int n) {
    for (int i = 0; i < n; ++i) p[i] = x[i];
  }
  static TC_INLINE Type join(Type x, Type rest, int n) {
    for (int i = 0; i < n; ++i) rest[i] = x[i];
    return rest;
  }
  template <class Step>
  static TC_INLINE Type apply(Type a, Type x, Type) {
    return Step::lanes(a, x);
  }
};

template <class T>
TC_INLINE T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}
template <class T>
TC_INLINE T times(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  } else {
    return a * b;
  }
}

template <class T>
TC_INLINE IntLanes<T> plus_lanes(IntLanes<T> a, IntLanes<T> b) {
  using U = IntLanes<std::make_unsigned_t<T>>;
  return (IntLanes<T>)((U)a + (U)b);
}
template <class T>
TC_INLINE IntLanes<T> times_lanes(IntLanes<T> a, IntLanes<T> b) {
  using U = IntLanes<std::make_unsigned_t<T>>;
  return (IntLanes<T>)((U)a * (U)b);
}

// A step adds x to the accumulator a: on a group, and on one value. `fold` joins two accumulators.
template <class T>
struct SumStep {
  static constexpr T kStart = T{0};
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T>) { return a + x; }
  static TC_INLINE IntLanes<T> lanes(IntLanes<T> a, IntLanes<T> x) requires std::is_integral_v<T> {
    return plus_lanes<T>(a, x);
  }
  static TC_INLINE T one(T a, T x, T) { return plus(a, x); }
  using Fold = SumStep;
};
template <class T>
struct SquareStep {
  static constexpr T kStart = T{0};
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T>) { return fma(x, x, a); }
  static TC_INLINE IntLanes<T> lanes(IntLanes<T> a, IntLanes<T> x) requires std::is_integral_v<T> {
    return plus_lanes<T>(a, times_lanes<T>(x, x));
  }
  static TC_INLINE T one(T a, T x, T) { return plus(a, times(x, x)); }
  using Fold = SumStep<T>;
};
template <class T>
struct MagnitudeStep {
  static constexpr T kStart = T{0};
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T>) { return a + vabs(x); }
  static TC_INLINE IntLanes<T> lanes(IntLanes<T> a, IntLanes<T> x) requires std::is_integral_v<T> {
    return plus_lanes<T>(a, x < 0 ? times_lanes<T>(x, Group<T>::all(-1)) : x);
  }
  static TC_INLINE T one(T a, T x, T) {
    if constexpr (std::is_integral_v<T>)
      return plus(a, x < 0 ? times(T{-1}, x) : x);
    else
      return a + (x < 0 ? -x : x);
  }
  using Fold = SumStep<T>;
};
template <class T>
struct ProductStep {
  static constexpr T kStart = T{1};
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T>) { return a * x; }
  static TC_INLINE IntLanes<T> lanes(IntLanes<T> a, IntLanes<T> x) requires std::is_integral_v<T> {
    return times_lanes<T>(a, x);
  }
  static TC_INLINE T one(T a, T x, T) { return times(a, x); }
  using Fold = ProductStep;
};
template <class T>
inline constexpr T kLowest = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                                         : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T kHighest = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                                          : std::numeric_limits<T>::max();
template <class T>
struct MaxStep {
  static constexpr T kStart = kLowest<T>;
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T>) { return max_nan(x, a); }
  static TC_INLINE IntLanes<T> lanes(IntLanes<T> a, IntLanes<T> x) requires std::is_integral_v<T> {
    return x > a ? x : a;
  }
  static TC_INLINE T one(T a, T x, T) { return a != a ? a : x > a || x != x ? x : a; }
  using Fold = MaxStep;
};
template <class T>
struct MinStep {
  static constexpr T kStart = kHighest<T>;
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T>) { return min_nan(x, a); }
  static TC_INLINE IntLanes<T> lanes(IntLanes<T> a, IntLanes<T> x) requires std::is_integral_v<T> {
    return x < a ? x : a;
  }
  static TC_INLINE T one(T a, T x, T) { return a != a ? a : x < a || x != x ? x : a; }
  using Fold = MinStep;
};
// a + e^(x - shift).
template <class T>
struct ExpStep {
  static constexpr T kStart = 0;
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T> shift) { return a + vexp(x - shift); }
  static TC_INLINE T one(T a, T x, T shift) {
    if constexpr (std::is_same_v<T, float>)
      return a + __builtin_expf(x - shift);
    else
      return a + __builtin_exp(x - shift);
  }
  using Fold = SumStep<T>;
};

// Joins the lanes of a group, halves first.
template <class Step, class T>
TC_INLINE T fold_lanes(const typename Group<T>::Type& group) {
  constexpr int kWidth = Group<T>::kWidth;
  T v[kWidth];
  Group<T>::store(v, group);
  for (int half = kWidth / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) v[i] = Step::one(v[i], v[i + half], T{0});
  }
  return v[0];
}

// Groups of a block: after so many steps an accumulator is added to the total, which bounds the error of long sums.
inline constexpr int64_t kBlockSteps = 64;

// The reduction of n contiguous values.
template <class Step, class T>
T reduce_row(const T* p, int64_t n, T shift) {
  using G = Group<T>;
  using Fold = typename Step::Fold;
  constexpr int kWidth = G::kWidth, kAcc = 4;
  const auto s = G::all(shift);
  const auto none = G::all(T{0});
  auto total = G::all(Step::kStart);
  int64_t i = 0;
  while (i + kAcc * kWidth <= n) {
    typename G::Type acc[kAcc] = {G::all(Step::kStart), G::all(Step::kStart), G::all(Step::kStart),
                                  G::all(Step::kStart)};
    const int64_t room = (n - i) / (kAcc * kWidth);
    const int64_t steps = room < kBlockSteps ? room : kBlockSteps;
    for (int64_t k = 0; k < steps; ++k, i += kAcc * kWidth) {
      for (int j = 0; j < kAcc; ++j) acc[j] = G::template apply<Step>(acc[j], G::load(p + i + j * kWidth), s);
    }
    acc[0] = G::template apply<Fold>(acc[0], acc[1], none);
    acc[2] = G::template apply<Fold>(acc[2], acc[3], none);
    total = G::template apply<Fold>(total, G::template apply<Fold>(acc[0], acc[2], none), none);
  }
  auto acc = G::all(Step::kStart);
  for (; i + kWidth <= n; i += kWidth) acc = G::template apply<Step>(acc, G::load(p + i), s);
  if (i < n) {
    // Lanes beyond the end must not count: the last group is applied, and only its lanes are taken.
    const int rest = static_cast<int>(n - i);
    const auto applied = G::template apply<Step>(acc, G::load(p + i, rest, T{0}), s);
    acc = G::join(applied, acc, rest);
  }
  return fold_lanes<Fold, T>(G::template apply<Fold>(total, acc, none));
}

}  // namespace
}  // namespace tc::kernels
