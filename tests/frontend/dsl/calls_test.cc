// Results that are used as the one they are, numbers where functions take Vars, values that come of numbers alone, and
// what handles print.
#include <gtest/gtest.h>

#include <sstream>

#include "helpers.h"
#include "tc/tc.h"

namespace tc {
namespace {

template <class T>
std::string printed(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}
template <class F>
Tensor value(const Tensor& x, F f) {
  std::vector<Extent> shape(x.extents().begin(), x.extents().end());
  return compile(trace("f", {{"x", x.dtype(), shape}}, f))(x);
}

TEST(Calls, OneResultIsUsedAsItself) {
  const Function half = trace("half", {{"x", f32, {"n"}}}, [](Var x) { return x * 0.5; });
  const Function two = trace("two", {{"x", f32, {"n"}}, {"y", f32, {"n"}}}, [](Var x, Var y) {
    return std::pair{y, x};
  });
  const Tensor x = row({2, 4});
  const Tensor y = compile(half)(x);
  EXPECT_TRUE(y.identical(row({1, 2})));
  EXPECT_TRUE(compile(half)({x})[0].identical(y));
  EXPECT_EQ(compile(two)(x, y).size(), 2u);
  EXPECT_TRUE(compile(two)(x, y)[0].identical(y));
  EXPECT_TRUE(contains(what([&] { return Tensor(compile(two)(x, y)); }), "has 2 results"));
  EXPECT_TRUE(value(x, [&](Var v) { return half(v) + 1; }).identical(row({2, 3})));
  EXPECT_TRUE(value(x, [&](Var v) { return sum(half(half(v))); }).identical(Tensor::scalar(1.5f)));
  EXPECT_TRUE(value(x, [&](Var v) { return half(v); }).identical(y));
  EXPECT_TRUE(value(x, [&](Var v) { return two(v, half(v))[0]; }).identical(y));
  EXPECT_TRUE(contains(what([&] { return value(x, [&](Var v) { return two(v, v) + 1; }); }), "has 2 results"));
  EXPECT_TRUE(value(x, [&](Var v) {
                return cond(
                    any(v > 0), [&] { return half(v); }, v);
              }).identical(y));
}

TEST(Calls, UndefinedHandles) {
  struct Net {
    Compiled run;
    Function f;
  };
  const Net n{};
  EXPECT_FALSE(n.f.defined());
  EXPECT_TRUE(contains(what([&] { return n.f.str(); }), "the Function is undefined"));
  EXPECT_TRUE(contains(what([&] { return n.run({}); }), "the Compiled is undefined"));
}

TEST(Calls, NumbersWhereVarsAreTaken) {
  const auto add = jit([](Var a, Var b) { return a + b; });
  EXPECT_TRUE(add(row({1, 2}), 2.5).tensor().identical(row({3.5, 4.5})));
  EXPECT_TRUE(add(row({1, 2}), 3).tensor().identical(row({4, 5})));
  EXPECT_TRUE(add(Tensor{1.0}, 0.1).tensor().identical(Tensor{1.1}));
  EXPECT_EQ(add(Tensor::of<Float16>({1}, {1}), 0.5).dtype(), f16);
  EXPECT_TRUE(add(Tensor{1}, 0.5).tensor().identical(row({1.5})));
  const auto power = jit([](auto a, auto n) { return pow(a, n); });
  EXPECT_TRUE(power(row({3}), 2).tensor().identical(row({9})));
  const auto along = jit([](Var a, std::optional<int64_t> axis) { return axis ? sum(a, *axis) : sum(a); });
  EXPECT_EQ(along(Tensor{{1.f, 2.f}}, std::optional<int64_t>(1)).rank(), 1);
  EXPECT_EQ(along(Tensor{{1.f, 2.f}}, std::optional<int64_t>()).rank(), 0);
  EXPECT_EQ(along.versions()[1], "f32[1,2]; none");
}

TEST(Calls, ValuesOfNumbersAreWeak) {
  const Tensor x = row({1, 3});
  EXPECT_TRUE(value(x, [](Var v) { return where(v > 2, 1, 0) * v; }).identical(row({0, 3})));
  EXPECT_TRUE(value(x, [](Var v) { return -(where(v > 2, 1, 0) + 1) * v; }).identical(row({-1, -6})));
  EXPECT_EQ(value(Tensor{1.0}, [](Var v) { return where(v > 2, 1.5, 0) * v; }).dtype(), f64);
  EXPECT_EQ(value(Tensor::of<Float16>({1}, {1}), [](Var v) { return v + where(v > 2, 1.5, 0); }).dtype(), f16);
  EXPECT_EQ(value(x, [](Var v) { return where(v > 2, 1, 0); }).dtype(), i64);
  EXPECT_EQ(value(x, [](Var v) { return where(v > 2, 1, 0) + 0.5; }).dtype(), f32);
  EXPECT_EQ(value(Tensor{1}, [](Var v) { return where(v > 2, 1.5, 0) * v; }).dtype(), f32);
  EXPECT_TRUE(contains(what([] { return value(Tensor{1}, [](Var v) { return where(v > 2, 1.5, 0) & v; }); }),
                       "does not go with a tensor of i32"));
  // What is of a type on purpose keeps it.
  EXPECT_TRUE(contains(what([&] { return value(x, [](Var v) { return asarray(2) * v; }); }), "no common"));
  const Eager eager;
  EXPECT_EQ((where(asarray(true), 1, 0) * asarray(x)).dtype(), f32);
}

TEST(Calls, IntegersDivideIntoFractions) {
  const Eager eager;
  EXPECT_TRUE((arange(3) / 2).tensor().identical(row({0, 0.5, 1})));
  EXPECT_TRUE((1 / arange(1, 3)).tensor().identical(row({1, 0.5})));
  EXPECT_TRUE((arange(3) / asarray(Tensor{4, 4, 4})).tensor().identical(row({0, 0.25, 0.5})));
  EXPECT_TRUE((row({1, 2}) + row({3, 4})).tensor().identical(row({4, 6})));
  EXPECT_THROW(asarray(row({1})) / arange(1), Error);
}

TEST(Calls, LogicAndProducts) {
  const auto inside = [](Var v) { return (v > 0 && v < 2) || !(v < 5); };
  EXPECT_TRUE(value(row({-1, 1, 3, 7}), inside).identical(Tensor{false, true, false, true}));
  EXPECT_THROW(value(row({1}), [](Var v) { return v && v; }), Error);
  const Tensor a{{1.f, 2.f}, {3.f, 4.f}}, v = row({1, 10});
  const Eager eager;
  EXPECT_TRUE(dot(v, v).tensor().identical(Tensor::scalar(101.f)));
  EXPECT_TRUE(dot(a, v).tensor().identical(row({21, 43})));
  EXPECT_TRUE(dot(v, a).tensor().identical(row({31, 42})));
  EXPECT_TRUE(dot(a, a).tensor().identical(Tensor{{7.f, 10.f}, {15.f, 22.f}}));
  EXPECT_TRUE(dot(a, 2).tensor().identical(Tensor{{2.f, 4.f}, {6.f, 8.f}}));
  EXPECT_EQ(dot(zeros({2, 3, 4}), zeros({5, 4, 6})).type().str(), "f32[2,3,5,6]");
}

TEST(Calls, HandlesArePrinted) {
  std::string inside;
  const Function f = trace("f", {{"x", f32, {"n"}}}, [&](Var x) {
    inside = printed(x);
    return x;
  });
  EXPECT_EQ(inside, "f32[n] of 'f'");
  EXPECT_EQ(printed(f), f.str());
  EXPECT_EQ(printed(Var()), "undefined");
  const Eager eager;
  EXPECT_EQ(printed(asarray(row({1, 2})) + 1), "f32[2] {2, 3}");
}

}  // namespace
}  // namespace tc
