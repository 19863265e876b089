// Every op with a gradient is differentiated, over the samples of all ops and the rows of gradient_samples().
#include <set>

#include "tc/ir/builder.h"
#include "tc/passes/autodiff/autodiff.h"
#include "tests/passes/autodiff/gradient_check.h"
#include "tests/passes/autodiff/samples.h"

namespace tc {
namespace {

const std::vector<Sample>& checked_samples() {
  static const std::vector<Sample> samples = [] {
    std::vector<Sample> all = all_samples();
    const auto more = gradient_samples();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return samples;
}

const OpInfo& op_of(const Sample& s) {
  const OpInfo* op = find_op(s.name.substr(0, s.name.find('/')));
  TC_CHECK(op, "sample ", s.name, " is of no op");
  return *op;
}

bool has_gradient(const OpInfo& op) {
  return op.grad || op.decompose || op.traits.piecewise_constant;
}

bool eligible(const Module& m) {
  return !differentiable_inputs(m).empty() && !differentiable_outputs(m).empty();
}

// Ops whose operands or results are never differentiable tensors, or that nothing flows through.
bool never_differentiable(const OpInfo& op) {
  const Signature& s = op.facts->signature;
  auto can = [&](const Slot& slot) {
    if (slot.any) return true;
    if (!slot.variable) return dtypes::floats.has(slot.fixed);
    const DTypeSet set = op.facts->set_of(slot.variable);
    for (DType t : {DType::f16, DType::bf16, DType::f32, DType::f64})
      if (set.has(t)) return true;
    return false;
  };
  bool in = false, out = false;
  for (int i = 0; i < s.num_operands; ++i) in = in || can(s.operands[static_cast<size_t>(i)]);
  for (int j = 0; j < s.num_results; ++j) out = out || can(s.results[static_cast<size_t>(j)]);
  return !in || !out;
}

TEST(Gradients, EveryOneIsChecked) {
  std::set<OpId> checked;
  for (const Sample& s : checked_samples()) {
    SampleGraph g;
    s.build(g);
    if (eligible(*g.module)) checked.insert(op_of(s).id);
  }
  for (const OpInfo& op : all_ops())
    if (has_gradient(op) && !never_differentiable(op)) {
      EXPECT_TRUE(checked.count(op.id)) << "no sample differentiates " << op.name();
    }
}

// Samples whose derivative is no derivative, or that have none.
const std::pair<std::string_view, std::string_view> kElsewhere[] = {
    {"stop_gradient", "hides a dependence on purpose: Gradients.StopHidesADependence"},
    {"scatter_nd", "two updates without a reduction go to one place: which of them stays is not defined"},
    {"scatter_elements/axes", "the same"},
    {"scatter_elements/large", "the same"},
    {"unique/axis", "equal rows come apart when they move"},
    {"unique/sizes", "the same"},
    {"unique/values", "the same"},
    {"hardmax/strange_values", "equal elements, of which another is the largest when they move"},
    {"range/at_run_time", "its length jumps when its operands move"},
    {"top_k/few", "equal elements change places when they move"},
    {"top_k/some", "the same"},
    {"top_k/all", "the same"},
    {"top_k/one", "the same"},
    {"top_k/f64", "the same"},
    {"top_k/f16", "the same"},
    {"top_k/bf16", "the same"},
    {"top_k/strange_values", "the same"},
    {"top_k/values", "the same"},
    {"loop", "what it carries grows, so that its iterations cannot be stacked"},
};

TEST(Gradients, StopHidesADependence) {
  Module m;
  Builder b(m.main());
  Value* x = m.main().add_input(Type::tensor(DType::f64, Shape::of({3})), "x");
  m.main().set_outputs(std::vector<Value*>{b.make<Mul>({x, b.make<StopGradient>({x})})});
  const Tensor at = Tensor::of<double>({3}, {1, -2, 3}), ones = Tensor::of<double>({3}, {1, 1, 1});
  EXPECT_EQ(evaluate(*vjp_of(m), {at, ones})[1], (std::vector<double>{1, -2, 3}));
  EXPECT_EQ(evaluate(*jvp_of(m), {at, ones})[1], (std::vector<double>{1, -2, 3}));
}

// Where the parts overflow or vanish: log(sigmoid(x)) and log(1 + exp(x)) far from 0.
TEST(Gradients, OfWellKnownFunctionsAreTheirs) {
  Module m;
  Builder b(m.main());
  Value* x = m.main().add_input(Type::tensor(DType::f64, Shape::of({4})), "x");
  Value* plus = b.make<Log>({b.make<Add>({b.make<Exp>({x}), b.scalar<double>(1)})});
  m.main().set_outputs(std::vector<Value*>{b.make<Log>({b.make<Sigmoid>({x})}), plus});
  const Tensor at = Tensor::of<double>({4}, {-820, -100, 100, 820}), ones = Tensor::of<double>({4}, {1, 1, 1, 1}),
               zeros = Tensor::of<double>({4}, {0, 0, 0, 0});
  const auto near = [](const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15) << i;
  };
  near(evaluate(*vjp_of(m), {at, ones, zeros})[2], {1, 1, 0, 0});
  near(evaluate(*vjp_of(m), {at, zeros, ones})[2], {0, 0, 1, 1});
  near(evaluate(*jvp_of(m), {at, ones})[2], {1, 1, 0, 0});
  near(evaluate(*jvp_of(m), {at, ones})[3], {0, 0, 1, 1});
}

// Raising idioms drops what nobody uses, but not what was asked for.
TEST(Gradients, OfAnUnusedParameterIsZero) {
  Module m;
  Builder b(m.main());
  Value* x = m.main().add_input(Type::tensor(DType::f64, Shape::of({})), "x");
  Parameter::Attrs unused;
  unused.name = "w";
  unused.value = Tensor::of<double>({2}, {3, 4});
  b.make<Parameter>({}, unused);
  m.main().set_outputs(std::vector<Value*>{b.make<Mul>({x, x})});
  EXPECT_EQ(evaluate(*gradient_of(m, {"w"}), {Tensor::of<double>({}, {5})})[0], (std::vector<double>{0, 0}));
}

class GradientTest : public testing::TestWithParam<size_t> {};

TEST_P(GradientTest, AgreesWithDifferences) {
  const Sample& s = checked_samples()[GetParam()];
  SCOPED_TRACE(s.name);
  for (const auto& [name, reason] : kElsewhere)
    if (s.name == name) GTEST_SKIP() << reason;
  SampleGraph g;
  s.build(g);
  if (!eligible(*g.module)) GTEST_SKIP() << "nothing to differentiate";
  name_inputs(*g.module);
  const OpInfo& op = op_of(s);
  try {
    const bool nonzero = check_gradient(*g.module, g.inputs);
    EXPECT_TRUE(has_gradient(op) || never_differentiable(op) || op.id == OpId::Return)
        << op.name() << " is said to have no gradient";
    if (op.traits.piecewise_constant && op.id != OpId::StopGradient) {
      EXPECT_FALSE(nonzero);
    }
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::no_gradient) << e.what();
    EXPECT_FALSE(has_gradient(op)) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, GradientTest, testing::Range<size_t>(0, checked_samples().size()), [](const auto& row) {
  std::string name = checked_samples()[row.param].name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return cat(row.param, "_", name);
});

}  // namespace
}  // namespace tc
