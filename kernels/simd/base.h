// What every header of kernels/simd stands on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tc/kernels/rounding.h"
#include "tc/kernels/tier.h"

#define TC_INLINE inline __attribute__((always_inline))

namespace tc::kernels {
namespace {

// As std::min and std::max, which would be other symbols that tiers share.
TC_INLINE int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
TC_INLINE int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

}  // namespace
}  // namespace tc::kernels
