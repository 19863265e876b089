// Functions of matrices, and matrices made of others.
#include "linalg_helpers.h"

namespace tc {
namespace {

using List = std::vector<Var>;

// exp(s j) = cos(s) + j sin(s) where j^2 = -1, and of nilpotent and diagonal matrices it is known as well.
TEST(Expm, OfMatricesWithKnownOnes) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "n", "n")}, [](Var a) { return linalg::expm(a); }));
    for (const double s : {0.0, 1e-4, 0.5, 3.0, 20.0, 200.0}) {
      Matrices a(3, 2, 2);
      a.v = {0, -s, s, 0, 0, s, 0, 0, -s / 4, 0, 0, s / 8};
      const std::vector<double> want = {
          std::cos(s), -std::sin(s), std::sin(s), std::cos(s), 1, s, 0, 1, std::exp(-s / 4), 0, 0, std::exp(s / 8)};
      const std::vector<double> y = doubles(f({a.tensor(t)})[0]);
      const double eps = t == f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
      for (size_t i = 0; i < want.size(); ++i)
        EXPECT_NEAR(y[i], want[i], 8 * eps * std::max(1.0, s) * std::max(1.0, std::abs(want[i]))) << s << " " << i;
    }
  }
}

TEST(Expm, OfTheNegativeIsTheInverse) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "n", "n")}, [](Var a) {
      return List{linalg::expm(a), linalg::expm(-a)};
    }));
    for (const int64_t n : {1, 2, 3, 7, 16, 33}) {
      Matrices a = random_matrices(2, n, n, 3);
      for (double& x : a.v) x = static_cast<double>(static_cast<float>(x / std::sqrt(static_cast<double>(n))));
      const auto y = f({a.tensor(t)});
      const Matrices p = matrices(y[0]), q = matrices(y[1]);
      EXPECT_LE(residual(
                    p * q - unit(2, n), [&](int64_t b) { return norm(p, b) * norm(q, b); }, t),
                8)
          << n;
    }
    EXPECT_EQ(f({Matrices(2, 0, 0).tensor(t)})[0].size(), 0);
  }
}

TEST(Expm, GradientsAreThoseOfDifferences) {
  const Function f = trace("f", {batch_of("a", f64, "n", "n"), batch_of("w", f64, "n", "n")},
                           [](Var a, Var w) { return sum(linalg::expm(a) * w); });
  for (const int64_t n : {1, 2, 4})
    EXPECT_LE(gradient_error(f, {random_matrices(2, n, n, 1).tensor(f64), random_matrices(2, n, n, 2).tensor(f64)}),
              1e-8);
}

TEST(MatrixPower, OfNegativeExponents) {
  const Function f = trace("f", {{"a", f64, {2, 2}}}, [](Var a) {
    return List{linalg::matrix_power(a, -3), linalg::matrix_power(a, -1)};
  });
  const auto y = compile(f)({Tensor::of<double>({2, 2}, {2, 0, 0, -4})});
  EXPECT_EQ(doubles(y[0]), (std::vector<double>{0.125, 0, 0, -1.0 / 64}));
  EXPECT_EQ(doubles(y[1]), (std::vector<double>{0.5, 0, 0, -0.25}));
}

TEST(Kron, MultipliesBlocks) {
  const Function f = trace("f", {{"a", f32, {"m", "n"}}, {"b", f32, {3}}, {"c", i64, {2, 2}}}, [](Var a, Var b, Var c) {
    return List{linalg::kron(a, matrix_transpose(a)), linalg::kron(a, b), linalg::kron(c, c)};
  });
  const auto y = compile(f)({Tensor::of<float>({1, 2}, {2, 3}), Tensor::of<float>({3}, {1, 10, 100}),
                             Tensor::of<int64_t>({2, 2}, {1, 2, 0, 3})});
  EXPECT_EQ(doubles(y[0]), (std::vector<double>{4, 6, 6, 9}));
  EXPECT_EQ(y[0].extents()[0], 2);
  EXPECT_EQ(doubles(y[1]), (std::vector<double>{2, 20, 200, 3, 30, 300}));
  EXPECT_EQ(doubles(y[2]), (std::vector<double>{1, 2, 2, 4, 0, 3, 0, 6, 0, 0, 3, 6, 0, 0, 0, 9}));
}

TEST(BlockDiag, PutsMatricesAlongTheDiagonal) {
  const Function f = trace("f", {{"a", f32, {2, "m", "n"}}, {"b", f32, {2}}}, [](Var a, Var b) {
    return List{linalg::block_diag({a, 7, b}), linalg::block_diag({b})};
  });
  const auto y = compile(f)({Tensor::of<float>({2, 1, 2}, {1, 2, 3, 4}), Tensor::of<float>({2}, {5, 6})});
  EXPECT_EQ(doubles(y[0]), (std::vector<double>{1, 2, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 5, 6,
                                                3, 4, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 5, 6}));
  EXPECT_EQ(doubles(y[1]), (std::vector<double>{5, 6}));
}

TEST(MultiDot, TakesTheCheapOrder) {
  const std::vector<Input> fixed = {{"a", f64, {10}}, {"b", f64, {10, 20}}, {"c", f64, {20, 3}}, {"d", f64, {3}}};
  const std::vector<Input> open = {
      {"a", f64, {"i"}}, {"b", f64, {"i", "j"}}, {"c", f64, {"j", "k"}}, {"d", f64, {"k"}}};
  const auto all = [](Var a, Var b, Var c, Var d) {
    return List{linalg::multi_dot({a, b, c, d}), linalg::multi_dot({b, c})};
  };
  const std::vector<Tensor> in = {Tensor::of<double>({10}, random_matrices(1, 10, 1, 1).v),
                                  Tensor::of<double>({10, 20}, random_matrices(1, 10, 20, 2).v),
                                  Tensor::of<double>({20, 3}, random_matrices(1, 20, 3, 3).v),
                                  Tensor::of<double>({3}, random_matrices(1, 3, 1, 4).v)};
  const auto y = compile(trace("f", fixed, all))(in), z = compile(trace("f", open, all))(in);
  EXPECT_EQ(y[0].extents().size(), 0u);
  EXPECT_NEAR(doubles(y[0])[0] / doubles(z[0])[0], 1, 1e-13);
  EXPECT_EQ(doubles(y[1]).size(), 30u);
  // (10 x 100)(100 x 1)(1 x 50): the wrong order has a product of 10 x 50 and 100 terms.
  const Function f = trace("f", {{"a", f32, {10, 100}}, {"b", f32, {100, 1}}, {"c", f32, {1, 50}}, {"d", f32, {50, 2}}},
                           [](Var a, Var b, Var c, Var d) {
                             return linalg::multi_dot({a, b, c, d});
                           });
  bool outer = false;
  walk(f.module().main(), [&](const Node& n) {
    if (n.num_results() == 1 && n.result(0)->type().is_tensor() && n.result(0)->type().shape().is_static())
      outer = outer || n.result(0)->type().shape().extents() == Extents{10, 50} ||
              n.result(0)->type().shape().extents() == Extents{100, 50};
  });
  EXPECT_FALSE(outer);
}

TEST(Toeplitz, HasConstantDiagonals) {
  const Function f = trace("f", {{"c", f32, {"m"}}, {"r", f32, {2, "n"}}}, [](Var c, Var r) {
    return List{linalg::toeplitz(c, r), linalg::toeplitz(c)};
  });
  const auto y = compile(f)({Tensor::of<float>({3}, {1, 2, 3}), Tensor::of<float>({2, 2}, {9, 5, 9, 6})});
  EXPECT_EQ(doubles(y[0]), (std::vector<double>{1, 5, 2, 1, 3, 2, 1, 6, 2, 1, 3, 2}));
  EXPECT_EQ(doubles(y[1]), (std::vector<double>{1, 2, 3, 2, 1, 2, 3, 2, 1}));
}

TEST(Tensorsolve, SolvesForTensors) {
  const Function f = trace("f", {{"a", f64, {2, 3, 6}}, {"b", f64, {2, 3}}}, [](Var a, Var b) {
    const Var m = reshape(a, {2, 3, 3, 2}), x = linalg::tensorsolve(m, b), inverse = linalg::tensorinv(m);
    const Var moved = permute_dims(m, {0, 2, 1, 3});  // its second axis goes to the end again
    return List{tensordot(m, x, {.axes = 2}), tensordot(inverse, b, {.axes = 2}) - x,
                linalg::tensorsolve(moved, ones({2, 3}, {.dtype = f64}), {.axes = {1, 3}})};
  });
  const Tensor b = Tensor::of<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto y = compile(f)({Tensor::of<double>({2, 3, 6}, random_matrices(1, 6, 6, 1).v), b});
  const std::vector<double> back = doubles(y[0]);
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(back[i], static_cast<double>(i + 1), 1e-13);
  for (const double d : doubles(y[1])) EXPECT_NEAR(d, 0, 1e-12);
  EXPECT_EQ(y[2].extents()[0], 3);
  EXPECT_EQ(y[2].extents()[1], 2);
}

TEST(Solve, WithPromisesReadsTheLowerTriangle) {
  for (const DType t : {f32, f64})
    for (const linalg::Assume assume : {linalg::Assume::sym, linalg::Assume::pos}) {
      const auto f = compile(trace("f", {batch_of("a", t, "n", "n"), batch_of("b", t, "n", "k")},
                                   [&](Var a, Var b) { return linalg::solve(tril(a), b, {.assume = assume}); }));
      for (const int64_t n : {1, 2, 5, 16, 33}) {
        Matrices a = positive_matrices(2, n, 3);
        if (assume == linalg::Assume::sym)
          for (int64_t i = 0; i < n; i += 2) a(1, i, i) = -a(1, i, i);
        const Matrices b = random_matrices(2, n, 3, 4), x = matrices(f({a.tensor(t), b.tensor(t)})[0]);
        EXPECT_LE(residual(
                      a * x - b, [&](int64_t k) { return norm(a, k) * norm(x, k); }, t),
                  8)
            << n;
      }
    }
}

TEST(Solve, GradientsWithPromisesAreThoseOfDifferences) {
  for (const linalg::Assume assume : {linalg::Assume::sym, linalg::Assume::pos}) {
    const Function f = trace("f", {{"x", f64, {3, 3}}, {"b", f64, {3, 2}}}, [&](Var x, Var b) {
      const Var a = x + matrix_transpose(x) + 6 * eye(3, {.dtype = f64});
      return sum(square(linalg::solve(a, b, {.assume = assume}) + 1));
    });
    EXPECT_LE(gradient_error(f, {Tensor::of<double>({3, 3}, random_matrices(1, 3, 3, 1).v),
                                 Tensor::of<double>({3, 2}, random_matrices(1, 3, 2, 2).v)}),
              1e-8);
  }
}

TEST(MatrixFunctions, ErrorsAreAtTheCall) {
  const auto complaint = [](std::vector<Input> inputs, auto f) { return what([&] { trace("f", inputs, f); }); };
  const int line = __LINE__ + 1;
  const std::string text = complaint({{"x", f32, {2, 3}}}, [](Var x) { return linalg::expm(x); });
  EXPECT_TRUE(contains(text, "expected square matrices"));
  EXPECT_TRUE(contains(text, cat("linalg_functions_test.cc:", line)));
  EXPECT_TRUE(contains(complaint({{"x", f32, {2}}}, [](Var x) { return linalg::multi_dot({x}); }), "two or more"));
  EXPECT_TRUE(contains(complaint({{"x", f32, {2, 3, 4}}},
                                 [](Var x) {
                                   return linalg::multi_dot({x, x});
                                 }),
                       "a matrix"));
  EXPECT_TRUE(
      contains(complaint({{"x", f32, {2, 3}}}, [](Var x) { return linalg::tensorinv(x, {.ind = 3}); }), "first axes"));
}

}  // namespace
}  // namespace tc
