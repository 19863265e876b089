// Products in split bf16 and by weights as 22-bit integers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "gemm_cases.h"

namespace tc::kernels {
namespace {

using testing::Case;
using testing::check;
using testing::count;
using testing::matrix_product;
using testing::Random;

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
          check({.m = m, .n = n, .k = k, .a_transposed = at, .b_transposed = bt, .packed = true, .split_bf16 = true},
                {.bias = true, .clip = true});
    }
  }
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{2, 212}, {60, 212}, {100, 212}, {300, 212}, {300, 520}}) {
    const Case c{.m = m, .n = n, .k = 600, .packed = true, .split_bf16 = true};
    check(c, {.row_bias = true, .residual = true, .strip = true});
    check(c, {.bias = true, .scale = true, .residual_is_c = true, .alpha = 0.5f, .slope = 0.1f});
    check(c, {.residual = true, .beta = 0.5f, .one_row = true});
  }
  check({.m = 3, .n = 96, .k = 100, .packed = true, .batch0 = 2, .batch1 = 2, .split_bf16 = true}, {.strip = true});
  check({.m = 40, .n = 96, .k = 100, .packed = true, .batch0 = 2, .batch1 = 2, .b_shared = true, .split_bf16 = true});
  check({300, 70, 260, false, false, true}, {.row_bias = true, .residual = true, .strip = true});
  check({60, 112, 600, false, false, true}, {.bias = true, .strip = true});
  check({20, 300, 200, true, false, false, 2, 2}, {.residual_is_c = true, .beta = 0.5f});
}

// Split bf16 lose as little as is said of them, with numbers of every size.
void check_split(int64_t m, std::optional<GemmForm> form) {
  constexpr int64_t n = 96, k = 512;
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    Random random(5);
    std::vector<float> a = random.floats(count(m * k)), b = random.floats(count(k * n));
    const std::vector<float> sizes = random.floats(a.size() + b.size(), -30, 30);
    for (size_t i = 0; i < a.size(); ++i) a[i] = std::ldexp(a[i], static_cast<int>(sizes[i]));
    for (size_t i = 0; i < b.size(); ++i) b[i] = std::ldexp(b[i], static_cast<int>(sizes[a.size() + i]));
    GemmPlan plan;
    const std::vector<float> c = matrix_product(tier, a, b, m, n, k, &plan, form);
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
  check_split(64, {});
  check_split(64, GemmForm::split_bf16);
  check_split(4, GemmForm::split_bf16);
}

// Workers that run products of their own, inside a region, leave each other's packed rows alone.
TEST(Gemm, RunsInsideARegion) {
  constexpr int64_t m = 64, n = 200, k = 300, products = 24;
  Team one(1), two(2);
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    Random random(6);
    const std::vector<float> a = random.floats(count(products * m * k)), b = random.floats(count(k * n));
    const GemmTable& kernels = table(tier).gemm;
    GemmArgs g;
    g.m = m, g.n = n, g.k = k;
    g.a_rs = k, g.b = b.data(), g.b_rs = n, g.c_rs = n;
    const GemmPlan plan = gemm_plan(g, kernels.traits.fn());
    ASSERT_EQ(plan.shared_floats, 0) << tier_name(tier);
    ASSERT_EQ(plan.own_a, tier == Tier::amx) << tier_name(tier);
    const auto run = [&](Team& team) {
      std::vector<float> c(count(products * m * n));
      testing::GuardedBuffer<float> scratch(gemm_scratch_bytes(plan, 2) / sizeof(float), testing::Edge::kBack);
      parallel_for(team, products, [&](int64_t i, int) {
        GemmArgs own = g;
        own.a = a.data() + i * m * k, own.c = c.data() + i * m * n, own.scratch = scratch.data();
        gemm(team, kernels, own, plan);
      });
      return c;
    };
    const std::vector<float> expected = run(one);
    for (int repeat = 0; repeat < 20; ++repeat) ASSERT_EQ(run(two), expected) << tier_name(tier);
  }
}

TEST(Gemm, FewerBitsOfEveryShape) {
  for (const GemmForm form : {GemmForm::int22, GemmForm::f16, GemmForm::bf16}) {
    for (const int64_t m : {1, 2, 3, 4, 5, 6, 9, 12}) {
      for (const int64_t n : {1, 3, 4, 16, 17, 48, 70, 129}) {
        for (const int64_t k : {0, 1, 7, 31, 66, 257}) {
          for (const bool at : {false, true})
            for (const bool bt : {false, true}) {
              const Case c{
                  .m = m, .n = n, .k = k, .a_transposed = at, .b_transposed = bt, .packed = true, .form = form};
              check(c, {.bias = true, .clip = true});
            }
        }
      }
      const Case c{.m = m, .n = 212, .k = 300, .packed = true, .form = form};
      check(c, {.row_bias = true, .residual = true, .strip = true});
      check(c, {.bias = true, .scale = true, .residual_is_c = true, .alpha = 0.5f, .slope = 0.1f});
      check(c, {.residual = true, .beta = 0.5f, .one_row = true});
      check({.m = m, .n = 96, .k = 100, .packed = true, .batch0 = 2, .batch1 = 2, .form = form}, {.strip = true});
      // From memory.
      check({.m = m, .n = 300, .k = 1030, .packed = true, .form = form});
    }
  }
}

// Into the forms for many rows, as if from floats.
TEST(Gemm, ShortFloatsArePackedAnew) {
  constexpr int64_t k = 77;
  Random random(21);
  Team two(2);
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    const GemmTable& kernels = table(tier).gemm;
    const GemmTraits traits = kernels.traits.fn();
    for (const int64_t n : {1, 16, 70, 300})
      for (const GemmForm from : {GemmForm::f16, GemmForm::bf16}) {
        const std::vector<float> b = testing::rounded(random.floats(count(k * n)), from);
        const auto packed = [&](GemmForm form) {
          testing::GuardedBuffer<float> to(count(gemm_packed_floats(traits, k, n, form)), testing::Edge::kBack);
          gemm_pack(two, kernels, b.data(), n, 1, k, n, to.data(), form);
          return to;
        };
        const auto source = packed(from);
        for (const GemmForm form : {GemmForm::panels, GemmForm::split_bf16}) {
          if (form == GemmForm::split_bf16 && !traits.splits) continue;
          const auto expected = packed(form);
          testing::GuardedBuffer<float> got(expected.size(), testing::Edge::kBack);
          gemm_repack(two, kernels, from, source.data(), k, n, got.data(), form);
          EXPECT_EQ(std::memcmp(got.data(), expected.data(), expected.size() * sizeof(float)), 0) << tier_name(tier);
        }
      }
  }
}

TEST(Gemm, FewRowsByPanelsFromMemory) {
  for (const int64_t m : {3, 5, 6, 7, 12, 13})
    for (const auto& [n, k] : {std::pair<int64_t, int64_t>{1030, 30}, {129, 577}, {56, 1095}}) {
      for (const bool at : {false, true}) {
        const Case c{.m = m, .n = n, .k = k, .a_transposed = at, .packed = true, .few = true};
        check(c, {.bias = true, .clip = true});
        check(c, {.row_bias = true, .residual = true, .strip = true});
      }
    }
  check({.m = 5, .n = 129, .k = 577, .packed = true, .batch0 = 2, .batch1 = 2, .few = true}, {.strip = true});
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
    const std::vector<float> fixed = matrix_product(tier, a, b, m, n, k, nullptr, GemmForm::int22),
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
    const std::vector<float> c = matrix_product(tier, a, b, m, n, k, nullptr, GemmForm::int22);
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
    const std::vector<float> c = matrix_product(tier, a, b, m, n, k, nullptr, GemmForm::int22);
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
    std::vector<float> packed(count(gemm_packed_floats(traits, k, n, GemmForm::int22)));
    for (const int64_t column : {0, 17, 69})
      for (const auto& c : columns) {
        std::vector<float> b(count(k * n), 0.25f);
        for (int64_t p = 0; p < k; ++p) b[count(p * n + column)] = p == 4321 ? c.odd : c.plain;
        gemm_pack(one, kernels, b.data(), n, 1, k, n, packed.data(), GemmForm::int22);
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
    for (const std::optional<GemmForm> form : {std::optional<GemmForm>(), std::optional(GemmForm::split_bf16)}) {
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

}  // namespace
}  // namespace tc::kernels
