// Damaged models and texts, all the way: read, verify, optimise, compile, run, within small budgets. Each either works
// or throws tc::Error; none may crash, hang, ask for much memory, or break a promise inside the compiler.
//
//   TC_MUTATIONS=N    how many mutants; the same ones each time
//   TC_MUTANT=I       only mutant I, which is also written to build/mutants
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "corpus.h"
#include "guard.h"
#include "mutate.h"
#include "tc/backend/cpu/run/executable.h"
#include "tc/frontend/onnx/import.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"
#include "tc/passes/check_values.h"

namespace tc::fuzz {
namespace {

constexpr int64_t kMaxInput = 1 << 16;  // elements of an input that is made up
constexpr uint64_t kMaxMemory = 16 << 20, kMaxSteps = 200;
constexpr int kCpuSeconds = kSanitized ? 120 : 20;  // of one mutant

struct Mutant {
  const Seed* seed;
  std::string bytes;
};

Mutant make_mutant(const std::vector<std::vector<Seed>>& groups, size_t index) {
  Random random(0x7c0ffee ^ index * 0x9e3779b97f4a7c15);
  const Seed& seed = random.pick(groups[index % groups.size()]);
  if (seed.text) return {&seed, mutate_text(seed.bytes, random)};
  if (random.chance(6)) return {&seed, mutate_bytes(seed.bytes, random)};
  return {&seed, mutate_model(seed.fields, random)};
}

// How far it came; empty text, or what is wrong with how it failed.
struct Outcome {
  std::string stage;
  std::string defect;
};

std::vector<Datum> make_inputs(const Graph& g, const Mutant& mutant, Random& random) {
  std::map<std::string, int64_t> dims = mutant.seed->dims;
  int64_t total = 0;
  for (const Value* v : g.inputs()) {
    if (!v->type().is_tensor() || !v->shape().ranked()) break;
    int64_t count = 1;
    for (const Dim& d : v->shape().dims()) {
      d.for_each_symbol([&](const std::string& s) { dims.emplace(s, random.chance(8) ? 0 : 1 + random.below(5)); });
      const auto extent = d.eval([&](const std::string& s) { return std::optional<int64_t>(dims.at(s)); });
      if (__builtin_mul_overflow(count, extent.value_or(0), &count)) count = INT64_MAX;
    }
    if (count > kMaxInput || (total += count) > 4 * kMaxInput)
      fail(ErrorCode::bad_argument, "input '", v->name(), "' is too large for this test");
  }
  return sample_inputs(g, dims, 1);
}

Outcome try_mutant(const Mutant& mutant, size_t index) {
  Random random(index);
  Outcome outcome{"read", ""};
  try {
    const auto kept = std::make_shared<const std::string>(mutant.bytes);
    std::unique_ptr<Module> module = mutant.seed->text
                                         ? parse_module(*kept, "mutant.tc", {.max_generated = kMaxMemory})
                                         : onnx::import_bytes(kept->data(), kept->size(), kept, "mutant.onnx");
    outcome.stage = "verify";
    verify(*module);
    outcome.stage = "print";
    if (kept->size() < 20'000 && random.chance(4)) {
      const std::string text = print(*module);
      if (print(*parse_module(text, "printed.tc")) != text) return {"print", "the text does not read back as itself"};
    }
    outcome.stage = "compile";
    CompileOptions options;
    options.level = static_cast<int>(std::array{0, 1, 2, 2}[random.below(4)]);
    options.max_memory = kMaxMemory;
    options.max_steps = kMaxSteps;
    const auto executable = compile(clone(*module), options);
    outcome.stage = "inputs";
    const std::vector<Datum> inputs = make_inputs(module->main(), mutant, random);
    outcome.stage = "run";
    executable->run(inputs, *executable->make_context(1));
    if (random.chance(4)) {
      outcome.stage = "interpret";
      InterpOptions interpreter;
      interpreter.max_bytes = kMaxMemory;
      interpreter.max_steps = kMaxSteps;
      interpret(*module, inputs, interpreter);
    }
    outcome.stage = "done";
  } catch (const Error& e) {
    if (breaks_promise(e)) outcome.defect = e.what();
    if (outcome.stage == "print") outcome.defect = e.what();
  } catch (const std::exception& e) {
    outcome.defect = cat("not a tc::Error: ", e.what());
  }
  return outcome;
}

size_t from_environment(const char* name, size_t fallback) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : fallback;
}

TEST(Mutations, WorkOrSayWhyNot) {
#ifndef TC_ADDRESS_SANITIZER
  // Beyond this an allocation fails, which is reported below.
  const rlimit limit{rlim_t{8} << 30, rlim_t{8} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
  const auto groups = corpus();
  const size_t only = from_environment("TC_MUTANT", SIZE_MAX);
  const size_t count = only == SIZE_MAX ? from_environment("TC_MUTATIONS", 2000) : 1;
  std::map<std::string, size_t> stages;
  double slowest = 0;
  std::string slowest_label;
  for (size_t i = 0; i < count; ++i) {
    const size_t index = only == SIZE_MAX ? i : only;
    const Mutant mutant = make_mutant(groups, index);
    const std::string label = cat("TC_MUTANT=", index, " (of ", mutant.seed->name, ")");
    const auto save = [&] {
      const std::filesystem::path folder = TC_BINARY_DIR "/mutants";
      std::filesystem::create_directories(folder);
      std::ofstream(folder / cat(index, mutant.seed->text ? ".tc" : ".onnx"), std::ios::binary) << mutant.bytes;
    };
    if (only != SIZE_MAX) save();
    watch(label, kCpuSeconds);
    const std::clock_t start = std::clock();
    const Outcome outcome = try_mutant(mutant, index);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    unwatch();
    ++stages[outcome.stage];
    if (seconds > slowest) slowest = seconds, slowest_label = label;
    if (outcome.defect.empty()) continue;
    save();
    ADD_FAILURE() << label << ", " << outcome.stage << ": " << outcome.defect;
  }
  std::cout << count << " mutants of " << groups.size() << " groups;";
  for (const auto& [stage, n] : stages) std::cout << " " << stage << " " << n << ",";
  std::cout << " slowest " << slowest << " s: " << slowest_label << "\n";
  if (count < 400) return;
  // Mutants that never pass the reader would test nothing behind it.
  EXPECT_LT(stages["read"], count * 3 / 4);
  EXPECT_GT(stages["run"] + stages["done"] + stages["interpret"], count / 10);
  EXPECT_GT(stages["done"], count / 20);
}

}  // namespace
}  // namespace tc::fuzz
