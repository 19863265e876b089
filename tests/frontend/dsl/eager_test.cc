// Computing at once: arrays and functions that compile themselves.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <tuple>

#include "helpers.h"
#include "tc/tc.h"

namespace tc {
namespace {

std::vector<float> floats(const Var& v) {
  const auto s = v.tensor().span<float>();
  return {s.begin(), s.end()};
}
std::vector<int64_t> ints(const Var& v) {
  return to_i64(v.tensor());
}

TEST(Eager, FunctionsRunAtOnce) {
  const Eager eager;
  const Var x = asarray(row({1, 4, 9}));
  EXPECT_EQ(floats(sqrt(x) + 1), (std::vector<float>{2, 3, 4}));
  EXPECT_EQ((x > 2).dtype(), bool_);
  EXPECT_EQ(sum(x).rank(), 0);
  EXPECT_EQ(floats(matmul(reshape(x, {1, 3}), reshape(x, {3, 1}))), (std::vector<float>{98}));
  EXPECT_EQ(ints(arange(4)), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(floats(concat({x, x[{slice({}, {}, -1)}]})), (std::vector<float>{1, 4, 9, 9, 4, 1}));
  EXPECT_EQ(floats(permute_dims(broadcast_to(x, {2, 3}), {1, 0})), (std::vector<float>{1, 1, 4, 4, 9, 9}));
  // Shapes that hang on data are known like any others.
  const Var found = nonzero(x > 2)[0];
  EXPECT_EQ(found.dim(0), Dim(2));
  EXPECT_EQ(floats(x[{x > 2}]), (std::vector<float>{4, 9}));
}

TEST(Eager, UpdatesAreFunctional) {
  const Eager eager;
  const Var old = zeros({2, 3});
  Var x = old;
  for (int64_t i = 0; i < 3; ++i) x = x.at(1, i).set(static_cast<float>(i) + 1);
  EXPECT_EQ(floats(x), (std::vector<float>{0, 0, 0, 1, 2, 3}));
  EXPECT_EQ(floats(old), std::vector<float>(6));
  x += 1;
  EXPECT_EQ(floats(x.at(0).add(row({1, 2, 3}))), (std::vector<float>{2, 3, 4, 2, 3, 4}));
}

TEST(Eager, LoopsAndBranchesRun) {
  const Eager eager;
  const Var x = asarray(row({1, 2, 3}));
  Var y = fori_loop(0, 4, [&](Var, Var v) { return v * x; }, {x});
  EXPECT_EQ(floats(y), (std::vector<float>{1, 32, 243}));
  y = cond(
      sum(x) > 5, [&] { return x + 1; }, [&] { return x - 1; });
  EXPECT_EQ(floats(y), (std::vector<float>{2, 3, 4}));
  const auto [last, all] = scan([](Var s, Var v) { return std::pair{s + v, s * v}; }, {0.f}, {x});
  EXPECT_EQ(floats(last), (std::vector<float>{6}));
  EXPECT_EQ(floats(all), (std::vector<float>{0, 2, 9}));
}

TEST(Eager, CompilesAnOpOnce) {
  const Eager eager;
  const Var x = asarray(row({1, 2, 3}));
  for (int i = 0; i < 5; ++i) std::ignore = tanh(x * static_cast<double>(i));
  EXPECT_EQ(eager.compiled(), 2u);
  std::ignore = tanh(asarray(row({1, 2})));
  EXPECT_EQ(eager.compiled(), 3u);
}

TEST(Eager, CallsFunctionsAndTakesParameters) {
  const Function f = trace("f", {{"x", f32, {"n"}}}, [](Var x) { return std::pair{x * 2, sum(x)}; });
  const Param w("w", row({10, 20}));
  const Eager eager;
  const auto y = f({w + 1});
  EXPECT_EQ(floats(y[0]), (std::vector<float>{22, 42}));
  EXPECT_EQ(floats(y[1]), (std::vector<float>{32}));
  w.assign(row({0, 1}));
  EXPECT_EQ(floats(f({w * 1})[1]), (std::vector<float>{1}));
}

TEST(Eager, ArraysAreConstantsOfTraces) {
  Var x;
  {
    const Eager eager;
    x = exp(asarray(row({0, 0}))) * 3;
  }
  const Function f = trace("f", {{"y", f32, {2}}}, [&](Var y) {
    return y + x + matmul(x, y) +
           cond(
               true, [&] { return x; }, [&] { return y; });
  });
  EXPECT_TRUE(compile(f)({row({1, 2})})[0].identical(row({16, 17})));
}

TEST(Eager, SaysWhatIsWrong) {
  EXPECT_TRUE(contains(what([] { std::ignore = arange(3); }), "make a tc::Eager first"));
  const Eager eager;
  const Var x = asarray(row({1, 2, 3}));
  const int line = __LINE__ + 1;
  const std::string text = what([&] { std::ignore = x[{asarray(Tensor::scalar<int64_t>(7))}]; });
  EXPECT_TRUE(contains(text, "index 7 is out of range for an axis of extent 3"));
  EXPECT_TRUE(contains(text, cat("eager_test.cc:", line)));
  EXPECT_TRUE(contains(what([&] { std::ignore = x + asarray(row({1, 2})); }), "f32[3], f32[2]"));
  EXPECT_TRUE(contains(what([&] { return grad(sum(x), {x}); }), "no history"));
  // A failure leaves nothing behind.
  EXPECT_EQ(floats(x * 2), (std::vector<float>{2, 4, 6}));
  trace("t", {{"y", f32, {2}}}, [&](Var y) {
    EXPECT_TRUE(contains(what([&] { y.tensor(); }), "no elements before its program runs"));
    return y;
  });
}

TEST(Jit, TracesOncePerSignature) {
  int traces = 0;
  auto g = jit([&](Var a, Var b, int64_t power, bool negate) {
    ++traces;
    const Var y = pow(a, power) + b;
    return negate ? -y : y;
  });
  const Tensor a = row({1, 2, 3}), b = row({1, 1, 1});
  EXPECT_TRUE(g(a, b, 2, false).tensor().identical(row({2, 5, 10})));
  EXPECT_TRUE(g(b, a, 2, false).tensor().identical(row({2, 3, 4})));
  EXPECT_EQ(traces, 1);
  EXPECT_TRUE(g(a, b, 2, true).tensor().identical(row({-2, -5, -10})));
  EXPECT_TRUE(g(a, b, 3, false).tensor().identical(row({2, 9, 28})));
  EXPECT_TRUE(g(row({2}), row({1}), 3, false).tensor().identical(row({9})));
  EXPECT_EQ(g(Tensor::of<double>({1}, {2}), Tensor::of<double>({1}, {1}), 3, false).dtype(), f64);
  EXPECT_EQ(traces, 5);
  EXPECT_EQ(g.versions(),
            (std::vector<std::string>{"f32[3], f32[3]; 2, false", "f32[3], f32[3]; 2, true", "f32[3], f32[3]; 3, false",
                                      "f32[1], f32[1]; 3, false", "f64[1], f64[1]; 3, false"}));
  EXPECT_EQ(g.key(a, b, 2, true), g.versions()[1]);
  EXPECT_TRUE(contains(g.graph(g.versions()[0]).str(), "pow"));
  const std::string file = g.onnx(g.versions()[1]);
  const Function again = load_onnx(file.data(), file.size(), nullptr);
  EXPECT_TRUE(compile(again)({a, b})[0].identical(row({-2, -5, -10})));
  EXPECT_TRUE(contains(what([&] { g.graph("f32[3], f32[3]; 2, fals"); }), "did you mean 'f32[3], f32[3]; 2, false'"));
}

TEST(Jit, OneVersionServesAllExtentsOfARank) {
  int traces = 0;
  auto g = jit(
      [&](Var x, Var y) {
        ++traces;
        return std::pair{x + y, mean(x, {.axis = 0})};
      },
      {.shapes = JitShapes::ranks});
  const auto f = [](int64_t n, int64_t m) { return Tensor(f32, {n, m}); };
  for (int64_t n = 2; n < 6; ++n) {
    const auto [s, m] = g(f(n, 3), f(n, 3));
    EXPECT_EQ(s.tensor().extents(), (Extents{n, 3}));
    EXPECT_EQ(m.tensor().extents(), (Extents{3}));
  }
  EXPECT_EQ(traces, 1);
  EXPECT_EQ(g(f(4, 2), f(1, 2)).first.tensor().extents(), (Extents{4, 2}));
  EXPECT_EQ(g.versions(), (std::vector<std::string>{"f32[?,?], f32[?,?]", "f32[?,?], f32[1,?]"}));
}

TEST(Jit, TakesListsAndParameters) {
  enum class Kind { plain, doubled };
  auto g = jit([](std::vector<Var> parts, Kind kind, std::vector<int64_t> axes, std::string, double scale) {
    const Var y = sum(concat(parts), {.axis = Axes(axes)}) * scale;
    return kind == Kind::doubled ? 2 * y : y;
  });
  const std::vector<Tensor> parts = {row({1, 2}), row({3})};
  EXPECT_EQ(floats(g(parts, Kind::doubled, std::vector<int64_t>{0}, "name", 0.5)), (std::vector<float>{6}));
  EXPECT_EQ(g.versions()[0], "f32[2], f32[1]; 2 of a list, 1, [0], \"name\", 0.5");
  auto many = jit([](Var x, int64_t n) { return x + n; }, {.max_versions = 2});
  for (const int64_t n : {1, 2, 1, 3}) std::ignore = many(row({0}), n);
  EXPECT_EQ(many.versions(), (std::vector<std::string>{"f32[1]; 1", "f32[1]; 3"}));
}

TEST(Jit, SeesAssignedParams) {
  const Param w("w", row({1, 2}));
  int traces = 0;
  auto g = jit([&](Var x) {
    ++traces;
    return x * w;
  });
  EXPECT_EQ(floats(g(row({1, 1}))), (std::vector<float>{1, 2}));
  w.assign(row({5, 6}));
  EXPECT_EQ(floats(g(row({1, 1}))), (std::vector<float>{5, 6}));
  EXPECT_EQ(traces, 1);
  auto h = jit([](Var x, Var v) { return x - v; });
  EXPECT_EQ(floats(h(row({1, 1}), w)), (std::vector<float>{-4, -5}));
}

TEST(Jit, DifferentiatesAndNests) {
  auto cube = jit([](Var x) { return x * x * x; });
  auto slope = jit([&](Var x) { return grad(sum(cube(x)), {x})[0]; });
  auto bend = jit([&](Var x) { return grad(sum(slope(x)), {x})[0]; });
  EXPECT_EQ(floats(slope(row({1, 2}))), (std::vector<float>{3, 12}));
  EXPECT_EQ(floats(bend(row({1, 2}))), (std::vector<float>{6, 12}));
  EXPECT_TRUE(cube.versions().empty());  // it became part of the others
  const Eager eager;
  EXPECT_EQ(floats(cube(asarray(row({2})) + 1)), (std::vector<float>{27}));
}

TEST(Jit, LeavesNothingBehindWhenTracingFails) {
  bool fails = true;
  auto g = jit([&](Var x, Var y) { return fails ? matmul(x, y) : x; });
  EXPECT_TRUE(contains(what([&] { std::ignore = g(row({1, 2}), row({1, 2, 3})); }), "matmul"));
  EXPECT_TRUE(g.versions().empty());
  fails = false;
  EXPECT_EQ(floats(g(row({1, 2}), row({1, 2, 3}))), (std::vector<float>{1, 2}));
  EXPECT_TRUE(contains(what([&] { jit([](Var x) { return x; }, {.max_versions = 0}); }), "max_versions"));
}

TEST(Jit, ServesManyThreads) {
  std::atomic<int> traces = 0, wrong = 0;
  auto g = jit([&](Var x, int64_t n) {
    ++traces;
    return x + n;
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < 24; ++i)
        if (floats(g(row({static_cast<float>(t)}), i % 3))[0] != static_cast<float>(t + i % 3)) ++wrong;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(traces, 3);
  EXPECT_EQ(wrong, 0);
}

// A burst of callers leaves as many contexts as were asked for, and trim none.
TEST(Compiled, BurstsLeaveFewIdleContexts) {
  const Compiled f =
      compile(trace("f", {{"x", f32, {"n"}}}, [](Var x) { return tanh(x); }), {.threads = 1, .idle_contexts = 2});
  constexpr int kCallers = 8;
  std::atomic<int> waiting{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i)
    callers.emplace_back([&] {
      ++waiting;
      while (waiting < kCallers) std::this_thread::yield();
      for (int n = 1; n < 50; ++n) EXPECT_EQ(f({row(std::vector<float>(static_cast<size_t>(n)))})[0].size(), n);
    });
  for (std::thread& t : callers) t.join();
  EXPECT_GE(f.idle_contexts(), 1U);
  EXPECT_LE(f.idle_contexts(), 2U);
  f.trim();
  EXPECT_EQ(f.idle_contexts(), 0U);
  EXPECT_EQ(f({row({1, 2})})[0].size(), 2);
  EXPECT_EQ(f.idle_contexts(), 1U);
  EXPECT_THROW(compile(trace("f", {{"x", f32, {}}}, [](Var x) { return x; }), {.idle_contexts = -1}), Error);
}

}  // namespace
}  // namespace tc
