// Blocks of register tiles: the one function through which GEMM and convolution fallbacks use the tiles of their tier.
#pragma once
#include "tc/kernels/gemm/micro_tier.h"

namespace tc::kernels {

void TC_TIER_NAME(gemm_block)(const GemmBlock& block);

}  // namespace tc::kernels
