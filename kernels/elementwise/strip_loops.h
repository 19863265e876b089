// The micro-ops of strip programs and the loops that apply them, for *_tier.cc files.
#pragma once

#include <type_traits>

#include "tc/kernels/elementwise/strip.h"
#include "tc/kernels/elementwise/vec_angles.h"
#include "tc/kernels/elementwise/vec_bessel.h"
#include "tc/kernels/elementwise/vec_gamma.h"
#include "tc/kernels/elementwise/vec_pow.h"
#include "tc/kernels/elementwise/whole_division.h"
#include "tc/kernels/simd/divide.h"
#include "tc/kernels/simd/stream.h"

namespace tc::kernels {
namespace {

enum Kinds : unsigned { kFloat = 1, kDouble = 2, kInt = 4, kReal = kFloat | kDouble, kAll = kReal | kInt };
template <class T>
inline constexpr unsigned kKindOf = std::is_same_v<T, float>    ? kFloat
                                    : std::is_same_v<T, double> ? kDouble
                                                                : kInt;
template <class T>
inline constexpr Elem kElemOf = std::is_same_v<T, float>     ? Elem::f32
                                : std::is_same_v<T, double>  ? Elem::f64
                                : std::is_same_v<T, int32_t> ? Elem::i32
                                                             : Elem::i64;

// Integers wrap around; the lowest value divided by -1 is itself.
template <class T>
TC_INLINE T wrap_add(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}
template <class T>
TC_INLINE T wrap_sub(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
}
template <class T>
TC_INLINE T wrap_mul(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}
template <class T>
TC_INLINE constexpr auto to_unsigned(T a) {
  return static_cast<std::make_unsigned_t<T>>(a);
}
template <class T>
TC_INLINE T unsigned_min(T a, T b) {
  return to_unsigned(b) < to_unsigned(a) ? b : a;
}
template <class T>
TC_INLINE T unsigned_max(T a, T b) {
  return to_unsigned(a) < to_unsigned(b) ? b : a;
}
// What is shifted by more bits than there are is 0.
template <class T>
TC_INLINE T shift_left(T a, T b) {
  constexpr auto kBits = to_unsigned(T{8 * sizeof(T)});
  return to_unsigned(b) < kBits ? static_cast<T>(to_unsigned(a) << (to_unsigned(b) % kBits)) : T{0};
}
template <class T>
TC_INLINE T shift_right(T a, T b) {
  constexpr auto kBits = to_unsigned(T{8 * sizeof(T)});
  return to_unsigned(b) < kBits ? static_cast<T>(to_unsigned(a) >> (to_unsigned(b) % kBits)) : T{0};
}
template <class T>
TC_INLINE T wrap_div(T a, T b) {
  return b == -1 ? wrap_sub(T{0}, a) : static_cast<T>(a / b);
}
template <class T>
requires std::is_integral_v<T> TC_INLINE T trunc_mod(T a, T b) {
  return b == -1 ? T{0} : static_cast<T>(a % b);
}
template <class T>
requires std::is_integral_v<T> TC_INLINE T floor_mod(T a, T b) {
  const T r = trunc_mod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? wrap_add(r, b) : r;
}

#define TC_STRIP_OP(name, arity, kinds, pace, vector, integer)                                                       \
  struct Op_##name {                                                                                                 \
    static constexpr int kArity = arity;                                                                             \
    static constexpr unsigned kKinds = kinds;                                                                        \
    static constexpr MicroOp kOp = MicroOp::name;                                                                    \
    template <class T>                                                                                               \
    static TC_INLINE Vec<T> lanes([[maybe_unused]] Vec<T> a, [[maybe_unused]] Vec<T> b, [[maybe_unused]] Vec<T> c) { \
      return vector;                                                                                                 \
    }                                                                                                                \
    template <class T>                                                                                               \
    static TC_INLINE T one([[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T c) {                       \
      return static_cast<T>(integer);                                                                                \
    }                                                                                                                \
  };
#include "tc/kernels/elementwise/strip_ops.def"
#undef TC_STRIP_OP

// What a micro-op does for memory on its way over a strip, at its own pace, since more requests than a core can have
// open would stall it: asks for lines of what the next strip reads, and moves a finished strip past the caches. Nine
// ops on four inputs of 4M floats, three of them long: 14.0 ms with an equal share before each op, 11.2 so.
template <class T>
struct OnTheWay {
  const std::byte* lines[2];  // as many bytes from each as the op computes
  const T* from;              // or null; aligned, like `to`
  T* to;
};

// Applies a micro-op to n elements; integers do nothing on the way. Gives -1, or the first place where an integer is
// divided by zero.
template <class T>
using MicroFn = int(T* dst, const T* a, const T* b, const T* c, int n, const OnTheWay<T>* way);

template <class Op, class T>
int micro_loop(T* dst, const T* a, [[maybe_unused]] const T* b, [[maybe_unused]] const T* c, int n,
               [[maybe_unused]] const OnTheWay<T>* way) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (divides(Op::kOp)) {
      if (const int bad = first_zero(b, n); bad < n) return bad;
      if (divide_whole<Op::kOp>(dst, a, b, n)) return -1;
    }
    // An operand may be where the results go.
#pragma GCC ivdep
    for (int i = 0; i < n; ++i) {
      dst[i] = Op::template one<T>(a[i], Op::kArity > 1 ? b[i] : T{0}, Op::kArity > 2 ? c[i] : T{0});
    }
  } else {
    constexpr int kStep = kLanes<T>, kLine = 64 / sizeof(T);
    int i = 0;
    const auto compute = [&](int at) __attribute__((always_inline)) {
      const Vec<T> x = load(a + at);
      Vec<T> y = x, z = x;
      if constexpr (Op::kArity > 1) y = load(b + at);
      if constexpr (Op::kArity > 2) z = load(c + at);
      store(dst + at, Op::template lanes<T>(x, y, z));
    };
    // kMost elements at a time: the registers of a cache line, or one.
    const auto registers = [&]<int kMost>(std::integral_constant<int, kMost>, auto&& first) {
      for (; i + kMost <= n; i += kMost) {
        first(kMost);
        for (int at = 0; at < kMost; at += kStep) compute(i + at);
      }
    };
    const auto all = [&](auto&& first) {
      registers(std::integral_constant<int, kLine>(), first);
      if constexpr (kStep < kLine) registers(std::integral_constant<int, kStep>(), first);
    };
    if (way) {
      all([&](int count) {
        for (const std::byte* line : way->lines) __builtin_prefetch(line + i * static_cast<int>(sizeof(T)));
        if (way->from)
          for (int at = i; at < i + count; at += kStep) stream(way->to + at, load(way->from + at));
      });
    } else {
      all([](int) {});
    }
    if (i < n) {
      const Tail<T> tail(n - i);
      const Vec<T> x = load(a + i, tail);
      Vec<T> y = x, z = x;
      if constexpr (Op::kArity > 1) y = load(b + i, tail);
      if constexpr (Op::kArity > 2) z = load(c + i, tail);
      store(dst + i, Op::template lanes<T>(x, y, z), tail);
    }
  }
  return -1;
}

// A function of one operand, and of constants b and c, over `rows` rows of `cols` elements.
template <class T>
using MapFn = void(T* dst, int64_t dst_row, const T* a, int64_t a_row, T b, T c, int64_t rows, int64_t cols);

template <class Op, class T>
void map_rows(T* dst, int64_t dst_row, const T* a, int64_t a_row, [[maybe_unused]] T b, [[maybe_unused]] T c,
              int64_t rows, int64_t cols) {
  for (; rows > 0; --rows, dst += dst_row, a += a_row) {
    if constexpr (std::is_integral_v<T>) {
      micro_loop<Op, T>(dst, a, nullptr, nullptr, static_cast<int>(cols), nullptr);
    } else {
      const Vec<T> y = broadcast(b), z = broadcast(c);
      int64_t i = 0;
      for (; i + kLanes<T> <= cols; i += kLanes<T>) store(dst + i, Op::template lanes<T>(load(a + i), y, z));
      if (i < cols) {
        const Tail<T> tail(static_cast<int>(cols - i));
        store(dst + i, Op::template lanes<T>(load(a + i, tail), y, z), tail);
      }
    }
  }
}

// Arithmetic on two or three operands over rows of `cols` elements; the results lie one after the other, a step of 0
// repeats an element along its row. Of three the first has a step of 1.
template <class T>
struct ZipOperand {
  const T* at;
  int64_t row, step;
};
template <class T>
using ZipFn = void(T* dst, ZipOperand<T> a, ZipOperand<T> b, ZipOperand<T> c, int64_t rows, int64_t cols);

template <class Op, class T>
void zip_rows(T* dst, ZipOperand<T> a, ZipOperand<T> b, ZipOperand<T> c, int64_t rows, int64_t cols) {
  constexpr int kStep = kLanes<T>;
  const auto all = [&](auto read_a, auto read_b, auto read_c) __attribute__((always_inline)) {
    const Tail<T> tail(static_cast<int>(cols % kStep));
    for (; rows > 0; --rows, dst += cols, a.at += a.row, b.at += b.row, c.at += c.row) {
      const auto x = read_a(a.at);
      const auto y = read_b(b.at);
      const auto z = read_c(c.at);
      int64_t i = 0;
      for (; i + kStep <= cols; i += kStep) store(dst + i, Op::template lanes<T>(x(i), y(i), z(i)));
      if (i < cols) store(dst + i, Op::template lanes<T>(x(i, tail), y(i, tail), z(i, tail)), tail);
    }
  };
  const auto along = [](const T* row) { return [row](int64_t i, auto... tail) { return load(row + i, tail...); }; };
  const auto repeated = [](const T* row) { return [x = broadcast(row[0])](int64_t, auto...) { return x; }; };
  if constexpr (Op::kArity == 2) {
    if (a.step == 0)
      all(repeated, along, repeated);
    else if (b.step == 0)
      all(along, repeated, repeated);
    else
      all(along, along, repeated);
  } else {
    if (b.step == 0)
      c.step == 0 ? all(along, repeated, repeated) : all(along, repeated, along);
    else
      c.step == 0 ? all(along, along, repeated) : all(along, along, along);
  }
}

// The loops of an op: over a strip; where the program is nothing else, over all there is.
template <class T>
struct Loops {
  MicroFn<T>* micro = nullptr;
  MapFn<T>* map = nullptr;
  ZipFn<T>* zip = nullptr;
};

template <class Op, class T>
constexpr Loops<T> loops_of() {
  Loops<T> loops;
  if constexpr ((Op::kKinds & kKindOf<T>) != 0) {
    loops.micro = micro_loop<Op, T>;
    if constexpr (std::is_floating_point_v<T> || Op::kArity == 1) loops.map = map_rows<Op, T>;
    if constexpr (std::is_floating_point_v<T> && micro_op_pace(Op::kOp) == MicroPace::zip) loops.zip = zip_rows<Op, T>;
  }
  return loops;
}

template <class T>
inline constexpr Loops<T> kLoops[kMicroOpCount] = {
#define TC_STRIP_OP(name, arity, kinds, pace, vector, integer) loops_of<Op_##name, T>(),
#include "tc/kernels/elementwise/strip_ops.def"
#undef TC_STRIP_OP
};

}  // namespace
}  // namespace tc::kernels
