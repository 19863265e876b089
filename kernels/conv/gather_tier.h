// Gathers what output pixels see of an input plane into rows of a matrix product's packed right operand. Only *_tier.cc
// files include it.
#pragma once
#include <cstring>

#include "tc/kernels/conv/conv.h"
#include "tc/kernels/conv/rows_tier.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// A run of output pixels in one row.
struct Run {
  int64_t z, y, x;
  int count;
};

// The input coordinate that kernel index k of output coordinate o reads, or -1.
TC_INLINE int64_t source(const ConvShape& s, int axis, int64_t o, int64_t k) {
  int64_t at;
  if (s.transposed) {
    const int64_t t = o + s.pad[axis] - k * s.dilation[axis];
    if (t < 0 || t % s.stride[axis] != 0) return -1;
    at = t / s.stride[axis];
  } else {
    at = o * s.stride[axis] - s.pad[axis] + k * s.dilation[axis];
  }
  return at >= 0 && at < s.in[axis] ? at : -1;
}

// line: the input's, that the run reads at column kx of the kernel.
template <class T>
void gather_run(const ConvShape& s, const Run& run, const T* line, int64_t kx, T* dst) {
  if (s.transposed) {
    for (int i = 0; i < run.count; ++i) {
      const int64_t x = source(s, 2, run.x + i, kx);
      dst[i] = x < 0 ? T{0} : line[x];
    }
    return;
  }
  const int64_t x0 = run.x * s.stride[2] - s.pad[2] + kx * s.dilation[2];
  const int64_t step = s.stride[2];
  int i = 0;
  for (; i < run.count && x0 + i * step < 0; ++i) dst[i] = T{0};
  int64_t stop = x0 >= s.in[2] ? 0 : (s.in[2] - x0 + step - 1) / step;
  if (stop > run.count) stop = run.count;
  if (step == 1) {
    for (; i < stop; ++i) dst[i] = line[x0 + i];
  } else {
    for (; i < stop; ++i) dst[i] = line[x0 + i * step];
  }
  for (; i < run.count; ++i) dst[i] = T{0};
}

// Output pixels [pixel, pixel + cols) as runs, cols <= kPanel.
template <int kPanel>
struct Runs {
  Run run[kPanel];
  int count = 0, cols;

  Runs(const ConvShape& s, int64_t pixel, int columns) : cols(columns) {
    for (int at = 0; at < cols;) {
      const int64_t q = pixel + at;
      Run& r = run[count++];
      r.x = q % s.out[2];
      r.y = q / s.out[2] % s.out[1];
      r.z = q / s.out[2] / s.out[1];
      r.count = static_cast<int>(least(cols - at, s.out[2] - r.x));
      at += r.count;
    }
  }

  // place(run, pixel of the panel, line of a plane that the run reads at a tap, or null beyond the plane).
  template <class T, class Place>
  void lines(const ConvShape& s, const T* plane, int64_t tap, Place&& place) const {
    const int64_t kz = tap / (s.kernel[1] * s.kernel[2]), ky = tap / s.kernel[2] % s.kernel[1];
    for (int r = 0, at = 0; r < count; at += run[r].count, ++r) {
      const int64_t z = source(s, 0, run[r].z, kz), y = source(s, 1, run[r].y, ky);
      place(run[r], at, z < 0 || y < 0 ? nullptr : plane + (z * s.in[1] + y) * s.in[2]);
    }
  }

  // What they see of a plane at a tap of the kernel, and zeros up to the panel's width.
  template <class T>
  void gather(const ConvShape& s, const T* plane, int64_t tap, T* dst) const {
    lines(s, plane, tap, [&](const Run& r, int at, const T* line) {
      if (line != nullptr)
        gather_run(s, r, line, tap % s.kernel[2], dst + at);
      else
        std::memset(dst + at, 0, static_cast<size_t>(r.count) * sizeof(T));
    });
    if (cols < kPanel) std::memset(dst + cols, 0, static_cast<size_t>(kPanel - cols) * sizeof(T));
  }
};

}  // namespace
}  // namespace tc::kernels
