#pragma once
#include "tc/kernels/rnn/rnn.h"

namespace tc::kernels {

// Gives the table of the AVX-512 tier recurrent products in split bf16, on the bf16 tiles of AMX: see
// gemm/split_amx.h.
void use_rnn_amx(RnnTable& table);

}  // namespace tc::kernels
