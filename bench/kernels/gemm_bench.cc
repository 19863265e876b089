// Matrix products on every tier of the machine: GFLOP/s, one thread.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "buffer.h"
#include "tc/kernels/cpu.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

void bench_gemm(benchmark::State& state, Tier tier, int threads, bool packed, bool b_transposed, int64_t m, int64_t n,
                int64_t k) {
  const GemmTable& kernels = table(tier).gemm;
  Team team(threads);
  Buffer a(m * k), b(k * n), c(m * n);
  Buffer packed_b(packed ? gemm_packed_floats(kernels.traits.fn(), k, n) : 1);
  GemmArgs g;
  g.m = m, g.n = n, g.k = k;
  g.a = a.data, g.a_rs = k;
  g.b = b.data, g.b_rs = b_transposed ? 1 : n, g.b_cs = b_transposed ? k : 1;
  g.c = c.data, g.c_rs = n;
  if (packed) {
    gemm_pack(team, kernels, b.data, g.b_rs, g.b_cs, k, n, packed_b.data);
    g.packed_b = packed_b.data;
  }
  const GemmPlan plan = gemm_plan(g, kernels.traits.fn());
  Buffer scratch(static_cast<int64_t>(gemm_scratch_bytes(plan, threads) / 4));
  g.scratch = scratch.data;
  for (auto _ : state) gemm(team, kernels, g, plan);
  const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  state.counters["GFLOPS"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["GBps"] =
      benchmark::Counter(4e-9 * static_cast<double>(k * n), benchmark::Counter::kIsIterationInvariantRate);
}

struct Shape {
  int64_t m, n, k;
  bool packed, b_transposed;
};

const Shape kShapes[] = {
    {256, 256, 256, false, false},    {512, 512, 512, false, false}, {1024, 1024, 1024, false, false},
    {2048, 2048, 2048, false, false}, {512, 512, 512, false, true},  {128, 3072, 768, true, false},
    {128, 768, 3072, true, false},    {64, 784, 128, true, false},   {128, 128, 64, false, true},
    {1, 4096, 4096, true, false},     {1, 4096, 4096, false, false}, {1, 4096, 4096, false, true},
    {4096, 1, 4096, false, false},    {4, 1024, 1024, true, false},  {1, 128, 784, true, false},
};

}  // namespace

void register_gemm() {
  for (int tier = 0; tier <= static_cast<int>(cpu_info().tier); ++tier) {
    for (const Shape& s : kShapes) {
      const std::string name = std::string("gemm/") + tier_name(static_cast<Tier>(tier)) + "/" + std::to_string(s.m) +
                               "x" + std::to_string(s.n) + "x" + std::to_string(s.k) + (s.packed ? "/packed" : "") +
                               (s.b_transposed ? "/Bt" : "");
      for (const int threads : {1, 2}) {
        auto* bench =
            benchmark::RegisterBenchmark((name + "/threads:" + std::to_string(threads)).c_str(), bench_gemm,
                                         static_cast<Tier>(tier), threads, s.packed, s.b_transposed, s.m, s.n, s.k);
        // Processor time of one thread: the same on a busy machine.
        if (threads > 1) bench->UseRealTime();
      }
    }
  }
}

}  // namespace tc::kernels
