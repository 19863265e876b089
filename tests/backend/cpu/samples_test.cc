// Every sample, compiled for every tier of the machine, with and without optimisation, on one thread and on two.
#include <gtest/gtest.h>

#include "compare.h"
#include "tc/ir/eval/interp.h"
#include "tests/samples/sample.h"

namespace tc {
namespace {

bool is_random(const Graph& g) {
  bool random = false;
  walk(g, [&](Node& n) { random = random || n.info().traits.nondeterministic; });
  return random;
}

class CompiledSampleTest : public testing::TestWithParam<size_t> {};

TEST_P(CompiledSampleTest, AgreesWithInterpreter) {
  const Sample& sample = all_samples()[GetParam()];
  SCOPED_TRACE(sample.name);
  SampleGraph g;
  sample.build(g);
  const auto truth = widened(*g.module, g.inputs);
  const bool random = is_random(g.module->main());
  for (const kernels::Tier tier : machine_tiers())
    for (const int level : {0, 2}) {
      CompileOptions options;
      options.isa = tier;
      options.level = level;
      options.seed = kRandomSeed;
      auto executable = compiled(*g.module, options);
      auto context = executable->make_context(1);
      const auto single = executable->run(g.inputs, *context);
      const std::string where = cat(kernels::tier_name(tier), ", -O", level);
      const double atol = sample.atol + (tier == kernels::Tier::amx ? sample.halves : 0);
      EXPECT_EQ(differences(single, truth, {sample.rtol, atol}), "") << where;
      // The second run of an executable draws other random numbers.
      auto renew = [&] {
        if (random) executable = compiled(*g.module, options), context = executable->make_context(1);
      };
      renew();
      const auto again = executable->run(g.inputs, *context);
      renew();
      const auto pair = executable->run(g.inputs, *executable->make_context(2));
      for (size_t i = 0; i < single.size(); ++i) {
        EXPECT_TRUE(identical(single[i], again[i])) << where << ": output " << i << " of a second run differs";
        EXPECT_TRUE(identical(single[i], pair[i])) << where << ": output " << i << " depends on the number of threads";
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, CompiledSampleTest, testing::Range<size_t>(0, all_samples().size()),
                         [](const auto& sample) {
                           std::string name = all_samples()[sample.param].name;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name + "_" + std::to_string(sample.param);
                         });

}  // namespace
}  // namespace tc
