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
  const auto bytes = std::make_shared<const std::string>(export_onnx_bytes(made));
  const Function f = load_onnx(bytes->data(), bytes->size(), bytes);
  ASSERT_EQ(f.outputs().size(), made.outputs().size());
  for (size_t i = 0; i < f.outputs().size(); ++i)
    EXPECT_EQ(f.outputs()[i].type, made.outputs()[i].type) << f.outputs()[i].name;
  if (!model.small || peers::node_modules().empty()) return;
  InputSpec spec;
  spec.random_seed = 7;
  spec.dims = model.dims;
  NamedTensors inputs;
  std::vector<Tensor> values;
  for (const Datum& d : gather_inputs(f, spec)) {
    inputs.emplace_back(f.inputs()[values.size()].name, d.tensor());
    values.push_back(d.tensor());
  }
  peers::Job job;
  job.inputs = inputs;
  job.bytes = *bytes;
  const auto expected = peers::onnx_runtime(std::vector<peers::Job>{job});
  ASSERT_EQ(expected[0].error, "");
  const auto actual = compile(f)(values);
  for (size_t i = 0; i < actual.size(); ++i) {
    const std::string name = f.outputs()[i].name;
    EXPECT_EQ(difference(actual[i], peers::find(expected[0].outputs, name), peers::kModelTolerance), "") << name;
  }
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
