// Discrete Fourier transforms, as the Array API names them. Complex numbers are pairs of real ones (f16, f32, f64, ...)
// along a last axis of extent 2, which is what ONNX has; axes do not count it: of c[4,8] complex numbers, a tensor
// [4,8,2], axis -1 is the one of extent 8. The real transforms (rfft, irfft, hfft, ihfft) have real numbers on one
// side.
//
// A length `n` cuts the axis or pads it with zeros. Error bad_argument for axes that are not there or given twice,
// bad_shape where complex numbers are expected and the last axis does not hold two.
#pragma once

#include "tc/frontend/dsl/creation.h"

namespace tc::fft {

// Which direction divides by the number of elements; ortho: both by its root.
enum class Norm : uint8_t { backward, ortho, forward };

struct FftOptions {
  std::optional<Extent> n = {};  // default: the extent of the axis
  int64_t axis = -1;
  Norm norm = Norm::backward;
};
struct FftnOptions {
  std::vector<Extent> s = {};  // lengths, one per axis
  Axes axes = {};              // default: all, or the last s.size()
  Norm norm = Norm::backward;
};

Var fft(Arg x, FftOptions options = {});
Var ifft(Arg x, FftOptions options = {});
Var fftn(Arg x, FftnOptions options = {});
Var ifftn(Arg x, FftnOptions options = {});

// Of real numbers: the first n / 2 + 1 elements, of which the others are the conjugates; and back, to n real numbers
// (default: 2 (extent - 1)). Of several axes it is the last one that is halved.
Var rfft(Arg x, FftOptions options = {});
Var irfft(Arg x, FftOptions options = {});
Var rfftn(Arg x, FftnOptions options = {});
Var irfftn(Arg x, FftnOptions options = {});
// Of a signal whose second half is the conjugate of the first n / 2 + 1 elements, which are given: n real numbers; and
// back.
Var hfft(Arg x, FftOptions options = {});
Var ihfft(Arg x, FftOptions options = {});

struct FrequencyOptions {
  double d = 1;  // the distance between samples
  std::optional<DType> dtype = {};
};
// The frequencies of the elements of a transform of n samples, in cycles per unit of d.
Var fftfreq(Extent n, FrequencyOptions options = {}, Location at = Location::current());
Var rfftfreq(Extent n, FrequencyOptions options = {}, Location at = Location::current());

struct ShiftOptions {
  Axes axes = {};  // all of x as it is: for pairs, name those of the transform
};
// The frequency zero to the middle of the axes, and back.
Var fftshift(Arg x, ShiftOptions options = {});
Var ifftshift(Arg x, ShiftOptions options = {});

Var complex(Arg re, Arg im);  // pairs of the promoted, broadcast operands
Var real(Arg pairs);
Var imag(Arg pairs);
Var conj(Arg pairs);

}  // namespace tc::fft
