// Matrix products of every tier against double precision, on buffers that end at guard pages.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "guard.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::Random;

size_t count(int64_t n) {
  return static_cast<size_t>(n);
}

// Those of the tier, but that products of a test's size go by Strassen's method or pack A on each.
GemmTraits eager_traits(const GemmTable& kernels) {
  GemmTraits traits = kernels.traits.fn();
  traits.strassen_cost = 0.1;
  traits.packed_a_columns = 512;
  return traits;
}

struct Case {
  int64_t m, n, k;
  bool a_transposed = false, b_transposed = false, packed = false;
  int64_t batch0 = 1, batch1 = 1;
  bool b_shared = false;  // one B for all of the batch
  bool strassen = false;  // large enough for Strassen's method
  bool packs_a = false;   // long enough for packed rows, too low for that
  bool halves = false;    // `packed` as halves, where the tier has them
  bool fixed = false;     // `packed` in fixed point
};

struct Extras {
  bool bias = false, scale = false, row_bias = false, residual = false, residual_is_c = false, clip = false;
  float alpha = 1, beta = 1, slope = 1;
  bool strip = false;
  bool one_row = false, one_col = false;  // the residual's shape, broadcast
};

void add_position(void* context, float* tile, int64_t rows, int64_t cols, int64_t ld, int64_t row0, int64_t col0) {
  const int64_t n = *static_cast<int64_t*>(context);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) tile[r * ld + c] += static_cast<float>((row0 + r) * n + col0 + c) * 0.001f;
  }
}

std::string describe(const Case& c, const Extras& x, Tier tier) {
  return std::string(tier_name(tier)) + " m=" + std::to_string(c.m) + " n=" + std::to_string(c.n) +
         " k=" + std::to_string(c.k) + (c.a_transposed ? " At" : "") + (c.b_transposed ? " Bt" : "") +
         (c.packed ? " packed" : "") + (c.halves ? " as halves" : "") + (c.fixed ? " in fixed point" : "") + " batch " +
         std::to_string(c.batch0) + "x" + std::to_string(c.batch1) + (x.bias ? " bias" : "") +
         (x.scale ? " scale" : "") + (x.row_bias ? " row_bias" : "") + (x.residual ? " residual" : "") +
         (x.residual_is_c ? " in place" : "") + (x.clip ? " clip" : "") + (x.strip ? " strip" : "");
}

std::vector<float> run(Tier tier, const Case& c, const Extras& x, Team& team, Edge edge, uint64_t seed,
                       std::vector<double>* truth, GemmPlan* planned = nullptr) {
  Random random(seed);
  const int64_t batches = c.batch0 * c.batch1;
  const int64_t b_count = c.b_shared ? 1 : batches;
  GuardedBuffer<float> a(random.floats(count(batches * c.m * c.k)), edge);
  GuardedBuffer<float> b(random.floats(count(b_count * c.k * c.n)), edge);
  GuardedBuffer<float> out(random.floats(count(batches * c.m * c.n)), edge);
  GuardedBuffer<float> bias(random.floats(count(c.n)), edge);
  GuardedBuffer<float> scale(random.floats(count(c.n)), edge);
  GuardedBuffer<float> row_bias(random.floats(count(c.m)), edge);
  GuardedBuffer<float> residual(random.floats(count(batches * c.m * c.n)), edge);
  const GemmTable& kernels = table(tier).gemm;
  const GemmTraits traits = c.strassen || c.packs_a ? eager_traits(kernels) : kernels.traits.fn();

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

  const GemmForm form = c.fixed ? GemmForm::fixed : c.halves ? gemm_form(traits, c.k, c.n) : GemmForm::panels;
  const int64_t size = gemm_packed_floats(traits, c.k, c.n, form);
  GuardedBuffer<float> packed(c.packed ? count(size * b_count) : 0, edge);
  if (c.packed) {
    for (int64_t q = 0; q < b_count; ++q) {
      gemm_pack(team, kernels, b.data() + q * c.k * c.n, g.b_rs, g.b_cs, c.k, c.n, packed.data() + q * size, form);
    }
    (form == GemmForm::halves ? g.halves : g.packed_b) = packed.data();
    g.fixed = c.fixed;
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

void check(const Case& c, const Extras& x = {}) {
  Team one(1);
  std::vector<double> truth;  // the same for all
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    for (const Edge edge : testing::kEdges) {
      SCOPED_TRACE(describe(c, x, tier));
      GemmPlan plan;
      const std::vector<float> got = run(tier, c, x, one, edge, 7, truth.empty() ? &truth : nullptr, &plan);
      EXPECT_TRUE(!c.strassen || plan.strassen || plan.split);
      EXPECT_TRUE(!c.packs_a || (plan.packs_a && !plan.strassen));
      // Factors are 0.5 on average.
      const double halves = plan.split ? 0.25 * kSplitError * static_cast<double>(c.k) : 0;
      const double fixed = c.fixed ? 0.5 * kFixedError * static_cast<double>(c.k) : 0;
      const double bound = 2e-7 * static_cast<double>(c.k + 4) + (halves + fixed) * double{std::fmax(1.0f, x.alpha)};
      for (size_t i = 0; i < truth.size(); ++i) {
        const double position = x.strip ? 1e-7 * static_cast<double>(i) * 0.001 : 0;
        ASSERT_NEAR(got[i], truth[i], bound + position) << "at " << i;
      }
    }
  }
}

TEST(Gemm, AllTails) {
  for (int64_t m = 1; m <= 17; ++m) {
    for (const int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 47, 48, 63, 64, 65, 100}) {
      for (const int64_t k : {1, 2, 3, 17}) check({m, n, k});
    }
  }
}

TEST(Gemm, EveryColumnCount) {
  for (int64_t n = 1; n <= 130; ++n) {
    for (const int64_t m : {1, 3, 5, 13}) {
      check({m, n, 9, false, false, true}, {.bias = true, .clip = true});
      check({m, n, 9}, {.bias = true, .scale = true});
    }
  }
}

// Rows of A by up to four columns, whose sums are lanes of a register.
TEST(Gemm, TallAndThin) {
  for (const int64_t m : {5, 16, 37, 3000}) {
    for (const int64_t n : {1, 3, 4}) {
      for (const int64_t k : {8, 15, 16, 33}) {
        check({m, n, k});
        check({m, n, k, false, true}, {.bias = true, .residual = true, .clip = true});
      }
    }
  }
}

// Several panels side by side.
TEST(Gemm, ShortSumsAcross) {
  for (const int64_t n : {191, 192, 208, 255, 400, 600}) {
    for (const int64_t k : {1, 4, 15, 16}) {
      for (const bool packed : {false, true}) {
        check({13, n, k, false, false, packed}, {.bias = true, .clip = true});
        check({9, n, k, false, true, packed}, {.scale = true, .residual = true, .alpha = 1.5f, .strip = true});
        check({20, n, k, true, false, packed}, {.row_bias = true, .residual = true, .slope = 0.1f, .one_col = true});
      }
    }
  }
  check({5, 300, 0, false, false, true}, {.bias = true});
}

TEST(Gemm, StridesAndPacking) {
  for (const bool at : {false, true}) {
    for (const bool bt : {false, true}) {
      for (const bool packed : {false, true}) {
        for (const int64_t m : {1, 2, 3, 4, 6, 29, 130}) {
          for (const int64_t n : {1, 3, 4, 16, 70, 129}) {
            for (const int64_t k : {1, 16, 31, 37}) check({m, n, k, at, bt, packed});
          }
        }
      }
    }
  }
}

TEST(Gemm, Epilogues) {
  const Extras extras[] = {
      {.bias = true},
      {.scale = true, .alpha = 0.5f},
      {.row_bias = true},
      {.residual = true, .beta = 0.5f},
      {.residual = true, .one_row = true},
      {.residual = true, .one_col = true},
      {.residual = true, .one_row = true, .one_col = true},
      {.residual_is_c = true, .beta = -1.5f},
      {.clip = true, .slope = 0.1f},
      {.slope = 0.25f},
      {.strip = true},
      {.bias = true,
       .scale = true,
       .row_bias = true,
       .residual = true,
       .clip = true,
       .alpha = 2.0f,
       .slope = 0.1f,
       .strip = true},
  };
  for (const Extras& x : extras) {
    for (const int64_t m : {1, 4, 5, 37}) {
      for (const int64_t n : {1, 4, 20, 65, 140}) {
        check({m, n, 33}, x);
        check({m, n, 33, false, true}, x);
        check({m, n, 33, false, false, true}, x);
      }
    }
    check({40, 70, 900}, x);
    check({40, 70, 900, false, false, true}, x);
  }
}

TEST(Gemm, Batches) {
  for (const int64_t m : {1, 5, 20}) {
    for (const bool packed : {false, true}) {
      for (const bool shared : {false, true}) {
        check({m, 70, 33, false, false, packed, 2, 3, shared}, {.bias = true, .residual = true});
        check({m, 70, 33, false, true, packed, 3, 1, shared});
      }
    }
  }
  check({5, 3, 0}, {.bias = true});
  check({40, 70, 0}, {.bias = true});
  check({40, 70, 0, false, false, true}, {.bias = true});
  check({0, 3, 4});
  check({3, 0, 4});
  check({200, 600, 64, false, false, false, 2, 2});
}

TEST(Gemm, PackedRows) {
  for (const bool at : {false, true})
    for (const bool packed : {false, true}) {
      Case c{50, 1350, 2051, at, false, packed};
      c.packs_a = true;
      check(c, {.bias = true});
      check(c, {.row_bias = true, .residual = true});
    }
}

TEST(Gemm, BlocksOfEveryKind) {
  check({250, 700, 500});
  check({130, 1100, 1000}, {.bias = true, .strip = true});
  check({3, 3000, 50});
  check({3, 3000, 50, false, true});
  check({3000, 3, 50, false, true});
  check({3000, 3, 50});
}

TEST(Gemm, StrassenOfEveryShape) {
  for (const bool at : {false, true}) {
    for (const bool bt : {false, true}) {
      for (const bool packed : {false, true}) {
        // Odd rows; columns of a panel and a part beside the pairs; steps that no half has; two blocks of steps.
        Case c{259, 330, 803, at, bt, packed};
        c.strassen = true;
        check(c, {.bias = true, .clip = true});
      }
    }
  }
  Case c{260, 512, 768, false, false, true};
  c.strassen = true;
  check(c, {.row_bias = true, .residual = true, .strip = true});
  check(c, {.scale = true, .residual_is_c = true, .alpha = 0.5f, .beta = 0.5f, .slope = 0.1f});
  check(c, {.residual = true, .one_row = true});
  check(c, {.residual = true, .one_col = true});
  // Each worker packs several tiles of rows, one after the other.
  Case tall{1100, 128, 4096, false, false, true};
  tall.strassen = true;
  check(tall, {.row_bias = true, .residual = true, .strip = true});
  tall.packed = false;
  check(tall);
}

// A x B, row-major; B as it lies or packed, as halves where the tier has them.
std::vector<float> matrix_product(Tier tier, const std::vector<float>& a, const std::vector<float>& b, int64_t m,
                                  int64_t n, int64_t k, GemmPlan* planned = nullptr,
                                  std::optional<GemmForm> form = {}) {
  const GemmTable& kernels = table(tier).gemm;
  Team one(1);
  std::vector<float> c(count(m * n));
  GemmArgs g;
  g.m = m, g.n = n, g.k = k;
  g.a = a.data(), g.a_rs = k, g.b = b.data(), g.b_rs = n, g.c = c.data(), g.c_rs = n;
  const GemmTraits traits = kernels.traits.fn();
  if (form == GemmForm::halves) form = gemm_form(traits, k, n);
  GuardedBuffer<float> packed(form ? count(gemm_packed_floats(traits, k, n, *form)) : 0, Edge::kBack);
  if (form) {
    gemm_pack(one, kernels, b.data(), n, 1, k, n, packed.data(), *form);
    (form == GemmForm::halves ? g.halves : g.packed_b) = packed.data();
    g.fixed = form == GemmForm::fixed;
    EXPECT_TRUE(!g.fixed || gemm_fixed_holds(traits, packed.data(), k, n));
  }
  const GemmPlan plan = gemm_plan(g, eager_traits(kernels));
  GuardedBuffer<float> scratch(gemm_scratch_bytes(plan, 1) / sizeof(float), Edge::kBack);
  g.scratch = scratch.data();
  gemm(one, kernels, g, plan);
  if (planned != nullptr) *planned = plan;
  return c;
}

// A product's operands, Strassen's method where the tier has no halves of factors.
struct Large {
  static constexpr int64_t m = 260, n = 256, k = 768;
  std::vector<float> a, b;

  Large() {
    Random random(11);
    a = random.floats(count(m * k), -1, 1), b = random.floats(count(k * n), -1, 1);
  }
  std::vector<float> product(Tier tier, GemmPlan* planned = nullptr) const {
    return matrix_product(tier, a, b, m, n, k, planned);
  }
  double truth(int64_t i, int64_t j, double* magnitude = nullptr) const {
    double sum = 0, size = 0;
    for (int64_t p = 0; p < k; ++p) {
      const double product = double{a[count(i * k + p)]} * double{b[count(p * n + j)]};
      sum += product, size += std::fabs(product);
    }
    if (magnitude != nullptr) *magnitude = size;
    return sum;
  }
};

TEST(Gemm, StrassenErrsAsStated) {
  const Large x;
  for (const Tier tier : testing::machine_tiers(Tier::avx512)) {
    GemmPlan plan;
    const std::vector<float> c = x.product(tier, &plan);
    EXPECT_TRUE(plan.strassen);
    double most = 0, worst = 0;
    for (int64_t i = 0; i < x.m; ++i)
      for (int64_t j = 0; j < x.n; ++j) {
        const double truth = x.truth(i, j);
        most = std::fmax(most, std::fabs(truth));
        worst = std::fmax(worst, std::fabs(double{c[count(i * x.n + j)]} - truth));
      }
    EXPECT_LT(worst, kStrassenError * most) << tier_name(tier);
  }
}

// What is infinite or no number stays in its row and column, and so does what is only infinite in a sum of quarters.
TEST(Gemm, StrassenOfWhatIsNoNumber) {
  for (const float odd : {std::nanf(""), INFINITY, -INFINITY, std::numeric_limits<float>::max()}) {
    Large x;
    x.a[count(3 * x.k + 700)] = odd;
    x.b[count(5 * x.n + 200)] = INFINITY;
    for (const Tier tier : testing::machine_tiers(Tier::avx512)) {
      const std::vector<float> c = x.product(tier);
      for (int64_t i = 0; i < x.m; i += i < 6 ? 1 : 17)
        for (int64_t j = 0; j < x.n; ++j) {
          const float got = c[count(i * x.n + j)];
          const double truth = x.truth(i, j);
          SCOPED_TRACE(std::string(tier_name(tier)) + " " + std::to_string(i) + " " + std::to_string(j));
          if (std::isnan(truth)) {
            ASSERT_TRUE(std::isnan(got));
          } else if (std::isinf(truth)) {
            ASSERT_EQ(got, truth);
          } else {
            ASSERT_NEAR(got, truth, 1e-4 + 1e-5 * std::fabs(truth));
          }
        }
    }
  }
}

// A row of small numbers keeps its digits beside one of large ones, and one of zeros stays one.
TEST(Gemm, StrassenOfRowsOfEverySize) {
  Large x;
  for (int64_t p = 0; p < x.k; ++p) {
    x.a[count(7 * x.k + p)] *= 1e6f;
    x.a[count(9 * x.k + p)] *= 1e-3f;
    x.a[count(11 * x.k + p)] = 0;
  }
  for (const Tier tier : testing::machine_tiers(Tier::avx512)) {
    const std::vector<float> c = x.product(tier);
    for (const int64_t i : {0, 7, 9, 11, 72, 74, 76, 255})
      for (int64_t j = 0; j < x.n; ++j) {
        double magnitude;
        const double truth = x.truth(i, j, &magnitude);
        ASSERT_NEAR(c[count(i * x.n + j)], truth, 1e-6 * magnitude) << tier_name(tier) << " " << i << " " << j;
      }
  }
}

// Here they make a sum of 0; the caller's own arithmetic keeps them.
TEST(Gemm, TakesSubnormalNumbersForZero) {
  const volatile float tiny = 1e-39f;
  Team team(1);
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    const GemmTable& kernels = table(tier).gemm;
    const std::vector<float> a(40, float{tiny}), b(40 * 20, 2.0f);
    std::vector<float> c(20, 1.0f);
    GemmArgs g;
    g.m = 1, g.n = 20, g.k = 40, g.a_rs = 40, g.b_rs = 20, g.c_rs = 20;
    g.a = a.data(), g.b = b.data(), g.c = c.data();
    const GemmPlan plan = gemm_plan(g, kernels.traits.fn());
    std::vector<std::byte> scratch(gemm_scratch_bytes(plan, 1) + 64);
    g.scratch = reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
    gemm(team, kernels, g, plan);
    EXPECT_EQ(c, std::vector<float>(20, 0.0f)) << tier_name(tier);
    EXPECT_GT(tiny * 2, 1.9e-39f);
  }
}

TEST(Gemm, HalvesOfEveryShape) {
  for (const bool at : {false, true}) {
    for (const bool bt : {false, true}) {
      for (const bool packed : {false, true}) {
        check({12, 129, 577, at, bt, packed}, {.bias = true, .clip = true});
        check({33, 250, 64, at, bt, packed}, {.bias = true, .clip = true});
        check({49, 33, 1095, at, bt, packed}, {.bias = true, .clip = true});
      }
      for (const int64_t m : {1, 2, 3, 4, 5, 17, 33})
        for (const auto& [n, k] : {std::pair<int64_t, int64_t>{129, 577}, {250, 64}, {56, 1095}, {32, 65}})
          check({.m = m, .n = n, .k = k, .a_transposed = at, .b_transposed = bt, .packed = true, .halves = true},
                {.bias = true, .clip = true});
    }
  }
  for (const int64_t m : {2, 60, 300}) {
    const Case c{.m = m, .n = 212, .k = 600, .packed = true, .halves = true};
    check(c, {.row_bias = true, .residual = true, .strip = true});
    check(c, {.bias = true, .scale = true, .residual_is_c = true, .alpha = 0.5f, .slope = 0.1f});
    check(c, {.residual = true, .beta = 0.5f, .one_row = true});
  }
  check({.m = 3, .n = 96, .k = 100, .packed = true, .batch0 = 2, .batch1 = 2, .halves = true}, {.strip = true});
  check({.m = 40, .n = 96, .k = 100, .packed = true, .batch0 = 2, .batch1 = 2, .b_shared = true, .halves = true});
  check({300, 70, 260, false, false, true}, {.row_bias = true, .residual = true, .strip = true});
  check({60, 112, 600, false, false, true}, {.bias = true, .strip = true});
  check({20, 300, 200, true, false, false, 2, 2}, {.residual_is_c = true, .beta = 0.5f});
}

// Halves lose as little as is said of them, with numbers of every size.
void check_halves(int64_t m, bool packed) {
  constexpr int64_t n = 96, k = 512;
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    Random random(5);
    std::vector<float> a = random.floats(count(m * k)), b = random.floats(count(k * n));
    const std::vector<float> sizes = random.floats(a.size() + b.size(), -30, 30);
    for (size_t i = 0; i < a.size(); ++i) a[i] = std::ldexp(a[i], static_cast<int>(sizes[i]));
    for (size_t i = 0; i < b.size(); ++i) b[i] = std::ldexp(b[i], static_cast<int>(sizes[a.size() + i]));
    GemmPlan plan;
    const std::vector<float> c =
        matrix_product(tier, a, b, m, n, k, &plan, packed ? std::optional(GemmForm::halves) : std::nullopt);
    EXPECT_EQ(plan.split, tier == Tier::amx);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0, magnitude = 0;
        for (int64_t p = 0; p < k; ++p) {
          const double term = double{a[count(i * k + p)]} * double{b[count(p * n + j)]};
          sum += term, magnitude += std::fabs(term);
        }
        const double bound = ((plan.split ? kSplitError : 0) + 1e-7 * std::sqrt(static_cast<double>(k))) * magnitude;
        ASSERT_NEAR(c[count(i * n + j)], sum, bound) << tier_name(tier) << " " << i << " " << j;
      }
    }
  }
}

TEST(Gemm, HalvesErrAsStated) {
  check_halves(64, false);
  check_halves(64, true);
  check_halves(4, true);
}

TEST(Gemm, FixedPointOfEveryShape) {
  for (const int64_t m : {1, 2, 3, 4}) {
    for (const int64_t n : {1, 3, 4, 16, 17, 48, 70, 129}) {
      for (const int64_t k : {0, 1, 7, 31, 66, 257}) {
        for (const bool at : {false, true})
          for (const bool bt : {false, true}) {
            const Case c{.m = m, .n = n, .k = k, .a_transposed = at, .b_transposed = bt, .packed = true, .fixed = true};
            check(c, {.bias = true, .clip = true});
          }
      }
    }
    const Case c{.m = m, .n = 212, .k = 300, .packed = true, .fixed = true};
    check(c, {.row_bias = true, .residual = true, .strip = true});
    check(c, {.bias = true, .scale = true, .residual_is_c = true, .alpha = 0.5f, .slope = 0.1f});
    check(c, {.residual = true, .beta = 0.5f, .one_row = true});
    check({.m = m, .n = 96, .k = 100, .packed = true, .batch0 = 2, .batch1 = 2, .fixed = true}, {.strip = true});
    // From memory.
    check({.m = m, .n = 300, .k = 1030, .packed = true, .fixed = true});
  }
}

// As stated: each weight, which rows with a single one tell, and results next to those of floats.
TEST(Gemm, FixedPointErrsAsStated) {
  constexpr int64_t m = 4, n = 300, k = 4096;
  Random random(15);
  std::vector<float> a = random.floats(count(m * k)), b(count(k * n));
  for (float& x : b)  // Box and Muller's
    x = static_cast<float>(std::sqrt(-2 * std::log(random.uniform(1e-12, 1))) * std::cos(random.uniform(0, 6.283185)));
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t p = 0; p < k; ++p) a[count(i * k + p)] = p == 7 + i ? 1.0f : 0.0f;
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    const std::vector<float> fixed = matrix_product(tier, a, b, m, n, k, nullptr, GemmForm::fixed),
                             floats = matrix_product(tier, a, b, m, n, k, nullptr, GemmForm::panels);
    double of_fixed = 0, of_floats = 0;
    for (int64_t j = 0; j < n; ++j) {
      double most = 0;
      for (int64_t p = 0; p < k; ++p) most = std::fmax(most, std::fabs(double{b[count(p * n + j)]}));
      for (int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) sum += double{a[count(i * k + p)]} * double{b[count(p * n + j)]};
        const size_t at = count(i * n + j);
        if (i < 2) {
          ASSERT_NEAR(fixed[at], sum, kFixedError * most) << tier_name(tier) << " " << i << " " << j;
        } else {
          of_fixed += std::pow(fixed[at] - sum, 2), of_floats += std::pow(floats[at] - sum, 2);
        }
      }
    }
    EXPECT_LT(of_fixed, 1.5 * of_floats) << tier_name(tier);
  }
}

TEST(Gemm, FixedPointIsExactWhereItsBitsSuffice) {
  constexpr int64_t m = 2, n = 70, k = 300;
  Random random(16);
  std::vector<float> a(count(m * k)), b(count(k * n));
  for (float& x : a) x = static_cast<float>(random.integer(-8, 8));
  for (float& x : b) x = static_cast<float>(random.integer(-1000, 1000)) * 0x1p-20f;
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    const std::vector<float> c = matrix_product(tier, a, b, m, n, k, nullptr, GemmForm::fixed);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) sum += double{a[count(i * k + p)]} * double{b[count(p * n + j)]};
        ASSERT_EQ(c[count(i * n + j)], sum) << tier_name(tier);
      }
  }
}

TEST(Gemm, FixedPointByWhatIsNoNumber) {
  constexpr int64_t m = 4, n = 70, k = 300;
  const float largest = std::numeric_limits<float>::max();
  std::vector<float> a(count(m * k), 0.1f);
  const std::vector<float> b(count(k * n), 0.3f);
  const float odd[] = {std::nanf(""), INFINITY, largest, 1e-25f};
  for (int64_t i = 0; i < m; ++i) a[count(i * k + 77)] = odd[i];
  for (int64_t p = 0; p < k; ++p) a[count(3 * k + p)] = 1e-25f;
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    const std::vector<float> c = matrix_product(tier, a, b, m, n, k, nullptr, GemmForm::fixed);
    for (const int64_t j : {0, 17, 69}) {
      EXPECT_TRUE(std::isnan(c[count(j)])) << tier_name(tier);
      EXPECT_EQ(c[count(n + j)], INFINITY) << tier_name(tier);
      EXPECT_NEAR(c[count(2 * n + j)] / largest, 0.3f, 1e-6) << tier_name(tier);
      EXPECT_NEAR(c[count(3 * n + j)], 9e-24f, 1e-28) << tier_name(tier);
    }
  }
}

TEST(Gemm, FixedPointTellsWhatItDoesNotHold) {
  constexpr int64_t n = 70, k = 5000;
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  struct {
    float plain, odd;  // a column's numbers, and one of them
    bool holds;
  } const columns[] = {{1, 1, true},       {1, kNone, false},  {1, kInfinity, false}, {1, -kInfinity, false},
                       {0, 0, true},       {0, kNone, false},  {kNone, kNone, false}, {0, 1e30f, false},
                       {1e-30f, 0, false}, {1e-10f, 1, false}, {0.1f, 3, true},       {0.1f, 5, false}};
  Team one(1);
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    const GemmTable& kernels = table(tier).gemm;
    const GemmTraits traits = kernels.traits.fn();
    std::vector<float> packed(count(gemm_packed_floats(traits, k, n, GemmForm::fixed)));
    for (const int64_t column : {0, 17, 69})
      for (const auto& c : columns) {
        std::vector<float> b(count(k * n), 0.25f);
        for (int64_t p = 0; p < k; ++p) b[count(p * n + column)] = p == 4321 ? c.odd : c.plain;
        gemm_pack(one, kernels, b.data(), n, 1, k, n, packed.data(), GemmForm::fixed);
        EXPECT_EQ(gemm_fixed_holds(traits, packed.data(), k, n), c.holds)
            << tier_name(tier) << " " << column << ": " << c.plain << ", " << c.odd;
      }
  }
}

TEST(Gemm, HalvesOfWhatIsNoNumber) {
  constexpr int64_t m = 40, n = 64, k = 256;
  const float largest = std::numeric_limits<float>::max();
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    std::vector<float> a(count(m * k), 0.1f), b(count(k * n), 0.3f);
    const auto set = [&](int64_t row, float x) { a[count(row * k + 77)] = x; };
    set(1, std::nanf("")), set(2, INFINITY), set(3, -INFINITY), set(4, largest), set(5, -largest), set(6, 1e-30f);
    b[count(77 * n + 9)] = INFINITY;
    for (const std::optional<GemmForm> form : {std::optional<GemmForm>(), std::optional(GemmForm::halves)}) {
      const std::vector<float> c = matrix_product(tier, a, b, m, n, k, nullptr, form);
      SCOPED_TRACE(tier_name(tier));
      const std::vector<float> few =
          matrix_product(tier, std::vector<float>(a.begin(), a.begin() + 4 * k), b, 4, n, k, nullptr, form);
      EXPECT_TRUE(std::isnan(few[count(n)]));
      EXPECT_EQ(few[count(2 * n)], INFINITY);
      EXPECT_EQ(few[count(3 * n + 9)], -INFINITY);
      EXPECT_EQ(few[9], INFINITY);
      for (const int64_t j : {0, 9, 63}) {
        const auto at = [&](int64_t row) { return c[count(row * n + j)]; };
        EXPECT_TRUE(std::isnan(at(1)));
        EXPECT_EQ(at(2), INFINITY);
        EXPECT_EQ(at(3), -INFINITY);
        if (j == 9) {
          EXPECT_EQ(at(4), INFINITY);
          EXPECT_EQ(at(5), -INFINITY);
          EXPECT_EQ(at(7), INFINITY);
        } else {
          EXPECT_NEAR(at(4) / largest, 0.3f, 1e-5);
          EXPECT_NEAR(at(5) / largest, -0.3f, 1e-5);
          EXPECT_NEAR(at(6), 7.65f, 1e-3);
          EXPECT_NEAR(at(7), 7.68f, 1e-3);
        }
      }
    }
  }
}

TEST(Gemm, SameBitsForAnyNumberOfThreads) {
  Team one(1);
  Team three(3);
  const Case cases[] = {{250, 700, 500},
                        {1, 3000, 300},
                        {3000, 2, 300},
                        {130, 300, 90, false, true, true},
                        {197, 520, 400, false, false, true},
                        {300, 400, 500},
                        {128, 770, 768, false, false, true},
                        {64, 64, 64, false, false, false, 4, 4},
                        {.m = 2, .n = 770, .k = 768, .packed = true, .halves = true},
                        {.m = 3, .n = 770, .k = 768, .packed = true, .fixed = true},
                        {.m = 128, .n = 770, .k = 768, .packed = true, .halves = true}};
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    for (const Case& c : cases) {
      EXPECT_EQ(run(tier, c, {.bias = true}, one, Edge::kBack, 3, nullptr),
                run(tier, c, {.bias = true}, three, Edge::kBack, 3, nullptr))
          << describe(c, {}, tier);
    }
  }
}

TEST(Gemm, NanAndInfinityPass) {
  Team one(1);
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    std::vector<float> a = {1, std::nanf(""), INFINITY, 1, 2, 3, 4, 5, 6, 7};
    std::vector<float> b(20, 1.0f);
    std::vector<float> c(200);
    for (const int64_t n : {1, 20}) {
      GemmArgs g;
      g.m = 10, g.n = n, g.k = 1;
      g.a = a.data(), g.a_rs = 1;
      g.b = b.data(), g.b_rs = n;
      g.c = c.data(), g.c_rs = n;
      g.epilogue.lo = 0.0f;
      const GemmPlan plan = gemm_plan(g, table(tier).gemm.traits.fn());
      std::vector<float> scratch(gemm_scratch_bytes(plan, 1) / sizeof(float) + 1);
      g.scratch = scratch.data();
      gemm(one, table(tier).gemm, g, plan);
      EXPECT_TRUE(std::isnan(c[static_cast<size_t>(n)])) << tier_name(tier) << " n=" << n;
      EXPECT_EQ(c[static_cast<size_t>(2 * n)], INFINITY);
      EXPECT_EQ(c[static_cast<size_t>(3 * n)], 1.0f);
    }
  }
}

}  // namespace
}  // namespace tc::kernels
