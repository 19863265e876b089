// Complex numbers: pairs of real Vars, f32 or f64 or others, which any runtime has. They are used as numbers are:
//
//   const tc::Complex z{x, y}, w = tc::exp(tc::Complex{0.0 * x, x}) * z + 1;
//   tc::Var power = tc::abs(tc::fft::fft(z));
//
// Parts broadcast against each other. Gradients are those of the parts: of a real loss, dx + i dy is what descends, the
// conjugate of the derivative where that exists. as_pairs is what fft.h and ONNX have: a last axis of extent 2.
#pragma once

#include "tc/frontend/dsl/fft.h"
#include "tc/frontend/dsl/linalg.h"
#include "tc/frontend/dsl/reduce.h"

namespace tc {

struct Complex {
  Var re, im;
};

Complex complex(Arg re, Arg im = 0);  // of promoted, broadcast parts
Complex polar(Arg r, Arg angle);
Complex from_pairs(Arg pairs);
Var as_pairs(const Complex& z, Location at = Location::current());

Var real(const Complex& z);
Var imag(const Complex& z);
Complex conj(const Complex& z);
Var abs(const Complex& z, Location at = Location::current());    // without overflow on the way
Var angle(const Complex& z, Location at = Location::current());  // from -pi to pi

Complex operator-(const Complex& z);
#define TC_COMPLEX_BINARY(symbol)                              \
  Complex operator symbol(const Complex& a, const Complex& b); \
  Complex operator symbol(const Complex& a, Arg b);            \
  Complex operator symbol(Arg a, const Complex& b);
TC_COMPLEX_BINARY(+)
TC_COMPLEX_BINARY(-)
TC_COMPLEX_BINARY(*)
TC_COMPLEX_BINARY(/)  // Smith's (1962), scaled
#undef TC_COMPLEX_BINARY
Var operator==(const Complex& a, const Complex& b);

// Principal values; the cuts of log, sqrt and pow are along the negative real axis.
Complex exp(const Complex& z, Location at = Location::current());
Complex log(const Complex& z, Location at = Location::current());  // accurate near absolute value 1, too
Complex sqrt(const Complex& z, Location at = Location::current());
Complex square(const Complex& z, Location at = Location::current());
Complex reciprocal(const Complex& z, Location at = Location::current());
Complex pow(const Complex& z, const Complex& exponent, Location at = Location::current());  // 0 of 0, but 1 of 0^0
Complex pow(const Complex& z, Arg exponent);
Complex sin(const Complex& z, Location at = Location::current());
Complex cos(const Complex& z, Location at = Location::current());
Complex sinh(const Complex& z, Location at = Location::current());
Complex cosh(const Complex& z, Location at = Location::current());

Complex sum(const Complex& z, SumOptions options = {}, Location at = Location::current());
Complex matrix_transpose(const Complex& z, Location at = Location::current());
Complex conj_transpose(const Complex& z, Location at = Location::current());
Complex matmul(const Complex& a, const Complex& b, Location at = Location::current());  // four real products
Complex matmul(const Complex& a, Arg b);
Complex matmul(Arg a, const Complex& b);

namespace linalg {
// Of [re, -im; im, re], twice the extent: see linalg_lu.h.
Complex solve(const Complex& a, const Complex& b, Location at = Location::current());
Complex inv(const Complex& a, Location at = Location::current());
}  // namespace linalg

namespace fft {
Complex fft(const Complex& z, FftOptions options = {}, Location at = Location::current());
Complex ifft(const Complex& z, FftOptions options = {}, Location at = Location::current());
Var irfft(const Complex& z, FftOptions options = {}, Location at = Location::current());
}  // namespace fft

}  // namespace tc
