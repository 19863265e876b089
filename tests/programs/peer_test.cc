// Random programs with their gradients: what is compiled computes what ONNX Runtime does with the exported file, in
// Node.js for all of them, and in WebAssembly for a sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "differential.h"
#include "tests/peers/peer.h"

namespace tc::programs {
namespace {

constexpr int kOpsets[] = {13, 15, 17, 18, 21, 25};

// Seeds of programs that ONNX Runtime's optimiser breaks: it moves a gather in front of a slice, out of bounds. They
// run as they are written.
constexpr uint64_t kUnoptimized[] = {268};

struct Try {
  Program program;
  Function function;
  int opset;
  std::vector<Tensor> actual;
};

std::string compared(const Try& t, const peers::Outcome& outcome) {
  if (!outcome.error.empty()) return outcome.error;
  std::string report;
  const auto outputs = t.function.outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto same_name = [&](const auto& o) { return o.first == outputs[i].name; };
    const auto it = std::find_if(outcome.outputs.begin(), outcome.outputs.end(), same_name);
    const std::string d = it == outcome.outputs.end() ? "is missing" : difference(t.actual[i], it->second, kTolerance);
    if (!d.empty()) report += cat(outputs[i].name, ": ", d, "\n");
  }
  return report;
}

TEST(ProgramsPeer, OnnxRuntimeComputesTheSame) {
  if (peers::node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const Seeds s = seeds(300);
  std::vector<Try> tries;
  std::vector<peers::Job> jobs;
  std::map<std::string, int> refused;
  for (uint64_t seed = s.first; seed < s.first + s.count; ++seed) {
    std::string text;
    try {
      Program p = random_program(seed);
      text = p.text;
      Function f = with_gradients(p);
      const int opset = kOpsets[seed % std::size(kOpsets)];
      peers::Job job;
      job.optimize = std::find(std::begin(kUnoptimized), std::end(kUnoptimized), seed) == std::end(kUnoptimized);
      for (size_t i = 0; i < p.inputs.size(); ++i) job.inputs.emplace_back(f.inputs()[i].name, p.inputs[i]);
      std::vector<Tensor> actual = compile(f)(p.inputs);
      try {
        job.bytes = export_onnx_bytes(f, {.opset = opset, .target = ort});
      } catch (const Error& e) {
        if (e.code() != ErrorCode::unsupported) throw;
        ++refused[e.diagnostic().message];
        continue;
      }
      jobs.push_back(std::move(job));
      tries.push_back({std::move(p), std::move(f), opset, std::move(actual)});
    } catch (const Error& e) {
      ADD_FAILURE() << e.what() << "\n" << described(seed, text);
    }
  }
  size_t agreed = 0, in_sample = 0, agreed_in_sample = 0;
  const auto outcomes = peers::onnx_runtime(jobs);
  std::vector<peers::Job> sample;
  for (size_t i = 0; i < tries.size(); ++i) {
    const std::string report = compared(tries[i], outcomes[i]);
    EXPECT_EQ(report, "") << "opset " << tries[i].opset << ", "
                          << described(tries[i].program.seed, tries[i].program.text);
    agreed += report.empty();
    if (i % 6 == 0) sample.push_back(jobs[i]);
  }
  const auto web = peers::onnx_runtime(sample, peers::Runtime::web);
  for (size_t i = 0; i < tries.size(); i += 6) {
    const std::string report = compared(tries[i], web[in_sample++]);
    EXPECT_EQ(report, "") << "in WebAssembly, opset " << tries[i].opset << ", "
                          << described(tries[i].program.seed, tries[i].program.text);
    agreed_in_sample += report.empty();
  }
  std::cout << s.count << " programs with gradients, " << tries.size() << " exported: onnxruntime-node agrees on "
            << agreed << " of them, onnxruntime-web on " << agreed_in_sample << " of a sample of " << in_sample << "\n";
  for (const auto& [reason, count] : refused) std::cout << "  refused " << count << ": " << reason << "\n";
}

}  // namespace
}  // namespace tc::programs
