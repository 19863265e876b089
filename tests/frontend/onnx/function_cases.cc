#include "function_cases.h"

#include "tc/frontend/onnx/model_writer.h"

namespace tc {
namespace {

using namespace tc::model_writer;

Tensor boolean(bool v) {
  return Tensor::scalar(Bool(v));
}

std::string vector_f32(const std::string& name) {
  return value_info(name, kF32, {"N"});
}

// y = x + c, for constants in bodies of functions.
std::string constant(const std::string& output, float v) {
  return node("Constant", {}, {output}, {attr_f("value_float", v)});
}

// What most models here share: f32 vectors in and out, the domain "my" and the newest IR version of overloads.
std::string vectors(const Messages& nodes, const Names& inputs, const Names& outputs, const Messages& functions,
                    const Messages& initializers = {}) {
  Messages in, out;
  for (const auto& name : inputs) in.push_back(vector_f32(name));
  for (const auto& name : outputs) out.push_back(vector_f32(name));
  return model(graph(nodes, in, out, initializers), {functions, {{"", 18}, {"my", 1}, {"your", 1}}, 10});
}

// A file's function is what the file says, whatever the library has by that name.
void library_names(std::vector<FunctionCase>& cases) {
  cases.push_back(
      {"name_of_the_library",
       model(graph({node("gammaln", {"x"}, {"y"}, {}, {.domain = "tc.special"})}, {vector_f32("x")}, {vector_f32("y")}),
             {{function("tc.special", "gammaln", {"x"}, {"y"}, {node("Neg", {"x"}, {"y"})})},
              {{"", 18}, {"tc.special", 1}},
              10}),
       {{"x", f32s({3, -5})}},
       {{"y", f32s({-3, 5})}}});
}

void attributes(std::vector<FunctionCase>& cases) {
  // The default, a value of the call, and the attribute that is handed on to a further function.
  const std::string leaky =
      function("my", "Leaky", {"x"}, {"y"}, {node("LeakyRelu", {"x"}, {"y"}, {attr_ref("alpha", "slope", kFloat)})},
               {.defaults = {attr_f("slope", 0.5f)}});
  cases.push_back(
      {"attribute_default",
       vectors({node("Leaky", {"x"}, {"a"}, {}, kMy), node("Leaky", {"x"}, {"b"}, {attr_f("slope", 0.25f)}, kMy)},
               {"x"}, {"a", "b"}, {leaky}),
       {{"x", f32s({-4, 2})}},
       {{"a", f32s({-2, 2})}, {"b", f32s({-1, 2})}}});

  const std::string outer = function("my", "Outer", {"x"}, {"y", "z"},
                                     {node("Leaky", {"x"}, {"y"}, {attr_ref("slope", "steepness", kFloat)}, kMy),
                                      node("Leaky", {"x"}, {"z"}, {}, kMy)},
                                     {.attributes = {"steepness"}, .opsets = {{"", 18}, {"my", 1}}});
  cases.push_back({"attribute_handed_on",
                   vectors({node("Outer", {"x"}, {"a", "b"}, {attr_f("steepness", 2)}, kMy),
                            node("Outer", {"x"}, {"c", ""}, {attr_f("steepness", 4)}, kMy)},
                           {"x"}, {"a", "b", "c"}, {outer, leaky}),
                   {{"x", f32s({-4, 2})}},
                   {{"a", f32s({-8, 2})}, {"b", f32s({-2, 2})}, {"c", f32s({-16, 2})}}});

  // A reference to an attribute that the call leaves out is an absent attribute: the operator's default holds.
  cases.push_back(
      {"attribute_left_out",
       vectors({node("Plain", {"x"}, {"y"}, {}, kMy)}, {"x"}, {"y"},
               {function("my", "Plain", {"x"}, {"y"}, {node("Elu", {"x"}, {"y"}, {attr_ref("alpha", "a", kFloat)})},
                         {.attributes = {"a"}})}),
       {{"x", f32s({0, 3})}},
       {{"y", f32s({0, 3})}}});

  // Lists, tensors, integers and strings.
  const std::string kinds = function("my", "Kinds", {"x"}, {"y"},
                                     {node("Constant", {}, {"t"}, {attr_ref("value", "tensor", kTensor)}),
                                      node("Constant", {}, {"fs"}, {attr_ref("value_floats", "floats", kFloats)}),
                                      node("Constant", {}, {"at"}, {attr_ref("value_ints", "where", kInts)}),
                                      node("Gather", {"fs", "at"}, {"picked"}, {attr_ref("axis", "axis", kInt)}),
                                      node("Concat", {"x", "t"}, {"joined"}, {attr_ref("axis", "axis", kInt)}),
                                      node("Add", {"joined", "picked"}, {"y"})},
                                     {.attributes = {"tensor", "floats", "where"}, .defaults = {attr_i("axis", 0)}});
  cases.push_back({"attributes_of_every_kind",
                   vectors({node("Kinds", {"x"}, {"y"},
                                 {attr_t("tensor", tensor<float>("", {2}, {10, 20})), attr_floats("floats", {1, 2, 3}),
                                  attr_ints("where", {2, 0, 1})},
                                 kMy)},
                           {"x"}, {"y"}, {kinds}),
                   {{"x", f32s({100})}},
                   {{"y", f32s({103, 11, 22})}}});
  cases.push_back(
      {"attribute_string",
       model(graph({node("Round", {"x"}, {"y"}, {}, kMy), node("Round", {"x"}, {"z"}, {attr_s("how", "CRD")}, kMy)},
                   {value_info("x", kF32, {1, 1, 2, 2})},
                   {value_info("y", kF32, {1, "a", "b", "c"}), value_info("z", kF32, {1, "a", "b", "c"})}),
             {{function(
                  "my", "Round", {"x"}, {"y"},
                  {node("Concat", {"x", "x", "x", "x"}, {"four"}, {attr_i("axis", 1)}),
                   node("DepthToSpace", {"four"}, {"y"}, {attr_i("blocksize", 2), attr_ref("mode", "how", kString)})},
                  {.defaults = {attr_s("how", "DCR")}})},
              {{"", 18}, {"my", 1}},
              8}),
       {{"x", Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4})}},
       {{"y", Tensor::of<float>({1, 1, 4, 4}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4})},
        {"z", Tensor::of<float>({1, 1, 4, 4}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4})}}});
}

void names(std::vector<FunctionCase>& cases) {
  // Overloads of one name call each other; that is no recursion.
  const std::string once = function("my", "F", {"x"}, {"y"}, {constant("c", 1), node("Add", {"x", "c"}, {"y"})});
  const std::string twice =
      function("my", "F", {"x"}, {"y"}, {node("F", {"x"}, {"h"}, {}, kMy), node("F", {"h"}, {"y"}, {}, kMy)},
               {.overload = "twice", .opsets = {{"", 18}, {"my", 1}}});
  cases.push_back({"overloads",
                   vectors({node("F", {"x"}, {"a"}, {}, kMy), node("F", {"x"}, {"b"}, {}, {"my", "twice", ""})}, {"x"},
                           {"a", "b"}, {once, twice}),
                   {{"x", f32s({5})}},
                   {{"a", f32s({6})}, {"b", f32s({7})}}});

  const auto adds = [](const std::string& domain, const std::string& name, float v) {
    return function(domain, name, {"x"}, {"y"}, {constant("c", v), node("Add", {"x", "c"}, {"y"})});
  };
  cases.push_back({"same_name_in_two_domains",
                   vectors({node("F", {"x"}, {"a"}, {}, kMy), node("F", {"x"}, {"b"}, {}, {.domain = "your"})}, {"x"},
                           {"a", "b"}, {adds("my", "F", 1), adds("your", "F", 2)}),
                   {{"x", f32s({5})}},
                   {{"a", f32s({6})}, {"b", f32s({7})}}});
  // Both are spelled a.b.c when domain and name are joined.
  cases.push_back(
      {"dots_in_domains",
       model(graph({node("b.c", {"x"}, {"p"}, {}, {.domain = "a"}), node("c", {"x"}, {"q"}, {}, {.domain = "a.b"})},
                   {vector_f32("x")}, {vector_f32("p"), vector_f32("q")}),
             {{adds("a", "b.c", 1), adds("a.b", "c", 2)}, {{"", 18}, {"a", 1}, {"a.b", 1}}, 8}),
       {{"x", f32s({5})}},
       {{"p", f32s({6})}, {"q", f32s({7})}}});

  // Names inside a body are its own, whatever the callers call theirs.
  cases.push_back(
      {"names_do_not_leak",
       vectors({node("Mul", {"x", "x"}, {"c"}), node("Sub1", {"c"}, {"y"}, {}, kMy),
                node("Sub1", {"y"}, {"t"}, {}, kMy), node("Add", {"t", "c"}, {"z"})},
               {"x"}, {"z"},
               {function("my", "Sub1", {"y"}, {"x"},
                         {constant("c", 1), node("Sub", {"y", "c"}, {"t"}), node("Identity", {"t"}, {"x"})})}),
       {{"x", f32s({3})}},
       {{"z", f32s({16})}}});

  // A body follows the opsets that the function names, not the model's.
  cases.push_back(
      {"opset_of_the_body",
       model(
           graph({node("Sum", {"x"}, {"old"}, {}, kMy), node("Constant", {}, {"axis"}, {attr_ints("value_ints", {1})}),
                  node("ReduceSum", {"x", "axis"}, {"new"})},
                 {value_info("x", kF32, {"N", 2})}, {vector_f32("old"), value_info("new", kF32, {"N", 1})}),
           {{function("my", "Sum", {"x"}, {"y"},
                      {node("ReduceSum", {"x"}, {"y"}, {attr_ints("axes", {1}), attr_i("keepdims", 0)})},
                      {.opsets = {{"", 11}}})},
            {{"", 18}, {"my", 1}},
            8}),
       {{"x", Tensor::of<float>({2, 2}, {1, 2, 3, 4})}},
       {{"old", f32s({3, 7})}, {"new", Tensor::of<float>({2, 1}, {3, 7})}},
       "it gives bodies the opset of the model"});
}

void regions(std::vector<FunctionCase>& cases) {
  // Branches capture an input of the function and a value of its body, and refer to its attributes, at two depths.
  const std::string inner =
      graph({node("Greater", {"first", "zero"}, {"positive"}),
             node("If", {"positive"}, {"r"},
                  {attr_g("then_branch", graph({node("Elu", {"d"}, {"e"}, {attr_ref("alpha", "a", kFloat)}),
                                                node("Add", {"x", "e"}, {"r1"})},
                                               {}, {vector_f32("r1")})),
                   attr_g("else_branch", graph({node("LeakyRelu", {"x"}, {"r2"}, {attr_ref("alpha", "a", kFloat)})}, {},
                                               {vector_f32("r2")}))})},
            {}, {vector_f32("r")});
  const std::string choose =
      function("my", "Choose", {"x", "flag"}, {"y"},
               {constant("zero", 0), node("Constant", {}, {"at"}, {attr_i("value_int", 0)}),
                node("Add", {"x", "x"}, {"d"}), node("Gather", {"x", "at"}, {"first"}),
                node("If", {"flag"}, {"y"},
                     {attr_g("then_branch", inner),
                      attr_g("else_branch", graph({node("Neg", {"d"}, {"n"})}, {}, {vector_f32("n")}))})},
               {.defaults = {attr_f("a", 3)}});
  const auto flagged = [&](bool flag, const std::vector<float>& x, const std::vector<float>& y, const char* name) {
    cases.push_back({name,
                     model(graph({node("Choose", {"x", "flag"}, {"y"}, {attr_f("a", 0.5f)}, kMy)},
                                 {vector_f32("x"), value_info("flag", kBool, {})}, {vector_f32("y")}),
                           {{choose}, {{"", 18}, {"my", 1}}, 8}),
                     {{"x", f32s(x)}, {"flag", boolean(flag)}},
                     {{"y", f32s(y)}}});
  };
  flagged(true, {1, 2}, {3, 6}, "branches_in_bodies_then_then");
  flagged(true, {-2, 4}, {-1, 4}, "branches_in_bodies_then_else");
  flagged(false, {1, 2}, {-2, -4}, "branches_in_bodies_else");

  // A loop whose body captures and refers to an attribute: x + count * (x * scale).
  const std::string body = graph(
      {node("Constant", {}, {"scale"}, {attr_ref("value_float", "scale", kFloat)}),
       node("Mul", {"x", "scale"}, {"step"}), node("Add", {"sum", "step"}, {"more"}), node("Identity", {"go"}, {"on"})},
      {value_info("i", kI64, {}), value_info("go", kBool, {}), vector_f32("sum")},
      {value_info("on", kBool, {}), vector_f32("more")});
  const std::string repeat =
      function("my", "Repeat", {"x", "count"}, {"y"}, {node("Loop", {"count", "", "x"}, {"y"}, {attr_g("body", body)})},
               {.attributes = {"scale"}});
  cases.push_back({"loop_in_a_body",
                   model(graph({node("Repeat", {"x", "n"}, {"y"}, {attr_f("scale", 2)}, kMy)},
                               {vector_f32("x"), value_info("n", kI64, {})}, {vector_f32("y")}),
                         {{repeat}, {{"", 18}, {"my", 1}}, 8}),
                   {{"x", f32s({1, -3})}, {"n", Tensor::scalar<int64_t>(4)}},
                   {{"y", f32s({9, -27})}}});

  // A scan over rows, with the function's other input captured.
  const std::string row =
      graph({node("Add", {"state", "r"}, {"s"}), node("Mul", {"s", "w"}, {"o"}), node("Identity", {"s"}, {"next"})},
            {vector_f32("state"), vector_f32("r")}, {vector_f32("next"), vector_f32("o")});
  cases.push_back({"scan_in_a_body",
                   model(graph({node("Rows", {"x", "w"}, {"last", "all"}, {}, kMy)},
                               {value_info("x", kF32, {"T", 2}), vector_f32("w")},
                               {vector_f32("last"), value_info("all", kF32, {"T", 2})}),
                         {{function("my", "Rows", {"x", "w"}, {"last", "all"},
                                    {constant("zero", 0), node("Mul", {"w", "zero"}, {"start"}),
                                     node("Scan", {"start", "x"}, {"last", "all"},
                                          {attr_g("body", row), attr_i("num_scan_inputs", 1)})})},
                          {{"", 18}, {"my", 1}},
                          8}),
                   {{"x", Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})}, {"w", f32s({10, 1})}},
                   {{"last", f32s({9, 12})}, {"all", Tensor::of<float>({3, 2}, {10, 2, 40, 6, 90, 12})}}});

  // A call inside a branch, with a captured argument; the callee has a branch of its own.
  const std::string square =
      function("my", "Clamp", {"v"}, {"w"},
               {constant("one", 1), node("ReduceMax", {"v"}, {"m"}, {attr_i("keepdims", 0)}),
                node("Greater", {"m", "one"}, {"big"}),
                node("If", {"big"}, {"w"},
                     {attr_g("then_branch", graph({node("Div", {"v", "m"}, {"q"})}, {}, {vector_f32("q")})),
                      attr_g("else_branch", graph({node("Identity", {"v"}, {"same"})}, {}, {vector_f32("same")}))})});
  cases.push_back(
      {"call_in_a_branch",
       model(graph({node("Neg", {"x"}, {"minus"}),
                    node("If", {"flag"}, {"y"},
                         {attr_g("then_branch", graph({node("Clamp", {"x"}, {"c"}, {}, kMy)}, {}, {vector_f32("c")})),
                          attr_g("else_branch",
                                 graph({node("Clamp", {"minus"}, {"c"}, {}, kMy)}, {}, {vector_f32("c")}))})},
                   {vector_f32("x"), value_info("flag", kBool, {})}, {vector_f32("y")}),
             {{square}, {{"", 18}, {"my", 1}}, 8}),
       {{"x", f32s({2, 8})}, {"flag", boolean(true)}},
       {{"y", f32s({0.25f, 1})}}});
}

void operands(std::vector<FunctionCase>& cases) {
  // What a call leaves out is left out where the body uses it: at the end, in the middle, and handed on.
  const std::string limit =
      function("my", "Limit", {"x", "low", "high"}, {"y"}, {node("Clip", {"x", "low", "high"}, {"y"})});
  const std::string through =
      function("my", "Through", {"low", "x", "high"}, {"y"}, {node("Limit", {"x", "low", "high"}, {"y"}, {}, kMy)},
               {.opsets = {{"", 18}, {"my", 1}}});
  const Messages bounds = {tensor<float>("lo", {}, {-1}), tensor<float>("hi", {}, {1})};
  cases.push_back(
      {"optional_inputs",
       vectors({node("Limit", {"x", "lo", "hi"}, {"a"}, {}, kMy), node("Limit", {"x", "lo"}, {"b"}, {}, kMy),
                node("Limit", {"x", "", "hi"}, {"c"}, {}, kMy), node("Limit", {"x"}, {"d"}, {}, kMy)},
               {"x"}, {"a", "b", "c", "d"}, {limit}, bounds),
       {{"x", f32s({-3, 0.5f, 3})}},
       {{"a", f32s({-1, 0.5f, 1})},
        {"b", f32s({-1, 0.5f, 3})},
        {"c", f32s({-3, 0.5f, 1})},
        {"d", f32s({-3, 0.5f, 3})}}});
  cases.push_back(
      {"optional_inputs_handed_on",
       vectors({node("Through", {"", "x", "hi"}, {"a"}, {}, kMy), node("Through", {"lo", "x"}, {"b"}, {}, kMy)}, {"x"},
               {"a", "b"}, {limit, through}, bounds),
       {{"x", f32s({-3, 3})}},
       {{"a", f32s({-3, 1})}, {"b", f32s({-1, 3})}}});
  cases.push_back(
      {"optional_inputs_in_branches",
       model(graph({node("Maybe", {"x", "flag", "lo"}, {"a"}, {}, kMy), node("Maybe", {"x", "flag"}, {"b"}, {}, kMy)},
                   {vector_f32("x"), value_info("flag", kBool, {})}, {vector_f32("a"), vector_f32("b")}, bounds),
             {{function("my", "Maybe", {"x", "flag", "low"}, {"y"},
                        {node("If", {"flag"}, {"y"},
                              {attr_g("then_branch", graph({node("Clip", {"x", "low"}, {"c"})}, {}, {vector_f32("c")})),
                               attr_g("else_branch", graph({node("Neg", {"x"}, {"n"})}, {}, {vector_f32("n")}))})})},
              {{"", 18}, {"my", 1}},
              8}),
       {{"x", f32s({-3, 3})}, {"flag", boolean(true)}},
       {{"a", f32s({-1, 3})}, {"b", f32s({-3, 3})}}});

  // Outputs that a call leaves out: at the end, in the middle, and not even mentioned.
  const std::string three =
      function("my", "Three", {"x"}, {"p", "q", "r"},
               {node("Neg", {"x"}, {"p"}), node("Add", {"x", "x"}, {"q"}), node("Abs", {"x"}, {"r"})});
  cases.push_back(
      {"optional_outputs",
       vectors({node("Three", {"x"}, {"a", "", ""}, {}, kMy), node("Three", {"x"}, {"b", "", "c"}, {}, kMy)}, {"x"},
               {"a", "b", "c"}, {three}),
       {{"x", f32s({-3, 3})}},
       {{"a", f32s({3, -3})}, {"b", f32s({3, -3})}, {"c", f32s({3, 3})}}});

  cases.push_back({"trailing_outputs_not_mentioned",
                   vectors({node("Three", {"x"}, {"a"}, {}, kMy)}, {"x"}, {"a"}, {three}),
                   {{"x", f32s({-3, 3})}},
                   {{"a", f32s({3, -3})}},
                   "a call has to mention every output of the function"});

  // Two outputs that are one value, arguments that are one value.
  cases.push_back(
      {"shared_operands",
       vectors({node("Both", {"x", "x"}, {"a", "b"}, {}, kMy), node("Both", {"a", "z"}, {"c", "d"}, {}, kMy)},
               {"x", "z"}, {"b", "c", "d"},
               {function("my", "Both", {"l", "r"}, {"y", "y2"},
                         {node("Sub", {"l", "r"}, {"y"}), node("Identity", {"y"}, {"y2"})})}),
       {{"x", f32s({1, 2})}, {"z", f32s({3, 4})}},
       {{"b", f32s({0, 0})}, {"c", f32s({-3, -4})}, {"d", f32s({-3, -4})}}});
  cases.push_back(
      {"outputs_that_are_inputs",
       vectors({node("Swap", {"x", "z"}, {"a", "b"}, {}, kMy), node("Swap", {"a", "a"}, {"c", "d"}, {}, kMy)},
               {"x", "z"}, {"b", "c", "d"},
               {function("my", "Swap", {"l", "r"}, {"r", "l"}, {node("Add", {"l", "r"}, {"unused"})})}),
       {{"x", f32s({1, 2})}, {"z", f32s({3, 4})}},
       {{"b", f32s({1, 2})}, {"c", f32s({3, 4})}, {"d", f32s({3, 4})}},
       "an output of a function has to be made by one of its nodes"});

  // One function at several types and ranks.
  cases.push_back(
      {"polymorphic",
       model(graph({node("Twice", {"x"}, {"a"}, {}, kMy), node("Twice", {"n"}, {"b"}, {}, kMy),
                    node("Twice", {"s"}, {"c"}, {}, kMy)},
                   {value_info("x", kF32, {"N", 2}), value_info("n", kI64, {3}), value_info("s", kF64, {})},
                   {value_info("a", kF32, {"N", 2}), value_info("b", kI64, {3}), value_info("c", kF64, {})}),
             {{function("my", "Twice", {"x"}, {"y"}, {node("Add", {"x", "x"}, {"y"})})}, {{"", 18}, {"my", 1}}, 8}),
       {{"x", Tensor::of<float>({1, 2}, {1, 2})},
        {"n", Tensor::of<int64_t>({3}, {1, 2, 3})},
        {"s", Tensor::scalar(0.5)}},
       {{"a", Tensor::of<float>({1, 2}, {2, 4})},
        {"b", Tensor::of<int64_t>({3}, {2, 4, 6})},
        {"c", Tensor::scalar(1.0)}}});

  // Shape arithmetic through a call: the target of a Reshape is an argument.
  cases.push_back({"shape_as_argument",
                   model(graph({node("Constant", {}, {"two"}, {attr_ints("value_ints", {-1, 2})}),
                                node("Fold", {"x", "two"}, {"y"}, {}, kMy)},
                               {vector_f32("x")}, {value_info("y", kF32, {"M", 2})}),
                         {{function("my", "Fold", {"x", "to"}, {"y"}, {node("Reshape", {"x", "to"}, {"y"})})},
                          {{"", 18}, {"my", 1}},
                          8}),
                   {{"x", f32s({1, 2, 3, 4})}},
                   {{"y", Tensor::of<float>({2, 2}, {1, 2, 3, 4})}}});
}

// A chain of functions, each of which calls the next with its input plus one.
void depth(std::vector<FunctionCase>& cases) {
  Messages chain;
  for (int i = 0; i < 12; ++i) {
    const std::string next = i == 11 ? "Neg" : "F" + std::to_string(i + 1);
    chain.push_back(function("my", "F" + std::to_string(i), {"x"}, {"y"},
                             {constant("one", 1), node("Add", {"x", "one"}, {"h"}),
                              node(next, {"h"}, {"y"}, {}, i == 11 ? NodeExtras{} : kMy)},
                             {.opsets = {{"", 18}, {"my", 1}}}));
  }
  cases.push_back(
      {"nesting",
       vectors({node("F0", {"x"}, {"a"}, {}, kMy), node("F6", {"x"}, {"b"}, {}, kMy)}, {"x"}, {"a", "b"}, chain),
       {{"x", f32s({1})}},
       {{"a", f32s({-13})}, {"b", f32s({-7})}}});
}

// Nodes in another order than the standard's, as converters write them that append: each waits for what it needs.
void order(std::vector<FunctionCase>& cases) {
  const std::string twice = function("my", "Twice", {"x"}, {"y"}, {node("Add", {"x", "x"}, {"y"})});
  cases.push_back({"nodes_in_reverse",
                   vectors({node("Neg", {"b"}, {"y"}), node("Twice", {"a"}, {"b"}, {}, kMy), node("Abs", {"x"}, {"a"})},
                           {"x"}, {"y"}, {twice}),
                   {{"x", f32s({-4, 2})}},
                   {{"y", f32s({-8, -4})}}});
  const auto branch = [](const std::string& type) {
    return graph({node(type, {"later"}, {"r"})}, {}, {vector_f32("r")});
  };
  cases.push_back(
      {"capture_of_a_later_node",
       vectors({node("Constant", {}, {"c"}, {attr_t("value", raw_tensor("", kBool, {}, "\1"))}),
                node("If", {"c"}, {"y"}, {attr_g("then_branch", branch("Neg")), attr_g("else_branch", branch("Abs"))}),
                node("Twice", {"x"}, {"later"}, {}, kMy)},
               {"x"}, {"y"}, {twice}),
       {{"x", f32s({-4, 2})}},
       {{"y", f32s({8, -4})}}});
}

// Extents that only the data tells are those of one copy of a body: of a call, or of an iteration.
void unknown_extents(std::vector<FunctionCase>& cases) {
  const Messages keep_positive = {constant("zero", 0), node("Greater", {"x", "zero"}, {"which"}),
                                  node("Compress", {"x", "which"}, {"y"})};
  const std::string positive = function("my", "Positive", {"x"}, {"y"}, keep_positive);
  cases.push_back(
      {"unknown_extents_of_calls",
       vectors({node("Positive", {"a"}, {"p"}, {}, kMy), node("Positive", {"b"}, {"q"}, {}, kMy),
                node("Concat", {"p", "q"}, {"both"}, {attr_i("axis", 0)}), node("Mul", {"p", "q"}, {"product"})},
               {"a", "b"}, {"p", "q", "both", "product"}, {positive}),
       {{"a", f32s({1, -2, 3, 4})}, {"b", f32s({-1, 5, -1, -1})}},
       {{"p", f32s({1, 3, 4})}, {"q", f32s({5})}, {"both", f32s({1, 3, 4, 5})}, {"product", f32s({5, 15, 20})}}});

  Messages body = keep_positive;
  body.push_back(node("ReduceSum", {"y"}, {"sum"}, {attr_i("keepdims", 0)}));
  body.push_back(node("Add", {"s", "sum"}, {"t"}));
  const auto scan = [](const Messages& nodes) {
    return node("Scan", {"start", "rows"}, {"end", "sums"},
                {attr_i("num_scan_inputs", 1), attr_g("body", graph(nodes, {value_info("s"), value_info("x")},
                                                                    {value_info("t"), value_info("sum")}))});
  };
  const std::string start = value_info("start", kF32, {}), sums = value_info("sums", kF32, {"T"}),
                    end = value_info("end", kF32, {});
  cases.push_back({"unknown_extents_of_iterations",
                   model(graph({scan(body)}, {start, value_info("rows", kF32, {3, 2})}, {end, sums})),
                   {{"start", Tensor::scalar(1.0f)}, {"rows", Tensor::of<float>({3, 2}, {1, 2, -3, 4, -5, -6})}},
                   {{"end", Tensor::scalar(8.0f)}, {"sums", f32s({3, 4, 0})}}});

  // A scan over nothing, whose state has a rank only when it runs.
  const std::string any = field(1, "start") + field(2, field(1, scalar(1, kF32)));
  cases.push_back({"scan_over_nothing",
                   model(graph({scan({node("Add", {"s", "x"}, {"t"}), node("Mul", {"t", "x"}, {"sum"})})},
                               {any, value_info("rows", kF32, {"T", "C"})}, {value_info("end"), value_info("sums")})),
                   {{"start", f32s({1, 2})}, {"rows", Tensor(DType::f32, {0, 2})}},
                   {{"end", f32s({1, 2})}, {"sums", Tensor(DType::f32, {0, 2})}},
                   "it wants the shapes of a body's outputs where no step tells them"});
}

// Operators that ONNX Runtime's optimiser writes in models that do not import its domain, or into older opsets.
void of_onnx_runtime(std::vector<FunctionCase>& cases) {
  const NodeExtras kMicrosoft{.domain = "com.microsoft"};
  const auto one = [](const std::string& n, const Messages& inputs, const Messages& initializers = {}) {
    return model(graph({n}, inputs, {value_info("y")}, initializers), {{}, {{"", 12}}, 8});
  };
  const Tensor x = Tensor::of<float>({2, 2}, {1, 3, 5, 9});
  const std::string in = value_info("x", kF32, {2, 2});
  cases.push_back({"layer_norm_before_opset_17",
                   one(node("LayerNormalization", {"x", "g"}, {"y"}, {attr_f("epsilon", 0)}), {in},
                       {tensor<float>("g", {2}, {1, 2})}),
                   {{"x", x}},
                   {{"y", Tensor::of<float>({2, 2}, {-1, 2, -1, 2})}}});
  cases.push_back({"inverse",
                   one(node("Inverse", {"x"}, {"y"}, {}, kMicrosoft), {value_info("x", kF32, {"B", "N", "N"})}),
                   {{"x", Tensor::of<float>({2, 2, 2}, {0, 2, 1, 0, 1, 2, 3, 4})}},
                   {{"y", Tensor::of<float>({2, 2, 2}, {0, 1, 0.5f, 0, -2, 1, 1.5f, -0.5f})}}});
  cases.push_back(
      {"transpose_matmul",
       one(node("TransposeMatMul", {"x", "x"}, {"y"}, {attr_i("transA", 1), attr_f("alpha", 2)}, kMicrosoft), {in}),
       {{"x", x}},
       {{"y", Tensor::of<float>({2, 2}, {52, 96, 96, 180})}}});
  cases.push_back({"expand_dims",
                   one(node("ExpandDims", {"x", "at"}, {"y"}, {}, kMicrosoft), {in},
                       {raw_tensor("at", kI32, {}, std::string(4, '\xff'))}),
                   {{"x", x}},
                   {{"y", Tensor::of<float>({2, 2, 1}, {1, 3, 5, 9})}}});
  cases.push_back({"range_by_one",
                   one(node("Range", {"x", "end"}, {"y"}, {}, kMicrosoft), {value_info("x", kF32, {1})},
                       {tensor<float>("end", {}, {4})}),
                   {{"x", f32s({1.5f})}},
                   {{"y", f32s({1.5f, 2.5f, 3.5f})}}});
  cases.push_back({"pads_of_one_row",
                   one(node("Pad", {"x", "pads", "v"}, {"y"}, {}, kMicrosoft), {in},
                       {tensor<int64_t>("pads", {1, 4}, {0, 1, 1, 0}), tensor<float>("v", {1}, {7})}),
                   {{"x", x}},
                   {{"y", Tensor::of<float>({3, 3}, {7, 1, 3, 7, 5, 9, 7, 7, 7})}}});
  cases.push_back({"grid_sample",
                   one(node("GridSample", {"x", "grid"}, {"y"}, {attr_i("align_corners", 1)}, kMicrosoft),
                       {value_info("x", kF32, {1, 1, 2, 2})}, {tensor<float>("grid", {1, 1, 2, 2}, {0, 0, 1, -1})}),
                   {{"x", Tensor::of<float>({1, 1, 2, 2}, {1, 3, 5, 9})}},
                   {{"y", Tensor::of<float>({1, 1, 1, 2}, {4.5f, 3})}}});
}

}  // namespace

std::vector<FunctionCase> function_cases() {
  std::vector<FunctionCase> cases;
  unknown_extents(cases);
  of_onnx_runtime(cases);
  order(cases);
  attributes(cases);
  library_names(cases);
  names(cases);
  regions(cases);
  operands(cases);
  depth(cases);
  return cases;
}

}  // namespace tc
