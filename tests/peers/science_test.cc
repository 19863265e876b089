// Sparse matrices, complex numbers and signals as ONNX Runtime computes them.
#include <gtest/gtest.h>

#include <random>

#include "peer.h"
#include "tc/tc.h"

namespace tc::peers {
namespace {

struct Program {
  const char* name;
  std::vector<Var> (*f)(Var a, Var x);
};

// Of a matrix a with many zeros and a vector x of as many elements as it has columns.
const Program kPrograms[] = {
    {"sparse",
     [](Var a, Var x) {
       const sparse::Csr m = sparse::csr_from_dense(a);
       const sparse::Csr both = sparse::add(m, sparse::transpose(m));
       return std::vector{sparse::to_dense(both),
                          sparse::matmul(m, x),
                          sparse::matmul(both, a),
                          sparse::to_dense(sparse::multiply(m, both)),
                          sparse::to_dense(sparse::vstack({m, both})),
                          sparse::sum(m, 0),
                          sparse::diagonal(both),
                          m.data,
                          m.indices,
                          m.indptr};
     }},
    {"sparse_solvers",
     [](Var a, Var x) {
       const Var size = 4 * sum(abs(a));
       const sparse::Csr m = sparse::csr_from_dense(a + eye(a.dim(0), {.dtype = a.dtype()}) * size);
       const sparse::Csr both = sparse::add(m, sparse::transpose(m));
       const double rtol = a.dtype() == f32 ? 1e-6 : 1e-14;
       return std::vector{sparse::cg(both, x, {.rtol = rtol}).x, sparse::bicgstab(m, x, {.rtol = rtol}).x,
                          sparse::gmres(m, x, {.rtol = rtol, .restart = 5}).x};
     }},
    {"sparse_gradient",
     [](Var a, Var x) {
       const sparse::Csr m = sparse::csr_from_dense(a);
       return grad(sum(square(sparse::matmul(m, x))) + sum(square(sparse::matmul(m, a))), {a, x});
     }},
    {"complex",
     [](Var a, Var x) {
       const Complex z{x, 1 - x * x}, w = log(z) * sqrt(z) / (z + 2) + exp(sin(z)) * pow(z, 3);
       const Complex m{a, a + 1}, t = fft::fft(z, {.n = 8});
       return std::vector{w.re, w.im, abs(w), angle(z), t.re, t.im, matmul(m, conj_transpose(m)).im};
     }},
    {"signal",
     [](Var a, Var x) {
       const Var w = signal::hann(8, {.periodic = true, .dtype = x.dtype()});
       const Complex z = signal::stft(concat({x, x, flatten(a)}), 8, {.hop = 2, .window = w});
       return std::vector{signal::kaiser(x.dim(0), 5, {.dtype = x.dtype()}), signal::convolve(a, x),
                          signal::convolve2d(a, a, {.mode = signal::ConvolveMode::same}),
                          // Of 6 + 3 - 1 = 8: see signal.h.
                          signal::fftconvolve(signal::hann(6, {.dtype = x.dtype()}) + x[0], concat({x, x})[slice(3)]),
                          z.re, z.im, signal::istft(z, 8, {.hop = 2, .window = w})};
     }},
};

Tensor numbers(const Extents& extents, bool thin, unsigned seed, DType t) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> v;
  for (int64_t i = 0; i < element_count(extents); ++i) v.push_back(thin && i % 3 == 1 ? 0 : uniform(engine));
  if (t == f64) return Tensor::of<double>(extents, v);
  return Tensor::of<float>(extents, std::vector<float>(v.begin(), v.end()));
}

class PeerScience : public testing::TestWithParam<Program> {};

TEST_P(PeerScience, ComputesTheSame) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  std::vector<Job> jobs;
  std::vector<Function> programs;
  for (const DType t : {f32, f64}) {
    const Function f = trace("f", {{"a", t, {"n", "n"}}, {"x", t, {"n"}}}, GetParam().f);
    const std::string bytes = export_onnx_bytes(f, {.opset = 18, .target = ExportTarget::ort});
    for (const int64_t n : {2, 4, 9}) {
      jobs.push_back({.model = {},
                      .inputs = {{"a", numbers({n, n}, true, 1, t)}, {"x", numbers({n}, false, 2, t)}},
                      .bytes = bytes});
      programs.push_back(f);
    }
  }
  for (const Runtime runtime : {Runtime::node, Runtime::web}) {
    const std::vector<Outcome> outcomes = onnx_runtime(jobs, runtime);
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
}

INSTANTIATE_TEST_SUITE_P(All, PeerScience, testing::ValuesIn(kPrograms),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace tc::peers
