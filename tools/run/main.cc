#include <CLI/CLI.hpp>
#include <iostream>

#include "tc/frontend/onnx/import.h"
#include "tc/ir/eval/interp.h"
#include "tc/tools/run/suite.h"

int main(int argc, char** argv) {
  CLI::App app("Runs ONNX models", "tc-run");
  tc::SuiteOptions suite;
  bool worker = false;
  app.add_option("--suite", suite.folder, "run the ONNX backend test cases below this folder");
  app.add_option("--filter", suite.filter, "only cases whose name matches this regular expression");
  app.add_option("--known-failures", suite.known_failures, "file with names of cases that are expected to fail");
  app.add_option("--jobs", suite.jobs, "worker processes");
  app.add_flag("--suite-worker", worker)->group("");
  CLI11_PARSE(app, argc, argv);
  try {
    if (worker)
      return tc::run_suite_worker([](const std::string& path, const auto& inputs) {
        const auto module = tc::onnx::import_file(path);
        tc::InterpOptions options;
        options.check_types = true;
        return tc::interpret(*module, inputs(module->main()), options);
      });
    suite.worker_args = {argv[0], "--suite-worker"};
    return tc::run_suite(suite);
  } catch (const tc::Error& e) {
    std::cerr << "tc-run: " << e.what() << "\n";
    return 1;
  }
}
