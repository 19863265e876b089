// Values that a step hands on without a copy must outlive later steps that work in place. Each program makes a value by
// a kernel, hands it on by a reference body or a region, and lets a later step take over the first one's memory.
#include "tc/backend/cpu/run/alias_check.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "compare.h"
#include "tc/backend/cpu/bind/bind.h"
#include "tc/ir/text/parse.h"
#include "tc/kernels/cpu.h"

namespace tc {
namespace {

// The whole program of tests runs with the check on.
const int kCheckOn = setenv("TC_CHECK", "alias", 1);

Tensor ramp(Extents e) {
  Tensor t(DType::f32, std::move(e));
  float x = -1.25F;
  for (float& v : t.mutable_span<float>()) v = x, x += 0.25F;
  return t;
}

void expect_right(const char* text, const std::vector<Datum>& inputs) {
  const auto module = parse_module(text, "program");
  expect_agreement(*module, {inputs, inputs, inputs});
}

TEST(Alias, ViewThatOnlyTheRunKnows) {
  expect_right(R"(graph @main(%x: f32[N,M], %shape: i64[R]) {
  %a = exp %x
  %v = reshape %a, %shape
  %b = neg %a
  %c = tanh %v
  return %b, %c, %v
}
)",
               {ramp({4, 3}), Tensor::of<int64_t>({3}, {2, 3, 2})});
}

TEST(Alias, SqueezeOfWhateverIsOne) {
  expect_right(R"(graph @main(%x: f32[N,M]) {
  %a = exp %x
  %v = squeeze %a
  %b = neg %a
  %c = tanh %v
  return %b, %c, %v
}
)",
               {ramp({1, 5})});
}

TEST(Alias, BranchThatGivesAValueFromOutside) {
  for (const bool taken : {true, false})
    expect_right(R"(graph @main(%x: f32[N], %p: bool[]) {
  %a = exp %x
  %v = if %p (@same {
    return %a
  }, @other {
    %n = tanh %a
    return %n
  })
  %b = neg %a
  %c = tanh %v
  return %b, %c, %v
}
)",
                 {ramp({6}), Tensor::scalar<Bool>(Bool(taken))});
}

TEST(Alias, LoopThatPassesItsStateOn) {
  for (const int64_t trips : {0, 1, 3})
    expect_right(R"(graph @main(%x: f32[N], %trips: i64[]) {
  %a = exp %x
  %v, %w = loop %trips, _, %a, %x (@body (%i: i64[], %go: bool[], %s: f32[N], %t: f32[N]) {
    %u = add %t, %s
    return %go, %s, %u
  }) : f32[N], f32[N]
  %b = neg %a
  %c = tanh %v
  return %b, %c, %v, %w
}
)",
                 {ramp({6}), Tensor::scalar<int64_t>(trips)});
}

TEST(Alias, BranchInABranch) {
  expect_right(R"(graph @main(%x: f32[N], %p: bool[]) {
  %a = exp %x
  %v, %w = if %p (@outer {
    %u = if %p (@inner {
      return %a
    }, @not {
      return %x
    })
    return %u, %u
  }, @other {
    %n = tanh %a
    return %n, %n
  })
  %b = neg %a
  %c = tanh %v
  %d = exp %w
  return %b, %c, %d, %v
}
)",
               {ramp({6}), Tensor::scalar<Bool>(Bool(true))});
}

// A step that spoils what it reads.
struct Spoiler : cpu::Step {
  void run(cpu::Frame& f, int) const override {
    *f.ptr<float>(reads[0]) = 77;
    std::copy_n(f.ptr<float>(reads[0]), f.count(reads[0]), f.ptr<float>(writes[0]));
  }
};

TEST(Alias, TheCheckNamesTheStepThatWroteOverAValue) {
  ASSERT_TRUE(cpu::AliasCheck::enabled());
  const auto module = parse_module(R"(graph @main(%x: f32[4]) {
  %a = exp %x
  %b = neg %a  loc("the culprit")
  %c = tanh %a
  return %b, %c
}
)",
                                   "program");
  CompileOptions options;
  cpu::PackedWeights packed;
  cpu::PlanBuilder builder(options, kernels::table(kernels::active_tier()), packed, /*replaces_weights=*/false);
  const auto plan = builder.build(module->main());
  ASSERT_EQ(plan->steps.size(), 3U);
  cpu::Step& step = *plan->steps[1];
  auto spoiler = std::make_unique<Spoiler>();
  spoiler->kernel = "spoiler", spoiler->node = step.node;
  spoiler->reads = step.reads, spoiler->writes = step.writes;
  plan->steps[1] = std::move(spoiler);
  cpu::Runtime runtime(1);
  cpu::Frame frame(*plan, runtime);
  const std::string error = error_of([&] { frame.run({ramp({4})}, nullptr); });
  EXPECT_NE(error.find("the culprit"), std::string::npos) << error;
  EXPECT_NE(error.find("step 1 (spoiler) wrote over a value of type f32[4] of step 0, which is still in use"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace tc
