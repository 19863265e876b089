// Bytes by a table of 256. Beside dot4.h.
#pragma once
#if defined(TC_PORTABLE_VECTORS)
#include "tc/kernels/simd/portable/look_up.h"
#else
#include "tc/kernels/simd/x86/look_up.h"
#endif
