#include "tc/kernels/rnn/rnn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "guard.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::kEdges;
using testing::machine_tiers;
using testing::Random;

class Rnn : public ::testing::TestWithParam<Tier> {};

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// One step against the cell's definition in double precision.
enum class Factors { floats, split_bf16, bytes, fixed };

void check_lstm(const Table& kernels, Team& team, int64_t rows, int64_t hidden, bool peepholes, Factors factors,
                Edge edge) {
  const bool split_bf16 = factors == Factors::split_bf16;
  Random random(static_cast<uint64_t>(rows * 1000 + hidden));
  const int64_t width = lstm_blocks(hidden) * kLstmGates;
  const auto state = static_cast<size_t>(rows * hidden);
  // The gates of unit u stand at `column(u, gate)`; units beyond the last one are zero.
  const auto column = [](int64_t u, int64_t gate) {
    return static_cast<size_t>(u / kLstmUnits * kLstmGates + gate * kLstmUnits + u % kLstmUnits);
  };
  std::vector<float> x(static_cast<size_t>(rows * width)), weights(static_cast<size_t>(hidden * width));
  for (std::vector<float>* m : {&x, &weights})
    for (size_t row = 0; row < m->size(); row += static_cast<size_t>(width))
      for (int64_t u = 0; u < hidden; ++u)
        for (int64_t gate = 0; gate < 4; ++gate)
          (*m)[row + column(u, gate)] = static_cast<float>(random.uniform(-1, 1));
  constexpr float kStep = 0.007f;
  if (factors == Factors::bytes)
    for (float& w : weights) w = kStep * std::nearbyint(w * 128 - 0.5f);
  GuardedBuffer<float> gates(x, edge), before(random.floats(state), edge), c(random.floats(state), edge),
      h(state, edge), peephole(random.floats(static_cast<size_t>(3 * hidden)), edge),
      packed(static_cast<size_t>(gemm_packed_floats(kernels.gemm.traits.fn(), hidden, width)), edge);
  gemm_pack(team, kernels.gemm, weights.data(), width, 1, hidden, width, packed.data());
  const std::vector<float> old(c.begin(), c.end());
  LstmArgs args{.rows = rows,
                .hidden = hidden,
                .gates = gates.data(),
                .packed = packed.data(),
                .before = before.data(),
                .peephole = peepholes ? peephole.data() : nullptr,
                .c = c.data(),
                .h = h.data()};
  GuardedBuffer<float> weight_halves(static_cast<size_t>(lstm_split_bytes(width, hidden) / 4), Edge::kBack),
      before_halves(static_cast<size_t>(lstm_split_bytes(rows, hidden) / 4), Edge::kBack),
      h_halves(before_halves.size(), Edge::kBack), expected_halves(before_halves.size(), Edge::kBack);
  const auto bytes_of = [](GuardedBuffer<float>& b) { return reinterpret_cast<std::byte*>(b.data()); };
  if (split_bf16) {
    auto* to = bytes_of(weight_halves);
    for (int64_t block = 0; block < lstm_blocks(hidden); ++block)
      kernels.rnn.split_weights.fn(packed.data(), hidden, block, to);
    kernels.rnn.split_state.fn(before.data(), rows, hidden, bytes_of(before_halves));
    args.weight_split = to, args.before_split = bytes_of(before_halves), args.h_split = bytes_of(h_halves);
  }
  GuardedBuffer<int8_t> packed_bytes(packed.size(), edge);
  if (factors == Factors::bytes) {
    std::transform(packed.begin(), packed.end(), packed_bytes.begin(),
                   [](float w) { return static_cast<int8_t>(std::nearbyint(w / kStep)); });
    args.packed = nullptr, args.packed_bytes = packed_bytes.data(), args.byte_step = kStep;
  }
  const GemmTraits traits = kernels.gemm.traits.fn();
  GuardedBuffer<float> packed_fixed(static_cast<size_t>(gemm_packed_floats(traits, hidden, width, GemmForm::int22)),
                                    edge);
  if (factors == Factors::fixed) {
    gemm_pack(team, kernels.gemm, weights.data(), width, 1, hidden, width, packed_fixed.data(), GemmForm::int22);
    ASSERT_TRUE(gemm_fixed_holds(traits, packed_fixed.data(), hidden, width)) << hidden;
    args.packed = nullptr, args.packed_fixed = packed_fixed.data();
  }
  args.downwards = edge == Edge::kBack;
  lstm_step(team, kernels.rnn, args, /*alone=*/args.downwards);
  if (split_bf16) {
    kernels.rnn.split_state.fn(h.data(), rows, hidden, bytes_of(expected_halves));
    ASSERT_EQ(std::memcmp(h_halves.data(), expected_halves.data(), h_halves.size() * sizeof(float)), 0)
        << rows << "x" << hidden;
  }
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t u = 0; u < hidden; ++u) {
      double sum[4];
      for (int64_t gate = 0; gate < 4; ++gate) {
        sum[gate] = x[static_cast<size_t>(r * width) + column(u, gate)];
        for (int64_t k = 0; k < hidden; ++k)
          sum[gate] += static_cast<double>(before[static_cast<size_t>(r * hidden + k)]) *
                       weights[static_cast<size_t>(k * width) + column(u, gate)];
      }
      const auto at = static_cast<size_t>(r * hidden + u);
      const auto look = [&](int64_t gate) {
        return peepholes ? static_cast<double>(peephole[static_cast<size_t>(gate * hidden + u)]) : 0.0;
      };
      const double cell =
          sigmoid(sum[2] + look(2) * old[at]) * old[at] + sigmoid(sum[0] + look(0) * old[at]) * std::tanh(sum[3]);
      // Factors are 0.5 on average.
      const double tolerance = 4e-6 * std::sqrt(static_cast<double>(hidden) + 1) +
                               (split_bf16 ? 0.25 * kSplitError * static_cast<double>(hidden + 2) : 0);
      ASSERT_NEAR(c[at], cell, tolerance) << rows << "x" << hidden << " row " << r << " unit " << u;
      ASSERT_NEAR(h[at], sigmoid(sum[1] + look(1) * cell) * std::tanh(cell), tolerance) << rows << "x" << hidden;
    }
}

TEST_P(Rnn, LstmStep) {
  Team team(2);
  for (const Edge edge : kEdges)
    for (const bool peepholes : {false, true})
      for (const int64_t hidden : {1, 15, 16, 19, 40, 130})  // 130: two pieces of the inner axis
        for (const int64_t rows : {1, 2, 3, 7, 70}) {
          const Table& kernels = table(GetParam());
          check_lstm(kernels, team, rows, hidden, peepholes, Factors::floats, edge);
          check_lstm(kernels, team, rows, hidden, peepholes, Factors::bytes, edge);
          if (rows <= kMostFixedLstmRows) check_lstm(kernels, team, rows, hidden, peepholes, Factors::fixed, edge);
          if (kernels.rnn.split_weights.fn)
            check_lstm(kernels, team, rows, hidden, peepholes, Factors::split_bf16, edge);
        }
}

INSTANTIATE_TEST_SUITE_P(Tiers, Rnn, ::testing::ValuesIn(machine_tiers(Tier::amx)),
                         [](const auto& tier) { return tier_name(tier.param); });

}  // namespace
}  // namespace tc::kernels
