// Eigenvalues of symmetric matrices.
#include "linalg_families.h"

namespace tc {
namespace {

using List = std::vector<Var>;

TEST(Eigh, VectorsDiagonalize) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "n", "n")}, [](Var a) {
      const auto [w, v] = linalg::eigh(a);
      return List{w, v};
    }));
    for (const int64_t n : kManyOrders) {
      const Matrices a = symmetric_families(n);
      const auto y = f({a.tensor(t)});
      const std::vector<double> w = doubles(y[0]);
      const Matrices v = matrices(y[1]);
      EXPECT_LE(residual_or_zero(a * v - scaled_columns(v, w), a, t), 8) << t << " " << n;
      EXPECT_LE(orthogonality(v, t), 8) << t << " " << n;
      for (size_t i = 1; i < w.size(); ++i) EXPECT_TRUE(i % static_cast<size_t>(n) == 0 || w[i - 1] <= w[i]) << n;
    }
  }
}

// The second differences' matrix has known ones.
TEST(Eigh, ValuesAreThoseOfFormulas) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "n", "n")}, [](Var a) { return linalg::eigvalsh(a); }));
    for (const int64_t n : {1, 2, 3, 8, 17, 40}) {
      Matrices a(1, n, n);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) a(0, i, j) = i == j ? 2 : std::abs(i - j) == 1 ? -1 : 0;
      const std::vector<double> w = doubles(f({a.tensor(t)})[0]);
      const double eps = t == f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
      for (int64_t k = 0; k < n; ++k) {
        const double angle = std::acos(-1.0) * static_cast<double>(k + 1) / static_cast<double>(n + 1);
        EXPECT_NEAR(w[static_cast<size_t>(k)], 2 - 2 * std::cos(angle), 16 * eps) << n;
      }
    }
  }
}

TEST(Eigh, ReadsTheLowerTriangleAndKeepsTheRange) {
  const auto f = compile(trace("f", {batch_of("a", f64, 2, 2)}, [](Var a) { return linalg::eigvalsh(a); }));
  const double nan = std::nan("");
  Matrices a(4, 2, 2);
  a.v = {2, nan, 1, 2, 2e200, 0, 1e200, 2e200, 2e-200, 0, 1e-200, 2e-200, nan, 0, 0, 1};
  const std::vector<double> w = doubles(f({a.tensor(f64)})[0]);
  const std::vector<double> want = {1, 3, 1e200, 3e200, 1e-200, 3e-200};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(w[i] / want[i], 1, 1e-15);
  EXPECT_TRUE(std::isnan(w[6]) || std::isnan(w[7]));
}

TEST(Eigh, GradientsAreThoseOfDifferences) {
  const Function f = trace("f", {batch_of("x", f64, "n", "n"), batch_of("c", f64, "n", "n")}, [](Var x, Var c) {
    const auto [w, v] = linalg::eigh(x + matrix_transpose(x));
    return sum(square(v) * c) + sum(w * w * c[{ellipsis, 0}]);  // signs of vectors are free
  });
  for (const int64_t n : {1, 2, 5})
    EXPECT_LE(gradient_error(f, {random_matrices(2, n, n, 1).tensor(f64), random_matrices(2, n, n, 2).tensor(f64)}),
              1e-8);
}

// A function of the matrix that does not depend on the choice of vectors.
TEST(Eigh, GradientsOfEqualValuesAreFinite) {
  const Function f = trace("f", {{"x", f64, {3, 3}}}, [](Var x) {
    const Var w = linalg::eigvalsh(x + matrix_transpose(x));
    return sum(w * w * w);
  });
  const Tensor x = Tensor::of<double>({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 2});
  EXPECT_LE(gradient_error(f, {x}), 1e-9);
}

TEST(Eigh, OfNothingIsEmpty) {
  const auto f = compile(trace("f", {batch_of("a", f32, "n", "n")}, [](Var a) {
    const auto [w, v] = linalg::eigh(a);
    return List{w, v};
  }));
  const auto y = f({Matrices(2, 0, 0).tensor(f32)});
  EXPECT_EQ(y[0].extents()[0], 2);
  EXPECT_EQ(y[1].size(), 0);
}

TEST(Eigh, ErrorsAreAtTheCall) {
  const auto complaint = [](std::vector<Input> inputs, auto f) { return what([&] { trace("f", inputs, f); }); };
  const int line = __LINE__ + 1;
  const std::string text = complaint({{"x", f32, {2, 3}}}, [](Var x) { return linalg::eigvalsh(x); });
  EXPECT_TRUE(contains(text, "expected square matrices"));
  EXPECT_TRUE(contains(text, cat("linalg_eigen_test.cc:", line)));
  EXPECT_TRUE(contains(complaint({{"x", i32, {2, 2}}}, [](Var x) { return linalg::eigvalsh(x); }), "bad-type"));
}

}  // namespace
}  // namespace tc
