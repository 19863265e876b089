// Every op's samples, exported in every dialect, run by ONNX Runtime.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "tc/kernels/cpu.h"
#include "tests/backend/onnx/peer_wrap.h"
#include "tests/backend/onnx/sample_export.h"
#include "tests/backend/onnx/traps.h"
#include "tests/peers/peer.h"

namespace tc::peers {
namespace {

struct Pending {
  std::string name = {}, dialect = {};
  std::vector<Wrapped::Output> expected = {};
  bool random = false, lossy = false;
  Tolerance tolerance = {.rtol = 1e-3, .atol = 1e-5};
};

Tolerance tolerance_of(const Pending& p, DType inner) {
  switch (inner) {
    case DType::f64:
      return p.lossy ? p.tolerance : Tolerance{1e-6, 1e-8, 0};
    case DType::f16:
      return {1e-2, 1e-2, 0};
    case DType::bf16:
      return {4e-2, 4e-2, 0};
    default:
      return p.tolerance;
  }
}

// The kind of a failure, without what differs from model to model.
std::string shortened(std::string error, const std::string& model) {
  for (size_t at; (at = error.find(model)) != error.npos;) error.erase(at, model.size());
  for (const char* part :
       {"Load model from  failed:", "This is an invalid model. ", "Non-zero status code returned while running "})
    if (const size_t at = error.find(part); at != error.npos) error.erase(at, std::string_view(part).size());
  for (const char* end : {" Name:", " node with name", " (node:"})
    if (const size_t at = error.find(end); at != error.npos) error.resize(at);
  return error.substr(0, 120);
}

// What the standard has and ONNX Runtime lacks.
bool is_no_kernel(const std::string& line) {
  return line.find("Could not find an implementation") != line.npos || line.find("Failed to find kernel") != line.npos;
}

class PeerOfSamples : public testing::Test {
 protected:
  void SetUp() override {
    if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
    std::string name = (std::filesystem::temp_directory_path() / "tc_export_XXXXXX").string();
    ASSERT_TRUE(mkdtemp(name.data()));
    folder_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  void add(const std::string& name, const DialectCase& d, const Wrapped& w, Pending p) {
    const Exported e = export_sample(*w.module, d);
    if (!e.refusal.empty()) {
      ++refused_;
      return;
    }
    const std::string path = cat(folder_, "/", jobs_.size(), ".onnx");
    std::ofstream(path, std::ios::binary) << e.bytes;
    jobs_.push_back({path, w.inputs});
    p.lossy = precision_of(*w.module) != DType::f64;
    p.name = name, p.dialect = to_string(d), p.expected = w.outputs;
    for (const auto& c : e.report.changes) p.lossy |= c.what.find("loses precision") != std::string::npos;
    pending_.push_back(std::move(p));
  }

  // What is not as it should be: name and reason → dialects.
  std::map<std::string, std::string> run() {
    const auto outcomes = onnx_runtime(jobs_);
    std::map<std::string, std::string> lines;
    for (size_t i = 0; i < outcomes.size(); ++i) {
      const Pending& p = pending_[i];
      std::string problem = shortened(outcomes[i].error, jobs_[i].model);
      if (problem.empty()) {
        ++ran_;
        for (const auto& o : p.expected) {
          Tensor actual;
          for (const auto& [name, t] : outcomes[i].outputs)
            if (name == o.name) actual = t;
          if (p.random && actual.dtype() == o.value.dtype() && actual.extents() == o.value.extents()) continue;
          const std::string d = difference(actual, o.value, tolerance_of(p, o.inner));
          if (!d.empty())
            problem = cat("differs at ", o.name),
            std::cerr << p.name << " " << p.dialect << ": " << o.name << ": " << d << "\n";
        }
      }
      if (problem.empty()) continue;
      std::string& where = lines[cat(p.name, ": ", problem)];
      where += cat(where.empty() ? "" : " ", p.dialect);
    }
    return lines;
  }

  std::string folder_;
  std::vector<Job> jobs_;
  std::vector<Pending> pending_;
  size_t refused_ = 0, ran_ = 0;
};

// What ONNX Runtime gives changes from run to run: it reads outside of its input where Pad goes round more than once.
bool is_unstable(const Sample& s, const DialectCase& d) {
  return s.name == "pad/wrap" && d.target == ExportTarget::standard && d.opset >= 19;
}

// On machines without VNNI ONNX Runtime's saturate.
std::string without_products_of_bytes(const std::string& list) {
  const kernels::CpuInfo& cpu = kernels::cpu_info();
  if (cpu.avx512_vnni || cpu.avx_vnni) return list;
  constexpr std::string_view kOps[] = {"conv_integer",      "matmul_integer",       "qlinear_conv",
                                       "qlinear_matmul",    "fused_matmul_integer", "fused_conv_integer",
                                       "fused_qlinear_conv"};
  std::istringstream lines(list);
  std::string left;
  for (std::string line; std::getline(lines, line);) {
    const std::string_view op = std::string_view(line).substr(0, line.find_first_of("/:"));
    if (std::find(std::begin(kOps), std::end(kOps), op) == std::end(kOps)) left += line + "\n";
  }
  return left;
}

// The list is exact. TC_BLESS=1 writes it anew, on a machine with VNNI.
TEST_F(PeerOfSamples, ComputesTheSame) {
  size_t unfeedable = 0;
  for (const Sample& s : all_samples()) {
    BuiltSample built(s);
    const auto w = wrap(*built.graph.module, built.graph.inputs);
    if (!w) {
      ++unfeedable;
      continue;
    }
    for (const DialectCase& d : dialect_cases())
      if (!is_unstable(s, d))
        add(s.name, d, *w,
            {.random = built.random(), .tolerance = {std::max(1e-3, s.rtol), std::max(1e-5, s.atol), 0}});
  }
  const auto lines = run();
  size_t no_kernel = 0;
  std::cout << jobs_.size() << " files from " << all_samples().size() - unfeedable << " samples (" << unfeedable
            << " more have inputs or outputs that the binding lacks), " << refused_
            << " exports refused; ONNX Runtime ran " << ran_ << "\n";
  std::string text =
      "# Exported samples that ONNX Runtime does not run, or runs with other results: sample: what [dialects].\n"
      "# Without those of the standard's dialects that it has no kernel for: the test counts them.\n"
      "# TC_BLESS=1 onnx_peer_test writes this list.\n";
  for (const auto& [line, where] : lines)
    if (is_no_kernel(line) && where.find("ort") == where.npos)
      ++no_kernel;
    else
      text += cat(line, " [", where, "]\n");
  std::cout << "In the standard's dialects ONNX Runtime has no kernel for " << no_kernel << " operators of a type\n";
  const std::string path =
      cat(TC_SOURCE_DIR, "/tests/backend/onnx/peer_differences", other_opsets() ? "_other_opsets" : "", ".txt");
  if (std::getenv("TC_BLESS")) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  const std::string listed{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(without_products_of_bytes(text), without_products_of_bytes(listed));
}

TEST_F(PeerOfSamples, ComputesTrapsRight) {
  for (const Trap& trap : traps()) {
    SampleGraph g;
    trap.build(g);
    auto w = wrap(*g.module, g.inputs);
    ASSERT_TRUE(w);
    for (size_t i = 0; i < trap.expected.size(); ++i) w->outputs[i].value = trap.expected[i];
    for (const DialectCase& d : dialect_cases()) add(trap.name, d, *w, {.tolerance = {2e-6, 0, 0}});
  }
  EXPECT_EQ(refused_, 0u);
  for (const auto& [line, where] : run()) {
    EXPECT_TRUE(is_no_kernel(line) && where.find("ort") == where.npos) << line << " [" << where << "]";
  }
}

}  // namespace
}  // namespace tc::peers
