// One executable, several threads, each with a context of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "compare.h"
#include "random_graph.h"

namespace tc {
namespace {

TEST(Concurrency, ContextsRunSideBySide) {
  for (uint64_t seed = 500; seed < 506; ++seed) {
    const auto module = random_module(seed);
    const auto executable = compiled(*module);
    constexpr int kWorkers = 4;
    std::vector<std::vector<Datum>> inputs;
    std::vector<std::vector<Datum>> expected;
    for (int64_t w = 3; w < 7; ++w) {
      inputs.push_back(random_inputs(*module, 1 + w % 2, w, 2 * w, seed));
      expected.push_back(executable->run(inputs.back(), *executable->make_context(1)));
    }
    std::atomic<int> wrong{0};
    std::vector<std::thread> workers;
    for (int k = 0; k < kWorkers; ++k)
      workers.emplace_back([&, k] {
        const auto context = executable->make_context(1 + k % 2);
        for (int i = 0; i < 12; ++i) {
          const auto at = static_cast<size_t>(i + k) % inputs.size();
          const auto outputs = executable->run(inputs[at], *context);
          for (size_t o = 0; o < outputs.size(); ++o)
            if (!identical(outputs[o], expected[at][o])) ++wrong;
        }
      });
    for (auto& t : workers) t.join();
    EXPECT_EQ(wrong, 0) << "seed " << seed;
  }
}

// Outputs outlive the context that made them.
TEST(Concurrency, OutputsOutliveTheirContext) {
  const auto module = random_module(7);
  const auto inputs = random_inputs(*module, 2, 5, 5, 7);
  std::vector<Datum> outputs;
  {
    const auto executable = compiled(*module);
    outputs = executable->run(inputs, *executable->make_context(2));
  }
  EXPECT_EQ(differences(outputs, widened(*module, inputs), {1e-3, 1e-4}), "");
}

}  // namespace
}  // namespace tc
