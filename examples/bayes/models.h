// Three posteriors to sample from.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "nuts.h"

namespace bayes {

struct Model {
  std::string name, about;
  int64_t size;                                   // of a position
  LogDensity log_density;                         // with the Jacobian of the map to parameters
  std::vector<std::string> parameters;            // what draws are shown as
  std::function<tc::Var(tc::Var)> parameters_of;  // f64[iterations, size] -> f64[iterations, parameters]
  bool portable;                                  // bit for bit the same in every runtime
  friend std::ostream& operator<<(std::ostream& out, const Model& m) { return out << m.name; }
};

// Eight schools' coaching, non-centred (D. Rubin, "Estimation in parallel randomized experiments", 1981; A. Gelman et
// al., Bayesian Data Analysis, 3rd ed., section 5.5): effects y_j ~ N(theta_j, sigma_j^2), theta_j = mu + tau z_j,
// mu ~ N(0, 5^2), tau ~ half-Cauchy(5).
Model eight_schools();

// Seeds that germinate on 21 plates: logistic regression with an effect of each plate (M. Crowder, "Beta-binomial Anova
// for proportions", 1978). r_i of n_i ~ binomial, logit p_i = a0 + a1 x1_i + a2 x2_i + a12 x1_i x2_i + s z_i, of normal
// a ~ N(0, 2^2) and s ~ half-normal(1).
Model seeds();

// A Gaussian process with a squared-exponential kernel whose length, amplitude and noise are learnt: y ~ N(0, K +
// noise^2), log-normal priors. The density takes a Cholesky factor.
Model gaussian_process();

std::vector<Model> models();

// (key: u32[2], warmup: i64, draws: i64) -> parameters f64[warmup + draws, parameters], and what else Draws has.
tc::Function sampler(const Model& model, const NutsOptions& options = {});

}  // namespace bayes
