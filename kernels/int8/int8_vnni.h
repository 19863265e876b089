#pragma once
#include "tc/kernels/int8/int8.h"

namespace tc::kernels {

// Int8Table's block on vpdpbusd, with the panels of the AVX-512 tier.
void int8_block_vnni(const Int8Block& b);

}  // namespace tc::kernels
