// The fast transform against the sum that defines it.
#include "tc/ir/eval/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace tc {
namespace {

std::vector<Fft::Complex> noise(int64_t n) {
  std::mt19937_64 random(static_cast<uint64_t>(n));
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Fft::Complex> x(static_cast<size_t>(n));
  for (auto& v : x) v = {uniform(random), uniform(random)};
  return x;
}

// Element k of the transform, in extended precision.
std::complex<long double> term(const std::vector<Fft::Complex>& x, size_t k) {
  std::complex<long double> sum;
  for (size_t t = 0; t < x.size(); ++t) {
    const long double turns = static_cast<long double>(k * t % x.size()) / static_cast<long double>(x.size());
    sum += std::complex<long double>(x[t]) * std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
  }
  return sum;
}

double distance(std::complex<long double> a, Fft::Complex b) {
  return static_cast<double>(std::abs(a - std::complex<long double>(b)));
}

TEST(Fft, EveryLength) {
  for (int64_t n = 1; n <= 150; ++n) {
    const auto x = noise(n);
    auto y = x;
    Fft fft(n);
    fft.run(y.data(), false);
    for (size_t k = 0; k < x.size(); ++k) EXPECT_LT(distance(term(x, k), y[k]), 1e-13) << n << " at " << k;
    fft.run(y.data(), true);
    for (size_t k = 0; k < x.size(); ++k) EXPECT_LT(std::abs(x[k] - y[k]), 1e-14) << n << " at " << k;
  }
}

// Long ones, prime and not: the sum at a few places, and back. A transform of n^2 steps would take minutes.
TEST(Fft, LongLengths) {
  for (const int64_t n : {1 << 18, 2 * 3 * 5 * 7 * 1024, 200003, 2 * 100003}) {
    const auto x = noise(n);
    auto y = x;
    Fft fft(n);
    fft.run(y.data(), false);
    for (const size_t k : {size_t{0}, size_t{1}, static_cast<size_t>(n / 2), static_cast<size_t>(n - 1)})
      EXPECT_LT(distance(term(x, k), y[k]), 1e-9) << n << " at " << k;
    fft.run(y.data(), true);
    double worst = 0;
    for (size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::abs(x[k] - y[k]));
    EXPECT_LT(worst, 1e-13) << n;
  }
}

}  // namespace
}  // namespace tc
