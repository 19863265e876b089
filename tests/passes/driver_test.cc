// The driver's promises: rules fire to a 22-bit integers, limits and caps hold, fighting rules are named, names and
// locations move, dead code goes, numbers are compared.
#include "tc/passes/driver.h"

#include <gtest/gtest.h>

#include "tc/ir/builder.h"
#include "tc/ir/verbose.h"
#include "tc/passes/check_values.h"
#include "tc/passes/pipeline.h"

namespace tc {
namespace {

constexpr Any x, y;
constexpr As<Identity> inner;

Type vec(int64_t n) {
  return Type::tensor(DType::f32, Shape{Dim(n)});
}

// x -> identity * length -> output
std::unique_ptr<Module> chain(int length) {
  auto m = std::make_unique<Module>();
  Builder b(m->main());
  Value* v = m->main().add_input(vec(3), "x");
  for (int i = 0; i < length; ++i) {
    b.set_location(cat("node", i));
    v = b.make<Identity>({v});
  }
  v->set_name("y");
  m->main().set_outputs(std::vector<Value*>{v});
  return m;
}

PipelineReport apply(Module& m, std::span<const Rule> rules, const EditLimits& limits = {},
                     ValueCheck* check = nullptr) {
  PipelineReport report;
  Editor editor(report, limits, check);
  apply_rules(m, rules, editor);
  return report;
}

Patch forward(Rewrite& r) {
  return r[x];
}

TEST(Driver, FiresToAFixedPoint) {
  const Rule rules[] = {{"drop", exact, pat<Identity>(x), forward}};
  auto m = chain(100);
  const auto report = apply(*m, rules);
  EXPECT_EQ(report.rules.at("drop").fired, 100);
  EXPECT_EQ(count_nodes(*m), 0);
  EXPECT_EQ(m->main().output(0), m->main().input(0));
}

TEST(Driver, StopsAtTheRewriteLimit) {
  const Rule rules[] = {{"drop", exact, pat<Identity>(x), forward}};
  auto m = chain(10);
  EditLimits limits;
  limits.rewrites = 4;
  EXPECT_EQ(apply(*m, rules, limits).rewrites, 4);
  EXPECT_EQ(count_nodes(*m), 6);
}

TEST(Driver, CapsAndDisablesRulesByName) {
  const Rule rules[] = {{"drop", exact, pat<Identity>(x), forward}};
  EditLimits limits;
  limits.caps["drop"] = 2;
  auto m = chain(5);
  EXPECT_EQ(apply(*m, rules, limits).rewrites, 2);
  limits.caps.clear();
  limits.disabled.insert("drop");
  EXPECT_EQ(apply(*m, rules, limits).rewrites, 0);
  limits.disabled.clear();
  const Rule loose[] = {{"drop", approximate(0.1), pat<Identity>(x), forward}};
  limits.loosest = Contract::same_rounding;
  EXPECT_EQ(apply(*m, loose, limits).rewrites, 0);
}

TEST(Driver, NamesFightingRules) {
  // Each makes what the other takes: a node with and one without a location-bearing operand chain.
  const Rule rules[] = {
      {"one-becomes-two", exact, pat<Identity>(x),
       [](Rewrite& r) -> Patch {
         if (r[x]->def()) return r.miss("is second");
         return r.make<Identity>({r.make<Identity>({r[x]})});
       }},
      {"two-become-one", exact, pat<Identity>(pat<Identity>(x)),
       [](Rewrite& r) -> Patch { return r.make<Identity>({r[x]}); }},
  };
  auto m = chain(1);
  try {
    apply(*m, rules);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::limit_rewrites);
    EXPECT_NE(e.diagnostic().message.find("one-becomes-two"), std::string::npos) << e.what();
    EXPECT_NE(e.diagnostic().message.find("two-become-one"), std::string::npos) << e.what();
  }
}

TEST(Driver, CountsReasonsForDeclining) {
  const Rule rules[] = {
      {"never", exact, pat<Identity>(x), [](Rewrite& r) -> Patch { return r.miss("it is Tuesday"); }}};
  auto m = chain(3);
  const auto report = apply(*m, rules);
  EXPECT_EQ(report.rules.at("never").fired, 0);
  EXPECT_EQ(report.rules.at("never").missed.at("it is Tuesday"), 3);
}

TEST(Driver, JoinsLocationsAndMovesNames) {
  const Rule rules[] = {{"merge", exact, inner(pat<Identity>(x)), [](Rewrite& r) -> Patch {
                           if (!r.single_use(r.root()->operand(0))) return r.miss("other users");
                           return r.make<Identity>({r[x]});
                         }}};
  auto m = chain(2);
  apply(*m, rules);
  ASSERT_EQ(count_nodes(*m), 1);
  const Node& n = *m->main().first();
  EXPECT_EQ(n.location(), "node0+node1");
  EXPECT_EQ(n.result()->name(), "y");
}

TEST(Driver, SingleUseIgnoresNodesOfThePatch) {
  const Rule rules[] = {{"merge", exact, inner(pat<Identity>(x)), [](Rewrite& r) -> Patch {
                           Value* made = r.make<Identity>({r[x]});
                           if (!r.single_use(r[x])) return r.miss("other users");
                           return made;
                         }}};
  auto m = chain(2);
  EXPECT_EQ(apply(*m, rules).rules.at("merge").fired, 1);
}

TEST(Driver, RemovesDeadCode) {
  auto m = chain(2);
  Builder b(m->main());
  b.make<Identity>({b.make<Identity>({m->main().input(0)})});
  EXPECT_EQ(count_nodes(*m), 4);
  PipelineReport report;
  const EditLimits limits;
  Editor editor(report, limits, nullptr);
  eliminate_dead(*m, editor);
  EXPECT_EQ(count_nodes(*m), 2);
}

TEST(Driver, RefusesAnUnprovenType) {
  // x : f32[N] cannot stand for a value of type f32[M].
  auto m = std::make_unique<Module>();
  Builder b(m->main());
  Value* in = m->main().add_input(Type::tensor(DType::f32, Shape{Dim::symbol("N")}), "x");
  Value* v = b.make<Identity>({in});
  v->set_type(Type::tensor(DType::f32, Shape{Dim::symbol("M")}));
  m->main().set_outputs(std::vector<Value*>{v});
  const Rule rules[] = {{"drop", exact, pat<Identity>(x), forward}};
  const auto report = apply(*m, rules);
  EXPECT_EQ(report.rewrites, 0);
  EXPECT_EQ(report.rules.at("drop").missed.count("the type cannot be proven to stay"), 1u);
}

TEST(Driver, ValueCheckNamesALyingRule) {
  const Rule rules[] = {{"lie", exact, pat<Identity>(x), [](Rewrite& r) -> Patch {
                           return r.constant(Tensor::of<float>({3}, {1, 2, 3}));
                         }}};
  auto m = chain(1);
  PipelineReport report;
  const EditLimits limits;
  ValueCheck check(*m, sample_inputs(m->main(), {}, 1), report);
  Editor editor(report, limits, &check);
  try {
    apply_rules(*m, rules, editor);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::check_failed);
    EXPECT_NE(std::string(e.what()).find("lie"), std::string::npos) << e.what();
  }
}

TEST(Driver, TracesAsCsv) {
  std::vector<std::string> lines;
  set_verbose_sink([&](std::string_view line) { lines.emplace_back(line); });
  set_verbose("rewrite");
  const Rule rules[] = {{"drop", exact, pat<Identity>(x), forward}};
  auto m = chain(1);
  apply(*m, rules);
  set_verbose("");
  set_verbose_sink({});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "rewrite,rule,verdict,op,location,reason");
  EXPECT_EQ(lines[1], "rewrite,drop,fired,identity,node0,");
  EXPECT_THROW(set_verbose("nonsense"), Error);
}

TEST(Pipeline, RefusesUnknownNames) {
  auto m = chain(1);
  PipelineOptions options;
  options.disable.insert("normalise");
  try {
    optimize(*m, options);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_argument);
    ASSERT_EQ(e.diagnostic().notes.size(), 1u);
    EXPECT_EQ(e.diagnostic().notes[0], "did you mean 'normalize'?");
  }
}

TEST(Pipeline, LevelZeroChangesNothing) {
  auto m = chain(3);
  PipelineOptions options;
  options.level = 0;
  EXPECT_EQ(optimize(*m, options).rewrites, 0);
  EXPECT_EQ(count_nodes(*m), 3);
}

// One extent of a shape of which others stay open: what made it folds only after the shape was looked at.
TEST(Pipeline, FollowsExtentsThatBecomeKnown) {
  Module m;
  Builder b(m.main());
  Value* v = m.main().add_input(Type::tensor(DType::f32, Shape{Dim::symbol("N"), Dim(24)}), "x");
  Value* target = b.make<Transpose>({b.constant(Tensor::of<int64_t>({1, 3}, {0, 4, 6}))}, {.perm = {1, 0}});
  Value* y3 = b.make<Reshape>({v, b.make<Reshape>({target, b.constant(Tensor::of<int64_t>({1}, {3}))})});
  Value* shape = b.make<ShapeOf>({y3});
  Value* four = b.make<Gather>({shape, b.constant(Tensor::of<int64_t>({1}, {1}))});
  m.main().set_outputs(std::vector<Value*>{y3, b.make<ConstantOfShape>({four})});
  optimize(m, {});
  EXPECT_EQ(m.main().output(0)->type().str(), "f32[N,4,6]");
  EXPECT_EQ(m.main().output(1)->type().str(), "f32[4]");
}

TEST(Pipeline, ChecksValuesOfEveryRewrite) {
  auto m = chain(3);
  PipelineOptions options;
  options.check_values = true;
  const auto report = optimize(*m, options);
  EXPECT_EQ(report.values_checked, 3);
  EXPECT_EQ(report.values_unchecked, 0);
}

}  // namespace
}  // namespace tc
