#pragma once

namespace tc::kernels {

// Whether a number's inverse is a normal number, so that quotient of simd/divide.h takes it.
constexpr bool inverts(float x) {
  return (x < 0 ? -x : x) > 0x1p-100F && (x < 0 ? -x : x) < 0x1p100F;
}

}  // namespace tc::kernels
