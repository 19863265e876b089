// Every rule on its own: fires on a positive case with equal numbers, declines negative ones for the stated reason.
#include <gtest/gtest.h>

#include <set>

#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"
#include "tc/passes/check_values.h"
#include "tc/passes/pipeline.h"
#include "tests/passes/rule_case.h"

namespace tc {
namespace {

std::vector<RuleCase> all_cases() {
  std::vector<RuleCase> all;
  for (auto list : {normalize_cases(), stabilize_cases(), fuse_cases()})
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<Rule> rules_named(std::string_view name) {
  std::vector<Rule> rules;
  for (const Pass& p : all_passes())
    for (const Rule& r : p.rules)
      if (r.name == name) rules.push_back(r);
  return rules;
}

const Pass& pass_with(std::string_view rule) {
  for (const Pass& p : all_passes())
    for (const Rule& r : p.rules)
      if (r.name == rule) return p;
  throw Error(ErrorCode::bad_argument, "no such rule");
}

class RuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(RuleTest, Behaves) {
  const RuleCase& c = GetParam();
  const auto rules = rules_named(c.rule);
  ASSERT_FALSE(rules.empty()) << "no rule " << c.rule;
  auto module = parse_module(std::string("graph @main") + c.program, c.rule);
  PipelineReport report;
  const EditLimits limits;
  ValueCheck check(*module, sample_inputs(module->main(), {}, 7), report);
  Editor editor(report, limits, &check);
  const std::string before = print(*module, {.elide_weights = true});
  PassContext ctx{*module, editor};
  if (rules.front().build)
    apply_rules(*module, rules, editor);
  else
    pass_with(c.rule).run(ctx);
  verify(*module);
  const std::string after = print(*module, {.elide_weights = true});
  const RuleStats& stats = report.rules[c.rule];
  if (!c.must_not) {
    EXPECT_EQ(stats.fired, 0) << after;
    EXPECT_TRUE(stats.missed.count(c.must)) << "declined for another reason:\n" << report.str();
    return;
  }
  EXPECT_GT(stats.fired, 0) << before << report.str();
  EXPECT_NE(after.find(c.must), std::string::npos) << after;
  if (*c.must_not) {
    EXPECT_EQ(after.find(c.must_not), std::string::npos) << after;
  }
  EXPECT_EQ(report.values_checked, stats.fired);
  EXPECT_NO_THROW(check.after_pass(c.rule));
}

std::string case_name(const testing::TestParamInfo<RuleCase>& info) {
  std::string name = info.param.rule;
  for (char& ch : name)
    if (ch == '-') ch = '_';
  return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleTest, testing::ValuesIn(all_cases()), case_name);

TEST(Rules, EachHasACaseWhereItFires) {
  std::set<std::string_view> covered;
  for (const RuleCase& c : all_cases())
    if (c.must_not) covered.insert(c.rule);
  for (const Pass& p : all_passes())
    for (const Rule& r : p.rules) EXPECT_TRUE(covered.count(r.name)) << r.name;
}

// In the whole pipeline no rule is shadowed by others: on the programs of all cases together each fires.
TEST(Rules, EachFiresInsideThePipeline) {
  std::set<std::string> fired;
  for (const RuleCase& c : all_cases()) {
    auto module = parse_module(std::string("graph @main") + c.program, c.rule);
    PipelineOptions options;
    options.check_values = true;
    const auto report = optimize(*module, options);
    for (const auto& [name, stats] : report.rules)
      if (stats.fired) fired.insert(name);
  }
  for (const Pass& p : all_passes())
    for (const Rule& r : p.rules) EXPECT_TRUE(fired.count(std::string(r.name))) << r.name << " never fires";
}

}  // namespace
}  // namespace tc
