// The models of the zoo: they are made, exported and read back, and give what ONNX Runtime gives; of the largest, the
// first layers.
#include "tc/bench/zoo/zoo.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tc/bench/zoo/networks.h"
#include "tc/frontend/api/tc.h"
#include "tc/tools/common/inputs.h"
#include "tests/peers/peer.h"

namespace tc {
namespace {

class ZooTest : public testing::TestWithParam<std::string> {};

TEST_P(ZooTest, ExportsAndAgreesWithOnnxRuntime) {
  const zoo::Model& model = zoo::find(GetParam());
  const Function made = model.make();
  EXPECT_FALSE(made.inputs().empty());
  if (model.compared && !peers::node_modules().empty()) {
    InputSpec spec;
    spec.dims = model.dims;
    Tolerance tolerance = peers::kModelTolerance;
    tolerance.atol_of_max = model.error;
    EXPECT_EQ(peers::compare_export(made, spec, tolerance), "");
    return;
  }
  const auto bytes = std::make_shared<const std::string>(export_onnx_bytes(made, {.opset = model.opset}));
  const Function f = load_onnx(bytes->data(), bytes->size(), bytes);
  ASSERT_EQ(f.outputs().size(), made.outputs().size());
  for (size_t i = 0; i < f.outputs().size(); ++i)
    EXPECT_EQ(f.outputs()[i].type, made.outputs()[i].type) << f.outputs()[i].name;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& m : zoo::models()) all.emplace_back(m.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, ZooTest, testing::ValuesIn(names()), [](const auto& model) { return model.param; });

TEST(Zoo, FirstLayersAgreeWithOnnxRuntime) {
  if (peers::node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  InputSpec spec;
  spec.dims = {"batch=2", "length=19"};
  EXPECT_EQ(peers::compare_export(zoo::bert_of<2>(), spec), "");
  spec.dims = {"past=33"};
  EXPECT_EQ(peers::compare_export(zoo::gpt2_step_of<2>(), spec), "");
}

TEST(Zoo, UnknownNames) {
  EXPECT_THROW(zoo::find("resnet19"), Error);
}

}  // namespace
}  // namespace tc
