#pragma once
#include "tc/kernels/gemm/gemm.h"

namespace tc::kernels {

// Has the table of the AVX-512 tier compute large products in split bf16, on the bf16 tiles of AMX: see
// gemm/split_amx.h.
void use_gemm_amx(GemmTable& table);

}  // namespace tc::kernels
