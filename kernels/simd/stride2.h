// Floats at a stride taken apart and put together.
#pragma once
#if defined(TC_PORTABLE_VECTORS)
#include "tc/kernels/simd/portable/stride2.h"
#else
#include "tc/kernels/simd/x86/stride2.h"
#endif

namespace tc::kernels {
namespace {

// p[0], p[2], ..., one register of them; reads nothing past the last.
TC_INLINE VecF load_every_second(const float* p) {
  return every_second<0, 1>(load(p), load(p + kLanes<float> - 1));  // the second's odd lanes are the upper half
}

// Registers of neighbouring floats -> m[r]: those whose place modulo N, a power of two, is r.
template <int N>
TC_INLINE void take_apart(VecF (&m)[N]) {
  if constexpr (N > 1) {
    VecF even[N / 2], odd[N / 2];
#pragma GCC unroll 8
    for (int i = 0; i < N / 2; ++i) {
      even[i] = every_second<0, 0>(m[2 * i], m[2 * i + 1]);
      odd[i] = every_second<1, 1>(m[2 * i], m[2 * i + 1]);
    }
    take_apart(even);
    take_apart(odd);
#pragma GCC unroll 8
    for (int i = 0; i < N / 2; ++i) {
      m[2 * i] = even[i];
      m[2 * i + 1] = odd[i];
    }
  }
}

}  // namespace
}  // namespace tc::kernels
