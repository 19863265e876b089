#pragma once
#include "tc/kernels/int8/int8.h"

namespace tc::kernels {

// Has the table of the AVX-512 tier multiply tiles of AMX.
void use_int8_amx(Int8Table& table);

}  // namespace tc::kernels
