// Determinants of every tier against elimination by plain loops, on buffers that end at guard pages.
#include "tc/kernels/linalg/det.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "guard.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::kEdges;
using testing::machine_tiers;
using testing::Random;

class Linalg : public ::testing::TestWithParam<Tier> {
 protected:
  template <class T>
  void run(std::span<const T> x, std::int64_t n, std::span<T> y, Edge edge) const {
    DetArgs a{.type = sizeof(T) == 4 ? Elem::f32 : Elem::f64,
              .n = n,
              .count = static_cast<std::int64_t>(y.size()),
              .x = x.data(),
              .y = y.data()};
    const LinalgTable& kernels = table(GetParam()).linalg;
    Team team(2);
    GuardedBuffer<double> scratch(det_scratch_bytes(kernels, a, 2) / sizeof(double), edge);
    a.scratch = reinterpret_cast<std::byte*>(scratch.data());
    det(kernels, team, a);
  }
};

double determinant(std::vector<double> a, std::size_t n) {
  double product = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t row = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[row * n + k])) row = i;
    if (row != k) {
      std::swap_ranges(a.data() + k * n, a.data() + (k + 1) * n, a.data() + row * n);
      product = -product;
    }
    const double pivot = a[k * n + k];
    product *= pivot;
    for (std::size_t i = k + 1; pivot != 0 && i < n; ++i) {
      const double factor = a[i * n + k] / pivot;
      for (std::size_t j = k; j < n; ++j) {
        const double less = factor * a[k * n + j];
        a[i * n + j] -= less;
      }
    }
  }
  return product;
}

TEST_P(Linalg, Determinants) {
  Random random(3);
  const auto check = [&]<class T>(T, std::int64_t n, std::int64_t count, bool whole, Edge edge) {
    const auto elements = static_cast<std::size_t>(n * n);
    GuardedBuffer<T> x(elements * static_cast<std::size_t>(count), edge), y(static_cast<std::size_t>(count), edge);
    // Of small integers many matrices are singular, and pivots equal.
    for (T& v : x) v = whole ? static_cast<T>(random.integer(-2, 2)) : static_cast<T>(random.uniform(-1, 1));
    run<T>({x.data(), x.size()}, n, {y.data(), y.size()}, edge);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const T* const m = x.data() + i * elements;
      const auto want = static_cast<T>(determinant(std::vector<double>(m, m + elements), static_cast<std::size_t>(n)));
      ASSERT_EQ(y[i], want) << n << " x " << n << ", " << i << " of " << count;
    }
  };
  for (const Edge edge : kEdges)
    for (std::int64_t n = 1; n <= kMostDetRows; ++n)
      for (const std::int64_t count : {1, 7, 8, 20})
        for (const bool whole : {false, true}) {
          check(float{}, n, count, whole, edge);
          check(double{}, n, count, whole, edge);
        }
}

TEST_P(Linalg, DeterminantsOfZerosAndNan) {
  const double nan = std::nan("");
  const std::vector<double> x{0, 0, 0, 0, 1, nan, 2, 3, nan, 1, 1, 1, 0, 5, 0, 7, 0, 2, 3, 0};
  std::vector<double> y(5);
  run<double>(x, 2, y, Edge::kBack);
  EXPECT_EQ(y[0], 0);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], 0);
  EXPECT_EQ(y[4], -6);
}

INSTANTIATE_TEST_SUITE_P(Tiers, Linalg, ::testing::ValuesIn(machine_tiers()),
                         [](const auto& tier) { return std::string(tier_name(tier.param)); });

}  // namespace
}  // namespace tc::kernels
