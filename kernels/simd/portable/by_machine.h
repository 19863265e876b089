// The header of the machine that this file is compiled for: what it has instructions for.
#pragma once
#if defined(TC_NEON_VECTORS)
#include "tc/kernels/simd/neon/machine.h"
#else
#include "tc/kernels/simd/portable/machine.h"
#endif
