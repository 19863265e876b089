// The short forms: axes and extents as plain numbers, values as branches, generic functions, structs of Vars.
#include <gtest/gtest.h>

#include "helpers.h"
#include "tc/ir/verify.h"
#include "tc/tc.h"

namespace tc {
namespace {

// What f makes of x, compiled; of fixed and of symbolic extents.
template <class F>
std::vector<Tensor> values(const Tensor& x, F f) {
  std::vector<Extent> fixed, open;
  for (const int64_t d : x.extents()) fixed.emplace_back(d), open.emplace_back(cat("n", open.size()));
  const Function a = trace("f", {{"x", x.dtype(), fixed}}, f), b = trace("f", {{"x", x.dtype(), open}}, f);
  verify(a.module());
  verify(b.module());
  const std::vector<Tensor> y = compile(a)({x}), z = compile(b)({x});
  EXPECT_EQ(y.size(), z.size());
  for (size_t i = 0; i < y.size(); ++i) EXPECT_TRUE(y[i].identical(z[i])) << y[i] << " and " << z[i];
  return y;
}
template <class F, class G>
testing::AssertionResult same(const Tensor& x, F f, G g) {
  const auto y = values(x, f), z = values(x, g);
  for (size_t i = 0; i < std::max(y.size(), z.size()); ++i)
    if (i >= y.size() || i >= z.size() || !y[i].identical(z[i]))
      return testing::AssertionFailure() << "result " << i << " differs";
  return testing::AssertionSuccess();
}

const Tensor kMatrix{{1.f, -2.f, 3.f}, {4.f, 0.5f, -6.f}};

TEST(ShortForms, AxesOfReductions) {
#define TC_SAME(name)                                                                          \
  EXPECT_TRUE(same(                                                                            \
      kMatrix, [](Var x) { return name(x, 0); }, [](Var x) { return name(x, {.axis = 0}); }))  \
      << #name;                                                                                \
  EXPECT_TRUE(same(                                                                            \
      kMatrix, [](Var x) { return name(x, -1); }, [](Var x) { return name(x, {.axis = 1}); })) \
      << #name;
  TC_SAME(sum)
  TC_SAME(mean)
  TC_SAME(prod)
  TC_SAME(tc::std)
  TC_SAME(var)
  TC_SAME(all)
  TC_SAME(any)
  TC_SAME(count_nonzero)
  TC_SAME(logsumexp)
  TC_SAME(argmax)
  TC_SAME(argmin)
  TC_SAME(sort)
  TC_SAME(argsort)
  TC_SAME(cumulative_sum)
  TC_SAME(cumulative_prod)
  TC_SAME(softmax)
  TC_SAME(log_softmax)
  TC_SAME(hardmax)
  TC_SAME(flip)
#undef TC_SAME
  EXPECT_TRUE(values(kMatrix, [](Var x) { return sum(x, 0); })[0].identical(row({5, -1.5, -3})));
  EXPECT_TRUE(values(kMatrix, [](Var x) { return sum(x, {0, 1}); })[0].identical(Tensor::scalar(0.5f)));
  EXPECT_TRUE(values(kMatrix, [](Var x) { return sum(x, {1}); })[0].identical(row({2, -1.5})));
  EXPECT_TRUE(values(kMatrix, [](Var x) { return sum(x, {}); })[0].identical(Tensor::scalar(0.5f)));
}

TEST(ShortForms, ExtremesOfTwo) {
  EXPECT_TRUE(same(
      kMatrix, [](Var x) { return max(x, x[0]); }, [](Var x) { return maximum(x, x[0]); }));
  EXPECT_TRUE(same(
      kMatrix, [](Var x) { return min(x, 0.5); }, [](Var x) { return minimum(x, 0.5); }));
}

TEST(ShortForms, AxesOfJoinsAndParts) {
  EXPECT_TRUE(same(
      kMatrix,
      [](Var x) {
        return concat({x, x}, 1);
      },
      [](Var x) {
        return concat({x, x}, {.axis = 1});
      }));
  EXPECT_TRUE(same(
      kMatrix,
      [](Var x) {
        return stack({x, x}, -1);
      },
      [](Var x) {
        return stack({x, x}, {.axis = 2});
      }));
  EXPECT_TRUE(same(
      kMatrix, [](Var x) { return take(x, 1, 1); },
      [](Var x) {
        return x[{slice(), 1}];
      }));
  EXPECT_TRUE(same(
      kMatrix, [](Var x) { return repeat(x, 2, 0); }, [](Var x) { return repeat(x, 2, {.axis = 0}); }));
  EXPECT_TRUE(same(
      kMatrix, [](Var x) { return roll(x, 1, 1); }, [](Var x) { return roll(x, 1, {.axis = 1}); }));
  const auto parts = values(kMatrix, [](Var x) { return split(x, 3, {.axis = 1}); });
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_TRUE(parts[2].identical(Tensor{{3.f}, {-6.f}}));
  EXPECT_TRUE(values(kMatrix, [](Var x) { return split(x, 2); })[1].identical(Tensor{{4.f, 0.5f, -6.f}}));
  EXPECT_TRUE(values(kMatrix, [](Var x) { return split(x, {1, 1}); })[1].identical(Tensor{{4.f, 0.5f, -6.f}}));
  const auto halves = [](Extent n) {
    return trace("f", {{"x", f32, {std::move(n)}}}, [](Var x) { return split(x, 2); });
  };
  EXPECT_TRUE(contains(what([&] { return halves(3); }), "does not split into 2 equal parts"));
  EXPECT_THROW(compile(halves("n"))({row({1, 2, 3})}), Error);
}

TEST(ShortForms, OneNumberForAllSpatialAxes) {
  const Tensor x = Init(1).normal({1, 2, 7, 9}, 0, 1), w = Init(2).normal({3, 2, 3, 3}, 0, 1), b = row({1, 2, 3});
  const auto agree = [&](auto f, auto g) {
    const std::vector<Input> in = {{"x", f32, {1, 2, 7, 9}}};
    return compile(trace("f", in, f))({x})[0].identical(compile(trace("f", in, g))({x})[0]);
  };
  EXPECT_TRUE(agree([&](Var v) { return conv(v, w, {.strides = 2, .dilations = 1, .padding = 1}); },
                    [&](Var v) {
                      return conv(v, w, {.strides = {2, 2}, .padding = {1, 1, 1, 1}});
                    }));
  EXPECT_TRUE(agree([&](Var v) { return conv(v, w, {}); }, [&](Var v) { return conv(v, w); }));
  EXPECT_TRUE(agree([&](Var v) { return conv(v, w, b); }, [&](Var v) { return conv(v, w, b, {.strides = 1}); }));
  EXPECT_TRUE(agree([&](Var v) { return conv(v, w, {}, {.strides = 2}); },
                    [&](Var v) {
                      return conv(v, w, {.strides = {2, 2}});
                    }));
  EXPECT_TRUE(agree([](Var v) { return max_pool(v, 2, {.strides = 2, .padding = 1}); },
                    [](Var v) {
                      return max_pool(v, {2, 2}, {.strides = {2, 2}, .padding = {1, 1}});
                    }));
  EXPECT_TRUE(agree([](Var v) { return average_pool(v, 3); }, [](Var v) { return average_pool(v, {3, 3}); }));
  EXPECT_TRUE(contains(what([&] { return agree([](Var v) { return max_pool(v, {2}); }, [](Var v) { return v; }); }),
                       "the kernel has 1 entries for 2 spatial axes"));
}

TEST(ShortForms, BranchesMayBeValues) {
  const auto branch = [](Var x) { return cond(sum(x) > 0, x, -x); };
  EXPECT_TRUE(values(row({1, 2}), branch)[0].identical(row({1, 2})));
  EXPECT_TRUE(values(row({-1, -2}), branch)[0].identical(row({1, 2})));
  EXPECT_TRUE(values(row({-1}), [](Var x) { return cond(any(x > 0), 0, 1.5) + x; })[0].identical(row({0.5})));
  const auto mixed = [](Var x) { return cond(all(x > 0), x, [&] { return x * 10; }); };
  EXPECT_TRUE(values(row({-1}), mixed)[0].identical(row({-10})));
  EXPECT_TRUE(values(row({1}), mixed)[0].identical(row({1})));
  EXPECT_TRUE(values(row({2}),
                     [](Var x) {
                       return cond(
                           all(x < 0), [&] { return x; }, x * 3);
                     })[0]
                  .identical(row({6})));
}

struct State {
  Var h, c;
};
struct Nested {
  State state;
  std::array<Var, 2> rest;
};

TEST(ShortForms, GenericFunctions) {
  EXPECT_TRUE(values(row({1, 2}), [](auto x) { return sum(x * 2); })[0].identical(Tensor::scalar(6.f)));
  EXPECT_TRUE(values(row({1, 2}),
                     [](auto x) {
                       return scan([](auto s, auto v) { return std::pair{s + v, s}; }, {0.0}, {x}).second;
                     })[0]
                  .identical(row({0, 1})));
  EXPECT_TRUE(values(row({1, 2}),
                     [](Var& x) {
                       x += 1;
                       return x;
                     })[0]
                  .identical(row({2, 3})));
  EXPECT_TRUE(
      values(row({1, 2}), [](Var x) { return map([](Var v) { return expand_dims(v, 0).at(0); }, {x}); })[0].identical(
          row({1, 2})));
}

TEST(ShortForms, StructsOfVars) {
  const auto y = values(row({1, 2}), [](Var x) { return Nested{{x, x * 2}, {x * 3, x * 4}}; });
  ASSERT_EQ(y.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(y[i](1), 2. * static_cast<double>(i + 1));
  const auto sums = values(row({1, 2, 3}), [](Var x) {
    const auto [last, all] = scan(
        [](State s, Var v) {
          return std::pair{State{s.h + v, s.c * v}, s.h};
        },
        {0.0, 1.0}, {x});
    return Nested{last, {all, x}};
  });
  EXPECT_EQ(sums[0](), 6);
  EXPECT_EQ(sums[1](), 6);
  EXPECT_TRUE(sums[2].identical(row({0, 1, 3})));
  const Function f = trace("f", {{"a", f32, {}}, {"b", f32, {}}, {"c", f32, {}}, {"d", f32, {}}},
                           [](const Nested& n) { return n.state.h - n.state.c + n.rest[0] * n.rest[1]; });
  const auto number = [](float v) { return Tensor::scalar(v); };
  EXPECT_EQ(compile(f)({number(7), number(2), number(3), number(4)})[0](), 17);
  EXPECT_TRUE(contains(what([] {
                         return trace("f", {{"a", f32, {}}}, [](State s) { return s.h; });
                       }),
                       "declares 1 inputs, its function takes 2"));
  EXPECT_TRUE(values(row({3, 1, 2}), [](Var x) { return top_k(x, 1); })[1].identical(Tensor::of<int64_t>({1}, {0})));
}

// What has two meanings, or none, does not compile.
template <class T>
concept AxisOfTruth = requires(Var x, T axis) {
  sum(x, axis);
};
static_assert(AxisOfTruth<int> && AxisOfTruth<int64_t> && !AxisOfTruth<bool> && !AxisOfTruth<double>);

}  // namespace
}  // namespace tc
