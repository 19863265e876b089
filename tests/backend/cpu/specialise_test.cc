// Plans that are made when the same extents and small integers come again.
#include "tc/backend/cpu/run/specialise.h"

#include <gtest/gtest.h>

#include <thread>

#include "compare.h"
#include "tc/ir/text/parse.h"

namespace tc {
namespace {

// The rank of %s depends on data; where %mode is 1 the product asks for rows of 3.
constexpr const char* kBranches = R"(graph @main(%x: f32[N,M], %mode: i64[]) {
  %one = constant dense<1> : i64[]
  %axes = constant dense<[1]> : i64[1]
  %w = constant dense<[[1, 2], [3, 4], [5, 6]]> : f32[3,2]
  %is = equal %mode, %one
  %s = if %is (@then {
    %p = matmul %x, %w
    return %p
  }, @else {
    %t = reduce_sum %x, %axes {keepdims = false}
    return %t
  })
  %y = softmax %s
  %z = tanh %y
  return %z
}
)";

std::vector<Datum> inputs(int64_t rows, int64_t columns, int64_t mode) {
  Tensor x(DType::f32, {rows, columns});
  int i = 0;
  for (float& v : x.mutable_span<float>()) v = static_cast<float>(i++ % 7) * 0.25F - 0.5F;
  return {x, Tensor::scalar<int64_t>(mode)};
}

TEST(Specialise, ResultsStayWhenInputsComeAgain) {
  const auto module = parse_module(kBranches, "program");
  const auto executable = compiled(*module, {});
  ASSERT_TRUE(cpu::Specialisations::useful_for(executable->graph()));
  const auto context = executable->make_context(1);
  // More kinds of inputs than plans are kept for, in an order in which they come again; with five columns the branch
  // that is not taken contradicts the extents.
  for (int round = 0; round < 4; ++round)
    for (int64_t rows = 1; rows < 8; ++rows)
      for (const int64_t mode : {0, 1}) {
        const auto in = inputs(rows, mode ? 3 : 5, mode);
        EXPECT_EQ(differences(executable->run(in, *context), widened(*module, in)), "")
            << rows << " rows, mode " << mode << ", round " << round;
      }
}

TEST(Specialise, ErrorsStay) {
  const auto executable = compiled(*parse_module(kBranches, "program"), {});
  const auto context = executable->make_context(1);
  for (int round = 0; round < 4; ++round) EXPECT_THROW(executable->run(inputs(2, 5, 1), *context), Error) << round;
  for (int round = 0; round < 3; ++round) EXPECT_EQ(executable->run(inputs(2, 5, 0), *context).size(), 1U);
}

TEST(Specialise, ContextsShareThePlan) {
  const auto module = parse_module(kBranches, "program");
  const auto executable = compiled(*module, {});
  const auto in = inputs(4, 3, 1);
  const auto expected = widened(*module, in);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const auto context = executable->make_context(1);
      for (int i = 0; i < 5; ++i) EXPECT_EQ(differences(executable->run(in, *context), expected), "");
    });
  for (auto& t : threads) t.join();
}

TEST(Specialise, KeepsFewPlans) {
  const auto module = parse_module(kBranches, "program");
  cpu::Specialisations special;
  int made = 0;
  const auto find = [&](int64_t rows) {
    return special.find(
        *module, inputs(rows, 3, 1), [](Module&) {},
        [&](const Module&) {
          ++made;
          return std::make_unique<cpu::Plan>();
        });
  };
  EXPECT_EQ(find(1), nullptr);  // not seen before
  const cpu::Plan* first = find(1);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(find(1), first);
  EXPECT_EQ(made, 1);
  for (int64_t rows = 2; rows < 40; ++rows) find(rows), find(rows);
  EXPECT_EQ(made, static_cast<int>(cpu::Specialisations::kMostPlans));
  EXPECT_EQ(find(1), first);
  EXPECT_EQ(find(39), nullptr);
}

TEST(Specialise, ClustersStayClosedWhenTheProgramIsOptimisedAgain) {
  // The constant is read inside a cluster and, where the rank is unknown at first, outside.
  const auto module = parse_module(R"(graph @main(%x: f32[N,M], %k: f32[N,M]) {
  %c = constant dense<255.0> : f32[]
  %s = squeeze %x
  %l = div %s, %c
  %m = mul %k, %k
  %d = div %m, %c
  return %l, %d
}
)",
                                   "program");
  const std::vector<Datum> in{inputs(2, 3, 0)[0], inputs(2, 3, 1)[0]};
  expect_agreement(*module, {in, in, in});
}

TEST(Specialise, APlanThatFailedIsNotTakenAgain) {
  const auto module = parse_module(kBranches, "program");
  cpu::Specialisations special;
  const auto find = [&] {
    return special.find(
        *module, inputs(2, 3, 1), [](Module&) {}, [](const Module&) { return std::make_unique<cpu::Plan>(); });
  };
  EXPECT_EQ(find(), nullptr);
  const cpu::Plan* plan = find();
  ASSERT_NE(plan, nullptr);
  special.give_up(plan);
  EXPECT_EQ(find(), nullptr);
}

TEST(Specialise, OnlyWhereARankIsUnknown) {
  const auto module = parse_module("graph @main(%x: f32[N,3]) { %y = tanh %x \n return %y }", "program");
  EXPECT_FALSE(cpu::Specialisations::useful_for(compiled(*module, {})->graph()));
}

}  // namespace
}  // namespace tc
