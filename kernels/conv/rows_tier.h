// What convolutions cut images into. Only *_tier.cc files include it.
#pragma once
#include <cstdint>
#include <cstring>

#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// Rows of `planes` input planes, whose pixels are `unit` floats, with zeros where they leave the image.
inline void copy_rows(const float* x, int64_t planes, int64_t plane, int64_t rows, int64_t width, int64_t unit,
                      int64_t x0, int64_t cols, float* dst) {
  const int64_t left = least(cols, most(0, -x0));
  const int64_t right = most(left, least(cols, width - x0));
  for (int64_t p = 0; p < planes; ++p) {
    for (int64_t r = 0; r < rows; ++r, dst += cols * unit) {
      std::memset(dst, 0, static_cast<size_t>(left * unit) * sizeof(float));
      std::memcpy(dst + left * unit, x + p * plane + (r * width + x0 + left) * unit,
                  static_cast<size_t>((right - left) * unit) * sizeof(float));
      std::memset(dst + right * unit, 0, static_cast<size_t>((cols - right) * unit) * sizeof(float));
    }
  }
}

}  // namespace
}  // namespace tc::kernels
