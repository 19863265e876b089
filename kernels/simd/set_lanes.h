// Which lanes of a mask are set, as bits. Beside vec.h.
#pragma once
#if defined(TC_PORTABLE_VECTORS)
#include "tc/kernels/simd/portable/set_lanes.h"
#else
#include "tc/kernels/simd/x86/set_lanes.h"
#endif
