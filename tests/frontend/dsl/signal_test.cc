// Windows, convolutions and short-time transforms.
#include <numbers>

#include "linalg_helpers.h"

namespace tc {
namespace {

using List = std::vector<Var>;
using signal::ConvolveMode;

void expect_near(const Tensor& got, const std::vector<double>& want, double tolerance) {
  const std::vector<double> y = doubles(got);
  ASSERT_EQ(y.size(), want.size());
  for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], want[i], tolerance) << i;
}

// I0 by its series.
double bessel(double x) {
  double term = 1, total = 1;
  for (int k = 1; k < 60; ++k) total += term *= x * x / (4.0 * k * k);
  return total;
}

TEST(Windows, AreThoseOfTheirFormulas) {
  for (const bool periodic : {false, true}) {
    const auto f = compile(trace("f", {{"x", f32, {"n"}}}, [&](Var x) {
      const Dim n = x.dim(0);
      return List{signal::hann(n, {.periodic = periodic, .dtype = f64}),
                  signal::hamming(n, {.periodic = periodic, .dtype = f64}),
                  signal::blackman(n, {.periodic = periodic, .dtype = f64}),
                  signal::bartlett(n, {.periodic = periodic, .dtype = f64}),
                  signal::kaiser(n, 8.6, {.periodic = periodic, .dtype = f64}),
                  signal::hann(n)};
    }));
    for (const int64_t n : {0, 1, 2, 7, 16}) {
      const auto y = f({Tensor::of<float>({n}, std::vector<float>(static_cast<size_t>(n)))});
      std::vector<std::vector<double>> want(5);
      for (int64_t i = 0; i < n; ++i) {
        const double x = static_cast<double>(i) / static_cast<double>(std::max<int64_t>(periodic ? n : n - 1, 1));
        const double c = std::cos(2 * std::numbers::pi * x), d = std::cos(4 * std::numbers::pi * x), r = 2 * x - 1;
        want[0].push_back(n == 1 ? 1 : 0.5 - 0.5 * c);
        want[1].push_back(n == 1 ? 1 : 0.54 - 0.46 * c);
        want[2].push_back(n == 1 ? 1 : 0.42 - 0.5 * c + 0.08 * d);
        want[3].push_back(n == 1 ? 1 : 1 - std::abs(r));
        want[4].push_back(n == 1 ? 1 : bessel(8.6 * std::sqrt(std::max(1 - r * r, 0.0))) / bessel(8.6));
      }
      for (size_t k = 0; k < 5; ++k) expect_near(y[k], want[k], 1e-14);
      EXPECT_EQ(y[5].dtype(), f32);
    }
  }
}

std::vector<double> convolved(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> y(a.size() + b.size() - 1);
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j) y[i + j] += a[i] * b[j];
  return y;
}

TEST(Convolve, IsTheSumOfProducts) {
  for (const ConvolveMode mode : {ConvolveMode::full, ConvolveMode::same, ConvolveMode::valid})
    for (const DType t : {f32, f64}) {
      const auto f = compile(trace("f", {{"a", t, {"m"}}, {"b", t, {"n"}}}, [&](Var a, Var b) {
        return List{signal::convolve(a, b, {.mode = mode}), signal::fftconvolve(a, b, {.mode = mode}),
                    signal::fftconvolve(stack({a, 2 * a}), b, {.mode = mode})};
      }));
      for (const auto& [m, n] : std::vector<std::pair<size_t, size_t>>{{1, 1}, {5, 3}, {3, 5}, {8, 2}, {20, 7}}) {
        const auto as = [&](const std::vector<double>& v) {
          const auto e = static_cast<int64_t>(v.size());
          return t == f64 ? Tensor::of<double>({e}, v) : Tensor::of<float>({e}, std::vector<float>(v.begin(), v.end()));
        };
        const std::vector<double> a = random_matrices(1, static_cast<int64_t>(m), 1, 1).v,
                                  b = random_matrices(1, static_cast<int64_t>(n), 1, 2).v;
        std::vector<double> want = convolved(a, b);
        if (mode == ConvolveMode::same)
          want.assign(want.begin() + static_cast<std::ptrdiff_t>((n - 1) / 2),
                      want.begin() + static_cast<std::ptrdiff_t>((n - 1) / 2 + m));
        if (mode == ConvolveMode::valid) {
          const size_t shorter = std::min(m, n), longer = std::max(m, n);
          want = std::vector<double>(want.begin() + static_cast<std::ptrdiff_t>(shorter - 1),
                                     want.begin() + static_cast<std::ptrdiff_t>(longer));
        }
        const auto y = f({as(a), as(b)});
        expect_near(y[0], want, t == f32 ? 3e-6 : 1e-14);
        expect_near(y[1], want, t == f32 ? 1e-5 : 2e-14);
        EXPECT_NEAR(doubles(y[2]).back(), 2 * want.back(), t == f32 ? 2e-5 : 4e-14);
      }
    }
}

TEST(Convolve, OfIntegersAndPlanes) {
  const Function f =
      trace("f", {{"a", i64, {3}}, {"p", f64, {2, "m", "n"}}, {"k", f64, {2, 3}}}, [](Var a, Var p, Var k) {
        return List{signal::convolve(a, a), signal::convolve2d(p, k),
                    signal::convolve2d(p, k, {.mode = ConvolveMode::same}),
                    signal::convolve2d(p, k, {.mode = ConvolveMode::valid})};
      });
  const Matrices p = random_matrices(2, 4, 5, 1), k = random_matrices(1, 2, 3, 2);
  const auto y =
      compile(f)({Tensor::of<int64_t>({3}, {1, 2, int64_t{1} << 40}), p.tensor(f64), Tensor::of<double>({2, 3}, k.v)});
  EXPECT_EQ(y[0].span<int64_t>()[4], int64_t{0});  // 2^80 wraps
  EXPECT_EQ(y[0].span<int64_t>()[2], (int64_t{1} << 41) + 4);
  Matrices full(2, 5, 7), same(2, 4, 5), valid(2, 3, 3);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 5; ++j)
        for (int64_t r = 0; r < 2; ++r)
          for (int64_t c = 0; c < 3; ++c) full(b, i + r, j + c) += p(b, i, j) * k(0, r, c);
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 5; ++j) same(b, i, j) = full(b, i, j + 1);
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 3; ++j) valid(b, i, j) = full(b, i + 1, j + 2);
  }
  expect_near(y[1], full.v, 1e-14);
  expect_near(y[2], same.v, 1e-14);
  expect_near(y[3], valid.v, 1e-14);
}

TEST(Stft, OfAToneIsAtItsFrequency) {
  const Function f = trace("f", {{"x", f64, {2, "t"}}}, [](Var x) {
    const Var w = signal::hann(16, {.periodic = true, .dtype = f64});
    const Complex z = signal::stft(x, 16, {.hop = 4, .window = w}), raw = signal::stft(x, 16, {.center = false});
    return List{z.re, z.im, raw.re, signal::istft(z, 16, {.hop = 4, .window = w, .length = x.dim(1) + Dim(2)}),
                signal::istft(z, 16, {.hop = 4, .window = w})};
  });
  std::vector<double> x;
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t i = 0; i < 48; ++i)
      x.push_back(std::cos(2 * std::numbers::pi * 3 * static_cast<double>(i) / 16) + 0.1 * static_cast<double>(b));
  const auto y = compile(f)({Tensor::of<double>({2, 48}, x)});
  EXPECT_EQ(Extents(y[0].extents().begin(), y[0].extents().end()), (Extents{2, 9, 13}));
  EXPECT_EQ(Extents(y[2].extents().begin(), y[2].extents().end()), (Extents{2, 9, 9}));
  // The window's spectrum is 8 at its frequency and 4 beside it; of a cosine half of that.
  const Matrices re = matrices(y[0]), im = matrices(y[1]);
  for (int64_t k = 0; k < 9; ++k) {
    const double size = std::hypot(re(0, k, 6), im(0, k, 6));
    EXPECT_NEAR(size, k == 3 ? 4 : k == 2 || k == 4 ? 2 : 0, 1e-13) << k;
  }
  expect_near(y[4], x, 1e-13);
  EXPECT_EQ(y[3].extents()[1], 50);
  EXPECT_EQ(doubles(y[3])[98], 0);
  EXPECT_NEAR(doubles(y[3])[50], x[48], 1e-13);
}

TEST(Signal, GradientsAreThoseOfDifferences) {
  const Function f = trace("f", {{"a", f64, {20}}, {"b", f64, {3}}}, [](Var a, Var b) {
    const Complex z = signal::stft(a, 8, {.hop = 3, .window = signal::hamming(8, {.dtype = f64})});
    const Var back = signal::istft(z * z, 8, {.hop = 3, .window = signal::hamming(8, {.dtype = f64})});
    return sum(square(back)) / 100 + sum(square(signal::convolve(a, b)) + 1) + sum(exp(signal::fftconvolve(b, a) / 5));
  });
  EXPECT_LE(gradient_error(
                f, {Tensor::of<double>({20}, random_matrices(1, 20, 1, 1).v), Tensor::of<double>({3}, {1, -2, 0.5})}),
            1e-8);
}

TEST(Signal, ErrorsAreAtTheCall) {
  const auto complaint = [](std::vector<Input> inputs, auto f) { return what([&] { trace("f", inputs, f); }); };
  const int line = __LINE__ + 1;
  const std::string text = complaint({{"x", f32, {9}}}, [](Var x) { return signal::stft(x, 4, {.window = x}).re; });
  EXPECT_TRUE(contains(text, "the window is"));
  EXPECT_TRUE(contains(text, cat("signal_test.cc:", line)));
  EXPECT_TRUE(
      contains(complaint({{"x", f32, {9}}}, [](Var x) { return signal::convolve2d(x, x); }), "expected 2 axes"));
  EXPECT_TRUE(contains(complaint({{"x", f32, {9}}}, [](Var x) { return signal::stft(x, 0).re; }), "frames of 0"));
}

}  // namespace
}  // namespace tc
