// ONNX models of which the caller has parts, or knows more than they say.
#include <gtest/gtest.h>

#include "tc/frontend/onnx/model_writer.h"
#include "tc/tc.h"

namespace tc {
namespace {

namespace w = model_writer;

const std::string kWeight = w::tensor<float>("w", {3}, {10, 20, 30});

// y = x + w.
std::string model(const std::string& weight, bool is_input) {
  w::Messages inputs = {w::value_info("x", w::kF32, {"n", 3})};
  if (is_input) inputs.push_back(w::value_info("w", w::kF32, {3}));
  return w::model(
      w::graph({w::node("Add", {"x", "w"}, {"y"})}, inputs, {w::value_info("y", w::kF32, {"n", 3})}, {weight}));
}
// Of a tensor that lies in a file.
std::string external_weight() {
  return w::scalar(1, 3) + w::scalar(2, w::kF32) + w::field(8, "w") +
         w::field(13, w::field(1, "location") + w::field(2, "weights.bin")) +
         w::field(13, w::field(1, "offset") + w::field(2, "4")) + w::scalar(14, 1);
}
Function load_text(const std::string& bytes, const LoadOptions& options = {}) {
  const auto kept = std::make_shared<const std::string>(bytes);
  return load_onnx(kept->data(), kept->size(), kept, options);
}
std::vector<float> run(const Function& f, const std::vector<Tensor>& more = {}) {
  std::vector<Tensor> inputs = {Tensor{{1.f, 2.f, 3.f}}};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return std::vector<Tensor>(compile(f)(inputs))[0].to_vector<float>();
}
ErrorCode code_of(const std::string& bytes, const LoadOptions& options) {
  try {
    load_text(bytes, options);
  } catch (const Error& e) {
    return e.code();
  }
  return ErrorCode::internal;
}
Tensor bytes_of(const std::vector<float>& values) {
  Tensor t(u8, {static_cast<int64_t>(values.size() * sizeof(float))});
  std::copy_n(reinterpret_cast<const uint8_t*>(values.data()), t.size(), t.mutable_span<uint8_t>().data());
  return t;
}

TEST(Load, ExternalFilesFromMemory) {
  const std::string m = model(external_weight(), false);
  EXPECT_EQ(code_of(m, {}), ErrorCode::bad_external_data);
  EXPECT_EQ(run(load_text(m, {.external_files = {{"weights.bin", bytes_of({0, 7, 8, 9})}}})),
            (std::vector<float>{8, 10, 12}));
  EXPECT_EQ(code_of(m, {.external_files = {{"weights.bin", bytes_of({0, 7})}}}), ErrorCode::bad_external_data);
  EXPECT_EQ(code_of(m, {.external_files = {{"other.bin", bytes_of({0, 7, 8, 9})}}}), ErrorCode::bad_external_data);
}

TEST(Load, InitialisersOfTheCaller) {
  const Tensor w = {7.f, 8.f, 9.f};
  EXPECT_EQ(run(load_text(model(kWeight, false))), (std::vector<float>{11, 22, 33}));
  EXPECT_EQ(run(load_text(model(kWeight, false), {.initializers = {{"w", w}}})), (std::vector<float>{8, 10, 12}));
  // The file need not be there then.
  EXPECT_EQ(run(load_text(model(external_weight(), false), {.initializers = {{"w", w}}})),
            (std::vector<float>{8, 10, 12}));
  EXPECT_EQ(code_of(model(kWeight, false), {.initializers = {{"v", w}}}), ErrorCode::bad_input);
  EXPECT_EQ(code_of(model(kWeight, false), {.initializers = {{"w", Tensor{1.f, 2.f}}}}), ErrorCode::bad_input);
  EXPECT_EQ(code_of(model(kWeight, false), {.initializers = {{"w", Tensor{1., 2., 3.}}}}), ErrorCode::bad_input);
}

TEST(Load, InitialisersAsInputs) {
  const std::string m = model(kWeight, true);
  EXPECT_EQ(load_text(m).inputs().size(), 1U);
  std::map<std::string, Tensor> weights;
  const Function f = load_text(m, {.overridable = &weights});
  ASSERT_EQ(f.inputs().size(), 2U);
  EXPECT_EQ(f.inputs()[1].name, "w");
  ASSERT_EQ(weights.count("w"), 1U);
  EXPECT_EQ(run(f, {weights["w"]}), (std::vector<float>{11, 22, 33}));
  EXPECT_EQ(run(f, {Tensor{0.f, 0.f, 1.f}}), (std::vector<float>{1, 2, 4}));
}

TEST(Load, ExtentsOfNamedDimensions) {
  const Function f = load_text(model(kWeight, false), {.dims = {{"n", 1}, {"other", 5}}});
  EXPECT_EQ(f.inputs()[0].type, Type::tensor(f32, {1, 3}));
  EXPECT_EQ(f.outputs()[0].type, Type::tensor(f32, {1, 3}));
  EXPECT_EQ(run(f), (std::vector<float>{11, 22, 33}));
  EXPECT_THROW(compile(f)({Tensor(f32, {2, 3})}), Error);
}

}  // namespace
}  // namespace tc
