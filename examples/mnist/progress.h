// A line on standard error that shows how far a long job is.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace mnist {

// On a terminal the line is drawn anew up to ten times a second; elsewhere it is written once, when the job ends.
class Progress {
 public:
  Progress(std::string title, int64_t total);
  void show(int64_t done, const std::string& note);

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_;
  int64_t total_;
  bool terminal_;
  Clock::time_point start_ = Clock::now(), drawn_ = {};
};

}  // namespace mnist
