// The models of the zoo: they are made, exported and read back; the small ones give what ONNX Runtime gives.
#include "tc/bench/zoo/zoo.h"

#include <gtest/gtest.h>

#include <filesystem>

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
  if (model.small && !peers::node_modules().empty()) {
    InputSpec spec;
    spec.dims = model.dims;
    EXPECT_EQ(peers::compare_export(made, spec), "");
    return;
  }
  const auto bytes = std::make_shared<const std::string>(export_onnx_bytes(made));
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

TEST(Zoo, UnknownNames) {
  EXPECT_THROW(zoo::find("resnet19"), Error);
}

}  // namespace
}  // namespace tc
