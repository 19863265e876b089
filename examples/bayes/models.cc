#include "models.h"

#include <numbers>

namespace bayes {

using tc::Var;
namespace portable = tc::portable;

namespace {

Var column(const std::vector<double>& values) {
  return tc::asarray(tc::Tensor::of<double>({static_cast<int64_t>(values.size())}, values));
}

// A scalar for each of n: its gradient is a sum in a fixed order.
Var each(const Var& x, int64_t n) {
  return portable::broadcast_to(x, {n});
}

Var squares(const Var& x) {
  return portable::sum(x * x);
}

// Columns of positions, and parameters from them.
Var at(const Var& positions, int64_t i) {
  return positions[{tc::ellipsis, i}];
}
Var from(const Var& positions, int64_t first) {
  return positions[{tc::ellipsis, tc::slice(first, {})}];
}

std::vector<std::string> numbered(std::vector<std::string> names, const std::string& name, int n) {
  for (int i = 1; i <= n; ++i) names.push_back(name + "[" + std::to_string(i) + "]");
  return names;
}

}  // namespace

Model eight_schools() {
  const std::vector<double> effect = {28, 8, -3, 7, -1, 1, 18, 12}, error = {15, 10, 16, 11, 9, 11, 10, 18};
  const auto log_density = [=](Var q) {
    const Var mu = q[0], log_tau = q[1], z = q[tc::slice(2, {})];
    const Var tau = portable::exp(log_tau), share = tau * 0.2;
    const Var theta = each(mu, 8) + each(tau, 8) * z;
    const Var prior = mu * mu * (-0.5 / 25) - squares(z) * 0.5 + (log_tau - portable::log(share * share + 1));
    return prior - squares((column(effect) - theta) / column(error)) * 0.5;
  };
  const auto parameters_of = [](Var q) {
    const Var mu = at(q, 0), tau = portable::exp(at(q, 1));
    const Var theta = tc::expand_dims(mu, 1) + tc::expand_dims(tau, 1) * from(q, 2);
    return tc::concat({tc::stack({mu, tau}, {.axis = 1}), theta}, {.axis = 1});
  };
  return {"eight_schools",
          "effects of coaching in eight schools",
          10,
          log_density,
          numbered({"mu", "tau"}, "theta", 8),
          parameters_of,
          true};
}

Model seeds() {
  const std::vector<double> germinated = {10, 23, 23, 26, 17, 5, 53, 55, 32, 46, 10, 8, 10, 8, 23, 0, 3, 22, 15, 32, 3};
  const std::vector<double> sown = {39, 62, 81, 51, 39, 6, 74, 72, 51, 79, 13, 16, 30, 28, 45, 4, 12, 41, 30, 51, 7};
  const std::vector<double> kind = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const std::vector<double> extract = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  constexpr int64_t kPlates = 21;
  const auto log_density = [=](Var q) {
    const Var log_s = q[4], z = q[tc::slice(5, {})], s = portable::exp(log_s);
    const Var x1 = column(kind), x2 = column(extract);
    const Var fixed =
        each(q[0], kPlates) + each(q[1], kPlates) * x1 + each(q[2], kPlates) * x2 + each(q[3], kPlates) * (x1 * x2);
    const Var logit = fixed + each(s, kPlates) * z;
    const Var likelihood = portable::sum(column(germinated) * logit - column(sown) * portable::log1pexp(logit));
    const Var prior = squares(q[tc::slice(4)]) * (-0.5 / 4) - squares(z) * 0.5 + (log_s - s * s * 0.5);
    return likelihood + prior;
  };
  const auto parameters_of = [](Var q) {
    return tc::concat({q[{tc::ellipsis, tc::slice(4)}], tc::expand_dims(portable::exp(at(q, 4)), 1)}, {.axis = 1});
  };
  return {"seeds",
          "germination on 21 plates, hierarchical logistic regression",
          26,
          log_density,
          {"a0", "a1", "a2", "a12", "s"},
          parameters_of,
          true};
}

Model gaussian_process() {
  const std::vector<double> x = {-2.0, -1.7, -1.5, -1.2, -0.9, -0.6, -0.4, -0.1, 0.3, 0.5, 0.8, 1.1, 1.4, 1.6, 1.9};
  const std::vector<double> y = {-0.23, -0.71, -0.66, -1.13, -0.92, -0.84, -0.37, -0.33,
                                 0.52,  0.61,  1.04,  0.87,  1.02,  0.63,  0.37};
  const auto n = static_cast<int64_t>(x.size());
  const auto log_density = [=](Var q) {
    const Var parameters = tc::exp(q), length = parameters[0], amplitude = parameters[1], noise = parameters[2];
    const Var away = (tc::expand_dims(column(x), 1) - column(x)) / length;
    const Var kernel = amplitude * amplitude * tc::exp(away * away * -0.5);
    const Var factor = tc::linalg::cholesky(kernel + (noise * noise + 1e-8) * tc::eye(n, {.dtype = tc::f64}));
    const Var whitened = tc::linalg::solve_triangular(factor, column(y), {.lower = true});
    const Var likelihood = tc::sum(whitened * whitened) * -0.5 - tc::sum(tc::log(tc::linalg::diagonal(factor)));
    // log(length) ~ N(0, 1), log(amplitude) ~ N(0, 1), log(noise) ~ N(-2, 1).
    const Var away_from_prior = q - column({0, 0, -2});
    return likelihood - tc::sum(away_from_prior * away_from_prior) * 0.5;
  };
  const auto parameters_of = [](Var q) { return tc::exp(q); };
  return {"gaussian_process",
          "a curve through 15 points, its length scale learnt",
          3,
          log_density,
          {"length", "amplitude", "noise"},
          parameters_of,
          false};
}

std::vector<Model> models() {
  return {eight_schools(), seeds(), gaussian_process()};
}

tc::Function sampler(const Model& model, const NutsOptions& options) {
  return tc::trace(model.name, {{"key", tc::u32, {2}}, {"warmup", tc::i64, {}}, {"draws", tc::i64, {}}},
                   [&](Var key, Var warmup, Var draws) {
                     const Draws d =
                         nuts(tc::random::wrap_key_data(key), warmup, draws, model.size, model.log_density, options);
                     return tc::Outputs{{"parameters", model.parameters_of(d.positions)},
                                        {"log_density", d.log_density},
                                        {"acceptance", d.acceptance},
                                        {"leaves", d.leaves},
                                        {"diverging", tc::astype(d.diverging, tc::i64)},
                                        {"step", d.step},
                                        {"inverse_mass", d.inverse_mass}};
                   });
}

}  // namespace bayes
