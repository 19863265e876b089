// Sums and products of adversarial numbers within the bounds that hold for any order of summation, the same bits for
// every number of threads and in another process.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tc/tc.h"

namespace tc {
namespace {

enum class Kind { ordinary, cancelling, huge_range, ordered };

std::vector<float> numbers(size_t n, Kind kind, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> x(n);
  const auto unit = [&] { return static_cast<float>(random()) / 4294967296.0f; };
  for (size_t i = 0; i < n; ++i) {
    const float u = unit() * 2 - 1;
    switch (kind) {
      case Kind::ordinary:
        x[i] = u;
        break;
      case Kind::cancelling:  // pairs that leave their last bits
        x[i] = i % 2 ? -x[i - 1] * (1 + 1e-6f * unit()) : u * 1e4f;
        break;
      case Kind::huge_range:
        x[i] = std::ldexp(u, static_cast<int>(random() % 60) - 30);
        break;
      case Kind::ordered:
        x[i] = 1.0f / static_cast<float>(i + 1);
        break;
    }
  }
  return x;
}

constexpr double kUnit = 0x1p-24;  // of a rounding to f32

// |computed - exact| <= gamma(n) * sum of magnitudes, whatever the order.
double allowed(int64_t n, double magnitudes) {
  const double nu = static_cast<double>(n) * kUnit;
  return nu / (1 - nu) * magnitudes + 1e-37;
}

constexpr Kind kKinds[] = {Kind::ordinary, Kind::cancelling, Kind::huge_range, Kind::ordered};

TEST(Sums, StayWithinTheBoundOfAnyOrder) {
  const Compiled f = compile(trace("sum", {{"x", f32, {"n"}}}, [](Var x) { return sum(x); }));
  for (const Kind kind : kKinds)
    for (const int64_t n : {1, 2, 17, 1000, 4097, 1 << 18}) {
      const auto x = numbers(static_cast<size_t>(n), kind, 3);
      long double exact = 0, magnitudes = 0;
      for (const float v : x) exact += v, magnitudes += std::fabs(v);
      const Tensor total = f({Tensor::of<float>({n}, x)});
      const double got = total();
      EXPECT_LE(std::fabs(got - static_cast<double>(exact)), allowed(n, static_cast<double>(magnitudes)))
          << n << " numbers of kind " << static_cast<int>(kind);
    }
}

// Split operands, integer weights and Strassen's step are approximations of their own (docs/accuracy.md), hence the
// second term: 2^-15 of each product.
TEST(Products, StayWithinTheBoundOfAnyOrder) {
  const Compiled f = compile(
      trace("product", {{"a", f32, {"m", "k"}}, {"b", f32, {"k", "n"}}}, [](Var a, Var b) { return matmul(a, b); }));
  for (const Kind kind : kKinds)
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{1, 300, 7}, {5, 64, 33}, {40, 1000, 50}}) {
      const auto a = numbers(static_cast<size_t>(m * k), kind, 5), b = numbers(static_cast<size_t>(k * n), kind, 6);
      const Tensor y = f({Tensor::of<float>({m, k}, a), Tensor::of<float>({k, n}, b)});
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          long double exact = 0, magnitudes = 0;
          for (int64_t p = 0; p < k; ++p) {
            const long double product =
                static_cast<long double>(a[static_cast<size_t>(i * k + p)]) * b[static_cast<size_t>(p * n + j)];
            exact += product, magnitudes += std::fabs(product);
          }
          const auto size = static_cast<double>(magnitudes);
          ASSERT_LE(std::fabs(y(i, j) - static_cast<double>(exact)), allowed(k + 1, size) + 0x1p-15 * size)
              << m << " x " << k << " x " << n << " at " << i << ", " << j << ", kind " << static_cast<int>(kind);
        }
    }
}

Function several() {
  return trace("several", {{"x", f32, {"n", 96}}, {"w", f32, {96, 200}}}, [](Var x, Var w) {
    const Var y = matmul(x, w);
    return Outputs{{"y", y}, {"s", sum(tanh(y), {0})}, {"m", softmax(y)}, {"t", sum(y)}};
  });
}

std::vector<Tensor> run_with(int threads) {
  const Tensor x = Tensor::of<float>({301, 96}, numbers(301 * 96, Kind::ordinary, 8)),
               w = Tensor::of<float>({96, 200}, numbers(96 * 200, Kind::huge_range, 9));
  return compile(several(), {.threads = threads})({x, w});
}

TEST(Bits, AreTheSameForEveryNumberOfThreads) {
  const auto expected = run_with(1);
  for (int threads = 2; threads <= 8; ++threads) {
    const auto got = run_with(threads);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(got[i].identical(expected[i])) << threads << " threads, output " << i;
  }
}

TEST(Bits, AreTheSameInAnotherProcess) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    for (const Tensor& t : run_with(1))
      for (size_t done = 0; done < t.bytes();) {
        const ssize_t n = write(ends[1], static_cast<const char*>(t.data()) + done, t.bytes() - done);
        if (n <= 0) _exit(1);
        done += static_cast<size_t>(n);
      }
    _exit(0);
  }
  close(ends[1]);
  std::string there;
  char buffer[65536];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) there.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  std::string here;
  for (const Tensor& t : run_with(1)) here.append(static_cast<const char*>(t.data()), t.bytes());
  EXPECT_TRUE(here == there);
}

}  // namespace
}  // namespace tc
