#include "tc/ir/eval/fft.h"

#include <algorithm>
#include <numbers>

namespace tc {
namespace {

constexpr int64_t kLargestRadix = 7;

// e^(-2 pi i k / n), for 0 <= k < n.
std::complex<double> turn(int64_t k, int64_t n) {
  return std::polar(1.0, -2 * std::numbers::pi * (static_cast<double>(k) / static_cast<double>(n)));
}

}  // namespace

Fft::Fft(int64_t n) : n_(n) {
  int64_t left = n;
  for (const int64_t radix : {4, 2, 3, 5, 7})
    while (left % radix == 0) radices_.push_back(radix), left /= radix;
  const auto count = static_cast<size_t>(n);
  if (left == 1) {
    turns_.resize(count);
    for (int64_t k = 0; k < n; ++k) turns_[static_cast<size_t>(k)] = turn(k, n);
    work_.resize(count);
    return;
  }
  radices_.clear();
  // k t = (k^2 + t^2 - (k - t)^2) / 2 makes the transform a convolution with a chirp, here a circular one of a length
  // that is a power of two.
  int64_t padded = 1;
  while (padded < 2 * n - 1) padded *= 2;
  padded_ = std::make_unique<Fft>(padded);
  chirp_.resize(count);
  filter_.resize(static_cast<size_t>(padded));
  work_.resize(static_cast<size_t>(padded));
  int64_t square = 0;  // k^2 mod 2n
  for (int64_t k = 0; k < n; ++k) {
    const Complex c = turn(square, 2 * n);
    chirp_[static_cast<size_t>(k)] = c;
    filter_[static_cast<size_t>(k)] = std::conj(c);
    if (k > 0) filter_[static_cast<size_t>(padded - k)] = std::conj(c);
    square = (square + 2 * k + 1) % (2 * n);
  }
  padded_->run(filter_.data(), false);
}

void Fft::run(Complex* x, bool inverse) {
  if (!inverse) return forward(x);
  // The inverse is the forward transform with real and imaginary parts exchanged on both sides.
  const auto exchange = [](Complex c) { return Complex(c.imag(), c.real()); };
  std::transform(x, x + n_, x, exchange);
  forward(x);
  const double scale = 1 / static_cast<double>(n_);
  std::transform(x, x + n_, x, [&](Complex c) { return exchange(c) * scale; });
}

void Fft::forward(Complex* x) {
  if (padded_) return convolution(x);
  std::copy(x, x + n_, work_.data());
  mixed_radix(work_.data(), x, 0, 1);
}

// The transform of in[0], in[stride], ..., n / stride elements, into consecutive elements of `out`.
void Fft::mixed_radix(const Complex* in, Complex* out, size_t level, int64_t stride) {
  if (level == radices_.size()) {
    *out = *in;
    return;
  }
  const int64_t radix = radices_[level], part = n_ / stride / radix;
  for (int64_t r = 0; r < radix; ++r) mixed_radix(in + r * stride, out + r * part, level + 1, stride * radix);
  // Element k + q part is the sum over r of turn^(r (k + q part)) times element k of the transform of residue r.
  Complex x[kLargestRadix];
  for (int64_t k = 0; k < part; ++k) {
    for (int64_t r = 0; r < radix; ++r) x[r] = out[k + r * part] * turns_[static_cast<size_t>(r * k * stride)];
    if (radix == 2) {
      out[k] = x[0] + x[1];
      out[k + part] = x[0] - x[1];
    } else if (radix == 4) {
      const Complex even = x[0] + x[2], odd = x[1] + x[3], even_difference = x[0] - x[2], difference = x[1] - x[3];
      const Complex turned(difference.imag(), -difference.real());  // times -i
      out[k] = even + odd;
      out[k + part] = even_difference + turned;
      out[k + 2 * part] = even - odd;
      out[k + 3 * part] = even_difference - turned;
    } else {
      const int64_t step = n_ / radix;
      for (int64_t q = 0; q < radix; ++q) {
        Complex sum = x[0];
        for (int64_t r = 1; r < radix; ++r) sum += x[r] * turns_[static_cast<size_t>(q * r % radix * step)];
        out[k + q * part] = sum;
      }
    }
  }
}

void Fft::convolution(Complex* x) {
  const size_t n = chirp_.size();
  for (size_t k = 0; k < n; ++k) work_[k] = x[k] * chirp_[k];
  std::fill(work_.begin() + static_cast<std::ptrdiff_t>(n), work_.end(), Complex());
  padded_->run(work_.data(), false);
  for (size_t k = 0; k < work_.size(); ++k) work_[k] *= filter_[k];
  padded_->run(work_.data(), true);
  for (size_t k = 0; k < n; ++k) x[k] = work_[k] * chirp_[k];
}

}  // namespace tc
