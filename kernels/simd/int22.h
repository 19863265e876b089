// Whole 22-bit integers, four in eleven bytes. Beside vec.h.
#pragma once
#if defined(TC_PORTABLE_VECTORS)
#include "tc/kernels/simd/portable/int22.h"
#else
#include "tc/kernels/simd/x86/int22.h"
#endif
