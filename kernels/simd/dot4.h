// Sums of four products of bytes per 32-bit lane, the primitive of integer products: exact on every tier. With
// TC_VNNI it is one instruction; without, bytes widen to words, since the multiply-add of bytes saturates.
#pragma once
#if defined(TC_PORTABLE_VECTORS)
#include "tc/kernels/simd/portable/dot4.h"
#else
#include "tc/kernels/simd/x86/dot4.h"
#endif
