// Reorders between NCHW and one block of NCHW16c: `pixels` of up to 16 channels that lie `plane` floats apart. Only
// *_tier.cc files include it.
#pragma once
#include "tc/kernels/conv/conv.h"
#include "tc/kernels/simd/transpose.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// By squares of a register's lanes: kV channels x kV pixels.
inline void to_blocked(const float* x, int64_t plane, int channels, int64_t pixels, float* y) {
  constexpr int kV = kLanes<float>;
  for (int64_t p = 0; p < pixels; p += kV) {
    const int count = pixels - p < kV ? static_cast<int>(pixels - p) : kV;
    const Tail<float> tail(count);
#pragma GCC unroll 4
    for (int c = 0; c < kChannelBlock; c += kV) {
      VecF square[kV];
      if (count == kV && c + kV <= channels) {
#pragma GCC unroll 16
        for (int q = 0; q < kV; ++q) square[q] = load(x + (c + q) * plane + p);
      } else {
#pragma GCC unroll 16
        for (int q = 0; q < kV; ++q) square[q] = c + q < channels ? load(x + (c + q) * plane + p, tail) : VecF(0.0f);
      }
      transpose(square);
      if (count == kV) {
#pragma GCC unroll 16
        for (int q = 0; q < kV; ++q) store(y + (p + q) * kChannelBlock + c, square[q]);
      } else {
#pragma GCC unroll 16
        for (int q = 0; q < kV; ++q) {
          if (q < count) store(y + (p + q) * kChannelBlock + c, square[q]);
        }
      }
    }
  }
}

inline void to_plain(const float* x, int64_t plane, int channels, int64_t pixels, float* y) {
  constexpr int kV = kLanes<float>;
  for (int64_t p = 0; p < pixels; p += kV) {
    const int count = pixels - p < kV ? static_cast<int>(pixels - p) : kV;
    const Tail<float> tail(count);
#pragma GCC unroll 4
    for (int c = 0; c < kChannelBlock; c += kV) {
      if (c >= channels) break;
      VecF square[kV];
#pragma GCC unroll 16
      for (int q = 0; q < kV; ++q) square[q] = q < count ? load(x + (p + q) * kChannelBlock + c) : VecF(0.0f);
      transpose(square);
      if (count == kV && c + kV <= channels) {
#pragma GCC unroll 16
        for (int q = 0; q < kV; ++q) store(y + (c + q) * plane + p, square[q]);
      } else {
#pragma GCC unroll 16
        for (int q = 0; q < kV; ++q) {
          if (c + q < channels) store(y + (c + q) * plane + p, square[q], tail);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tc::kernels
