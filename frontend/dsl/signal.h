// Windows, convolutions and short-time transforms, along last axes; other axes are batches, which broadcast. Names and
// results are SciPy's signal package's, stft and istft PyTorch's.
//
// Error bad_argument for lengths that make no sense, bad_shape where an axis is missing.
#pragma once

#include "tc/frontend/dsl/complex.h"

namespace tc::signal {

struct WindowOptions {
  bool periodic = false;  // of a period of n elements, for spectra; else symmetric, for filters
  std::optional<DType> dtype = {};
};
// Of n elements; f32 unless dtype says f64. One element is 1.
Var hann(Extent n, WindowOptions options = {}, Location at = Location::current());
Var hamming(Extent n, WindowOptions options = {}, Location at = Location::current());
Var blackman(Extent n, WindowOptions options = {}, Location at = Location::current());
Var bartlett(Extent n, WindowOptions options = {}, Location at = Location::current());
Var kaiser(Extent n, Arg beta, WindowOptions options = {});

// All overlaps; the middle of those, as many as a has; those of all elements of the shorter one.
enum class ConvolveMode : uint8_t { full, same, valid };
struct ConvolveOptions {
  ConvolveMode mode = ConvolveMode::full;
};
Var convolve(Arg a, Arg b, ConvolveOptions options = {});     // sums of products: exact of integers
Var convolve2d(Arg a, Arg b, ConvolveOptions options = {});   // over the last two axes
Var fftconvolve(Arg a, Arg b, ConvolveOptions options = {});  // by transforms: fast for long ones
// In ONNX Runtime 1.30 the transforms of f64 are exact to f32 only, unless the length, here m + n - 1, is a power of 2.

struct StftOptions {
  int64_t hop = 0;     // between frames; 0: a quarter of n_fft
  Arg window = {};     // of n_fft elements; absent: ones
  bool center = true;  // frames are around their times: n_fft / 2 elements are mirrored at both ends
};
// Frames of n_fft elements of x[..., t], times the window, transformed: [..., n_fft / 2 + 1, frames].
Complex stft(Arg x, int64_t n_fft, StftOptions options = {});
struct IstftOptions {
  int64_t hop = 0;
  Arg window = {};
  bool center = true;
  std::optional<Extent> length = {};  // of the result: the rest is cut, or zeros
};
// The x whose stft is nearest (Griffin and Lim 1984): overlapped, and divided by the sum of the squared windows.
Var istft(const Complex& z, int64_t n_fft, IstftOptions options = {}, Location at = Location::current());

}  // namespace tc::signal
