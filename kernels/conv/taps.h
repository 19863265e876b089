// The order of a convolution's taps in packed weights; private to the kernels of convolution.
#pragma once
#include "tc/kernels/conv/conv.h"

namespace tc::kernels {
namespace {

// A phase of a transposed convolution are the outputs that see the same kernel indices: those whose offsets leave the
// same remainder of the stride.
inline int64_t conv_phases(const ConvShape& s) {
  return s.transposed ? s.stride[0] * s.stride[1] * s.stride[2] : 1;
}

// f(z, y, x) for the kernel indices of a phase.
template <class F>
void for_phase_taps(const ConvShape& s, int64_t phase, F f) {
  const int64_t at[] = {phase / s.stride[2] / s.stride[1], phase / s.stride[2] % s.stride[1], phase % s.stride[2]};
  const auto has = [&](int axis, int64_t k) {
    return !s.transposed || k * s.dilation[axis] % s.stride[axis] == at[axis];
  };
  for (int64_t z = 0; z < s.kernel[0]; ++z) {
    for (int64_t y = 0; has(0, z) && y < s.kernel[1]; ++y) {
      for (int64_t x = 0; has(1, y) && x < s.kernel[2]; ++x)
        if (has(2, x)) f(z, y, x);
    }
  }
}

// f(first input channel, tap) in the order of packed weights: [phase][block of `steps` input channels][tap].
template <class F>
void for_taps(const ConvShape& s, int64_t steps, F f) {
  for (int64_t phase = 0; phase < conv_phases(s); ++phase) {
    for (int64_t i0 = 0; i0 < s.ic / s.groups; i0 += steps) {
      for_phase_taps(s, phase,
                     [&](int64_t z, int64_t y, int64_t x) { f(i0, (z * s.kernel[1] + y) * s.kernel[2] + x); });
    }
  }
}

}  // namespace
}  // namespace tc::kernels
