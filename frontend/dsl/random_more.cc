// Continuous samplers that are not one quantile: of square roots (level B), and of the runtime's own functions (level
// C).
#include <cmath>
#include <numbers>
#include <utility>

#include "tc/frontend/dsl/control.h"
#include "tc/frontend/dsl/custom.h"
#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/index.h"
#include "tc/frontend/dsl/linalg.h"
#include "tc/frontend/dsl/linalg_cholesky.h"
#include "tc/frontend/dsl/linalg_qr.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/random_math.h"
#include "tc/frontend/dsl/random_tables.h"
#include "tc/frontend/dsl/random_words.h"
#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/draws.h"

namespace tc::random {

using namespace dsl;

namespace {

// The lesser root of Michael, Schucany and Haas, without a difference, or the other one.
Var wald_of(const Var& key, const Var& mean, const Var& scale) {
  const std::vector<Key> keys = split({key}, 2);
  const DType t = mean.dtype();
  const Var z = normal_quantile(open_uniform(keys[0], mean.shape(), t));
  const Var w = mean * (z * z) / (scale * 2);
  const Var x = mean / ((w + 1) + sqrt(w * (w + 2)));
  const Var u = open_uniform(keys[1], mean.shape(), t);
  return where(u * (mean + x) <= mean, x, mean / x * mean);
}

// dx / d mean and dx / d scale of the quantile x, from the derivatives of the distribution function, whose two normal
// terms are in a fixed ratio to the density.
std::vector<Var> wald_slopes(const Var&, const Var& mean, const Var& scale, const Var& x, const Var& v) {
  const Var far = sqrt(scale / x) * (x / mean + 1);
  const Var mills = special::erfcx(far / std::numbers::sqrt2) * std::sqrt(std::numbers::pi / 2);
  const Var common = sqrt(x * x * x / scale) * mills * 2 / mean;
  return {v * common * scale / mean, v * (x / scale - common)};
}

// An angle by D. Best and N. Fisher, "Efficient simulation of the von Mises distribution", 1979: of the wrapped Cauchy
// distribution.
Trial vonmises_trial(const Var& u, const Var& v, const std::vector<Var>& parameters) {
  const Var& k = parameters[0];
  // r - 1 without cancellation where k is small or large.
  const Var tau = sqrt(k * k * 4 + 1) + 1;
  const Var rho = k * 2 / (tau + sqrt(tau * 2)), r = (rho * rho + 1) / (rho * 2);
  const Var turn = u * 2 - 1, z = cos(turn * std::numbers::pi);
  const Var f = (r * z + 1) / (r + z), c = k * (r - f);
  const Var angle = acos(clip(f, -1, 1));
  const Var taken = (c * (2 - c) > v) | (log(c / v) + 1 >= c);
  return {where(turn < 0, -angle, angle), taken};
}

Var vonmises_of(const Var& key, const Var& k) {
  const std::vector<Key> keys = split({key}, 2);
  const Var flat = k < 1e-5;
  const Var uniform = (open_uniform(keys[1], k.shape(), k.dtype()) * 2 - 1) * std::numbers::pi;
  return where(flat, uniform, rejection(keys[0], {where(flat, 1, k)}, vonmises_trial));
}

// dx / dk of the quantile x: the integral over [-pi, x] of (A - cos(t)) exp(k (cos(t) - cos(x))), where A is the mean
// cosine; by symmetry of |x|, with the sign. By Gauss's rule, as far as the density reaches.
Var vonmises_slope(const Var& kappa, const Var& angle) {
  const Var k = astype(kappa, f64), x = abs(astype(angle, f64));
  const Var mean = special::i1e(k) / special::i0e(k);
  const Var nodes =
      asarray(Tensor::of<double>({32}, std::vector<double>(tables::kGaussNodes, tables::kGaussNodes + 32)));
  const Var weights =
      asarray(Tensor::of<double>({32}, std::vector<double>(tables::kGaussWeights, tables::kGaussWeights + 32)));
  // cos(x) - cos(t) is at least (t^2 - x^2) 2 / pi^2.
  const Var end =
      minimum(sqrt(x * x + 40 * std::numbers::pi * std::numbers::pi / 2 / maximum(k, 1e-5)), std::numbers::pi);
  const auto add = [&](Var i, Var total) {
    const Var t = x + (end - x) * nodes[i];
    // cos(t) - cos(x) as a product.
    const Var lower = sin((t + x) * 0.5) * sin((t - x) * 0.5) * -2;
    return total + (cos(t) - mean) * exp(k * lower) * weights[i];
  };
  const Var size = fori_loop(0, 32, add, {x * 0}) * (end - x);
  return astype(where(angle < 0, -size, size), kappa.dtype());
}

}  // namespace

Var wald(const Key& k, Arg mean, Arg scale, SampleOptions options, Location at) {
  const Site site("random.wald", at);
  const Request r = request({std::move(mean), std::move(scale)}, options);
  const auto draw = custom_vjp(wald_of, wald_slopes);
  return draw(checked(k), broadcast_to(r.parameters[0], r.shape), broadcast_to(r.parameters[1], r.shape));
}

Var trunc_exponential(const Key& k, Arg end, Arg scale, SampleOptions options, Location at) {
  const Site site("random.trunc_exponential", at);
  const Request r = request({std::move(end), std::move(scale)}, options);
  const Var u = open_uniform(k, r.shape, r.dtype);
  fits(u, r.parameters);
  const Var inside = 1 - exp_any(-r.parameters[0]);
  return -log_below_1(plus(u * -inside, astype(1, r.dtype))) * r.parameters[1];
}

Var truncated_normal(const Key& k, Arg low, Arg high, SampleOptions options, Location at) {
  const Site site("random.truncated_normal", at);
  const Request r = request({std::move(low), std::move(high)}, options);
  const Var u = astype(open_uniform(k, r.shape, r.dtype), f64);
  fits(u, r.parameters);
  // The lower tail has relative accuracy: intervals above 0 are mirrored.
  const Var a = astype(r.parameters[0], f64), b = astype(r.parameters[1], f64), mirrored = a > 0;
  const Var from = special::ndtr(where(mirrored, -b, a)), to = special::ndtr(where(mirrored, -a, b));
  const Var x = special::ndtri(from + (to - from) * u);
  return astype(clip(where(mirrored, -x, x), a, b), r.dtype);
}

Var vonmises(const Key& k, Arg mean, Arg kappa, SampleOptions options, Location at) {
  const Site site("random.vonmises", at);
  const Request r = request({std::move(mean), std::move(kappa)}, options);
  const Var row = reshape(broadcast_to(r.parameters[1], r.shape), {-1});
  const auto draw = custom_vjp(vonmises_of, [](Var, Var c, Var x, Var v) { return v * vonmises_slope(c, x); });
  const Var x = reshape(draw(checked(k), row), r.shape) + r.parameters[0];
  const Var turns = round(x / (2 * std::numbers::pi));
  return x - stop_gradient(turns) * (2 * std::numbers::pi);
}

Var multivariate_normal(const Key& k, Arg mean, Arg covariance, DirichletOptions options, Location at) {
  const Site site("random.multivariate_normal", at);
  const auto [m, c] = promoted(mean, covariance, Domain::floating);
  if (m.rank() != 1 || c.rank() != 2)
    refuse(ErrorCode::bad_shape, cat("the mean is ", m.type(), " and the covariance ", c.type()));
  if (options.shape.dynamic()) refuse(ErrorCode::bad_shape, "the extents in front are not known");
  std::vector<Extent> extents = options.shape.extents();
  extents.emplace_back(m.dim(0));
  const Request r = request({m}, {.shape = extents});
  const Var z = marked(normal_quantile(open_uniform(k, r.shape, r.dtype)), draws::kNormal);
  return m + squeeze(matmul(linalg::cholesky(c), expand_dims(z, -1)), -1);
}

Var orthogonal(const Key& k, int64_t n, SampleOptions options, Location at) {
  const Site site("random.orthogonal", at);
  if (n < 1) refuse(ErrorCode::bad_argument, cat(n, " rows"));
  if (options.shape.dynamic()) refuse(ErrorCode::bad_shape, "the extents in front are not known");
  std::vector<Extent> extents = options.shape.extents();
  extents.insert(extents.end(), {n, n});
  const Request r = request({}, {.shape = extents, .dtype = options.dtype});
  const auto f = linalg::qr(marked(normal_quantile(open_uniform(k, r.shape, r.dtype)), draws::kNormal));
  const Var diagonal = linalg::diagonal(f.r);
  return f.q * expand_dims(where(diagonal < 0, astype(-1, r.dtype), 1), -2);
}

}  // namespace tc::random
