#pragma once
#include "tc/kernels/conv/conv.h"

namespace tc::kernels {

// Gives the table of the AVX-512 tier direct convolution and Winograd's in split bf16, on the bf16 tiles
// of AMX: see gemm/split_amx.h.
void use_conv_amx(ConvTable& table);

void conv_winograd_amx(const ConvArgs& args, const ConvPlan& plan, int64_t tile, int worker);
void conv_winograd_amx_pack(const ConvShape& s, ConvAlgorithm algorithm, const float* w, int64_t tile, float* dst);

}  // namespace tc::kernels
