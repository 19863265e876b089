// Singular values, pseudo-inverses, ranks and least squares of any rank.
#include "linalg_families.h"

namespace tc {
namespace {

using List = std::vector<Var>;
using linalg::MatrixNorm;

void expect_decomposed(const Matrices& a, const std::vector<Tensor>& y, DType t) {
  const Matrices u = matrices(y[0]), vh = matrices(y[2]);
  const std::vector<double> s = doubles(y[1]);
  const int64_t k = std::min(a.m, a.n);
  const auto first = [&](const Matrices& q) {
    Matrices r(q.batch, q.m, k);
    for (int64_t b = 0; b < q.batch; ++b)
      for (int64_t i = 0; i < q.m; ++i)
        for (int64_t j = 0; j < k; ++j) r(b, i, j) = q(b, i, j);
    return r;
  };
  const Matrices v = transposed(vh);
  EXPECT_LE(residual_or_zero(scaled_columns(first(u), s) * transposed(first(v)) - a, a, t), 8) << a.m << " " << a.n;
  EXPECT_LE(orthogonality(u, t), 8) << a.m << " " << a.n;
  EXPECT_LE(orthogonality(v, t), 8) << a.m << " " << a.n;
  for (size_t i = 0; i < s.size(); ++i) {
    EXPECT_GE(s[i], 0);
    EXPECT_TRUE(i % static_cast<size_t>(k) == 0 || s[i] <= s[i - 1]);
  }
}

TEST(Svd, FactorsMultiplyBack) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "m", "n")}, [](Var a) {
      const auto [u, s, vh] = linalg::svd(a, {.full_matrices = false});
      return List{u, s, vh};
    }));
    for (const int64_t n : kManyOrders) {
      const Matrices a = symmetric_families(n);
      expect_decomposed(a, f({a.tensor(t)}), t);
    }
    for (const auto& [m, n] :
         std::vector<std::pair<int64_t, int64_t>>{{5, 3}, {3, 5}, {1, 4}, {4, 1}, {40, 7}, {7, 40}}) {
      // One of full rank, one of rank 1, and zeros.
      Matrices a = random_matrices(3, m, n, 7);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) a(1, i, j) = static_cast<double>((i + 1) * (j - 2)), a(2, i, j) = 0;
      const auto y = f({a.tensor(t)});
      EXPECT_EQ(matrices(y[0]).n, std::min(m, n));
      expect_decomposed(a, y, t);
    }
  }
}

TEST(Svd, FullFactorsAreSquare) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "m", "n")}, [](Var a) {
      const auto [u, s, vh] = linalg::svd(a);
      return List{u, s, vh};
    }));
    for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{{3, 3}, {5, 3}, {3, 5}, {1, 4}, {17, 6}}) {
      const Matrices a = random_matrices(2, m, n, 8);
      const auto y = f({a.tensor(t)});
      EXPECT_EQ(matrices(y[0]).n, m);
      EXPECT_EQ(matrices(y[2]).m, n);
      expect_decomposed(a, y, t);
    }
  }
}

TEST(Svd, GradientsAreThoseOfDifferences) {
  const Function f = trace("f", {batch_of("a", f64, "m", "n")}, [](Var a) {
    const auto [u, s, vh] = linalg::svd(a, {.full_matrices = false});
    const Var c = astype(arange(u.dim(-2)), f64), d = astype(arange(vh.dim(-1)), f64);
    return sum(square(u) * expand_dims(c, 1)) + sum(square(vh) * d) + sum(s * s * s) +
           sum(matmul(u, vh) * expand_dims(c + 0.5, 1));
  });
  for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {4, 4}, {5, 3}, {3, 5}}) {
    Matrices a = random_matrices(2, m, n, 3);
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t i = 0; i < std::min(m, n); ++i) a(b, i, i) += static_cast<double>(3 * i + 3);
    EXPECT_LE(gradient_error(f, {a.tensor(f64)}), 1e-8) << m << " x " << n;
  }
}

// A matrix of rank r with singular values between 1 and 2.
Matrices of_rank(int64_t m, int64_t n, int64_t r) {
  const Matrices left = random_matrices(1, m, r, 11), right = random_matrices(1, r, n, 12);
  return left * right;
}

TEST(Pinv, HasTheFourProperties) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "m", "n")}, [](Var a) {
      return List{linalg::pinv(a, {.rtol = a.dtype() == f32 ? 1e-4 : 1e-10}), linalg::matrix_rank(a, {.rtol = 1e-4})};
    }));
    for (const auto& [m, n, r] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{
             {1, 1, 1}, {4, 4, 4}, {6, 4, 4}, {4, 6, 4}, {6, 6, 3}, {9, 5, 2}, {5, 9, 2}}) {
      Matrices a = of_rank(m, n, r);
      if (t == f32)
        for (double& x : a.v) x = rounded(x);
      const auto y = f({a.tensor(t)});
      const Matrices p = matrices(y[0]), ap = a * p, pa = p * a;
      EXPECT_EQ(doubles(y[1])[0], static_cast<double>(r));
      const double condition = norm(a, 0) * norm(p, 0);
      const auto small = [&](const Matrices& x, const Matrices& of) { return residual(x, of, t) / condition; };
      EXPECT_LE(small(ap * a - a, a), 8) << m << n << r;
      EXPECT_LE(small(pa * p - p, p), 8) << m << n << r;
      EXPECT_LE(small(ap - transposed(ap), ap), 8) << m << n << r;
      EXPECT_LE(small(pa - transposed(pa), pa), 8) << m << n << r;
    }
  }
}

TEST(Pinv, GradientsAreThoseOfDifferences) {
  // a = x y has constant rank.
  for (const auto& [m, n, r] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{{3, 3, 3}, {5, 3, 3}, {3, 5, 2}}) {
    const Function f = trace("f", {{"x", f64, {m, r}}, {"y", f64, {r, n}}}, [](Var x, Var y) {
      const Var p = linalg::pinv(matmul(x, y), {.rtol = 1e-9});
      return sum(square(p + 0.5)) + sum(p[0]);
    });
    Matrices x = random_matrices(1, m, r, 3), y = random_matrices(1, r, n, 4);
    for (int64_t i = 0; i < r; ++i) x(0, i, i) += 4, y(0, i, i) += 4;
    EXPECT_LE(gradient_error(f, {Tensor::of<double>({m, r}, x.v), Tensor::of<double>({r, n}, y.v)}), 1e-8);
  }
}

TEST(Cond, IsTheQuotientOfSingularValues) {
  const Function f = trace("f", {{"a", f64, {2, 2, 2}}}, [](Var a) {
    return List{linalg::cond(a),
                linalg::cond(a, {.p = MatrixNorm::minus_two}),
                linalg::cond(a, {.p = MatrixNorm::one}),
                linalg::matrix_norm(a, {.ord = MatrixNorm::nuclear}),
                linalg::matrix_norm(a, {.ord = MatrixNorm::two}),
                linalg::matrix_norm(a, {.keepdims = true, .ord = MatrixNorm::minus_two}),
                linalg::matrix_rank(a)};
  });
  const auto y = compile(f)({Tensor::of<double>({2, 2, 2}, {0, 3, -4, 0, 1, 1, 1, 1})});
  EXPECT_NEAR(doubles(y[0])[0], 4.0 / 3, 1e-15);
  EXPECT_GT(doubles(y[0])[1], 1e15);
  EXPECT_NEAR(doubles(y[1])[0], 0.75, 1e-15);
  EXPECT_NEAR(doubles(y[2])[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(doubles(y[3])[0], 7, 1e-14);
  EXPECT_NEAR(doubles(y[4])[1], 2, 1e-15);
  EXPECT_NEAR(doubles(y[5])[0], 3, 1e-15);
  EXPECT_EQ(y[5].extents().size(), 3u);
  EXPECT_EQ(doubles(y[6]), (std::vector<double>{2, 1}));
}

TEST(Lstsq, LeavesResidualsThatAreOrthogonal) {
  for (const DType t : {f32, f64})
    for (const bool full_rank : {false, true}) {
      const auto f = compile(
          trace("f", {{"a", t, {2, 20, 7}}, {"b", t, {2, 20, 3}}, {"c", t, {2, 7, 3}}}, [&](Var a, Var b, Var c) {
            const auto tall = linalg::lstsq(a, b, {.full_rank = full_rank});
            return List{tall.x, linalg::lstsq(matrix_transpose(a), c, {.full_rank = full_rank}).x, tall.residuals,
                        tall.rank};
          }));
      const Matrices a = random_matrices(2, 20, 7, 1), b = random_matrices(2, 20, 3, 2),
                     c = random_matrices(2, 7, 3, 3);
      const auto y = f({a.tensor(t), b.tensor(t), c.tensor(t)});
      const Matrices x = matrices(y[0]), z = matrices(y[1]), wide = transposed(a), left = a * x - b;
      EXPECT_LE(residual(
                    wide * left, [&](int64_t i) { return norm(a, i) * norm(b, i); }, t),
                8);
      EXPECT_LE(residual(
                    wide * z - c, [&](int64_t i) { return norm(a, i) * norm(z, i); }, t),
                8);
      double squares = 0;
      for (int64_t i = 0; i < 20; ++i) squares += left(1, i, 2) * left(1, i, 2);
      EXPECT_NEAR(doubles(y[2])[5] / squares, 1, t == f32 ? 1e-5 : 1e-14);
      EXPECT_EQ(doubles(y[3]), (std::vector<double>{7, 7}));
      // The least one has no part that a takes to zero: it is a combination of the columns of a.
      const auto again = f({a.tensor(t), y[1], c.tensor(t)});
      const Matrices part = a * matrices(again[0]);
      EXPECT_LE(residual(part - z, z, t), 8);
    }
}

TEST(Lstsq, TakesMatricesOfLesserRank) {
  const Function f = trace("f", {{"a", f64, {"m", "n"}}, {"b", f64, {"m"}}}, [](Var a, Var b) {
    const auto [x, residuals, rank, s] = linalg::lstsq(a, b, {.rcond = 1e-10});
    return List{x, residuals, rank, s, matmul(linalg::pinv(a, {.rtol = 1e-10}), b)};
  });
  const Matrices a = of_rank(6, 5, 3), b = random_matrices(1, 6, 1, 2);
  const auto y = compile(f)({Tensor::of<double>({6, 5}, a.v), Tensor::of<double>({6}, b.v)});
  const std::vector<double> x = doubles(y[0]), want = doubles(y[4]);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], want[i], 1e-13);
  EXPECT_EQ(y[1].size(), 1);
  EXPECT_EQ(doubles(y[2])[0], 3);
  EXPECT_EQ(y[3].size(), 5);
}

TEST(Lstsq, GradientsAreThoseOfDifferences) {
  for (const bool full_rank : {false, true})
    for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{{5, 3}, {3, 5}, {3, 3}}) {
      const Function f = trace("f", {{"a", f64, {2, m, n}}, {"b", f64, {m}}}, [&](Var a, Var b) {
        return sum(square(linalg::lstsq(a, b, {.full_rank = full_rank}).x + 1));
      });
      Matrices a = random_matrices(2, m, n, 3);
      for (int64_t b = 0; b < 2; ++b)
        for (int64_t i = 0; i < 3; ++i) a(b, i, i) += 6;
      EXPECT_LE(gradient_error(f, {a.tensor(f64), Tensor::of<double>({m}, random_matrices(1, m, 1, 5).v)}), 1e-8);
    }
}

TEST(Svd, OfNothingIsEmpty) {
  const auto f = compile(trace("f", {batch_of("a", f32, "m", "n")}, [](Var a) {
    const auto [u, s, vh] = linalg::svd(a);
    return List{u, s, vh, linalg::pinv(a), linalg::matrix_rank(a)};
  }));
  const auto y = f({Matrices(2, 3, 0).tensor(f32)});
  EXPECT_EQ(matrices(y[0]).v, unit(2, 3).v);
  EXPECT_EQ(y[1].size(), 0);
  EXPECT_EQ(y[2].size(), 0);
  EXPECT_EQ(y[3].extents()[2], 3);
  EXPECT_EQ(doubles(y[4]), (std::vector<double>{0, 0}));
}

TEST(Svd, ErrorsAreAtTheCall) {
  const auto complaint = [](std::vector<Input> inputs, auto f) { return what([&] { trace("f", inputs, f); }); };
  const int line = __LINE__ + 1;
  const std::string text = complaint({{"x", f32, {3}}}, [](Var x) { return linalg::svdvals(x); });
  EXPECT_TRUE(contains(text, "at least two axes"));
  EXPECT_TRUE(contains(text, cat("linalg_svd_test.cc:", line)));
  EXPECT_TRUE(contains(complaint({{"a", f32, {"m", "n"}}, {"b", f32, {"m"}}},
                                 [](Var a, Var b) { return linalg::lstsq(a, b, {.full_rank = true}).x; }),
                       "tall or wide"));
  EXPECT_TRUE(contains(complaint({{"x", f32, {2, 3}}}, [](Var x) { return linalg::cond(x, {.p = MatrixNorm::one}); }),
                       "square"));
}

}  // namespace
}  // namespace tc
