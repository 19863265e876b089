// Stores that go past the caches, for results too large to be found there again.
#pragma once
#if defined(TC_PORTABLE_VECTORS)
#include "tc/kernels/simd/portable/stream.h"
#else
#include "tc/kernels/simd/x86/stream.h"
#endif
