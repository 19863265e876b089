// What a run can be given beside its inputs: what ends it, a place for its profile, threads that others use.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tc/kernels/cpu.h"
#include "tc/kernels/strict.h"
#include "tc/tc.h"

namespace tc {
namespace {

using Clock = std::chrono::steady_clock;

// x * 2 ** n by a loop of n steps.
Compiled doubling() {
  return compile(trace("doubling", {{"x", f32, {"k"}}, {"n", i64, {}}},
                       [](Var x, Var n) { return fori_loop(0, n, [](Var, Var v) { return v + v; }, {x}); }));
}
std::vector<Datum> inputs(int64_t n) {
  return {Tensor::of<float>({2}, {1, 3}), Tensor::scalar(n)};
}
ErrorCode code_of(const Compiled& f, const RunOptions& options) {
  try {
    f.run(inputs(int64_t{1} << 40), options);
  } catch (const Error& e) {
    return e.code();
  }
  return ErrorCode::internal;
}

TEST(Run, EndsOnceItIsCancelled) {
  const Compiled f = doubling();
  std::atomic<bool> cancel = false;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel = true;
  });
  EXPECT_EQ(code_of(f, {.cancel = &cancel}), ErrorCode::limit_steps);
  other.join();
  EXPECT_EQ(code_of(f, {.cancel = &cancel}), ErrorCode::limit_steps);
  EXPECT_EQ(f.run(inputs(3))[0].tensor().to_vector<float>(), (std::vector<float>{8, 24}));
  cancel = false;
  EXPECT_EQ(f.run(inputs(1), {.cancel = &cancel})[0].tensor().to_vector<float>(), (std::vector<float>{2, 6}));
}

TEST(Run, EndsAtItsDeadline) {
  const Compiled f = doubling();
  const auto begin = Clock::now();
  EXPECT_EQ(code_of(f, {.deadline = begin + std::chrono::milliseconds(20)}), ErrorCode::limit_steps);
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(20));
  EXPECT_EQ(f.run(inputs(3))[0].tensor().to_vector<float>(), (std::vector<float>{8, 24}));
}

TEST(Run, ProfilesSayWhatItDid) {
  const Compiled f = doubling();
  std::vector<StepTime> steps;
  f.run(inputs(3), {.profile = &steps});
  int additions = 0;
  for (const StepTime& s : steps) {
    EXPECT_LE(s.begin_ns, s.end_ns);
    EXPECT_FALSE(s.kernel.empty());
    additions += s.depth == 2 && s.bytes > 0;
  }
  EXPECT_GE(additions, 3);
  const size_t before = steps.size();
  f.run(inputs(3));
  EXPECT_EQ(steps.size(), before);
}

int threads_of_this_process() {
  int n = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) ++n;
  return n;
}

// Callers of programs on one team start its threads and no others, and compute the same as on teams of their own.
TEST(Run, CallersShareATeam) {
  const Function program = trace("f", {{"x", f32, {"n", "n"}}}, [](Var x) { return matmul(x, x) + 1; });
  const auto team = make_team(3);
  const Compiled f = compile(program, {.team = team}), g = compile(program, {.team = team}), own = compile(program);
  Tensor x(f32, {160, 160});
  for (float& v : x.mutable_span<float>()) v = static_cast<float>(&v - x.mutable_span<float>().data()) * 1e-5f;
  const std::vector<Tensor> expected = own({x});
  const int before = threads_of_this_process();
  constexpr int kCallers = 6;
  std::atomic<int> most = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i)
    callers.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        const std::vector<Tensor> y = (i % 2 ? f : g)({x});
        EXPECT_TRUE(y[0].identical(expected[0]));
        most = std::max(most.load(), threads_of_this_process());
      }
    });
  for (std::thread& t : callers) t.join();
  // OpenMP's launcher is one of the team.
  EXPECT_LE(most, before + kCallers + 2);
  EXPECT_THROW(make_team(-1), Error);
}

// A convolution that every tier computes by Winograd's method, or by split bf16, where it may.
std::vector<std::string> conv_kernels(const CompilerOptions& options, Tensor* y) {
  const Compiled f = compile(trace("conv", {{"x", f32, {1, 64, 28, 28}}},
                                   [](Var x) {
                                     Tensor w(f32, {64, 64, 3, 3});
                                     int value = 0;
                                     for (float& v : w.mutable_span<float>())
                                       v = static_cast<float>((value = (value * 37 + 11) % 251) - 125) / 3000;
                                     return conv(x, w, {.padding = Padding{1, 1}});
                                   }),
                             options);
  Tensor x(f32, {1, 64, 28, 28});
  int value = 0;
  for (float& v : x.mutable_span<float>()) v = static_cast<float>((value = (value * 29 + 3) % 241) - 120) / 120;
  std::vector<StepTime> steps;
  *y = f.run({x}, {.profile = &steps})[0].tensor();
  std::vector<std::string> kernels;
  for (const StepTime& s : steps)
    if (s.kernel.starts_with("conv_f32")) kernels.push_back(s.kernel);
  return kernels;
}

bool approximates(const std::string& kernel) {
  return kernel.find("winograd") != kernel.npos || kernel.find("split") != kernel.npos;
}

TEST(Precision, StrictIsPlainSums) {
  Tensor usual, strict, by_environment;
  const auto kernels = conv_kernels({}, &usual);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_TRUE(approximates(kernels[0])) << kernels[0];
  EXPECT_FALSE(approximates(conv_kernels({.precision = "strict"}, &strict).at(0)));
  EXPECT_FALSE(strict.identical(usual));
  setenv("TC_PRECISION", "strict", 1);
  conv_kernels({}, &by_environment);
  EXPECT_TRUE(strict.identical(by_environment));
  conv_kernels({.precision = "default"}, &by_environment);
  EXPECT_TRUE(usual.identical(by_environment));
  unsetenv("TC_PRECISION");
}

TEST(Precision, UnknownOnesAreRefused) {
  const Function f = trace("f", {{"x", f32, {1}}}, [](Var x) { return x + x; });
  EXPECT_THROW(compile(f, {.precision = "loose"}), Error);
  setenv("TC_PRECISION", "loose", 1);
  EXPECT_THROW(compile(f), Error);
  unsetenv("TC_PRECISION");
}

// Tables of each tier: what products may do is theirs alone to say.
TEST(Precision, TablesOfOneFormHaveNoFewerBits) {
  for (const kernels::Tier tier : kernels::usable_tiers())
    for (const auto form : {kernels::TableForm::one_form, kernels::TableForm::strict}) {
      const kernels::Table& t = kernels::table(tier, form);
      const kernels::GemmTraits of_products = t.gemm.traits.fn();
      EXPECT_EQ(of_products.few_rows, 0);
      if (tier >= kernels::Tier::avx2) {
        EXPECT_NE(kernels::table(tier).gemm.traits.fn().few_rows, 0);
      }
      if (form != kernels::TableForm::strict) continue;
      EXPECT_FALSE(of_products.splits);
      EXPECT_EQ(of_products.strassen_cost, 0);
      for (int i = 0; i < kernels::kConvAlgorithms; ++i) {
        if (kernels::kConvFacts[i].winograd_outputs > 0) {
          EXPECT_EQ(t.conv.tiles[i].fn, nullptr) << kernels::kConvFacts[i].name;
        }
      }
    }
}

}  // namespace
}  // namespace tc
