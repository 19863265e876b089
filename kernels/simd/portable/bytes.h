// bytes.h by the compiler's vectors.
#pragma once
#include <type_traits>

#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// Bytes of signedness T in the lanes of i32: as many as there are lanes, or n.
template <class T>
TC_INLINE VecI load_i32(const uint8_t* p, int64_t n) {
  const uint32_t four =
      n >= kLanes<int32_t> ? load_raw<uint32_t>(p) : static_cast<uint32_t>(load_few(p, static_cast<int>(n)));
  return VecI(widen_bytes<std::is_signed_v<T>>(four));
}

// Bytes of signedness T less a zero point, as floats.
template <class T>
struct MovedBytes {
  VecF zero;
  explicit MovedBytes(float of_zero) : zero(of_zero) {}
  // As many as there are lanes, or n.
  TC_INLINE VecF operator()(const uint8_t* p, int64_t n = kLanes<float>) const {
    return to_float(load_i32<T>(p, n)) - zero;
  }
};

// The first n lanes of a register of bytes, less than all of them; the others are loaded as zeros.
template <class T>
TC_INLINE Vec<T> load_first_bytes(const T* p, int n) {
  return Vec<T>((Raw<T>)load_first(p, n));
}
template <class T>
TC_INLINE void store_first_bytes(T* p, Vec<T> v, int n) {
  store_first(p, (U64)v.data, n);
}

TC_INLINE uint32_t low_bytes(VecI v) {
  const U8 bytes = (U8)v.data;
  return ((U32)__builtin_shufflevector(bytes, bytes, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12))[0];
}
TC_INLINE void store_low_bytes(uint8_t* p, VecI v) {
  store_raw(p, low_bytes(v));
}
// Of the first n lanes.
TC_INLINE void store_low_bytes(uint8_t* p, VecI v, int64_t n) {
  store_few(p, low_bytes(v), static_cast<int>(n));
}
// Of four registers, one after the other, whose lanes plus `moved` are words of 16 bits: the nearest bytes of one
// signedness.
template <bool kSigned>
TC_INLINE void store_low_bytes(uint8_t* p, const VecI (&v)[4], int16_t moved = 0) {
  const U16 by = (U16)splat<int16_t>(moved);
  const I16 ab = (I16)((U16)narrow_words(v[0].data, v[1].data) + by);
  const I16 cd = (I16)((U16)narrow_words(v[2].data, v[3].data) + by);
  store_raw(p, narrow_bytes<kSigned>(ab, cd));
}

}  // namespace
}  // namespace tc::kernels
