// How a long-lived session behaves: memory over many input widths, CPU used after a run, the first run after idling.
//
//   session_bench MODEL [INPUT_HEIGHT [WIDEST]]
//
// The model has one f32 input [n, 3, height, width], as text recognisers have. Prints a line per figure.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "tc/backend/cpu/run/executable.h"
#include "tc/frontend/api/tc.h"

namespace {

using namespace tc;
using Clock = std::chrono::steady_clock;

double resident_mb() {
  long pages = 0, ignored = 0;
  std::ifstream("/proc/self/statm") >> ignored >> pages;
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

double cpu_ms() {
  rusage u;
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
         static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

double run_ms(const Compiled& run, const Tensor& x) {
  const auto start = Clock::now();
  run({x});
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// Resident memory after runs over `widths`, in a process of its own: "RSS PACKED".
int measure_memory(const std::string& model, int64_t height, int64_t widest, int widths) {
  const Compiled run = compile(load(model));
  const int before = run.executable().packed_weights();
  for (int i = 0; i < widths; ++i) {
    const int64_t width = widths == 1 ? widest : 16 + (widest - 16) * ((i * 77) % widths + 1) / widths;
    run({Tensor(DType::f32, {1, 3, height, width})});
  }
  std::printf("%.1f %d\n", resident_mb(), run.executable().packed_weights() - before);
  return 0;
}

std::pair<double, int> memory_in_child(const std::string& self, const std::string& model, int64_t height,
                                       int64_t widest, int widths) {
  const std::string command = self + " --memory '" + model + "' " + std::to_string(height) + " " +
                              std::to_string(widest) + " " + std::to_string(widths);
  FILE* pipe = popen(command.c_str(), "r");
  double rss = 0;
  int packed = 0;
  if (!pipe || std::fscanf(pipe, "%lf %d", &rss, &packed) != 2)
    fail(ErrorCode::bad_file, "the measuring process failed");
  pclose(pipe);
  return {rss, packed};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 6 && std::string(argv[1]) == "--memory")
      return measure_memory(argv[2], std::atoll(argv[3]), std::atoll(argv[4]), std::atoi(argv[5]));
    if (argc < 2) {
      std::cerr << "usage: session_bench MODEL [INPUT_HEIGHT [WIDEST]]\n";
      return 2;
    }
    const std::string model = argv[1];
    const int64_t height = argc > 2 ? std::atoll(argv[2]) : 48, widest = argc > 3 ? std::atoll(argv[3]) : 960;
    const auto [one, ignored] = memory_in_child(argv[0], model, height, widest, 1);
    const auto [many, repacked] = memory_in_child(argv[0], model, height, widest, 200);
    std::printf("resident memory, widest input alone: %.1f MB; after 200 widths: %.1f MB; ratio %.3f\n", one, many,
                many / one);
    std::printf("weights packed again by other widths: %d\n", repacked);

    const Compiled run = compile(load(model));
    const Tensor x(DType::f32, {1, 3, height, 320});
    for (int i = 0; i < 10; ++i) run_ms(run, x);
    const double before = cpu_ms();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::printf("CPU in the second after a run: %.3f ms\n", cpu_ms() - before);
    std::vector<double> steady, idle;
    for (int i = 0; i < 50; ++i) {
      for (int k = 0; k < 3; ++k) run_ms(run, x);
      steady.push_back(run_ms(run, x));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      idle.push_back(run_ms(run, x));
    }
    std::printf("steady run: %.3f ms; first after 50 ms of idling: %.3f ms; ratio %.2f (medians of 50)\n",
                median(steady), median(idle), median(idle) / median(steady));
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "session_bench: " << e.what() << "\n";
    return 1;
  }
}
