#include "tc/kernels/norm/norm.h"

#include <algorithm>

#include "tc/kernels/cpu.h"
#include "tc/kernels/norm/group_norm_tier.h"
#include "tc/kernels/reduce/lanes.h"
#include "tc/kernels/simd/stream.h"
#include "tc/kernels/simd/transpose.h"
#include "tc/kernels/streams.h"

namespace tc::kernels {
namespace {

// A row that is written at one go, as all are here, finds the way past the caches slower than a loop does that reads
// meanwhile. On a Xeon whose L3 has 480 MB, with it and without: LayerNormalization of 16 MB 1.24 and
// 1.15 ms, of 32 MB 2.51 and 2.63, of 64 MB 7.2 and 9.5; softmax of 16 MB 1.33 and 1.22.
constexpr int64_t kStreamedPart = 16;

// Whether `elements` results are to be streamed.
template <class T>
bool streams(const void* in, const void* out, int64_t elements) {
  static const int64_t least = std::max(kStreamedBytes, static_cast<int64_t>(cpu_info().l3_bytes / kStreamedPart));
  return in != out && elements >= least / static_cast<int64_t>(sizeof(T));
}

// out[i] = f(in[i]) for n contiguous elements.
template <class T, class F>
TC_INLINE void map_row(const T* in, T* out, int64_t n, F f, bool past_caches = false) {
  constexpr int kWidth = kLanes<T>;
  int64_t i = 0;
  if (past_caches && can_stream(out))
    for (; i + kWidth <= n; i += kWidth) stream(out + i, f(load(in + i)));
  for (; i + kWidth <= n; i += kWidth) store(out + i, f(load(in + i)));
  if (i < n) {
    const Tail<T> tail(static_cast<int>(n - i));
    store(out + i, f(load(in + i, tail)), tail);
  }
}

// Bytes of a row that keep what is to be scaled away from a streamed result.
constexpr int64_t kRowBuffer = 16384;

// What is kept of powers: nothing, a row's elements, or whole registers, which are read at once where a part of one
// would have to be in memory first.
enum class Kept { none, elements, registers };

// e^x of two registers of numbers that are not positive. One look at both: 1024 rows of 1000 on Zen 3 0.74 to 0.66 ms.
TC_INLINE void exp_both(VecF& a, VecF& b) {
#if !defined(__AVX512F__)
  if (__builtin_expect(all(vmin(a, b) >= f32(-kExpIsNormal)), true)) {
    a = exp_normal(a), b = exp_normal(b);
    return;
  }
#endif
  a = vexp_negative(a), b = vexp_negative(b);
}
TC_INLINE void exp_both(VecD& a, VecD& b) {
  a = vexp_negative(a), b = vexp_negative(b);
}

// Writes e^(x - peak), if at all, and returns lanes of the sum. Asks for what is `ahead` meanwhile, which else nothing
// reads from memory until this is written: 4096 rows of 1024 3.9 to 3.2 ms; and for where the next row's go, on a Xeon
// 1.20 to 1.14.
template <Kept kKept, class T>
TC_INLINE Vec<T> exp_lanes(const T* in, T* out, int64_t n, T peak, int64_t ahead) {
  constexpr int kWidth = kLanes<T>;
  const Vec<T> m(peak);
  Vec<T> sum[2] = {Vec<T>(T{0}), Vec<T>(T{0})};
  int64_t i = 0;
  for (; i + 2 * kWidth <= n; i += 2 * kWidth) {
    constexpr int kLine = 64 / sizeof(T);
#pragma GCC unroll 2
    for (int line = 0; line < 2 * kWidth; line += kLine) {
      __builtin_prefetch(in + ahead + i + line);
      if constexpr (kKept == Kept::elements) __builtin_prefetch(out + ahead + i + line, 1);
    }
    Vec<T> a = load(in + i) - m, b = load(in + i + kWidth) - m;
    exp_both(a, b);
    if (kKept != Kept::none) store(out + i, a), store(out + i + kWidth, b);
    sum[0] = sum[0] + a;
    sum[1] = sum[1] + b;
  }
  for (; i < n; i += kWidth) {
    const int rest = n - i < kWidth ? static_cast<int>(n - i) : kWidth;
    const Tail<T> tail(rest);
    const Vec<T> a = vexp_negative(load(in + i, tail) - m);
    if (kKept == Kept::elements) store(out + i, a, tail);
    if (kKept == Kept::registers) store(out + i, a);
    sum[0] = sum[0] + select(tail.mask(), a, Vec<T>(T{0}));
  }
  return sum[0] + sum[1];
}

// Lanes of the largest element, or of any other where one is NaN, which the sum will be then.
template <class T>
TC_INLINE Vec<T> peak_lanes(const T* in, int64_t n) {
  constexpr int kWidth = kLanes<T>, kAcc = 4;
  Vec<T> peak[kAcc];
  for (Vec<T>& p : peak) p = Vec<T>(-infinity<T>);
  int64_t i = 0;
  for (; i + kAcc * kWidth <= n; i += kAcc * kWidth) {
#pragma GCC unroll 4
    for (int j = 0; j < kAcc; ++j) peak[j] = vmax(peak[j], load(in + i + j * kWidth));
  }
  for (; i < n; i += kWidth) {
    const Tail<T> tail(n - i < kWidth ? static_cast<int>(n - i) : kWidth);
    peak[0] = vmax(peak[0], select(tail.mask(), load(in + i, tail), peak[0]));
  }
  return vmax(vmax(peak[0], peak[1]), vmax(peak[2], peak[3]));
}
template <class T>
struct PeakStep {
  static TC_INLINE Vec<T> lanes(Vec<T> a, Vec<T> x, Vec<T>) { return vmax(a, x); }
};

template <class T>
void softmax_row(const T* in, T* out, int64_t n, bool log, bool past_caches) {
  const T peak = hmax(peak_lanes(in, n));
  const int64_t ahead = n * static_cast<int64_t>(sizeof(T)) <= kRowBuffer ? n : 0;
  if (log) {
    const Vec<T> m(peak), sum(fold_lanes<SumStep<T>, T>(exp_lanes<Kept::none>(in, out, n, peak, ahead))), l = vlog(sum);
    return map_row(
        in, out, n, [&](Vec<T> x) { return x - m - l; }, past_caches);
  }
  constexpr int64_t kBuffered = kRowBuffer / static_cast<int64_t>(sizeof(T));
  alignas(64) T buffer[kBuffered];
  const bool buffered = past_caches && n <= kBuffered;
  T* powers = buffered ? buffer : out;
  const Vec<T> factor(T{1} / fold_lanes<SumStep<T>, T>(exp_lanes<Kept::elements>(in, powers, n, peak, ahead)));
  map_row(
      static_cast<const T*>(powers), out, n, [&](Vec<T> x) { return x * factor; }, buffered);
}

// The longest row of which a register's lanes are done together.
template <class T>
constexpr int64_t kRowsTogether = kRowBuffer / (kLanes<T> * static_cast<int64_t>(sizeof(T)));

// The same of at most a register's lanes of rows: their lanes are folded, and their sums inverted, together. 1536 rows
// of 128 46 to 32 us.
template <class T>
void softmax_rows(const T* in, T* out, int64_t n, int rows, bool log, bool past_caches) {
  constexpr int kWidth = kLanes<T>;
  alignas(64) T buffer[kRowBuffer / sizeof(T)], peak[kWidth], scale[kWidth];
  Vec<T> lanes[kWidth];
  for (int r = 0; r < kWidth; ++r) lanes[r] = r < rows ? peak_lanes(in + r * n, n) : Vec<T>(T{0});
  store(peak, fold_groups<PeakStep<T>, T>(lanes));
  const int64_t pitch = (n + kWidth - 1) / kWidth * kWidth;
  for (int r = 0; r < rows; ++r) {
    const T* row = in + r * n;
    lanes[r] = log ? exp_lanes<Kept::none>(row, buffer, n, peak[r], rows * n)
                   : exp_lanes<Kept::registers>(row, buffer + r * pitch, n, peak[r], rows * n);
  }
  const Vec<T> sums = fold_groups<SumStep<T>, T>(lanes);
  store(scale, log ? vlog(sums) : Vec<T>(T{1}) / sums);
  for (int r = 0; r < rows; ++r) {
    const T *const row = in + r * n, *const powers = buffer + r * pitch;
    const Vec<T> m(peak[r]), s(scale[r]);
    if (log)
      map_row(
          row, out + r * n, n, [&](Vec<T> x) { return x - m - s; }, past_caches);
    else
      map_row(
          powers, out + r * n, n, [&](Vec<T> x) { return x * s; }, past_caches);
  }
}

// `count` neighbouring columns at most one register wide, n rows `step` apart.
template <class T>
void softmax_columns(const T* in, T* out, int64_t n, int64_t step, int count, bool log) {
  const Tail<T> tail(count);
  Vec<T> peak(-infinity<T>);
  for (int64_t k = 0; k < n; ++k) peak = max_nan(load(in + k * step, tail), peak);
  Vec<T> sum(T{0});
  for (int64_t k = 0; k < n; ++k) {
    const Vec<T> e = vexp_negative(load(in + k * step, tail) - peak);
    sum = sum + e;
    if (!log) store(out + k * step, e, tail);
  }
  if (log) {
    const Vec<T> l = vlog(sum);
    for (int64_t k = 0; k < n; ++k) store(out + k * step, load(in + k * step, tail) - peak - l, tail);
  } else {
    const Vec<T> factor = Vec<T>(T{1}) / sum;
    for (int64_t k = 0; k < n; ++k) store(out + k * step, load(out + k * step, tail) * factor, tail);
  }
}

// Rows of at most a register, or of less than two short ones: as many of them as a register has lanes side by side, as
// columns. 64 rows of 10 9 to 2 us; with AVX2 80000 of 10 2.3 to 1.2 ms, with SSE4.2 160000 of 5 6.6 to 3.7.
constexpr int kShortRegisters = kLanes<float> < 16 ? 2 : 1;
constexpr int64_t kShortRow = kShortRegisters * kLanes<float> - (kShortRegisters - 1);
void softmax_short(const float* in, float* out, int64_t n, int rows, bool log) {
  constexpr int kWidth = kLanes<float>;
  alignas(64) float columns[kShortRegisters * kWidth * kWidth];
  VecF square[kWidth];
  const int64_t end = kShortRegisters == 1 ? 1 : n;  // one turn, where the compiler sees it
  for (int64_t first = 0; first < end; first += kWidth) {
    const Tail<float> tail(static_cast<int>(n - first < kWidth ? n - first : kWidth));
#pragma GCC unroll 16
    for (int q = 0; q < kWidth; ++q) square[q] = load(in + (q < rows ? q : rows - 1) * n + first, tail);
    transpose(square);
#pragma GCC unroll 16
    for (int k = 0; k < kWidth; ++k) store(columns + (first + k) * kWidth, square[k]);
  }
  softmax_columns(columns, columns, n, kWidth, kWidth, log);
  for (int64_t first = 0; first < end; first += kWidth) {
    const Tail<float> tail(static_cast<int>(n - first < kWidth ? n - first : kWidth));
#pragma GCC unroll 16
    for (int k = 0; k < kWidth; ++k) square[k] = load(columns + (first + k) * kWidth);
    transpose(square);
    for (int q = 0; q < rows; ++q) store(out + q * n + first, square[q], tail);
  }
}

template <class T>
void softmax_as(const SoftmaxArgs& args, int64_t begin, int64_t end) {
  constexpr int kWidth = kLanes<T>;
  if (args.n == 0) return;
  const T* input = static_cast<const T*>(args.input);
  T* output = static_cast<T*>(args.output);
  const bool past_caches = streams<T>(input, output, args.outer * args.n * args.inner);
  for (int64_t i = begin; i < end;) {
    const int64_t column = i % args.inner, at = i / args.inner * args.n * args.inner + column;
    if constexpr (std::is_same_v<T, float>) {
      const int rows = static_cast<int>(end - i < kWidth ? end - i : kWidth);
      if (args.inner == 1 && args.n <= kShortRow && rows >= kWidth / 4) {
        softmax_short(input + at, output + at, args.n, rows, args.log);
        i += rows;
        continue;
      }
    }
    if (args.inner == 1) {
      const int rows = static_cast<int>(end - i < kWidth ? end - i : kWidth);
      const bool together = rows > 1 && args.n <= kRowsTogether<T>;
      if (together)
        softmax_rows(input + at, output + at, args.n, rows, args.log, past_caches);
      else
        softmax_row(input + at, output + at, args.n, args.log, past_caches);
      i += together ? rows : 1;
      continue;
    }
    const int64_t in_row = args.inner - column, room = end - i < in_row ? end - i : in_row;
    const int count = static_cast<int>(room < kWidth ? room : kWidth);
    softmax_columns(input + at, output + at, args.n, args.inner, count, args.log);
    i += count;
  }
  if (past_caches) stream_fence();
}

void softmax_any(const SoftmaxArgs& args, int64_t begin, int64_t end) {
  args.type == Elem::f64 ? softmax_as<double>(args, begin, end) : softmax_as<float>(args, begin, end);
}

TC_INLINE float root(float x) {
  return __builtin_sqrtf(x);
}
TC_INLINE double root(double x) {
  return __builtin_sqrt(x);
}

template <class T>
void normalize_row(const NormArgs& args, int64_t row, bool past_caches) {
  constexpr int kWidth = kLanes<T>;
  const int64_t n = args.channels * args.spatial;
  const T* in = static_cast<const T*>(args.input) + row * n;
  T* out = static_cast<T*>(args.output) + row * n;
  const T count = static_cast<T>(n);
  const T mean = args.rms ? T{0} : reduce_row<SumStep<T>>(in, n, T{0}) / count;
  const T variance = reduce_row<DeviationStep<T>>(in, n, mean) / count;
  const T inv_std = T{1} / root(variance + static_cast<T>(args.epsilon));
  if (args.mean != nullptr) static_cast<T*>(args.mean)[row] = mean;
  if (args.inv_std != nullptr) static_cast<T*>(args.inv_std)[row] = inv_std;

  const int64_t first = row % args.groups * args.channels;
  const T* scale = args.scale == nullptr ? nullptr : static_cast<const T*>(args.scale) + first;
  const T* bias = args.bias == nullptr ? nullptr : static_cast<const T*>(args.bias) + first;
  const Vec<T> m(mean), s(inv_std);
  past_caches = past_caches && can_stream(out);
  if (args.spatial != 1) {
    for (int64_t c = 0; c < args.channels; ++c) {
      const Vec<T> a(scale == nullptr ? inv_std : inv_std * scale[c]), b(bias == nullptr ? T{0} : bias[c]);
      map_row(in + c * args.spatial, out + c * args.spatial, args.spatial, [&](Vec<T> x) { return fma(x - m, a, b); });
    }
    return;
  }
  const auto scaled = [&]<bool kScale, bool kBias>(int64_t i, const auto& fetch) __attribute__((always_inline)) {
    const Vec<T> y = (fetch(in + i) - m) * s;
    if constexpr (kScale && kBias)
      return fma(y, fetch(scale + i), fetch(bias + i));
    else if constexpr (kScale)
      return y * fetch(scale + i);
    else if constexpr (kBias)
      return y + fetch(bias + i);
    else
      return y;
  };
  const auto run = [&]<bool kScale, bool kBias>() {
    const auto whole = [](const T* p) { return load(p); };
    int64_t i = 0;
    // Asks for the next row meanwhile: 8192 rows of 1024 on a Xeon 2.98 to 2.51 ms.
    if (past_caches)
      for (; i + kWidth <= n; i += kWidth) {
        __builtin_prefetch(in + n + i);
        stream(out + i, scaled.template operator()<kScale, kBias>(i, whole));
      }
    for (; i + kWidth <= n; i += kWidth) {
      __builtin_prefetch(in + n + i);
      store(out + i, scaled.template operator()<kScale, kBias>(i, whole));
    }
    if (i == n) return;
    const Tail<T> tail(static_cast<int>(n - i));
    store(out + i, scaled.template operator()<kScale, kBias>(i, [&](const T* p) { return load(p, tail); }), tail);
  };
  // Loops that ask at every register what there is to do take four jumps each: 1024 rows of 768 on Zen 3 0.31 to 0.19
  // ms.
  if (scale != nullptr)
    bias != nullptr ? run.template operator()<true, true>() : run.template operator()<true, false>();
  else
    bias != nullptr ? run.template operator()<false, true>() : run.template operator()<false, false>();
}

template <class T>
void normalize_as(const NormArgs& args, int64_t begin, int64_t end) {
  const bool past_caches = streams<T>(args.input, args.output, args.rows * args.channels * args.spatial);
  for (int64_t row = begin; row < end; ++row) normalize_row<T>(args, row, past_caches);
  if (past_caches) stream_fence();
}

void normalize_any(const NormArgs& args, int64_t begin, int64_t end) {
  args.type == Elem::f64 ? normalize_as<double>(args, begin, end) : normalize_as<float>(args, begin, end);
}

}  // namespace

extern constinit const NormTable TC_TIER_NAME(norm_table){
    .softmax = TC_KERNEL(softmax_any, "softmax"),
    .normalize = TC_KERNEL(normalize_any, "normalize"),
    .moments = TC_KERNEL(group_moments, "group_moments"),
    .scale_groups = TC_KERNEL(scale_groups, "scale_groups"),
};

}  // namespace tc::kernels
