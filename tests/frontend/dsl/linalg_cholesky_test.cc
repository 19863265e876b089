// Cholesky factors and triangular systems: residuals, gradients, edges and errors.
#include "linalg_helpers.h"

namespace tc {
namespace {

TEST(Cholesky, MultipliesBack) {
  for (const DType t : {f32, f64})
    for (const bool upper : {false, true}) {
      const auto f = compile(
          trace("f", {batch_of("a", t, "n", "n")}, [&](Var a) { return linalg::cholesky(a, {.upper = upper}); }));
      std::vector<int64_t> orders = kOrders;
      orders.insert(orders.end(), {64, 128, 150});  // blocks
      for (const int64_t n : orders) {
        const Matrices a = positive_matrices(2, n, static_cast<unsigned>(n));
        const Matrices l = matrices(f({a.tensor(t)})[0]), back = upper ? transposed(l) * l : l * transposed(l);
        EXPECT_LE(residual(back - a, a, t), 8) << n;
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = i + 1; j < n; ++j) EXPECT_EQ(upper ? l(1, j, i) : l(1, i, j), 0);
      }
    }
}

TEST(Cholesky, ReadsOneTriangle) {
  const auto factor = [](bool upper, std::vector<double> x) {
    const Function f = trace("f", {{"a", f64, {2, 2}}}, [&](Var a) { return linalg::cholesky(a, {.upper = upper}); });
    return doubles(compile(f)({Tensor::of<double>({2, 2}, x)})[0]);
  };
  const double other = std::nan("");
  EXPECT_EQ(factor(false, {4, other, 2, 10}), (std::vector<double>{2, 0, 1, 3}));
  EXPECT_EQ(factor(true, {4, 2, other, 10}), (std::vector<double>{2, 1, 0, 3}));
}

TEST(Cholesky, OfWhatIsNotPositiveDefiniteIsNan) {
  const auto f = compile(trace("f", {batch_of("a", f64, "n", "n")}, [](Var a) { return linalg::cholesky(a); }));
  // Indefinite, singular, negative, and one that is fine beside them.
  const std::vector<double> l =
      doubles(f({Tensor::of<double>({4, 2, 2}, {1, 2, 2, 1, 1, 1, 1, 1, -1, 0, 0, 1, 4, 0, 0, 9})})[0]);
  for (size_t b = 0; b < 3; ++b) {
    EXPECT_TRUE(std::isnan(l[b * 4]) && std::isnan(l[b * 4 + 2]) && std::isnan(l[b * 4 + 3])) << b;
    EXPECT_EQ(l[b * 4 + 1], 0) << b;
  }
  EXPECT_EQ(std::vector<double>(l.begin() + 12, l.end()), (std::vector<double>{2, 0, 0, 3}));
}

TEST(Cholesky, GradientsAreThoseOfDifferences) {
  for (const bool upper : {false, true}) {
    const Function f = trace("f", {batch_of("x", f64, "n", "n"), batch_of("w", f64, "n", "n")}, [&](Var x, Var w) {
      const Var a = x + matrix_transpose(x) + 8 * eye(x.dim(-1), {.dtype = f64});
      return sum(linalg::cholesky(a, {.upper = upper}) * w);
    });
    for (const int64_t n : {1, 2, 5})
      EXPECT_LE(gradient_error(f, {random_matrices(2, n, n, 1).tensor(f64), random_matrices(2, n, n, 2).tensor(f64)}),
                1e-9);
  }
}

TEST(Cholesky, HasSecondGradients) {
  const Function f = trace("f", {{"x", f64, {3, 3}}}, [](Var x) {
    const Var a = x + matrix_transpose(x) + 8 * eye(3, {.dtype = f64});
    return sum(square(grad(sum(log(linalg::diagonal(linalg::cholesky(a)))), {x})[0]));
  });
  const Tensor x = Tensor::of<double>({3, 3}, random_matrices(1, 3, 3, 4).v);
  EXPECT_LE(gradient_error(f, {x}), 1e-8);
}

TEST(SolveTriangular, LeavesSmallResiduals) {
  for (const DType t : {f32, f64})
    for (const bool lower : {false, true})
      for (const bool trans : {false, true})
        for (const bool unit : {false, true}) {
          const auto f =
              compile(trace("f", {batch_of("a", t, "n", "n"), batch_of("b", t, "n", "k")}, [&](Var a, Var b) {
                return linalg::solve_triangular(a, b, {.lower = lower, .trans = trans, .unit_diagonal = unit});
              }));
          for (const int64_t n : {1, 2, 3, 7, 17, 33, 64, 65, 150}) {
            Matrices a = random_matrices(2, n, n, 3);
            for (double& x : a.v) x = static_cast<double>(static_cast<float>(x / std::sqrt(static_cast<double>(n))));
            // Without this, solutions of the larger ones are out of f32's range.
            for (int64_t k = 0; k < 2; ++k)
              for (int64_t i = 0; i < n; ++i) a(k, i, i) = static_cast<double>(static_cast<float>(a(k, i, i) + 1));
            const Matrices b = random_matrices(2, n, 3, 5);
            const Matrices x = matrices(f({a.tensor(t), b.tensor(t)})[0]);
            for (int64_t k = 0; k < 2; ++k)
              for (int64_t i = 0; i < n; ++i)
                for (int64_t j = 0; j < n; ++j) {
                  if (lower ? j > i : j < i) a(k, i, j) = 0;
                  if (unit && i == j) a(k, i, j) = 1;
                }
            const Matrices m = trans ? transposed(a) : a;
            EXPECT_LE(residual(
                          m * x - b, [&](int64_t k) { return norm(a, k) * norm(x, k) + norm(b, k); }, t),
                      8)
                << n << lower << trans << unit;
          }
        }
}

TEST(SolveTriangular, GradientsAreThoseOfDifferences) {
  for (const bool lower : {false, true})
    for (const bool trans : {false, true})
      for (const bool unit : {false, true}) {
        const Function f = trace("f", {{"a", f64, {"n", "n"}}, batch_of("b", f64, "n", "k")}, [&](Var a, Var b) {
          const Var m = a + 4 * eye(a.dim(-1), {.dtype = f64});
          return sum(square(linalg::solve_triangular(m, b, {.lower = lower, .trans = trans, .unit_diagonal = unit})));
        });
        const Tensor a = Tensor::of<double>({4, 4}, random_matrices(1, 4, 4, 6).v);
        EXPECT_LE(gradient_error(f, {a, random_matrices(2, 4, 2, 7).tensor(f64)}), 1e-9) << lower << trans << unit;
      }
}

TEST(ChoSolve, SolvesWithEitherFactor) {
  for (const bool lower : {true, false}) {
    const Function f = trace("f", {batch_of("a", f64, "n", "n"), {"b", f64, {"n"}}}, [&](Var a, Var b) {
      return linalg::cho_solve(linalg::cholesky(a, {.upper = !lower}), b, {.lower = lower});
    });
    const auto run = compile(f);
    for (const int64_t n : kOrders) {
      const Matrices a = positive_matrices(2, n, 8), b = random_matrices(1, n, 1, 9);
      const Tensor y = run({a.tensor(f64), Tensor::of<double>({n}, b.v)})[0];
      ASSERT_EQ(y.extents().size(), 2u);
      Matrices x(2, n, 1), both(2, n, 1);
      x.v = doubles(y);
      for (int64_t i = 0; i < n; ++i) both(0, i, 0) = both(1, i, 0) = b(0, i, 0);
      EXPECT_LE(residual(
                    a * x - both, [&](int64_t k) { return norm(a, k) * norm(x, k); }, f64),
                8);
    }
  }
}

TEST(Cholesky, OfNothingIsEmpty) {
  const Function f = trace("f", {batch_of("a", f32, "n", "n"), batch_of("b", f32, "n", "k")}, [](Var a, Var b) {
    const Var l = linalg::cholesky(a);
    return std::pair{l, linalg::cho_solve(l, b)};
  });
  const auto y = compile(f)({Matrices(2, 0, 0).tensor(f32), Matrices(2, 0, 3).tensor(f32)});
  EXPECT_EQ(y[0].size(), 0);
  EXPECT_EQ(y[1].extents()[2], 3);
}

TEST(Cholesky, ErrorsAreAtTheCall) {
  const auto complaint = [](std::vector<Input> inputs, auto f) { return what([&] { trace("f", inputs, f); }); };
  const int line = __LINE__ + 1;
  const std::string text = complaint({{"x", f32, {2, 3}}}, [](Var x) { return linalg::cholesky(x); });
  EXPECT_TRUE(contains(text, "expected square matrices"));
  EXPECT_TRUE(contains(text, cat("linalg_cholesky_test.cc:", line)));
  EXPECT_TRUE(contains(complaint({{"x", f32, {3}}}, [](Var x) { return linalg::cholesky(x); }), "at least two axes"));
  EXPECT_TRUE(contains(complaint({{"x", i64, {2, 2}}}, [](Var x) { return linalg::cholesky(x); }), "bad-type"));
  EXPECT_TRUE(contains(complaint({{"x", f16, {2, 2}}}, [](Var x) { return linalg::cholesky(x); }), "f32 or f64"));
  EXPECT_TRUE(contains(
      complaint({{"x", f32, {2, 2}}, {"b", f32, {3}}}, [](Var x, Var b) { return linalg::solve_triangular(x, b); }),
      "right-hand side"));
}

}  // namespace
}  // namespace tc
