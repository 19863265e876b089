// Every op has a sample, and every sample's inferred types and values hold.
#include <gtest/gtest.h>

#include <set>

#include "tc/ir/eval/interp.h"
#include "tests/samples/sample.h"

namespace tc {
namespace {

TEST(Samples, EveryOpHasOne) {
  std::set<std::string> sampled;
  for (const auto& s : all_samples()) sampled.insert(s.name.substr(0, s.name.find('/')));
  for (const auto& op : all_ops()) EXPECT_TRUE(sampled.count(std::string(op.name()))) << "no sample for " << op.name();
}

class SampleTest : public testing::TestWithParam<size_t> {};

TEST_P(SampleTest, RoundedAgreesWithWidened) {
  const Sample& s = all_samples()[GetParam()];
  SCOPED_TRACE(s.name);
  SampleGraph g;
  s.build(g);
  InterpOptions rounded, widened;
  rounded.check_types = true;
  widened.widened = true;
  const auto a = interpret(*g.module, g.inputs, rounded), b = interpret(*g.module, g.inputs, widened);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].is_tensor() || kind(a[i].tensor().dtype()) != DTypeKind::floating) continue;
    const auto x = widen<double>(a[i].tensor()), y = widen<double>(b[i].tensor());
    ASSERT_EQ(x.size(), y.size());
    const DType t = a[i].tensor().dtype();
    const double narrower = t == DType::f16 || t == DType::bf16 ? 100 : 1;
    for (size_t k = 0; k < x.size(); ++k) {
      if (std::isnan(y[k]) && std::isnan(x[k])) continue;
      if (x[k] == y[k]) continue;
      EXPECT_NEAR(x[k], y[k], narrower * (s.atol + s.rtol * std::abs(y[k]))) << "output " << i << " element " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SampleTest, testing::Range<size_t>(0, all_samples().size()));

}  // namespace
}  // namespace tc
