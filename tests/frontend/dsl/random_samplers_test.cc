// Samplers of tc::random: their distributions, the same bits from all that runs them, gradients and errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "random_cases.h"
#include "tc/kernels/cpu.h"

namespace tc::random_cases {
namespace {

std::vector<double> doubles(const Tensor& t) {
  std::vector<double> list;
  if (t.dtype() == f32)
    for (const float x : t.span<float>()) list.push_back(static_cast<double>(x));
  else
    for (const double x : t.span<double>()) list.push_back(x);
  return list;
}

// sqrt(n) times the largest distance of the empirical distribution function to the true one: above 2.3 with chance
// 5e-5 (Kolmogorov).
double distance(std::vector<double> x, const std::function<double(double)>& cdf) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double p = cdf(x[i]), below = static_cast<double>(i) / n;
    worst = std::max({worst, p - below, below + 1 / n - p});
  }
  return worst * std::sqrt(n);
}

class Samplers : public testing::TestWithParam<Case> {};

TEST_P(Samplers, HaveTheirDistribution) {
  for (const DType t : {f32, f64})
    EXPECT_LT(distance(doubles(compile(program(GetParam(), t, 100000))({key_of(kKey)})[0]), GetParam().cdf), 2.3) << t;
}

TEST_P(Samplers, HaveTheSameBitsWhateverRunsThem) {
  for (const DType t : {f32, f64}) {
    const Function f = program(GetParam(), t, 5000);
    const Tensor want = interpret(f.module(), {key_of(kKey)})[0].tensor();
    for (const std::string& isa : kernels::tier_names())
      for (const int threads : {1, 2})
        for (const int level : {0, 2}) {
          const Tensor got = compile(f, {.level = level, .threads = threads, .isa = isa})({key_of(kKey)})[0];
          EXPECT_EQ(differing(got, want), 0) << t << ", " << isa << ", level " << level << ", threads " << threads;
        }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Samplers, testing::ValuesIn(cases()), [](const auto& c) { return c.param.name; });

TEST(Normal, IsNearTheQuantile) {
  // erfc of the result gives the uniform number back.
  for (const DType t : {f32, f64}) {
    const Function f = trace("f", {{"key", u32, {2}}}, [&](Var k) {
      const SampleOptionsOf o{t};
      return std::vector<Var>{random::uniform({k}, o.of(20000)), random::normal({k}, o.of(20000))};
    });
    const auto y = compile(f)({key_of(kKey)});
    const auto u = doubles(y[0]), x = doubles(y[1]);
    double worst = 0;
    for (size_t i = 0; i < u.size(); ++i) {
      const double p = u[i] + (t == f32 ? 0x1p-24 : 0x1p-53);
      const double got = std::erfc(-x[i] / std::numbers::sqrt2) / 2;
      const double slope = std::exp(-x[i] * x[i] / 2) / std::sqrt(2 * std::numbers::pi);
      worst = std::max(worst, std::abs(got - p) / slope / std::max(std::abs(x[i]), 0.01));
    }
    EXPECT_LT(worst, t == f32 ? 1e-6 : 2e-14) << t;
  }
}

TEST(Uniform, IsOfTheLeadingBits) {
  const Function f = trace("f", {{"key", u32, {2}}}, [](Var k) {
    const random::Key key{k};
    return std::vector<Var>{random::bits(key, {500}), random::uniform(key, {.shape = {500}}),
                            random::bits(key, {500}, u64), random::uniform(key, {.shape = {500}, .dtype = f64})};
  });
  const auto y = compile(f)({key_of(kKey)});
  for (size_t i = 0; i < 500; ++i) {
    EXPECT_EQ(y[1].span<float>()[i], std::ldexp(static_cast<float>(y[0].span<uint32_t>()[i] >> 9), -23));
    EXPECT_EQ(y[3].span<double>()[i], std::ldexp(static_cast<double>(y[2].span<uint64_t>()[i] >> 12), -52));
  }
}

// Draws of n kinds in proportion to `weights`: chi-square within five deviations of its mean.
void expect_counts(const std::vector<int64_t>& drawn, const std::vector<double>& weights) {
  std::vector<double> counts(weights.size());
  for (const int64_t i : drawn) {
    ASSERT_TRUE(i >= 0 && i < static_cast<int64_t>(weights.size())) << i;
    ++counts[static_cast<size_t>(i)];
  }
  double chi = 0, total = 0;
  for (const double w : weights) total += w;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double want = weights[i] / total * static_cast<double>(drawn.size());
    chi += (counts[i] - want) * (counts[i] - want) / want;
  }
  const auto freedom = static_cast<double>(weights.size() - 1);
  EXPECT_LT(std::abs(chi - freedom), 5 * std::sqrt(2 * freedom));
}

template <class F>
Tensor drawn(F f) {
  const Function g = trace("f", {{"key", u32, {2}}}, [&](Var k) { return f(random::wrap_key_data(std::move(k))); });
  return compile(g)({key_of(kKey)})[0];
}
std::vector<int64_t> integers(const Tensor& t) {
  return {t.span<int64_t>().begin(), t.span<int64_t>().end()};
}

TEST(Discrete, HaveTheirDistribution) {
  using random::Key;
  expect_counts(integers(drawn([](const Key& k) { return random::randint(k, -3, 7, {.shape = {50000}}) + 3; })),
                std::vector<double>(10, 1));
  expect_counts(
      integers(drawn([](const Key& k) { return astype(random::bernoulli(k, 0.3, {.shape = {50000}}), i64); })),
      {0.7, 0.3});
  expect_counts(
      integers(drawn([](const Key& k) { return (random::rademacher(k, {.shape = {50000}, .dtype = i64}) + 1) >> 1; })),
      {1, 1});
  expect_counts(integers(drawn([](const Key& k) {
                  const Var logits = log(asarray(Tensor::of<float>({4}, {1, 2, 3, 4})));
                  return random::categorical(k, logits, {.shape = {50000}});
                })),
                {1, 2, 3, 4});
  expect_counts(integers(drawn([](const Key& k) { return random::choice(k, arange(7), 50000); })),
                std::vector<double>(7, 1));
  // The 24 orders of four numbers.
  expect_counts(
      integers(drawn([](const Key& k) {
        const Var keys = random::split_data(k, 20000);
        return map(
            [](Var data) {
              const Var p = random::permutation({data}, 4);
              const Var left = asarray(Tensor::of<int64_t>({4, 4}, {0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0}));
              const Var smaller = astype(expand_dims(p, 0) < expand_dims(p, 1), i64) * left;
              return sum(sum(smaller, {.axis = 1}) * asarray(Tensor::of<int64_t>({4}, {6, 2, 1, 0})));
            },
            {keys});
      })),
      std::vector<double>(24, 1));
}

TEST(Discrete, PermutationsKeepAllAndChoicesDiffer) {
  auto p = integers(drawn([](const random::Key& k) { return random::permutation(k, 1000); }));
  EXPECT_FALSE(std::is_sorted(p.begin(), p.end()));
  std::sort(p.begin(), p.end());
  for (size_t i = 0; i < p.size(); ++i) EXPECT_EQ(p[i], static_cast<int64_t>(i));
  auto c = integers(drawn([](const random::Key& k) { return random::choice(k, arange(50), 30, {.replace = false}); }));
  std::sort(c.begin(), c.end());
  EXPECT_EQ(std::unique(c.begin(), c.end()) - c.begin(), 30);
  const Tensor rows = drawn([](const random::Key& k) {
    return random::permutation(k, reshape(arange(6), {2, 3}), {.axis = 1});
  });
  for (size_t j = 0; j < 3; ++j) EXPECT_EQ(rows.span<int64_t>()[j] + 3, rows.span<int64_t>()[j + 3]);
}

TEST(SamplerGradients, GoThroughParameters) {
  // x = m + s z: slopes 1 and z. A scale: x / s.
  const Function f = trace("f", {{"key", u32, {2}}, {"m", f64, {}}, {"s", f64, {}}}, [](Var k, Var m, Var s) {
    const random::Key key{k};
    const random::SampleOptions one{.shape = {1}};
    std::vector<Var> out;
    for (const Var& x :
         {random::normal(key, m, s, one), random::gumbel(key, m, s, one), random::cauchy(key, m, s, one),
          random::lognormal(key, m, s, one), random::weibull(key, s, 2, one), random::pareto(key, s, 2, one),
          random::triangular(key, m - 1, m, m + s, one), random::uniform(key, m, m + s, one)}) {
      const auto g = grad(sum(x), {m, s});
      out.insert(out.end(), {sum(x), g[0], g[1]});
    }
    return out;
  });
  const Compiled c = compile(f);
  const auto at = [&](double m, double s) {
    std::vector<double> list;
    for (const Tensor& t : c({key_of(kKey), Tensor::of<double>({}, {m}), Tensor::of<double>({}, {s})}))
      list.push_back(t.span<double>()[0]);
    return list;
  };
  constexpr double kStep = 1e-6;
  const auto y = at(0.3, 1.2), up = at(0.3 + kStep, 1.2), down = at(0.3 - kStep, 1.2), more = at(0.3, 1.2 + kStep),
             less = at(0.3, 1.2 - kStep);
  for (size_t i = 0; i < y.size(); i += 3) {
    EXPECT_NEAR(y[i + 1], (up[i] - down[i]) / (2 * kStep), 1e-6 * std::max(1.0, std::abs(y[i + 1]))) << i;
    EXPECT_NEAR(y[i + 2], (more[i] - less[i]) / (2 * kStep), 1e-6 * std::max(1.0, std::abs(y[i + 2]))) << i;
  }
}

double digamma(double x) {
  double y = 0;
  for (; x < 20; ++x) y -= 1 / x;
  const double r = 1 / (x * x);
  return y + std::log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r / 252));
}

// d log(x) / da of the quantile x of gamma(a): the integral of (digamma(a) - log(t)) over the distribution from 0 to x,
// by Simpson's rule in s = log(t), from where the density has fallen by e^-40.
double slope_of_quantile(double a, double log_x) {
  const double x = std::exp(log_x);
  const auto below = [&](double s) { return a * (s - log_x) - std::exp(s) + x; };
  double low = log_x;
  while (below(low) > -40 || low > std::log(a)) low -= 0.01 / std::sqrt(a);
  constexpr int kSteps = 20000;
  const double h = (log_x - low) / kSteps;
  double total = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double s = low + i * h;
    total += (digamma(a) - s) * std::exp(below(s)) * (i == 0 || i == kSteps ? 1 : i % 2 ? 4 : 2);
  }
  return total * h / 3;
}

TEST(SamplerGradients, OfGammasAreThoseOfTheQuantile) {
  const Function f = trace("f", {{"key", u32, {2}}, {"a", f64, {300}}}, [](Var k, Var a) {
    const Var x = random::gamma({k}, a), y = random::loggamma({k}, a);
    return std::vector<Var>{x, grad(sum(x), {a})[0], y, grad(sum(y), {a})[0]};
  });
  std::vector<double> a;
  for (int i = 0; i < 300; ++i) a.push_back(std::pow(10, i / 50.0 - 2));
  const auto y = compile(f)({key_of(kKey), Tensor::of<double>({300}, a)});
  for (size_t i = 0; i < 300; ++i) {
    const double x = y[0].span<double>()[i], log_x = y[2].span<double>()[i];
    EXPECT_NEAR(std::log(x), log_x, 1e-12 * std::max(1.0, std::abs(log_x))) << a[i];
    EXPECT_NEAR(y[1].span<double>()[i], x * y[3].span<double>()[i], 1e-12 * std::abs(y[1].span<double>()[i])) << a[i];
    const double want = slope_of_quantile(a[i], log_x);
    EXPECT_NEAR(y[3].span<double>()[i], want, 1e-7 * want) << "a " << a[i] << ", log x " << log_x;
  }
}

TEST(SamplerErrors, AreAtTheUsersLine) {
  const auto in_trace = [](auto f) {
    return what([&] {
      return trace("f", {{"key", u32, {2}}, {"x", f32, {3}}}, [&](Var k, Var x) { return f(random::Key{k}, x); });
    });
  };
  using random::Key;
  for (const std::string& text : {
           in_trace([](const Key&k, Var x) { return random::normal(k, x, 1, {.shape = {4}}); }),
           in_trace([](const Key&k, Var x) { return random::normal(k, x, 1, {.dtype = i32}); }),
           in_trace([](const Key&, Var x) { return random::exponential({x}, 1); }),
           in_trace([](const Key&k, Var) { return random::randint(k, 3, 3); }),
           in_trace([](const Key&k, Var x) { return random::randint(k, x, 3); }),
           in_trace([](const Key&k, Var x) { return random::choice(k, x, 4, {.replace = false}); }),
           in_trace([](const Key&k, Var x) { return random::permutation(k, x, {.axis = 1}); }),
       })
    EXPECT_TRUE(contains(text, "random_samplers_test.cc")) << text;
}

}  // namespace
}  // namespace tc::random_cases
