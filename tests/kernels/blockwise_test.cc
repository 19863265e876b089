#include "tc/kernels/blockwise/blockwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "guard.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {

// What the tiers multiply with where the machine has no VNNI.
extern const BlockwiseTable blockwise_table_avx2, blockwise_table_avx512;

namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::kEdges;
using testing::machine_tiers;
using testing::Random;

struct BlockwiseVariant {
  std::string name;
  BlockwiseTable table;
};
std::vector<BlockwiseVariant> blockwise_variants() {
  std::vector<BlockwiseVariant> list;
  for (const Tier tier : machine_tiers(Tier::amx)) list.push_back({tier_name(tier), table(tier).blockwise});
#if TC_WITH_AVX2 && TC_WITH_AVX512 && !defined(TC_EMULATED_TILES)
  for (const Tier tier : machine_tiers())
    if (tier >= Tier::avx2)
      list.push_back(
          {std::string(tier_name(tier)) + "_madd", tier == Tier::avx2 ? blockwise_table_avx2 : blockwise_table_avx512});
#endif
  return list;
}

class Blockwise : public ::testing::TestWithParam<BlockwiseVariant> {
 protected:
  const BlockwiseTable& kernels() const { return GetParam().table; }
};

struct Case {
  int64_t m, n, k, block;
  int bits;
  bool own_zeros, transposed, is_signed;
};

// The weights of a case, as bytes and as what they are worth.
struct Weights {
  std::vector<uint8_t> bytes, zeros;
  std::vector<float> scales;
  std::vector<double> worth;  // [k][n]
  BlockwiseShape shape;
  BlockwiseWeights source;

  Weights(const Case& c, Random& random) {
    const int64_t blocks = (c.k + c.block - 1) / c.block;
    const int half = 1 << (c.bits - 1);
    const auto numbers = random.floats(static_cast<size_t>(c.n * c.k), 0, static_cast<float>(2 * half));
    const auto zero_numbers = random.floats(static_cast<size_t>(c.n * blocks), 0, static_cast<float>(2 * half));
    scales = random.floats(static_cast<size_t>(c.n * blocks), -0.02F, 0.02F);
    const int moved = c.is_signed ? half : 0;
    const auto byte = [&](float number) { return static_cast<uint8_t>(static_cast<int>(number) - moved); };
    for (const float v : numbers) bytes.push_back(byte(v));
    for (const float v : zero_numbers) zeros.push_back(byte(v));
    shape.n = c.n, shape.k = c.k, shape.bits = c.bits, shape.own_zeros = c.own_zeros;
    shape.group = blockwise_group(c.bits, c.k, c.block);
    shape.zero = half;
    source.w = bytes.data(), source.scale = scales.data(), source.zero = zeros.data();
    source.w_k = c.transposed ? 1 : c.n, source.w_n = c.transposed ? c.k : 1;
    source.scale_k = c.transposed ? 1 : c.n, source.scale_n = c.transposed ? blocks : 1;
    source.block = c.block, source.moved = static_cast<uint8_t>(moved);
    for (int64_t p = 0; p < c.k; ++p)
      for (int64_t j = 0; j < c.n; ++j) {
        const auto at = static_cast<size_t>(p / c.block * source.scale_k + j * source.scale_n);
        const auto number = static_cast<uint8_t>(bytes[static_cast<size_t>(p * source.w_k + j * source.w_n)] + moved);
        const int zero = c.own_zeros ? static_cast<uint8_t>(zeros[at] + moved) : half;
        worth.push_back((number - zero) * double{scales[at]});
      }
  }
};

std::vector<float> run(const BlockwiseTable& table, Team& team, const Case& c, const Weights& w,
                       const std::vector<float>& x, Edge edge) {
  GuardedBuffer<uint8_t> packed(blockwise_packed_bytes(table, w.shape), edge);
  blockwise_pack(team, table, w.shape, w.source, reinterpret_cast<std::byte*>(packed.data()));
  GuardedBuffer<float> from(x, edge), y(static_cast<size_t>(c.m * c.n), edge);
  BlockwiseArgs args{.shape = w.shape, .m = c.m, .x = from.data()};
  args.packed = reinterpret_cast<const std::byte*>(packed.data());
  args.y = y.data();
  std::vector<std::byte> scratch(blockwise_scratch(args) + 64);
  args.scratch = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
  blockwise(team, table, args);
  return {y.data(), y.data() + c.m * c.n};
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const int bits : {2, 4, 8})
    for (const int flags : {0, 1, 2, 4, 7}) {
      const bool own = flags & 1, transposed = flags & 2, is_signed = flags & 4;
      for (const int64_t m : {1, 2, 3, 5, 9}) list.push_back({m, 70, 96, 32, bits, own, transposed, is_signed});
      list.push_back({4, 1, 1, 1, bits, own, transposed, is_signed});
      list.push_back({1, 33, 77, 77, bits, own, transposed, is_signed});     // one block, which ends within a step
      list.push_back({70, 17, 40, 16, bits, own, transposed, is_signed});    // as does the last of several
      list.push_back({2, 130, 300, 256, bits, own, transposed, is_signed});  // blocks of several groups
    }
  return list;
}

std::string describe(const Case& c) {
  return "m " + std::to_string(c.m) + " n " + std::to_string(c.n) + " k " + std::to_string(c.k) + " block " +
         std::to_string(c.block) + " bits " + std::to_string(c.bits) + (c.own_zeros ? " zeros" : "") +
         (c.transposed ? " transposed" : "") + (c.is_signed ? " signed" : "");
}

// Every x may be off by kBlockwiseError of the largest of its group, unless it has three digits, and what is summed in
// f32 is rounded.
TEST_P(Blockwise, ErrsAsStated) {
  Team team(2);
  Random random(5);
  for (const Edge edge : kEdges)
    for (const Case& c : cases()) {
      const Weights w(c, random);
      const auto x = random.floats(static_cast<size_t>(c.m * c.k), -3, 3);
      const auto y = run(kernels(), team, c, w, x, edge);
      for (int64_t i = 0; i < c.m; ++i)
        for (int64_t j = 0; j < c.n; ++j) {
          double sum = 0, size = 0, most = 0;
          for (int64_t p = 0; p < c.k; ++p)
            most = std::max(most, std::abs(double{x[static_cast<size_t>(i * c.k + p)]}));
          for (int64_t p = 0; p < c.k; ++p) {
            const double worth = w.worth[static_cast<size_t>(p * c.n + j)];
            sum += x[static_cast<size_t>(i * c.k + p)] * worth;
            size += most * std::abs(worth);
          }
          ASSERT_NEAR(y[static_cast<size_t>(i * c.n + j)], sum,
                      size * ((c.m <= kBlockwiseFineRows ? 0 : kBlockwiseError) + 1e-6))
              << describe(c) << " at " << i << ", " << j;
        }
    }
}

TEST_P(Blockwise, SameForAnyNumberOfThreads) {
  Team one(1), two(2);
  Random random(6);
  const Case c{5, 200, 160, 32, 4, true, true, false};
  const Weights w(c, random);
  const auto x = random.floats(static_cast<size_t>(c.m * c.k), -3, 3);
  EXPECT_EQ(run(kernels(), one, c, w, x, kEdges[0]), run(kernels(), two, c, w, x, kEdges[0]));
}

// What is no number, or infinite, reaches the columns that it should, and leaves other rows alone.
TEST_P(Blockwise, KeepsWhatIsNoNumber) {
  Team team(2);
  Random random(7);
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  for (const int bits : {2, 4, 8}) {
    const Case c{12, 40, 96, 32, bits, true, false, true};
    const Weights w(c, random);
    auto x = random.floats(static_cast<size_t>(c.m * c.k), -3, 3);
    x[40] = kInfinity;
    x[static_cast<size_t>(2 * c.k + 1)] = -kInfinity;
    x[static_cast<size_t>(3 * c.k + 95)] = kNan;
    x[static_cast<size_t>(4 * c.k)] = kInfinity, x[static_cast<size_t>(4 * c.k + 64)] = -kInfinity;
    const auto y = run(kernels(), team, c, w, x, kEdges[0]);
    for (int64_t i = 0; i < c.m; ++i)
      for (int64_t j = 0; j < c.n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < c.k; ++p)
          sum += double{x[static_cast<size_t>(i * c.k + p)]} * w.worth[static_cast<size_t>(p * c.n + j)];
        const float got = y[static_cast<size_t>(i * c.n + j)];
        if (std::isnan(sum))
          EXPECT_TRUE(std::isnan(got)) << i << ", " << j;
        else if (std::isinf(sum))
          EXPECT_EQ(got, sum) << i << ", " << j;
        else
          EXPECT_NEAR(got, sum, 1e-2) << i << ", " << j;
      }
  }
}

TEST(BlockwiseGroup, DividesBlocks) {
  EXPECT_EQ(blockwise_group(4, 4096, 32), 32);
  EXPECT_EQ(blockwise_group(4, 4096, 256), 128);
  EXPECT_EQ(blockwise_group(8, 4096, 4096), 128);
  EXPECT_EQ(blockwise_group(4, 10, 10), 16);
  EXPECT_EQ(blockwise_group(8, 100, 12), 12);
  EXPECT_EQ(blockwise_group(4, 100, 12), 0);
  EXPECT_EQ(blockwise_group(2, 100, 16), 16);
}

INSTANTIATE_TEST_SUITE_P(Tiers, Blockwise, ::testing::ValuesIn(blockwise_variants()),
                         [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace tc::kernels
