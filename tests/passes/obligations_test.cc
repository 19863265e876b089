// What a rule's contract promises, for every element type that the rule accepts: the programs of its cases with other
// types in the place of f32, on random numbers and on special ones.
#include <gtest/gtest.h>

#include <iostream>
#include <limits>
#include <map>
#include <random>

#include "tc/ir/text/parse.h"
#include "tc/ir/verify.h"
#include "tc/passes/check_values.h"
#include "tc/passes/pipeline.h"
#include "tests/passes/rule_case.h"

namespace tc {
namespace {

std::string with_type(std::string program, const std::string& type) {
  for (size_t at = 0; (at = program.find("f32", at)) != program.npos; at += type.size()) program.replace(at, 3, type);
  return program;
}

// Elements at which arithmetic changes its mind. Infinities and NaN only where the contract is about bits: rules that
// stabilise a form give numbers where it gave none, and other orders of summation meet infinities elsewhere.
Tensor special(const Tensor& like, bool every_kind, unsigned seed) {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> pool = {0, -0.0, 1, -1, 0.5, 2, 1e-3, -1e-3, 3, -7};
  if (every_kind) pool.insert(pool.end(), {kInf, -kInf, kNan, 1e-40, -1e-40, 6e4, 1e30, -1e30});
  std::mt19937 random(seed);
  std::vector<double> values(static_cast<size_t>(like.size()));
  for (double& v : values) v = pool[random() % pool.size()];
  Tensor t(like.dtype(), like.extents());
  narrow(values, t);
  return t;
}

struct Counts {
  int programs = 0, runs = 0;
};

// The rule on one program: whether it fires, and what it breaks.
std::string broken(const RuleCase& c, const std::string& program, const Pass& pass, const std::vector<Rule>& rules,
                   Counts& counts) {
  const bool bits = rules.front().exactness.contract == Contract::exact;
  bool counted = false;
  for (unsigned round = 0; round < 5; ++round) {
    std::unique_ptr<Module> module;
    try {
      module = parse_module(program, c.rule);
    } catch (const Error&) {
      return "";  // no program of this type
    }
    PipelineReport report;
    const EditLimits limits;
    std::vector<Datum> inputs = sample_inputs(module->main(), {}, 11 + round);
    if (round >= 3)
      for (Datum& d : inputs)
        if (d.is_tensor() && dtypes::floats.has(d.tensor().dtype())) d = special(d.tensor(), bits, round);
    std::optional<ValueCheck> check;
    try {
      check.emplace(*module, inputs, report);
    } catch (const Error&) {
      continue;  // the program refuses these numbers
    }
    Editor editor(report, limits, &*check);
    PassContext ctx{*module, editor};
    try {
      if (rules.front().build)
        apply_rules(*module, rules, editor);
      else
        pass.run(ctx);
      verify(*module);
      check->after_pass(c.rule);
    } catch (const Error& e) {
      return cat("inputs ", round, ": ", e.what(), "\n", program);
    }
    if (report.rules[c.rule].fired == 0) return "";  // does not accept this type
    counts.programs += !counted, counted = true;
    ++counts.runs;
  }
  return "";
}

TEST(Obligations, HoldForEveryTypeAndSpecialNumbers) {
  std::map<std::string, Counts> counts;
  for (auto list : {normalize_cases(), stabilize_cases(), fuse_cases()})
    for (const RuleCase& c : list) {
      if (!c.must_not) continue;
      for (const Pass& pass : all_passes()) {
        std::vector<Rule> rules;
        for (const Rule& r : pass.rules)
          if (r.name == c.rule) rules.push_back(r);
        if (rules.empty()) continue;
        const std::string program = std::string("graph @main") + c.program;
        for (const char* type :
             {"f32", "f64", "f16", "bf16", "i32", "i64", "u8", "i8", "u32", "u64", "i16", "u16", "bool"}) {
          if (std::string(type) != "f32" && program.find("f32") == program.npos) continue;
          const std::string wrong = broken(c, with_type(program, type), pass, rules, counts[c.rule]);
          EXPECT_EQ(wrong, "") << c.rule << " of " << type;
        }
      }
    }
  int programs = 0, runs = 0;
  for (const auto& [rule, n] : counts) {
    EXPECT_GT(n.runs, 0) << rule << " fires nowhere";
    programs += n.programs, runs += n.runs;
  }
  std::cout << counts.size() << " rules on " << programs << " programs, " << runs << " runs\n";
}

}  // namespace
}  // namespace tc
