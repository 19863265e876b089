// Every row of the vocabulary, exported and run by ONNX Runtime: what it computes is what tc computes. Rows for which
// it is not are in rows_peer_differences.txt, which is exact; TC_BLESS=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "../../peers/peer.h"
#include "tc/tools/common/compare.h"
#include "vocabulary.h"

namespace tc::vocabulary {
namespace {

struct RowRun {
  std::string label;
  std::vector<std::string> names;
  std::vector<Tensor> expected;
};

// The first sentence of a message, without what differs from machine to machine.
std::string first_of(std::string message) {
  message = message.substr(0, message.find('\n'));
  const size_t path = message.find("/onnxruntime_src");
  if (path != message.npos) message = message.substr(0, path);
  return message.substr(0, 160);
}

TEST(Vocabulary, RunsInOnnxRuntime) {
  if (peers::node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  std::vector<RowRun> runs;
  std::vector<peers::Job> jobs;
  std::set<std::string> lines;
  size_t seed = 0;
  for (const Group& g : all_groups()) {
    for (const Row& row : g.rows) {
      RowRun run{row.name, {}, {}};
      std::vector<Input> declared;
      NamedTensors inputs;
      std::vector<Tensor> values;
      for (const std::string& spec : row.inputs) {
        run.label += " " + spec;
        values.push_back(make_input(spec, ++seed));
        const std::string name(1, static_cast<char>('a' + declared.size()));
        declared.push_back({name, values.back().dtype(), {}});
        for (const int64_t d : values.back().extents()) declared.back().shape.emplace_back(d);
        inputs.emplace_back(name, values.back());
      }
      run.label += ": " + row.numpy;
      const Function f = dsl::trace(row.name, declared, row.arity, row.call, Location::current());
      run.expected = compile(f)(values);
      for (const ValueInfo& v : f.outputs()) run.names.push_back(v.name);
      try {
        jobs.push_back({.model = {}, .inputs = inputs, .bytes = export_onnx_bytes(f, {.opset = 21, .target = ort})});
        runs.push_back(std::move(run));
      } catch (const Error& e) {
        lines.insert(run.label + ": not exported: " + first_of(e.diagnostic().message));
      }
    }
  }
  const std::vector<peers::Outcome> outcomes = peers::onnx_runtime(jobs);
  for (size_t i = 0; i < runs.size(); ++i) {
    std::string problem = first_of(outcomes[i].error);
    for (size_t j = 0; problem.empty() && j < runs[i].expected.size(); ++j) {
      const Tensor* actual = nullptr;
      for (const auto& [name, t] : outcomes[i].outputs)
        if (name == runs[i].names[j]) actual = &t;
      // ONNX Runtime rounds to f16 after each operator. Sums that cancel err by the size of what is summed.
      const bool narrow = runs[i].expected[j].dtype() == f16;
      const Tolerance tolerance{.rtol = narrow ? 4e-3 : 2e-4, .atol = narrow ? 1e-3 : 1e-5, .atol_of_max = 1e-6};
      const std::string d = actual ? difference(*actual, runs[i].expected[j], tolerance) : "is missing";
      if (d.empty()) continue;
      std::cerr << runs[i].label << ": " << d << "\n";
      problem = cat("output ", j, " differs");
    }
    if (!problem.empty()) lines.insert(runs[i].label + ": " + problem);
  }
  std::cout << jobs.size() << " rows exported, " << lines.size() << " do not agree\n";
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const std::string path = TC_SOURCE_DIR "/tests/frontend/dsl/rows_peer_differences.txt";
  if (std::getenv("TC_BLESS")) std::ofstream(path) << text;
  // What ONNX Runtime makes of NaN depends on the machine's instructions: listed rows may agree.
  std::set<std::string> listed;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) listed.insert(line);
  for (const std::string& line : lines) EXPECT_TRUE(listed.count(line)) << "not listed: " << line;
}

}  // namespace
}  // namespace tc::vocabulary
