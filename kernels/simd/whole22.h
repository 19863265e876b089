// Whole numbers of 22 bits, four in eleven bytes. Beside vec.h.
#pragma once
#if defined(TC_PORTABLE_VECTORS)
#include "tc/kernels/simd/portable/whole22.h"
#else
#include "tc/kernels/simd/x86/whole22.h"
#endif
