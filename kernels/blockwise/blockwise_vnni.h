#pragma once
#include "tc/kernels/blockwise/blockwise.h"

namespace tc::kernels {

// Has the table of the AVX-512 tier multiply with vpdpbusd (CpuInfo::avx512_vnni).
void use_blockwise_vnni(BlockwiseTable& table);
// The same for the AVX2 tier (CpuInfo::avx_vnni).
void use_blockwise_avx_vnni(BlockwiseTable& table);

}  // namespace tc::kernels
