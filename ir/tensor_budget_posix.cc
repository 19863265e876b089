// What the machine and the process's control group have of memory.
#include <algorithm>
#include <fstream>
#include <string>

#include "tc/ir/tensor_budget.h"

namespace tc {
namespace {

// The number in a file; UINT64_MAX where there is none, as in "max".
uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  uint64_t n = 0;
  return file >> n ? n : UINT64_MAX;
}

uint64_t machine_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;)
    if (uint64_t kilobytes = 0; word == "MemTotal:" && file >> kilobytes) return kilobytes * 1024;
  return UINT64_MAX;
}

// The least limit of the process's control group and of those around it, in either version of the hierarchy.
uint64_t control_group_limit() {
  uint64_t least = UINT64_MAX;
  const auto walk = [&](const std::string& root, std::string group, const char* name) {
    for (;;) {
      least = std::min(least, number_in(root + group + name));
      if (group.empty() || group == "/") return;
      group.resize(group.rfind('/'));
    }
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) walk("/sys/fs/cgroup", group, "/memory.max");
    if (controllers == "memory") walk("/sys/fs/cgroup/memory", group, "/memory.limit_in_bytes");
  }
  return least;
}

}  // namespace

uint64_t default_memory_budget() {
  static const uint64_t budget = [] {
    const uint64_t bytes = std::min(control_group_limit(), machine_memory());
    return bytes == UINT64_MAX ? bytes : bytes / 5 * 4;
  }();
  return budget;
}

}  // namespace tc
