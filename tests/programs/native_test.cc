// Random programs with their gradients: what is compiled computes what the interpreter does in f64.
#include <gtest/gtest.h>

#include "differential.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/eval/move.h"

namespace tc::programs {
namespace {

TEST(Programs, AreDeterministic) {
  for (const uint64_t seed : {1u, 2u, 3u}) {
    const Program a = random_program(seed), b = random_program(seed);
    EXPECT_EQ(a.text, b.text);
    EXPECT_EQ(a.function.str(), b.function.str());
  }
}

TEST(Programs, CompiledComputeWhatIsInterpreted) {
  const Seeds s = seeds(400);
  size_t values = 0;
  for (uint64_t seed = s.first; seed < s.first + s.count; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    std::string text;
    try {
      const Program p = random_program(seed);
      text = p.text;
      const Function f = with_gradients(p);
      InterpOptions wide;
      wide.widened = true;
      const auto truth = interpret(f.module(), {p.inputs.begin(), p.inputs.end()}, wide);
      for (const int level : {0, 2}) {
        const auto actual = compile(f, {.level = level, .threads = 1})(p.inputs);
        for (size_t i = 0; i < actual.size(); ++i) {
          const Datum expected = actual[i].dtype() == truth[i].tensor().dtype()
                                     ? truth[i]
                                     : Datum(converted(truth[i].tensor(), actual[i].dtype()));
          const std::string d = difference(actual[i], expected, kTolerance);
          EXPECT_EQ(d, "") << "output " << f.outputs()[i].name << " at -O" << level << "\n" << described(seed, text);
          ++values;
        }
      }
    } catch (const Error& e) {
      ADD_FAILURE() << e.what() << "\n" << described(seed, text);
    }
  }
  std::cout << s.count << " programs, " << values << " outputs compared\n";
}

}  // namespace
}  // namespace tc::programs
