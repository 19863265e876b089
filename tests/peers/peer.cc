#include "peer.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

#include "tc/tc.h"

namespace tc::peers {
namespace {

// A fresh folder, removed with its contents at the end.
struct Workspace {
  Workspace() {
    std::string name = (std::filesystem::temp_directory_path() / "tc_peers_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a folder for temporary files");
    path = name;
  }
  ~Workspace() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  std::filesystem::path path;
};

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The status of the process; what it prints is in the workspace's file `printed`.
int run_node(const Workspace& workspace, const nlohmann::json& spec) {
  const std::string spec_file = workspace.path / "spec.json", printed = workspace.path / "printed";
  std::ofstream(spec_file) << spec;
  const std::string command = "TC_NODE_MODULES=" + quoted(node_modules()) +
                              " node " TC_SOURCE_DIR "/tests/peers/ort_run.mjs" + " --spec " + quoted(spec_file) +
                              " >" + quoted(printed) + " 2>&1";
  return std::system(command.c_str());
}

}  // namespace

std::string node_modules() {
  const char* given = std::getenv("TC_NODE_MODULES");
  const std::string folder = given ? given : TC_SOURCE_DIR "/node_modules";
  return std::filesystem::exists(folder + "/onnxruntime-node") ? folder : "";
}

std::vector<Outcome> onnx_runtime(const std::vector<Job>& jobs, Runtime runtime) {
  const Workspace workspace;
  const auto model_file = [&](size_t i) { return workspace.path / ("model" + std::to_string(i) + ".onnx"); };
  const auto file = [&](const char* kind, size_t i) { return workspace.path / (kind + std::to_string(i) + ".npz"); };
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!jobs[i].inputs.empty()) write_npz(file("in", i), jobs[i].inputs);
    if (!jobs[i].bytes.empty()) std::ofstream(model_file(i), std::ios::binary) << jobs[i].bytes;
  }
  std::vector<Outcome> outcomes;
  while (outcomes.size() < jobs.size()) {
    const std::string log = workspace.path / "log";
    std::filesystem::remove(log);
    nlohmann::json spec = {{"log", log}, {"jobs", nlohmann::json::array()}};
    if (runtime == Runtime::web) spec["package"] = "onnxruntime-web";
    for (size_t i = outcomes.size(); i < jobs.size(); ++i) {
      nlohmann::json run = {{"save", file("out", i)}};
      if (!jobs[i].folder.empty()) run["inputs"] = jobs[i].folder;
      if (!jobs[i].inputs.empty()) run["inputs"] = file("in", i);
      if (!jobs[i].draws.empty()) {
        const auto script = workspace.path / ("draws" + std::to_string(i) + ".mjs");
        std::ofstream(script) << jobs[i].draws;
        run["draws"] = script;
      }
      const auto model = jobs[i].bytes.empty() ? std::filesystem::absolute(jobs[i].model) : model_file(i);
      spec["jobs"].push_back({{"model", model},
                              {"severity", 4},
                              {"optimize", jobs[i].optimize},
                              {"exact", jobs[i].exact},
                              {"runs", {run}}});
    }
    const int status = run_node(workspace, spec);
    std::ifstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      const size_t i = outcomes.size();
      Outcome o;
      if (line == "ok")
        o.outputs = read_npz(file("out", i));
      else
        o.error = line;
      outcomes.push_back(std::move(o));
    }
    if (outcomes.size() < jobs.size())
      outcomes.push_back({"the process ended with status " + std::to_string(status), {}});
  }
  return outcomes;
}

std::vector<NamedTensors> onnx_runtime(const std::string& model, const std::vector<Run>& runs) {
  const Workspace workspace;
  const auto file = [&](const char* kind, size_t i) { return workspace.path / (kind + std::to_string(i) + ".npz"); };
  nlohmann::json spec = {
      {"model", std::filesystem::absolute(model)}, {"exact", true}, {"runs", nlohmann::json::array()}};
  for (size_t i = 0; i < runs.size(); ++i) {
    write_npz(file("in", i), runs[i].inputs);
    nlohmann::json feedback = nlohmann::json::object();
    for (const auto& [input, output] : runs[i].feedback) feedback[input] = output;
    spec["runs"].push_back({{"inputs", file("in", i)}, {"save", file("out", i)}, {"feedback", feedback}});
  }
  if (run_node(workspace, spec) != 0) {
    std::ifstream printed(workspace.path / "printed");
    throw std::runtime_error(std::string(std::istreambuf_iterator<char>(printed), {}));
  }
  std::vector<NamedTensors> outputs;
  for (size_t i = 0; i < runs.size(); ++i) outputs.push_back(read_npz(file("out", i)));
  return outputs;
}

Tensor random_f32(const Extents& extents, unsigned seed) {
  std::mt19937 random(seed);
  Tensor t(DType::f32, extents);
  for (float& v : t.mutable_span<float>()) v = static_cast<float>(random()) / 2147483648.0f - 1;
  return t;
}

Tensor weights(const Extents& extents, int64_t sum, unsigned seed) {
  Tensor t = random_f32(extents, seed);
  for (float& v : t.mutable_span<float>()) v *= std::sqrt(3 / static_cast<float>(sum));
  return t;
}

const Tensor& find(const NamedTensors& tensors, const std::string& name) {
  for (const auto& [key, tensor] : tensors)
    if (key == name) return tensor;
  throw std::runtime_error("no tensor is named " + name);
}

std::string compare_export(const Function& f, InputSpec spec, const Tolerance& tolerance) {
  Job job;
  job.exact = true;
  job.bytes = export_onnx_bytes(f);
  if (!spec.random_seed) spec.random_seed = 7;
  std::vector<Tensor> values;
  const auto inputs = f.inputs();
  for (const Datum& d : gather_inputs(f, spec)) {
    job.inputs.emplace_back(inputs[values.size()].name, d.tensor());
    values.push_back(d.tensor());
  }
  const Outcome expected = onnx_runtime(std::vector<Job>{job}).at(0);
  if (!expected.error.empty()) return "ONNX Runtime: " + expected.error;
  const auto bytes = std::make_shared<const std::string>(std::move(job.bytes));
  const Function read = load_onnx(bytes->data(), bytes->size(), bytes);
  const auto actual = compile(read)(values);
  const auto meant = f.outputs(), exported = read.outputs();
  std::string report;
  for (size_t i = 0; i < actual.size(); ++i) {
    const std::string& name = meant[i].name;
    if (const std::string d = difference(actual[i], find(expected.outputs, name), tolerance); !d.empty())
      report += cat(name, ": ", d, "\n");
    if (exported[i].type != meant[i].type)
      report += cat(name, " is ", meant[i].type, " and ", exported[i].type, " once exported\n");
  }
  return report;
}

}  // namespace tc::peers
