// Local functions of ONNX models: what they compute, on every way of running, and how malformed ones are refused.
#include <gtest/gtest.h>

#include "function_cases.h"
#include "tc/frontend/onnx/import.h"
#include "tc/frontend/onnx/model_writer.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"
#include "tc/tc.h"
#include "tc/tools/common/compare.h"

namespace tc {
namespace {

using namespace tc::model_writer;

std::unique_ptr<Module> import_model(const std::string& bytes) {
  const auto kept = std::make_shared<const std::string>(bytes);
  return onnx::import_bytes(kept->data(), kept->size(), kept, "by_hand.onnx");
}

class Functions : public testing::TestWithParam<FunctionCase> {
 protected:
  std::vector<Datum> inputs(const Module& m) const {
    const auto& given = GetParam().inputs;
    std::vector<Datum> values;
    for (const Value* in : m.main().inputs()) {
      const auto it = std::find_if(given.begin(), given.end(), [&](const auto& g) { return g.first == in->name(); });
      EXPECT_NE(it, given.end()) << in->name();
      values.emplace_back(it->second);
    }
    return values;
  }
  void expect_outputs(const std::vector<Datum>& got, const char* how) const {
    const auto& want = GetParam().outputs;
    ASSERT_EQ(got.size(), want.size()) << how;
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_EQ(difference(got[i], want[i].second, {1e-6, 0, 0}), "") << how << ": " << want[i].first;
  }
};

TEST_P(Functions, ComputeWhatTheyShould) {
  const std::shared_ptr<const Module> module = import_model(GetParam().model);
  verify(*module);
  const std::string text = print(*module);
  EXPECT_EQ(print(*parse_module(text, "printed")), text);
  InterpOptions options;
  options.check_types = true;
  expect_outputs(interpret(*module, inputs(*module), options), "interpreter");
  for (const int level : {0, 2})
    expect_outputs(compile(Function(module), {.level = level}).run(inputs(*module)), level ? "-O2" : "-O0");
}

INSTANTIATE_TEST_SUITE_P(All, Functions, testing::ValuesIn(function_cases()),
                         [](const auto& c) { return c.param.name; });

// Each malformed model, and what its one error must say.
struct Refused {
  const char* name;
  Messages nodes, functions;
  ErrorCode code;
  std::vector<std::string> says;

  friend std::ostream& operator<<(std::ostream& out, const Refused& c) { return out << c.name; }
};

std::string call(const std::string& f, const Names& inputs = {"x"}, const Names& outputs = {"y"},
                 const Messages& attributes = {}) {
  return node(f, inputs, outputs, attributes, {.domain = "my", .name = "call_" + f});
}
std::string body(const std::string& name, const Messages& nodes, FunctionExtras extras = {}) {
  extras.opsets = {{"", 18}, {"my", 1}};
  return function("my", name, {"x"}, {"y"}, nodes, extras);
}

std::vector<Refused> refused() {
  const std::string relu = node("Relu", {"x"}, {"y"});
  const std::string in_branch =
      node("If", {"flag"}, {"y"},
           {attr_g("then_branch", graph({call("F", {"x"}, {"t"})}, {}, {value_info("t")})),
            attr_g("else_branch", graph({node("Neg", {"x"}, {"e"})}, {}, {value_info("e")}))});
  std::vector<Refused> cases = {
      {"calls_itself", {call("F")}, {body("F", {call("F")})}, ErrorCode::bad_graph, {"my.F", "calls itself", "call_F"}},
      {"circle_of_three",
       {call("F")},
       {body("F", {call("G")}), body("G", {call("H")}), body("H", {call("F")})},
       ErrorCode::bad_graph,
       {"my.F", "calls itself", "my.H"}},
      {"calls_itself_in_a_branch",
       {call("F")},
       {body("F", {node("ReduceMax", {"x"}, {"m"}, {attr_i("keepdims", 0)}),
                   node("Cast", {"m"}, {"flag"}, {attr_i("to", kBool)}), in_branch})},
       ErrorCode::bad_graph,
       {"my.F", "calls itself"}},
      {"too_many_inputs",
       {call("F", {"x", "x"})},
       {body("F", {relu})},
       ErrorCode::bad_graph,
       {"has 1 input,", "has 2", "call_F"}},
      {"too_many_outputs",
       {call("F", {"x"}, {"y", "z"})},
       {body("F", {relu})},
       ErrorCode::bad_graph,
       {"has 1 output,", "has 2", "call_F"}},
      {"unknown_attribute",
       {call("F", {"x"}, {"y"}, {attr_f("alpah", 1)})},
       {body("F", {relu}, {.attributes = {"alpha"}})},
       ErrorCode::bad_attribute,
       {"my.F", "alpah", "alpha"}},
      {"attribute_of_a_wrong_kind",
       {call("F", {"x"}, {"y"}, {attr_i("a", 1)})},
       {body("F", {node("Elu", {"x"}, {"y"}, {attr_ref("alpha", "a", kFloat)})}, {.attributes = {"a"}})},
       ErrorCode::bad_attribute,
       {"Elu", "alpha", "float", "int", "in function my.F"}},
      {"reference_to_no_attribute",
       {call("F")},
       {body("F", {node("Elu", {"x"}, {"y"}, {attr_ref("alpha", "a", kFloat)})})},
       ErrorCode::bad_attribute,
       {"alpha", "'a'", "my.F"}},
      {"reference_outside_a_function",
       {node("Elu", {"x"}, {"y"}, {attr_ref("alpha", "a", kFloat)})},
       {},
       ErrorCode::bad_attribute,
       {"alpha", "'a'", "function"}},
      {"required_attribute_left_out",
       {call("F")},
       {body("F", {node("Concat", {"x", "x"}, {"y"}, {attr_ref("axis", "a", kInt)})}, {.attributes = {"a"}})},
       ErrorCode::bad_attribute,
       {"axis", "missing"}},
      {"no_such_function", {call("Gelo")}, {body("Gelu", {relu})}, ErrorCode::unknown_op, {"my.Gelo", "Gelu"}},
      {"no_such_overload",
       {node("F", {"x"}, {"y"}, {}, {"my", "fast", ""})},
       {body("F", {relu}), body("F", {relu}, {.overload = "slow"})},
       ErrorCode::unknown_op,
       {"my.F", "overload 'fast'"}},
      {"defined_twice",
       {call("F")},
       {body("F", {relu}), body("F", {node("Neg", {"x"}, {"y"})})},
       ErrorCode::bad_graph,
       {"my.F", "twice"}},
      {"output_without_a_definition",
       {call("F")},
       {body("F", {node("Relu", {"x"}, {"z"})})},
       ErrorCode::bad_graph,
       {"output 'y'", "my.F"}},
      {"body_uses_a_value_of_the_caller",
       {node("Neg", {"x"}, {"outside"}), call("F")},
       {body("F", {node("Add", {"x", "outside"}, {"y"})})},
       ErrorCode::bad_graph,
       {"'outside'", "in function my.F"}},
      {"body_defines_its_input",
       {call("F")},
       {body("F", {node("Neg", {"x"}, {"x"}), relu})},
       ErrorCode::bad_graph,
       {"'x'", "twice", "in function my.F"}},
      {"input_declared_twice",
       {call("F", {"x", "x"})},
       {function("my", "F", {"x", "x"}, {"y"}, {relu})},
       ErrorCode::bad_graph,
       {"my.F", "'x'", "twice"}},
      {"unsupported_operators_inside",
       {call("F", {"x"}, {"h"}), call("G", {"h"})},
       {body("F", {node("Relo", {"x"}, {"y"})}), body("G", {node("Nog", {"x"}, {"y"})})},
       ErrorCode::unknown_op,
       {"2 findings", "Relo", "Nog"}},
      {"missing_operator_in_two_calls",
       {call("F", {"x"}, {"h"}), call("F", {"x"}, {"y"})},
       {body("F", {node("Relo", {"x"}, {"y"})})},
       ErrorCode::unknown_op,
       {"Relo", "did you mean Relu"}},
      {"opset_of_a_body",
       {call("F", {"x"}, {"h"}), call("F", {"x"}, {"y"})},
       {function("my", "F", {"x"}, {"y"}, {relu}, {.opsets = {{"", 99}}})},
       ErrorCode::unknown_op,
       {"function my.F", "opset 99"}},
      {"types_that_do_not_fit_inside",
       {call("F")},
       {body("F", {node("Not", {"x"}, {"y"}, {}, {.name = "negation"})})},
       ErrorCode::bad_type,
       {"negation", "in function my.F"}},
  };
  // Functions that call functions, deeper than anyone needs.
  Messages chain;
  for (int i = 0; i < 100; ++i)
    chain.push_back(body("F" + std::to_string(i), {i == 99 ? relu : call("F" + std::to_string(i + 1))}));
  cases.push_back({"chain_too_long", {call("F0")}, chain, ErrorCode::limit_nesting, {"deep"}});
  return cases;
}

class RefusedFunctions : public testing::TestWithParam<Refused> {};

TEST_P(RefusedFunctions, SayWhy) {
  const Refused& c = GetParam();
  const std::string bytes = model(graph(c.nodes, {value_info("x", kF32, {"N"})}, {value_info("y")}),
                                  {c.functions, {{"", 18}, {"my", 1}}, 10});
  try {
    import_model(bytes);
    FAIL() << "imported";
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_EQ(e.code(), c.code) << text;
    for (const auto& words : c.says)
      EXPECT_NE(text.find(words), std::string::npos) << "lacks: " << words << "\n" << text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RefusedFunctions, testing::ValuesIn(refused()),
                         [](const auto& c) { return c.param.name; });

std::string calling(const std::string& f, const Messages& functions) {
  return model(graph({call(f)}, {value_info("x", kF32, {"N"})}, {value_info("y")}),
               {functions, {{"", 18}, {"my", 1}}, 10});
}

void expect_limit(ErrorCode code, const std::string& says, const std::function<void()>& act) {
  try {
    act();
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
  }
}

// Instances per call: f_i calls f_(i+1) twice, with attributes that differ. 2^levels instances would be needed.
TEST(FunctionBudget, InstancesThatGrowExponentially) {
  Messages functions;
  const int levels = 30;
  for (int i = 0; i < levels; ++i) {
    Messages nodes;
    Names declared;
    Messages handed_on;
    for (int k = 0; k < i; ++k) {
      declared.push_back("a" + std::to_string(k));
      handed_on.push_back(attr_ref(declared.back(), declared.back(), kInt));
    }
    const std::string own = "a" + std::to_string(i);
    for (int which : {0, 1}) {
      Messages attributes = handed_on;
      attributes.push_back(attr_i(own, which));
      nodes.push_back(i + 1 == levels
                          ? node("Neg", {"x"}, {"h" + std::to_string(which)})
                          : call("F" + std::to_string(i + 1), {"x"}, {"h" + std::to_string(which)}, attributes));
    }
    nodes.push_back(node("Add", {"h0", "h1"}, {"y"}));
    functions.push_back(body("F" + std::to_string(i), nodes, {.attributes = declared}));
  }
  expect_limit(ErrorCode::limit_size, "instances", [&] { import_model(calling("F0", functions)); });
}

// Few instances, but f_i calls f_(i+1) twice: the flat program would have 2^levels nodes.
TEST(FunctionBudget, BodiesThatGrowExponentially) {
  Messages functions;
  const int levels = 30;
  for (int i = 0; i < levels; ++i) {
    const std::string next = "F" + std::to_string(i + 1);
    functions.push_back(i + 1 == levels
                            ? body("F" + std::to_string(i), {node("Neg", {"x"}, {"y"})})
                            : body("F" + std::to_string(i), {call(next, {"x"}, {"h"}), call(next, {"h"}, {"y"})}));
  }
  const Function f(import_model(calling("F0", functions)));
  for (const int level : {0, 2})
    expect_limit(ErrorCode::limit_size, "the program would have more than", [&] { compile(f, {.level = level}); });
}

// Branches within branches through calls, also where the callee has been instantiated before.
TEST(FunctionBudget, BranchesNestThroughCalls) {
  const auto branching = [](const std::string& name, const std::string& then) {
    const std::string other = graph({node("Neg", {"x"}, {"e"})}, {}, {value_info("e")});
    return body(
        name,
        {node("ReduceMax", {"x"}, {"m"}, {attr_i("keepdims", 0)}), node("Cast", {"m"}, {"flag"}, {attr_i("to", kBool)}),
         node("If", {"flag"}, {"y"},
              {attr_g("then_branch", graph({then}, {}, {value_info("t")})), attr_g("else_branch", other)})});
  };
  Messages functions, calls;
  const int levels = 40;
  for (int i = 0; i < levels; ++i)
    functions.push_back(branching(
        "F" + std::to_string(i), i == 0 ? node("Exp", {"x"}, {"t"}) : call("F" + std::to_string(i - 1), {"x"}, {"t"})));
  const auto innermost_first = [&](int n) {
    Messages nodes;
    for (int i = 0; i < n; ++i) nodes.push_back(call("F" + std::to_string(i), {"x"}, {"y" + std::to_string(i)}));
    return model(graph(nodes, {value_info("x", kF32, {"N"})}, {value_info("y" + std::to_string(n - 1))}),
                 {functions, {{"", 18}, {"my", 1}}, 10});
  };
  const auto compiled = compile(Function(import_model(innermost_first(30))));
  EXPECT_EQ(difference(compiled({Tensor::of<float>({1}, {0})})[0], Tensor::of<float>({1}, {0}), {0, 0, 0}), "");
  expect_limit(ErrorCode::limit_nesting, "call_F31", [&] { import_model(innermost_first(levels)); });
}

}  // namespace
}  // namespace tc
