// Discrete Fourier transforms of f32 and f64 along lines: a register holds an element of several lines, one a lane.
// Mixed-radix Stockham stages over the prime factors 2, 3, 5 and 7; other lengths as a convolution (Bluestein).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;

template <class T>
struct FourierPlan {
  std::int64_t n = 1;
  int stages = 0;
  std::int8_t radix[64] = {};           // 2, 3, 4, 5 or 7
  const T* turns = nullptr;             // e^(-2 pi i k / n), [n, 2]
  const FourierPlan* padded = nullptr;  // of a convolution, then no stages:
  const T* chirp = nullptr;             // e^(-pi i k^2 / n), [n, 2]
  const T* filter = nullptr;            // the spectrum of its conjugate over the padded length, [padded, 2]
};

// Lines are numbered [outer, inner]; strides are in numbers of T.
struct FourierLines {
  std::int64_t outer = 0, inner = 0, step = 0;
};

template <class T>
struct FourierArgs {
  const FourierPlan<T>* plan = nullptr;
  bool inverse = false;
  std::int64_t outer = 0, inner = 0;  // lines
  const T* x = nullptr;
  FourierLines from;
  bool is_complex = false;    // x, pairs of numbers
  std::int64_t taken = 0;     // elements of x, at most n; zeros follow
  bool mirrored = false;      // or rather the conjugates of those before, which make the result real
  const T* window = nullptr;  // factors of the elements, or null
  T* y = nullptr;
  FourierLines to;
  std::int64_t bins = 0;   // elements of y
  bool real_only = false;  // y, instead of pairs
  std::byte* scratch = nullptr;
};

struct FourierTable {
  // Lines [first, first + count), at most the lanes of a register.
  Slot<void(const FourierArgs<float>&, std::int64_t first, std::int64_t count, float* work)> f32;
  Slot<void(const FourierArgs<double>&, std::int64_t first, std::int64_t count, double* work)> f64;
  Slot<std::int64_t()> lanes;  // of f32

  template <class T>
  const auto& of() const {
    if constexpr (sizeof(T) == sizeof(float))
      return f32;
    else
      return f64;
  }
};

// T: float or double.
template <class T>
std::size_t fourier_scratch_bytes(const FourierTable& table, const FourierArgs<T>& args, int threads);
template <class T>
void fourier(const FourierTable& table, Team& team, const FourierArgs<T>& args);

}  // namespace tc::kernels
