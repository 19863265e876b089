#include "gallery.h"

namespace gallery {

tc::Function logistic_regression() {
  const tc::Function log_density = tc::trace(
      "logistic_regression", {{"x", tc::f32, {"n", "features"}}, {"y", tc::f32, {"n"}}, {"w", tc::f32, {"features"}}},
      [](tc::Var x, tc::Var y, tc::Var w) {
        const tc::Var logits = tc::matmul(x, w);
        // log p(y | x, w) of Bernoulli outcomes; weights are normal with variance 4 before anything is seen.
        const tc::Var likelihood = tc::sum(y * logits - tc::softplus(logits));
        const tc::Var prior = tc::sum(w * w) * (-0.5 / 4);
        return tc::Outputs{{"log_density", likelihood + prior}};
      });
  return tc::value_and_grad(log_density, {"w"});
}

}  // namespace gallery
