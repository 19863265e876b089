// How the time to write, load and compile a graph grows with its nodes.
//
//   scaling_bench [--kind TEXT] [--stage STAGE] [--limit SECONDS] [NODES...]
//
// Prints a line per kind and stage: seconds of processor time for each number of nodes (default 1000, 10000, 50000),
// and the exponent of growth between the last two: 1 is linear. Sizes after one that took longer than the limit are
// left out.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <string>

#include "tc/bench/scaling/graphs.h"
#include "tc/frontend/api/tc.h"

namespace {

using namespace tc;

constexpr const char* kStages[] = {"trace", "export", "load", "compile", "first run", "run"};

struct Options {
  std::string kind, stage;
  double limit = 20;  // seconds of one stage
  std::vector<int64_t> sizes;
};

// Processor time, which others on the machine lengthen less than they do the clock's.
double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Seconds of each stage, the best of as many tries as fit in a tenth of a second.
class Stopwatch {
 public:
  template <class F>
  auto operator()(const char* stage, F&& f) {
    double spent = 0, best = INFINITY;
    while (true) {
      const double start = cpu_seconds();
      auto result = f();
      const double seconds = cpu_seconds() - start;
      spent += seconds;
      best = std::min(best, seconds);
      if (spent < 0.1) continue;
      seconds_[stage] = best;
      return result;
    }
  }
  template <class F>
  void once(const char* stage, F&& f) {
    const double start = cpu_seconds();
    f();
    seconds_[stage] = cpu_seconds() - start;
  }
  const std::map<std::string, double>& seconds() const { return seconds_; }

 private:
  std::map<std::string, double> seconds_;
};

std::map<std::string, double> measure(const scaling::Kind& kind, int64_t nodes) {
  Stopwatch time;
  const Function f = time("trace", [&] { return kind.make(nodes); });
  const std::string bytes = time("export", [&] { return export_onnx_bytes(f); });
  const Function loaded = time("load", [&] { return load_onnx(bytes.data(), bytes.size(), nullptr); });
  const Compiled run = time("compile", [&] { return compile(loaded, {.threads = 1}); });
  const Tensor x(f32, f.inputs()[0].type.shape().extents());
  time.once("first run", [&] { return run({x}); });
  time("run", [&] { return run({x}); });
  return time.seconds();
}

void report(const scaling::Kind& kind, const Options& o) {
  std::map<std::string, std::vector<double>> columns;
  bool slow = false;
  for (const int64_t n : o.sizes) {
    if (slow) break;
    for (const auto& [stage, seconds] : measure(kind, n)) {
      columns[stage].push_back(seconds);
      slow |= seconds > o.limit;
    }
  }
  for (const char* stage : kStages) {
    if (!o.stage.empty() && o.stage != stage) continue;
    const auto& seconds = columns[stage];
    std::printf("%-8s %-24s %-9s", std::string(kind.shape).c_str(), std::string(kind.name).c_str(), stage);
    for (size_t i = 0; i < o.sizes.size(); ++i)
      i < seconds.size() ? std::printf(" %9.4f", seconds[i]) : std::printf(" %9s", "-");
    if (const size_t n = seconds.size(); n > 1)
      std::printf(" %7.2f", std::log(seconds[n - 1] / seconds[n - 2]) /
                                std::log(static_cast<double>(o.sizes[n - 1]) / static_cast<double>(o.sizes[n - 2])));
    std::printf("\n");
  }
  std::fflush(stdout);
}

int usage() {
  std::cerr << "usage: scaling_bench [--kind TEXT] [--stage STAGE] [--limit SECONDS] [NODES...]\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (const int64_t nodes = std::atoll(argv[i]); nodes > 0) {
      o.sizes.push_back(nodes);
      continue;
    }
    if (++i == argc) return usage();
    if (word == "--kind")
      o.kind = argv[i];
    else if (word == "--stage")
      o.stage = argv[i];
    else if (word == "--limit")
      o.limit = std::atof(argv[i]);
    else
      return usage();
  }
  if (o.sizes.empty()) o.sizes = {1000, 10000, 50000};
  std::printf("%-8s %-24s %-9s", "shape", "op", "stage");
  for (const int64_t n : o.sizes) std::printf(" %9lld", static_cast<long long>(n));
  std::printf("  growth\n");
  for (const auto& kind : scaling::kinds()) {
    if (tc::cat(kind.shape, " ", kind.name).find(o.kind) == std::string::npos) continue;
    try {
      report(kind, o);
    } catch (const std::exception& e) {
      std::cerr << "scaling_bench: " << kind.shape << " " << kind.name << ": " << e.what() << "\n";
      return 1;
    }
  }
  return 0;
}
