// Division by a number whose rounded inverse is at hand.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

#if defined(__FMA__)
inline constexpr bool kFuses = true;
#else
inline constexpr bool kFuses = false;  // what a quotient leaves would be rounded
#endif

// x / by, which inverts, as division rounds it, in a fifth of its time: a quotient by the rounded inverse is put right
// by what it leaves (Markstein, Computation of elementary functions on the IBM RISC System/6000 processor). Beyond
// 2^20, which is beyond every byte, the quotient may be anything else there.
TC_INLINE VecF quotient(VecF x, VecF by, VecF inverse) {
  if constexpr (!kFuses) return x / by;
  const VecF q = vmin(VecF(0x1p20F), vmax(VecF(-0x1p20F), x * inverse));
  return fma(fnma(q, by, x), inverse, q);
}
TC_INLINE VecD quotient(VecD x, VecD by, VecD) {
  return x / by;
}

}  // namespace
}  // namespace tc::kernels
