#include "tc/tools/common/timing.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "tc/ir/diag.h"

namespace tc {

double percentile(std::vector<double> values, double fraction) {
  TC_CHECK(!values.empty(), "a percentile of nothing");
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double peak_rss_mb() {
  // Not getrusage's, which starts with that of the process that spawned this one.
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kb; word == "VmHWM:" && status >> kb) return kb / 1024;
  return 0;
}

double cpu_seconds() {
  rusage u;
  getrusage(RUSAGE_SELF, &u);
  auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(u.ru_utime) + seconds(u.ru_stime);
}

}  // namespace tc
