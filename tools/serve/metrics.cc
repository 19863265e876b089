#include "tc/tools/serve/metrics.h"

#include <unistd.h>

#include <fstream>

#include "tc/ir/diag.h"
#include "tc/tools/common/timing.h"

namespace tc::serve {
namespace {

void family(std::string& out, const char* name, const char* type, const char* help) {
  out += cat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

}  // namespace

void Metrics::answered(int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++by_status_[status];
  size_t i = 0;
  while (i < kBounds.size() && seconds > kBounds[i]) ++i;
  ++within_[i];
  seconds_ += seconds;
}

void Metrics::ran(int64_t requests, int64_t rows) {
  const std::lock_guard lock(mutex_);
  ++runs_;
  batched_ += requests;
  rows_ += rows;
}

void append(std::string& out, const std::map<std::string, const Metrics*>& models) {
  const auto each = [&](auto&& line) {
    for (const auto& [labels, m] : models) {
      const std::lock_guard lock(m->mutex_);
      line(labels, *m);
    }
  };
  family(out, "tc_requests_total", "counter", "Requests that were answered, by the status of the answer.");
  each([&](const std::string& labels, const Metrics& m) {
    for (const auto& [status, n] : m.by_status_)
      out += cat("tc_requests_total{", labels, ",status=\"", status, "\"} ", n, "\n");
  });
  family(out, "tc_request_seconds", "histogram", "From the last byte of a request to its answer.");
  each([&](const std::string& labels, const Metrics& m) {
    int64_t sum = 0;
    for (size_t i = 0; i < m.within_.size(); ++i) {
      sum += m.within_[i];
      const std::string bound = i < Metrics::kBounds.size() ? cat(Metrics::kBounds[i]) : "+Inf";
      out += cat("tc_request_seconds_bucket{", labels, ",le=\"", bound, "\"} ", sum, "\n");
    }
    out += cat("tc_request_seconds_sum{", labels, "} ", m.seconds_, "\ntc_request_seconds_count{", labels, "} ", sum,
               "\n");
  });
  family(out, "tc_runs_total", "counter", "Runs of the model; a run serves a batch of requests.");
  each([&](const std::string& labels, const Metrics& m) { out += cat("tc_runs_total{", labels, "} ", m.runs_, "\n"); });
  family(out, "tc_run_requests_total", "counter", "Requests that these runs served.");
  each([&](const std::string& labels, const Metrics& m) {
    out += cat("tc_run_requests_total{", labels, "} ", m.batched_, "\n");
  });
  family(out, "tc_run_rows_total", "counter", "Rows that these runs had along the batch dimension.");
  each([&](const std::string& labels, const Metrics& m) {
    out += cat("tc_run_rows_total{", labels, "} ", m.rows_, "\n");
  });
  family(out, "tc_queue_requests", "gauge", "Requests that wait for a run.");
  each([&](const std::string& labels, const Metrics& m) {
    out += cat("tc_queue_requests{", labels, "} ", m.queued.load(), "\n");
  });
  family(out, "tc_requests_in_flight", "gauge", "Requests that are read and not yet answered.");
  each([&](const std::string& labels, const Metrics& m) {
    out += cat("tc_requests_in_flight{", labels, "} ", m.in_flight.load(), "\n");
  });
}

void append_process(std::string& out) {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  family(out, "process_resident_memory_bytes", "gauge", "Memory of the process.");
  out += cat("process_resident_memory_bytes ", resident * sysconf(_SC_PAGESIZE), "\n");
  family(out, "process_cpu_seconds_total", "counter", "Processor time of the process.");
  out += cat("process_cpu_seconds_total ", cpu_seconds(), "\n");
}

}  // namespace tc::serve
