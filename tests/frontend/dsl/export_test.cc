// What tc::export_onnx makes of a program before it writes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "helpers.h"
#include "tc/ir/module.h"
#include "tc/tc.h"

namespace tc {
namespace {

// Names of the ops in the exported file, constants left out.
std::multiset<std::string> ops(const Function& f, const ExportOptions& options = {}) {
  const std::string bytes = export_onnx_bytes(f, options);
  const Function back = load_onnx(bytes.data(), bytes.size(), std::make_shared<std::string>(bytes));
  std::multiset<std::string> names;
  walk(back.module().main(), [&](Node& n) {
    if (n.op() != OpId::Constant && n.op() != OpId::Return) names.emplace(n.info().name());
  });
  return names;
}

using Names = std::multiset<std::string>;

TEST(Export, RaisesReluInAllItsForms) {
  const std::vector<Input> x{{"x", f32, {"n"}}};
  EXPECT_EQ(ops(trace("f", x, [](Var v) { return maximum(v, 0); })), Names{"relu"});
  EXPECT_EQ(ops(trace("f", x, [](Var v) { return where(v > 0, v, 0.0f); })), Names{"relu"});
  EXPECT_EQ(ops(trace("f", x, [](Var v) { return v * astype(v > 0, f32); })), Names{"relu"});
  EXPECT_EQ(ops(trace("f", x, [](Var v) { return (v + abs(v)) / 2; })), Names{"relu"});
  EXPECT_EQ(ops(trace("f", x, [](Var v) { return maximum(v, 0); }), {.level = 0}), Names{"max"});
}

TEST(Export, FoldsConstantsIntoConvolutions) {
  const Function f = trace("f", {{"x", f32, {1, 2, 5, 5}}}, [](Var x) {
    const Var kernel = flip(asarray(Tensor(f32, {3, 2, 3, 3})), {.axis = {2, 3}});
    return relu(conv(x, kernel) + reshape(asarray(row({1, 2, 3})), {3, 1, 1}));
  });
  EXPECT_EQ(ops(f), (Names{"conv", "relu"}));
  EXPECT_GT(ops(f, {.level = 0}).size(), 2U);
}

TEST(Export, RecognisesARunningSum) {
  const Function f = trace("f", {{"x", f32, {"n", 3}}}, [](Var x) {
    const auto [last, sums] = scan([](Var s, Var v) { return std::pair{s + v, s + v}; }, {zeros({3})}, {x});
    return sums;
  });
  const Names names = ops(f);
  EXPECT_EQ(names.count("scan"), 0U);
  EXPECT_EQ(names.count("cum_sum"), 1U);
  EXPECT_EQ(ops(f, {.level = 0}).count("scan"), 1U);
}

TEST(Export, SaysWhatItOptimised) {
  const Function f = trace("f", {{"x", f32, {"n"}}}, [](Var x) { return maximum(x, 0); });
  const std::string path = testing::TempDir() + "tc_export_test.onnx";
  const ExportReport report = export_onnx(f, path);
  EXPECT_TRUE(std::any_of(report.rewrites.begin(), report.rewrites.end(),
                          [](const auto& r) { return r.first == "max-zero-is-relu" && r.second == 1; }));
  EXPECT_TRUE(export_onnx(f, path, {.level = 0}).rewrites.empty());
  EXPECT_THROW(export_onnx(f, path, {.level = 2}), Error);
  std::remove(path.c_str());
}

// ONNX Runtime has no Swish, and no Softplus of f64; both stay where the program has them.
TEST(Export, RaisesToOperatorsThatRuntimesHave) {
  const Function f = trace("f", {{"x", f32, {"n"}}, {"z", f64, {"n"}}}, [](Var x, Var z) {
    return Outputs{{"a", x * sigmoid(x)}, {"b", log(1 + exp(z))}, {"c", log(1 + exp(x))}};
  });
  const std::string file = export_onnx_bytes(f, {.opset = 25});
  EXPECT_EQ(file.find("Swish"), std::string::npos);
  EXPECT_NE(file.find("Softplus"), std::string::npos);  // of f32
  const auto y = compile(load_onnx(file.data(), file.size(), nullptr))(
      {Tensor::of<float>({2}, {2, -100}), Tensor::of<double>({2}, {800, -800})});
  EXPECT_NEAR(y[0].to_vector<float>()[0], 2 / (1 + std::exp(-2.0)), 1e-6);
  EXPECT_EQ(y[1].to_vector<double>()[0], 800);
  EXPECT_EQ(y[2].to_vector<float>()[0], 2 + std::log1p(std::exp(-2.F)));
}

}  // namespace
}  // namespace tc
