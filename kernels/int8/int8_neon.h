#pragma once
#include "tc/kernels/int8/int8.h"

namespace tc::kernels {

// Have the table of the NEON tier multiply with sdot (CpuInfo::dotprod), or with usdot (CpuInfo::i8mm).
void use_int8_dotprod(Int8Table& table);
void use_int8_i8mm(Int8Table& table);

}  // namespace tc::kernels
