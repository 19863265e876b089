#include "ceilings.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <vector>

#include "tc/kernels/cpu.h"
#include "tc/tools/common/rates.h"
#include "tc/tools/common/timing.h"

namespace tc::kernels {
namespace {

const MachineRates& rates() {
  static const MachineRates measured = measure_machine();
  return measured;
}

double of(const MachineRates::Rate& rate, int threads) {
  return threads == 1 ? rate.one_thread : rate.all_threads;
}

double copy_rate(double bytes, int threads) {
  const CpuInfo& cpu = cpu_info();
  const auto fit = [&](size_t cache) { return bytes <= static_cast<double>(cache); };
  const std::string level = fit(threads * cpu.l1d_bytes)  ? "L1"
                            : fit(threads * cpu.l2_bytes) ? "L2"
                            : fit(cpu.l3_bytes)           ? "L3"
                                                          : "memory";
  const auto& copies = rates().copy;
  return of(*std::find_if(copies.begin(), copies.end(), [&](const auto& c) { return c.name == level; }), threads);
}

// Processor time of one thread: the same on a busy machine.
double seconds(int threads) {
  return threads == 1 ? cpu_seconds() : std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

void bench(benchmark::State& state, Tier tier, int threads, const std::function<Run(int)>& make) {
  rates();
  Run run;
  try {
    run = make(threads);
  } catch (const std::exception& e) {
    return state.SkipWithError(e.what());
  }
  const double start = seconds(threads);
  for (auto _ : state) run.repeat();
  const double spent = (seconds(threads) - start) / static_cast<double>(state.iterations());
  const auto count = [&](const char* rate, const char* share, double units, double best) {
    state.counters[rate] = units / spent * 1e-9;
    state.counters[share] = 100 * units / spent * 1e-9 / best;
  };
  count("GFLOP/s", "%peak", run.work.flops, of(rates().fma[static_cast<size_t>(tier)], threads));
  count("GB/s", "%copy", run.work.bytes, copy_rate(run.work.bytes, threads));
}

}  // namespace

void register_runs(const std::string& name, Tier tier, std::function<Run(int threads)> make) {
  std::vector<int> counts{1};
  if (cpu_info().cores > 1) counts.push_back(cpu_info().cores);
  for (const int threads : counts) {
    auto* registered = benchmark::RegisterBenchmark((name + "/threads:" + std::to_string(threads)).c_str(), bench, tier,
                                                    threads, make);
    if (threads > 1) registered->UseRealTime();
  }
}

}  // namespace tc::kernels
