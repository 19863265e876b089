// Times and memory of this process.
#pragma once

#include <chrono>
#include <vector>

namespace tc {

using Clock = std::chrono::steady_clock;

inline double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// The value at `fraction` (0 to 1) of the sorted values, which must not be empty.
double percentile(std::vector<double> values, double fraction);

// The process's high-water mark of resident memory.
double peak_rss_mb();
// CPU seconds of the process so far.
double cpu_seconds();

}  // namespace tc
