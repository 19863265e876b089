#include "tc/tools/common/rates.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "tc/kernels/cpu.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"
#include "tc/tools/common/timing.h"

namespace tc {
namespace {

using kernels::Team;

constexpr double kSeconds = 0.08;        // per measurement
constexpr double kProbeSeconds = 0.005;  // between blocks

struct Free {
  void operator()(void* p) const { std::free(p); }
};
template <class T>
using Memory = std::unique_ptr<T, Free>;

// Aligned to cache lines, written once so that the pages are there.
Memory<float> floats(size_t count) {
  const size_t bytes = (count * sizeof(float) + 63) / 64 * 64;
  auto* data = static_cast<float*>(std::aligned_alloc(64, std::max<size_t>(64, bytes)));
  if (!data) throw std::bad_alloc();
  std::fill_n(data, bytes / sizeof(float), 0.5f);
  return Memory<float>(data);
}

// The best rate, in units per nanosecond, of repeating f for a while.
template <class F>
double best_rate(double units, F&& f, double seconds = kSeconds) {
  f();
  double best = 0;
  const auto start = Clock::now();
  for (auto now = start; std::chrono::duration<double>(now - start).count() < seconds;) {
    const auto before = Clock::now();
    f();
    now = Clock::now();
    best = std::max(best, units / std::max(1.0, std::chrono::duration<double, std::nano>(now - before).count()));
  }
  return best;
}

// clang contracts within an expression by default.
#ifdef __clang__
#define TC_CONTRACT
#else
#define TC_CONTRACT , gnu::optimize("O3", "fp-contract=fast")
#endif
// Ten chains of multiply-adds hide the latency of every core so far; the compiler contracts them to FMA where the tier
// has it.
constexpr int kChains = 10, kSteps = 20000;
#define TC_FMA_LOOP(name, isa, in, lanes)                                                     \
  [[isa TC_CONTRACT]] float name() {                                                          \
    typedef float Vector __attribute__((vector_size(4 * lanes)));                             \
    Vector x[kChains], scale = Vector{} + 0.999f, shift = Vector{} + 0.001f;                  \
    for (int i = 0; i < kChains; ++i) {                                                       \
      x[i] = Vector{} + static_cast<float>(i);                                                \
      asm("" : in(x[i])); /* a chain that starts at its fixed point would be left out */      \
    }                                                                                         \
    for (int step = 0; step < kSteps; ++step) {                                               \
      _Pragma("GCC unroll 10") for (int i = 0; i < kChains; ++i) x[i] = x[i] * scale + shift; \
    }                                                                                         \
    Vector sum = x[0];                                                                        \
    for (int i = 1; i < kChains; ++i) sum += x[i];                                            \
    return sum[0];                                                                            \
  }
struct Loop {
  float (*run)();
  int lanes;
};
#if defined(__x86_64__)
TC_FMA_LOOP(fma_loop_sse42, gnu::target("sse4.2"), "+x", 4)
TC_FMA_LOOP(fma_loop_avx2, gnu::target("avx2,fma"), "+x", 8)
TC_FMA_LOOP(fma_loop_avx512, gnu::target("avx512f"), "+x", 16)
Loop loop_of(kernels::Tier tier) {
  if (tier >= kernels::Tier::avx512) return {fma_loop_avx512, 16};
  return tier == kernels::Tier::avx2 ? Loop{fma_loop_avx2, 8} : Loop{fma_loop_sse42, 4};
}
#elif defined(__aarch64__)
TC_FMA_LOOP(fma_loop, gnu::noinline, "+w", 4)
Loop loop_of(kernels::Tier) {
  return {fma_loop, 4};
}
#else
TC_FMA_LOOP(fma_loop, gnu::noinline, "+m", 4)
Loop loop_of(kernels::Tier) {
  return {fma_loop, 4};
}
#endif
#undef TC_FMA_LOOP
#undef TC_CONTRACT

double fma_rate(Team& team, kernels::Tier tier, double seconds = kSeconds) {
  const Loop l = loop_of(tier);
  const int threads = team.threads();
  return best_rate(
      2.0 * l.lanes * kChains * kSteps * threads,
      [&] {
        kernels::parallel_for(team, threads, [&](int64_t, int) {
          float sum = l.run();
          asm volatile("" : "+m"(sum));
        });
      },
      seconds);
}

double gemm_rate(Team& team, kernels::Tier tier) {
  constexpr int64_t n = 512;
  const kernels::GemmTable& table = kernels::table(tier).gemm;
  const auto a = floats(n * n), b = floats(n * n), c = floats(n * n);
  const kernels::GemmTraits traits = table.traits.fn();
  const kernels::GemmForm form = kernels::gemm_form(traits, n, n);
  const auto packed = floats(static_cast<size_t>(kernels::gemm_packed_floats(traits, n, n, form)));
  kernels::GemmArgs g;
  g.m = g.n = g.k = n;
  g.a = a.get(), g.a_rs = n;
  g.b = b.get(), g.b_rs = n;
  g.c = c.get(), g.c_rs = n;
  kernels::gemm_pack(team, table, b.get(), n, 1, n, n, packed.get(), form);
  (form == kernels::GemmForm::split_bf16 ? g.split_bf16 : g.packed_b) = packed.get();
  const kernels::GemmPlan plan = kernels::gemm_plan(g, traits);
  const auto scratch = floats(kernels::gemm_scratch_bytes(plan, team.threads()) / sizeof(float) + 16);
  g.scratch = scratch.get();
  return best_rate(2.0 * n * n * n, [&] { kernels::gemm(team, table, g, plan); });
}

// Copies within `bytes` of memory per thread, half of it to the other half.
double copy_rate(Team& team, size_t bytes) {
  const auto threads = static_cast<size_t>(team.threads());
  const size_t half = bytes / 2 / 64 * 64;
  const auto memory = floats(threads * 2 * half / sizeof(float));
  auto* base = reinterpret_cast<char*>(memory.get());
  // Long enough that starting a region does not show.
  const size_t repeats = std::max<size_t>(1, (size_t{4} << 20) / half);
  return best_rate(static_cast<double>(threads * 2 * half * repeats), [&] {
    kernels::parallel_for(team, static_cast<int64_t>(threads), [&](int64_t tile, int) {
      char* mine = base + static_cast<size_t>(tile) * 2 * half;
      for (size_t i = 0; i < repeats; ++i) {
        std::memcpy(mine + half, mine, half);
        // The copy has an effect that the compiler does not see through.
        asm volatile("" : : "r"(mine) : "memory");
      }
    });
  });
}

}  // namespace

MachineRates measure_machine() {
  const kernels::CpuInfo& cpu = kernels::cpu_info();
  Team one(1), all(0);
  MachineRates rates;
  for (const kernels::Tier tier : kernels::usable_tiers()) {
    rates.fma.push_back({kernels::tier_name(tier), fma_rate(one, tier), fma_rate(all, tier)});
    rates.gemm.push_back({kernels::tier_name(tier), gemm_rate(one, tier), gemm_rate(all, tier)});
  }
  // Half of a cache, so that it stays there; several times the last level, within reason, for memory.
  const auto copy = [&](const char* level, size_t bytes) {
    rates.copy.push_back({level, copy_rate(one, bytes), copy_rate(all, bytes)});
  };
  copy("L1", cpu.l1d_bytes / 2);
  copy("L2", cpu.l2_bytes / 2);
  // Where it is shared by many cores, what half of it holds of one program is not for long.
  if (cpu.l3_bytes > 0) copy("L3", std::clamp<size_t>(cpu.l3_bytes / 4, cpu.l2_bytes, size_t{16} << 20));
  copy("memory", std::clamp<size_t>(cpu.l3_bytes * 2, size_t{64} << 20, size_t{256} << 20));
  return rates;
}

Probe probe_machine(int threads) {
  Probe probe;
  {
    Team team(threads);
    probe.peak_gflops = fma_rate(team, kernels::active_tier(), kProbeSeconds);
  }
  if (kernels::cpu_info().cores > 1) {
    // Ends early where the threads have to share a core.
    constexpr int kTurns = 4000, kStop = -1;
    constexpr double kMostNs = 5e6;
    std::atomic<int> ball{0};
    std::thread other([&] {
      for (int v; (v = ball.load(std::memory_order_acquire)) != kStop;)
        if (v % 2) ball.store(v + 1, std::memory_order_release);
    });
    auto start = Clock::now();
    double ns = 0;
    int turn = 0;
    for (; turn < kTurns && ns < kMostNs; ++turn) {
      if (turn == 1) start = Clock::now();  // the other thread is running now
      ball.store(2 * turn + 1, std::memory_order_release);
      while (ball.load(std::memory_order_acquire) != 2 * turn + 2) {
      }
      ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    }
    ball.store(kStop, std::memory_order_release);
    other.join();
    if (turn > 1) probe.hand_over_ns = ns / (2 * (turn - 1));
  }
  constexpr size_t kCount = size_t{16} << 20;
  static const auto memory = floats(kCount);
  const auto start = Clock::now();
  typedef float Vector __attribute__((vector_size(16)));
  const auto* data = reinterpret_cast<const Vector*>(memory.get());
  Vector sum[4] = {};
  for (size_t i = 0; i < kCount / 4; i += 4)
    for (size_t k = 0; k < 4; ++k) sum[k] += data[i + k];
  sum[0] += sum[1] + sum[2] + sum[3];
  asm volatile("" : "+m"(sum[0]));
  probe.read_gbs = kCount * sizeof(float) / std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  return probe;
}

}  // namespace tc
