// stride2.h by the compiler's vectors.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// a[kA], a[kA + 2], ..., b[kB], b[kB + 2], ...
template <int kA, int kB>
TC_INLINE VecF every_second(VecF a, VecF b) {
  return VecF(__builtin_shufflevector(a.data, b.data, kA, kA + 2, 4 + kB, 4 + kB + 2));
}

// p[0] = a[0], p[1] = b[0], p[2] = a[1], ...
TC_INLINE void store_pairs(float* p, VecF a, VecF b) {
  store(p, VecF(interleave<false>(a.data, b.data)));
  store(p + kLanes<float>, VecF(interleave<true>(a.data, b.data)));
}

// left[i] = from[at[i]], right[i] = from[at[i] + 1]: neighbours by one load, which is fewer than gathering takes.
TC_INLINE void load_neighbours(const float* from, const int32_t* at, VecF& left, VecF& right) {
  const auto two = [&](int i) { return load_raw<uint64_t>(from + at[i]); };
  const F32 a = (F32)U64{two(0), two(1)}, b = (F32)U64{two(2), two(3)};
  left = VecF(__builtin_shufflevector(a, b, 0, 2, 4, 6));
  right = VecF(__builtin_shufflevector(a, b, 1, 3, 5, 7));
}

}  // namespace
}  // namespace tc::kernels
