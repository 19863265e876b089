// Elimination: factors, solutions, inverses and determinants.
#include "linalg_helpers.h"

namespace tc {
namespace {

using List = std::vector<Var>;

TEST(Lu, FactorsMultiplyBack) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "n", "n")}, [](Var a) {
      const auto [p, l, u] = linalg::lu(a);
      return List{p, l, u};
    }));
    for (const int64_t n : kOrders) {
      const Matrices a = random_matrices(3, n, n, static_cast<unsigned>(n));
      const auto y = f({a.tensor(t)});
      const Matrices p = matrices(y[0]), l = matrices(y[1]), u = matrices(y[2]);
      EXPECT_LE(residual(
                    p * (l * u) - a, [&](int64_t b) { return norm(l, b) * norm(u, b); }, t),
                8)
          << n;
      for (const double x : l.v) EXPECT_LE(std::abs(x), 1);
      EXPECT_EQ((p * transposed(p) - unit(3, n)).v, std::vector<double>(p.v.size()));
    }
  }
}

TEST(Lu, SolvesWithSmallResiduals) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "n", "n"), batch_of("b", t, "n", "k")}, [](Var a, Var b) {
      const linalg::LuFactor factor = linalg::lu_factor(a);
      return List{linalg::solve(a, b), linalg::lu_solve(factor, b), linalg::lu_solve(factor, b, {.trans = true}),
                  linalg::inv(a)};
    }));
    for (const int64_t n : kOrders) {
      const Matrices a = random_matrices(3, n, n, static_cast<unsigned>(n)), b = random_matrices(3, n, 2, 5);
      const auto y = f({a.tensor(t), b.tensor(t)});
      const auto error = [&](const Matrices& m, size_t k, const Matrices& right) {
        const Matrices x = matrices(y[k]);
        return residual(
            m * x - right, [&](int64_t i) { return norm(m, i) * norm(x, i); }, t);
      };
      EXPECT_LE(error(a, 0, b), 8) << n;
      EXPECT_LE(error(a, 1, b), 8) << n;
      EXPECT_LE(error(transposed(a), 2, b), 8) << n;
      EXPECT_LE(error(a, 3, unit(3, n)), 8) << n;
    }
  }
}

// Of triangular matrices whose rows are in another order determinants are known.
TEST(Lu, DeterminantsAreThoseOfTheDiagonal) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "n", "n")}, [](Var a) {
      const auto [s, l] = linalg::slogdet(a);
      return List{linalg::det(a), s, l};
    }));
    for (const int64_t n : {1, 2, 3, 6, 17}) {
      Matrices a = random_matrices(2, n, n, 3);
      double want = 1;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
          if (j > i) a(0, i, j) = 0;
          if (j == i) a(0, i, j) = i % 2 ? -1.5 : 0.75;
        }
      for (int64_t i = 0; i < n; ++i) want *= a(0, i, i);
      // The second is the first with its rows in turn: (-1)^(n-1).
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) a(1, i, j) = a(0, (i + 1) % n, j);
      const auto y = f({a.tensor(t)});
      const std::vector<double> d = doubles(y[0]), s = doubles(y[1]), l = doubles(y[2]);
      for (size_t b = 0; b < 2; ++b) {
        const double expected = b && n % 2 == 0 ? -want : want;
        const double tolerance = (t == f32 ? 1.2e-7 : 2.3e-16) * 16 * static_cast<double>(n);
        EXPECT_NEAR(d[b] / expected, 1, tolerance) << n;
        EXPECT_EQ(s[b], expected < 0 ? -1 : 1) << n;
        EXPECT_NEAR(l[b], std::log(std::abs(want)), tolerance) << n;
      }
    }
  }
}

TEST(Lu, SingularMatrices) {
  const Function f = trace("f", {{"a", f64, {2, 2}}}, [](Var a) {
    const auto [s, l] = linalg::slogdet(a);
    return List{linalg::det(a), s, l, linalg::lu_factor(a).lu};
  });
  const auto y = compile(f)({Tensor::of<double>({2, 2}, {0, 1, 0, 2})});
  EXPECT_EQ(doubles(y[0])[0], 0);
  EXPECT_EQ(doubles(y[1])[0], 0);
  EXPECT_EQ(doubles(y[2])[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(doubles(y[3]), (std::vector<double>{0, 1, 0, 2}));
}

TEST(Lu, GradientsAreThoseOfDifferences) {
  const auto check = [](const char* name, auto f) {
    const Function g = trace("f", {batch_of("a", f64, "n", "n"), {"b", f64, {"n", "n"}}}, [&](Var x, Var b) {
      return sum(square(f(x + 3 * eye(x.dim(-1), {.dtype = f64}), b) + 0.5));
    });
    for (const int64_t n : {1, 4})
      EXPECT_LE(gradient_error(g, {random_matrices(2, n, n, 1).tensor(f64),
                                   Tensor::of<double>({n, n}, random_matrices(1, n, n, 2).v)}),
                1e-8)
          << name << n;
  };
  check("solve", [](Var a, Var b) { return linalg::solve(a, b); });
  check("solve matrix and vector", [](Var a, Var b) { return linalg::solve(a, b[0]); });
  check("lu_solve", [](Var a, Var b) { return linalg::lu_solve(linalg::lu_factor(a), b); });
  check("lu_solve trans", [](Var a, Var b) { return linalg::lu_solve(linalg::lu_factor(a), b, {.trans = true}); });
  check("lu", [](Var a, Var b) {
    const auto [p, l, u] = linalg::lu(a);
    return l * b + u * u;
  });
  check("inv", [](Var a, Var b) { return linalg::inv(a) * b; });
  check("det", [](Var a, Var b) { return linalg::det(a) * 0.1 + sum(b); });
  check("slogdet", [](Var a, Var b) { return linalg::slogdet(a).logabsdet + sum(b); });
}

TEST(Lu, SolveHasSecondGradients) {
  const Function f = trace("f", {{"a", f64, {3, 3}}, {"b", f64, {3}}}, [](Var a, Var b) {
    const Var y = sum(square(linalg::solve(a + 3 * eye(3, {.dtype = f64}), b)));
    return sum(square(grad(y, {a})[0])) + sum(b);
  });
  EXPECT_LE(gradient_error(
                f, {Tensor::of<double>({3, 3}, random_matrices(1, 3, 3, 4).v), Tensor::of<double>({3}, {1, -2, 0.5})}),
            1e-7);
}

TEST(Lu, OfNothingIsEmpty) {
  for (const DType t : {f32, f64}) {
    const Function f = trace("f", {batch_of("a", t, "n", "n"), batch_of("b", t, "n", "k")}, [](Var a, Var b) {
      return List{linalg::solve(a, b), linalg::inv(a), linalg::det(a), linalg::slogdet(a).sign};
    });
    const auto y = compile(f)({Matrices(2, 0, 0).tensor(t), Matrices(2, 0, 3).tensor(t)});
    EXPECT_EQ(y[0].extents()[2], 3);
    EXPECT_EQ(y[1].size(), 0);
    EXPECT_EQ(doubles(y[2]), (std::vector<double>{1, 1}));
    EXPECT_EQ(doubles(y[3]), (std::vector<double>{1, 1}));
  }
}

TEST(Lu, ErrorsAreAtTheCall) {
  const auto complaint = [](std::vector<Input> inputs, auto f) { return what([&] { trace("f", inputs, f); }); };
  const std::vector<Input> wide = {{"a", f32, {2, 3}}, {"b", f32, {2, 3}}};
  const int line = __LINE__ + 1;
  const std::string text = complaint(wide, [](Var a, Var b) { return linalg::solve(a, b); });
  EXPECT_TRUE(contains(text, "expected square matrices"));
  EXPECT_TRUE(contains(text, cat("linalg_lu_test.cc:", line)));
  EXPECT_TRUE(contains(complaint(wide, [](Var a, Var b) { return linalg::inv(a) + b; }), "square"));
  EXPECT_TRUE(contains(complaint(wide, [](Var a, Var b) { return linalg::det(a) + b; }), "square"));
  EXPECT_TRUE(contains(complaint({{"a", i32, {2, 2}}}, [](Var a) { return linalg::inv(a); }), "bad-type"));
  EXPECT_TRUE(contains(
      complaint({{"a", f32, {5, 2, 2}}, {"b", f32, {3, 2, 2}}}, [](Var a, Var b) { return linalg::solve(a, b); }),
      "linalg.solve"));
}

}  // namespace
}  // namespace tc
