// Sparse matrices against dense ones, and iterative solvers.
#include "linalg_helpers.h"

namespace tc {
namespace {

using List = std::vector<Var>;
using sparse::Coo;
using sparse::Csc;
using sparse::Csr;

// Dense numbers of which most are 0, with an empty row and an empty column.
Tensor thin(int64_t m, int64_t n, unsigned seed, DType t = f64) {
  Matrices a = random_matrices(1, m, n, seed);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      if ((i * 7 + j * 5 + static_cast<int64_t>(seed)) % 3 || i == 1 || j == 2) a(0, i, j) = 0;
  if (t == f64) return Tensor::of<double>({m, n}, a.v);
  return Tensor::of<float>({m, n}, std::vector<float>(a.v.begin(), a.v.end()));
}

void expect_equal(const Tensor& got, const Tensor& want, double tolerance = 0) {
  ASSERT_EQ(Extents(got.extents().begin(), got.extents().end()), Extents(want.extents().begin(), want.extents().end()));
  const std::vector<double> a = doubles(got), b = doubles(want);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

TEST(Sparse, FormsAreOneMatrix) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {{"x", t, {"m", "n"}}}, [](Var x) {
      const Csr a = sparse::csr_from_dense(x);
      const Csc b = sparse::csc_from_dense(x);
      const Coo c = sparse::coo_from_dense(x);
      return List{sparse::to_dense(a),
                  sparse::to_dense(b),
                  sparse::to_dense(c),
                  sparse::to_dense(sparse::to_csr(b)),
                  sparse::to_dense(sparse::to_csc(a)),
                  matrix_transpose(sparse::to_dense(sparse::transpose(a))),
                  matrix_transpose(sparse::to_dense(sparse::transpose(b))),
                  matrix_transpose(sparse::to_dense(sparse::transpose(c))),
                  sparse::to_dense(sparse::sum_duplicates(sparse::add(a, b))) / 2,
                  sparse::to_dense(sparse::eliminate_zeros(sparse::multiply(a, 1)))};
    }));
    for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{{5, 4}, {1, 1}, {2, 9}, {7, 3}}) {
      const Tensor x = thin(m, n, 1, t);
      const auto y = f({x});
      for (const Tensor& one : y) expect_equal(one, x);
    }
  }
}

TEST(Sparse, ArithmeticIsThatOfDenseMatrices) {
  const Function f =
      trace("f", {{"x", f64, {"m", "n"}}, {"y", f64, {"m", "n"}}, {"v", f64, {"n"}}, {"w", f64, {"m"}}},
            [](Var x, Var y, Var v, Var w) {
              const Csr a = sparse::csr_from_dense(x);
              const Csc b = sparse::csc_from_dense(y);
              const auto dense = [](const Coo& m) { return sparse::to_dense(m); };
              return List{dense(sparse::add(a, b)) - (x + y),
                          dense(sparse::subtract(a, b)) - (x - y),
                          dense(sparse::multiply(a, b)) - x * y,
                          dense(sparse::multiply(b, x)) - x * y,
                          dense(sparse::multiply(a, v)) - x * v,
                          dense(sparse::multiply(a, 3)) - x * 3,
                          sparse::add(a, y) - (x + y),
                          dense(sparse::row_scale(a, w)) - x * expand_dims(w, 1),
                          dense(sparse::col_scale(b, v)) - y * v,
                          dense(sparse::structured(a, [](Var e) { return exp(e); })) - where(x == 0, 0, exp(x)),
                          dense(sparse::astype(a, f32)) - astype(x, f32),
                          sparse::sum(a) - sum(x),
                          sparse::sum(a, 0) - sum(x, 0),
                          sparse::sum(b, -1) - sum(y, 1),
                          sparse::diagonal(a) - linalg::diagonal(x),
                          dense(sparse::diag(v)) - eye(v.dim(0), {.dtype = f64}) * v,
                          dense(sparse::hstack({a, b})) - concat({x, y}, 1),
                          dense(sparse::vstack({a, b, a})) - concat({x, y, x}, 0),
                          dense(sparse::block_diag({a, b})) - linalg::block_diag({x, y})};
            });
  const auto run = compile(f);
  for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{{5, 4}, {3, 8}, {1, 1}}) {
    const auto y = run({thin(m, n, 1), thin(m, n, 2), Tensor::of<double>({n}, random_matrices(1, n, 1, 3).v),
                        Tensor::of<double>({m}, random_matrices(1, m, 1, 4).v)});
    for (size_t i = 0; i < y.size(); ++i)
      for (const double d : doubles(y[i])) EXPECT_NEAR(d, 0, 1e-14) << i;
  }
}

TEST(Sparse, ProductsAreThoseOfDenseMatrices) {
  for (const DType t : {f32, f64}) {
    const std::vector<Input> inputs = {
        {"x", t, {"m", "n"}}, {"v", t, {"n"}}, {"c", t, {"n", "k"}}, {"d", t, {"k", "m"}}};
    const auto f = compile(trace("f", inputs, [](Var x, Var v, Var c, Var d) {
      const Csr a = sparse::csr_from_dense(x);
      return List{sparse::matmul(a, v) - matmul(x, v), sparse::matmul(a, c) - matmul(x, c),
                  sparse::matmul(d, a) - matmul(d, x), sparse::matmul(d[0], sparse::to_csc(a)) - matmul(d[0], x),
                  sparse::to_dense(sparse::coo(sparse::sampled_dot(a, matrix_transpose(d), c), Coo(a).row, Coo(a).col,
                                               a.rows, a.cols)) -
                      where(x == 0, 0, matmul(matrix_transpose(d), matrix_transpose(c)))};
    }));
    for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{{5, 4}, {3, 8}, {1, 1}}) {
      const auto y = f({thin(m, n, 1, t), Matrices(random_matrices(1, n, 1, 3)).tensor(t).reshaped({n}),
                        random_matrices(1, n, 3, 5).tensor(t).reshaped({n, 3}),
                        random_matrices(1, 3, m, 6).tensor(t).reshaped({3, m})});
      for (size_t i = 0; i < y.size(); ++i)
        for (const double d : doubles(y[i])) EXPECT_NEAR(d, 0, t == f32 ? 3e-6 : 1e-14) << i;
    }
  }
}

// Duplicates, rows without elements, no elements at all.
TEST(Sparse, TakesWhatUsersGive) {
  const Function f =
      trace("f", {{"data", f32, {"e"}}, {"i", i32, {"e"}}, {"j", i64, {"e"}}}, [](Var data, Var i, Var j) {
        const Coo a = sparse::coo(data, i, j, 3, 2);
        const Csr once = sparse::sum_duplicates(a), kept = sparse::eliminate_zeros(a);
        return List{
            sparse::to_dense(a), sparse::to_dense(sparse::to_csr(a)), once.data, once.indices, once.indptr, kept.data};
      });
  const auto run = compile(f);
  const auto y = run({Tensor::of<float>({4}, {1, 2, 3, -3}), Tensor::of<int32_t>({4}, {2, 0, 2, 0}),
                      Tensor::of<int64_t>({4}, {1, 1, 1, 1})});
  EXPECT_EQ(doubles(y[0]), (std::vector<double>{0, -1, 0, 0, 0, 4}));
  EXPECT_EQ(doubles(y[1]), doubles(y[0]));
  EXPECT_EQ(doubles(y[2]), (std::vector<double>{-1, 4}));
  EXPECT_EQ(doubles(y[3]), (std::vector<double>{1, 1}));
  EXPECT_EQ(doubles(y[4]), (std::vector<double>{0, 1, 1, 2}));
  EXPECT_EQ(y[5].size(), 2);
  const auto none = run({Tensor::of<float>({0}, {}), Tensor::of<int32_t>({0}, {}), Tensor::of<int64_t>({0}, {})});
  EXPECT_EQ(doubles(none[0]), std::vector<double>(6));
  EXPECT_EQ(doubles(none[4]), std::vector<double>(4));
}

TEST(Sparse, GradientsAreThoseOfDifferences) {
  const Function f = trace("f", {{"data", f64, {4}}, {"x", f64, {3, 2}}}, [](Var data, Var x) {
    const Csr a = sparse::csr(data, Tensor::of<int64_t>({4}, {0, 2, 1, 2}), Tensor::of<int64_t>({4}, {0, 2, 2, 4}), 3);
    const Csr both = sparse::add(a, sparse::transpose(a));
    return sum(square(sparse::matmul(a, x) + 1)) + sum(square(sparse::matmul(both, x[{ellipsis, 0}]))) +
           sum(sparse::sampled_dot(a, x, x) * data) + sum(square(sparse::diagonal(sparse::multiply(a, a))));
  });
  EXPECT_LE(gradient_error(
                f, {Tensor::of<double>({4}, {1, 2, -3, 4}), Tensor::of<double>({3, 2}, random_matrices(1, 3, 2, 2).v)}),
            1e-9);
}

// The second differences of a line, or not symmetric ones with a wind.
Var line(const Var& x, double wind) {
  const Var i = arange(x.dim(0));
  const Var d = expand_dims(i, 1) - expand_dims(i, 0);
  return where(d == 0, 2.5, where(d == 1, -1 - wind, where(d == -1, -1 + wind, astype(0 * d, f64))));
}

TEST(SparseSolvers, LeaveSmallResiduals) {
  for (const bool jacobi : {false, true}) {
    const Function f = trace("f", {{"b", f64, {"n"}}}, [&](Var b) {
      const Csr a = sparse::csr_from_dense(line(b, 0)), c = sparse::csr_from_dense(line(b, 0.4));
      const auto x = sparse::cg(a, b, {.rtol = 1e-12, .jacobi = jacobi});
      const auto y = sparse::bicgstab(c, b, {.rtol = 1e-12, .jacobi = jacobi});
      const auto z = sparse::gmres(c, b, {.rtol = 1e-12, .restart = 10, .jacobi = jacobi});
      return List{sparse::matmul(a, x.x) - b,
                  sparse::matmul(c, y.x) - b,
                  sparse::matmul(c, z.x) - b,
                  x.residual,
                  y.residual,
                  z.residual,
                  x.iterations};
    });
    const auto run = compile(f);
    for (const int64_t n : {1, 2, 5, 40}) {
      const std::vector<double> b = random_matrices(1, n, 1, 3).v;
      double length = 0;
      for (const double x : b) length += x * x;
      length = std::sqrt(length);
      const auto y = run({Tensor::of<double>({n}, b)});
      for (size_t k = 0; k < 3; ++k) {
        double left = 0;
        for (const double d : doubles(y[k])) left += d * d;
        EXPECT_LE(std::sqrt(left), 2e-12 * length) << k << " of " << n;
        EXPECT_LE(doubles(y[k + 3])[0], 2e-12 * length) << k << " of " << n;
      }
      EXPECT_LE(doubles(y[6])[0], 45);
    }
  }
}

TEST(SparseSolvers, OfZerosIsZeros) {
  const Function f = trace("f", {{"b", f32, {3}}}, [](Var b) {
    const Csr a = sparse::diag(full({3}, 2.0f));
    return List{sparse::cg(a, b).x, sparse::bicgstab(a, b).x, sparse::gmres(a, b).x};
  });
  for (const Tensor& x : compile(f)({Tensor::of<float>({3}, {0, 0, 0})})) EXPECT_EQ(doubles(x), std::vector<double>(3));
}

TEST(SparseSolvers, GradientsAreThoseOfDifferences) {
  const auto check = [](const char* name, auto solver) {
    const Function f = trace("f", {{"data", f64, {7}}, {"b", f64, {3}}}, [&](Var data, Var b) {
      const Csr a =
          sparse::csr(data, Tensor::of<int64_t>({7}, {0, 1, 0, 1, 2, 1, 2}), Tensor::of<int64_t>({4}, {0, 2, 5, 7}), 3);
      return sum(square(solver(sparse::add(a, sparse::transpose(a)), b) + 1));
    });
    EXPECT_LE(
        gradient_error(f, {Tensor::of<double>({7}, {4, 1, 0.5, 5, -1, 0.3, 6}), Tensor::of<double>({3}, {1, 2, 3})}),
        1e-8)
        << name;
  };
  check("cg", [](const Csr& a, Var b) { return sparse::cg(a, b, {.rtol = 1e-13}).x; });
  check("bicgstab", [](const Csr& a, Var b) { return sparse::bicgstab(a, b, {.rtol = 1e-13}).x; });
  check("gmres", [](const Csr& a, Var b) { return sparse::gmres(a, b, {.rtol = 1e-13}).x; });
}

TEST(Sparse, ErrorsAreAtTheCall) {
  const auto complaint = [](std::vector<Input> inputs, auto f) { return what([&] { trace("f", inputs, f); }); };
  const int line = __LINE__ + 2;
  const std::string text = complaint({{"x", f32, {2, 3}}, {"y", f32, {2, 2}}}, [](Var x, Var y) {
    return sparse::to_dense(sparse::add(sparse::csr_from_dense(x), sparse::csr_from_dense(y)));
  });
  EXPECT_TRUE(contains(text, "matrices [2,3] and [2,2]"));
  EXPECT_TRUE(contains(text, cat("sparse_test.cc:", line)));
  EXPECT_TRUE(contains(complaint({{"x", f32, {2, 3}}, {"v", f32, {2}}},
                                 [](Var x, Var v) { return sparse::matmul(sparse::csr_from_dense(x), v); }),
                       "sparse.matmul"));
  EXPECT_TRUE(
      contains(complaint({{"x", f32, {3}}}, [](Var x) { return sparse::coo(x, x, x, 2, 2).data; }), "bad-type"));
  EXPECT_TRUE(contains(complaint({{"x", f32, {2, 3}}, {"v", f32, {2}}},
                                 [](Var x, Var v) { return sparse::cg(sparse::csr_from_dense(x), v).x; }),
                       "a square one"));
}

}  // namespace
}  // namespace tc
