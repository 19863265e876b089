// Eigenvalues of matrices that are not symmetric.
#include "linalg_families.h"

namespace tc {
namespace {

using List = std::vector<Var>;

// Random ones, a turn of all axes, a Jordan block, a companion matrix, zeros, a triangular one.
Matrices general_families(int64_t n) {
  Matrices a = random_matrices(6, n, n, static_cast<unsigned>(n));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      a(1, i, j) = j == (i + 1) % n;
      a(2, i, j) = i == j || j == i + 1;
      if (i) a(3, i, j) = i == j + 1;
      a(4, i, j) = 0;
      if (i > j) a(5, i, j) = 0;
    }
  return a;
}

// [re, -im; im, re] of the parts of complex matrices.
Matrices embedded(const Matrices& re, const Matrices& im) {
  Matrices r(re.batch, 2 * re.m, 2 * re.n);
  for (int64_t b = 0; b < re.batch; ++b)
    for (int64_t i = 0; i < re.m; ++i)
      for (int64_t j = 0; j < re.n; ++j) {
        r(b, i, j) = r(b, re.m + i, re.n + j) = re(b, i, j);
        r(b, re.m + i, j) = im(b, i, j);
        r(b, i, re.n + j) = -im(b, i, j);
      }
  return r;
}

TEST(Schur, FormsAreTriangularAndUnitary) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "n", "n")}, [](Var a) {
      const auto [upper, z] = linalg::schur(a);
      return List{upper.re, upper.im, z.re, z.im};
    }));
    for (const int64_t n : {1, 2, 3, 4, 5, 8, 16, 17, 33}) {
      const Matrices a = general_families(n), none(6, n, n);
      const auto y = f({a.tensor(t)});
      const Matrices upper = embedded(matrices(y[0]), matrices(y[1])), z = embedded(matrices(y[2]), matrices(y[3]));
      const Matrices whole = embedded(a, none);
      EXPECT_LE(residual_or_zero(z * upper * transposed(z) - whole, whole, t), 8) << t << " " << n;
      EXPECT_LE(orthogonality(z, t), 8) << t << " " << n;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i; ++j) EXPECT_EQ(upper(0, i, j), 0);
    }
  }
}

TEST(Eig, VectorsDiagonalize) {
  for (const DType t : {f32, f64}) {
    const auto f = compile(trace("f", {batch_of("a", t, "n", "n")}, [](Var a) {
      const auto [w, v] = linalg::eig(a);
      const Complex again = linalg::eigvals(a);
      return List{w.re, w.im, v.re, v.im, again.re - w.re, again.im - w.im};
    }));
    for (const int64_t n : {1, 2, 3, 4, 5, 8, 16, 17, 33}) {
      const Matrices a = general_families(n), none(6, n, n);
      const auto y = f({a.tensor(t)});
      Matrices re(6, n, n), im(6, n, n);
      for (int64_t b = 0; b < 6; ++b)
        for (int64_t i = 0; i < n; ++i) {
          re(b, i, i) = doubles(y[0])[static_cast<size_t>(b * n + i)];
          im(b, i, i) = doubles(y[1])[static_cast<size_t>(b * n + i)];
        }
      const Matrices whole = embedded(a, none), v = embedded(matrices(y[2]), matrices(y[3]));
      // Columns of length 1: the residual is relative to a and those.
      EXPECT_LE(
          residual(
              whole * v - v * embedded(re, im), [&](int64_t b) { return norm(whole, b) > 0 ? norm(whole, b) : 1; }, t),
          8)
          << t << " " << n;
      for (int64_t b = 0; b < 6; ++b)
        for (int64_t j = 0; j < n; ++j) {
          double length = 0;
          for (int64_t i = 0; i < 2 * n; ++i) length += v(b, i, j) * v(b, i, j);
          EXPECT_NEAR(length, 1, t == f32 ? 1e-5 : 1e-13);
        }
      for (size_t k = 4; k < 6; ++k)
        for (const double d : doubles(y[k])) EXPECT_EQ(d, 0);
    }
  }
}

TEST(Eig, ValuesAreThoseOfFormulas) {
  const auto f = compile(trace("f", {{"a", f64, {2, 2}}}, [](Var a) {
    const Complex w = linalg::eigvals(a);
    return List{sort(w.re), sort(w.im)};
  }));
  const auto y = f({Tensor::of<double>({2, 2}, {1, -2, 3, 1})});
  EXPECT_NEAR(doubles(y[0])[0], 1, 1e-15);
  EXPECT_NEAR(doubles(y[1])[0], -std::sqrt(6.0), 1e-15);
  EXPECT_NEAR(doubles(y[1])[1], std::sqrt(6.0), 1e-15);
}

TEST(Eig, GradientsAreThoseOfDifferences) {
  const Function f = trace("f", {batch_of("a", f64, "n", "n"), batch_of("c", f64, "n", "n")}, [](Var a, Var c) {
    const auto [w, v] = linalg::eig(a);
    const Complex x = linalg::eigvals(a);
    // Sums over all values, and what does not depend on phases.
    const Var size = v.re * v.re + v.im * v.im;
    return sum(c * matmul(size, expand_dims(w.re * w.re, -1))) + sum(x.im * x.im * x.re) +
           sum(w.re * w.re * w.im * w.im);
  });
  for (const int64_t n : {1, 2, 4})
    EXPECT_LE(gradient_error(f, {random_matrices(2, n, n, 5).tensor(f64), random_matrices(2, n, n, 6).tensor(f64)}),
              1e-7)
        << n;
}

TEST(Eig, OfNothingIsEmpty) {
  const auto f = compile(trace("f", {batch_of("a", f32, "n", "n")}, [](Var a) { return linalg::eig(a).eigenvalues; }));
  EXPECT_EQ(f({Matrices(2, 0, 0).tensor(f32)})[0].size(), 0);
}

TEST(Eig, ErrorsAreAtTheCall) {
  const auto complaint = [](std::vector<Input> inputs, auto f) { return what([&] { trace("f", inputs, f); }); };
  const int line = __LINE__ + 1;
  const std::string text = complaint({{"x", f32, {2, 3}}}, [](Var x) { return linalg::eigvals(x); });
  EXPECT_TRUE(contains(text, "expected square matrices"));
  EXPECT_TRUE(contains(text, cat("linalg_eig_test.cc:", line)));
}

}  // namespace
}  // namespace tc
