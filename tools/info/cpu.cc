#include "tc/tools/info/cpu.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "tc/ir/diag.h"
#include "tc/kernels/cpu.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc {
namespace {

using kernels::Team;

constexpr double kSeconds = 0.08;  // per measurement

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
double best_rate(double units, F&& f) {
  using Clock = std::chrono::steady_clock;
  f();
  double best = 0;
  const auto start = Clock::now();
  for (auto now = start; std::chrono::duration<double>(now - start).count() < kSeconds;) {
    const auto before = Clock::now();
    f();
    now = Clock::now();
    best = std::max(best, units / std::max(1.0, std::chrono::duration<double, std::nano>(now - before).count()));
  }
  return best;
}

double gemm_rate(Team& team, kernels::Tier tier) {
  constexpr int64_t n = 512;
  const kernels::GemmTable& table = kernels::table(tier).gemm;
  const auto a = floats(n * n), b = floats(n * n), c = floats(n * n);
  const auto packed = floats(static_cast<size_t>(kernels::gemm_packed_floats(table.traits.fn(), n, n)));
  kernels::GemmArgs g;
  g.m = g.n = g.k = n;
  g.a = a.get(), g.a_rs = n;
  g.b = b.get(), g.b_rs = n;
  g.c = c.get(), g.c_rs = n;
  kernels::gemm_pack(team, table, b.get(), n, 1, n, n, packed.get());
  g.packed_b = packed.get();
  const kernels::GemmPlan plan = kernels::gemm_plan(g, table.traits.fn());
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

std::string line(const char* pattern, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::vector<std::string> tiers() {
  std::vector<std::string> names;
  for (int t = 0; t <= static_cast<int>(kernels::cpu_info().tier); ++t)
    names.push_back(kernels::tier_name(static_cast<kernels::Tier>(t)));
  return names;
}

std::vector<std::string> extensions() {
  const kernels::CpuInfo& cpu = kernels::cpu_info();
  std::vector<std::string> names;
  if (cpu.avx_vnni) names.push_back("avx_vnni");
  if (cpu.avx512_vnni) names.push_back("avx512_vnni");
  if (cpu.avx512_bf16) names.push_back("avx512_bf16");
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& w : words) text += (text.empty() ? "" : " ") + w;
  return text;
}

}  // namespace

MachineRates measure_machine() {
  const kernels::CpuInfo& cpu = kernels::cpu_info();
  Team one(1), all(0);
  MachineRates rates;
  for (int t = 0; t <= static_cast<int>(cpu.tier); ++t) {
    const auto tier = static_cast<kernels::Tier>(t);
    rates.gemm.push_back({kernels::tier_name(tier), gemm_rate(one, tier), gemm_rate(all, tier)});
  }
  // Half of a cache, so that it stays there; several times the last level, within reason, for memory.
  const auto copy = [&](const char* level, size_t bytes) {
    rates.copy.push_back({level, copy_rate(one, bytes), copy_rate(all, bytes)});
  };
  copy("L1", cpu.l1d_bytes / 2);
  copy("L2", cpu.l2_bytes / 2);
  copy("memory", std::clamp<size_t>(cpu.l3_bytes * 2, size_t{64} << 20, size_t{256} << 20));
  return rates;
}

std::string cpu_text(const MachineRates* rates) {
  const kernels::CpuInfo& cpu = kernels::cpu_info();
  std::string text = cat("model    ", cpu.model.empty() ? "unknown" : cpu.model, "\ntiers    ", joined(tiers()),
                         "; in use: ", kernels::tier_name(kernels::active_tier()), "\n");
  if (const auto more = extensions(); !more.empty()) text += cat("also     ", joined(more), "\n");
  text += cat("cores    ", cpu.cores, "\ncaches   L1 ", cpu.l1d_bytes >> 10, " KiB, L2 ", cpu.l2_bytes >> 10,
              " KiB per core, L3 ");
  text += cpu.l3_bytes ? cat(cpu.l3_bytes >> 10, " KiB\n") : "unknown\n";
  text += cat("threads  ", kernels::parallel_variant(), "\n");
  if (!rates) return text;
  text += line("\n%-30s %10s %10s\n", "f32 matrix products, GFLOP/s", "1 thread", "all");
  for (const auto& g : rates->gemm)
    text += line("  %-28s %10.1f %10.1f\n", g.tier.c_str(), g.one_thread, g.all_threads);
  text += line("\n%-30s %10s %10s\n", "copies, GB/s read and written", "1 thread", "all");
  for (const auto& c : rates->copy)
    text += line("  %-28s %10.1f %10.1f\n", c.level.c_str(), c.one_thread, c.all_threads);
  return text;
}

nlohmann::json cpu_json(const MachineRates* rates) {
  const kernels::CpuInfo& cpu = kernels::cpu_info();
  nlohmann::json out{{"model", cpu.model},
                     {"tiers", tiers()},
                     {"active_tier", kernels::tier_name(kernels::active_tier())},
                     {"extensions", extensions()},
                     {"cores", cpu.cores},
                     {"l1d_bytes", cpu.l1d_bytes},
                     {"l2_bytes", cpu.l2_bytes},
                     {"l3_bytes", cpu.l3_bytes},
                     {"threads", kernels::parallel_variant()}};
  if (!rates) return out;
  for (const auto& g : rates->gemm)
    out["gemm_gflops"][g.tier] = {{"one_thread", g.one_thread}, {"all_threads", g.all_threads}};
  for (const auto& c : rates->copy)
    out["copy_gbs"][c.level] = {{"one_thread", c.one_thread}, {"all_threads", c.all_threads}};
  return out;
}

}  // namespace tc
