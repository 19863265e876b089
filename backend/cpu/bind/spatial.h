// Spatial axes of windows as kernels have them: counted from the innermost of three.
#pragma once

#include <cstddef>

namespace tc::cpu {

// Sets what a window's axes say in a kernel's shape; the axes before them stay.
template <class Shape, class Axes>
void set_spatial(Shape& s, const Axes& axes) {
  const size_t skip = 3 - axes.size();
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t k = skip + i;
    s.in[k] = axes[i].in, s.out[k] = axes[i].out, s.kernel[k] = axes[i].kernel;
    s.stride[k] = axes[i].stride, s.dilation[k] = axes[i].dilation, s.pad[k] = axes[i].pad_begin;
    if constexpr (requires { s.pad_end; }) s.pad_end[k] = axes[i].pad_end;
  }
}

}  // namespace tc::cpu
