// Tracing: what becomes of operators and numbers, symbolic shapes, names, and errors at the line of the call.
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "helpers.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/verify.h"
#include "tc/tc.h"

namespace tc {
namespace {

std::vector<Tensor> run(const Function& f, const std::vector<Tensor>& inputs) {
  verify(f.module());
  std::vector<Tensor> result;
  for (const Datum& d : interpret(f.module(), {inputs.begin(), inputs.end()})) result.push_back(d.tensor());
  return result;
}

// What a call that fails says: its first line, and all of it.
struct Complaint {
  ErrorCode code = ErrorCode::internal;
  std::string location, text;
};
template <class F>
Complaint complaint(const std::vector<Input>& inputs, F f) {
  try {
    trace("f", inputs, f);
  } catch (const Error& e) {
    return {e.code(), e.diagnostic().location, e.what()};
  }
  ADD_FAILURE() << "no error";
  return {};
}
testing::AssertionResult says(const Complaint& c, std::string_view words) {
  if (c.text.find(words) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << words << "' is not in: " << c.text;
}

TEST(Trace, BuildsAFunction) {
  const Function f = trace("line", {{"x", f32, {"n", 2}}, {"w", f32, {2}}}, [](Var x, Var w) {
    return Outputs{{"y", x * w + 1}, {"big", x > 2.5}};
  });
  EXPECT_EQ(f.name(), "line");
  ASSERT_EQ(f.inputs().size(), 2u);
  EXPECT_EQ(f.inputs()[0].name, "x");
  EXPECT_EQ(f.inputs()[0].type.str(), "f32[n,2]");
  ASSERT_EQ(f.outputs().size(), 2u);
  EXPECT_EQ(f.outputs()[0].name, "y");
  EXPECT_EQ(f.outputs()[0].type.str(), "f32[n,2]");
  EXPECT_EQ(f.outputs()[1].type.str(), "bool[n,2]");
  const auto y = run(f, {Tensor::of<float>({2, 2}, {1, 2, 3, 4}), Tensor::of<float>({2}, {10, 100})});
  EXPECT_TRUE(y[0].identical(Tensor::of<float>({2, 2}, {11, 201, 31, 401})));
  EXPECT_EQ(compile(f)({Tensor::of<float>({1, 2}, {1, 2}), Tensor::of<float>({2}, {10, 100})})[0].extents(),
            (tc::Extents{1, 2}));
}

TEST(Trace, TakesAndReturnsStructures) {
  const Function f = trace("f", {{"a", i32, {}}, {"b", i32, {}}, {"c", i32, {}}}, [](std::vector<Var> v) {
    return std::tuple{v[0], std::pair{v[1], std::vector<Var>{v[2], v[0] + v[1]}}};
  });
  EXPECT_EQ(f.outputs().size(), 4u);
  const auto y = run(f, {Tensor::scalar<int32_t>(1), Tensor::scalar<int32_t>(2), Tensor::scalar<int32_t>(4)});
  EXPECT_TRUE(y[3].identical(Tensor::scalar<int32_t>(3)));
}

TEST(Trace, NumbersTakeTheTensorsType) {
  const auto type_of = [](DType t, auto f) { return trace("f", {{"x", t, {3}}}, f).outputs()[0].type.dtype(); };
  for (const DType t : {f16, bf16, f32, f64}) {
    EXPECT_EQ(type_of(t, [](Var x) { return 1 - x * 2.5; }), t);
    EXPECT_EQ(type_of(t, [](Var x) { return clip(maximum(x, 0), 1, 2.5); }), t);
  }
  for (const DType t : {i8, u8, i16, u16, i32, u32, i64, u64}) EXPECT_EQ(type_of(t, [](Var x) { return 3 + x; }), t);
  EXPECT_EQ(type_of(bool_, [](Var x) { return x & true; }), bool_);
}

TEST(Trace, PromotesAsTheArrayApiDoes) {
  const auto sum = [](DType a, DType b) {
    return trace("f", {{"a", a, {}}, {"b", b, {}}}, [](Var x, Var y) { return x + y; }).outputs()[0].type.dtype();
  };
  EXPECT_EQ(sum(i8, u8), i16);
  EXPECT_EQ(sum(u8, i8), i16);
  EXPECT_EQ(sum(u8, i64), i64);
  EXPECT_EQ(sum(u32, i8), i64);
  EXPECT_EQ(sum(u16, u32), u32);
  EXPECT_EQ(sum(f16, f32), f32);
  EXPECT_EQ(sum(f32, f64), f64);
  EXPECT_EQ(sum(f16, bf16), f32);
}

TEST(Trace, RefusesMixedKinds) {
  const auto mix = [](DType a, DType b) {
    return complaint({{"a", a, {2}}, {"b", b, {2}}}, [](Var x, Var y) { return x + y; });
  };
  Complaint c = mix(i32, f32);
  EXPECT_EQ(c.code, ErrorCode::bad_type);
  EXPECT_TRUE(says(c, "i32[2] and f32[2] have no common element type"));
  EXPECT_TRUE(says(c, "astype(x, tc::f32)"));
  EXPECT_TRUE(says(mix(u64, i8), "no common"));
  EXPECT_TRUE(says(complaint({{"a", i32, {2}}}, [](Var x) { return x & 0.5; }), "the fraction 0.5 does not go"));
  EXPECT_TRUE(says(complaint({{"a", u8, {2}}}, [](Var x) { return x + 256; }), "256 does not fit"));
  EXPECT_TRUE(says(complaint({{"a", f32, {2}}}, [](Var x) { return x + true; }), "the boolean true does not go"));
  c = complaint({{"a", i32, {3}}}, [](Var x) { return exp(x); });
  EXPECT_TRUE(says(c, "exp: an operand is i32[3], expected floating-point numbers"));
  EXPECT_TRUE(says(c, "astype(x, tc::f32)"));
}

TEST(Trace, ErrorsComeAtTheUsersLine) {
  int line = 0;
  const auto here = [&](int l) { return std::string(__FILE__) + ":" + std::to_string(l); };
  const std::vector<Input> inputs = {{"x", f32, {"batch", 3}}, {"w", f32, {4, 5}}};
  Complaint c = complaint(inputs, [&](Var x, Var w) {
    line = __LINE__ + 1;
    return tanh(x + w);
  });
  EXPECT_EQ(c.code, ErrorCode::bad_shape);
  EXPECT_EQ(c.location, here(line));
  EXPECT_TRUE(says(c, "f32[batch,3], f32[4,5]"));
  // A function made of several: still the user's line.
  c = complaint(inputs, [&](Var x, Var w) {
    line = __LINE__ + 1;
    return hypot(x, w);
  });
  EXPECT_EQ(c.location, here(line));
  EXPECT_TRUE(says(c, "hypot:"));
  // A trace's own mistakes come at the trace.
  line = __LINE__ + 1;
  c = complaint({{"x", f32, {2}}, {"x", f32, {2}}}, [](Var x, Var) { return x; });
  EXPECT_TRUE(says(c, "two inputs are named 'x'"));
}

TEST(Trace, SuggestsWhatMayBeMeant) {
  const auto add = [](std::vector<Extent> a, std::vector<Extent> b) {
    return complaint({{"a", f32, std::move(a)}, {"b", f32, std::move(b)}}, [](Var x, Var y) { return x + y; });
  };
  EXPECT_TRUE(says(add({4, 7}, {4}), "did you mean expand_dims(second, -1)"));
  EXPECT_TRUE(says(add({5}, {5, 6, 7}), "2 trailing axes"));
  EXPECT_TRUE(says(add({3, 4}, {4, 3}), "matrix_transpose"));
}

TEST(Trace, NodesKnowTheirLine) {
  const Function f = trace("f", {{"x", f32, {2}}}, [](Var x) {
    return exp(x);  // line A
  });
  const int line = __LINE__ - 2;
  const Node* node = f.module().main().output(0)->def();
  EXPECT_EQ(node->location(), "trace_test.cc:" + std::to_string(line));
}

TEST(Trace, VarsDoNotLeaveTheirProgram) {
  Var leaked;
  trace("first", {{"x", f32, {2}}}, [&](Var x) { return leaked = x + 1; });
  EXPECT_EQ(leaked.type().str(), "f32[2]");
  const Complaint c = complaint({{"x", f32, {2}}}, [&](Var x) { return x + leaked; });
  EXPECT_EQ(c.code, ErrorCode::bad_argument);
  EXPECT_TRUE(says(c, "belongs to another program, 'first'"));
  EXPECT_THROW(static_cast<void>(leaked + 1), Error);
  EXPECT_THROW(static_cast<void>(Var() + 1), Error);
  EXPECT_TRUE(says(complaint({{"x", f32, {2}}}, [](Var x) { return x + Var(); }), "undefined"));
  EXPECT_TRUE(says(complaint({{"x", f32, {2}}}, [](Var, Var y) { return y; }), "declares 1 inputs"));
}

TEST(Trace, ReadsSymbolicExtents) {
  const Function f = trace("f", {{"x", f32, {"n", 3}}}, [](Var x) {
    EXPECT_EQ(x.rank(), 2);
    EXPECT_EQ(x.dim(0).str(), "n");
    EXPECT_EQ(x.dim(-1), 3);
    EXPECT_EQ(x.size().str(), "3*n");
    return x / (x.dim(0) * 2 + 1);
  });
  const auto y = run(f, {Tensor::of<float>({2, 3}, {5, 10, 15, 20, 25, 30})});
  EXPECT_TRUE(y[0].identical(Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})));
  EXPECT_TRUE(says(complaint({{"x", f32, {"n"}}}, [](Var x) { return x * Dim::symbol("m"); }), "extent 'm'"));
}

// What would do nothing does not compile: x[0] = y, x.at(0) = x.at(1), x[slice(0, 1), 2].
static_assert(std::is_assignable_v<Var&, Var> && std::is_assignable_v<Var&, const Var&>);
static_assert(!std::is_assignable_v<Var, Var> && !std::is_assignable_v<Var, const Var&>);
static_assert(!std::is_assignable_v<Indexed, Indexed> && !std::is_assignable_v<Indexed&, Indexed>);
template <class A, class B>
concept Comma = requires(A a, B b) {
  a, b;
};
static_assert(Comma<int, Var> && !Comma<IndexRange, int> && !Comma<int, IndexRange>);
static_assert(!Comma<Ellipsis, IndexRange> && !Comma<NewAxis, Var>);

TEST(Trace, FunctionsAreCalledInTraces) {
  const Function half = trace("half", {{"x", f32, {"n"}}}, [](Var x) { return x * 0.5; });
  const Function f = trace("f", {{"x", f32, {3}}}, [&](Var x) { return half({x + 1})[0]; });
  EXPECT_EQ(f.outputs()[0].type.str(), "f32[3]");
  EXPECT_TRUE(run(f, {Tensor::of<float>({3}, {1, 2, 3})})[0].identical(Tensor::of<float>({3}, {1, 1.5, 2})));
  EXPECT_TRUE(says(complaint({{"x", i32, {3}}}, [&](Var x) { return half({x}); }), "argument 0 is i32[3]"));
  EXPECT_TRUE(says(complaint({{"x", f32, {3}}}, [&](Var x) { return half({x, x}); }), "takes 1 arguments, got 2"));
}

TEST(Trace, CallsOfFunctionsKeepTheirNamesApart) {
  const Function twice = parse(R"(
func @square(%x: f32[N]) {
  %0 = mul %x, %x : f32[N]
  return %0
}
graph @main(%x: f32[N]) {
  %0 = call @square %x : f32[N]
  return %0
}
)");
  const Function f = trace("f", {{"x", f32, {2}}}, [&](Var x) { return twice({twice({x})[0]}); });
  EXPECT_TRUE(run(f, {Tensor::of<float>({2}, {2, 3})})[0].identical(Tensor::of<float>({2}, {16, 81})));
}

TEST(Trace, LabelsThatAreNoClassStopARun) {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 4, 1, 1, 1});
  const auto loss = [&](DType t, CrossEntropyOptions options) {
    return trace("f", {{"x", f32, {"n", 3}}, {"l", t, {"n"}}},
                 [&](Var v, Var l) { return cross_entropy(v, l, options); });
  };
  const auto value = [&](const Function& f, int64_t a, int64_t b, int level = 2) {
    const Tensor labels = Tensor::of<int64_t>({2}, {a, b});
    return compile(f, {.level = level})({x, labels})[0].span<float>()[0];
  };
  const float first = std::log(std::exp(-3.f) + std::exp(-2.f) + 1) + 3, second = std::log(3.f);
  const Function f = loss(i64, {});
  EXPECT_NEAR(value(f, 0, 1), (first + second) / 2, 1e-6);
  for (const int level : {0, 1, 2})
    for (const int64_t bad : {-1, -3, -4, 3}) EXPECT_THROW(value(f, bad, 0, level), Error) << bad << " at " << level;
  for (const int8_t bad : {int8_t{-1}, int8_t{3}})
    EXPECT_THROW(compile(loss(i8, {}))({x, Tensor::of<int8_t>({2}, {bad, 0})}), Error) << int{bad};
  for (const int64_t ignored : {-100, -1, 3, 1}) {
    EXPECT_NEAR(value(loss(i64, {.ignore_index = ignored}), 0, ignored), first, 1e-6) << ignored;
    EXPECT_NEAR(value(loss(i64, {.reduction = Reduction::sum, .ignore_index = ignored}), ignored, 0), second, 1e-6);
    EXPECT_EQ(value(loss(i64, {.reduction = Reduction::none, .ignore_index = ignored}), ignored, 0), 0);
    EXPECT_TRUE(std::isnan(value(loss(i64, {.ignore_index = ignored}), ignored, ignored)));
  }
  EXPECT_THROW(value(loss(i64, {.ignore_index = -100}), -1, 0), Error);
  // Gradients leave out what is ignored.
  const Function g = grad(loss(i64, {.ignore_index = -100}), {"x"});
  const auto d = compile(g)({x, Tensor::of<int64_t>({2}, {-100, 1})})[0];
  EXPECT_EQ(d.span<float>()[0], 0);
  EXPECT_NEAR(d.span<float>()[3], 1. / 3, 1e-6);
  EXPECT_NEAR(d.span<float>()[4], -2. / 3, 1e-6);
}

TEST(Trace, HandlesStandInForEachOther) {
  const Param w("w", row({1, 2, 3}));
  const Tensor x = row({10, 20, 30});
  const auto value = [&](auto f) { return run(trace("f", {{"x", f32, {3}}}, f), {x})[0]; };
  EXPECT_TRUE(value([&](Var v) { return sum(v.at(slice(2))); }).identical(Tensor::scalar<float>(30)));
  EXPECT_TRUE(value([&](Var v) { return v.at(0) * v.at(1) + v[slice()]; }).identical(row({210, 220, 230})));
  EXPECT_TRUE(value([&](Var v) { return -w + v * w[0] + w.at(2); }).identical(row({12, 21, 30})));
  EXPECT_TRUE(value([&](Var v) { return v[Tensor::of<int64_t>({2}, {2, 0})]; }).identical(row({30, 10})));
  EXPECT_TRUE(value([&](Var v) { return v[std::vector<int64_t>{2, 0}]; }).identical(row({30, 10})));
  EXPECT_TRUE(value([&](Var v) { return grad(sum(v * w * w), {w})[0]; }).identical(row({20, 80, 180})));
  EXPECT_TRUE(value([&](Var v) { return grad(sum(v * w), w); }).identical(x));
  EXPECT_TRUE(value([&](Var v) { return grad(sum(v * w), v); }).identical(w.value()));
  EXPECT_TRUE(value([&](Var v) { return grad(sum(v * w), std::vector<Param>{w})[0]; }).identical(x));
}

TEST(Trace, NamesAreKept) {
  const Function f = trace("f", {{"x", f32, {2}}}, [](Var x) { return exp(x.named("x").named("input")).named("e"); });
  EXPECT_EQ(f.inputs()[0].name, "input");
  EXPECT_EQ(f.outputs()[0].name, "e");
  EXPECT_EQ(trace("f", {{"x", f32, {2}}}, [](Var x) { return x; }).outputs()[0].name, "output");
  EXPECT_EQ(trace("f", {{"x", f32, {2}}}, [](Var x) { return std::pair{x, x}; }).outputs()[1].name, "output_1");
}

}  // namespace
}  // namespace tc
