// Orthogonal factors.
#include "linalg_helpers.h"

namespace tc {
namespace {

using List = std::vector<Var>;
using linalg::QrMode;

void expect_factors(const Matrices& a, const Matrices& q, const Matrices& r, DType t) {
  EXPECT_LE(residual(q * r - a, a, t), 8) << a.m << " x " << a.n;
  EXPECT_LE(residual(transposed(q) * q - unit(a.batch, q.n), unit(a.batch, q.n), t), 8) << a.m << " x " << a.n;
  for (int64_t i = 0; i < r.m; ++i)
    for (int64_t j = 0; j < std::min(i, r.n); ++j) EXPECT_EQ(r(0, i, j), 0);
}

TEST(Qr, FactorsMultiplyBack) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "m", "n")}, [](Var a) {
      const auto [q, r] = linalg::qr(a);
      const auto [whole, tall] = linalg::qr(a, {.mode = QrMode::complete});
      return List{q, r, whole, tall};
    }));
    const auto check = [&](int64_t m, int64_t n) {
      const Matrices a = random_matrices(2, m, n, static_cast<unsigned>(m + n));
      const auto y = f({a.tensor(t)});
      EXPECT_EQ(matrices(y[0]).n, std::min(m, n));
      EXPECT_EQ(matrices(y[2]).n, m);
      expect_factors(a, matrices(y[0]), matrices(y[1]), t);
      expect_factors(a, matrices(y[2]), matrices(y[3]), t);
    };
    for (const int64_t n : kOrders) check(n, n);
    for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{{5, 3}, {3, 5}, {1, 4}, {4, 1}, {40, 7}})
      check(m, n);
  }
}

TEST(Qr, TakesZerosAndTheEndsOfTheRange) {
  const auto f = compile(trace("f", {batch_of("a", f64, 2, 2)}, [](Var a) {
    const auto [q, r] = linalg::qr(a);
    return List{q, r};
  }));
  Matrices a(3, 2, 2);
  a.v = {0, 0, 0, 0, 3e300, 1e300, 4e300, 2e300, 3e-300, 1e-300, 4e-300, 2e-300};
  const auto y = f({a.tensor(f64)});
  const std::vector<double> q = doubles(y[0]), r = doubles(y[1]);
  EXPECT_EQ(std::vector<double>(q.begin(), q.begin() + 4), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_NEAR(r[4] / -5e300, 1, 1e-15);
  EXPECT_NEAR(r[8] / -5e-300, 1, 1e-15);
}

TEST(Qr, GradientsAreThoseOfDifferences) {
  const Function f = trace("f", {batch_of("a", f64, "m", "n"), batch_of("w", f64, "m", "n")}, [](Var a, Var w) {
    const auto [q, r] = linalg::qr(a);
    return sum(square(matmul(matrix_transpose(q), w) + 1)) + sum(square(r + 0.5));
  });
  for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {4, 4}, {5, 3}, {3, 5}}) {
    Matrices a = random_matrices(2, m, n, 3);
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t i = 0; i < std::min(m, n); ++i) a(b, i, i) += 3;
    EXPECT_LE(gradient_error(f, {a.tensor(f64), random_matrices(2, m, n, 4).tensor(f64)}), 1e-8) << m << " x " << n;
  }
}

TEST(Qr, OfNothingIsEmpty) {
  const auto f = compile(trace("f", {batch_of("a", f32, "m", "n")}, [](Var a) {
    const auto [q, r] = linalg::qr(a, {.mode = QrMode::complete});
    return List{linalg::qr(a).q, q, r};
  }));
  const auto y = f({Matrices(2, 3, 0).tensor(f32)});
  EXPECT_EQ(y[0].size(), 0);
  EXPECT_EQ(matrices(y[1]).v, unit(2, 3).v);
  EXPECT_EQ(f({Matrices(2, 0, 3).tensor(f32)})[2].size(), 0);
}

TEST(Qr, ErrorsAreAtTheCall) {
  const auto complaint = [](std::vector<Input> inputs, auto f) { return what([&] { trace("f", inputs, f); }); };
  const int line = __LINE__ + 1;
  const std::string text = complaint({{"x", f32, {3}}}, [](Var x) { return linalg::qr(x).q; });
  EXPECT_TRUE(contains(text, "at least two axes"));
  EXPECT_TRUE(contains(text, cat("linalg_qr_test.cc:", line)));
}

}  // namespace
}  // namespace tc
