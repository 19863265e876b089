// A comparison of engines on one model with one thread count: who is right, and who is how fast.
//
// Each engine lives in a worker process. Blocks of runs alternate between the engines (A B A B), so that drift of the
// machine meets all of them alike; an engine that is not at work is stopped, since some pools spin after a run; each
// block warms up first. Loads alternate too, each in a fresh worker; the last ones go on to the runs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tc/frontend/api/files/npy.h"
#include "tc/tools/common/compare.h"
#include "tc/tools/common/rates.h"

namespace tc::bench {

struct Plan {
  std::string name, model;           // for people; the file
  std::vector<std::string> engines;  // the first is the one that others are compared with
  int threads = 1;
  double min_seconds = 2;                      // of timed runs per engine
  int blocks = 8;                              // that these are split into
  int loads = 3;                               // of each engine; figures are medians over them
  std::string inputs;                          // .npz in a folder that takes the engines' outputs too
  NamedTensors truth;                          // floating outputs in f64, to tell how far engines are off; or none
  std::string ort_library, isa;                // the options of these names, for workers
  std::map<std::string, std::string> scripts;  // of engines that run in node
  Tolerance tolerance{1e-3, 1e-7, 1e-4};
};

struct EngineResult {
  std::string version, error;  // error: why there are no figures
  std::string mismatch;        // how its outputs differ from the first engine's
  double load_ms = 0, first_run_ms = 0, peak_mb = 0;
  double median_ms = 0, p10_ms = 0, p90_ms = 0;
  double ratio = 0;  // median over the blocks of this engine's time / the first engine's in the same round
  int runs = 0;
  std::optional<double> error_of_max;  // of its outputs, where there is a truth
};

struct Result {
  std::string name;
  int threads = 1;
  double flops = 0, steps = 0;  // of one run, as tc counts them
  double step_ns = 0;           // what a step of one element costs tc
  Probe probe;                  // medians over the blocks
  std::map<std::string, EngineResult> engines;
};

// `progress` gets a short word about each block.
Result compare_engines(const Plan& plan, const std::function<void(const std::string&)>& progress);

// Error bad_argument, which says what an engine of the plan that runs in node needs and does not find.
void check_engines(const Plan& plan);

// The worker: answers JSON requests from standard input until it ends. `ort_library` as in EngineOptions.
int serve(const std::string& engine, const std::string& ort_library);

}  // namespace tc::bench
