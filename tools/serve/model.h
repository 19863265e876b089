// A model that is served: a bounded queue of requests, and threads that run what is in it, in batches where the model's
// rows are independent of each other.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tc/frontend/api/tc.h"
#include "tc/tools/serve/metrics.h"

namespace tc::serve {

using Clock = std::chrono::steady_clock;

struct ServeOptions {
  CompilerOptions compiler;
  int instances = 1;       // threads per model that run it
  int64_t max_batch = 32;  // rows of a run; 1: no batching
  int64_t delay_us = 0;    // how long a run waits for more requests
  size_t queue = 256;      // requests of a model that may wait
  int64_t timeout_ms = 30'000;
};

class Model {
 public:
  // Error for files that are no model, and models with inputs or outputs that the protocol does not have.
  Model(std::string name, std::string version, const std::string& path, const ServeOptions& options);
  // Runs what is queued, then ends.
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::vector<ValueInfo>& inputs() const { return inputs_; }
  const std::vector<ValueInfo>& outputs() const { return outputs_; }
  Metrics& metrics() { return metrics_; }
  const Metrics& metrics() const { return metrics_; }
  bool batches() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }  // where it does not

  // All outputs, in order; waits. Refusal (protocol.h): 400 for inputs that do not fit, 503 when the queue is full,
  // 504 once the deadline has passed.
  std::vector<Tensor> run(std::vector<Tensor> inputs, Clock::time_point deadline);

 private:
  struct Job;
  using Jobs = std::vector<std::shared_ptr<Job>>;
  void serve();
  Jobs next();
  void run_jobs(const Jobs& jobs);
  void answer(const Jobs& jobs);  // with their results, or why there are none
  void take_more(Jobs& jobs, int64_t& rows);
  std::vector<Tensor> run_once(std::vector<Tensor> inputs, Clock::time_point deadline) const;
  bool shapes_batch() const;
  std::string rows_depend() const;  // why they may not be joined; empty where they may

  std::string name_, version_;
  ServeOptions options_;
  std::vector<ValueInfo> inputs_, outputs_;
  Compiled compiled_;
  std::string why_not_;
  Metrics metrics_;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::shared_ptr<Job>> queue_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tc::serve
