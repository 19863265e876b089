#include "diagnostics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bayes {

namespace {

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

// Of `lag` apart, over n.
double autocovariance(const std::vector<double>& x, double mean, size_t lag) {
  double sum = 0;
  for (size_t i = lag; i < x.size(); ++i) sum += (x[i] - mean) * (x[i - lag] - mean);
  return sum / static_cast<double>(x.size());
}

Chains halves(const Chains& chains) {
  Chains split;
  for (const auto& c : chains) {
    const auto middle = static_cast<std::ptrdiff_t>(c.size() / 2);
    split.emplace_back(c.begin(), c.begin() + middle);
    split.emplace_back(c.end() - middle, c.end());
  }
  return split;
}

}  // namespace

Summary summary(const Chains& chains) {
  const Chains split = halves(chains);
  const auto m = static_cast<double>(split.size()), n = static_cast<double>(split[0].size());
  std::vector<double> means;
  for (const auto& c : split) means.push_back(mean_of(c));
  const double mean = mean_of(means);
  double within = 0, between = 0;
  for (size_t k = 0; k < split.size(); ++k) {
    within += autocovariance(split[k], means[k], 0) * n / (n - 1) / m;
    between += (means[k] - mean) * (means[k] - mean) / (m - 1);
  }
  const double total = within * (n - 1) / n + between;
  // Geyer's initial monotone sequence: sums of two correlations are positive and fall.
  double time = -1, last = 0;
  for (size_t lag = 0; lag + 1 < split[0].size(); lag += 2) {
    double pair = 0;
    for (size_t k = 0; k < split.size(); ++k)
      pair += autocovariance(split[k], means[k], lag) + autocovariance(split[k], means[k], lag + 1);
    // 1 - (W - mean autocovariance) / total, twice.
    pair = 2 - (2 * within - pair / m * n / (n - 1)) / total;
    if (pair <= 0) break;
    last = lag == 0 ? pair : std::min(last, pair);
    time += 2 * last;
  }
  const double draws = m * n;
  return {mean, std::sqrt(total), std::sqrt(total / within),
          std::min(draws / std::max(time, 1 / std::log10(draws)), draws * std::log10(draws))};
}

}  // namespace bayes
