// What a run can be given beside its inputs: what ends it, a place for its profile, threads that others use.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

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

}  // namespace
}  // namespace tc
