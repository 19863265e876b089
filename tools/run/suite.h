// `tc-run --suite`: ONNX backend test cases. A case is a folder with model.onnx and
// test_data_set_*/{input,output}_N.pb. Cases run in worker processes, so that one that crashes or hangs fails alone.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tc/ir/module.h"
#include "tc/ir/tensor.h"

namespace tc {

// Runs a model on inputs given in the order of the main graph's inputs.
using RunModel = std::function<std::vector<Datum>(const std::string& path,
                                                  const std::function<std::vector<Datum>(const Graph&)>& inputs)>;

// Thrown by a RunModel for a model that cannot be run in this way: neither passed nor failed.
struct NotApplicable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct SuiteOptions {
  std::string folder;
  std::string filter;                    // regular expression on the case's name, empty for all
  std::string known_failures;            // file with a case name per line; a listed case that passes is a failure
  int jobs = 1;                          // worker processes
  int timeout_seconds = 120;             // per case
  bool progress = false;                 // on stderr
  std::vector<std::string> worker_args;  // command line of a worker: this program and what configures it
};

// Prints a line per failure and last `N passed, N failed, N skipped`; returns the exit status.
int run_suite(const SuiteOptions& options);

// The worker: reads case folders from stdin, answers a line each.
int run_suite_worker(const RunModel& run);

}  // namespace tc
