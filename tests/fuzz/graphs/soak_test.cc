// Programs of all kinds, run by many threads at once for as long as one likes: with other extents, bad inputs,
// cancellations and deadlines in between. Results stay the same, memory stays flat after the first part, and all is
// quiet afterwards.
//
//   TC_SOAK_SECONDS=N   20 by default
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <thread>

#include "judge.h"
#include "tc/tc.h"

namespace tc::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kThreads = 8, kPrograms = 48;

struct Program {
  RandomGraph graph;
  Compiled compiled;
  std::array<std::vector<Datum>, kBindings> expected;
};

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0, resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

int threads_of_this_process() {
  int n = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) ++n;
  return n;
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

bool equal(const Datum& a, const Datum& b) {
  if (!a.is_tensor() || !b.is_tensor()) return a.empty() == b.empty();
  return a.tensor().identical(b.tensor());
}

std::vector<Program> programs() {
  std::vector<Program> list;
  for (uint64_t seed = 100000; list.size() < kPrograms; ++seed) {
    RandomGraph g = random_graph(seed);
    // A team of each kind: of its own, and none.
    Compiled c = compile(Function(std::shared_ptr<const Module>(clone(*g.module))),
                         {.level = static_cast<int>(seed % 3), .threads = static_cast<int>(seed % 2) + 1});
    Program p{std::move(g), std::move(c), {}};
    for (size_t b = 0; b < kBindings; ++b) {
      p.compiled.run(p.graph.inputs[b]);
      p.expected[b] = p.compiled.run(p.graph.inputs[b]);
    }
    list.push_back(std::move(p));
  }
  return list;
}

class Soak {
 public:
  explicit Soak(double seconds)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

  void caller(unsigned seed, const std::vector<Program>& list) {
    Random random(seed);
    while (Clock::now() < end_) {
      const Program& p = random.pick(list);
      const size_t b = random.below(kBindings);
      switch (random.below(8)) {
        case 0:
          bad_input(p, b);
          break;
        case 1:
          ended(p, b, random.chance(2));
          break;
        case 2:
          if (random.chance(20)) p.compiled.trim();
          [[fallthrough]];
        default:
          good(p, b);
      }
      ++runs_;
    }
  }

  uint64_t runs() const { return runs_; }
  uint64_t wrong() const { return wrong_; }

 private:
  void good(const Program& p, size_t b) {
    try {
      const auto got = p.compiled.run(p.graph.inputs[b]);
      for (size_t i = 0; i < got.size(); ++i) wrong_ += !equal(got[i], p.expected[b][i]);
    } catch (const std::exception&) {
      ++wrong_;
    }
  }
  void bad_input(const Program& p, size_t b) {
    std::vector<Datum> inputs = p.graph.inputs[b];
    inputs.emplace_back(Tensor::scalar(1.0f));
    try {
      p.compiled.run(std::move(inputs));
      ++wrong_;
    } catch (const Error& e) {
      wrong_ += e.code() != ErrorCode::bad_input;
    }
  }
  void ended(const Program& p, size_t b, bool by_flag) {
    const std::atomic<bool> cancel{true};
    RunOptions options;
    if (by_flag)
      options.cancel = &cancel;
    else
      options.deadline = Clock::now();
    try {
      p.compiled.run(p.graph.inputs[b], options);  // a program without steps is done before it is asked
    } catch (const Error& e) {
      wrong_ += e.code() != ErrorCode::limit_steps;
    }
  }

  Clock::time_point end_;
  std::atomic<uint64_t> runs_{0}, wrong_{0};
};

TEST(Soak, StaysRightFlatAndQuiet) {
  const char* const given = std::getenv("TC_SOAK_SECONDS");
  const double seconds = given ? std::atof(given) : 20;
  const int before = threads_of_this_process();
  double first = 0, last = 0;
  {
    const std::vector<Program> list = programs();
    Soak soak(seconds);
    std::vector<std::thread> callers;
    for (unsigned i = 0; i < kThreads; ++i) callers.emplace_back([&, i] { soak.caller(i + 1, list); });
    const auto wait = [&](double part) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds * part)); };
    wait(0.3);
    first = resident_mb();
    wait(0.6);
    last = resident_mb();
    for (std::thread& t : callers) t.join();
    EXPECT_EQ(soak.wrong(), 0U);
    std::cout << soak.runs() << " runs in " << seconds << " s by " << kThreads << " threads; " << first
              << " MB after a third, " << last << " MB at the end\n";
    EXPECT_GT(soak.runs(), 100U);
    // Allocators keep some of what bursts took.
    EXPECT_LT(last, first * 1.1 + 16);
    // Nobody computes when nobody calls.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const double begin = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    EXPECT_LT(cpu_seconds() - begin, 0.1);
  }
  EXPECT_LE(threads_of_this_process(), before + 1);
}

}  // namespace
}  // namespace tc::fuzz
