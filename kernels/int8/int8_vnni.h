#pragma once
#include "tc/kernels/int8/int8.h"

namespace tc::kernels {

// Has the table of the AVX-512 tier multiply with vpdpbusd (CpuInfo::avx512_vnni).
void use_int8_vnni(Int8Table& table);
// The same for the AVX2 tier (CpuInfo::avx_vnni).
void use_int8_avx_vnni(Int8Table& table);

}  // namespace tc::kernels
