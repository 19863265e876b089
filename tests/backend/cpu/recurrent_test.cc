// Sequences longer than the steps whose inputs are multiplied at a time, every direction, weights fixed and given.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compare.h"
#include "tc/backend/cpu/bind/byte_grid.h"
#include "tc/ir/builder.h"

namespace tc {
namespace {

Tensor waves(Extents e, float scale, float phase) {
  Tensor t(DType::f32, std::move(e));
  int i = 0;
  for (float& x : t.mutable_span<float>()) x = scale * std::sin(0.37F * static_cast<float>(i++) + phase);
  return t;
}

template <class Op>
void check(RnnDirection direction, bool fixed_weights, int64_t time, int64_t batch, attrs_t<Op> attrs = {},
           const Tensor& recurrent = {}, const std::vector<int32_t>& lengths = {}) {
  constexpr int64_t kGates = std::is_same_v<Op, LSTM> ? 4 : std::is_same_v<Op, GRU> ? 3 : 1, kFeatures = 5;
  const int64_t hidden = recurrent.size() ? recurrent.extent(2) : 19;
  const int64_t d = direction == RnnDirection::bidirectional ? 2 : 1;
  attrs.direction = direction;
  Module m;
  Builder b(m.main());
  const Tensor w = waves({d, kGates * hidden, kFeatures}, 0.5F, 1),
               r = recurrent.size() ? recurrent : waves({d, kGates * hidden, hidden}, 0.3F, 2),
               bias = waves({d, 2 * kGates * hidden}, 0.2F, 3);
  std::vector<Value*> operands{
      m.main().add_input(Type::tensor(DType::f32, Shape({Dim::symbol("time"), Dim::symbol("batch"), kFeatures})), "x")};
  std::vector<Datum> inputs{waves({time, batch, kFeatures}, 1, 0)};
  std::vector<Tensor> given{w, r, bias};
  if (!lengths.empty()) {
    Tensor t(DType::i32, {batch});
    std::copy(lengths.begin(), lengths.end(), t.mutable_span<int32_t>().begin());
    given.push_back(t);
  }
  for (const Tensor& t : given) {
    operands.push_back(fixed_weights ? b.constant(t) : m.main().add_input(t.type(), cat("w", operands.size())));
    if (!fixed_weights) inputs.emplace_back(t);
  }
  constexpr int kResults = std::is_same_v<Op, LSTM> ? 3 : 2;
  Node* n = b.make_n<Op>(operands, std::move(attrs), kResults);
  std::vector<Value*> results;
  for (int i = 0; i < kResults; ++i) results.push_back(n->result(i));
  m.main().set_outputs(results);
  const bool valid = std::all_of(lengths.begin(), lengths.end(), [&](int32_t l) { return l <= time; });
  const std::vector<Datum> truth = valid ? widened(m, inputs) : std::vector<Datum>{};
  for (const kernels::Tier tier : machine_tiers()) {
    CompileOptions options;
    options.isa = tier;
    const auto executable = compiled(m, options);
    std::vector<Datum> first;
    for (const int threads : {1, 2, 4}) {
      const auto context = executable->make_context(threads);
      if (!valid) {
        EXPECT_THROW(executable->run(inputs, *context), Error);
        continue;
      }
      std::vector<Datum> out = executable->run(inputs, *context);
      EXPECT_EQ(differences(out, truth), "") << time << " steps of " << batch << ", " << threads << " threads";
      if (threads == 1)
        first = std::move(out);
      else
        for (size_t i = 0; i < out.size(); ++i) EXPECT_TRUE(identical(out[i], first[i]));
    }
  }
}

TEST(Recurrent, LongSequences) {
  for (const bool fixed : {false, true})
    for (const RnnDirection direction : {RnnDirection::forward, RnnDirection::reverse, RnnDirection::bidirectional})
      for (const auto& [time, batch] :
           std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {70, 3}, {300, 1}, {2, 150}, {33, 19}}) {
        check<LSTM>(direction, fixed, time, batch);
        check<GRU>(direction, fixed, time, batch);
        check<GRU>(direction, fixed, time, batch, {.linear_before_reset = true});
        check<RNN>(direction, fixed, time, batch);
        check<RNN>(direction, fixed, time, batch,
                   {.activations = std::vector<std::string>(direction == RnnDirection::bidirectional ? 2 : 1, "relu")});
      }
}

TEST(Recurrent, SequencesThatEndBefore) {
  const std::vector<int32_t> lengths{9, 0, 4, 12, 1};
  for (const bool fixed : {false, true})
    for (const RnnDirection direction : {RnnDirection::forward, RnnDirection::reverse, RnnDirection::bidirectional}) {
      check<LSTM>(direction, fixed, 12, 5, {}, {}, lengths);
      check<GRU>(direction, fixed, 12, 5, {}, {}, lengths);
      check<GRU>(direction, fixed, 12, 5, {.linear_before_reset = true}, {}, lengths);
      check<RNN>(direction, fixed, 12, 5, {}, {}, lengths);
    }
  check<GRU>(RnnDirection::forward, false, 3, 2, {}, {}, {3, 4});
}

// Extents that only a run tells.
TEST(Recurrent, OperandsOfAnotherBatch) {
  Module m;
  Builder b(m.main());
  const auto input = [&](DType t, std::vector<Dim> dims, const char* name) {
    return m.main().add_input(Type::tensor(t, Shape(dims)), name);
  };
  const std::vector<Value*> operands{
      input(DType::f32, {Dim::symbol("time"), Dim::symbol("batch"), 5}, "x"),
      b.constant(waves({1, 3 * 19, 5}, 0.5F, 1)),
      b.constant(waves({1, 3 * 19, 19}, 0.3F, 2)),
      b.constant(waves({1, 2 * 3 * 19}, 0.2F, 3)),
      input(DType::i32, {Dim::symbol("sequences")}, "lengths"),
      input(DType::f32, {1, Dim::symbol("states"), 19}, "h"),
  };
  m.main().set_outputs(std::vector{b.make_n<GRU>(operands, {}, 2)->result(1)});
  const auto executable = compiled(m, {});
  const auto run = [&](int64_t lengths, int64_t states) {
    const auto context = executable->make_context(1);
    executable->run({waves({4, 3, 5}, 1, 0), Tensor(DType::i32, {lengths}), waves({1, states, 19}, 1, 0)}, *context);
  };
  EXPECT_NO_THROW(run(3, 3));
  EXPECT_THROW(run(2, 3), Error);
  EXPECT_THROW(run(3, 4), Error);
}

// What kernels refuse, in terms of ops that have them.
TEST(Recurrent, FunctionsAndBoundsOfTheirOwn) {
  check<LSTM>(RnnDirection::forward, true, 7, 3, {.activations = {"HardSigmoid", "Tanh", "Relu"}});
  check<LSTM>(RnnDirection::reverse, true, 7, 3, {.clip = 0.4}, {}, {7, 2, 3});
  check<GRU>(RnnDirection::bidirectional, true, 7, 3, {.clip = 0.4});
}

// A step of its own for each direction.
TEST(Recurrent, WeightsThatFitBytes) {
  Tensor r = waves({2, 4 * 260, 260}, 127, 2);
  const auto values = r.mutable_span<float>();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::nearbyint(values[i]) * (i < values.size() / 2 ? 0.0003F : 0.0005F);
  for (const auto& [time, batch] : std::vector<std::pair<int64_t, int64_t>>{{9, 1}, {5, 3}, {2, 40}, {10, 16}})
    check<LSTM>(RnnDirection::bidirectional, true, time, batch, {}, r);
}

TEST(Recurrent, StepsOfBytes) {
  using Floats = std::vector<float>;
  const auto step = [](const Floats& values) { return cpu::byte_step(values); };
  EXPECT_EQ(step({0, 0.5F, -1, 63.5F, -64}), 0.5F);
  EXPECT_EQ(step({0.1F, 0.1F * 3, -0.1F * 7}), 0.1F);  // as f32 rounds the products
  EXPECT_EQ(step({1, 128}), std::nullopt);
  EXPECT_EQ(step({1, 2.5F}), std::nullopt);
  EXPECT_EQ(step({0, 0}), std::nullopt);
  EXPECT_EQ(step({}), std::nullopt);
  EXPECT_EQ(step({1, std::numeric_limits<float>::infinity()}), std::nullopt);
  EXPECT_EQ(step({1, std::numeric_limits<float>::quiet_NaN()}), std::nullopt);
  EXPECT_EQ(step({1e-40F, 2e-40F}), std::nullopt);
}

}  // namespace
}  // namespace tc
