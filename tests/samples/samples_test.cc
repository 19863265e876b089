// Every op has a sample, and every sample's inferred types and values hold.
#include <gtest/gtest.h>

#include <set>

#include "tc/ir/eval/interp.h"
#include "tc/ir/verify.h"
#include "tests/common/coverage.h"
#include "tests/samples/sample.h"

namespace tc {
namespace {

TEST(Samples, EveryOpHasOne) {
  std::set<std::string> sampled;
  for (const auto& s : all_samples()) sampled.insert(s.name.substr(0, s.name.find('/')));
  for (const auto& op : all_ops()) EXPECT_TRUE(sampled.count(std::string(op.name()))) << "no sample for " << op.name();
}

class SampleTest : public testing::TestWithParam<size_t> {};

// Floating-point results within the sample's tolerance, which is wider for narrow types.
void expect_close(const Sample& s, const Graph& g, const std::vector<Datum>& a, const std::vector<Datum>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].is_tensor() || kind(a[i].tensor().dtype()) != DTypeKind::floating) continue;
    const auto x = widen<double>(a[i].tensor()), y = widen<double>(b[i].tensor());
    ASSERT_EQ(x.size(), y.size());
    const DType t = g.output(static_cast<int>(i))->dtype();
    const double narrower = t == DType::f16 || t == DType::bf16 ? 100 : 1;
    for (size_t k = 0; k < x.size(); ++k) {
      if (std::isnan(y[k]) && std::isnan(x[k])) continue;
      if (x[k] == y[k]) continue;
      EXPECT_NEAR(x[k], y[k], narrower * (s.atol + s.rtol * std::abs(y[k]))) << "output " << i << " element " << k;
    }
  }
}

TEST_P(SampleTest, RoundedAgreesWithWidened) {
  const Sample& s = all_samples()[GetParam()];
  SCOPED_TRACE(s.name);
  SampleGraph g;
  s.build(g);
  InterpOptions rounded, widened;
  rounded.check_types = true;
  widened.widened = true;
  rounded.seed = widened.seed = 1;
  expect_close(s, g.module->main(), interpret(*g.module, g.inputs, rounded), interpret(*g.module, g.inputs, widened));
}

// Puts in the place of each node what it decomposes into, if anything; how many there were.
int decompose_all(Graph& g) {
  int count = 0;
  for (Node* n = g.first(); n;) {
    Node* const next = n->next();
    if (n->info().decompose) {
      Builder b(g, n);
      const auto results = n->info().decompose(b, *n);
      for (int j = 0; j < n->num_results(); ++j)
        if (!n->result(j)->unused()) n->result(j)->replace_all_uses_with(results[static_cast<size_t>(j)]);
      g.erase(n);
      ++count;
    }
    n = next;
  }
  return count;
}

TEST_P(SampleTest, AgreesWithItsDecomposition) {
  const Sample& s = all_samples()[GetParam()];
  SCOPED_TRACE(s.name);
  SampleGraph g, simpler;
  s.build(g);
  s.build(simpler);
  if (decompose_all(simpler.module->main()) == 0) return;
  verify(*simpler.module);
  // Not rounded in between: the simpler ops would round more often.
  InterpOptions widened;
  widened.widened = true;
  widened.seed = 1;
  const auto a = interpret(*g.module, g.inputs, widened), b = interpret(*simpler.module, simpler.inputs, widened);
  expect_close(s, g.module->main(), a, b);
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].is_tensor() && kind(a[i].tensor().dtype()) != DTypeKind::floating) {
      EXPECT_TRUE(a[i].tensor().identical(b[i].tensor())) << "output " << i;
    }
  InterpOptions checked;
  checked.check_types = true;
  interpret(*simpler.module, simpler.inputs, checked);
}

// The sample with other types of its tensor inputs, inferred anew and run: whatever inference still says is true.
template <class TypeOf>
void expect_inference_holds(const Sample& s, TypeOf type_of) {
  SCOPED_TRACE(s.name);
  SampleGraph g;
  s.build(g);
  Graph& graph = g.module->main();
  for (int i = 0; i < graph.num_inputs(); ++i)
    if (g.inputs[static_cast<size_t>(i)].is_tensor())
      graph.input(i)->set_type(type_of(i, g.inputs[static_cast<size_t>(i)].tensor()));
  InterpOptions options;
  options.check_types = true;
  try {
    infer_types(graph);
    interpret(*g.module, g.inputs, options);
  } catch (const Error& e) {
    ADD_FAILURE() << e.what();
  }
}

TEST_P(SampleTest, InferenceHoldsForSymbolicExtents) {
  expect_inference_holds(all_samples()[GetParam()], [](int i, const Tensor& t) {
    Dims dims;
    for (int k = 0; k < t.rank(); ++k) dims.push_back(Dim::symbol(cat("in", i, "_", k)));
    return Type::tensor(t.dtype(), Shape(dims));
  });
  const std::string& name = all_samples()[GetParam()].name;
  if (!HasFailure()) coverage::note("infer ", name.substr(0, name.find('/')), " ", name);
}

TEST_P(SampleTest, InferenceHoldsForUnknownRanks) {
  expect_inference_holds(all_samples()[GetParam()],
                         [](int, const Tensor& t) { return Type::tensor(t.dtype(), Shape()); });
}

INSTANTIATE_TEST_SUITE_P(All, SampleTest, testing::Range<size_t>(0, all_samples().size()));

}  // namespace
}  // namespace tc
