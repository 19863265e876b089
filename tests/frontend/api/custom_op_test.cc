// Ops that a program registers, and values that print themselves.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>

#include "tc/ir/eval/interp.h"
#include "tc/ir/module.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"
#include "tc/tc.h"

namespace tc {
namespace {

std::atomic<int> kernel_runs = 0;

std::vector<Type> like_first(const std::vector<CustomArgument>& x) {
  return {x[0].type};
}

std::vector<Tensor> shrunk(const std::vector<Tensor>& x) {
  ++kernel_runs;
  const double scale = static_cast<double>(x[1].span<float>()[0]);
  Tensor y(f32, x[0].extents());
  for (size_t i = 0; i < y.span<float>().size(); ++i) {
    const double v = static_cast<double>(x[0].span<float>()[i]);
    y.mutable_span<float>()[i] = static_cast<float>(v / (1 + scale * std::abs(v)));
  }
  return {y};
}

// x / (1 + scale |x|), by a kernel, with a body in tc's functions.
constexpr const char* kShrink = "tests.ops.Shrink";
// The same, with a gradient that is not what differentiation finds, and without a body.
constexpr const char* kOpaque = "tests.ops.Opaque";

void register_all() {
  static const bool once = [] {
    const CustomOp shrink = {.domain = "tests.ops",
                             .name = "Shrink",
                             .attributes = {{"scale", Tensor::scalar(1.f)}},
                             .infer = like_first,
                             .kernel = shrunk};
    register_op(shrink, {.body = rule([](Var x, Var scale) { return x / (1 + scale * abs(x)); })});
    CustomOp opaque = shrink;
    opaque.name = "Opaque";
    register_op(opaque, {.gradient = rule([](Var x, Var, Var, Var g) { return std::pair{3 * x * g, sum(g * 0)}; })});
    register_op({.domain = "tests.ops", .name = "Square"}, {.body = rule([](Var x) { return x * x; })});
    register_op({.domain = "tests.ops", .name = "Plain", .infer = like_first, .reference = shrunk});
    register_op({.domain = "tests.ops", .name = "WrongShape", .infer = like_first, .kernel = [](const auto&) {
                   return std::vector<Tensor>{Tensor::of<float>({3}, {1, 2, 3})};
                 }});
    register_op({.domain = "tests.ops", .name = "WrongType", .infer = like_first, .kernel = [](const auto& x) {
                   return std::vector<Tensor>{Tensor(f64, x[0].extents())};
                 }});
    register_op({.domain = "tests.ops",
                 .name = "Throws",
                 .infer = [](const std::vector<CustomArgument>& x) -> std::vector<Type> {
                   if (x[0].type.dtype() != f32) throw std::invalid_argument("only f32");
                   return {x[0].type};
                 },
                 .kernel = [](const auto&) -> std::vector<Tensor> { throw std::runtime_error("no licence"); }});
    return true;
  }();
  (void)once;
}

Tensor row(std::initializer_list<float> values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}
using Row = std::vector<float>;

Function program(const char* name, double scale = 1) {
  register_all();
  return trace("f", {{"x", f32, {"n"}}}, [&](Var x) { return custom_op(name, {x * 2}, {{"scale", scale}}) + 1; });
}

const Row kIn = {1, -2, 0.5}, kOut = {2.f / 3 + 1, -4.f / 5 + 1, 1.5f};

void expect_near(const Row& got, const Row& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6f) << i;
}
Row values(const std::vector<Tensor>& t, size_t i = 0) {
  return t.at(i).to_vector<float>();
}
Function from_bytes(const std::string& bytes) {
  const auto owner = std::make_shared<const std::string>(bytes);
  return load_onnx(owner->data(), owner->size(), owner);
}
template <class F>
std::string error_of(ErrorCode code, F f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(CustomOp, RunsInPlansInTheInterpreterAndAtOnce) {
  for (const char* name : {kShrink, kOpaque}) {
    const Function f = program(name);
    verify(f.module());
    const int before = kernel_runs;
    for (const int level : {0, 2}) expect_near(values(compile(f, {.level = level})({row({1, -2, 0.5})})), kOut);
    EXPECT_EQ(kernel_runs, before + 2);
    expect_near(interpret(f.module(), {row({1, -2, 0.5})})[0].tensor().to_vector<float>(), kOut);
    expect_near(values(compile(parse(f.str()))({row({1, -2, 0.5})})), kOut);
  }
  const Eager eager;
  const Var y = custom_op(kShrink, {row({2, -4})}, {{"scale", 0.5}});
  expect_near(y.value()->constant()->to_vector<float>(), {1, -4.f / 3});
}

TEST(CustomOp, IsPartOfOtherProgramsAndLoops) {
  const Function f = program(kShrink), g = program(kOpaque);
  const Function both = trace("both", {{"x", f32, {3}}}, [&](Var x) { return f(x)[0] + g(x)[0]; });
  expect_near(values(compile(both)({row({1, -2, 0.5})})), {kOut[0] * 2, kOut[1] * 2, kOut[2] * 2});
  const Function loop = trace("loop", {{"x", f32, {3}}}, [&](Var x) {
    return fori_loop(0, 3, [](Var, Var v) { return custom_op(kShrink, {v}); }, {x});
  });
  expect_near(values(compile(loop)({row({1, -2, 0.5})})), {1.f / 4, -2.f / 7, 1.f / 5});
}

TEST(CustomOp, IsDifferentiatedByItsBodyOrItsRule) {
  register_all();
  const auto loss = [&](const char* name) {
    return trace("loss", {{"x", f32, {3}}}, [&](Var x) { return sum(custom_op(name, {x})); });
  };
  expect_near(values(compile(grad(loss(kShrink)))({row({1, -2, 0.5})})), {1.f / 4, 1.f / 9, 4.f / 9});
  expect_near(values(compile(jvp(loss(kShrink)))({row({1, -2, 0.5}), row({0, 1, 0})}), 1), {1.f / 9});
  expect_near(values(compile(grad(loss(kOpaque)))({row({1, -2, 0.5})})), {3, -6, 1.5});
  const std::string none = error_of(ErrorCode::no_gradient, [&] {
    (void)grad(trace("loss", {{"x", f32, {3}}}, [&](Var x) { return sum(custom_op("tests.ops.Plain", {x, 1.f})); }));
  });
  EXPECT_NE(none.find("tests.ops.Plain has no gradient"), std::string::npos) << none;
}

TEST(CustomOp, WithABodyAloneIsAFunctionAsAnyOther) {
  register_all();
  const Function f = trace("f", {{"x", f32, {3}}}, [](Var x) { return sum(custom_op("tests.ops.Square", {x})); });
  expect_near(values(compile(f)({row({1, -2, 0.5})})), {5.25});
  expect_near(values(compile(grad(f))({row({1, -2, 0.5})})), {2, -4, 1});
}

TEST(CustomOp, WrongResultsAreOneErrorAtTheLine) {
  register_all();
  const auto run = [](const char* name, Extents extents) {
    const Function f = trace("f", {{"x", f32, {"n"}}}, [&](Var x) { return custom_op(name, {x}); });
    compile(f)({Tensor(f32, std::move(extents))});
  };
  const std::string shape = error_of(ErrorCode::bad_shape, [&] { run("tests.ops.WrongShape", {2}); });
  EXPECT_NE(shape.find("custom_op_test.cc"), std::string::npos) << shape;
  EXPECT_NE(shape.find("[3]"), std::string::npos) << shape;
  const std::string type = error_of(ErrorCode::bad_type, [&] { run("tests.ops.WrongType", {2}); });
  EXPECT_NE(type.find("tests.ops.WrongType: result 0 is f64[2], its inference says f32[n]"), std::string::npos) << type;
  const std::string thrown = error_of(ErrorCode::bad_value, [&] { run("tests.ops.Throws", {2}); });
  EXPECT_NE(thrown.find("tests.ops.Throws: no licence"), std::string::npos) << thrown;
  const std::string inferred = error_of(ErrorCode::bad_type, [&] {
    trace("f", {{"x", f64, {2}}}, [](Var x) { return custom_op("tests.ops.Throws", {x}); });
  });
  EXPECT_NE(inferred.find("tests.ops.Throws: only f32"), std::string::npos) << inferred;
}

TEST(CustomOp, WrongUsesAreErrors) {
  register_all();
  const auto use = [](std::string name, Attributes attributes) {
    trace("f", {{"x", f32, {2}}}, [&](Var x) { return custom_op(name, {x}, attributes); });
  };
  EXPECT_NE(
      error_of(ErrorCode::unknown_op, [&] { use("tests.ops.Shrnk", {}); }).find("did you mean 'tests.ops.Shrink'?"),
      std::string::npos);
  EXPECT_NE(error_of(ErrorCode::bad_attribute,
                     [&] {
                       use(kShrink, {{"scala", 2.0}});
                     })
                .find("did you mean 'scale'?"),
            std::string::npos);
  error_of(ErrorCode::bad_argument, [] { register_op({.domain = "tests.ops", .name = "Empty"}); });
  error_of(ErrorCode::bad_argument,
           [] { register_op({.domain = "ai.onnx", .name = "Relu", .infer = like_first, .kernel = shrunk}); });
  error_of(ErrorCode::bad_argument,
           [] { register_op({.domain = "tests.ops", .name = "Shrink", .infer = like_first, .kernel = shrunk}); });
}

TEST(CustomOp, GoesIntoFilesAsItsBodyOrAsANode) {
  const Function f = program(kShrink, 0.5);
  const std::vector<Tensor> in = {row({1, -2, 0.5})};
  const Row out = values(compile(f)(in));
  for (const ExportFunctions functions : {ExportFunctions::inlined, ExportFunctions::local}) {
    const Function body = from_bytes(export_onnx_bytes(f, {.functions = functions}));
    EXPECT_NE(body.str().find("abs"), std::string::npos) << body.str();
    expect_near(values(compile(body)(in)), out);
  }
  const std::string bytes = export_onnx_bytes(f, {.custom_ops = ExportCustomOps::nodes});
  const Function node = from_bytes(bytes);
  EXPECT_NE(node.str().find("call @tests.ops.Shrink"), std::string::npos) << node.str();
  EXPECT_EQ(node.str().find("abs"), std::string::npos) << node.str();
  const int before = kernel_runs;
  expect_near(values(compile(node)(in)), out);
  EXPECT_EQ(kernel_runs, before + 1);
  // Once more: what was read is written.
  expect_near(values(compile(from_bytes(export_onnx_bytes(node, {.custom_ops = ExportCustomOps::nodes})))(in)), out);
  expect_near(values(compile(from_bytes(export_onnx_bytes(program(kOpaque, 0.5))))(in)), out);
}

TEST(DebugPrint, PrintsWhatARunComputes) {
  const Function f = trace("f", {{"x", f32, {2}}}, [](Var x) {
    return sum(debug_print(x * 2, "doubled") * debug_print(x, "unused") * 0 + debug_print(x * 2, "doubled"));
  });
  testing::internal::CaptureStderr();
  EXPECT_EQ(values(compile(f)({row({1, 3})})), (Row{8}));
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_NE(printed.find("doubled "), std::string::npos) << printed;
  EXPECT_NE(printed.find("6"), std::string::npos) << printed;
  testing::internal::CaptureStderr();
  EXPECT_EQ(values(compile(grad(trace("g", {{"x", f32, {2}}}, [](Var x) { return sum(square(debug_print(x))); })))(
                {row({1, 3})})),
            (Row{2, 6}));
  testing::internal::GetCapturedStderr();
}

TEST(DebugPrint, IsDroppedFromFilesOrBecomesAnOutput) {
  const Function f = trace("f", {{"x", f32, {2}}}, [](Var x) {
    return Outputs{{"y", sum(debug_print(x * 2, "doubled"))}};
  });
  const auto names = [](const Function& g) {
    std::vector<std::string> result;
    for (const ValueInfo& v : g.outputs()) result.push_back(v.name);
    return result;
  };
  const Function dropped = from_bytes(export_onnx_bytes(f)),
                 output = from_bytes(export_onnx_bytes(f, {.prints = ExportPrints::outputs}));
  EXPECT_EQ(names(dropped), (std::vector<std::string>{"y"}));
  EXPECT_EQ(names(output), (std::vector<std::string>{"y", "doubled"}));
  const auto y = compile(output)({row({1, 3})});
  EXPECT_EQ(values(y), (Row{8}));
  EXPECT_EQ(values(y, 1), (Row{2, 6}));
  testing::internal::CaptureStderr();
  EXPECT_EQ(values(compile(dropped)({row({1, 3})})), (Row{8}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace tc
