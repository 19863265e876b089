// Samples in every opset that libonnx knows: its type and shape inference, in strict mode, finds nothing wrong in the
// exported files (what Python's onnx calls full_check), but for listed ones.
#include <gtest/gtest.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "tests/backend/onnx/sample_export.h"

namespace tc {
namespace {

constexpr int kLibraryOpset = 17;

// What strict inference says of the file; empty for nothing.
std::string inference_of(const std::string& bytes) {
  ::onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) return "does not parse";
  try {
    ::onnx::shape_inference::InferShapes(model, ::onnx::OpSchemaRegistry::Instance(), {true, 1, false});
  } catch (const std::exception& e) {
    const std::string text = e.what();
    return text.substr(0, text.find('\n'));
  }
  return {};
}

// The list is exact. TC_BLESS=1 writes it anew.
TEST(FullCheck, FindsNothingWrongInExportedSamples) {
  std::map<std::string, std::string> lines;  // sample and reason → dialects
  size_t files = 0;
  for (const Sample& s : all_samples()) {
    BuiltSample built(s);
    for (const ExportTarget target : {ExportTarget::standard, ExportTarget::ort})
      for (int opset = kMinExportOpset; opset <= kLibraryOpset; ++opset) {
        const DialectCase d{target, opset};
        const Exported e = export_sample(*built.graph.module, d);
        if (!e.refusal.empty()) continue;
        ++files;
        const std::string found = inference_of(e.bytes);
        if (found.empty()) continue;
        std::string& where = lines[cat(s.name, ": ", found)];
        where += cat(where.empty() ? "" : " ", to_string(d));
      }
  }
  std::cout << files << " files of " << all_samples().size() << " samples, " << lines.size() << " findings\n";
  std::string text =
      "# Exported samples in which libonnx's strict inference finds something: sample: what [dialects].\n"
      "# All of it is of libonnx 1.12, which lacks scalars (softmax, one_hot), empty windows, broadcast ellipses and "
      "maps,\n"
      "# and has other extents for AveragePool by ceil_mode and for STFT.\n"
      "# TC_BLESS=1 onnx_full_check_test writes this list.\n";
  for (const auto& [line, where] : lines) text += cat(line, " [", where, "]\n");
  const std::string path = TC_SOURCE_DIR "/tests/backend/onnx/full_check_findings.txt";
  if (std::getenv("TC_BLESS")) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  const std::string listed{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, listed);
}

}  // namespace
}  // namespace tc
