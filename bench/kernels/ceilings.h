// Rates of a benchmark beside what the machine does at best.
#pragma once
#include <benchmark/benchmark.h>

#include <functional>
#include <string>

#include "tc/kernels/tier.h"

namespace tc::kernels {

// What one run computes, and the bytes that it reads and writes.
struct Work {
  double flops = 0, bytes = 0;
};

struct Run {
  Work work;
  std::function<void()> repeat;
};

// Registers `name`/threads:1, and with as many threads as there are cores, for each of which `make` is called when it
// is its turn. Counters: GFLOP/s and their share of the tier's f32 multiply-adds (which products of split bf16 or of
// bytes may exceed); GB/s and their share of a copy within the smallest memory that holds the bytes.
void register_runs(const std::string& name, Tier tier, std::function<Run(int threads)> make);

}  // namespace tc::kernels
