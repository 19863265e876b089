// What an export can make of random numbers: inputs that a script makes, with the program's bits; keys that are inputs
// with defaults; operators of ONNX.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "../frontend/dsl/random_cases.h"
#include "peer.h"

namespace tc::peers {
namespace {

using namespace random_cases;

struct Exported {
  ExportReport report;
  std::string bytes;
};

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The file, and the script beside it, as they lie on the disk.
Exported exported(const Function& f, ExportOptions options) {
  const std::string path = testing::TempDir() + "draws_peer_test.onnx",
                    script = testing::TempDir() + "draws_peer_test.draws.mjs";
  std::filesystem::remove(script);
  Exported e;
  e.report = export_onnx(f, path, options);
  e.bytes = contents(path);
  EXPECT_EQ(contents(script), e.report.draws_script);
  return e;
}

std::vector<Tensor> run_bytes(const std::string& bytes, const std::vector<Tensor>& inputs) {
  const auto owner = std::make_shared<const std::string>(bytes);
  return compile(load_onnx(owner->data(), owner->size(), owner))(inputs);
}

bool has_op(const std::string& bytes, std::string_view op) {
  const auto owner = std::make_shared<const std::string>(bytes);
  return load_onnx(owner->data(), owner->size(), owner).str().find(cat(op)) != std::string::npos;
}

// Draws of all kinds that become inputs, of keys that come about in all ways, in shapes that follow from an input's.
Function everything(DType t) {
  return trace("f", {{"x", f32, {"batch", 3}}, {"key", u32, {2}}, {"seed", i64, {}}, {"step", i32, {}}},
               [&](Var x, Var k, Var seed, Var step) {
                 const random::Key key = random::wrap_key_data(std::move(k));
                 const auto keys = random::split(key, 12);
                 const random::Key late = random::fold_in(random::fold_in(keys[11], step), 7);
                 const random::SampleOptions as_x = {.shape = x.shape(), .dtype = t};
                 const random::SampleOptions few = {.shape = {5, Dim::symbol("batch") * 2 + 1}, .dtype = t};
                 return std::vector<Var>{random::uniform(keys[0], as_x),
                                         random::normal(keys[1], x, 2, as_x),
                                         random::exponential(keys[2], 3, few),
                                         random::gumbel(keys[3], 0, 1, few),
                                         random::laplace(keys[4], 0, 1, few),
                                         random::logistic(keys[5], 0, 1, few),
                                         random::cauchy(keys[6], 0, 1, few),
                                         random::randint(keys[7], -5, 1000000, {.shape = {50}}),
                                         random::permutation(keys[8], 40),
                                         astype(random::bits(keys[9], {9}), i64),
                                         random::lognormal(late, 0, 1, few),
                                         random::triangular(random::key(seed), 0, 1, 3, as_x),
                                         random::normal(random::key(42), as_x),
                                         random::normal(random::split(random::key(43))[1], {.shape = {4}, .dtype = t}),
                                         astype(random::bernoulli(keys[10], 0.3, {.shape = x.shape()}), f32)};
               });
}

TEST(DrawsPeer, InputsMadeByTheScriptHaveTheProgramsBits) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  std::vector<Job> jobs;
  std::vector<std::vector<Tensor>> here;
  const std::vector<Tensor> in = {random_f32({4, 3}, 3), key_of(kKey), Tensor::scalar<int64_t>(0x123456789abcdef),
                                  Tensor::scalar<int32_t>(-3)};
  for (const DType t : {f32, f64}) {
    const Function f = everything(t);
    here.push_back(compile(f)(in));
    const Exported e = exported(f, {.target = ort, .random = ExportRandom::inputs});
    EXPECT_EQ(e.report.draws.size(), 15u) << e.report.str();
    EXPECT_FALSE(has_op(e.bytes, "bitwise")) << "the generator is still in the file";
    jobs.push_back({.model = {},
                    .inputs = {{"x", in[0]}, {"key", in[1]}, {"seed", in[2]}, {"step", in[3]}},
                    .bytes = e.bytes,
                    .draws = e.report.draws_script});
  }
  for (const Runtime runtime : {Runtime::node, Runtime::web}) {
    const auto there = onnx_runtime(jobs, runtime);
    for (size_t i = 0; i < jobs.size(); ++i) {
      ASSERT_EQ(there[i].error, "");
      ASSERT_EQ(there[i].outputs.size(), here[i].size());
      for (size_t j = 0; j < here[i].size(); ++j) {
        const Tensor &a = here[i][j], &b = there[i].outputs[j].second;
        ASSERT_EQ(a.extents(), b.extents()) << "output " << j;
        // Exponentials of lognormal numbers stay in the file, in sums of products.
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.bytes()), 0) << "output " << j << " of program " << i;
      }
    }
  }
}

TEST(DrawsPeer, TheReportNamesWhatWasDrawn) {
  const Function f = trace("f", {{"x", f32, {"batch", 3}}, {"key", u32, {2}}}, [](Var x, Var k) {
    const auto keys = random::split(random::wrap_key_data(std::move(k)));
    return x + random::normal(random::fold_in(keys[1], 3), {.shape = x.shape()});
  });
  const Exported e = exported(f, {.random = ExportRandom::inputs});
  ASSERT_EQ(e.report.draws.size(), 1u);
  EXPECT_EQ(e.report.draws[0].input, "random.normal");
  EXPECT_EQ(e.report.draws[0].sampler, "random.normal");
  EXPECT_EQ(e.report.draws[0].type, "f32[batch,3]");
  EXPECT_EQ(e.report.draws[0].key, "key.split[1].fold_in(3)");
  const Tensor x = random_f32({2, 3}, 1), z = random_f32({2, 3}, 2);
  const Tensor y = run_bytes(e.bytes, {x, z})[0];
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(y.span<float>()[i], x.span<float>()[i] + z.span<float>()[i]);
}

TEST(DrawsPeer, WhatCannotBeLiftedStaysAGenerator) {
  const Function f = trace("f", {{"key", u32, {2}}}, [](Var k) {
    const random::Key key = random::wrap_key_data(std::move(k));
    return std::vector<Var>{
        random::gamma(key, 2.5, {.shape = {20}}),
        fori_loop(0, 3, [&](Var i, Var s) { return s + random::normal(random::fold_in(key, i)); }, {0.f})};
  });
  const Exported e = exported(f, {.random = ExportRandom::inputs});
  EXPECT_NE(e.report.str().find("stays a generator: it is drawn in a loop"), std::string::npos) << e.report.str();
  const std::vector<Tensor> here = compile(f)({key_of(kKey)}), there = run_bytes(e.bytes, {key_of(kKey)});
  for (size_t i = 0; i < here.size(); ++i) EXPECT_EQ(differing(here[i], there[i]), 0);
}

TEST(DrawsPeer, KeysAreInputsWithDefaults) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const auto draw = [](const random::Key& key) { return random::normal(key, {.shape = {100}}); };
  const Function f = trace("f", {}, [&] { return draw(random::key(42)); });
  const Function g = trace("g", {{"key", u32, {2}}}, [&](Var k) { return draw(random::wrap_key_data(std::move(k))); });
  const Exported e = exported(f, {.target = ort, .random = ExportRandom::keys});
  const auto there = onnx_runtime({Job{.model = {}, .inputs = {}, .bytes = e.bytes}});
  ASSERT_EQ(there[0].error, "");
  EXPECT_EQ(differing(there[0].outputs[0].second, compile(f)({})[0]), 0);
  EXPECT_EQ(differing(run_bytes(e.bytes, {})[0], compile(f)({})[0]), 0);
  // npm's binding gives ONNX Runtime no value for an input that has a default.
  const auto owner = std::make_shared<const std::string>(e.bytes);
  const Function open = load_onnx(owner->data(), owner->size(), owner, {.overridden = {"random.key"}});
  ASSERT_EQ(open.inputs().size(), 1u);
  EXPECT_EQ(open.inputs()[0].name, "random.key");
  EXPECT_EQ(differing(compile(open)({key_of(kKey)})[0], compile(g)({key_of(kKey)})[0]), 0);
}

TEST(DrawsPeer, OperatorsOfOnnxDrawFromTheSameDistributions) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const Function f = trace("f", {{"x", f32, {"batch", 100}}}, [](Var x) {
    const auto keys = random::split(random::key(5), 3);
    return std::vector<Var>{random::normal(keys[0], 3, 2, {.shape = x.shape()}),
                            random::exponential(keys[1], 4, {.shape = {20000}}),
                            random::uniform(keys[2], {.shape = {20000}, .dtype = f64})};
  });
  const Exported e = exported(f, {.target = ort, .random = ExportRandom::onnx});
  EXPECT_TRUE(has_op(e.bytes, "random_normal_like")) << e.report.str();
  EXPECT_TRUE(has_op(e.bytes, "random_uniform"));
  const std::vector<Tensor> in = {random_f32({200, 100}, 1)};
  const auto there = onnx_runtime({Job{.model = {}, .inputs = {{"x", in[0]}}, .bytes = e.bytes}});
  ASSERT_EQ(there[0].error, "");
  std::vector<std::vector<Tensor>> runs = {run_bytes(e.bytes, in), {}};
  for (const auto& [name, t] : there[0].outputs) runs[1].push_back(t);
  // Mean and deviation of 20,000 numbers, within 5 standard errors of the mean (f32 sums in f64).
  const double mean[] = {3, 4, 0.5}, deviation[] = {2, 4, std::sqrt(1. / 12)};
  for (const auto& run : runs)
    for (size_t j = 0; j < 3; ++j) {
      double sum = 0, squares = 0;
      const auto add = [&](double v) { sum += v, squares += v * v; };
      if (run[j].dtype() == f32)
        for (const float v : run[j].span<float>()) add(static_cast<double>(v));
      else
        for (const double v : run[j].span<double>()) add(v);
      const double n = 20000, average = sum / n;
      ASSERT_EQ(run[j].size(), 20000);
      EXPECT_NEAR(average, mean[j], 5 * deviation[j] / std::sqrt(n));
      EXPECT_NEAR(std::sqrt(squares / n - average * average), deviation[j], 0.06 * deviation[j]);
    }
}

}  // namespace
}  // namespace tc::peers
