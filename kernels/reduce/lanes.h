// Groups of lanes for reductions in *_tier.cc files, a register each, and the accumulation steps on them and on single
// values.
#pragma once

#include <limits>
#include <type_traits>
#include <utility>

#include "tc/kernels/elementwise/vec_math_f64.h"
#include "tc/kernels/simd/bytes.h"

namespace tc::kernels {
namespace {

// A register in the compiler's terms: xsimd has no products of 64 bits, and no shuffles of all types.
template <class T>
using Lanes [[gnu::vector_size(sizeof(VecF))]] = T;
template <class T>
TC_INLINE Lanes<T> lanes_of(Vec<T> x) {
  return (Lanes<T>)(typename Vec<T>::register_type)x;
}
template <class T>
TC_INLINE Vec<T> vec_of(Lanes<T> x) {
  return Vec<T>((typename Vec<T>::register_type)x);
}

template <class T, bool kReal = std::is_floating_point_v<T>>
struct Group {
  using Type = Vec<T>;
  static constexpr int kWidth = kLanes<T>;
  static TC_INLINE Lanes<T> raw(Type x) { return lanes_of<T>(x); }
  static TC_INLINE Type of(Lanes<T> x) { return vec_of<T>(x); }
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
  using Type = Lanes<T>;
  static constexpr int kWidth = static_cast<int>(sizeof(Type) / sizeof(T));
  static TC_INLINE Lanes<T> raw(Type x) { return x; }
  static TC_INLINE Type of(Lanes<T> x) { return x; }
  static TC_INLINE Type all(T x) { return x + Type{}; }
  static TC_INLINE Type load(const T* p) {
    Type out;
    __builtin_memcpy(&out, p, sizeof(out));
    return out;
  }
  static TC_INLINE Type load(const T* p, int n, T rest) {
    if constexpr (sizeof(T) == 1) {
      return join(lanes_of<T>(load_first_bytes<T>(p, n)), all(rest), n);
    } else {
      const Tail<T> tail(n);
      return lanes_of<T>(select(tail.mask(), kernels::load(p, tail), Vec<T>(rest)));
    }
  }
  static TC_INLINE void store(T* p, Type x) { __builtin_memcpy(p, &x, sizeof(x)); }
  static TC_INLINE void store(T* p, Type x, int n) {
    if constexpr (sizeof(T) == 1)
      store_first_bytes(p, vec_of<T>(x), n);
    else
      kernels::store(p, vec_of<T>(x), Tail<T>(n));
  }
  static TC_INLINE Type join(Type x, Type rest, int n) {
    if constexpr (sizeof(T) == 1) {
      constexpr auto kCount = []<signed char... i>(std::integer_sequence<signed char, i...>) {
        return Lanes<signed char>{i...};
      }
      (std::make_integer_sequence<signed char, kWidth>());
      return kCount < static_cast<signed char>(n) ? x : rest;
    } else {
      return lanes_of<T>(select(Tail<T>(n).mask(), vec_of<T>(x), vec_of<T>(rest)));
    }
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
TC_INLINE Lanes<T> plus_lanes(Lanes<T> a, Lanes<T> b) {
  using U = Lanes<std::make_unsigned_t<T>>;
  return (Lanes<T>)((U)a + (U)b);
}
template <class T>
TC_INLINE Lanes<T> times_lanes(Lanes<T> a, Lanes<T> b) {
  using U = Lanes<std::make_unsigned_t<T>>;
  return (Lanes<T>)((U)a * (U)b);
}

// A step adds x to the accumulator a: on a group, and on one value. `fold` joins two accumulators.
template <class T>
struct SumStep {
  static constexpr T kStart = T{0};
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T>) { return a + x; }
  static TC_INLINE Lanes<T> lanes(Lanes<T> a, Lanes<T> x) requires std::is_integral_v<T> { return plus_lanes<T>(a, x); }
  static TC_INLINE T one(T a, T x, T) { return plus(a, x); }
  using Fold = SumStep;
};
template <class T>
struct SquareStep {
  static constexpr T kStart = T{0};
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T>) { return fma(x, x, a); }
  static TC_INLINE Lanes<T> lanes(Lanes<T> a, Lanes<T> x) requires std::is_integral_v<T> {
    return plus_lanes<T>(a, times_lanes<T>(x, x));
  }
  static TC_INLINE T one(T a, T x, T) { return plus(a, times(x, x)); }
  using Fold = SumStep<T>;
};
// Adds (x - shift)^2.
template <class T>
struct DeviationStep {
  static constexpr T kStart = 0;
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T> shift) {
    const Vec<T> d = x - shift;
    return fma(d, d, a);
  }
  static TC_INLINE T one(T a, T x, T shift) { return a + (x - shift) * (x - shift); }
  using Fold = SumStep<T>;
};
template <class T>
struct MagnitudeStep {
  static constexpr T kStart = T{0};
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T>) { return a + vabs(x); }
  static TC_INLINE Lanes<T> lanes(Lanes<T> a, Lanes<T> x) requires std::is_integral_v<T> {
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
  static TC_INLINE Lanes<T> lanes(Lanes<T> a, Lanes<T> x) requires std::is_integral_v<T> {
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
  static TC_INLINE Lanes<T> lanes(Lanes<T> a, Lanes<T> x) requires std::is_integral_v<T> { return x > a ? x : a; }
  static TC_INLINE T one(T a, T x, T) { return a != a ? a : x > a || x != x ? x : a; }
  using Fold = MaxStep;
  template <class U>
  using Of = MaxStep<U>;
};
template <class T>
struct MinStep {
  static constexpr T kStart = kHighest<T>;
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T>) { return min_nan(x, a); }
  static TC_INLINE Lanes<T> lanes(Lanes<T> a, Lanes<T> x) requires std::is_integral_v<T> { return x < a ? x : a; }
  static TC_INLINE T one(T a, T x, T) { return a != a ? a : x < a || x != x ? x : a; }
  using Fold = MinStep;
  template <class U>
  using Of = MinStep<U>;
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

// Of registers that hold rows of kRow lanes: the rows of a, then those of b, each with its halves joined.
template <class Step, class T, int kRow>
TC_INLINE typename Group<T>::Type join_halves(const typename Group<T>::Type& a, const typename Group<T>::Type& b) {
  using G = Group<T>;
  constexpr int kHalf = kRow / 2;
  const auto halves = [&]<int... i>(std::integer_sequence<int, i...>, auto second) __attribute__((always_inline)) {
    return G::of(__builtin_shufflevector(G::raw(a), G::raw(b), (i / kHalf * kRow + i % kHalf + second() * kHalf)...));
  };
  constexpr std::make_integer_sequence<int, G::kWidth> kAll;
  return G::template apply<Step>(halves(kAll, std::integral_constant<int, 0>()),
                                 halves(kAll, std::integral_constant<int, 1>()), G::all(T{0}));
}

// Joins the lanes of a group, halves first.
template <class Step, class T, int kRow = Group<T>::kWidth>
TC_INLINE T fold_lanes(const typename Group<T>::Type& group) {
  if constexpr (kRow == 1)
    return Group<T>::raw(group)[0];
  else
    return fold_lanes<Step, T, kRow / 2>(join_halves<Step, T, kRow>(group, group));
}

// The same for as many groups as a register has lanes, one lane each. Overwrites them.
template <class Step, class T, int kRow = Group<T>::kWidth>
TC_INLINE typename Group<T>::Type fold_groups(typename Group<T>::Type* groups) {
  if constexpr (kRow == 1) {
    return groups[0];
  } else {
#pragma GCC unroll 16
    for (int i = 0; i < kRow / 2; ++i) groups[i] = join_halves<Step, T, kRow>(groups[2 * i], groups[2 * i + 1]);
    return fold_groups<Step, T, kRow / 2>(groups);
  }
}

// Groups of a block: after so many steps an accumulator is added to the total, which bounds the error of long sums.
inline constexpr int64_t kBlockSteps = 64;

// A row's last `count` values, less than a group.
template <class Step, class T>
TC_INLINE typename Group<T>::Type row_tail(const typename Group<T>::Type& acc, const T* p, int count, T shift) {
  // Lanes beyond the end must not count: the last group is applied, and only its lanes are taken.
  const auto applied = Group<T>::template apply<Step>(acc, Group<T>::load(p, count, T{0}), Group<T>::all(shift));
  return Group<T>::join(applied, acc, count);
}

// Groups of a row that are summed side by side.
inline constexpr int kRowAccumulators = 4;

// The lanes that n contiguous values come to.
template <class Step, class T>
TC_INLINE typename Group<T>::Type row_lanes(const T* p, int64_t n, T shift) {
  using G = Group<T>;
  using Fold = typename Step::Fold;
  constexpr int kWidth = G::kWidth, kAcc = kRowAccumulators;
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
  if (i < n) acc = row_tail<Step>(acc, p + i, static_cast<int>(n - i), shift);
  return G::template apply<Fold>(total, acc, none);
}

// The reduction of n contiguous values.
template <class Step, class T>
T reduce_row(const T* p, int64_t n, T shift) {
  return fold_lanes<typename Step::Fold, T>(row_lanes<Step>(p, n, shift));
}

}  // namespace
}  // namespace tc::kernels
