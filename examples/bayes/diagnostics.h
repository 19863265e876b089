// What says whether chains can be trusted (A. Vehtari et al., "Rank-normalization, folding, and localization: an
// improved R-hat", Bayesian Analysis 16, 2021, without ranks): page/diagnostics.mjs computes the same.
#pragma once

#include <vector>

namespace bayes {

// Chains of one parameter, of equal length.
using Chains = std::vector<std::vector<double>>;

struct Summary {
  double mean, sd;
  double rhat;  // of halves of chains: near 1 where they agree
  double ess;   // the number of independent draws whose mean errs as much
};
Summary summary(const Chains& chains);

}  // namespace bayes
