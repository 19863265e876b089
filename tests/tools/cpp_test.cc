// tc-info --cpp: the printed sources, compiled, build what the files hold.
#include <gtest/gtest.h>

#include <random>

#include "tc/ir/eval/interp.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"
#include "tc/tc.h"

tc::Function build_digits(const std::string& path);
tc::Function build_voice(const std::string& path);
tc::Function build_loops(const std::string& path);

namespace tc {
namespace {

Tensor noise(Extents extents, unsigned seed) {
  Tensor t(f32, std::move(extents));
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (float& v : t.mutable_span<float>()) v = normal(random);
  return t;
}

std::vector<std::string> value_names(const Function& f) {
  std::vector<std::string> names;
  walk(f.module().main(), [&](Node& n) {
    for (int j = 0; j < n.num_results(); ++j)
      if (!n.result(j)->name().empty()) names.push_back(n.result(j)->name());
  });
  std::sort(names.begin(), names.end());
  return names;
}

void expect_same(const std::string& model, Function (*build)(const std::string&),
                 const std::vector<std::vector<Tensor>>& runs) {
  const std::string stem = std::string(TC_CPP_MODELS) + "/" + model;
  const Function original = load(stem + ".onnx"), rebuilt = build(stem + ".safetensors");
  verify(rebuilt.module());
  EXPECT_EQ(rebuilt.name(), original.name());
  ASSERT_EQ(rebuilt.inputs().size(), original.inputs().size());
  for (size_t i = 0; i < original.inputs().size(); ++i) {
    EXPECT_EQ(rebuilt.inputs()[i].name, original.inputs()[i].name);
    EXPECT_EQ(rebuilt.inputs()[i].type, original.inputs()[i].type);
  }
  ASSERT_EQ(rebuilt.outputs().size(), original.outputs().size());
  for (size_t i = 0; i < original.outputs().size(); ++i) {
    EXPECT_EQ(rebuilt.outputs()[i].name, original.outputs()[i].name);
    EXPECT_EQ(rebuilt.outputs()[i].type.dtype(), original.outputs()[i].type.dtype());
  }
  EXPECT_EQ(value_names(rebuilt), value_names(original));
  for (const auto& inputs : runs) {
    const std::vector<Datum> data(inputs.begin(), inputs.end());
    const auto expected = interpret(original.module(), data), got = interpret(rebuilt.module(), data);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(got[i].tensor().identical(expected[i].tensor())) << original.outputs()[i].name;
    const auto compiled = compile(rebuilt)(inputs), reference = compile(original)(inputs);
    for (size_t i = 0; i < reference.size(); ++i)
      EXPECT_TRUE(compiled[i].identical(reference[i])) << original.outputs()[i].name;
  }
}

TEST(CppSource, RebuildsAConvolutionalNetwork) {
  expect_same("digits", build_digits, {{noise({1, 1, 28, 28}, 1)}, {noise({3, 1, 28, 28}, 2)}});
}

TEST(CppSource, RebuildsBranchesAndRecurrence) {
  const auto run = [](int64_t rate, int64_t batch, unsigned seed) {
    return std::vector<Tensor>{noise({batch, 256}, seed), noise({1, batch, 6}, seed + 1),
                               noise({1, batch, 6}, seed + 2), Tensor::scalar<int64_t>(rate)};
  };
  expect_same("voice", build_voice, {run(16000, 1, 1), run(8000, 2, 4), run(16000, 3, 7)});
}

TEST(CppSource, RebuildsLoops) {
  expect_same("loops", build_loops,
              {{noise({2, 3}, 1), Tensor::scalar<int64_t>(3)}, {noise({4, 3}, 2), Tensor::scalar<int64_t>(40)}});
}

}  // namespace
}  // namespace tc
