// The target's passes are part of the pipeline: their rewrites keep the numbers, obey limits, and leave no op that a
// kernel could have served.
#include "tc/backend/cpu/legalize/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tc/backend/cpu/run/executable.h"
#include "tc/ir/text/parse.h"
#include "tc/passes/check_values.h"
#include "tc/passes/driver.h"
#include "tc/passes/pipeline.h"
#include "tests/samples/sample.h"

namespace tc {
namespace {

PipelineReport legalize(Module& module, const std::vector<Datum>& inputs, int64_t limit = -1) {
  PipelineOptions options;
  options.target = &cpu::target();
  options.level = 1;
  options.until = "legalize";
  options.check_values = true;
  options.check_inputs = inputs;
  options.limits.rewrites = limit;
  return optimize(module, options);
}

RuleStats stats_of(const PipelineReport& report, const std::string& rule) {
  const auto it = report.rules.find(rule);
  return it == report.rules.end() ? RuleStats{} : it->second;
}
int64_t fired(const PipelineReport& report, const std::string& rule) {
  return stats_of(report, rule).fired;
}

TEST(Target, DecompositionsOfAllSamplesKeepTheirNumbers) {
  std::map<std::string, int64_t> decomposed;
  for (const Sample& s : all_samples()) {
    SCOPED_TRACE(s.name);
    SampleGraph g;
    s.build(g);
    const auto asked = find_nodes(*g.module, cpu::decomposes);
    const PipelineReport report = legalize(*g.module, g.inputs);
    const RuleStats stats = stats_of(report, "decompose-for-kernels");
    const int64_t done = stats.fired;
    int64_t missed = 0;
    for (const auto& [reason, count] : stats.missed) missed += count;
    EXPECT_EQ(static_cast<int64_t>(asked.size()), done + missed);
    if (done) decomposed[s.name.substr(0, s.name.find('/'))] += done;
  }
  for (const char* op : {"einsum", "lrn", "mean_variance_normalization", "max_unpool", "deform_conv"})
    EXPECT_GT(decomposed[op], 0) << op;
}

constexpr const char* kNarrow = R"(graph @main(%x: f16[3,4], %w: f16[4,5]) {
  %0 = matmul %x, %w : f16[3,5]
  %1 = relu %0 : f16[3,5]
  %2 = softmax %1 : f16[3,5]
  return %2
})";

TEST(Target, NarrowFloatsAreRoundedOnceAtTheEnd) {
  auto module = parse_module(kNarrow, "narrow");
  const PipelineReport report = legalize(*module, sample_inputs(module->main(), {}, 3));
  EXPECT_EQ(fired(report, "promote-to-kernel-type"), 1);
  EXPECT_EQ(fired(report, "keep-promoted-precision"), 2);
  int to_narrow = 0;
  walk(module->main(), [&](Node& n) { to_narrow += n.is<Cast>() && n.attrs<Cast>().to == DType::f16; });
  EXPECT_EQ(to_narrow, 1);
}

TEST(Target, RewritesAreLimited) {
  auto module = parse_module(kNarrow, "narrow");
  const auto inputs = sample_inputs(module->main(), {}, 3);
  EXPECT_EQ(legalize(*module, inputs, 0).rewrites, 0);
  EXPECT_EQ(count_nodes(*module), 3);
  EXPECT_EQ(legalize(*module, inputs, 1).rewrites, 1);
}

// What is executed is what the pipeline leaves for this target.
TEST(Target, PlansExecuteWhatThePipelineLeaves) {
  constexpr const char* kProgram = R"(graph @main(%x: f32[1,8,5,5]) {
  %0 = lrn %x {size = 3} : f32[1,8,5,5]
  return %0
})";
  auto module = parse_module(kProgram, "lrn");
  PipelineOptions options;
  options.target = &cpu::target();
  optimize(*module, options);
  std::vector<std::string> left, executed;
  for (const auto& n : module->main().nodes()) left.emplace_back(n->info().name());
  const auto executable = compile(parse_module(kProgram, "lrn"), {});
  walk_steps(executable->plan(), [&](const cpu::Step& s, int) { executed.emplace_back(s.node->info().name()); });
  EXPECT_EQ(std::count(left.begin(), left.end(), "lrn"), 0);
  EXPECT_GT(executed.size(), 2U);
  for (const auto& op : executed) EXPECT_GT(std::count(left.begin(), left.end(), op), 0) << op;
}

// The bodies say something else than the kernels, so that it shows which of them runs.
constexpr const char* kLibrary = R"(func @tc.special.erfc_1(%x: f32[5]) {
  %0 = neg %x : f32[5]
  return %0
}
func @tc.special.nothing(%x: f32[5]) {
  %0 = relu %x : f32[5]
  return %0
}
func @erfc(%x: f32[5]) {
  %0 = abs %x : f32[5]
  return %0
}
graph @main(%x: f32[5]) {
  %0 = mul %x, %x : f32[5]
  %1 = call @tc.special.erfc_1 %0 : f32[5]
  %2 = call @tc.special.erfc_1 %0 : f32[5]
  %3 = add %1, %2 : f32[5]
  %4 = call @tc.special.nothing %x : f32[5]
  %5 = call @erfc %4 : f32[5]
  return %3, %5
})";

TEST(Target, CallsOfTheLibraryBecomeKernels) {
  auto module = parse_module(kLibrary, "library");
  const PipelineReport report = legalize(*module, sample_inputs(module->main(), {}, 3));
  EXPECT_EQ(fired(report, "library-call-to-kernel"), 2);
  EXPECT_EQ(find_nodes(*module, [](const Node& n) { return n.is<Call>(); }).size(), 2U);

  // What an output is made of runs in one pass over memory; equal calls are one.
  auto whole = parse_module(kLibrary, "library");
  PipelineOptions options;
  options.target = &cpu::target();
  optimize(*whole, options);
  EXPECT_EQ(find_nodes(*whole, [](const Node& n) { return n.is<Cluster>() && n.region(0).name().empty(); }).size(), 2U);
  EXPECT_EQ(find_nodes(*whole, [](const Node& n) { return n.is<Cluster>() && !n.region(0).name().empty(); }).size(),
            1U);

  for (const int level : {0, 2}) {
    CompileOptions given;
    given.level = level;
    const auto executable = compile(parse_module(kLibrary, "library"), given);
    const auto context = executable->make_context(1);
    const auto y = executable->run({Tensor::of<float>({5}, {-1, 0, 0.5, 1, 2})}, *context);
    const std::vector<float> x = {1, 0, 0.25, 1, 4}, plain = {0, 0, 0.5, 1, 2};
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_FLOAT_EQ(y[0].tensor().span<float>()[i], 2 * std::erfc(x[i])) << level;
      EXPECT_EQ(y[1].tensor().span<float>()[i], plain[i]) << level;
    }
  }
  // Without kernels the body is what runs.
  CompileOptions without;
  without.kernels = false;
  const auto reference = compile(parse_module(kLibrary, "library"), without);
  const auto context = reference->make_context(1);
  const auto y = reference->run({Tensor::of<float>({5}, {-1, 0, 0.5, 1, 2})}, *context);
  EXPECT_EQ(y[0].tensor().span<float>()[4], -8);
}

}  // namespace
}  // namespace tc
