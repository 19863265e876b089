// docs/coverage.md is what tests have run: the notes that samples_test and onnx_standard_test leave when they pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "tc/ir/op.h"

namespace tc {
namespace {

struct Notes {
  // By column, then by op (for `import` by operator): what follows.
  std::map<std::string, std::map<std::string, std::set<std::string>>> columns;
  std::map<std::string, std::set<int>> versions;  // of operators that import knows

  // Whether the test has passed since the build folder was made.
  bool read(const std::string& test) {
    std::ifstream file(cat(TC_BINARY_DIR "/coverage/", test, ".txt"));
    if (!file) return false;
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string column, op, rest;
      words >> column >> op;
      if (int since = 0; column == "import" && words >> since) versions[op].insert(since);
      words >> rest;
      columns[column][op].insert(rest);
    }
    return true;
  }
};

using Types = std::set<std::string>;

// The element types in the order of their table.
std::string listed(const Types& types) {
  std::string text;
  for (int k = 0; k < kNumDTypes; ++k)
    if (const std::string t = cat(static_cast<DType>(k)); types.count(t)) text += cat(text.empty() ? "" : " ", t);
  return text;
}

// `types` in full, or by the few of `reference` that are not among them.
std::string cell(const Types& types, const Types& reference, const char* whole) {
  Types missing, foreign;
  std::set_difference(reference.begin(), reference.end(), types.begin(), types.end(),
                      std::inserter(missing, missing.end()));
  std::set_difference(types.begin(), types.end(), reference.begin(), reference.end(),
                      std::inserter(foreign, foreign.end()));
  if (types.empty() || !foreign.empty() || missing.size() > 4 || missing.size() >= types.size()) return listed(types);
  return missing.empty() ? whole : cat(whole, " but ", listed(missing));
}

std::string cell(const Types& types) {
  Types every;
  for (int k = 0; k < kNumDTypes; ++k) every.insert(cat(static_cast<DType>(k)));
  return cell(types, every, "every type");
}

std::string operator_of(const OpInfo& op) {
  const OnnxName& onnx = op.facts->onnx;
  const bool plain = onnx.domain.empty() || onnx.domain == "ai.onnx";
  return onnx.name.empty() ? "" : cat(plain ? "" : cat(onnx.domain, "."), onnx.name);
}

std::string numbers(const std::set<int>& list) {
  std::string text;
  for (const int n : list) text += cat(text.empty() ? "" : " ", n);
  return text;
}

std::string page_of(const Notes& notes) {
  const auto of = [&](const char* column, const std::string& op) {
    const auto c = notes.columns.find(column);
    if (c == notes.columns.end()) return std::set<std::string>();
    const auto it = c->second.find(op);
    return it == c->second.end() ? std::set<std::string>() : it->second;
  };
  std::string page =
      "# Coverage\n\n"
      "What tests have run, per op; nothing here is written by hand. `samples_test` and `onnx_standard_test` note what "
      "they\nran when they pass, `coverage_test` compares this page with the notes, and `TC_BLESS=1 "
      "build/tests/coverage_test` writes\nit anew.\n\n"
      "- **operator**, **versions**: the ONNX operator, and those of its versions of which a node was imported; each "
      "holds up to\n  the opset before the next one, the last one up to the newest opset.\n"
      "- **eval**: element types of the op's first type variable on which the reference body gave what the widest type "
      "of the\n  kind gives, rounded once.\n"
      "- **import**: element types with which a node of some version was imported; `all`: those of eval.\n"
      "- **infer**: samples of which inference held for symbolic extents.\n"
      "- **kernel**: element types that ran on kernels of the least instruction set (as a view without any code, or in "
      "terms of\n  ops with kernels, some of them), and agreed with the reference body; the others run on that body.\n"
      "- **grad**: element types of which the gradient agreed with that of f64.\n\n"
      "Blank **eval**: the op has regions, or no type variable; its samples run all the same.\n\n"
      "| op | operator | versions | eval | import | infer | kernel | grad |\n|---|---|---|---|---|---|---|---|\n";
  std::set<std::string> shown;
  for (const OpInfo& op : all_ops()) {
    const std::string name(op.name()), onnx = operator_of(op);
    shown.insert(onnx);
    const auto eval = of("eval", name), imported = of("import", onnx);
    const auto versions = notes.versions.find(onnx);
    page += cat("| `", name, "` | ", onnx, " | ", versions == notes.versions.end() ? "" : numbers(versions->second),
                " | ", cell(eval), " | ", eval.empty() ? cell(imported) : cell(imported, eval, "all"), " | ",
                of("infer", name).size(), " | ", cell(of("kernel", name), eval, "all"), " | ",
                cell(of("grad", name), eval, "all"), " |\n");
  }
  page +=
      "\nOperators that import writes in terms of the ops above:\n\n"
      "| operator | versions | import |\n|---|---|---|\n";
  for (const auto& [name, versions] : notes.versions)
    if (!shown.count(name)) page += cat("| ", name, " | ", numbers(versions), " | ", cell(of("import", name)), " |\n");
  return page;
}

TEST(Coverage, PageIsFresh) {
  Notes notes;
  for (const char* test : {"samples_test", "onnx_standard_test"})
    if (!notes.read(test)) GTEST_SKIP() << test << " has not passed here yet";
  const std::string path = TC_SOURCE_DIR "/docs/coverage.md", page = page_of(notes);
  if (const char* bless = std::getenv("TC_BLESS"); bless && *bless == '1') std::ofstream(path) << page;
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), page) << "TC_BLESS=1 writes it anew";
}

}  // namespace
}  // namespace tc
