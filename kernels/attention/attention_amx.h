#pragma once
#include "tc/kernels/attention/attention.h"

namespace tc::kernels {

// Gives the table of the AVX-512 tier products in split bf16, on the bf16 tiles of AMX: see
// gemm/split_amx.h.
void use_attention_amx(AttentionTable& table);

}  // namespace tc::kernels
