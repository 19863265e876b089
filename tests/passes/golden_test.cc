// Golden files: tests/golden/passes/*.tc hold a program, how to run passes over it, and the whole expected output.
//
//   // RUN: -O2 --until=fuse          what to do; --disable=NAME, --check=values
//   // MUST: fused_conv               the output contains this; blessing does not touch these lines
//   // MUST-NOT: batch_normalization
//   graph @main(...) { ... }
//   // EXPECT
//   graph @main(...) { ... }          compared line by line; written anew when TC_BLESS=1
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/passes/pipeline.h"

namespace tc {
namespace {

constexpr std::string_view kMark = "// EXPECT\n";

std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(TC_SOURCE_DIR "/tests/golden/passes"))
    if (entry.path().extension() == ".tc") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

PipelineOptions parse_options(const std::string& line) {
  PipelineOptions o;
  std::istringstream words(line);
  for (std::string w; words >> w;) {
    const std::string value = w.substr(std::min(w.size(), w.find('=') + 1));
    if (w == "-O0" || w == "-O1" || w == "-O2")
      o.level = w[2] - '0';
    else if (w.starts_with("--until="))
      o.until = value;
    else if (w.starts_with("--disable="))
      o.disable.insert(value);
    else if (w == "--check=values")
      o.check_values = true;
    else
      ADD_FAILURE() << "unknown option " << w;
  }
  return o;
}

class GoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, Matches) {
  const std::string text = read(GetParam());
  const size_t mark = text.find(kMark);
  const std::string program = text.substr(0, mark);
  PipelineOptions options;
  std::vector<std::string> must, must_not;
  std::istringstream lines(program);
  for (std::string line; std::getline(lines, line);) {
    auto after = [&](std::string_view prefix) {
      return line.starts_with(prefix) ? line.substr(prefix.size()) : std::string();
    };
    if (auto v = after("// RUN: "); !v.empty()) options = parse_options(v);
    if (auto v = after("// MUST: "); !v.empty()) must.push_back(v);
    if (auto v = after("// MUST-NOT: "); !v.empty()) must_not.push_back(v);
  }
  auto module = parse_module(program, GetParam());
  optimize(*module, options);
  const std::string result = print(*module, {.elide_weights = true});
  for (const auto& m : must) EXPECT_NE(result.find(m), std::string::npos) << "lacks: " << m << "\n" << result;
  for (const auto& m : must_not) EXPECT_EQ(result.find(m), std::string::npos) << "has: " << m << "\n" << result;
  if (const char* bless = std::getenv("TC_BLESS"); bless && *bless == '1') {
    std::ofstream(GetParam()) << program << kMark << result;
    return;
  }
  ASSERT_NE(mark, std::string::npos) << "no expected output yet; run with TC_BLESS=1";
  EXPECT_EQ(text.substr(mark + kMark.size()), result);
}

INSTANTIATE_TEST_SUITE_P(Passes, GoldenTest, testing::ValuesIn(golden_files()),
                         [](const testing::TestParamInfo<std::string>& file) {
                           std::string name = std::filesystem::path(file.param).stem().string();
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace tc
