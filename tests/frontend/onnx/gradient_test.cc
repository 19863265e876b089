// The operator Gradient: which function it differentiates, and where.
#include <gtest/gtest.h>

#include "function_cases.h"
#include "tc/frontend/onnx/model_writer.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/verify.h"
#include "tc/tc.h"
#include "tc/tools/common/compare.h"

namespace tc {
namespace {

using namespace tc::model_writer;

const NodeExtras kTraining = {.domain = "ai.onnx.preview.training", .name = "the_gradient"};

std::string gradient(const Names& inputs, const Names& outputs, const std::string& y, const Names& xs,
                     const Names& zs = {}) {
  Messages attributes = {attr_s("y", y), attr_strings("xs", xs)};
  if (!zs.empty()) attributes.push_back(attr_strings("zs", zs));
  return node("Gradient", inputs, outputs, attributes, kTraining);
}

Function load_model(const Messages& nodes, const Names& inputs, const Names& outputs, const Messages& functions = {},
                    const Messages& initializers = {}) {
  Messages in, out;
  for (const auto& name : inputs) in.push_back(value_info(name, kF32, {"N"}));
  for (const auto& name : outputs) out.push_back(value_info(name, kF32, {"N"}));
  const auto bytes = std::make_shared<const std::string>(model(
      graph(nodes, in, out, initializers), {functions, {{"", 18}, {"my", 1}, {"ai.onnx.preview.training", 1}}, 10}));
  return load_onnx(bytes->data(), bytes->size(), bytes);
}

struct Case {
  const char* name;
  Messages nodes;
  Names inputs, outputs;
  std::vector<Tensor> values, expected;
  Messages functions = {};

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

std::vector<Case> cases() {
  const std::string square =
      function("my", "Square", {"v"}, {"s"}, {node("Mul", {"v", "v"}, {"s"})}, {.opsets = {{"", 18}}});
  const std::string branch = graph({gradient({"x"}, {"inside"}, "y", {"x"})}, {}, {value_info("inside")});
  const std::string other = graph({node("Neg", {"x"}, {"negated"})}, {}, {value_info("negated")});
  return {
      {"of_the_values_that_are_named",
       {node("Mul", {"x", "w"}, {"h"}), node("Mul", {"h", "x"}, {"y"}),
        gradient({"x", "w"}, {"dx", "dw"}, "y", {"x", "w"})},
       {"x", "w"},
       {"dx", "dw"},
       {f32s({1, 2}), f32s({3, 5})},
       {f32s({6, 20}), f32s({1, 4})}},
      {"at_another_point",
       {node("Mul", {"x", "w"}, {"h"}), node("Mul", {"h", "x"}, {"y"}),
        gradient({"q", "w"}, {"dx"}, "y", {"x"}, {"w"})},
       {"x", "w", "q"},
       {"y", "dx"},
       {f32s({1, 2}), f32s({3, 5}), f32s({10, 100})},
       {f32s({3, 20}), f32s({60, 1000})}},
      {"one_value_for_two_variables",
       {node("Mul", {"x", "w"}, {"y"}), gradient({"q", "q"}, {"dx", "dw"}, "y", {"x", "w"})},
       {"x", "w", "q"},
       {"dx", "dw"},
       {f32s({1}), f32s({2}), f32s({7})},
       {f32s({7}), f32s({7})}},
      {"what_is_held_constant",
       {node("Mul", {"x", "x"}, {"z"}), node("Mul", {"z", "x"}, {"y"}), gradient({"x", "z"}, {"dx"}, "y", {"x"}, {"z"}),
        gradient({"x"}, {"all"}, "y", {"x"})},
       {"x"},
       {"dx", "all"},
       {f32s({3})},
       {f32s({9}), f32s({27})}},
      {"with_respect_to_a_value_inside",
       {node("Exp", {"x"}, {"h"}), node("Mul", {"h", "h"}, {"y"}), gradient({"h"}, {"dh"}, "y", {"h"})},
       {"x"},
       {"dh"},
       {f32s({0})},
       {f32s({2})}},
      {"of_a_value_that_does_not_depend",
       {node("Neg", {"x"}, {"y"}), gradient({"w"}, {"dw"}, "y", {"w"})},
       {"x", "w"},
       {"dw"},
       {f32s({1, 2}), f32s({3, 4})},
       {f32s({0, 0})}},
      {"of_a_gradient",
       {node("Mul", {"x", "x"}, {"s"}), node("Mul", {"s", "x"}, {"y"}), gradient({"x"}, {"first"}, "y", {"x"}),
        gradient({"x"}, {"second"}, "first", {"x"})},
       {"x"},
       {"first", "second"},
       {f32s({2, 3})},
       {f32s({12, 27}), f32s({12, 18})}},
      // The call stays in use after it has been differentiated.
      {"through_a_function",
       {node("Square", {"x"}, {"s"}, {}, kMy), node("Square", {"s"}, {"y"}, {}, kMy),
        gradient({"x"}, {"dx"}, "y", {"x"}), gradient({"q"}, {"dq"}, "y", {"x"}), node("Add", {"s", "y"}, {"after"})},
       {"x", "q"},
       {"dx", "dq", "after"},
       {f32s({2}), f32s({3})},
       {f32s({32}), f32s({108}), f32s({20})},
       {square}},
      {"inside_a_branch",
       {node("Mul", {"x", "x"}, {"y"}), node("ReduceSum", {"x"}, {"sum"}, {attr_i("keepdims", 0)}),
        node("Constant", {}, {"zero"}, {attr_f("value_float", 0)}), node("Greater", {"sum", "zero"}, {"positive"}),
        node("If", {"positive"}, {"g"}, {attr_g("then_branch", branch), attr_g("else_branch", other)})},
       {"x"},
       {"g"},
       {f32s({2, 3})},
       {f32s({4, 6})}},
  };
}

class Gradient : public testing::TestWithParam<Case> {};

TEST_P(Gradient, IsWhatTheFunctionHas) {
  const Case& c = GetParam();
  const Function f = load_model(c.nodes, c.inputs, c.outputs, c.functions);
  verify(f.module());
  const std::vector<Datum> values(c.values.begin(), c.values.end());
  const auto expect = [&](const std::vector<Datum>& got, const char* how) {
    ASSERT_EQ(got.size(), c.expected.size()) << how;
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(difference(got[i], c.expected[i], {1e-6, 0, 0}), "") << how << ": " << c.outputs[i];
  };
  InterpOptions checked;
  checked.check_types = true;
  expect(interpret(f.module(), values, checked), "interpreter");
  for (const int level : {0, 2}) expect(compile(f, {.level = level}).run(values), level ? "-O2" : "-O0");
}

INSTANTIATE_TEST_SUITE_P(All, Gradient, testing::ValuesIn(cases()), [](const auto& c) { return c.param.name; });

TEST(GradientOperator, SaysWhatIsWrong) {
  const std::string square = node("Mul", {"x", "x"}, {"y"});
  const struct {
    Messages nodes;
    ErrorCode code;
    std::string text;
  } refused[] = {
      {{gradient({"x"}, {"dx"}, "nothing", {"x"})}, ErrorCode::bad_graph, "'nothing' is not defined"},
      {{square, gradient({"x"}, {"dx"}, "y", {"w"})}, ErrorCode::bad_graph, "'w' is not defined"},
      {{square, gradient({}, {"dx"}, "y", {"x"})}, ErrorCode::bad_graph, "0 inputs for the 1 of"},
      {{square, gradient({"x"}, {"dx"}, "y", {})}, ErrorCode::bad_attribute, "'xs'"},
      {{square, node("Gradient", {"x"}, {"dx"}, {attr_strings("xs", {"x"})}, kTraining)},
       ErrorCode::bad_attribute,
       "'y' is missing"},
      {{node("Shape", {"x"}, {"y"}), gradient({"x"}, {"dx"}, "y", {"x"})}, ErrorCode::no_gradient, "i64"},
      {{square, node("Shape", {"x"}, {"i"}), gradient({"i"}, {"dx"}, "y", {"x"})}, ErrorCode::bad_type, "input 0"},
  };
  for (const auto& r : refused) {
    try {
      load_model(r.nodes, {"x"}, {"dx"});
      ADD_FAILURE() << "accepted: " << r.text;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), r.code) << e.what();
      EXPECT_NE(std::string(e.what()).find(r.text), std::string::npos) << e.what();
      const char* where = r.code == ErrorCode::no_gradient ? "Shape" : "the_gradient";
      EXPECT_NE(std::string(e.what()).find(where), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace tc
