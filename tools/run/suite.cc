#include "tc/tools/run/suite.h"

#include <re2/re2.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>

#include "tc/frontend/onnx/tensor_proto.h"
#include "tc/tools/common/compare.h"
#include "tc/tools/common/worker.h"

namespace fs = std::filesystem;

namespace tc {
namespace {

// Cases whose truth is coarser than the official runner's tolerances, by a part of their name.
struct Relaxation {
  const char* name_part;
  Tolerance tolerance;
};
constexpr Relaxation kRelaxations[] = {
    // Reference spectra were computed in f32 by another algorithm: errors scale with the largest bin, not each one.
    {"dft", {1e-3, 1e-7, 1e-6}},
    {"stft", {1e-3, 1e-7, 1e-6}},
};

// Cases that draw random numbers: the stored outputs are one draw of many. Checked for element type and extents.
constexpr const char* kRandomCases[] = {"bernoulli", "training_dropout", "random_normal", "random_uniform",
                                        "multinomial"};

bool is_random(const std::string& name) {
  if (name.find("zero_ratio") != std::string::npos) return false;
  return std::any_of(std::begin(kRandomCases), std::end(kRandomCases),
                     [&](const char* part) { return name.find(part) != std::string::npos; });
}

Tolerance tolerance_of(const std::string& name) {
  for (const auto& r : kRelaxations)
    if (name.find(r.name_part) != std::string::npos) return r.tolerance;
  return {};
}

// Old cases store bfloat16 data as the bits in a uint16 tensor.
Datum read_case_value(const fs::path& file, const Type& type) {
  Datum d = onnx::read_value(file.string(), type);
  if (type.is_tensor() && type.dtype() == DType::bf16 && d.is_tensor() && d.tensor().dtype() == DType::u16)
    return Tensor::view(DType::bf16, d.tensor().extents(), d.tensor().data(), d.tensor().owner());
  return d;
}

std::string numbered(const char* stem, size_t i) {
  return cat(stem, "_", i, ".pb");
}

// Empty when the case passes.
std::string check_case(const RunModel& run, const fs::path& folder) {
  const std::string name = folder.filename().string();
  std::vector<fs::path> sets;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_"))
      sets.push_back(entry.path());
  std::sort(sets.begin(), sets.end());
  if (sets.empty()) return "no test_data_set_* folder";
  for (const auto& set : sets) {
    std::vector<Type> output_types;
    std::vector<std::string> output_names;
    auto inputs = [&](const Graph& g) {
      std::vector<Datum> values;
      for (int i = 0; i < g.num_inputs(); ++i)
        values.push_back(read_case_value(set / numbered("input", static_cast<size_t>(i)), g.input(i)->type()));
      for (Value* v : g.outputs()) output_types.push_back(v->type());
      output_names = g.output_names;
      return values;
    };
    const auto outputs = run((folder / "model.onnx").string(), inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const fs::path file = set / numbered("output", i);
      if (!fs::exists(file)) return cat(file.filename().string(), " is missing");
      const Datum expected = read_case_value(file, output_types[i]);
      std::string d;
      if (is_random(name) && expected.is_tensor() && outputs[i].is_tensor()) {
        const Tensor &a = outputs[i].tensor(), &e = expected.tensor();
        if (a.dtype() != e.dtype() || a.extents() != e.extents()) d = cat("expected ", e.type(), ", got ", a.type());
      } else {
        d = difference(outputs[i], expected, tolerance_of(name));
      }
      if (!d.empty())
        return cat(sets.size() > 1 ? set.filename().string() + ": " : "", "output '", output_names[i], "': ", d);
    }
    if (fs::exists(set / numbered("output", outputs.size())))
      return cat("the model has ", outputs.size(), " outputs, the case more");
  }
  return {};
}

std::string one_line(std::string s) {
  std::replace(s.begin(), s.end(), '\n', ' ');
  return s;
}

std::set<std::string> read_known_failures(const std::string& path) {
  std::set<std::string> names;
  if (path.empty()) return names;
  std::ifstream file(path);
  if (!file) fail(ErrorCode::bad_file, "cannot read ", path);
  for (std::string line; std::getline(file, line);) {
    line = line.substr(0, line.find('#'));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (!line.empty()) names.insert(line);
  }
  return names;
}

}  // namespace

int run_suite(const SuiteOptions& options) {
  if (!fs::is_directory(options.folder)) fail(ErrorCode::bad_file, options.folder, " is not a folder");
  const RE2 filter(options.filter, RE2::Quiet);
  if (!filter.ok())
    fail(ErrorCode::bad_argument, "--filter '", options.filter, "' is not a regular expression: ", filter.error());
  std::vector<fs::path> cases;
  for (const auto& entry :
       fs::recursive_directory_iterator(options.folder, fs::directory_options::skip_permission_denied)) {
    if (entry.path().filename() != "model.onnx") continue;
    const std::string name = fs::relative(entry.path().parent_path(), options.folder).string();
    if (RE2::PartialMatch(name, filter)) cases.push_back(entry.path().parent_path());
  }
  std::sort(cases.begin(), cases.end());
  const auto known = read_known_failures(options.known_failures);

  std::vector<std::string> answers(cases.size());
  std::atomic<size_t> next{0}, done{0};
  std::mutex output;
  auto serve = [&] {
    Worker worker("/proc/self/exe", options.worker_args);
    for (size_t i; (i = next++) < cases.size();) {
      try {
        answers[i] = worker.ask(cases[i].string(), options.timeout_seconds);
      } catch (const Error& e) {
        answers[i] = cat("FAIL ", e.diagnostic().message);
      }
      const size_t n = ++done;
      if (options.progress && (n % 16 == 0 || n == cases.size())) {
        const std::lock_guard lock(output);
        std::cerr << "\r" << n << " of " << cases.size() << (n == cases.size() ? "\n" : "") << std::flush;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.jobs; ++i) threads.emplace_back(serve);
  serve();
  for (auto& t : threads) t.join();

  size_t passed = 0, failed = 0, skipped = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string name = fs::relative(cases[i], options.folder).string();
    const bool expected_failure = known.count(name) > 0;
    if (answers[i] == "PASS") {
      if (expected_failure) {
        ++failed;
        std::cout << "FAIL " << name << ": passes, but is listed in " << options.known_failures
                  << ": remove it there\n";
      } else {
        ++passed;
      }
    } else if (expected_failure || answers[i].starts_with("SKIP ")) {
      ++skipped;
    } else {
      ++failed;
      std::cout << "FAIL " << name << ": " << (answers[i].starts_with("FAIL ") ? answers[i].substr(5) : answers[i])
                << "\n";
    }
  }
  std::cout << passed << " passed, " << failed << " failed, " << skipped << " skipped" << std::endl;
  return failed ? 1 : 0;
}

int run_suite_worker(const RunModel& run) {
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    try {
      const std::string reason = check_case(run, line);
      answer = reason.empty() ? "PASS" : cat("FAIL ", one_line(reason));
    } catch (const NotApplicable& e) {
      answer = cat("SKIP ", one_line(e.what()));
    } catch (const std::exception& e) {
      answer = cat("FAIL ", one_line(e.what()));
    }
    std::cout << answer << std::endl;
  }
  return 0;
}

}  // namespace tc
