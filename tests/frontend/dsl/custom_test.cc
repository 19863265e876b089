// Gradients of one's own.
#include <gtest/gtest.h>

#include <cmath>

#include "helpers.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"
#include "tc/tc.h"

namespace tc {
namespace {

std::vector<float> run1(const Function& f, const std::vector<Tensor>& inputs, size_t output = 0) {
  verify(f.module());
  const Tensor y = compile(f)(inputs)[output],
               z = interpret(f.module(), {inputs.begin(), inputs.end()})[output].tensor();
  for (int64_t i = 0; i < y.size(); ++i) {
    const auto k = static_cast<size_t>(i);
    EXPECT_NEAR(y.span<float>()[k], z.span<float>()[k], 1e-4f);
  }
  const auto s = z.span<float>();
  return {s.begin(), s.end()};
}

TEST(StopGradient, HidesADependence) {
  const Function f = trace("f", {{"x", f32, {2}}}, [](Var x) { return sum(x * stop_gradient(x * x)); });
  EXPECT_EQ(run1(grad(f), {row({2, 3})}), (std::vector<float>{4, 9}));
  EXPECT_EQ(run1(jvp(f), {row({2, 3}), row({1, 0})}, 1), (std::vector<float>{4}));
}

// Rules that are not what differentiation would find: they tell whether they are used.
const auto thrice = custom_vjp([](Var x) { return x * x; }, [](Var x, Var, Var g) { return 3 * x * g; });
const auto thrice_forward = custom_jvp([](Var x) { return x * x; }, [](Var x, Var t) { return 3 * x * t; });

TEST(CustomGradient, IsUsedByBothModesAndBothOrders) {
  const std::vector<Input> inputs = {{"x", f32, {2}}};
  const auto check_one = [&](const auto& g) {
    const Function f = trace("f", inputs, [&](Var x) { return sum(g(x) * 2); });
    EXPECT_EQ(run1(f, {row({2, 5})}), (std::vector<float>{58}));
    EXPECT_EQ(run1(grad(f), {row({2, 5})}), (std::vector<float>{12, 30}));
    EXPECT_EQ(run1(jvp(f), {row({2, 5}), row({1, 10})}, 1), (std::vector<float>{312}));
    // Of the rule 6x: 6.
    const Function slope = trace("slope", inputs, [&](Var x) { return sum(grad(sum(g(x) * 2), {x})[0]); });
    EXPECT_EQ(run1(grad(slope), {row({2, 5})}), (std::vector<float>{6, 6}));
    EXPECT_EQ(run1(jvp(slope), {row({2, 5}), row({1, 10})}, 1), (std::vector<float>{66}));
    EXPECT_EQ(run1(grad(jvp(f), {"x"}), {row({2, 5}), row({1, 10})}), run1(grad(f), {row({2, 5})}));
  };
  check_one(thrice);
  check_one(thrice_forward);
}

TEST(CustomGradient, TakesAndReturnsSeveral) {
  // The integer has no gradient; the second result is none.
  const auto scaled = custom_vjp(
      [](Var x, Var y, Var n) {
        return std::tuple{x * y, n + 1, x - y};
      },
      [](Var x, Var y, Var n, Var, Var m, Var, Var g, Var h) {
        EXPECT_EQ(m.dtype(), i64);
        return std::pair{g * y + 100 * h, g * x * astype(n, f32)};
      });
  const auto tangents = custom_jvp(
      [](Var x, Var y, Var n) {
        return std::tuple{x * y, n + 1, x - y};
      },
      [](Var x, Var y, Var n, Var tx, Var ty) {
        return std::pair{tx * y + ty * x * astype(n, f32), 100 * tx};
      });
  const auto check_one = [&](const auto& g) {
    const Function f = trace("f", {{"x", f32, {2}}, {"y", f32, {2}}, {"n", i64, {}}}, [&](Var x, Var y, Var n) {
      const auto [p, m, d] = g(x, y, n);
      return std::pair{sum(p) + sum(d), m};
    });
    const std::vector<Tensor> in = {row({1, 2}), row({3, 4}), Tensor::scalar<int64_t>(7)};
    EXPECT_EQ(run1(grad(f, {"x", "y"}), in), (std::vector<float>{103, 104}));
    EXPECT_EQ(run1(grad(f, {"x", "y"}), in, 1), (std::vector<float>{7, 14}));
    std::vector<Tensor> moving = in;
    moving.push_back(row({1, 0}));
    EXPECT_EQ(run1(jvp(f, {"x"}), moving, 2), (std::vector<float>{103}));
  };
  check_one(scaled);
  check_one(tangents);
}

TEST(CustomGradient, WorksInLoopsBranchesAndOtherPrograms) {
  for (const bool forward : {false, true}) {
    const auto g = [&](Var x) { return forward ? thrice_forward(x) : thrice(x); };
    const Function inner = trace("inner", {{"x", f32, {"n"}}}, [&](Var x) { return g(x) + 1; });
    const Function f = trace("f", {{"x", f32, {"n"}}}, [&](Var x) {
      Var y = fori_loop(0, 2, [&](Var, Var v) { return g(v); }, {x});
      y = cond(
          sum(y) > 0, [&] { return g(y); }, [&] { return y; });
      return sum(inner({y})[0]);
    });
    // Each of the four rules multiplies by 3/2 what differentiation would find: y = x^16 + 1.
    const double slope = 16 * std::pow(1.1, 15) * std::pow(1.5, 4);
    EXPECT_NEAR(run1(grad(f), {row({1.1f})})[0] / slope, 1, 1e-5);
    EXPECT_NEAR(run1(jvp(f), {row({1.1f}), row({1})}, 1)[0] / slope, 1, 1e-5);
    for (const ExportFunctions functions : {ExportFunctions::inlined, ExportFunctions::local}) {
      const std::string file = export_onnx_bytes(grad(f), {.functions = functions});
      EXPECT_NEAR(run1(load_onnx(file.data(), file.size(), nullptr), {row({1.1f})})[0] / slope, 1, 1e-5);
    }
  }
}

// Arrays have no history; bodies of loops, traces and jitted functions are programs, which go by the rule.
TEST(CustomGradient, IsUsedWhileProgramsRunAtOnce) {
  const Eager eager;
  const auto floats = [](const Var& v) {
    const Tensor t = v.tensor();
    return std::vector<float>(t.span<float>().begin(), t.span<float>().end());
  };
  const Var x = asarray(row({2, 5}));
  const auto check_one = [&](const auto& g) {
    EXPECT_EQ(floats(g(x)), (std::vector<float>{4, 25}));
    EXPECT_EQ(floats(g(g(x) - 4)), (std::vector<float>{0, 441}));
    const auto slope = [&](Var v) { return grad(sum(g(v)), {v})[0]; };
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(floats(fori_loop(0, 2, [&](Var, Var v) { return slope(v); }, {x})), (std::vector<float>{18, 45}));
    EXPECT_EQ(floats(jit(slope)(x)), (std::vector<float>{6, 15}));
    EXPECT_EQ(floats(cond(
                  true, [&] { return g(x); }, [&] { return x; })),
              (std::vector<float>{4, 25}));
    const Function f = trace("f", {{"x", f32, {2}}}, [&](Var v) { return sum(g(v) * x); });
    EXPECT_EQ(run1(grad(f), {row({1, 10})}), (std::vector<float>{6, 150}));
    EXPECT_EQ(floats(grad(f)({x})[0]), (std::vector<float>{12, 75}));
  };
  check_one(thrice);
  check_one(thrice_forward);
  // Arrays that functions and rules capture are constants there.
  const auto scaled = custom_vjp([&](Var v) { return v * x; }, [&](Var, Var, Var s) { return s * x * 10; });
  EXPECT_EQ(floats(scaled(x)), (std::vector<float>{4, 25}));
  EXPECT_EQ(floats(jit([&](Var v) { return grad(sum(scaled(v)), {v})[0]; })(x)), (std::vector<float>{20, 50}));
  EXPECT_EQ(floats(stop_gradient(x)), (std::vector<float>{2, 5}));
  // What runs at once leaves no functions behind.
  EXPECT_TRUE(dsl::Tracer::current().module()->functions().empty());
}

TEST(CustomGradient, SaysWhatIsWrong) {
  const std::vector<Input> inputs = {{"x", f32, {2}}};
  const auto complaint = [&](auto f) { return what([&] { trace("f", inputs, f); }); };
  const auto id = [](Var x) { return x; };
  const int line = __LINE__ + 1;
  const std::string text = complaint([&](Var x) { return custom_vjp(id, [](Var, Var g) { return g; })(x); });
  EXPECT_TRUE(contains(text, "the rule takes 2 arguments, it is given 3"));
  EXPECT_TRUE(contains(text, cat("custom_test.cc:", line)));
  EXPECT_TRUE(contains(complaint([&](Var x) {
                         return custom_vjp(id, [](Var, Var, Var g) { return std::pair{g, g}; })(x);
                       }),
                       "the rule returns 2 values, expected 1"));
  EXPECT_TRUE(contains(complaint([&](Var x) { return custom_vjp(id, [](Var, Var, Var g) { return sum(g); })(x); }),
                       "value 0 that the rule returns is f32[], expected f32[2]"));
  EXPECT_TRUE(contains(
      complaint([&](Var x) { return custom_vjp([&](Var y) { return y + x; }, [](Var, Var, Var g) { return g; })(x); }),
      "belongs to another program"));
  EXPECT_TRUE(contains(complaint([&](Var x) { return custom_jvp(id, [](Var, Var, Var t) { return t; })(x); }),
                       "the rule takes 3 arguments, it is given 2"));
  EXPECT_TRUE(contains(complaint([&](Var x) { return custom_jvp(id, [](Var, Var t) {
                                                return std::pair{t, t};
                                              })(x); }),
                       "the rule returns 2 values, expected 1: the tangents"));
  const Param w("w", row({1, 2}));
  EXPECT_TRUE(contains(
      complaint([&](Var x) { return custom_vjp([&](Var y) { return y + w; }, [](Var, Var, Var g) { return g; })(x); }),
      "uses the parameter 'w'"));
}

}  // namespace
}  // namespace tc
