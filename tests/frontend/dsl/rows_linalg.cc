#include "vocabulary.h"

namespace tc::vocabulary {

namespace {

// Positive definite ones, and symmetric ones.
Var positive(const Var& a) {
  return matmul(a, matrix_transpose(a)) + eye(a.dim(-1), {.dtype = a.dtype()});
}
Var symmetric(const Var& a) {
  return a + matrix_transpose(a);
}
const std::string kPositive = "a @ matrix_transpose(a) + np.eye(3)";

void add_equations(Group& g) {
  g.add(
      "linalg.cholesky", {"f64[2,3,3]"}, [](Var a) { return linalg::cholesky(positive(a)); },
      "np.linalg.cholesky(" + kPositive + ")");
  g.add(
      "linalg.cho_solve", {"f64[3,3]", "f64[3]"},
      [](Var a, Var b) { return linalg::cho_solve(linalg::cholesky(positive(a)), b); },
      "np.linalg.solve(" + kPositive + ", b)");
  g.add(
      "linalg.solve_triangular", {"f64[3,3]", "f64[3,2]"},
      [](Var a, Var b) { return linalg::solve_triangular(positive(a), b); },
      "np.linalg.solve(np.triu(" + kPositive + "), b)");
  g.add(
      "linalg.det", {"f64[2,3,3]"}, [](Var a) { return linalg::det(a); }, "np.linalg.det(a)");
  g.add(
      "linalg.inv", {"f64[2,3,3]"}, [](Var a) { return linalg::inv(a); }, "np.linalg.inv(a)");
  g.add(
      "linalg.slogdet", {"f64[2,3,3]"},
      [](Var a) {
        const auto [s, l] = linalg::slogdet(a);
        return std::pair{s, l};
      },
      "tuple(np.linalg.slogdet(a))");
  g.add(
      "linalg.solve", {"f64[3,3]", "f64[3]"}, [](Var a, Var b) { return linalg::solve(a, b); },
      "np.linalg.solve(a, b)");
  g.add(
      "linalg.tensorsolve", {"f64[2,3,6]", "f64[2,3]"}, [](Var a, Var b) { return linalg::tensorsolve(a, b); },
      "np.linalg.tensorsolve(a, b)");
  g.add(
      "linalg.tensorinv", {"f64[6,2,3]"}, [](Var a) { return linalg::tensorinv(a, {.ind = 1}); },
      "np.linalg.tensorinv(a, 1)");
}

void add_factors(Group& g) {
  g.add(
      "linalg.qr", {"f64[4,3]"},
      [](Var a) {
        const auto [q, r] = linalg::qr(a);
        return std::pair{q, r};
      },
      "np.linalg.qr(a)");
  // Signs of vectors are free.
  g.add(
      "linalg.eigh", {"f64[2,3,3]"},
      [](Var a) {
        const auto [w, v] = linalg::eigh(symmetric(a));
        return std::pair{w, abs(v)};
      },
      "(lambda e: (e[0], np.abs(e[1])))(np.linalg.eigh(a + matrix_transpose(a)))");
  g.add(
      "linalg.eigvalsh", {"f64[3,3]"}, [](Var a) { return linalg::eigvalsh(symmetric(a)); },
      "np.linalg.eigvalsh(a + a.T)");
  for (const std::string shape : {"f64[4,3]", "f64[3,4]"})
    g.add(
        "linalg.svd", {shape},
        [](Var a) {
          const auto [u, s, vh] = linalg::svd(a, {.full_matrices = false});
          return std::tuple{abs(u), s, abs(vh)};
        },
        "(lambda d: (np.abs(d[0]), d[1], np.abs(d[2])))(np.linalg.svd(a, full_matrices=False))");
  g.add(
      "linalg.svdvals", {"f64[2,3,4]"}, [](Var a) { return linalg::svdvals(a); }, "np.linalg.svd(a, compute_uv=False)");
  g.add(
      "linalg.pinv", {"f64[4,3]"}, [](Var a) { return linalg::pinv(a); }, "np.linalg.pinv(a)");
  g.add(
      "linalg.matrix_rank", {"f64[2,4,3]"}, [](Var a) { return linalg::matrix_rank(a); }, "np.linalg.matrix_rank(a)");
  g.add(
      "linalg.cond", {"f64[3,3]"}, [](Var a) { return linalg::cond(a); }, "np.linalg.cond(a)");
  g.add(
       "linalg.lstsq", {"f64[5,3]", "f64[5]"},
       [](Var a, Var b) {
         const auto [x, residuals, rank, s] = linalg::lstsq(a, b);
         return std::pair{x, s};
       },
       "np.linalg.lstsq(a, b, rcond=None)[::3]")
      .tolerance = 1e-10;
  const std::pair<linalg::MatrixNorm, std::string> norms[] = {
      {linalg::MatrixNorm::nuclear, "'nuc'"}, {linalg::MatrixNorm::two, "2"}, {linalg::MatrixNorm::minus_two, "-2"}};
  for (const auto& [ord, spelled] : norms)
    g.add(
        "linalg.matrix_norm", {"f64[3,4]"}, [ord = ord](Var x) { return linalg::matrix_norm(x, {.ord = ord}); },
        "np.linalg.norm(a, " + spelled + ")");
}

void add_makers(Group& g) {
  g.add(
       "linalg.matrix_power", {"f64[3,3]"}, [](Var x) { return linalg::matrix_power(x, -3); },
       "np.linalg.matrix_power(a, -3)")
      .tolerance = 1e-9;
  g.add(
      "linalg.kron", {"f32[2,3]", "f32[4]"}, [](Var a, Var b) { return linalg::kron(a, b); }, "np.kron(a, b)");
  g.add(
      "linalg.kron", {"i64[2,3]", "i64[3,2]"}, [](Var a, Var b) { return linalg::kron(a, b); }, "np.kron(a, b)");
  g.add(
      "linalg.multi_dot", {"f64[2,3]", "f64[3,4]", "f64[4]"},
      [](Var a, Var b, Var c) {
        return linalg::multi_dot({a, b, c});
      },
      "np.linalg.multi_dot([a, b, c])");
}

}  // namespace

void add_decompositions(Group& g) {
  add_equations(g);
  add_factors(g);
  add_makers(g);
}

}  // namespace tc::vocabulary
