// What kernels of quantisation take.
#pragma once
#include "tc/ir/graph.h"

namespace tc::cpu {

// Why the kernels do not compute a quantize_linear or dequantize_linear, by its types and attributes, or null.
const char* linear_refusal(const Node& n);

}  // namespace tc::cpu
