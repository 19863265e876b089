// Every sample is well-formed, survives being written and read, and computes the same afterwards.
#include "tc/ir/text/print.h"

#include <gtest/gtest.h>

#include "tc/ir/eval/interp.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/verify.h"
#include "tests/samples/sample.h"

namespace tc {
namespace {

bool identical(const Datum& a, const Datum& b) {
  if (a.is_tensor() && b.is_tensor()) return a.tensor().identical(b.tensor());
  if (a.is_sequence() && b.is_sequence()) {
    if (a.items().size() != b.items().size()) return false;
    for (size_t i = 0; i < a.items().size(); ++i)
      if (!identical(a.items()[i], b.items()[i])) return false;
    return true;
  }
  return a.empty() && b.empty();
}

class SampleText : public testing::TestWithParam<size_t> {};

TEST_P(SampleText, RoundTrips) {
  const Sample& s = all_samples()[GetParam()];
  SCOPED_TRACE(s.name);
  SampleGraph g;
  s.build(g);
  verify(*g.module);
  const std::string text = print(*g.module);
  SCOPED_TRACE(text);
  const auto again = parse_module(text, s.name);
  EXPECT_EQ(print(*again), text);
  EXPECT_EQ(print(*clone(*g.module)), text);
  if (g.module->main().nodes().empty()) return;
  InterpOptions options;
  options.seed = 1;
  const auto a = interpret(*g.module, g.inputs, options), b = interpret(*again, g.inputs, options);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(identical(a[i], b[i])) << "output " << i;
}

INSTANTIATE_TEST_SUITE_P(All, SampleText, testing::Range<size_t>(0, all_samples().size()));

}  // namespace
}  // namespace tc
