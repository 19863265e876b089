// The discrete Fourier transform of any length in O(n log n).
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace tc {

// Mixed-radix Cooley-Tukey ("An algorithm for the machine calculation of complex Fourier series", 1965) over the small
// prime factors of n; a length with a larger one is a convolution of a length without (Bluestein, "A linear filtering
// approach to the computation of the discrete Fourier transform", 1970).
class Fft {
 public:
  using Complex = std::complex<double>;

  explicit Fft(int64_t n);  // n >= 1
  int64_t size() const { return n_; }
  // x[k] becomes the sum over t of x[t] e^(-2 pi i k t / n); inverse: e^(+2 pi i k t / n), over n.
  void run(Complex* x, bool inverse);

 private:
  void forward(Complex* x);
  void mixed_radix(const Complex* in, Complex* out, size_t level, int64_t stride);
  void convolution(Complex* x);

  int64_t n_;
  std::vector<int64_t> radices_;  // their product is n; empty for a convolution
  std::vector<Complex> turns_;    // e^(-2 pi i k / n)
  std::vector<Complex> work_;
  // Of a convolution: e^(-pi i k^2 / n), and the spectrum of its inverse, over the padded length.
  std::vector<Complex> chirp_, filter_;
  std::unique_ptr<Fft> padded_;
};

}  // namespace tc
