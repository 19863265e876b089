#include "tc/kernels/attention/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "guard.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::kEdges;
using testing::machine_tiers;
using testing::Random;

constexpr double kHidden = -std::numeric_limits<double>::infinity();

enum class MaskKind { none, bias, visible };

struct Problem {
  std::int64_t batch = 1, q_heads = 1, kv_heads = 1, q_length = 1, kv_length = 1, head_size = 1, v_head_size = 1;
  bool packed = false;  // heads side by side
  bool causal = false;
  std::int64_t first = 0;
  float scale = 0.75f, softcap = 0;
  std::vector<std::int64_t> lengths = {};
  MaskKind mask = MaskKind::none;
  std::int64_t mask_extents[4] = {1, 1, 1, 1};  // 1 broadcasts, but for the last one, which may be too short
};

template <class T>
HeadsView<T> view(T* data, bool packed, std::int64_t heads, std::int64_t length, std::int64_t size) {
  if (packed) return {data, heads * length * size, size, heads * size};
  return {data, heads * length * size, length * size, size};
}

// Heads one after the other, for what is asked of whole results.
struct Heads {
  std::vector<float> q, k, v, y;
  AttentionArgs args;

  Heads(std::size_t heads, std::size_t q_length, std::size_t kv_length, std::size_t size) {
    Random random(3);
    q = random.floats(heads * q_length * size), k = random.floats(heads * kv_length * size);
    v = random.floats(k.size());
    y.resize(q.size());
    const auto extent = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    args.batch = 1, args.q_heads = args.kv_heads = extent(heads);
    args.q_length = extent(q_length), args.kv_length = extent(kv_length);
    args.head_size = args.v_head_size = extent(size);
  }
  void run(Tier tier, int threads) {
    const std::int64_t heads = args.q_heads, size = args.head_size;
    args.q = view<const float>(q.data(), false, heads, args.q_length, size);
    args.k = view<const float>(k.data(), false, heads, args.kv_length, size);
    args.v = view<const float>(v.data(), false, heads, args.kv_length, size);
    args.y = view<float>(y.data(), false, heads, args.q_length, size);
    const AttentionTable& kernels = table(tier).attention;
    const AttentionPlan plan = kernels.plan.fn(args);
    std::vector<float> scratch(attention_scratch_bytes(plan, threads) / sizeof(float) + 16);
    args.scratch = reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(scratch.data()) + 63) / 64 * 64);
    Team team(threads);
    attention(team, kernels, args, plan);
  }
};

// The definition, in double.
std::vector<double> expected_row(const Problem& p, const AttentionArgs& a, std::int64_t b, std::int64_t h,
                                 std::int64_t i) {
  const std::int64_t kv = h / (p.q_heads / p.kv_heads);
  const float* q = a.q.data + b * a.q.batch + h * a.q.head + i * a.q.row;
  std::int64_t keys = p.kv_length, place = p.first + i;
  if (!p.lengths.empty()) {
    place = p.lengths[static_cast<std::size_t>(b)] - p.q_length + i;
    keys = std::min(keys, p.lengths[static_cast<std::size_t>(b)]);
  }
  std::vector<double> y(static_cast<std::size_t>(p.v_head_size)),
      scores(static_cast<std::size_t>(p.kv_length), kHidden);
  double peak = kHidden, sum = 0;
  for (std::int64_t t = 0; t < keys; ++t) {
    double& x = scores[static_cast<std::size_t>(t)];
    if (p.causal && t > place) continue;
    double bias = 0;
    if (p.mask != MaskKind::none) {
      const std::int64_t at = b * a.mask.batch + h * a.mask.head + i * a.mask.row + t * a.mask.column;
      if (t >= a.mask.length) continue;
      bias = p.mask == MaskKind::bias ? static_cast<double>(a.mask.bias[at]) : a.mask.visible[at] ? 0 : kHidden;
    }
    const float* k = a.k.data + b * a.k.batch + kv * a.k.head + t * a.k.row;
    x = 0;
    for (std::int64_t j = 0; j < p.head_size; ++j) x += static_cast<double>(q[j]) * static_cast<double>(k[j]);
    x *= static_cast<double>(a.scale);
    if (p.softcap != 0) x = p.softcap * std::tanh(x / p.softcap);
    x += bias;
    peak = std::max(peak, x);
  }
  if (peak == kHidden) return y;
  for (double& x : scores) sum += x = std::exp(x - peak);
  for (std::int64_t t = 0; t < keys; ++t) {
    const float* v = a.v.data + b * a.v.batch + kv * a.v.head + t * a.v.row;
    for (std::int64_t j = 0; j < p.v_head_size; ++j)
      y[static_cast<std::size_t>(j)] += scores[static_cast<std::size_t>(t)] / sum * static_cast<double>(v[j]);
  }
  return y;
}

class Attention : public ::testing::TestWithParam<Tier> {
 protected:
  // Runs a problem on operands that end at guard pages.
  void check(const Problem& p, Edge edge = Edge::kBack) {
    const AttentionTable& kernels = table(GetParam()).attention;
    Team team(2);
    Random random(static_cast<std::uint64_t>(p.q_length * 31 + p.kv_length * 7 + p.head_size));
    const auto count = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    GuardedBuffer<float> q(random.floats(count(p.batch * p.q_heads * p.q_length * p.head_size), -2, 2), edge);
    GuardedBuffer<float> k(random.floats(count(p.batch * p.kv_heads * p.kv_length * p.head_size), -2, 2), edge);
    GuardedBuffer<float> v(random.floats(count(p.batch * p.kv_heads * p.kv_length * p.v_head_size)), edge);
    GuardedBuffer<float> y(count(p.batch * p.q_heads * p.q_length * p.v_head_size), edge);
    GuardedBuffer<std::int64_t> lengths(p.lengths, edge);
    AttentionArgs a;
    a.batch = p.batch, a.q_heads = p.q_heads, a.kv_heads = p.kv_heads, a.q_length = p.q_length;
    a.kv_length = p.kv_length, a.head_size = p.head_size, a.v_head_size = p.v_head_size;
    a.q = view<const float>(q.data(), p.packed, p.q_heads, p.q_length, p.head_size);
    a.k = view<const float>(k.data(), p.packed, p.kv_heads, p.kv_length, p.head_size);
    a.v = view<const float>(v.data(), p.packed, p.kv_heads, p.kv_length, p.v_head_size);
    a.y = view<float>(y.data(), p.packed, p.q_heads, p.q_length, p.v_head_size);
    a.scale = p.scale;
    a.softcap = p.softcap;
    a.causal = p.causal;
    a.first = p.first;
    if (!p.lengths.empty()) a.lengths = lengths.data();
    const auto* e = p.mask_extents;
    const std::size_t masks = p.mask == MaskKind::none ? 0 : count(e[0] * e[1] * e[2] * e[3]);
    std::vector<float> bias = random.floats(masks, -3, 3);
    std::vector<std::uint8_t> visible(masks);
    for (std::size_t i = 0; i < masks; ++i) {
      if (random.integer(0, 3) == 0) bias[i] = static_cast<float>(kHidden);
      visible[i] = static_cast<std::uint8_t>(random.integer(0, 3) != 0);
    }
    GuardedBuffer<float> bias_buffer(bias, edge);
    GuardedBuffer<std::uint8_t> visible_buffer(visible, edge);
    if (p.mask != MaskKind::none) {
      if (p.mask == MaskKind::bias) a.mask.bias = bias_buffer.data();
      if (p.mask == MaskKind::visible) a.mask.visible = visible_buffer.data();
      std::int64_t step = 1, *strides[] = {&a.mask.batch, &a.mask.head, &a.mask.row, &a.mask.column};
      for (int d = 3; d >= 0; step *= e[d], --d) *strides[d] = e[d] == 1 ? 0 : step;
      a.mask.length = e[3];
    }
    const AttentionPlan plan = kernels.plan.fn(a);
    const std::size_t bytes = attention_scratch_bytes(plan, team.threads());
    std::vector<float> scratch(bytes / sizeof(float) + 16, std::numeric_limits<float>::quiet_NaN());
    a.scratch = reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(scratch.data()) + 63) / 64 * 64);
    attention(team, kernels, a, plan);
    // In split bf16: what a score is off by, whose terms are random.
    const double term = static_cast<double>(a.scale) * std::sqrt(static_cast<double>(a.head_size));
    const double tolerance = 4e-6 + (plan.split ? term * kSplitError / 2 : 0);
    for (std::int64_t b = 0; b < p.batch; ++b)
      for (std::int64_t h = 0; h < p.q_heads; ++h)
        for (std::int64_t i = 0; i < p.q_length; ++i) {
          const auto want = expected_row(p, a, b, h, i);
          const float* got = a.y.data + b * a.y.batch + h * a.y.head + i * a.y.row;
          for (std::int64_t j = 0; j < p.v_head_size; ++j)
            ASSERT_NEAR(got[j], want[static_cast<std::size_t>(j)], tolerance)
                << "entry " << b << ", head " << h << ", query " << i << " of " << p.q_length << ", element " << j
                << " of " << p.v_head_size << ", keys " << p.kv_length << ", head size " << p.head_size;
        }
  }
};

TEST_P(Attention, EveryLengthOfQueriesAndKeys) {
  for (const Edge edge : kEdges) {
    for (std::int64_t n = 1; n <= 70; ++n) {
      check({.q_length = n, .kv_length = 9, .head_size = 5, .v_head_size = 4}, edge);
      check({.q_length = 3, .kv_length = n, .head_size = 8, .v_head_size = 16}, edge);
      check({.q_length = 6, .kv_length = n, .head_size = 8, .v_head_size = 16, .causal = true}, edge);
    }
  }
}

TEST_P(Attention, EveryHeadSize) {
  for (const Edge edge : kEdges) {
    for (std::int64_t n = 1; n <= 70; ++n) {
      check({.q_length = 2, .kv_length = 5, .head_size = n, .v_head_size = n}, edge);
      check({.q_length = 7, .kv_length = 11, .head_size = n, .v_head_size = 71 - n}, edge);
    }
  }
}

TEST_P(Attention, ManyBlocks) {
  check({.q_length = 150, .kv_length = 300, .head_size = 16, .v_head_size = 24});
  check({.q_length = 150, .kv_length = 300, .head_size = 16, .v_head_size = 24, .causal = true, .first = 150});
  check({.q_length = 300, .kv_length = 300, .head_size = 16, .v_head_size = 24, .causal = true});
  check({.q_length = 2, .kv_length = 700, .head_size = 16, .v_head_size = 24, .softcap = 2});
  check({.q_length = 65, .kv_length = 260, .head_size = 16, .v_head_size = 24, .softcap = 0.5});
}

TEST_P(Attention, HeadsAndLayouts) {
  for (const bool packed : {false, true}) {
    for (const std::int64_t q_length : {1, 3, 20}) {
      check({.batch = 2,
             .q_heads = 6,
             .kv_heads = 6,
             .q_length = q_length,
             .kv_length = 13,
             .head_size = 8,
             .v_head_size = 10,
             .packed = packed});
      check({.batch = 2,
             .q_heads = 6,
             .kv_heads = 2,
             .q_length = q_length,
             .kv_length = 13,
             .head_size = 8,
             .v_head_size = 16,
             .packed = packed,
             .causal = true,
             .first = 5});
      check({.batch = 2,
             .q_heads = 24,
             .kv_heads = 2,
             .q_length = q_length,
             .kv_length = 140,
             .head_size = 8,
             .v_head_size = 16,
             .packed = packed});
    }
  }
}

TEST_P(Attention, LengthsOfBatchEntries) {
  for (const bool causal : {false, true}) {
    for (const std::int64_t q_length : {1, 3, 9}) {
      // More than there are, fewer than the queries, none.
      check({.batch = 4,
             .q_heads = 4,
             .kv_heads = 2,
             .q_length = q_length,
             .kv_length = 150,
             .head_size = 8,
             .v_head_size = 8,
             .causal = causal,
             .lengths = {150, 140, 2, 0}});
    }
  }
}

TEST_P(Attention, Masks) {
  for (const MaskKind kind : {MaskKind::bias, MaskKind::visible}) {
    for (const Edge edge : kEdges) {
      for (const std::int64_t q_length : {1, 3, 37}) {
        Problem p{.batch = 2,
                  .q_heads = 6,
                  .kv_heads = 2,
                  .q_length = q_length,
                  .kv_length = 150,
                  .head_size = 8,
                  .v_head_size = 8,
                  .mask = kind,
                  .mask_extents = {2, 6, q_length, 150}};
        check(p, edge);
        p.causal = true, p.first = 113;
        check(p, edge);
        p.mask_extents[1] = 1;
        check(p, edge);
        p.mask_extents[0] = p.mask_extents[2] = 1;
        check(p, edge);
        p.mask_extents[3] = 131;
        check(p, edge);
        p.mask_extents[2] = q_length, p.mask_extents[3] = 1;
        check(p, edge);
      }
    }
  }
}

// Sizes from which AMX multiplies in split bf16.
TEST_P(Attention, LargeHeads) {
  const Problem large{.q_length = 56, .kv_length = 150, .head_size = 40, .v_head_size = 40, .scale = 0.25f};
  for (const Edge edge : kEdges) {
    for (const std::int64_t q_length : {9, 17, 40, 56, 63, 64, 65, 100}) {
      for (const std::int64_t kv_length : {96, 127, 128, 129, 160, 257}) {
        Problem p = large;
        p.q_length = q_length, p.kv_length = kv_length;
        check(p, edge);
        p.causal = true;
        check(p, edge);
        p.first = kv_length - q_length;
        check(p, edge);
      }
    }
    for (const std::int64_t size : {32, 33, 47, 48, 49, 64, 65, 100}) {
      Problem p = large;
      p.head_size = size;
      check(p, edge);
      p.v_head_size = size, p.head_size = 132 - size;
      check(p, edge);
    }
  }
  Problem many = large;
  many.q_length = 1100, many.kv_length = 200, many.q_heads = 8, many.kv_heads = 8;
  check(many);
  Problem p = large;
  p.batch = 2, p.q_heads = 4, p.kv_heads = 2;
  for (const bool packed : {false, true}) {
    p.packed = packed;
    check(p);
    p.softcap = 2;
    check(p);
    p.softcap = 0;
  }
  p.lengths = {150, 30};
  check(p);
  p.causal = true;
  check(p);
  p.lengths.clear(), p.causal = false;
  for (const MaskKind kind : {MaskKind::bias, MaskKind::visible}) {
    for (const std::int64_t rows : {std::int64_t{1}, p.q_length}) {
      for (const std::int64_t columns : {1, 131, 150}) {
        Problem q = p;
        q.mask = kind;
        std::copy_n(std::initializer_list<std::int64_t>{2, rows, rows, columns}.begin(), 4, q.mask_extents);
        if (rows > 1) q.mask_extents[1] = q.q_heads;
        check(q, Edge::kFront);
        check(q, Edge::kBack);
        q.causal = true, q.first = 113;
        check(q);
      }
    }
  }
  p.q_length = 100, p.causal = true, p.first = -70;  // whole strips of rows that see nothing
  check(p);
}

TEST_P(Attention, WhatIsNoNumberStaysInItsRow) {
  Heads h(1, 60, 130, 32);
  h.q[11 * 32 + 3] = std::numeric_limits<float>::quiet_NaN();
  h.q[21 * 32 + 3] = std::numeric_limits<float>::infinity();
  h.run(GetParam(), 1);
  for (std::size_t i = 0; i < h.y.size(); ++i) EXPECT_EQ(std::isnan(h.y[i]), i / 32 == 11 || i / 32 == 21) << i;
}

// The least number hides keys from rows that see others, and none from those that see no others.
TEST_P(Attention, TheLeastNumberAsBias) {
  constexpr std::size_t kKeys = 130, kSize = 32;
  for (const std::size_t q_length : {3, 20, 60}) {
    Heads h(1, q_length, kKeys, kSize);
    std::vector<float> bias(q_length * kKeys, std::numeric_limits<float>::lowest());
    bias[2 * kKeys + 100] = 0;
    h.args.mask = {.bias = bias.data(), .row = kKeys, .column = 1, .length = kKeys};
    h.run(GetParam(), 1);
    for (std::size_t j = 0; j < kSize; ++j) {
      double mean = 0;
      for (std::size_t t = 0; t < kKeys; ++t) mean += static_cast<double>(h.v[t * kSize + j]) / kKeys;
      EXPECT_NEAR(h.y[j], mean, 1e-5) << q_length << " " << j;
      EXPECT_NEAR(h.y[2 * kSize + j], h.v[100 * kSize + j], 1e-5) << q_length << " " << j;
    }
  }
}

TEST_P(Attention, HiddenRowsAreZero) {
  for (const std::int64_t q_length : {3, 20}) {
    check({.q_length = q_length, .kv_length = 8, .head_size = 4, .v_head_size = 4, .causal = true, .first = -2});
    check({.q_length = q_length, .kv_length = 300, .head_size = 4, .v_head_size = 4, .causal = true, .first = -2});
  }
}

TEST_P(Attention, HiddenRowsAreWhatIsAskedFor) {
  for (const std::size_t q_length : {3, 20}) {
    Heads h(1, q_length, 3, 4);
    h.args.causal = true, h.args.first = -2, h.args.hidden_rows = std::numeric_limits<float>::quiet_NaN();
    h.run(GetParam(), 1);
    for (std::size_t i = 0; i < h.y.size(); ++i) EXPECT_EQ(std::isnan(h.y[i]), i < 8) << i;
  }
}

TEST_P(Attention, TheSameBitsOnAnyNumberOfThreads) {
  Heads h(5, 150, 150, 36);
  h.run(GetParam(), 1);
  const std::vector<float> alone = h.y;
  h.run(GetParam(), 3);
  EXPECT_EQ(alone, h.y);
}

INSTANTIATE_TEST_SUITE_P(Tiers, Attention, ::testing::ValuesIn(machine_tiers(Tier::amx)),
                         [](const auto& p) { return std::string(tier_name(p.param)); });

}  // namespace
}  // namespace tc::kernels
