#include "tc/kernels/norm/norm.h"

#include "tc/kernels/reduce/lanes.h"
#include "tc/kernels/simd/stream.h"
#include "tc/kernels/streams.h"

namespace tc::kernels {
namespace {

constexpr int kWidth = kLanes<float>;

// Whether `elements` results are to be streamed.
bool streams(const float* in, const float* out, int64_t elements) {
  return in != out && elements >= kStreamedBytes / static_cast<int64_t>(sizeof(float));
}

// out[i] = f(in[i]) for n contiguous floats.
template <class F>
TC_INLINE void map_row(const float* in, float* out, int64_t n, F f, bool past_caches = false) {
  int64_t i = 0;
  if (past_caches && can_stream(out))
    for (; i + kWidth <= n; i += kWidth) stream(out + i, f(load(in + i)));
  for (; i + kWidth <= n; i += kWidth) store(out + i, f(load(in + i)));
  if (i < n) {
    const Tail<float> tail(static_cast<int>(n - i));
    store(out + i, f(load(in + i, tail)), tail);
  }
}

// Writes e^(x - peak) and returns the sum.
float exp_row(const float* in, float* out, int64_t n, float peak) {
  const VecF m(peak);
  VecF sum[2] = {VecF(0.0f), VecF(0.0f)};
  int64_t i = 0;
  for (; i + 2 * kWidth <= n; i += 2 * kWidth) {
    const VecF a = vexp_negative(load(in + i) - m), b = vexp_negative(load(in + i + kWidth) - m);
    store(out + i, a);
    store(out + i + kWidth, b);
    sum[0] = sum[0] + a;
    sum[1] = sum[1] + b;
  }
  for (; i < n; i += kWidth) {
    const int rest = n - i < kWidth ? static_cast<int>(n - i) : kWidth;
    const Tail<float> tail(rest);
    const VecF a = vexp_negative(load(in + i, tail) - m);
    store(out + i, a, tail);
    sum[0] = sum[0] + select(tail.mask(), a, VecF(0.0f));
  }
  return fold_lanes<SumStep<float>, float>(sum[0] + sum[1]);
}

// Rows up to this length keep what is to be scaled away from a streamed result.
constexpr int64_t kRowBuffer = 4096;

void softmax_row(const float* in, float* out, int64_t n, bool log, bool past_caches) {
  const float peak = reduce_row<MaxStep<float>>(in, n, 0.0f);
  if (log) {
    const float sum = reduce_row<ExpStep>(in, n, peak);
    float log_sum[kWidth];
    store(log_sum, vlog(VecF(sum)));
    const VecF m(peak), l(log_sum[0]);
    return map_row(
        in, out, n, [&](VecF x) { return x - m - l; }, past_caches);
  }
  alignas(64) float buffer[kRowBuffer];
  const bool buffered = past_caches && n <= kRowBuffer;
  float* powers = buffered ? buffer : out;
  const VecF factor(1.0f / exp_row(in, powers, n, peak));
  map_row(
      powers, out, n, [&](VecF x) { return x * factor; }, buffered);
}

// `count` neighbouring columns at most one register wide, n rows `step` apart.
void softmax_columns(const float* in, float* out, int64_t n, int64_t step, int count, bool log) {
  const Tail<float> tail(count);
  VecF peak(-infinity<float>);
  for (int64_t k = 0; k < n; ++k) peak = max_nan(load(in + k * step, tail), peak);
  VecF sum(0.0f);
  for (int64_t k = 0; k < n; ++k) {
    const VecF e = vexp_negative(load(in + k * step, tail) - peak);
    sum = sum + e;
    if (!log) store(out + k * step, e, tail);
  }
  if (log) {
    const VecF l = vlog(sum);
    for (int64_t k = 0; k < n; ++k) store(out + k * step, load(in + k * step, tail) - peak - l, tail);
  } else {
    const VecF factor = VecF(1.0f) / sum;
    for (int64_t k = 0; k < n; ++k) store(out + k * step, load(out + k * step, tail) * factor, tail);
  }
}

void softmax_f32(const SoftmaxArgs& args, int64_t begin, int64_t end) {
  if (args.n == 0) return;
  const bool past_caches = streams(args.input, args.output, args.outer * args.n * args.inner);
  for (int64_t i = begin; i < end;) {
    const int64_t column = i % args.inner, at = i / args.inner * args.n * args.inner + column;
    if (args.inner == 1) {
      softmax_row(args.input + at, args.output + at, args.n, args.log, past_caches);
      ++i;
      continue;
    }
    const int64_t in_row = args.inner - column, room = end - i < in_row ? end - i : in_row;
    const int count = static_cast<int>(room < kWidth ? room : kWidth);
    softmax_columns(args.input + at, args.output + at, args.n, args.inner, count, args.log);
    i += count;
  }
  if (past_caches) stream_fence();
}

// Adds (x - shift)^2.
struct DeviationStep {
  static constexpr float kStart = 0;
  static TC_INLINE VecF lanes(VecF a, VecF x, VecF shift) {
    const VecF d = x - shift;
    return fma(d, d, a);
  }
  static TC_INLINE float one(float a, float x, float shift) { return a + (x - shift) * (x - shift); }
  using Fold = SumStep<float>;
};

void normalize_row(const NormArgs& args, int64_t row, bool past_caches) {
  const int64_t n = args.channels * args.spatial;
  const float* in = args.input + row * n;
  float* out = args.output + row * n;
  const float count = static_cast<float>(n);
  const float mean = args.rms ? 0.0f : reduce_row<SumStep<float>>(in, n, 0.0f) / count;
  const float variance = reduce_row<DeviationStep>(in, n, mean) / count;
  const float inv_std = 1.0f / __builtin_sqrtf(variance + args.epsilon);
  if (args.mean != nullptr) args.mean[row] = mean;
  if (args.inv_std != nullptr) args.inv_std[row] = inv_std;

  const int64_t first = row % args.groups * args.channels;
  const float* scale = args.scale == nullptr ? nullptr : args.scale + first;
  const float* bias = args.bias == nullptr ? nullptr : args.bias + first;
  const VecF m(mean), s(inv_std);
  past_caches = past_caches && can_stream(out);
  if (args.spatial != 1) {
    for (int64_t c = 0; c < args.channels; ++c) {
      const VecF a(scale == nullptr ? inv_std : inv_std * scale[c]), b(bias == nullptr ? 0.0f : bias[c]);
      map_row(in + c * args.spatial, out + c * args.spatial, args.spatial, [&](VecF x) { return fma(x - m, a, b); });
    }
    return;
  }
  for (int64_t i = 0; i < n; i += kWidth) {
    const bool whole = i + kWidth <= n;
    const Tail<float> tail(whole ? kWidth : static_cast<int>(n - i));
    const auto fetch = [&](const float* p) { return whole ? load(p + i) : load(p + i, tail); };
    VecF y = (fetch(in) - m) * s;
    if (scale != nullptr && bias != nullptr)
      y = fma(y, fetch(scale), fetch(bias));
    else if (scale != nullptr)
      y = y * fetch(scale);
    else if (bias != nullptr)
      y = y + fetch(bias);
    if (whole && past_caches)
      stream(out + i, y);
    else if (whole)
      store(out + i, y);
    else
      store(out + i, y, tail);
  }
}

void normalize_f32(const NormArgs& args, int64_t begin, int64_t end) {
  const bool past_caches = streams(args.input, args.output, args.rows * args.channels * args.spatial);
  for (int64_t row = begin; row < end; ++row) normalize_row(args, row, past_caches);
  if (past_caches) stream_fence();
}

}  // namespace

extern constinit const NormTable TC_TIER_NAME(norm_table){
    .softmax = TC_KERNEL(softmax_f32, "softmax_f32"),
    .normalize = TC_KERNEL(normalize_f32, "normalize_f32"),
};

}  // namespace tc::kernels
