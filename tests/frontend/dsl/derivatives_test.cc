// Jacobians, Hessians, products with them, linear approximations, gradients of arrays, and the check of gradients.
#include <gtest/gtest.h>

#include <cmath>

#include "helpers.h"
#include "tc/ir/verify.h"
#include "tc/tc.h"

namespace tc {
namespace {

const Tensor kPoint = Tensor::of<double>({3}, {0.5, -1.25, 2});
const Tensor kMatrix = Tensor::of<double>({2, 3}, {1, 2, -3, 0.5, 4, 1.5});

// What f makes of x, of fixed and of open extents.
template <class F>
std::vector<Tensor> results(const std::vector<Tensor>& x, F f) {
  std::vector<Input> fixed, open;
  for (size_t i = 0; i < x.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    fixed.push_back({name, x[i].dtype(), {}});
    for (const int64_t d : x[i].extents()) fixed[i].shape.emplace_back(d);
    open.push_back({name, x[i].dtype(), {}});
    for (const int64_t d : x[i].extents()) open[i].shape.emplace_back(cat("n", d));
  }
  const Function one = trace("f", fixed, f), other = trace("f", open, f);
  verify(one.module());
  verify(other.module());
  const std::vector<Tensor> y = compile(one)(x), z = compile(other)(x);
  for (size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(y[i].extents(), z.at(i).extents());
    for (int64_t k = 0; k < y[i].size(); ++k) {
      const auto at = static_cast<size_t>(k);
      EXPECT_NEAR(y[i].span<double>()[at], z[i].span<double>()[at], 1e-14) << i << " " << k;
    }
  }
  return y;
}

void expect_near(const Tensor& y, const Extents& extents, const std::vector<double>& values) {
  ASSERT_EQ(y.extents(), extents);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(y.span<double>()[i], values[i], 1e-12) << i;
}

TEST(Derivatives, JacobianInBothModes) {
  // y = m x^2: m diag(2 x).
  for (const DiffMode mode : {DiffMode::reverse, DiffMode::forward}) {
    const auto y = results({kPoint, kMatrix}, [&](Var x, Var m) {
      return jacobian(matmul(m, x * x), std::vector<Var>{x, m}, {.mode = mode});
    });
    expect_near(y[0], {2, 3}, {1, -5, -12, 0.5, -10, 6});
    // d y[i] / d m[j, k] is x[k]^2 where i is j.
    expect_near(y[1], {2, 2, 3}, {0.25, 1.5625, 4, 0, 0, 0, 0, 0, 0, 0.25, 1.5625, 4});
  }
}

TEST(Derivatives, JacobianThroughReductionsAndNorms) {
  const auto y = results({kPoint}, [](Var x) { return jacobian(x / sqrt(sum(x * x)), x); });
  const std::vector<double> x = {0.5, -1.25, 2};
  const double n = std::sqrt(0.25 + 1.5625 + 4);
  std::vector<double> expected;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) expected.push_back((i == j ? 1 / n : 0) - x[i] * x[j] / (n * n * n));
  expect_near(y[0], {3, 3}, expected);
}

TEST(Derivatives, JacobianThroughALoopAndACall) {
  // x -> x^8 by three squarings in a loop, and a function that is called.
  const Function cube = trace("cube", {{"x", f64, {3}}}, [](Var x) { return x * x * x; });
  const auto y = compile(trace("f", {{"x", f64, {3}}}, [&](Var x) {
    const Var power = fori_loop(0, 3, [](Var, Var v) { return v * v; }, {x});
    return std::vector<Var>{jacobian(power, x), jacobian(cube(x), x), jacobian(power, x, {.mode = DiffMode::forward})};
  }))({kPoint});
  const auto diagonal = [](double (*f)(double)) {
    return std::vector<double>{f(0.5), 0, 0, 0, f(-1.25), 0, 0, 0, f(2)};
  };
  expect_near(y[0], {3, 3}, diagonal([](double v) { return 8 * std::pow(v, 7); }));
  expect_near(y[1], {3, 3}, diagonal([](double v) { return 3 * v * v; }));
  expect_near(y[2], {3, 3}, diagonal([](double v) { return 8 * std::pow(v, 7); }));
}

TEST(Derivatives, HessianAndItsProducts) {
  // f = x0^2 x1 + x1 x2^3.
  const auto f = [](Var x) { return x[0] * x[0] * x[1] + x[1] * x[2] * x[2] * x[2]; };
  const std::vector<double> h = {-2.5, 1, 0, 1, 0, 12, 0, 12, -15};
  for (const DiffMode mode : {DiffMode::reverse, DiffMode::forward})
    expect_near(results({kPoint}, [&](Var x) { return hessian(f(x), x, {.mode = mode}); })[0], {3, 3}, h);
  const auto y =
      results({kPoint, Tensor::of<double>({3}, {1, -2, 0.5})}, [&](Var x, Var v) { return hvp(f(x), x, v); });
  expect_near(y[0], {3}, {-4.5, 7, -31.5});
}

TEST(Derivatives, TangentsInsideOfATrace) {
  const auto y = results({kPoint, kMatrix, Tensor::of<double>({3}, {1, -2, 0.5})}, [](Var x, Var m, Var t) {
    const Var out = matmul(m, exp(x));
    const Linearized map = linearize({out}, {x});
    return std::vector<Var>{jvp({out}, {x}, {t})[0], map({t})[0], map({t * 2})[0], map.transposed({ones_like(out)})[0]};
  });
  const double a = std::exp(0.5), b = std::exp(-1.25), c = std::exp(2);
  const std::vector<double> once = {a - 4 * b - 1.5 * c, 0.5 * a - 8 * b + 0.75 * c};
  expect_near(y[0], {2}, once);
  expect_near(y[1], {2}, once);
  expect_near(y[2], {2}, {2 * once[0], 2 * once[1]});
  expect_near(y[3], {3}, {1.5 * a, 6 * b, -1.5 * c});
}

TEST(Derivatives, OfFunctions) {
  const Function f = trace("f", {{"x", f64, {3}}, {"m", f64, {2, 3}}}, [](Var x, Var m) {
    return Outputs{{"y", matmul(m, x * x)}};
  });
  const auto j = compile(jacobian(f, {"x"}))(std::vector<Tensor>{kPoint, kMatrix});
  ASSERT_EQ(j.size(), 1u);
  expect_near(j[0], {2, 3}, {1, -5, -12, 0.5, -10, 6});
  EXPECT_EQ(jacobian(f).outputs().size(), 2u);
  const Param w("w", Tensor::of<double>({2}, {3, 4}));
  const Function g = trace("g", {{"x", f64, {2}}}, [&](Var x) { return sum(w * w * x); });
  const auto h = compile(hessian(g))(std::vector<Tensor>{Tensor::of<double>({2}, {5, 7})});
  expect_near(h.at(0), {2, 2}, {10, 0, 0, 14});
  const auto p =
      compile(hvp(g))(std::vector<Tensor>{Tensor::of<double>({2}, {5, 7}), Tensor::of<double>({2}, {1, -1})});
  expect_near(p.at(0), {2}, {10, -14});
  EXPECT_TRUE(contains(what([&] { return jacobian(f, {"z"}); }), "has no input or parameter 'z'"));
}

TEST(Derivatives, Errors) {
  EXPECT_TRUE(contains(what([] {
                         return trace("f", {{"x", f64, {3}}}, [](Var x) { return hessian(x * x, x); });
                       }),
                       "expected one element"));
  EXPECT_TRUE(contains(what([] {
                         return trace("f", {{"x", i64, {3}}}, [](Var x) { return jacobian(x * 2.0, x); });
                       }),
                       "has no derivative"));
}

TEST(Derivatives, OfArrays) {
  const auto slope = grad([](Var x) { return sum(x * x * x); });
  expect_near(slope(kPoint).tensor(), {3}, {0.75, 4.6875, 12});
  const Eager eager;
  const Var x = asarray(kPoint);
  expect_near((slope(x) + 1).tensor(), {3}, {1.75, 5.6875, 13});
  // Of gradients, and of several arguments; integers have none.
  const auto bend = grad([&](Var v) { return sum(slope(v)); });
  expect_near(bend(x).tensor(), {3}, {3, -7.5, 12});
  const auto both = value_and_grad([](Var a, Var n, Var b) { return sum(a * b) * astype(n, f64); });
  const auto [value, gradients] = both(x, asarray(2), x * 2);
  expect_near(value.tensor(), {}, {23.25});
  ASSERT_EQ(gradients.size(), 2u);
  expect_near(gradients[0].tensor(), {3}, {2, -5, 8});
  expect_near(gradients[1].tensor(), {3}, {1, -2.5, 4});
  EXPECT_EQ(slope.versions().size(), 1u);
}

TEST(Derivatives, VerifyGradPasses) {
  const Param w("w", Tensor::of<double>({2, 3}, {1, 2, -3, 0.5, 4, 1.5}));
  const Function f = trace("f", {{"x", f64, {3}}}, [&](Var x) {
    return std::vector<Var>{tanh(matmul(w, x)), astype(x > 0, i64), logsumexp(x)};
  });
  const GradientError of_w = verify_grad(f, {kPoint}), of_x = verify_grad(f, {kPoint}, {.wrt = {"x"}});
  EXPECT_LT(of_w.error, 1e-6);
  EXPECT_EQ(of_w.name, "w");
  EXPECT_LT(of_x.error, 1e-6);
  const Function single = trace("g", {{"x", f32, {4}}}, [](Var x) { return sum(sin(x) * x); });
  EXPECT_LT(verify_grad(single, {row({1, -2, 0.5, 3})}).error, 1e-2);
}

TEST(Derivatives, VerifyGradNamesTheWorstElement) {
  const auto wrong =
      custom_vjp([](Var x) { return x * x; }, [](Var x, Var, Var g) { return 2 * x * g * where(x > 1.5, 1.1, 1.0); });
  const Function f = trace("f", {{"x", f64, {1, 3}}}, [&](Var x) { return wrong(x); });
  const std::string message = what([&] { return verify_grad(f, {kPoint.reshaped({1, 3})}); });
  EXPECT_TRUE(contains(message, "check-failed"));
  EXPECT_TRUE(contains(message, "with respect to x[0,2]"));
}

}  // namespace
}  // namespace tc
