// Matrix equations and tridiagonal systems.
#include "linalg_helpers.h"

namespace tc {
namespace {

using List = std::vector<Var>;

// Random matrices whose eigenvalues are about within a circle of that radius around the centre.
Matrices around(int64_t batch, int64_t n, double centre, double radius, unsigned seed) {
  Matrices a = random_matrices(batch, n, n, seed);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        a(b, i, j) = static_cast<double>(
            static_cast<float>(a(b, i, j) * radius / std::sqrt(static_cast<double>(n)) + (i == j ? centre : 0)));
  return a;
}

Matrices operator+(Matrices a, const Matrices& c) {
  for (size_t i = 0; i < a.v.size(); ++i) a.v[i] += c.v[i];
  return a;
}

TEST(Sylvester, LeavesSmallResiduals) {
  for (const DType t : {f32, f64}) {
    const std::vector<Input> inputs = {batch_of("a", t, "n", "n"), batch_of("b", t, "m", "m"),
                                       batch_of("q", t, "n", "m")};
    const auto f = compile(trace("f", inputs, [](Var a, Var b, Var q) { return linalg::solve_sylvester(a, b, q); }));
    // Up to 16 x 16 unknowns any spectra, above it those of one side.
    for (const auto& [n, m] :
         std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {2, 3}, {7, 5}, {16, 16}, {20, 17}, {40, 33}})
      for (const double side : {1.0, -1.0}) {
        const Matrices a = around(2, n, 2 * side, 1, 1), b = around(2, m, 2 * side, 1, 2),
                       q = random_matrices(2, n, m, 3);
        const Matrices x = matrices(f({a.tensor(t), b.tensor(t), q.tensor(t)})[0]);
        EXPECT_LE(residual(
                      a * x + x * b - q, [&](int64_t i) { return (norm(a, i) + norm(b, i)) * norm(x, i); }, t),
                  8)
            << n << " " << m;
      }
    const Matrices a = around(1, 4, 0, 1, 1), b = around(1, 4, 0, 1, 7), q = random_matrices(1, 4, 4, 3);
    const Matrices x = matrices(f({a.tensor(t), b.tensor(t), q.tensor(t)})[0]);
    EXPECT_LE(residual(
                  a * x + x * b - q, [&](int64_t i) { return (norm(a, i) + norm(b, i)) * norm(x, i); }, t),
              8);
  }
}

TEST(Sylvester, WithoutTheSidesIsNan) {
  const auto f = compile(trace("f", {{"a", f64, {20, 20}}},
                               [](Var a) { return linalg::solve_continuous_lyapunov(a, eye(20, {.dtype = f64})); }));
  Matrices a = unit(1, 20);
  a(0, 3, 3) = -2;
  for (const double x : doubles(f({Tensor::of<double>({20, 20}, a.v)})[0])) EXPECT_TRUE(std::isnan(x));
}

TEST(Lyapunov, LeavesSmallResiduals) {
  for (const DType t : {f32, f64}) {
    const std::vector<Input> inputs = {batch_of("a", t, "n", "n"), batch_of("q", t, "n", "n")};
    const auto continuous =
        compile(trace("f", inputs, [](Var a, Var q) { return linalg::solve_continuous_lyapunov(a, q); }));
    const auto discrete =
        compile(trace("f", inputs, [](Var a, Var q) { return linalg::solve_discrete_lyapunov(a, q); }));
    for (const int64_t n : {1, 2, 5, 16, 17, 33}) {
      const Matrices q = random_matrices(2, n, n, 4), a = around(2, n, -1.5, 1, 5), c = around(2, n, 0, 0.7, 6);
      const Matrices x = matrices(continuous({a.tensor(t), q.tensor(t)})[0]);
      EXPECT_LE(residual(
                    a * x + x * transposed(a) - q, [&](int64_t i) { return 2 * norm(a, i) * norm(x, i); }, t),
                8)
          << n;
      const Matrices y = matrices(discrete({c.tensor(t), q.tensor(t)})[0]);
      EXPECT_LE(
          residual(
              c * y * transposed(c) + q - y, [&](int64_t i) { return (norm(c, i) * norm(c, i) + 1) * norm(y, i); }, t),
          8)
          << n;
    }
    const Matrices two = unit(1, 2) + unit(1, 2);
    for (const double x : doubles(discrete({two.tensor(t), unit(1, 2).tensor(t)})[0])) EXPECT_TRUE(std::isnan(x));
    EXPECT_EQ(discrete({Matrices(2, 0, 0).tensor(t), Matrices(2, 0, 0).tensor(t)})[0].size(), 0);
  }
}

struct Plant {
  Matrices a, b, q, r;
};
Plant plant(int64_t n, int64_t m, double centre) {
  const Matrices c = random_matrices(2, n, n, 8);
  return {around(2, n, centre, 1, 5), random_matrices(2, n, m, 6), c * transposed(c) + unit(2, n),
          positive_matrices(2, m, 7)};
}
std::vector<Tensor> tensors(const Plant& p, DType t) {
  return {p.a.tensor(t), p.b.tensor(t), p.q.tensor(t), p.r.tensor(t)};
}
// r^-1 c for positive definite r, in double by elimination without pivots.
Matrices quotient(Matrices r, Matrices c) {
  for (int64_t b = 0; b < r.batch; ++b)
    for (int64_t k = 0; k < r.n; ++k)
      for (int64_t i = 0; i < r.n; ++i) {
        if (i == k) continue;
        const double f = r(b, i, k) / r(b, k, k);
        for (int64_t j = 0; j < r.n; ++j) r(b, i, j) -= f * r(b, k, j);
        for (int64_t j = 0; j < c.n; ++j) c(b, i, j) -= f * c(b, k, j);
      }
  for (int64_t b = 0; b < r.batch; ++b)
    for (int64_t i = 0; i < r.n; ++i)
      for (int64_t j = 0; j < c.n; ++j) c(b, i, j) /= r(b, i, i);
  return c;
}

TEST(Riccati, LeavesSmallResiduals) {
  for (const DType t : {f32, f64}) {
    const std::vector<Input> inputs = {batch_of("a", t, "n", "n"), batch_of("b", t, "n", "m"),
                                       batch_of("q", t, "n", "n"), batch_of("r", t, "m", "m")};
    const auto discrete =
        compile(trace("f", inputs, [](Var a, Var b, Var q, Var r) { return linalg::solve_discrete_are(a, b, q, r); }));
    const auto continuous = compile(
        trace("f", inputs, [](Var a, Var b, Var q, Var r) { return linalg::solve_continuous_are(a, b, q, r); }));
    for (const auto& [n, m] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {2, 1}, {5, 2}, {17, 4}}) {
      const Plant p = plant(n, m, 0.3);
      const Matrices at = transposed(p.a), bt = transposed(p.b);
      const Matrices x = matrices(discrete(tensors(p, t))[0]);
      const Matrices xa = x * p.a, xb = x * p.b, gain = quotient(p.r + bt * xb, bt * xa);
      EXPECT_LE(residual(
                    at * xa - at * xb * gain + p.q - x,
                    [&](int64_t i) { return norm(p.a, i) * norm(p.a, i) * norm(x, i) + norm(p.q, i); }, t),
                8)
          << n;
      const Matrices y = matrices(continuous(tensors(p, t))[0]);
      const Matrices ya = y * p.a, g = p.b * quotient(p.r, bt);
      EXPECT_LE(residual(
                    ya + transposed(ya) - y * g * y + p.q,
                    [&](int64_t i) {
                      return 2 * norm(p.a, i) * norm(y, i) + norm(g, i) * norm(y, i) * norm(y, i) + norm(p.q, i);
                    },
                    t),
                8)
          << n;
    }
  }
}

TEST(Equations, GradientsAreThoseOfDifferences) {
  const auto check = [](const char* name, const std::vector<Tensor>& in, auto f) {
    std::vector<Input> inputs;
    for (size_t i = 0; i < in.size(); ++i) {
      std::vector<Extent> shape(in[i].extents().begin(), in[i].extents().end());
      inputs.push_back({cat("x", i), f64, shape});
    }
    EXPECT_LE(gradient_error(trace("f", inputs, f), in), 1e-8) << name;
  };
  const Tensor a = around(2, 3, -2, 1, 1).tensor(f64), b = around(2, 2, -2, 1, 2).tensor(f64);
  const Tensor q = random_matrices(2, 3, 2, 3).tensor(f64), s = random_matrices(2, 3, 3, 4).tensor(f64);
  check("sylvester", {a, b, q}, [](Var x, Var y, Var z) { return sum(square(linalg::solve_sylvester(x, y, z) + 1)); });
  check("continuous", {a, s}, [](Var x, Var y) { return sum(square(linalg::solve_continuous_lyapunov(x, y) + 1)); });
  check("discrete", {around(2, 3, 0, 0.3, 5).tensor(f64), s},
        [](Var x, Var y) { return sum(square(linalg::solve_discrete_lyapunov(x, y) + 1)); });
  const std::vector<Tensor> p = tensors(plant(3, 2, 0.3), f64);
  const auto symmetric = [](const Var& m) { return (m + matrix_transpose(m)) / 2; };
  check("discrete are", p, [&](Var x, Var y, Var z, Var r) {
    return sum(square(linalg::solve_discrete_are(x, y, symmetric(z), symmetric(r)) + 1));
  });
  check("continuous are", p, [&](Var x, Var y, Var z, Var r) {
    return sum(square(linalg::solve_continuous_are(x, y, symmetric(z), symmetric(r)) + 1));
  });
  check("tridiagonal",
        {Tensor::of<double>({3}, {1, -2, 0.5}), Tensor::of<double>({2, 4}, {3, 1, 2, 4, 0.1, 2, 1, 3}),
         Tensor::of<double>({3}, {2, 1, -1}), Tensor::of<double>({4}, {1, 2, 3, 4})},
        [](Var dl, Var d, Var du, Var y) { return sum(square(linalg::solve_tridiagonal(dl, d, du, y) + 1)); });
  check("tridiagonal factors",
        {Tensor::of<double>({2}, {1, -2}), Tensor::of<double>({3}, {3, 1, 4}), Tensor::of<double>({2}, {2, 1})},
        [](Var dl, Var d, Var du) {
          const auto factor = linalg::tridiagonal_lu_factor(dl, d, du);
          return sum(square(linalg::tridiagonal_lu_solve(factor, ones({3}, {.dtype = f64})) + 1));
        });
}

TEST(Tridiagonal, LeavesSmallResiduals) {
  for (const DType t : {f32, f64}) {
    const std::vector<Input> inputs = {
        {"dl", t, {"batch", "m"}}, {"d", t, {"batch", "n"}}, {"du", t, {"m"}}, {"b", t, {"batch", "n", "k"}}};
    const auto f = compile(trace("f", inputs, [](Var dl, Var d, Var du, Var b) {
      return List{linalg::solve_tridiagonal(dl, d, du, b),
                  linalg::tridiagonal_lu_solve(linalg::tridiagonal_lu_factor(dl, d, du), b)};
    }));
    for (const int64_t n : {1, 2, 3, 8, 33, 100}) {
      Matrices dl = random_matrices(1, 2, n - 1, 1), d = random_matrices(1, 2, n, 2),
               du = random_matrices(1, 1, n - 1, 3);
      if (n > 2) d(0, 0, 0) = d(0, 1, 1) = 0;  // needs rows to be swapped
      const Matrices b = random_matrices(2, n, 3, 4);
      const auto as = [&](const Matrices& m, Extents e) {
        if (t == f64) return Tensor::of<double>(e, m.v);
        return Tensor::of<float>(e, std::vector<float>(m.v.begin(), m.v.end()));
      };
      const auto y = f({as(dl, {2, n - 1}), as(d, {2, n}), as(du, {n - 1}), b.tensor(t)});
      Matrices a(2, n, n);
      for (int64_t k = 0; k < 2; ++k)
        for (int64_t i = 0; i < n; ++i) {
          a(k, i, i) = d(0, k, i);
          if (i + 1 < n) a(k, i + 1, i) = dl(0, k, i), a(k, i, i + 1) = du(0, 0, i);
        }
      for (const Tensor& one : y) {
        const Matrices x = matrices(one);
        EXPECT_LE(residual(
                      a * x - b, [&](int64_t i) { return norm(a, i) * norm(x, i); }, t),
                  8)
            << n;
      }
    }
  }
}

TEST(Equations, ErrorsAreAtTheCall) {
  const auto complaint = [](std::vector<Input> inputs, auto f) { return what([&] { trace("f", inputs, f); }); };
  const int line = __LINE__ + 1;
  const std::string text = complaint({{"x", f32, {2, 3}}}, [](Var x) { return linalg::solve_discrete_lyapunov(x, x); });
  EXPECT_TRUE(contains(text, "expected square matrices"));
  EXPECT_TRUE(contains(text, cat("linalg_equations_test.cc:", line)));
  EXPECT_TRUE(contains(complaint({{"x", f32, {2, 2}}, {"q", f32, {3, 2}}},
                                 [](Var x, Var q) { return linalg::solve_sylvester(x, x, q); }),
                       "expected matrices [2,2]"));
  EXPECT_TRUE(contains(complaint({{"d", f32, {3}}}, [](Var d) { return linalg::solve_tridiagonal(d, d, d, d); }),
                       "one element less"));
}

}  // namespace
}  // namespace tc
