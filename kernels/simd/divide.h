// Division by a number whose rounded inverse is at hand.
#pragma once
#include <limits>

#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// x / by, which inverts, as division rounds it, in a fifth of its time where kFuses: a quotient by the rounded inverse
// is put right by what it leaves (Markstein, Computation of elementary functions on the IBM RISC System/6000
// processor). Beyond 2^20, which is beyond every byte, the quotient may be anything else there.
TC_INLINE VecF quotient(VecF x, VecF by, VecF inverse) {
  if constexpr (!kFuses) return x / by;
  const VecF q = vmin(VecF(0x1p20F), vmax(VecF(-0x1p20F), x * inverse));
  return fma(fnma(q, by, x), inverse, q);
}
TC_INLINE VecD quotient(VecD x, VecD by, VecD) {
  return x / by;
}

// x / by, which inverts, as bytes T about a zero point: first clamp(x), just so far that a quotient by the inverse is
// what division makes it; of that an integer in the lanes of i32, which may lie one beyond the bytes.
template <class T>
struct ByteQuotient {
  VecF low, high, by, inverse;
  VecI moved;
  ByteQuotient(float scale, int32_t zero) : by(scale), inverse(1.0F / scale), moved(zero) {
    using Limits = std::numeric_limits<T>;
    const float first = scale * static_cast<float>(Limits::min() - zero - 1),
                last = scale * static_cast<float>(Limits::max() - zero + 1);
    low = VecF(first < last ? first : last), high = VecF(first < last ? last : first);
  }
  ByteQuotient(VecF least, VecF most, VecF scale, VecF of_scale, VecI zero)
      : low(least), high(most), by(scale), inverse(of_scale), moved(zero) {}
  TC_INLINE VecF clamp(VecF x) const { return vmin(high, vmax(low, x)); }
  TC_INLINE VecI operator()(VecF clamped) const { return rounded(clamped) + moved; }
  // Of what needs no clamp, before the zero point is added.
  TC_INLINE VecI rounded(VecF x) const {
    if constexpr (!kFuses) return round_to_i32(x / by);
    const VecF q = x * inverse;
    return round_to_i32(fma(fnma(q, by, x), inverse, q));
  }
};

}  // namespace
}  // namespace tc::kernels
