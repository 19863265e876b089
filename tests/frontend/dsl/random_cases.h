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
  };
}
#undef TC_DRAW

}  // namespace tc::random_cases
