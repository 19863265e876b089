// What tc-run prints: summaries of outputs, timings, profiles, traces.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tc/backend/cpu/run/executable.h"
#include "tc/frontend/api/tc.h"
#include "tc/tools/common/timing.h"

namespace tc {

// A line per output: name, type, and least, largest, mean and first elements.
void print_outputs(std::ostream& out, const std::vector<ValueInfo>& infos, const std::vector<Datum>& values);

struct Timings {
  double median_ms = 0, p10_ms = 0, p90_ms = 0, load_ms = 0, first_run_ms = 0, peak_rss_mb = 0;
  int runs = 0;
};
// Percentiles of run times in milliseconds.
void set_percentiles(Timings& t, std::vector<double> run_ms);

// Table by node and by op: time, share, GFLOP/s or GB/s, kernel. `runs` averages.
void print_profile(std::ostream& out, const std::vector<cpu::StepTiming>& timings, int runs);
// A paragraph per node that has several algorithms, with the cost of each or why it cannot be used.
void print_candidates(std::ostream& out, const std::vector<cpu::StepCandidates>& candidates);
// A line per node whose forced algorithm cannot be used, with the reason.
void print_unforced(std::ostream& out, const std::vector<cpu::StepCandidates>& candidates);
// Chrome / Perfetto trace events. Error bad_file when it cannot be written.
void write_trace(const std::string& path, const std::vector<cpu::StepTiming>& timings);

}  // namespace tc
