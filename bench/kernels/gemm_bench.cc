// Matrix products on every tier of the machine.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "buffer.h"
#include "ceilings.h"
#include "tc/kernels/cpu.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

struct Shape {
  int64_t m, n, k;
  std::optional<GemmForm> packed = {};
  bool b_transposed = false;
};

struct Gemm {
  const GemmTable& kernels;
  Team team;
  Buffer a, b, c, packed, scratch;
  GemmArgs g;
  GemmPlan plan;

  Gemm(Tier tier, int threads, const Shape& s)
      : kernels(table(tier).gemm), team(threads), a(s.m * s.k), b(s.k * s.n), c(s.m * s.n), packed(packed_floats(s)) {
    g.m = s.m, g.n = s.n, g.k = s.k;
    g.a = a.data, g.a_rs = s.k;
    g.b = b.data, g.b_rs = s.b_transposed ? 1 : s.n, g.b_cs = s.b_transposed ? s.k : 1;
    g.c = c.data, g.c_rs = s.n;
    if (s.packed) {
      gemm_pack(team, kernels, b.data, g.b_rs, g.b_cs, s.k, s.n, packed.data, *s.packed);
      (s.packed == GemmForm::split_bf16 ? g.split_bf16 : g.packed_b) = packed.data;
      if (s.packed != GemmForm::split_bf16) g.form = *s.packed;
    }
    plan = gemm_plan(g, kernels.traits.fn());
    scratch = Buffer(static_cast<int64_t>(gemm_scratch_bytes(plan, threads) / 4));
    g.scratch = scratch.data;
  }
  int64_t packed_floats(const Shape& s) const {
    return s.packed ? gemm_packed_floats(kernels.traits.fn(), s.k, s.n, *s.packed) : 0;
  }
};

Run gemm_run(Tier tier, int threads, const Shape& s) {
  const auto work = std::make_shared<Gemm>(tier, threads, s);
  const int64_t right = s.packed ? work->packed_floats(s) : s.k * s.n;
  return {{2.0 * static_cast<double>(s.m * s.n * s.k), 4.0 * static_cast<double>(s.m * s.k + right + s.m * s.n)},
          [work] { gemm(work->team, work->kernels, work->g, work->plan); }};
}

constexpr const char* kForms[] = {"/packed", "/split_bf16", "/int22", "/f16", "/bf16"};
constexpr GemmForm kPanels = GemmForm::panels, kHalves = GemmForm::split_bf16, kFixed = GemmForm::int22,
                   kF16 = GemmForm::f16, kBf16 = GemmForm::bf16;
const Shape kShapes[] = {
    {256, 256, 256},           {512, 512, 512},           {1024, 1024, 1024},        {2048, 2048, 2048},
    {512, 512, 512, {}, true}, {128, 3072, 768, kPanels}, {128, 768, 3072, kPanels}, {128, 768, 3072, kHalves},
    {64, 784, 128, kPanels},   {128, 128, 64, {}, true},  {1, 4096, 4096, kPanels},  {1, 4096, 4096, kHalves},
    {1, 4096, 4096, kFixed},   {1, 4096, 4096, kF16},     {1, 4096, 4096, kBf16},    {1, 4096, 4096},
    {1, 4096, 4096, {}, true}, {4096, 1, 4096},           {4, 1024, 1024, kPanels},  {4, 1024, 1024, kFixed},
    {8, 4096, 4096, kPanels},  {8, 4096, 4096, kHalves},  {8, 4096, 4096, kFixed},   {8, 4096, 4096, kF16},
    {1, 128, 784, kPanels},
};

}  // namespace

void register_gemm() {
  for (const Tier tier : usable_tiers()) {
    const GemmTraits traits = table(tier).gemm.traits.fn();
    for (const Shape& s : kShapes) {
      if (s.packed == kHalves && !traits.splits) continue;
      if (s.packed && *s.packed >= kFixed && s.m > std::max(kGemvRows, traits.few_rows)) continue;
      const std::string name = std::string("gemm/") + tier_name(tier) + "/" + std::to_string(s.m) + "x" +
                               std::to_string(s.n) + "x" + std::to_string(s.k) +
                               (s.packed ? kForms[static_cast<size_t>(*s.packed)] : "") + (s.b_transposed ? "/Bt" : "");
      register_runs(name, tier, [=](int threads) { return gemm_run(tier, threads, s); });
    }
  }
}

}  // namespace tc::kernels
