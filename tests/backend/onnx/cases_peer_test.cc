// The ONNX project's backend cases, read and written again at their own opset and at 18: ONNX Runtime gives the same
// outputs for the new files wherever it runs the original ones.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <set>

#include "tc/ir/module.h"
#include "tests/backend/onnx/cases.h"
#include "tests/peers/peer.h"

namespace fs = std::filesystem;

namespace tc::peers {
namespace {

struct Case {
  std::string name;
  bool random = false;
  size_t original = 0;                 // index of the job
  std::map<int, size_t> exports = {};  // opset → index of the job
};

// ONNX Runtime's own Attention gives the least finite number for scores that are masked out; the case, and what it is
// exported as for opset 18, -inf.
constexpr std::string_view kOthersTruth = "test_attention_4d_with_past_and_present_qk_matmul_bias_3d_mask_causal";

class Cases : public testing::TestWithParam<std::string> {};

TEST_P(Cases, MakeItThroughOnnxRuntime) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const auto folders = case_folders(GetParam());
  if (folders.empty()) GTEST_SKIP() << "no cases in " << GetParam();
  std::string work = (fs::temp_directory_path() / "tc_cases_XXXXXX").string();
  ASSERT_TRUE(mkdtemp(work.data()));

  std::vector<Case> cases;
  std::vector<Job> jobs;
  std::map<std::string, int> reasons;
  size_t imported = 0, exported = 0, refused = 0;
  for (const fs::path& folder : folders) {
    Case c{fs::relative(folder, GetParam()).string()};
    std::optional<Function> f;
    try {
      f = load((folder / "model.onnx").string());
    } catch (const Error& e) {
      continue;  // the conformance tests know
    }
    ++imported;
    walk(f->module().main(), [&](Node& n) { c.random |= n.info().traits.nondeterministic; });
    const std::string data = (folder / "test_data_set_0").string();
    c.original = jobs.size();
    jobs.push_back({(folder / "model.onnx").string(), {}, data});
    for (const int opset : std::set<int>{own_opset(f->module()), 18}) {
      const std::string path = cat(work, "/", jobs.size(), ".onnx");
      try {
        export_onnx(*f, path, {.opset = opset});
      } catch (const Error& e) {
        if (e.code() != ErrorCode::unsupported) throw;
        ++refused;
        const std::string& reason = e.diagnostic().message;
        ++reasons[reason.substr(reason.rfind(": ") + 2)];
        continue;
      }
      ++exported;
      c.exports[opset] = jobs.size();
      jobs.push_back({path, {}, data});
    }
    cases.push_back(std::move(c));
  }

  const auto outcomes = onnx_runtime(jobs);
  fs::remove_all(work);
  size_t ran = 0, through = 0;
  for (const Case& c : cases) {
    const Outcome& original = outcomes[c.original];
    if (!original.error.empty()) continue;
    ++ran;
    bool all = !c.exports.empty();
    for (const auto& [opset, job] : c.exports) {
      const Outcome& again = outcomes[job];
      std::string problem = again.error;
      for (const auto& [name, expected] : original.outputs) {
        if (!problem.empty()) break;
        const auto same_name = [&](const auto& output) { return output.first == name; };
        const auto it = std::find_if(again.outputs.begin(), again.outputs.end(), same_name);
        if (it == again.outputs.end())
          problem = cat("output ", name, " is missing");
        else if (!c.random)
          problem = difference(it->second, expected, {.rtol = 1e-3, .atol = 1e-6, .atol_of_max = 1e-5});
      }
      all &= problem.empty();
      if (c.name == kOthersTruth && opset == 18) continue;
      EXPECT_EQ(problem, "") << c.name << " at opset " << opset;
    }
    through += all;
  }
  std::cout << folders.size() << " cases: " << imported << " imported, " << exported << " files exported, " << refused
            << " exports refused; ONNX Runtime runs " << ran
            << " of the originals, and gives the same for all exports of " << through << "\n";
  for (const auto& [reason, count] : reasons) std::cout << "  refused " << count << ": " << reason << "\n";
  if (GetParam() == TC_ONNX_TESTDATA) {
    EXPECT_GE(through, 900u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Cases, testing::ValuesIn(case_roots()),
                         [](const auto& p) { return name_of_root(p.param); });

}  // namespace
}  // namespace tc::peers
