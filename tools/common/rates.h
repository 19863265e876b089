// What the machine can do, measured: the ceilings that other rates are compared with.
#pragma once

#include <string>
#include <vector>

namespace tc {

struct MachineRates {
  struct Rate {
    std::string name;
    double one_thread = 0, all_threads = 0;
  };
  std::vector<Rate> fma;   // per tier: GFLOP/s of independent f32 multiply-adds in registers
  std::vector<Rate> gemm;  // per tier: GFLOP/s of a 512x512x512 f32 product
  std::vector<Rate> copy;  // per level of memory: GB/s, reading and writing counted
};

// Takes about a second.
MachineRates measure_machine();

// The state of the machine between blocks of a benchmark; a few milliseconds.
struct Probe {
  double peak_gflops = 0;   // f32 multiply-adds in registers on the threads asked for, tier in use
  double hand_over_ns = 0;  // of a cache line from one thread to another; 0 with one core
  double read_gbs = 0;      // one thread, from memory
};
Probe probe_machine(int threads);

}  // namespace tc
