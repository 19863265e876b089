// Samplers of tc::random for whole numbers, and those that are made of the runtime's own functions: distributions,
// bits, gradients.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "random_cases.h"
#include "tc/kernels/cpu.h"

namespace tc::random_cases {
namespace {

constexpr int64_t kDraws = 60000;

Tensor run_with_key(const Function& f) {
  return compile(f)({key_of(kKey)})[0];
}

// Chi-square of counts, where at least ten are expected, within five deviations of its mean; all others are one kind.
void expect_law(const std::vector<double>& drawn, const std::function<double(double)>& log_p) {
  constexpr size_t kKinds = 400;
  std::vector<double> counts(kKinds);
  for (const double x : drawn) {
    ASSERT_TRUE(x >= 0 && x < kKinds && x == std::floor(x)) << x;
    ++counts[static_cast<size_t>(x)];
  }
  const auto n = static_cast<double>(drawn.size());
  double chi = 0, kinds = 0, rest = n, rest_wanted = n;
  for (size_t i = 0; i < kKinds; ++i) {
    const double want = n * std::exp(log_p(static_cast<double>(i)));
    if (want < 10) continue;
    chi += (counts[i] - want) * (counts[i] - want) / want;
    rest -= counts[i], rest_wanted -= want, ++kinds;
  }
  // The rare ones: a count of its own, which is about normal from ten on.
  EXPECT_LT(std::abs(rest - rest_wanted), 5 * std::sqrt(std::max(rest_wanted, 10.0)));
  EXPECT_LT(std::abs(chi - kinds), 5 * std::sqrt(2 * kinds));
}

class Whole : public testing::TestWithParam<WholeCase> {};

Function program_of(const WholeCase& c, int64_t n, DType t) {
  return trace("f", {{"key", u32, {2}}}, [&](Var k) { return c.draw({k}, {.shape = {n}, .dtype = t}); });
}

TEST_P(Whole, HaveTheirDistribution) {
  const Tensor y = run_with_key(program_of(GetParam(), kDraws, f64));
  expect_law({y.span<double>().begin(), y.span<double>().end()}, GetParam().log_p);
}

TEST_P(Whole, AreTheSameWhateverRunsThem) {
  const Function f = program_of(GetParam(), 3000, f64);
  const Tensor want = interpret(f.module(), {key_of(kKey)})[0].tensor();
  for (const std::string& isa : kernels::tier_names())
    for (const int level : {0, 2}) {
      const Tensor got = compile(f, {.level = level, .threads = 2, .isa = isa})({key_of(kKey)})[0];
      EXPECT_EQ(differing(got, want), 0) << isa << ", level " << level;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Whole, testing::ValuesIn(whole_cases()), [](const auto& c) { return c.param.name; });

TEST(WholeNumbers, TakeParametersOfEachElement) {
  // Small and large means side by side: a mean and a variance of each.
  const std::vector<double> means = {0.01, 1, 9.9, 10, 300, 1e6};
  const Tensor y = run_with_key(trace("f", {{"key", u32, {2}}}, [&](Var k) {
    return random::poisson({k}, Tensor::of<double>({6}, means), {.shape = {20000, 6}});
  }));
  ASSERT_EQ(y.dtype(), i64);
  for (size_t j = 0; j < 6; ++j) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < 20000; ++i) {
      const double x = static_cast<double>(y.span<int64_t>()[i * 6 + j]) - means[j];
      sum += x, squares += x * x;
    }
    EXPECT_NEAR(sum / 20000, 0, 5 * std::sqrt(means[j] / 20000)) << means[j];
    EXPECT_NEAR(squares / 20000 / means[j], 1, 5 * std::sqrt((2 + 1 / means[j]) / 20000)) << means[j];
  }
}

TEST(WholeNumbers, OfKindsAddUp) {
  const Tensor y = run_with_key(trace("f", {{"key", u32, {2}}}, [&](Var k) {
    return random::multinomial({k}, 50, Tensor::of<double>({4}, {0.1, 0.2, 0.3, 0.4}), {.shape = {kDraws / 4}});
  }));
  ASSERT_EQ(y.extents(), (Extents{kDraws / 4, 4}));
  std::vector<std::vector<double>> kinds(4);
  for (size_t i = 0; i < kDraws / 4; ++i) {
    int64_t sum = 0;
    for (size_t j = 0; j < 4; ++j) {
      sum += y.span<int64_t>()[i * 4 + j];
      kinds[j].push_back(static_cast<double>(y.span<int64_t>()[i * 4 + j]));
    }
    ASSERT_EQ(sum, 50);
  }
  for (size_t j = 0; j < 4; ++j) expect_law(kinds[j], binomial_law(50, 0.1 * static_cast<double>(j + 1)));
}

// sqrt(n) times Kolmogorov's distance, above 2.3 with chance 5e-5.
double distance(const Tensor& y, const std::function<double(double)>& cdf) {
  std::vector<double> x(y.span<double>().begin(), y.span<double>().end());
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double p = cdf(x[i]), below = static_cast<double>(i) / n;
    worst = std::max({worst, p - below, below + 1 / n - p});
  }
  return worst * std::sqrt(n);
}

// Of kappa, by Simpson's rule from -pi on.
double vonmises_cdf(double kappa, double x) {
  const auto integral = [&](double end) {
    constexpr int kSteps = 2000;
    const double h = (end + std::numbers::pi) / kSteps;
    double sum = 0;
    for (int i = 0; i <= kSteps; ++i)
      sum += std::exp(kappa * (std::cos(-std::numbers::pi + i * h) - 1)) * (i == 0 || i == kSteps ? 1 : i % 2 ? 4 : 2);
    return sum * h / 3;
  };
  return integral(x) / integral(std::numbers::pi);
}

TEST(RuntimesOwn, HaveTheirDistribution) {
  const auto drawn = [](auto f) { return run_with_key(trace("f", {{"key", u32, {2}}}, [&](Var k) { return f(k); })); };
  const random::SampleOptions o{.shape = {kDraws}, .dtype = f64}, few{.shape = {4000}, .dtype = f64};
  for (const auto& [a, b] : {std::pair{-0.5, 2.0}, {1.5, 1.7}, {-INFINITY, -3.0}, {8.0, INFINITY}}) {
    const double low = a, high = b;
    // By the upper tail, which is accurate on the right.
    const auto above = [](double x) { return std::erfc(x / std::numbers::sqrt2); };
    const auto cdf = [&](double x) {
      if (low > 0) return (above(low) - above(x)) / (above(low) - above(high));
      return (above(-x) - above(-low)) / (above(-high) - above(-low));
    };
    EXPECT_LT(distance(drawn([&](Var k) { return random::truncated_normal({k}, low, high, o); }), cdf), 2.3) << low;
  }
  for (const double kappa : {0.1, 2.5, 60.0})
    EXPECT_LT(distance(drawn([&](Var k) { return random::vonmises({k}, 0, kappa, few); }),
                       [&](double x) { return vonmises_cdf(kappa, x); }),
              2.3)
        << kappa;
  const Tensor turned = drawn([&](Var k) { return random::vonmises({k}, 3, 5, few); });
  for (const double x : turned.span<double>()) EXPECT_LE(std::abs(x), std::numbers::pi + 1e-12);
}

TEST(RuntimesOwn, MultivariateNormalsHaveTheirCovariance) {
  const std::vector<double> c = {2, 0.6, -0.3, 0.6, 1, 0.2, -0.3, 0.2, 0.5}, m = {1, -2, 0.5};
  const Tensor y = run_with_key(trace("f", {{"key", u32, {2}}}, [&](Var k) {
    return random::multivariate_normal({k}, Tensor::of<double>({3}, m), Tensor::of<double>({3, 3}, c),
                                       {.shape = {kDraws}});
  }));
  ASSERT_EQ(y.extents(), (Extents{kDraws, 3}));
  const double n = kDraws;
  for (size_t a = 0; a < 3; ++a)
    for (size_t b = 0; b < 3; ++b) {
      double sum = 0, product = 0;
      for (size_t i = 0; i < kDraws; ++i) {
        const double u = y.span<double>()[i * 3 + a] - m[a], v = y.span<double>()[i * 3 + b] - m[b];
        sum += u, product += u * v;
      }
      EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(c[a * 4] / n));
      EXPECT_NEAR(product / n, c[a * 3 + b], 5 * std::sqrt((c[a * 4] * c[b * 4] + c[a * 3 + b] * c[a * 3 + b]) / n));
    }
}

TEST(RuntimesOwn, OrthogonalMatricesAreEquallyOftenOfEitherSide) {
  const Tensor q = run_with_key(trace(
      "f", {{"key", u32, {2}}}, [&](Var k) { return random::orthogonal({k}, 3, {.shape = {500}, .dtype = f64}); }));
  ASSERT_EQ(q.extents(), (Extents{500, 3, 3}));
  std::vector<double> mean(9);
  for (size_t i = 0; i < 500; ++i)
    for (size_t a = 0; a < 3; ++a)
      for (size_t b = 0; b < 3; ++b) {
        double product = 0;
        for (size_t j = 0; j < 3; ++j)
          product += q.span<double>()[i * 9 + a * 3 + j] * q.span<double>()[i * 9 + b * 3 + j];
        ASSERT_NEAR(product, a == b, 1e-12);
        mean[a * 3 + b] += q.span<double>()[i * 9 + a * 3 + b] / 500;
      }
  // Elements have the variance 1/3.
  for (const double x : mean) EXPECT_NEAR(x, 0, 5 * std::sqrt(1.0 / 3 / 500));
}

// The slope of the quantile: -dF/d(parameter) / (dF/dx), by differences.
double slope(const std::function<double(double, double)>& cdf, double parameter, double x) {
  constexpr double h = 1e-4;
  const auto d = [&](auto f) { return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h); };
  return -d([&](double e) { return cdf(parameter + e, x); }) / d([&](double e) { return cdf(parameter, x + e); });
}

TEST(SamplerGradients, OfWaldAndVonmisesAreThoseOfTheQuantile) {
  const Function f = trace("f", {{"key", u32, {2}}, {"m", f64, {40}}, {"s", f64, {40}}}, [](Var k, Var m, Var s) {
    const Var x = random::wald({k}, m, s), angle = random::vonmises({k}, 0, s);
    const auto g = grad(sum(x), {m, s});
    return std::vector<Var>{x, g[0], g[1], angle, grad(sum(angle), {s})[0]};
  });
  std::vector<double> m, s;
  for (int i = 0; i < 40; ++i) m.push_back(0.5 + 0.1 * (i % 7)), s.push_back(0.3 + 0.2 * i);
  const auto y = compile(f)({key_of(kKey), Tensor::of<double>({40}, m), Tensor::of<double>({40}, s)});
  for (size_t i = 0; i < 40; ++i) {
    const auto at = [&](size_t output) { return y[output].span<double>()[i]; };
    const double by_mean = slope([&](double p, double x) { return wald_cdf(p, s[i], x); }, m[i], at(0));
    const double by_scale = slope([&](double p, double x) { return wald_cdf(m[i], p, x); }, s[i], at(0));
    EXPECT_NEAR(at(1), by_mean, 1e-6 * std::max(1.0, std::abs(by_mean))) << i;
    EXPECT_NEAR(at(2), by_scale, 1e-6 * std::max(1.0, std::abs(by_scale))) << i;
    EXPECT_NEAR(at(4), slope(vonmises_cdf, s[i], at(3)), 1e-6) << i;
  }
}

TEST(SamplerGradients, OfTruncatedNormalsAreThoseOfTheQuantile) {
  const Function f = trace("f", {{"key", u32, {2}}, {"a", f64, {}}}, [](Var k, Var a) {
    const Var x = random::truncated_normal({k}, a, 2, {.shape = {1}});
    return std::vector<Var>{sum(x), grad(sum(x), {a})[0]};
  });
  const Compiled c = compile(f);
  const auto at = [&](double a) { return c({key_of(kKey), Tensor::of<double>({}, {a})}); };
  for (const double a : {-1.0, 0.4, 1.5}) {
    const double step = 1e-5;
    const double wanted = (at(a + step)[0].span<double>()[0] - at(a - step)[0].span<double>()[0]) / (2 * step);
    EXPECT_NEAR(at(a)[1].span<double>()[0], wanted, 1e-7) << a;
  }
}

}  // namespace
}  // namespace tc::random_cases
