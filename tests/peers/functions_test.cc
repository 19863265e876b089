// The hand-written models with local functions: ONNX Runtime computes what their table says.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../frontend/onnx/function_cases.h"
#include "peer.h"

namespace tc::peers {
namespace {

class PeerFunctions : public testing::TestWithParam<FunctionCase> {};

TEST_P(PeerFunctions, AgreeWithTheTable) {
  const FunctionCase& c = GetParam();
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  if (!c.not_in_peer.empty()) GTEST_SKIP() << "not in ONNX Runtime: " << c.not_in_peer;
  const auto path = std::filesystem::temp_directory_path() / cat("tc_functions_", getpid(), "_", c.name, ".onnx");
  std::ofstream(path, std::ios::binary) << c.model;
  std::vector<NamedTensors> got;
  EXPECT_NO_THROW(got = onnx_runtime(path, {{.inputs = c.inputs}}));
  std::filesystem::remove(path);
  ASSERT_EQ(got.size(), 1u);
  for (const auto& [name, want] : c.outputs) EXPECT_EQ(difference(find(got[0], name), want, {1e-6, 0, 0}), "") << name;
}

INSTANTIATE_TEST_SUITE_P(All, PeerFunctions, testing::ValuesIn(function_cases()),
                         [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace tc::peers
