// Every op's samples in every dialect: our own import of the file computes the same, or the refusal is in refusals.txt.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "tc/backend/onnx/reals.h"
#include "tc/ir/eval/interp.h"
#include "tc/tools/common/compare.h"
#include "tests/backend/onnx/sample_export.h"

namespace tc {
namespace {

DType dtype_inside(const Datum& d) {
  if (d.is_tensor()) return d.tensor().dtype();
  return d.is_sequence() && !d.items().empty() ? dtype_inside(d.items()[0]) : DType::f32;
}

class SampleExport : public testing::TestWithParam<size_t> {};

TEST_P(SampleExport, ComputesTheSameWhenReadBack) {
  const Sample& s = all_samples()[GetParam()];
  BuiltSample built(s);
  // Attributes of files have 32 bits.
  walk(built.graph.module->main(), [](Node& n) { onnx::round_reals(n); });
  const auto expected = interpret(*built.graph.module, built.graph.inputs);
  for (const DialectCase& d : dialect_cases()) {
    SCOPED_TRACE(cat(s.name, " ", to_string(d)));
    const Exported e = export_sample(*built.graph.module, d);
    if (!e.refusal.empty()) continue;
    const Function back = load_onnx(e.bytes.data(), e.bytes.size(), std::make_shared<std::string>(e.bytes));
    const auto actual = interpret(back.module(), built.graph.inputs);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) {
      if (built.random()) continue;
      EXPECT_EQ(difference(actual[i], expected[i],
                           export_tolerance(s, *built.graph.module, e.report, dtype_inside(expected[i]))),
                "")
          << "output " << i << "\n"
          << e.report.str() << back.str();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SampleExport, testing::Range<size_t>(0, all_samples().size()), [](const auto& p) {
  std::string name = cat(p.param, "_", all_samples()[p.param].name);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

// The list is exact: a sample that is refused elsewhere, or no longer, fails here. TC_BLESS=1 writes it anew.
TEST(SampleExportRefusals, AreTheListedOnes) {
  std::map<std::string, std::string> lines;  // sample and reason → dialects
  size_t exported = 0, refused = 0;
  for (const Sample& s : all_samples()) {
    BuiltSample built(s);
    for (const DialectCase& d : dialect_cases()) {
      const Exported e = export_sample(*built.graph.module, d);
      if (e.refusal.empty()) {
        ++exported;
        continue;
      }
      ++refused;
      std::string& where = lines[cat(s.name, ": ", e.refusal)];
      where += cat(where.empty() ? "" : " ", to_string(d));
    }
  }
  std::string text =
      "# Samples that export refuses: sample: reason [dialects]. TC_BLESS=1 onnx_export_test writes this list.\n";
  for (const auto& [line, where] : lines) text += cat(line, " [", where, "]\n");
  std::cout << exported << " exports of " << all_samples().size() << " samples, " << refused << " refused\n";
  const std::string path = TC_SOURCE_DIR "/tests/backend/onnx/refusals.txt";
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
