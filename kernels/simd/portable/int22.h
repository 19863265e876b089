// int22.h by the compiler's vectors.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// Bytes that `lanes` of them take, and what the functions below read or write beyond a register's.
TC_INLINE constexpr int64_t int22_bytes(int64_t lanes) {
  return lanes / 4 * 11;
}
inline constexpr int64_t kWhole22Beyond = 5;

// A register of them, each times 1024: bytes are brought to their lanes, then bits to the upper end of these.
TC_INLINE VecI load_int22(const std::byte* from) {
  const U8 all = load_raw<U8>(from);
  const U32 x = (U32)__builtin_shufflevector(all, all, 0, 1, 2, 3, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11);
  return VecI((I32)((x << U32{10, 4, 6, 8}) & splat<uint32_t>(~1023U)));
}

// The low 22 bits of each.
TC_INLINE void store_int22(std::byte* to, VecI x) {
  const U8 none{}, at = (U8)(((U32)x.data & splat<uint32_t>(0x3fffff)) << U32{0, 6, 4, 2});
  const U8 even = __builtin_shufflevector(at, none, 0, 1, 2, 16, 16, 8, 9, 10, 11, 16, 16, 16, 16, 16, 16, 16);
  const U8 odd = __builtin_shufflevector(at, none, 16, 16, 4, 5, 6, 7, 16, 16, 12, 13, 14, 16, 16, 16, 16, 16);
  store_raw(to, even | odd);
}

}  // namespace
}  // namespace tc::kernels
