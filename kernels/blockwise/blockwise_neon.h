#pragma once
#include "tc/kernels/blockwise/blockwise.h"

namespace tc::kernels {

// Have the table of the NEON tier multiply with sdot (CpuInfo::dotprod), or with usdot (CpuInfo::i8mm).
void use_blockwise_dotprod(BlockwiseTable& table);
void use_blockwise_i8mm(BlockwiseTable& table);

}  // namespace tc::kernels
