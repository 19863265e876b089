// The ONNX project's backend cases, read and written again at their own opset and at 18. What the files compute is for
// the conformance tests; here is the list of those that cannot be written.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "tc/ir/module.h"
#include "tests/backend/onnx/cases.h"

namespace tc {
namespace {

class CaseExport : public testing::TestWithParam<std::string> {};

TEST_P(CaseExport, RefusalsAreTheListedOnes) {
  const auto folders = case_folders(GetParam());
  if (folders.empty()) GTEST_SKIP() << "no cases in " << GetParam();
  size_t imported = 0, exported = 0;
  std::map<std::string, std::string> refused;  // case and reason → opsets
  for (const auto& folder : folders) {
    std::optional<Function> f;
    try {
      f = load((folder / "model.onnx").string());
    } catch (const Error&) {
      continue;  // the conformance tests know
    }
    ++imported;
    const std::string name = std::filesystem::relative(folder, GetParam()).string();
    for (const int opset : std::set<int>{own_opset(f->module()), 18}) try {
        export_onnx_bytes(*f, {.opset = opset});
        ++exported;
      } catch (const Error& e) {
        ASSERT_EQ(e.code(), ErrorCode::unsupported) << name << " at opset " << opset << ": " << e.what();
        std::string& where = refused[cat(name, ": ", e.diagnostic().message)];
        where += cat(where.empty() ? "" : " ", opset);
      }
  }
  std::cout << folders.size() << " cases, " << imported << " imported, " << exported << " files exported, "
            << refused.size() << " refusals\n";
  std::string text =
      "# Cases that export refuses: case: reason [opsets]. TC_BLESS=1 onnx_export_test writes this list.\n";
  for (const auto& [line, where] : refused) text += cat(line, " [", where, "]\n");
  const std::string list = cat(TC_SOURCE_DIR "/tests/backend/onnx/refused_cases_", name_of_root(GetParam()), ".txt");
  if (std::getenv("TC_BLESS")) {
    std::ofstream(list) << text;
    return;
  }
  std::ifstream file(list);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

INSTANTIATE_TEST_SUITE_P(All, CaseExport, testing::ValuesIn(case_roots()),
                         [](const auto& p) { return name_of_root(p.param); });

}  // namespace
}  // namespace tc
