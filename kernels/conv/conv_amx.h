#pragma once
#include "tc/kernels/conv/conv.h"

namespace tc::kernels {

// Gives the table of the AVX-512 tier direct convolution by halves of its factors, on the bf16 tiles of AMX: see
// gemm/split_amx.h.
void use_conv_amx(ConvTable& table);

}  // namespace tc::kernels
