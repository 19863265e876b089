// Places of largest and smallest elements.
#include "tc/kernels/reduce/lanes.h"
#include "tc/kernels/reduce/reduce.h"
#include "tc/kernels/simd/transpose.h"

namespace tc::kernels {

void TC_TIER_NAME(arg_reduce)(const ArgReduceArgs& args, int64_t begin, int64_t end);

namespace {

// What lanes compare: bytes are widened.
template <class T>
using Compared = std::conditional_t<sizeof(T) == 1, int32_t, T>;
template <class T>
inline constexpr int kColumns = kLanes<Compared<T>>;

template <class T, class... Count>
TC_INLINE Vec<Compared<T>> load_compared(const T* p, Count... tail) {
  if constexpr (std::is_same_v<T, uint8_t>)
    return load_u8(p, tail...);
  else if constexpr (std::is_same_v<T, int8_t>)
    return load_i8(p, tail...);
  else
    return load(p, tail...);
}

TC_INLINE VecI bits(VecI a) {
  return a;
}
TC_INLINE VecL bits(VecL a) {
  return a;
}
TC_INLINE void set_bits(VecF& x, VecI a) {
  x = from_bits(a);
}
TC_INLINE void set_bits(VecD& x, VecL a) {
  x = from_bits(a);
}
template <class T>
TC_INLINE void set_bits(Vec<T>& x, Vec<T> a) {
  x = a;
}

// Turns the order of numbers around where `around` has the bits to invert.
template <class V, class Bits>
TC_INLINE V flip(V x, Bits around) {
  V out;
  set_bits(out, bits(x) ^ around);
  return out;
}

// Whether x replaces the largest so far; NaN is larger than all. `seen`: where there was one.
template <class T>
TC_INLINE Mask<T> replaces(Vec<T> x, Vec<T> best, bool last, Mask<T>& seen) {
  const Mask<T> larger = last ? x >= best : x > best;
  if constexpr (std::is_integral_v<T>) return larger;
  const Mask<T> nan = is_nan(x), wins = last ? nan : nan & ~seen;
  seen = seen | nan;
  return larger | wins;
}

// R registers of neighbouring columns, the last of them `tail` wide, with rows `step` apart: their best so far with its
// place, row by row. 64 rows of 3136 columns 0.82 to 0.03 ms.
template <class T, int R>
[[gnu::noinline]] void arg_columns(const ArgReduceArgs& args, const T* p, int64_t step, int tail_lanes, int64_t* out) {
  using C = Compared<T>;
  using Place = std::conditional_t<sizeof(C) == 8, int64_t, int32_t>;
  constexpr int kWidth = kColumns<T>;
  const Tail<C> tail(tail_lanes);
  const bool last = args.last;
  const Place inverted = std::is_integral_v<C> ? Place{-1} : std::numeric_limits<Place>::min();
  const Vec<Place> around(args.smallest ? inverted : Place{0});
  const auto read = [&](const T* row, int r) __attribute__((always_inline)) {
    return flip(r + 1 < R ? load_compared(row + r * kWidth) : load_compared(row + r * kWidth, tail), around);
  };
  Vec<C> best[R], place[R];
  Mask<C> seen[R];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    best[r] = read(p, r);
    seen[r] = not_equal(best[r], best[r]);
    set_bits(place[r], Vec<Place>(Place{0}));
  }
  for (int64_t k = 1; k < args.n; ++k) {
    p += step;
    Vec<C> at;
    set_bits(at, Vec<Place>(static_cast<Place>(k)));
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const Vec<C> x = read(p, r);
      const Mask<C> found = replaces<C>(x, best[r], last, seen[r]);
      best[r] = select(found, x, best[r]);
      place[r] = select(found, at, place[r]);
    }
  }
  alignas(64) Place lanes[R * kWidth];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) store(lanes + r * kWidth, bits(place[r]));
  const int count = (R - 1) * kWidth + tail_lanes;
  for (int i = 0; i < count; ++i) out[i] = lanes[i];
}

// `count` neighbouring columns, at most four registers of them.
template <class T>
void arg_columns(const ArgReduceArgs& args, const T* p, int64_t step, int64_t count, int64_t* out) {
  constexpr int kWidth = kColumns<T>;
  if (count > 3 * kWidth) return arg_columns<T, 4>(args, p, step, static_cast<int>(count) - 3 * kWidth, out);
  for (int64_t c = 0; c < count; c += kWidth)
    arg_columns<T, 1>(args, p + c, step, static_cast<int>(least(kWidth, count - c)), out + c);
}

// The most elements of a line that is turned to be a column: squares of registers are turned faster.
template <class T>
constexpr int64_t kTurned = sizeof(T) == 4 ? 128 : 64;

// Rows of 4-byte elements, as squares of registers: to[k * lanes + row] is row `row`'s element k.
template <class T>
TC_INLINE void turn_rows(const T* from, int64_t n, int64_t count, int64_t lanes, T* to) {
  constexpr int kWidth = kLanes<float>;
  const auto* in = reinterpret_cast<const float*>(from);
  auto* out = reinterpret_cast<float*>(to);
  for (int64_t row = 0; row < count; row += kWidth)
    for (int64_t k = 0; k < n; k += kWidth) {
      const int columns = static_cast<int>(least(kWidth, n - k));
      const Tail<float> tail(columns);
      VecF square[kWidth];
#pragma GCC unroll 16
      for (int r = 0; r < kWidth; ++r) square[r] = load(in + least(row + r, count - 1) * n + k, tail);
      transpose(square);
      for (int c = 0; c < columns; ++c) store(out + (k + c) * lanes + row, square[c]);
    }
}

// Lines that are short, and of which too few lie side by side to fill a register. 100000 rows of 10 5.0 to 0.18 ms.
template <class T>
void arg_turned(const ArgReduceArgs& args, const T* input, int64_t begin, int64_t end) {
  constexpr int64_t kMost = 4 * kColumns<T>;
  alignas(64) T turned[kTurned<T> * kMost];
  for (int64_t i = begin; i < end; i += kMost) {
    const int64_t count = least(kMost, end - i), n = args.n, inner = args.inner;
    if constexpr (sizeof(T) == 4) {
      if (inner == 1) turn_rows(input + i * n, n, count, kMost, turned);
    }
    if (sizeof(T) != 4 || inner != 1) {
      int64_t column = i % inner;
      const T* line = input + i / inner * n * inner;
      for (int64_t r = 0; r < count; ++r) {
        for (int64_t k = 0; k < n; ++k) turned[k * kMost + r] = line[k * inner + column];
        if (++column == inner) column = 0, line += n * inner;
      }
    }
    arg_columns(args, static_cast<const T*>(turned), kMost, count, args.output + i);
  }
}

template <class T>
T largest(const T* p, int64_t n, bool smallest) {
  if constexpr (sizeof(T) > 1) {
    return smallest ? reduce_row<MinStep<T>>(p, n, T{0}) : reduce_row<MaxStep<T>>(p, n, T{0});
  } else {
    T low = p[0], high = p[0];
    for (int64_t i = 1; i < n; ++i) low = p[i] < low ? p[i] : low, high = p[i] > high ? p[i] : high;
    return smallest ? low : high;
  }
}

// A row: the extreme value first, at the speed of memory, then the first or last place that holds it.
template <class T>
int64_t arg_row(const T* p, int64_t n, bool smallest, bool last) {
  const T best = largest(p, n, smallest);
  const auto exact = [&](T x) { return best != best ? x != x : x == best; };
  constexpr int64_t kChunk = sizeof(T) == 1 ? 64 : kColumns<T>;
  const auto held_by = [&](const T* from) {
    if constexpr (sizeof(T) > 1) {
      const Vec<T> x = load(from);
      return any(best != best ? is_nan(x) : x == Vec<T>(best));
    } else {
      T found = 0;
      for (int64_t i = 0; i < kChunk; ++i) found |= from[i] == best;
      return found != 0;
    }
  };
  if (last) {
    int64_t i = n;
    while (i >= kChunk && !held_by(p + i - kChunk)) i -= kChunk;
    for (--i; i > 0 && !exact(p[i]); --i) {
    }
    return i;
  }
  int64_t i = 0;
  while (i + kChunk <= n && !held_by(p + i)) i += kChunk;
  while (i < n - 1 && !exact(p[i])) ++i;
  return i;
}

// One by one: places that 32 bits do not hold.
template <class T>
int64_t arg_long_line(const T* p, int64_t n, int64_t step, bool smallest, bool last) {
  int64_t at = 0;
  for (int64_t k = 1; k < n; ++k) {
    const T x = p[k * step], best = p[at * step];
    const bool wins = smallest ? x < best : x > best, ties = x == best || (x != x && best != best);
    if (wins || (x != x && best == best) || (ties && last)) at = k;
  }
  return at;
}

template <class T>
void arg_reduce_as(const ArgReduceArgs& args, int64_t begin, int64_t end) {
  const T* input = static_cast<const T*>(args.input);
  const int64_t n = args.n, inner = args.inner;
  if (inner < kColumns<T> && n <= kTurned<T>) return arg_turned(args, input, begin, end);
  if (inner == 1) {
    for (int64_t i = begin; i < end; ++i) args.output[i] = arg_row(input + i * n, n, args.smallest, args.last);
    return;
  }
  if (n > INT32_MAX) {
    for (int64_t i = begin; i < end; ++i)
      args.output[i] = arg_long_line(input + i / inner * n * inner + i % inner, n, inner, args.smallest, args.last);
    return;
  }
  for (int64_t i = begin; i < end;) {
    const int64_t column = i % inner, count = least(4 * kColumns<T>, least(inner - column, end - i));
    arg_columns(args, input + i / inner * n * inner + column, inner, count, args.output + i);
    i += count;
  }
}

}  // namespace

void TC_TIER_NAME(arg_reduce)(const ArgReduceArgs& args, int64_t begin, int64_t end) {
  if (args.type == Elem::u8) return arg_reduce_as<uint8_t>(args, begin, end);
  if (args.type == Elem::i8) return arg_reduce_as<int8_t>(args, begin, end);
  by_number(args.type, [&]<class T>(T) { arg_reduce_as<T>(args, begin, end); });
}

}  // namespace tc::kernels
