// Every algorithm of convolutions and products beside every other: on the samples that it can compute, and on shapes
// that some want for themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "compare.h"
#include "tc/backend/cpu/bind/algorithms.h"
#include "tc/ir/eval/wide.h"
#include "tc/kernels/conv/conv.h"
#include "tests/samples/sample.h"

namespace tc {
namespace {

constexpr DType f32 = DType::f32;

// The bound on what an algorithm errs, relative to the largest number of an output; plain sums of f32 stay below 1e-6.
double error_of_algorithm(const std::string& kind, const std::string& name) {
  constexpr double kPlain = 1e-6;
  if (kind == "matmul")
    return name == "strassen" ? kernels::kStrassenError : name == "split" ? kernels::kSplitError : kPlain;
  if (kind != "conv") return 0;
  static const std::map<std::string, double> kErrors = {
      {"winograd2", kernels::kWinograd2Error}, {"winograd4", kernels::kWinograd4Error},
      {"winograd6", kernels::kWinograd6Error}, {"split_winograd", kernels::kSplitWinogradError},
      {"split", kernels::kSplitError},         {"split_plain", kernels::kSplitError}};
  const auto it = kErrors.find(name);
  return it == kErrors.end() ? kPlain : it->second;
}

double largest(const std::vector<Datum>& values) {
  double most = 0;
  for (const Datum& v : values) {
    if (!v.is_tensor() || kind(v.tensor().dtype()) != DTypeKind::floating) continue;
    for (const double x : widen<double>(v.tensor()))
      if (std::isfinite(x)) most = std::max(most, std::fabs(x));
  }
  return most;
}

void conv(SampleGraph& g, Extents x, Extents w, ConvAttrs attrs) {
  g.outputs({g.b.make<Conv>({g.input(f32, std::move(x)), g.b.constant(g.random(f32, std::move(w)))}, attrs)});
}
void product(SampleGraph& g, Extents a, Extents b, bool constant) {
  Value* right = constant ? g.b.constant(g.random(f32, std::move(b))) : g.input(f32, std::move(b));
  g.outputs({g.b.make<MatMul>({g.input(f32, std::move(a)), right})});
}

const Sample kForcedSamples[] = {
    {"conv/blocks",
     [](SampleGraph& g) {
       conv(g, {2, 32, 13, 20}, {48, 32, 3, 3}, {.pads = {1, 1, 1, 1}});
     }},
    {"conv/strides",
     [](SampleGraph& g) {
       conv(g, {1, 32, 17, 18}, {32, 32, 3, 3}, {.strides = {2, 2}});
     }},
    {"conv/groups",
     [](SampleGraph& g) {
       conv(g, {1, 48, 14, 15}, {48, 8, 3, 3}, {.group = 6});
     }},
    {"conv/first",
     [](SampleGraph& g) {
       conv(g, {1, 3, 32, 33}, {24, 3, 4, 4}, {.strides = {4, 4}});
     }},
    {"conv/planes",
     [](SampleGraph& g) {
       conv(g, {1, 40, 30, 31}, {40, 1, 3, 3}, {.group = 40});
     }},
    {"conv/line",
     [](SampleGraph& g) {
       conv(g, {1, 24, 70}, {24, 24, 3}, {.pads = {1, 1}});
     }},
    {"conv_transpose/patches",
     [](SampleGraph& g) {
       ConvTranspose::Attrs a;
       a.strides = {2, 2};
       g.outputs(
           {g.b.make<ConvTranspose>({g.input(f32, {1, 24, 9, 10}), g.b.constant(g.random(f32, {24, 3, 2, 2}))}, a)});
     }},
    {"matmul/small",
     [](SampleGraph& g) {
       product(g, {7, 12, 9}, {7, 9, 11}, false);
     }},
    {"matmul/columns",
     [](SampleGraph& g) {
       product(g, {100, 40}, {40, 3}, false);
     }},
    {"matmul/rows",
     [](SampleGraph& g) {
       product(g, {3, 200}, {200, 96}, true);
     }},
    {"matmul/few",
     [](SampleGraph& g) {
       product(g, {6, 300}, {300, 160}, true);
     }},
    {"matmul/quarters",
     [](SampleGraph& g) {
       product(g, {40, 70}, {70, 140}, false);
     }},
    {"matmul/whole",
     [](SampleGraph& g) {
       product(g, {300, 129}, {129, 256}, true);
     }},
    {"matmul/in_place",
     [](SampleGraph& g) {
       product(g, {37, 65}, {65, 144}, false);
     }},
};

struct Tried {
  std::map<std::string, std::set<std::string>> ran;  // by kind

  // The outputs by one algorithm, if a step ran by it.
  std::optional<std::vector<Datum>> outputs(const SampleGraph& g, const std::string& kind, const std::string& name) {
    CompileOptions options;
    options.seed = kRandomSeed;
    options.force = {{kind, name}};
    const auto executable = compiled(*g.module, options);
    const auto context = executable->make_context(2);
    std::vector<cpu::StepCandidates> steps;
    context->candidates_into(&steps);
    auto values = executable->run(g.inputs, *context);
    bool used = false;
    for (const auto& [step, all] : steps)
      for (const cpu::Candidate& c : all) used = used || (c.forced && c.chosen);
    if (!used) return {};
    ran[kind].insert(name);
    return values;
  }

  void sample(const Sample& sample) {
    SCOPED_TRACE(sample.name);
    SampleGraph g;
    sample.build(g);
    const double scale = largest(widened(*g.module, g.inputs));
    for (const std::string& kind : cpu::algorithm_kinds()) {
      std::vector<std::pair<std::string, std::vector<Datum>>> results;
      for (const std::string& name : cpu::algorithm_names(kind))
        if (auto values = outputs(g, kind, name)) results.emplace_back(name, std::move(*values));
      for (const auto& [name, values] : results)
        for (const auto& [other, truth] : results) {
          const double bound = error_of_algorithm(kind, name) + error_of_algorithm(kind, other);
          EXPECT_EQ(differences(values, truth, {sample.rtol, sample.atol + bound * scale}), "")
              << kind << ": " << name << " beside " << other;
        }
    }
  }
};

bool has_choice(const std::string& name) {
  static const std::set<std::string> kOps = {
      "conv", "conv_transpose", "fused_conv",   "fused_conv_integer", "fused_qlinear_conv",
      "gemm", "fused_matmul",   "conv_integer", "qlinear_conv",       "matmul"};
  return kOps.count(name.substr(0, name.find('/'))) > 0;
}

TEST(Forced, EveryAlgorithmAgreesWithEveryOther) {
  Tried tried;
  for (const Sample& s : all_samples())
    if (has_choice(s.name)) tried.sample(s);
  for (const Sample& s : kForcedSamples) tried.sample(s);
  const bool amx = machine_tiers().back() == kernels::Tier::amx;
  for (const std::string& kind : cpu::algorithm_kinds())
    for (const std::string& name : cpu::algorithm_names(kind)) {
      const bool of_amx = name.starts_with("split");
      const bool wide = kind == "matmul" && (name == "few" || name == "strassen");  // from AVX2 on
      if ((of_amx && !amx) || (wide && machine_tiers().back() < kernels::Tier::avx2)) continue;
      EXPECT_TRUE(tried.ran[kind].count(name)) << kind << ": nothing ran by " << name;
    }
}

TEST(Forced, UnknownNamesAreErrorsWithAList) {
  SampleGraph g;
  product(g, {2, 3}, {3, 4}, false);
  const auto text = [&](std::map<std::string, std::string> force) {
    CompileOptions options;
    options.force = std::move(force);
    return error_of([&] { compiled(*g.module, options); });
  };
  EXPECT_NE(text({{"conv", "drect"}}).find("unknown algorithm 'drect' of conv; one of direct_plain"),
            std::string::npos);
  EXPECT_NE(text({{"con", "direct"}}).find("unknown kind of kernels 'con'; one of conv matmul"), std::string::npos);
  EXPECT_EQ(text({{"conv", "direct"}}), "");
}

// What cannot be used says why, and another one computes the node.
TEST(Forced, RefusalsHaveAReason) {
  SampleGraph g;
  conv(g, {1, 32, 9, 9}, {32, 32, 3, 3}, {});
  CompileOptions options;
  options.force = {{"conv", "depthwise"}};
  const auto executable = compiled(*g.module, options);
  const auto context = executable->make_context(1);
  std::vector<cpu::StepCandidates> steps;
  context->candidates_into(&steps);
  executable->run(g.inputs, *context);
  ASSERT_EQ(steps.size(), 1U);
  int chosen = 0;
  for (const cpu::Candidate& c : steps[0].candidates) {
    chosen += c.chosen;
    if (c.usable) {
      EXPECT_GT(c.ns, 0) << c.name;
    }
    if (c.name != "depthwise") continue;
    EXPECT_TRUE(c.forced && !c.chosen && !c.usable);
    EXPECT_EQ(c.note, "not one channel to each group on two axes");
  }
  EXPECT_EQ(chosen, 1);
}

}  // namespace
}  // namespace tc
