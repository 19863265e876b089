// Matrix products of every tier against double precision, on buffers that end at guard pages.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gemm_cases.h"

namespace tc::kernels {
namespace {

using testing::Case;
using testing::check;
using testing::count;
using testing::describe;
using testing::Edge;
using testing::Extras;
using testing::matrix_product;
using testing::Random;
using testing::run;

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

// Many products that are no larger than a line of floats.
TEST(Gemm, SmallBatches) {
  for (const int64_t m : {1, 4, 7, 13, 16}) {
    for (const int64_t n : {1, 3, 8, 9, 16}) {
      for (const int64_t k : {0, 3, 16}) {
        check({m, n, k, true, false, false, 2, 3}, {.bias = true, .residual = true, .strip = true});
        check({m, n, k, false, false, false, 3, 1}, {.scale = true, .row_bias = true, .clip = true});
      }
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
  for (const bool at : {false, true}) {
    Case c{50, 1350, 2051, at, false, true};
    c.packs_a = true;
    check(c, {.bias = true});
    check(c, {.row_bias = true, .residual = true});
    // Beside B in phases, where the tier does not take Strassen's method.
    check({260, 2051, 300, at}, {.bias = true});
  }
}

// Each tile packs the columns that it reads, a block of steps at a time.
TEST(Gemm, PackingTiles) {
  for (const bool bt : {false, true}) {
    check({130, 333, 1000, false, bt}, {.bias = true, .strip = true});
    check({256, 160, 160, false, bt}, {.row_bias = true, .residual = true});
    check({70, 1024, 700, false, bt}, {.scale = true, .residual_is_c = true, .alpha = 0.5f, .beta = 0.5f});
    check({40, 90, 30, false, bt, false, 2, 3}, {.clip = true});
    check({40, 300, 50, bt, bt, false, 2, 3}, {.clip = true});
  }
}

// Sums so long that a phase holds few columns.
TEST(Gemm, LongPhases) {
  check({270, 530, 9000});
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

// A product's operands, Strassen's method where the tier has no bf16 pairs of factors.
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
                        {.m = 2, .n = 770, .k = 768, .packed = true, .split_bf16 = true},
                        {.m = 3, .n = 770, .k = 768, .packed = true, .form = GemmForm::int22},
                        {.m = 128, .n = 770, .k = 768, .packed = true, .split_bf16 = true}};
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
