// What a GEMM or convolution does to its results while they are in registers, and what it calls while they are in
// cache.
//
//   y = clip(leaky(alpha * scale[channel] * acc + bias[channel] + row_bias[row] + beta * residual))
//
// For a convolution a column is an output channel. The residual may be the output itself. After clip, `strip` gets each
// finished region once.
#pragma once
#include <cstdint>
#include <limits>

namespace tc::kernels {

// Rewrites a finished region in place: rows x cols elements at tile[r * ld + c], which are element (row0 + r, col0 + c)
// of the output seen as a matrix. GEMM: row = batch * m + row of C. Convolution on NCHW16c: row = n * channel_blocks +
// block, column = pixel * 16 + lane. Convolution on NCHW: row = n * channels + channel, column = pixel.
using StripFn = void (*)(void* context, float* tile, int64_t rows, int64_t cols, int64_t ld, int64_t row0,
                         int64_t col0);

struct Epilogue {
  const float* bias = nullptr;      // one per column
  const float* scale = nullptr;     // one per column
  const float* row_bias = nullptr;  // one per row; GEMM only
  const float* residual = nullptr;  // in the output's layout; GEMM may give it other strides
  float alpha = 1.0f;
  float beta = 1.0f;   // of the residual
  float slope = 1.0f;  // of negative values
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
  StripFn strip = nullptr;
  void* context = nullptr;

  bool clips() const {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return lo > -kInfinity || hi < kInfinity;
  }
};

}  // namespace tc::kernels
