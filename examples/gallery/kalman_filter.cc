#include <numbers>

#include "gallery.h"

namespace gallery {

// R. E. Kalman, "A new approach to linear filtering and prediction problems", 1960, for a body whose velocity drifts.
tc::Function kalman_filter() {
  const auto matrix = [](std::vector<float> values) { return tc::Tensor::of<float>({2, 2}, values); };
  const tc::Tensor motion = matrix({1, 1, 0, 1}), drift = matrix({0.01F, 0, 0, 0.04F}),
                   unknown = matrix({100, 0, 0, 100});

  return tc::trace("kalman_filter", {{"z", tc::f32, {"time"}}, {"noise", tc::f32, {}}}, [&](tc::Var z, tc::Var noise) {
    const auto step = [&](tc::Var mean, tc::Var covariance, tc::Var density, tc::Var observed) {
      mean = tc::matmul(motion, mean);
      covariance = tc::matmul(tc::matmul(motion, covariance), tc::matrix_transpose(motion)) + drift;
      const tc::Var surprise = observed - mean[0], variance = covariance[0][0] + noise;
      const tc::Var gain = covariance[0] / variance;  // the covariance is symmetric
      mean = mean + gain * surprise;
      covariance = covariance - tc::expand_dims(gain, 1) * covariance[0];
      density = density - 0.5 * (tc::log(2 * std::numbers::pi * variance) + surprise * surprise / variance);
      return std::tuple{mean, covariance, density, mean, covariance};
    };
    const auto [mean, covariance, density, means, covariances] =
        tc::scan(step, {tc::zeros({2}), unknown, tc::zeros({})}, {z});
    return tc::Outputs{{"means", means}, {"covariances", covariances}, {"log_density", density}};
  });
}

}  // namespace gallery
