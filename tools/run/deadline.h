// `tc-run --timeout`: what a model may take altogether. Work that asks ends with Error limit_steps; what never asks,
// such as one long call of a library, ends with the process.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tc/ir/tensor_budget.h"

namespace tc {

class Deadline {
 public:
  explicit Deadline(int seconds);
  ~Deadline();

 private:
  void watch();
  int seconds_;
  std::chrono::steady_clock::time_point time_;
  Budget::Scope scope_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool over_ = false;
  std::thread watcher_;
};

}  // namespace tc
