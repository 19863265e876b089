// Bytes as the lanes of a register: loaded as integers; the low one of each lane, stored side by side; some of them.
#pragma once
#if defined(TC_PORTABLE_VECTORS)
#include "tc/kernels/simd/portable/bytes.h"
#else
#include "tc/kernels/simd/x86/bytes.h"
#endif
