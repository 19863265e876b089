// Which algorithm computes a convolution of bytes.
#pragma once
#include "tc/kernels/int8/int8.h"

namespace tc::kernels {

inline constexpr const char* kInt8ConvNames[] = {"gathered", "direct", "depthwise"};
inline constexpr int kInt8ConvAlgorithms = 3;

// Why it cannot compute a convolution; null: it can. Extents do not matter.
const char* int8_conv_refusal(const Int8ConvArgs& args, Int8ConvAlgorithm algorithm);

}  // namespace tc::kernels
