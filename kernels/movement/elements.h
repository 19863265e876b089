// Elements and indices of any alignment. Only *_tier.cc files include it.
#pragma once
#include <cstddef>
#include <cstring>

#include "tc/kernels/movement/movement.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// Sixteen bytes without alignment.
struct Wide {
  uint64_t half[2];
};

// Calls f with a value of an unsigned type of `size` bytes.
template <class F>
TC_INLINE void by_size(int size, F f) {
  switch (size) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(Wide{});
  }
}

template <class T>
TC_INLINE T read(const std::byte* p) {
  T x;
  std::memcpy(&x, p, sizeof(T));
  return x;
}
template <class T>
TC_INLINE void write(std::byte* p, T x) {
  std::memcpy(p, &x, sizeof(T));
}

// Elements of any alignment.
template <class T>
struct Loose {
  using type __attribute__((aligned(1), may_alias)) = T;
};
template <>
struct Loose<Wide> {
  struct __attribute__((packed, may_alias)) type {
    uint64_t half[2];
  };
};

TC_INLINE int64_t index_at(const IndexView& index, int64_t i) {
  const auto* p = static_cast<const std::byte*>(index.data);
  return index.wide ? read<int64_t>(p + i * 8) : int64_t{read<int32_t>(p + i * 4)};
}

// Negative ones count from the end.
TC_INLINE int64_t from_start(int64_t index, int64_t n) {
  return index + (n & (index >> 63));
}

}  // namespace
}  // namespace tc::kernels
