// set_lanes.h by the compiler's vectors.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

template <class T>
TC_INLINE uint32_t set_lanes(Mask<T> m) {
  return lane_bits(m.data);
}

}  // namespace
}  // namespace tc::kernels
