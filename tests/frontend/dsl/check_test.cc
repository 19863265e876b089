// What programs state about their data: runs that stop, and statements that survive.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "helpers.h"
#include "tc/backend/cpu/run/executable.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"
#include "tc/tc.h"

namespace tc {
namespace {

// What runs of a program say, on the interpreter and compiled at every level.
void expect_runs(const Function& f, const std::vector<Tensor>& inputs, std::string_view says) {
  verify(f.module());
  const std::string text = print(f.module());
  EXPECT_EQ(print(*parse_module(text, "text")), text);
  EXPECT_TRUE(contains(what([&] { interpret(f.module(), {inputs.begin(), inputs.end()}); }), says)) << "interpreted";
  for (const int level : {0, 1, 2})
    EXPECT_TRUE(contains(what([&] { compile(f, {.level = level})(inputs); }), says)) << "level " << level;
}

TEST(Check, StopsARun) {
  int line = 0;
  const Function f = trace("f", {{"x", f32, {"n"}}}, [&](Var x) {
    line = __LINE__ + 1;
    check(x > 0, "x is positive");
    return log(x);
  });
  expect_runs(f, {row({1, 2})}, "no error");
  expect_runs(f, {row({1, -2})}, "x is positive");
  expect_runs(f, {row({1, -2})}, "check-failed");
  expect_runs(f, {row({1, -2})}, cat("check_test.cc:", line));
}

TEST(Check, StaysWhereNobodyUsesResults) {
  // In a branch, in a loop, and in a branch of a loop, whose results all go to waste.
  const Function f = trace("f", {{"x", f32, {"n"}}, {"flag", bool_, {}}}, [](Var x, Var flag) {
    std::ignore = cond(
        flag,
        [&] {
          check(sum(x) < 10, "in a branch");
          return x + 1;
        },
        [&] { return x; });
    std::ignore = fori_loop(0, 3,
                            [&](Var i, Var v) {
                              check(i < 2 + x.dim(0), "in a loop");
                              return v * 2;
                            },
                            {x});
    std::ignore = scan(
        [](Var s, Var v) {
          std::ignore = cond(
              v > 3,
              [&] {
                check(v < 5, "in a branch of a scan");
                return v;
              },
              [&] { return v + 1; });
          return std::pair{s + v, s};
        },
        {0.f}, {x});
    return x;
  });
  const Tensor yes = Tensor::scalar<Bool>(Bool(true)), no = Tensor::scalar<Bool>(Bool(false));
  expect_runs(f, {row({1, 2}), yes}, "no error");
  expect_runs(f, {row({3, 4, 4}), yes}, "in a branch");
  expect_runs(f, {row({3, 4, 4}), no}, "no error");
  expect_runs(f, {row({6, 1, 1}), no}, "in a branch of a scan");
  expect_runs(f, {row({}), no}, "in a loop");
}

TEST(Check, StaysInFunctionsWhoseResultsGoToWaste) {
  const auto positive = custom_vjp(
      [](Var v) {
        check(v > 0, "in a function");
        return v * 2;
      },
      [](Var, Var, Var g) { return g; });
  const Function f = trace("f", {{"x", f32, {2}}}, [&](Var x) {
    std::ignore = positive(x);
    std::ignore = scan(
        [](Var s, Var v) {
          check(v < 9, "in a body");
          return s * v;
        },
        {1.f}, {x}, {.checkpoint = 1});
    return x + 1;
  });
  expect_runs(f, {row({1, 2})}, "no error");
  expect_runs(f, {row({1, -2})}, "in a function");
  expect_runs(f, {row({1, 20})}, "in a body");
}

TEST(Check, IsDecidedWhereItIsKnown) {
  EXPECT_TRUE(contains(what([] {
                         trace("f", {{"x", f32, {3}}}, [](Var x) {
                           check(x.dim(0) == 4, "four");
                           check(asarray(Tensor::scalar<Bool>(Bool(false))), "never");
                           return x;
                         });
                       }),
                       "check-failed: "));
  const Function f = trace("f", {{"x", f32, {"n"}}}, [](Var x) {
    check(asarray(1) + asarray(2) == 3, "arithmetic");
    return x;
  });
  EXPECT_FALSE(contains(print(compile(f).executable().module()), "check"));
  EXPECT_TRUE(contains(what([] { trace("f", {{"x", f32, {3}}}, [](Var x) { return check(x, ""), x; }); }), "booleans"));
}

TEST(Check, LeavesATrailInExports) {
  const Function f = trace("f", {{"x", f32, {2}}}, [](Var x) {
    check(x > 0, "x is positive");
    return x + 1;
  });
  ExportReport report;
  const std::string file = onnx::export_bytes(f.module(), {}, &report);
  EXPECT_TRUE(contains(report.str(), "dropped, as ONNX has no operator that stops a run: 'x is positive'"));
  const Function again = load_onnx(file.data(), file.size(), nullptr);
  EXPECT_TRUE(compile(again)({row({-1, 1})})[0].identical(row({0, 2})));
  EXPECT_TRUE(contains(what([&] { export_onnx_bytes(f, {.checks = ExportChecks::refused}); }), "x is positive"));
}

TEST(Check, BecomesALookupThatFails) {
  const Function f = trace("f", {{"x", f32, {"n"}}, {"k", i64, {}}}, [](Var x, Var k) {
    check(x > 0, "x is positive");
    const Var y = fori_loop(0, k, [](Var i, Var sum) { return check(i < 3, "few steps"), sum + i; }, {0});
    return Outputs{{"y", x + 1}, {"sum", y}, {"late", k > 0}};
  });
  for (const ExportTarget target : {ExportTarget::standard, ExportTarget::ort}) {
    const std::string file = export_onnx_bytes(f, {.target = target, .checks = ExportChecks::trap});
    EXPECT_TRUE(contains(file, "check failed: x is positive"));
    const Function again = load_onnx(file.data(), file.size(), nullptr);
    EXPECT_EQ(again.outputs()[0].name, "y");
    const Compiled run = compile(again);
    const auto steps = [](int64_t k) { return Tensor::scalar<int64_t>(k); };
    EXPECT_TRUE(run({row({1, 2}), steps(3)})[0].identical(row({2, 3})));
    EXPECT_TRUE(run({row({}), steps(3)})[1].identical(steps(3)));
    EXPECT_TRUE(contains(what([&] { std::ignore = run({row({1, -2}), steps(3)}); }), "check failed: x is positive"));
    EXPECT_TRUE(contains(what([&] { std::ignore = run({row({1, 2}), steps(4)}); }), "check failed: few steps"));
  }
}

TEST(Check, StaysInGradients) {
  const Function f = trace("f", {{"x", f32, {"n"}}}, [](Var x) {
    check(x > 0, "x is positive");
    return sum(log(x));
  });
  for (const Function& g : {grad(f), value_and_grad(f), jvp(f)}) {
    std::vector<Tensor> inputs = {row({1, -2})};
    if (g.inputs().size() == 2) inputs.push_back(row({1, 1}));
    expect_runs(g, inputs, "x is positive");
    inputs[0] = row({1, 2});
    expect_runs(g, inputs, "no error");
  }
}

TEST(AssumeShape, MakesShapesKnown) {
  const Function f = trace("f", {{"x", f32, {"n", "m"}}, {"k", i64, {}}}, [](Var x, Var k) {
    const Var y = assume_shape(x, {x.dim(0), 3});
    EXPECT_EQ(y.type().str(), "f32[n,3]");
    EXPECT_EQ(assume_shape(x, {"n", "anything"}).type().str(), "f32[n,m]");
    const Var z = assume_shape(x, {k, "m"}, "k rows");
    const Var square = assume_shape(x, {"n", "n"}, "a square");
    EXPECT_EQ(square.type().str(), "f32[n,n]");
    return std::tuple{y, z, square};
  });
  const auto x = [](int64_t n, int64_t m) { return Tensor(f32, {n, m}); };
  const auto k = [](int64_t v) { return Tensor::scalar<int64_t>(v); };
  expect_runs(f, {x(3, 3), k(3)}, "no error");
  expect_runs(f, {x(3, 4), k(3)}, "another shape than was stated: [n,3]");
  expect_runs(f, {x(3, 3), k(4)}, "k rows");
  expect_runs(f, {x(2, 3), k(2)}, "a square");
  EXPECT_TRUE(contains(what([] {
                         trace("f", {{"x", f32, {3}}}, [](Var v) { return assume_shape(v, {4}); });
                       }),
                       "bad-shape: "));
  EXPECT_TRUE(contains(what([] {
                         trace("f", {{"x", f32, {3}}}, [](Var v) { return assume_shape(v, {3, 1}); });
                       }),
                       "stated to have the shape [3,1]"));
}

TEST(AssumeShape, GivesARank) {
  const Function f = trace("f", {{"x", f32, {6}}, {"shape", i64, {"rank"}}}, [](Var x, Var shape) {
    const Var y = reshape(x, shape);
    EXPECT_FALSE(y.type().shape().ranked());
    return assume_shape(y, {2, "columns"});
  });
  EXPECT_EQ(f.outputs()[0].type.shape().rank(), 2);
  const auto shape = [](std::vector<int64_t> s) { return Tensor::of<int64_t>({static_cast<int64_t>(s.size())}, s); };
  expect_runs(f, {row({1, 2, 3, 4, 5, 6}), shape({2, 3})}, "no error");
  expect_runs(f, {row({1, 2, 3, 4, 5, 6}), shape({3, 2})}, "[2,columns]");
  expect_runs(f, {row({1, 2, 3, 4, 5, 6}), shape({2, 3, 1})}, "[2,columns]");
}

// What stops a run at a NaN or an infinity, and where.
TEST(StopAtNonFinite, NamesNodeLineAndElement) {
  const int line = __LINE__ + 1;
  const Function f = trace("f", {{"x", f32, {2, 3}}}, [](Var x) { return exp(log(x) * 2); });
  const Tensor good = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}),
               bad = Tensor::of<float>({2, 3}, {1, 2, 3, 4, -5, 6});
  const Compiled plain = compile(f);
  EXPECT_TRUE(std::isnan(plain(bad)[0].span<float>()[4]));
  for (const int level : {0, 1, 2}) {
    const Compiled checked = compile(f, {.level = level, .stop_at_nonfinite = true});
    EXPECT_TRUE(checked(good)[0].identical(compile(f, {.level = level})(good)[0]));
    try {
      static_cast<void>(checked(bad));
      ADD_FAILURE() << "the run did not stop at level " << level;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::check_failed);
      EXPECT_EQ(e.diagnostic().location, cat("check_test.cc:", line));
      EXPECT_TRUE(contains(e.what(), "NaN at [1,1] of f32[2,3]"));
      EXPECT_TRUE(contains(e.what(), level ? "gave" : "log ("));
    }
  }
}

TEST(StopAtNonFinite, InputsAndBodies) {
  const Function f = trace("f", {{"x", f64, {2}}, {"n", i64, {}}},
                           [](Var x, Var n) { return fori_loop(0, n, [](Var, Var v) { return v * v; }, {x}); });
  const Compiled checked = compile(f, {.stop_at_nonfinite = true});
  const auto run = [&](double value, int64_t n) {
    return what([&] {
      return checked(std::vector<Tensor>{Tensor::of<double>({2}, {1, value}), Tensor::of<int64_t>({}, {n})});
    });
  };
  EXPECT_EQ(run(1e10, 4), "no error");
  EXPECT_TRUE(contains(run(1e10, 5), "inf at [1] of f64[2]"));
  EXPECT_TRUE(contains(run(-HUGE_VAL, 0), "input 'x' has -inf at [1] of f64[2]"));
}

}  // namespace
}  // namespace tc
