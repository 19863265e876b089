// The samplers of examples/bayes: posteriors against references, the same draws in ONNX Runtime, and diagnostics.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "../peers/peer.h"
#include "tc/examples/bayes/diagnostics.h"
#include "tc/examples/bayes/models.h"
#include "tc/kernels/cpu.h"

namespace bayes {
namespace {

using tc::Tensor;
using tc::peers::Runtime;

std::vector<Tensor> inputs(uint32_t chain, int64_t warmup, int64_t draws) {
  return {Tensor::of<uint32_t>({2}, {1, chain}), Tensor::of<int64_t>({}, {warmup}), Tensor::of<int64_t>({}, {draws})};
}

// Draws behind the warm-up: [parameter][chain][draw].
void append(std::vector<Chains>& chains, const Tensor& rows, int64_t warmup) {
  const auto count = static_cast<size_t>(rows.extents()[1]);
  chains.resize(count);
  for (size_t p = 0; p < count; ++p) {
    chains[p].emplace_back();
    for (auto i = static_cast<size_t>(warmup); i < static_cast<size_t>(rows.extents()[0]); ++i)
      chains[p].back().push_back(rows.span<double>()[i * count + p]);
  }
}

struct Moments {
  double mean, sd;
};
// The means of so many draws, and their deviations, within five standard errors.
void expect_moments(const std::vector<Chains>& chains, const std::vector<Moments>& wanted,
                    const std::vector<std::string>& names) {
  ASSERT_EQ(chains.size(), wanted.size());
  for (size_t p = 0; p < wanted.size(); ++p) {
    const Summary s = summary(chains[p]);
    double fourth = 0, n = 0;
    for (const auto& c : chains[p])
      for (const double x : c) fourth += std::pow((x - s.mean) / s.sd, 4), ++n;
    const double error = s.sd / std::sqrt(s.ess);
    EXPECT_NEAR(s.mean, wanted[p].mean, 5 * error) << names[p];
    EXPECT_NEAR(s.sd, wanted[p].sd, 5 * error * std::sqrt(fourth / n - 1) / 2) << names[p];
    EXPECT_LT(s.rhat, 1.03) << names[p];
    EXPECT_GT(s.ess, 200) << names[p];
  }
}

// examples/bayes/reference.py.
const std::vector<Moments> kEightSchools = {
    {4.39682, 3.31770}, {3.59771, 3.21996}, {6.21188, 5.59313}, {4.94018, 4.67427}, {3.92700, 5.26262},
    {4.75710, 4.78030}, {3.61548, 4.65745}, {4.04261, 4.82687}, {6.29672, 5.07785}, {4.85425, 5.29080}};
const std::vector<Moments> kSeeds = {
    {-0.52254, 0.20676}, {0.02861, 0.32904}, {1.30971, 0.28752}, {-0.76284, 0.44706}, {0.33851, 0.14449}};
const std::vector<Moments> kGaussianProcess = {{1.09946, 0.28947}, {1.01335, 0.56624}, {0.15717, 0.03922}};

const std::vector<Moments>& reference(const Model& m) {
  return m.name == "eight_schools" ? kEightSchools : m.name == "seeds" ? kSeeds : kGaussianProcess;
}

class Posteriors : public testing::TestWithParam<Model> {};

TEST_P(Posteriors, AreTheReference) {
  const tc::Compiled run = tc::compile(sampler(GetParam()));
  std::vector<Chains> chains;
  for (uint32_t c = 0; c < 4; ++c) append(chains, run(inputs(c, 500, 1000))[0], 500);
  expect_moments(chains, reference(GetParam()), GetParam().parameters);
}

TEST_P(Posteriors, AreTheReferenceInOnnxRuntime) {
  if (tc::peers::node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const std::string file = tc::export_onnx_bytes(sampler(GetParam()), {.target = tc::ort});
  std::vector<tc::peers::Job> jobs;
  for (uint32_t c = 0; c < 2; ++c) {
    const auto in = inputs(c, 300, 500);
    jobs.push_back({.model = {}, .inputs = {{"key", in[0]}, {"warmup", in[1]}, {"draws", in[2]}}, .bytes = file});
  }
  std::vector<Chains> chains;
  for (const auto& outcome : tc::peers::onnx_runtime(jobs)) {
    ASSERT_EQ(outcome.error, "");
    append(chains, outcome.outputs.at(0).second, 300);
  }
  expect_moments(chains, reference(GetParam()), GetParam().parameters);
}

// Warm-up with all its kinds of windows, and draws.
TEST_P(Posteriors, AreDrawnWithTheSameBitsEverywhere) {
  if (!GetParam().portable) GTEST_SKIP() << "of the runtime's own functions";
  if (tc::peers::node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const tc::Function f = sampler(GetParam());
  const auto in = inputs(7, 60, 40);
  const std::vector<Tensor> here = tc::compile(f, {.level = 1})(in);
  const auto expect_same = [&](const std::string& who, const std::vector<Tensor>& there) {
    ASSERT_EQ(there.size(), here.size()) << who;
    for (size_t i : {0, 1, 2, 5, 6}) {
      const auto a = here[i].span<double>(), b = there[i].span<double>();
      ASSERT_EQ(a.size(), b.size()) << who;
      EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size_bytes()), 0) << who << ", output " << i;
    }
  };
  expect_same("level 0", tc::compile(f, {.level = 0})(in));
  for (const char* isa : {"portable", "sse42", "avx2"})
    if (tc::kernels::parse_tier(isa)) expect_same(isa, tc::compile(f, {.level = 1, .isa = isa})(in));
  const tc::peers::Job job{.model = {},
                           .inputs = {{"key", in[0]}, {"warmup", in[1]}, {"draws", in[2]}},
                           .bytes = tc::export_onnx_bytes(f, {.target = tc::ort})};
  for (const Runtime r : {Runtime::node, Runtime::web}) {
    const auto outcome = tc::peers::onnx_runtime({job}, r)[0];
    ASSERT_EQ(outcome.error, "");
    std::vector<Tensor> there;
    for (const auto& [name, t] : outcome.outputs) there.push_back(t);
    expect_same(r == Runtime::node ? "ONNX Runtime" : "ONNX Runtime Web", there);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Posteriors, testing::ValuesIn(models()), [](const auto& m) { return m.param.name; });

TEST(Nuts, LearnsTheScales) {
  const Tensor scales = Tensor::of<double>({3}, {0.01, 1, 100});
  const LogDensity normal = [&](tc::Var q) {
    const tc::Var z = q / scales;
    return tc::sum(z * z) * -0.5;
  };
  const tc::Function f = tc::trace("normal", {{"key", tc::u32, {2}}, {"warmup", tc::i64, {}}, {"draws", tc::i64, {}}},
                                   [&](tc::Var key, tc::Var warmup, tc::Var draws) {
                                     const Draws d = nuts({key}, warmup, draws, 3, normal);
                                     return std::vector<tc::Var>{d.positions, d.inverse_mass, d.acceptance};
                                   });
  const tc::Compiled run = tc::compile(f);
  std::vector<Chains> chains;
  for (uint32_t c = 0; c < 3; ++c) {
    const auto y = run(inputs(c, 400, 800));
    append(chains, y[0], 400);
    double acceptance = 0;
    for (size_t i = 400; i < 1200; ++i) acceptance += y[2].span<double>()[i] / 800;
    // Dual averaging aims at 0.8 with its last steps; with their average, which sampling takes, more is accepted.
    EXPECT_GT(acceptance, 0.7);
    EXPECT_LT(acceptance, 0.95);
    for (size_t i = 0; i < 3; ++i) {
      const double s = scales.span<double>()[i];
      EXPECT_NEAR(std::log(y[1].span<double>()[i] / (s * s)), i ? 0 : 0.15, 0.6) << i;
    }
  }
  expect_moments(chains, {{0, 0.01}, {0, 1}, {0, 100}}, {"a", "b", "c"});
}

TEST(Diagnostics, CountIndependentDraws) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Chains plain(4), slow(4), apart(4);
  for (size_t c = 0; c < 4; ++c) {
    double x = 0;
    for (int i = 0; i < 4000; ++i) {
      const double z = normal(random);
      x = 0.9 * x + std::sqrt(1 - 0.81) * z;
      plain[c].push_back(z);
      slow[c].push_back(x);
      apart[c].push_back(z + (c == 0 ? 2 : 0));
    }
  }
  EXPECT_NEAR(summary(plain).ess, 16000, 1600);
  EXPECT_NEAR(summary(plain).rhat, 1, 0.003);
  EXPECT_NEAR(summary(plain).sd, 1, 0.03);
  // (1 - 0.9) / (1 + 0.9) of all.
  EXPECT_NEAR(summary(slow).ess, 842, 170);
  EXPECT_GT(summary(apart).rhat, 1.3);
}

}  // namespace
}  // namespace bayes
