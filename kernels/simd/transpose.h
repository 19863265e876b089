// In-register transposition of a square, one register per row, and the sums of its rows.
#pragma once
#if defined(TC_PORTABLE_VECTORS)
#include "tc/kernels/simd/portable/transpose.h"
#else
#include "tc/kernels/simd/x86/transpose.h"
#endif
