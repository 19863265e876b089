// Products of one tier beside those of double precision, on buffers that end at guard pages.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "guard.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels::testing {

inline size_t count(int64_t n) {
  return static_cast<size_t>(n);
}

// Those of the tier, but that products of a test's size go by Strassen's method or pack A on each.
inline GemmTraits eager_traits(const GemmTable& kernels) {
  GemmTraits traits = kernels.traits.fn();
  traits.strassen_cost = 0.1;
  traits.packed_a_columns = 512;
  traits.near_floats = 0;
  return traits;
}

struct Case {
  int64_t m, n, k;
  bool a_transposed = false, b_transposed = false, packed = false;
  int64_t batch0 = 1, batch1 = 1;
  bool b_shared = false;             // one B for all of the batch
  bool strassen = false;             // large enough for Strassen's method
  bool packs_a = false;              // long enough for packed rows, too low for that
  bool split_bf16 = false;           // `packed` as split bf16, where the tier has them
  bool few = false;                  // by Path::few, where the tier has it for so many rows
  GemmForm form = GemmForm::panels;  // of `packed`
};

struct Extras {
  bool bias = false, scale = false, row_bias = false, residual = false, residual_is_c = false, clip = false;
  float alpha = 1, beta = 1, slope = 1;
  bool strip = false;
  bool one_row = false, one_col = false;  // the residual's shape, broadcast
};

inline void add_position(void* context, float* tile, int64_t rows, int64_t cols, int64_t ld, int64_t row0,
                         int64_t col0) {
  const int64_t n = *static_cast<int64_t*>(context);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) tile[r * ld + c] += static_cast<float>((row0 + r) * n + col0 + c) * 0.001f;
  }
}

// To what a form holds.
inline std::vector<float> rounded(std::vector<float> numbers, GemmForm form) {
  for (float& x : numbers) {
    const auto bits = std::bit_cast<uint32_t>(x);
    if (form == GemmForm::bf16) x = std::bit_cast<float>(bits & 0xffff0000);
    if (form == GemmForm::f16)
      x = std::fabs(x) < 0x1p-14f ? 0x1p-24f * std::round(x * 0x1p24f) : std::bit_cast<float>(bits & 0xffffe000);
  }
  return numbers;
}
inline constexpr const char* kFormNames[] = {"", "", " in fixed point", " as f16", " as bf16"};

inline std::string describe(const Case& c, const Extras& x, Tier tier) {
  return std::string(tier_name(tier)) + " m=" + std::to_string(c.m) + " n=" + std::to_string(c.n) +
         " k=" + std::to_string(c.k) + (c.a_transposed ? " At" : "") + (c.b_transposed ? " Bt" : "") +
         (c.packed ? " packed" : "") + (c.split_bf16 ? " as split_bf16" : "") +
         kFormNames[static_cast<size_t>(c.form)] + " batch " + std::to_string(c.batch0) + "x" +
         std::to_string(c.batch1) + (x.bias ? " bias" : "") + (x.scale ? " scale" : "") +
         (x.row_bias ? " row_bias" : "") + (x.residual ? " residual" : "") + (x.residual_is_c ? " in place" : "") +
         (x.clip ? " clip" : "") + (x.strip ? " strip" : "");
}

inline std::vector<float> run(Tier tier, const Case& c, const Extras& x, Team& team, Edge edge, uint64_t seed,
                              std::vector<double>* truth, GemmPlan* planned = nullptr) {
  Random random(seed);
  const int64_t batches = c.batch0 * c.batch1;
  const int64_t b_count = c.b_shared ? 1 : batches;
  GuardedBuffer<float> a(random.floats(count(batches * c.m * c.k)), edge);
  GuardedBuffer<float> b(rounded(random.floats(count(b_count * c.k * c.n)), c.form), edge);
  GuardedBuffer<float> out(random.floats(count(batches * c.m * c.n)), edge);
  GuardedBuffer<float> bias(random.floats(count(c.n)), edge);
  GuardedBuffer<float> scale(random.floats(count(c.n)), edge);
  GuardedBuffer<float> row_bias(random.floats(count(c.m)), edge);
  GuardedBuffer<float> residual(random.floats(count(batches * c.m * c.n)), edge);
  const GemmTable& kernels = table(tier).gemm;
  const GemmTraits traits = c.strassen || c.packs_a || c.few ? eager_traits(kernels) : kernels.traits.fn();

  GemmArgs g;
  g.m = c.m, g.n = c.n, g.k = c.k;
  g.batch[0] = c.batch0, g.batch[1] = c.batch1;
  g.a = a.data();
  g.a_rs = c.a_transposed ? 1 : c.k;
  g.a_cs = c.a_transposed ? c.m : 1;
  g.a_batch[1] = c.m * c.k, g.a_batch[0] = c.batch1 * c.m * c.k;
  g.b = b.data();
  g.b_rs = c.b_transposed ? 1 : c.n;
  g.b_cs = c.b_transposed ? c.k : 1;
  if (!c.b_shared) g.b_batch[1] = c.k * c.n, g.b_batch[0] = c.batch1 * c.k * c.n;
  g.c = out.data();
  g.c_rs = c.n;
  g.c_batch[1] = c.m * c.n, g.c_batch[0] = c.batch1 * c.m * c.n;
  g.residual_rs = x.one_row ? 0 : x.one_col ? 1 : c.n;
  g.residual_cs = x.one_col ? 0 : 1;
  g.residual_batch[1] = g.c_batch[1], g.residual_batch[0] = g.c_batch[0];
  int64_t columns = c.n;
  g.epilogue.alpha = x.alpha, g.epilogue.beta = x.beta, g.epilogue.slope = x.slope;
  if (x.bias) g.epilogue.bias = bias.data();
  if (x.scale) g.epilogue.scale = scale.data();
  if (x.row_bias) g.epilogue.row_bias = row_bias.data();
  if (x.residual) g.epilogue.residual = residual.data();
  if (x.residual_is_c) g.epilogue.residual = out.data();
  if (x.clip) g.epilogue.lo = -0.5f, g.epilogue.hi = 0.75f;
  if (x.strip) g.epilogue.strip = add_position, g.epilogue.context = &columns;

  if (truth != nullptr) {
    truth->assign(count(batches * c.m * c.n), 0.0);
    for (int64_t q = 0; q < batches; ++q) {
      const float* aq = a.data() + q * c.m * c.k;
      const float* bq = b.data() + (c.b_shared ? 0 : q) * c.k * c.n;
      for (int64_t i = 0; i < c.m; ++i) {
        for (int64_t j = 0; j < c.n; ++j) {
          double sum = 0;
          for (int64_t p = 0; p < c.k; ++p) {
            sum += double{aq[i * g.a_rs + p * g.a_cs]} * double{bq[p * g.b_rs + j * g.b_cs]};
          }
          const int64_t at = (q * c.m + i) * c.n + j;
          sum *= double{x.alpha};
          if (x.scale) sum *= double{scale[count(j)]};
          if (x.bias) sum += double{bias[count(j)]};
          if (x.row_bias) sum += double{row_bias[count(i)]};
          if (g.epilogue.residual != nullptr) {
            const int64_t from = q * c.m * c.n + i * g.residual_rs + j * g.residual_cs;
            sum += double{x.beta} * double{g.epilogue.residual[from]};
          }
          if (sum < 0) sum *= double{x.slope};
          if (x.clip) sum = std::fmin(0.75, std::fmax(-0.5, sum));
          if (x.strip) sum += static_cast<double>(at) * 0.001;
          (*truth)[count(at)] = sum;
        }
      }
    }
  }

  const GemmForm form = c.split_bf16 ? gemm_form(traits, c.k, c.n) : c.form;
  const int64_t size = gemm_packed_floats(traits, c.k, c.n, form);
  GuardedBuffer<float> packed(c.packed ? count(size * b_count) : 0, edge);
  if (c.packed) {
    for (int64_t q = 0; q < b_count; ++q) {
      gemm_pack(team, kernels, b.data() + q * c.k * c.n, g.b_rs, g.b_cs, c.k, c.n, packed.data() + q * size, form);
    }
    (form == GemmForm::split_bf16 ? g.split_bf16 : g.packed_b) = packed.data();
    g.form = c.form;
    g.b = nullptr;
    if (!c.b_shared) g.b_batch[1] = size, g.b_batch[0] = c.batch1 * size;
  }
  const GemmPlan plan = gemm_plan(g, traits);
  if (planned != nullptr) *planned = plan;
  GuardedBuffer<float> scratch(gemm_scratch_bytes(plan, team.threads()) / sizeof(float), Edge::kBack);
  g.scratch = scratch.data();
  gemm(team, kernels, g, plan);
  return {out.begin(), out.end()};
}

inline void check(const Case& c, const Extras& x = {}) {
  Team one(1);
  std::vector<double> truth;  // the same for all
  for (const Tier tier : machine_tiers(Tier::amx)) {
    const int64_t few = table(tier).gemm.traits.fn().few_rows;
    if (c.form != GemmForm::panels && c.m > std::max(kGemvRows, few)) continue;
    for (const Edge edge : kEdges) {
      SCOPED_TRACE(describe(c, x, tier));
      GemmPlan plan;
      const std::vector<float> got = run(tier, c, x, one, edge, 7, truth.empty() ? &truth : nullptr, &plan);
      EXPECT_TRUE(!c.strassen || plan.strassen || plan.split);
      EXPECT_TRUE(!c.packs_a || (plan.packs_a && !plan.strassen));
      EXPECT_TRUE(!c.few || c.m > few || plan.path == GemmPlan::Path::few);
      // Factors are 0.5 on average.
      const double split_bf16 = plan.split ? 0.25 * kSplitError * static_cast<double>(c.k) : 0;
      const double fixed = c.form == GemmForm::int22 ? 0.5 * kFixedError * static_cast<double>(c.k) : 0;
      const double bound =
          2e-7 * static_cast<double>(c.k + 4) + (split_bf16 + fixed) * double{std::fmax(1.0f, x.alpha)};
      for (size_t i = 0; i < truth.size(); ++i) {
        const double position = x.strip ? 1e-7 * static_cast<double>(i) * 0.001 : 0;
        ASSERT_NEAR(got[i], truth[i], bound + position) << "at " << i;
      }
    }
  }
}

// A x B, row-major; B as it lies or packed, as split bf16 where the tier has them.
inline std::vector<float> matrix_product(Tier tier, const std::vector<float>& a, const std::vector<float>& b, int64_t m,
                                         int64_t n, int64_t k, GemmPlan* planned = nullptr,
                                         std::optional<GemmForm> form = {}) {
  const GemmTable& kernels = table(tier).gemm;
  Team one(1);
  std::vector<float> c(count(m * n));
  GemmArgs g;
  g.m = m, g.n = n, g.k = k;
  g.a = a.data(), g.a_rs = k, g.b = b.data(), g.b_rs = n, g.c = c.data(), g.c_rs = n;
  const GemmTraits traits = kernels.traits.fn();
  if (form == GemmForm::split_bf16) form = gemm_form(traits, k, n);
  GuardedBuffer<float> packed(form ? count(gemm_packed_floats(traits, k, n, *form)) : 0, Edge::kBack);
  if (form) {
    gemm_pack(one, kernels, b.data(), n, 1, k, n, packed.data(), *form);
    (form == GemmForm::split_bf16 ? g.split_bf16 : g.packed_b) = packed.data();
    if (form != GemmForm::split_bf16) g.form = *form;
    EXPECT_TRUE(form != GemmForm::int22 || gemm_fixed_holds(traits, packed.data(), k, n));
  }
  const GemmPlan plan = gemm_plan(g, eager_traits(kernels));
  GuardedBuffer<float> scratch(gemm_scratch_bytes(plan, 1) / sizeof(float), Edge::kBack);
  g.scratch = scratch.data();
  gemm(one, kernels, g, plan);
  if (planned != nullptr) *planned = plan;
  return c;
}

}  // namespace tc::kernels::testing
