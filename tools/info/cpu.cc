#include "tc/tools/info/cpu.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tc/ir/diag.h"
#include "tc/kernels/cpu.h"
#include "tc/kernels/parallel.h"

namespace tc {
namespace {

std::string line(const char* pattern, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::vector<std::string> tiers() {
  std::vector<std::string> names;
  for (const kernels::Tier tier : kernels::usable_tiers()) names.push_back(kernels::tier_name(tier));
  return names;
}

std::vector<std::string> extensions() {
  const kernels::CpuInfo& cpu = kernels::cpu_info();
  std::vector<std::string> names;
  if (cpu.dotprod) names.push_back("dotprod");
  if (cpu.i8mm) names.push_back("i8mm");
  if (cpu.avx_vnni) names.push_back("avx_vnni");
  if (cpu.avx512_vnni) names.push_back("avx512_vnni");
  if (cpu.avx512_bf16) names.push_back("avx512_bf16");
  return names;
}

std::string spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& w : words) text += (text.empty() ? "" : " ") + w;
  return text;
}

}  // namespace

std::string cpu_text(const MachineRates* rates) {
  const kernels::CpuInfo& cpu = kernels::cpu_info();
  std::string text = cat("model    ", cpu.model.empty() ? "unknown" : cpu.model, "\ntiers    ", spaced(tiers()),
                         "; in use: ", kernels::tier_name(kernels::active_tier()), "\n");
  if (const auto more = extensions(); !more.empty()) text += cat("also     ", spaced(more), "\n");
  text += cat("cores    ", cpu.cores, "\ncaches   L1 ", cpu.l1d_bytes >> 10, " KiB, L2 ", cpu.l2_bytes >> 10,
              " KiB per core, L3 ");
  text += cpu.l3_bytes ? cat(cpu.l3_bytes >> 10, " KiB\n") : "unknown\n";
  text += cat("threads  ", kernels::parallel_variant(), "\n");
  if (!rates) return text;
  text += line("\n%-30s %10s %10s\n", "f32 multiply-add, GFLOP/s", "1 thread", "all");
  for (const auto& f : rates->fma) text += line("  %-28s %10.1f %10.1f\n", f.name.c_str(), f.one_thread, f.all_threads);
  text += line("\n%-30s %10s %10s\n", "f32 matrix products, GFLOP/s", "1 thread", "all");
  for (const auto& g : rates->gemm)
    text += line("  %-28s %10.1f %10.1f\n", g.name.c_str(), g.one_thread, g.all_threads);
  text += line("\n%-30s %10s %10s\n", "copies, GB/s read and written", "1 thread", "all");
  for (const auto& c : rates->copy)
    text += line("  %-28s %10.1f %10.1f\n", c.name.c_str(), c.one_thread, c.all_threads);
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
  const auto add = [&](const char* key, const std::vector<MachineRates::Rate>& of) {
    for (const auto& r : of) out[key][r.name] = {{"one_thread", r.one_thread}, {"all_threads", r.all_threads}};
  };
  add("fma_gflops", rates->fma), add("gemm_gflops", rates->gemm), add("copy_gbs", rates->copy);
  return out;
}

}  // namespace tc
