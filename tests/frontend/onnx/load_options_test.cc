// What those who load a model may choose: which defaults of inputs they replace, and whether equal names bind extents.
#include <gtest/gtest.h>

#include "function_cases.h"
#include "tc/frontend/onnx/model_writer.h"
#include "tc/tc.h"

namespace tc {
namespace {

using namespace tc::model_writer;

Function loaded(const std::string& bytes, const LoadOptions& options) {
  const auto kept = std::make_shared<const std::string>(bytes);
  return load_onnx(kept->data(), kept->size(), kept, options);
}

// y = x * w, with w = [2, 3] unless it is fed.
std::string scaled(uint64_t ir_version) {
  return model(graph({node("Mul", {"x", "w"}, {"y"})}, {value_info("x", kF32, {2}), value_info("w", kF32, {2})},
                     {value_info("y", kF32, {2})}, {tensor<float>("w", {2}, {2, 3})}),
               {{}, {{"", 18}}, ir_version});
}

std::vector<std::string> names(const Function& f) {
  std::vector<std::string> result;
  for (const auto& info : f.inputs()) result.push_back(info.name);
  return result;
}

std::vector<float> result(const Function& f, const std::vector<Datum>& inputs) {
  return compile(f).run(inputs).at(0).tensor().to_vector<float>();
}

TEST(LoadOptions, AnInitialiserIsAWeightUnlessItIsOverridden) {
  const Function plain = loaded(scaled(8), {});
  EXPECT_EQ(names(plain), (std::vector<std::string>{"x"}));
  EXPECT_EQ(result(plain, {Datum(f32s({5, 7}))}), (std::vector<float>{10, 21}));
  const Function fed = loaded(scaled(8), {.overridden = {"w", "no such name"}});
  EXPECT_EQ(names(fed), (std::vector<std::string>{"x", "w"}));
  EXPECT_EQ(result(fed, {Datum(f32s({5, 7})), Datum(f32s({1, -1}))}), (std::vector<float>{5, -7}));
}

// Before IR version 4 every initialiser had to be declared as an input: that offers nothing.
TEST(LoadOptions, OldModelsHaveWeightsAlone) {
  EXPECT_EQ(names(loaded(scaled(3), {.overridden = {"w"}})), (std::vector<std::string>{"x"}));
}

TEST(LoadOptions, EqualNamesOfExtentsBindUnlessToldOtherwise) {
  const std::string sum =
      model(graph({node("Add", {"a", "b"}, {"y"})}, {value_info("a", kF32, {"N"}), value_info("b", kF32, {"N"})},
                  {value_info("y", kF32, {"N"})}),
            {{}, {{"", 18}}, 8});
  const std::vector<Datum> inputs = {Datum(f32s({1, 2, 3})), Datum(f32s({10}))};
  EXPECT_THROW(compile(loaded(sum, {})).run(inputs), Error);
  EXPECT_EQ(result(loaded(sum, {.shared_symbols = false}), inputs), (std::vector<float>{11, 12, 13}));
}

}  // namespace
}  // namespace tc
