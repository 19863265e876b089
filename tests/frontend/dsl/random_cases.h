// Samplers of real numbers with a parameter set each, and their distribution functions.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>

#include "helpers.h"
#include "tc/ir/eval/interp.h"

namespace tc::random_cases {

using Block = std::array<uint32_t, 2>;
inline constexpr Block kKey = {0x13198a2e, 0x03707344};

inline Tensor key_of(Block k) {
  return Tensor::of<uint32_t>({2}, {k[0], k[1]});
}

struct SampleOptionsOf {
  DType dtype;
  random::SampleOptions of(int64_t n) const { return {.shape = {n}, .dtype = dtype}; }
};

struct Case {
  std::string name;
  std::function<Var(const random::Key&, random::SampleOptions)> draw;
  std::function<double(double)> cdf;
};

// The key is an input: nothing is known before the run.
inline Function program(const Case& c, DType t, int64_t n) {
  return trace("f", {{"key", u32, {2}}},
               [&](Var k) { return c.draw(random::wrap_key_data(std::move(k)), SampleOptionsOf{t}.of(n)); });
}

inline int64_t differing(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.extents() != b.extents()) return -1;
  const auto count = [](const auto& x, const auto& y) {
    int64_t n = 0;
    for (size_t i = 0; i < x.size(); ++i) n += std::memcmp(&x[i], &y[i], sizeof x[i]) != 0;
    return n;
  };
  return a.dtype() == f32 ? count(a.span<float>(), b.span<float>()) : count(a.span<double>(), b.span<double>());
}

inline double normal_cdf(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

// The distribution function of gamma(a) for whole 2 a.
inline double gamma_cdf(double a, double x) {
  double p = a == std::floor(a) ? 1 - std::exp(-x) : std::erf(std::sqrt(x));
  for (double b = a == std::floor(a) ? 1 : 0.5; b < a; ++b) p -= std::exp(b * std::log(x) - x - std::lgamma(b + 1));
  return p;
}

inline double wald_cdf(double mean, double scale, double x) {
  const double r = std::sqrt(scale / x);
  return normal_cdf(r * (x / mean - 1)) + std::exp(2 * scale / mean) * normal_cdf(-r * (x / mean + 1));
}

#define TC_DRAW(...) [](const random::Key& k, const random::SampleOptions& o) { return random::__VA_ARGS__; }
inline std::vector<Case> cases() {
  return {
      {"uniform", TC_DRAW(uniform(k, -1.3, 2.7, o)), [](double x) { return (x + 1.3) / 4; }},
      {"normal", TC_DRAW(normal(k, 0.7, 1.9, o)), [](double x) { return normal_cdf((x - 0.7) / 1.9); }},
      {"half_normal", TC_DRAW(half_normal(k, 1.7, o)), [](double x) { return 2 * normal_cdf(x / 1.7) - 1; }},
      {"lognormal", TC_DRAW(lognormal(k, 0.2, 0.6, o)), [](double x) { return normal_cdf((std::log(x) - 0.2) / 0.6); }},
      {"exponential", TC_DRAW(exponential(k, 1.7, o)), [](double x) { return -std::expm1(-x / 1.7); }},
      {"gumbel", TC_DRAW(gumbel(k, 0.3, 1.7, o)), [](double x) { return std::exp(-std::exp(-(x - 0.3) / 1.7)); }},
      {"laplace", TC_DRAW(laplace(k, 0.3, 1.7, o)),
       [](double x) {
         const double p = std::exp(-std::abs(x - 0.3) / 1.7) / 2;
         return x < 0.3 ? p : 1 - p;
       }},
      {"logistic", TC_DRAW(logistic(k, 0.3, 1.7, o)), [](double x) { return 1 / (1 + std::exp(-(x - 0.3) / 1.7)); }},
      {"cauchy", TC_DRAW(cauchy(k, 0.3, 1.7, o)),
       [](double x) { return 0.5 + std::atan((x - 0.3) / 1.7) / std::numbers::pi; }},
      {"rayleigh", TC_DRAW(rayleigh(k, 1.7, o)), [](double x) { return -std::expm1(-x * x / (2 * 1.7 * 1.7)); }},
      {"weibull", TC_DRAW(weibull(k, 1.3, 1.7, o)), [](double x) { return -std::expm1(-std::pow(x / 1.7, 1.3)); }},
      {"pareto", TC_DRAW(pareto(k, 2.3, 1.7, o)), [](double x) { return 1 - std::pow(1.7 / x, 2.3); }},
      {"triangular", TC_DRAW(triangular(k, -1, 0.7, 2, o)),
       [](double x) { return x < 0.7 ? (x + 1) * (x + 1) / 5.1 : 1 - (2 - x) * (2 - x) / 3.9; }},
      {"half_cauchy", TC_DRAW(half_cauchy(k, 1.7, o)),
       [](double x) { return std::atan(x / 1.7) * 2 / std::numbers::pi; }},
      {"gamma", TC_DRAW(gamma(k, 2.5, 1.7, o)), [](double x) { return gamma_cdf(2.5, x / 1.7); }},
      {"gamma_large", TC_DRAW(gamma(k, 300, o)), [](double x) { return gamma_cdf(300, x); }},
      {"gamma_below_1", TC_DRAW(gamma(k, 0.5, 1.7, o)), [](double x) { return gamma_cdf(0.5, x / 1.7); }},
      {"loggamma", TC_DRAW(loggamma(k, 0.5, o)), [](double x) { return gamma_cdf(0.5, std::exp(x)); }},
      {"inverse_gamma", TC_DRAW(inverse_gamma(k, 3, 1.7, o)), [](double x) { return 1 - gamma_cdf(3, 1.7 / x); }},
      {"generalized_gamma", TC_DRAW(generalized_gamma(k, 1.5, 3, 1.7, o)),
       [](double x) { return gamma_cdf(1.5, std::pow(x / 1.7, 3)); }},
      {"chisquare", TC_DRAW(chisquare(k, 5, o)), [](double x) { return gamma_cdf(2.5, x / 2); }},
      {"beta", TC_DRAW(beta(k, 2, 3, o)), [](double x) { return x * x * (6 - 8 * x + 3 * x * x); }},
      {"beta_below_1", TC_DRAW(beta(k, 0.5, 0.5, o)),
       [](double x) { return std::asin(std::sqrt(x)) * 2 / std::numbers::pi; }},
      {"t", TC_DRAW(t(k, 3, o)),
       [](double x) {
         const double y = x / std::numbers::sqrt3;
         return 0.5 + (y / (1 + y * y) + std::atan(y)) / std::numbers::pi;
       }},
      {"f", TC_DRAW(f(k, 2, 5, o)), [](double x) { return 1 - std::pow(1 + x * 2 / 5, -2.5); }},
      {"maxwell", TC_DRAW(maxwell(k, 1.7, o)), [](double x) { return gamma_cdf(1.5, x * x / (2 * 1.7 * 1.7)); }},
      {"wald", TC_DRAW(wald(k, 1.3, 2.1, o)), [](double x) { return wald_cdf(1.3, 2.1, x); }},
      {"trunc_exponential", TC_DRAW(trunc_exponential(k, 2, 1.7, o)),
       [](double x) { return std::expm1(-x / 1.7) / std::expm1(-2); }},
  };
}

// Whole numbers and their probabilities.
struct WholeCase {
  std::string name;
  std::function<Var(const random::Key&, random::SampleOptions)> draw;
  std::function<double(double)> log_p;
};

inline double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}
inline std::function<double(double)> poisson_law(double mean) {
  return [=](double x) { return x * std::log(mean) - mean - std::lgamma(x + 1); };
}
inline std::function<double(double)> binomial_law(double n, double p) {
  return [=](double x) { return x > n ? -INFINITY : log_choose(n, x) + x * std::log(p) + (n - x) * std::log1p(-p); };
}
inline std::function<double(double)> hypergeometric_law(double good, double bad, double n) {
  return [=](double x) -> double {
    if (x > good || x > n || n - x > bad) return -INFINITY;
    return log_choose(good, x) + log_choose(bad, n - x) - log_choose(good + bad, n);
  };
}

inline std::vector<WholeCase> whole_cases() {
  return {
      {"poisson", TC_DRAW(poisson(k, 3.7, o)), poisson_law(3.7)},
      {"poisson_large", TC_DRAW(poisson(k, 41.5, o)), poisson_law(41.5)},
      {"binomial", TC_DRAW(binomial(k, 12, 0.8, o)), binomial_law(12, 0.8)},
      {"binomial_large", TC_DRAW(binomial(k, 90, 0.35, o)), binomial_law(90, 0.35)},
      {"geometric", TC_DRAW(geometric(k, 0.3, o)),
       [](double x) { return x < 1 ? -INFINITY : (x - 1) * std::log(0.7) + std::log(0.3); }},
      {"negative_binomial", TC_DRAW(negative_binomial(k, 3.5, 0.4, o)),
       [](double x) {
         return std::lgamma(x + 3.5) - std::lgamma(3.5) - std::lgamma(x + 1) + 3.5 * std::log(0.4) + x * std::log(0.6);
       }},
      {"beta_binomial", TC_DRAW(beta_binomial(k, 9, 2, 3, o)),
       [](double x) -> double {
         if (x > 9) return -INFINITY;
         const auto beta = [](double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); };
         return log_choose(9, x) + beta(x + 2, 12 - x) - beta(2, 3);
       }},
      {"hypergeometric", TC_DRAW(hypergeometric(k, 7, 11, 6, o)), hypergeometric_law(7, 11, 6)},
      {"hypergeometric_large", TC_DRAW(hypergeometric(k, 70, 50, 90, o)), hypergeometric_law(70, 50, 90)},
  };
}
#undef TC_DRAW

}  // namespace tc::random_cases
