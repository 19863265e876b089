#include "tc/kernels/int8/int8_engine.h"

#include <cmath>

namespace tc::kernels {
namespace {

Int8Traits int8_traits() {
  return {kInt8Width};
}

template <class T, int kLow, int kHigh, bool kStep>
void to_bytes(const int32_t* __restrict sum, int64_t n, int32_t bias, const float* __restrict scale, int32_t zero,
              T* __restrict y) {
  // Clamped as floats: a conversion of a larger one is undefined.
  const float low = static_cast<float>(kLow - zero), high = static_cast<float>(kHigh - zero);
  for (int64_t i = 0; i < n; ++i) {
    const float v = std::nearbyintf(static_cast<float>(sum[i] + bias) * scale[kStep ? i : 0]);
    y[i] = static_cast<T>(static_cast<int32_t>(v < low ? low : v > high ? high : v) + zero);
  }
}

void finish(int32_t* sum, int64_t n, int32_t bias, const int32_t* minus, int32_t factor, const float* scale,
            int64_t scale_step, const Int8Output& out, void* y) {
  if (factor)
    for (int64_t i = 0; i < n; ++i) sum[i] -= factor * minus[i];
  switch (out.kind) {
    case Int8Output::Kind::i32: {
      auto* to = static_cast<int32_t*>(y);
      for (int64_t i = 0; i < n; ++i) to[i] = sum[i] + bias;
      return;
    }
    case Int8Output::Kind::u8:
      return (scale_step ? to_bytes<uint8_t, 0, 255, true>
                         : to_bytes<uint8_t, 0, 255, false>)(sum, n, bias, scale, out.zero, static_cast<uint8_t*>(y));
    case Int8Output::Kind::i8:
      return (scale_step ? to_bytes<int8_t, -128, 127, true>
                         : to_bytes<int8_t, -128, 127, false>)(sum, n, bias, scale, out.zero, static_cast<int8_t*>(y));
  }
}

template <int64_t kStep>
void interleave_four(const uint8_t* __restrict a, const uint8_t* __restrict b, const uint8_t* __restrict c,
                     const uint8_t* __restrict d, int64_t n, uint8_t flip, uint8_t* __restrict to) {
  const auto quad = [&](int64_t i) {
    to[4 * i] = static_cast<uint8_t>(a[i * kStep] ^ flip);
    to[4 * i + 1] = static_cast<uint8_t>(b[i * kStep] ^ flip);
    to[4 * i + 2] = static_cast<uint8_t>(c[i * kStep] ^ flip);
    to[4 * i + 3] = static_cast<uint8_t>(d[i * kStep] ^ flip);
  };
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)  // a fixed count becomes shuffles
    for (int64_t j = i; j < i + 16; ++j) quad(j);
  for (; i < n; ++i) quad(i);
}

void interleave(const uint8_t* const rows[4], int64_t n, int64_t step, uint8_t flip, uint8_t* quads) {
  if (rows[0] && rows[1] && rows[2] && rows[3] && step <= 2)
    return (step == 1 ? interleave_four<1> : interleave_four<2>)(rows[0], rows[1], rows[2], rows[3], n, flip, quads);
  for (int64_t i = 0; i < n; ++i)
    for (int q = 0; q < 4; ++q)
      quads[4 * i + q] = rows[q] ? static_cast<uint8_t>(rows[q][i * step] ^ flip) : uint8_t{0};
}

template <class T, int kLow, int kHigh>
void quantise_as(const float* __restrict x, int64_t n, float scale, int32_t zero, T* __restrict y) {
  const float low = static_cast<float>(kLow - zero), high = static_cast<float>(kHigh - zero);
  for (int64_t i = 0; i < n; ++i) {
    const float v = std::nearbyintf(x[i] / scale);
    const float clamped = v < low ? low : v > high ? high : v;
    // A NaN is 0.
    y[i] = static_cast<T>(v == v ? static_cast<int32_t>(v == v ? clamped : 0.0F) + zero : 0);
  }
}
void quantise(const float* x, int64_t n, float scale, int32_t zero, bool is_signed, uint8_t* y) {
  is_signed ? quantise_as<int8_t, -128, 127>(x, n, scale, zero, reinterpret_cast<int8_t*>(y))
            : quantise_as<uint8_t, 0, 255>(x, n, scale, zero, y);
}

template <class T>
void dequantise_as(const T* __restrict x, int64_t n, float scale, int32_t zero, float* __restrict y) {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(x[i] - zero) * scale;
}
void dequantise(const uint8_t* x, int64_t n, float scale, int32_t zero, bool is_signed, float* y) {
  is_signed ? dequantise_as(reinterpret_cast<const int8_t*>(x), n, scale, zero, y)
            : dequantise_as(x, n, scale, zero, y);
}

void range(const float* x, int64_t n, float* low, float* high) {
  constexpr int kParts = 64;
  float lo[kParts] = {}, hi[kParts] = {};
  int64_t i = 0;
  for (; i + kParts <= n; i += kParts)
    for (int p = 0; p < kParts; ++p) {
      lo[p] = x[i + p] < lo[p] ? x[i + p] : lo[p];
      hi[p] = x[i + p] > hi[p] ? x[i + p] : hi[p];
    }
  for (; i < n; ++i) {
    lo[0] = x[i] < lo[0] ? x[i] : lo[0];
    hi[0] = x[i] > hi[0] ? x[i] : hi[0];
  }
  for (int p = 1; p < kParts; ++p) {
    lo[0] = lo[p] < lo[0] ? lo[p] : lo[0];
    hi[0] = hi[p] > hi[0] ? hi[p] : hi[0];
  }
  *low = lo[0];
  *high = hi[0];
}

}  // namespace

extern constinit const Int8Table TC_TIER_NAME(int8_table);
constinit const Int8Table TC_TIER_NAME(int8_table) = {
    .traits = TC_KERNEL(int8_traits, "int8_traits"),
    .block = TC_KERNEL(int8_block, "dot_i8__madd"),
    .finish = TC_KERNEL(finish, "requantise"),
    .interleave = TC_KERNEL(interleave, "interleave_u8"),
    .quantise = TC_KERNEL(quantise, "quantise_f32"),
    .dequantise = TC_KERNEL(dequantise, "dequantise_f32"),
    .range = TC_KERNEL(range, "range_f32"),
};

}  // namespace tc::kernels
