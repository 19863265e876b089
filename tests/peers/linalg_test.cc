// Decompositions and solvers as ONNX Runtime computes them: loops of standard ops, from one file for several extents.
#include <gtest/gtest.h>

#include <random>

#include "peer.h"
#include "tc/tc.h"

namespace tc::peers {
namespace {

struct Program {
  const char* name;
  std::vector<Var> (*f)(Var a, Var b);
};

// Of a symmetric matrix a of eigenvalues above 1 and any b of its extents.
const Program kPrograms[] = {
    {"cholesky",
     [](Var a, Var) {
       return std::vector{linalg::cholesky(a), linalg::cholesky(a, {.upper = true})};
     }},
    {"triangular",
     [](Var a, Var b) {
       return std::vector{linalg::solve_triangular(a, b, {.lower = true}),
                          linalg::solve_triangular(a, b, {.trans = true}), linalg::cho_solve(linalg::cholesky(a), b)};
     }},
    {"cholesky_gradient",
     [](Var a, Var b) {
       return grad(sum(linalg::cho_solve(linalg::cholesky(a), b) * b), {a, b});
     }},
    {"lu",
     [](Var a, Var b) {
       const auto [p, l, u] = linalg::lu(a + b);
       return std::vector{p, l, u, linalg::solve(a + b, b), linalg::inv(a + b)};
     }},
    {"determinants",
     [](Var a, Var b) {
       const auto [sign, logarithm] = linalg::slogdet(a + b);
       return std::vector{linalg::det(a + b), sign, logarithm};
     }},
    {"lu_gradient",
     [](Var a, Var b) {
       return grad(sum(linalg::solve(a + b, b)) + sum(linalg::inv(a)), {a, b});
     }},
    {"qr",
     [](Var a, Var b) {
       const auto [q, r] = linalg::qr(a + b);
       return std::vector{q, r, linalg::lstsq(a, b, {.full_rank = true}).x};
     }},
    {"qr_gradient",
     [](Var a, Var b) {
       const auto [q, r] = linalg::qr(a + b);
       return grad(sum(q * b) + sum(square(r)), {a, b});
     }},
    {"eigh",
     [](Var a, Var b) {
       const auto [w, v] = linalg::eigh(a);
       return std::vector{w, abs(v), linalg::eigvalsh(b)};
     }},
    {"eigh_gradient",
     [](Var a, Var b) {
       const auto [w, v] = linalg::eigh(a);
       return grad(sum(square(v) * b) + sum(square(w)), {a, b});
     }},
    {"svd",
     [](Var a, Var b) {
       const auto [u, s, vh] = linalg::svd(a + b, {.full_matrices = false});
       return std::vector{abs(u), s, abs(vh), linalg::pinv(a), linalg::matrix_rank(a), linalg::lstsq(a, b).x};
     }},
    {"svd_gradient",
     [](Var a, Var b) {
       const auto [u, s, vh] = linalg::svd(a + b, {.full_matrices = false});
       return grad(sum(square(u) * b) + sum(square(s)) + sum(matmul(u, vh)) + sum(linalg::pinv(a) * b), {a, b});
     }},
    {"eig",
     [](Var a, Var b) {
       const Complex w = linalg::eigvals(a + b);
       return std::vector{sort(w.re), sort(abs(w)), sort(abs(linalg::eig(b).eigenvalues))};
     }},
    {"functions",
     [](Var a, Var b) {
       return std::vector{linalg::expm(b), linalg::matrix_power(a, -2), linalg::block_diag({a, b}), linalg::toeplitz(b),
                          linalg::solve(a, b, {.assume = linalg::Assume::pos})};
     }},
    {"functions_gradient",
     [](Var a, Var b) {
       return grad(sum(linalg::expm(b) * b) + sum(linalg::solve(a, b, {.assume = linalg::Assume::sym}) * b), {a, b});
     }},
    {"equations",
     [](Var a, Var b) {
       const Var one = linalg::expm(0 * b);
       return std::vector{linalg::solve_sylvester(a, a + b, b), linalg::solve_continuous_lyapunov(a, b),
                          linalg::solve_discrete_lyapunov(b / (2 * sum(abs(b))), a),
                          linalg::solve_discrete_are(b, one, a, one), linalg::solve_continuous_are(b, one, a, one)};
     }},
    {"equations_gradient",
     [](Var a, Var b) {
       const Var one = linalg::expm(0 * b);
       return grad(sum(linalg::solve_continuous_lyapunov(a, b) * b) + sum(linalg::solve_discrete_are(b, one, a, one)),
                   {a, b});
     }},
    {"tridiagonal",
     [](Var a, Var b) {
       const Var d = linalg::diagonal(a), below = linalg::diagonal(b, {.offset = -1});
       const Var x = linalg::solve_tridiagonal(below, d, linalg::diagonal(a, {.offset = 1}), b);
       const std::vector<Var> slopes = grad(sum(square(x)), {a, b});
       return std::vector{x, slopes[0], slopes[1]};
     }},
};

Tensor numbers(int64_t n, bool positive, unsigned seed, DType t) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> v(static_cast<size_t>(2 * n * n));
  for (double& x : v) x = uniform(engine);
  const auto at = [&](int64_t b, int64_t i, int64_t j) -> double& {
    return v[static_cast<size_t>((b * n + i) * n + j)];
  };
  for (int64_t b = 0; positive && b < 2; ++b)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j)
        at(b, j, i) = at(b, i, j) = i == j ? 1.5 * static_cast<double>(n + i) : at(b, i, j);
  if (t == f64) return Tensor::of<double>({2, n, n}, v);
  return Tensor::of<float>({2, n, n}, std::vector<float>(v.begin(), v.end()));
}

class PeerLinalg : public testing::TestWithParam<Program> {};

TEST_P(PeerLinalg, ComputesTheSame) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  std::vector<Job> jobs, some;
  std::vector<Function> programs;
  for (const DType t : {f32, f64}) {
    const Function f = trace("f", {{"a", t, {"batch", "n", "n"}}, {"b", t, {"batch", "n", "n"}}}, GetParam().f);
    const std::string bytes = export_onnx_bytes(f, {.opset = 18, .target = ExportTarget::ort});
    for (const int64_t n : {1, 4, 9}) {
      jobs.push_back(
          {.model = {}, .inputs = {{"a", numbers(n, true, 1, t)}, {"b", numbers(n, false, 2, t)}}, .bytes = bytes});
      programs.push_back(f);
    }
    some.push_back(jobs.back());
  }
  std::vector<Outcome> outcomes = onnx_runtime(jobs);
  for (size_t i = 0; i < some.size(); ++i) programs.push_back(programs[3 * i]);
  for (Outcome& o : onnx_runtime(some, Runtime::web)) outcomes.push_back(std::move(o));
  jobs.insert(jobs.end(), some.begin(), some.end());
  for (size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_EQ(outcomes[i].error, "");
    const auto& in = jobs[i].inputs;
    const auto want = compile(programs[i])({in[0].second, in[1].second});
    const DType t = in[0].second.dtype();
    const double tolerance = t == f32 ? 2e-5 : 4e-14;
    for (size_t k = 0; k < want.size(); ++k) {
      const Tensor& have = find(outcomes[i].outputs, programs[i].outputs()[k].name);
      EXPECT_EQ(difference(have, want[k], {tolerance, 0, tolerance}), "") << t << " " << i << " output " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PeerLinalg, testing::ValuesIn(kPrograms),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace tc::peers
