// The gamma distribution and those that are made of it: level B.
#include <cmath>
#include <utility>

#include "tc/frontend/dsl/control.h"
#include "tc/frontend/dsl/custom.h"
#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/index.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/random_math.h"
#include "tc/frontend/dsl/random_tables.h"
#include "tc/frontend/dsl/random_words.h"
#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/special_parts.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::random {

using namespace dsl;

namespace {

// d v of Marsaglia and Tsang for a >= 1, where d = a - 1/3.
Trial gamma_trial(const Var& u, const Var& v, const std::vector<Var>& parameters) {
  const Var d = parameters[0] - 1.0 / 3;
  const Var z = normal_quantile(u);
  const Var root = z / sqrt(d * 9) + 1;
  const Var good = root > 0, safe = where(good, root, 1);
  const Var cube = safe * safe * safe;
  const Var bound = plus(z * z * 0.5, d * (log_any(cube) - (cube - 1)));
  return {d * cube, good & (log_below_1(v) < bound)};
}

// A number of gamma(a), or gamma(a + 1) where a < 1, and the logarithm of the factor that makes it one of gamma(a).
std::pair<Var, Var> gamma_parts(const Var& key, const Var& a) {
  const std::vector<Key> keys = split({key}, 2);
  const Var small = a < 1;
  const Var y = rejection(keys[0], {where(small, a + 1, a)}, gamma_trial);
  const Var power = log_below_1(open_uniform(keys[1], a.shape(), a.dtype())) / where(small, a, 1);
  return {y, where(small, power, 0)};
}

Var gamma_of_shape(const Var& key, const Var& a) {
  const auto [y, power] = gamma_parts(key, a);
  return y * exp_any(power);
}

Var loggamma_of_shape(const Var& key, const Var& a) {
  const auto [y, power] = gamma_parts(key, a);
  return log_any(y) + power;
}

// d log(x) / da of the quantile x of a, by the power series of the distribution function: x < 1/2.
Var slope_by_series(const Var& a, const Var& log_x) {
  const Var x = exp(log_x);
  Var term = x * 0 + 1, sum = term, slope = term * 0, harmonic = slope;
  for (int n = 1; n < 14; ++n) {
    const Var r = 1 / (a + n);
    term = term * (x * r);
    harmonic = harmonic + r;
    sum = sum + term;
    slope = slope - term * harmonic;
  }
  return -(sum * (log_x - special::parts::digamma_of(a + 1)) + slope) / a;
}

// The same by the integral of (w + |log(x) - digamma(a)|) exp(-h(w)) over w >= 0, where h is x expm1(w) - a w if
// log(x) > digamma(a), else a w + x expm1(-w): the derivative in a of the distribution's tail at x, or of the rest,
// over the density, of which nothing cancels. The ends are where lower bounds of h are 40.
Var slope_by_integral(const Var& a, const Var& log_x) {
  const Var x = exp(log_x), difference = log_x - special::parts::digamma_of(a);
  const Var above = difference >= 0, sign = where(above, astype(1, f64), astype(-1, f64));
  const Var d = maximum((x - a) * sign, -1);
  const Var quadratic = (sqrt(d * d + x * 80) - d) / x;
  const Var upper = minimum(quadratic, log1p((a * quadratic + 40) / x));
  const Var p = d / 3 + x * 0.5, q = d - 40. / 3;
  const Var end = where(above, upper, (sqrt(q * q + p * 160) - q) / (p * 2));
  const auto table = [](const double(&c)[32]) {
    return asarray(Tensor::of<double>({32}, std::vector<double>(c, c + 32)));
  };
  const Var nodes = table(tables::kGaussNodes), weights = table(tables::kGaussWeights);
  const auto add = [&](Var i, Var sum) {
    const Var w = end * nodes[i];
    return sum + (w + abs(difference)) * exp(sign * a * w - x * expm1(sign * w)) * weights[i];
  };
  return fori_loop(0, 32, add, {x * 0}) * end;
}

// d log(x) / da where x is the quantile of a fixed probability (Figurnov, Mohamed, Mnih 2018).
Var gamma_slope(const Var& a, const Var& log_x) {
  const Var b = astype(a, f64), y = astype(log_x, f64);
  const Var near = y < std::log(0.5);
  const Var series = slope_by_series(b, where(near, y, -1));
  return astype(where(near, series, slope_by_integral(b, where(near, 0, y))), a.dtype());
}

Var standard_gamma(const Key& k, const Var& a, const ShapeArg& shape) {
  const auto draw = custom_vjp(gamma_of_shape, [](Var, Var b, Var x, Var v) {
    const Var there = x > 0;
    return where(there, v * x * gamma_slope(b, log(where(there, x, 1))), 0);
  });
  const Var all = broadcast_to(a, shape);
  return reshape(draw(checked(k), reshape(all, {-1})), shape);
}

Var standard_loggamma(const Key& k, const Var& a, const ShapeArg& shape) {
  const auto draw =
      custom_vjp(loggamma_of_shape, [](Var, Var b, Var log_x, Var v) { return v * gamma_slope(b, log_x); });
  const Var all = broadcast_to(a, shape);
  return reshape(draw(checked(k), reshape(all, {-1})), shape);
}

// Of one parameter, a multiple of which is the shape.
struct Gamma {
  Var x;
  std::vector<Var> parameters;
};
Gamma drawn_gamma(const Key& k, const Args& parameters, double factor, const SampleOptions& options) {
  const Request r = request(parameters, options);
  return {standard_gamma(k, factor == 1 ? r.parameters[0] : r.parameters[0] * factor, r.shape), r.parameters};
}

}  // namespace

Var gamma(const Key& k, Arg a, SampleOptions options, Location at) {
  const Site site("random.gamma", at);
  return drawn_gamma(k, {std::move(a)}, 1, options).x;
}

Var gamma(const Key& k, Arg a, Arg scale, SampleOptions options, Location at) {
  const Site site("random.gamma", at);
  const Gamma g = drawn_gamma(k, {std::move(a), std::move(scale)}, 1, options);
  return g.x * g.parameters[1];
}

Var loggamma(const Key& k, Arg a, SampleOptions options, Location at) {
  const Site site("random.loggamma", at);
  const Request r = request({std::move(a)}, options);
  return standard_loggamma(k, r.parameters[0], r.shape);
}

Var inverse_gamma(const Key& k, Arg a, Arg scale, SampleOptions options, Location at) {
  const Site site("random.inverse_gamma", at);
  const Gamma g = drawn_gamma(k, {std::move(a), std::move(scale)}, 1, options);
  return g.parameters[1] / g.x;
}

Var generalized_gamma(const Key& k, Arg a, Arg power, Arg scale, SampleOptions options, Location at) {
  const Site site("random.generalized_gamma", at);
  const Request r = request({std::move(a), std::move(power), std::move(scale)}, options);
  return exp_any(standard_loggamma(k, r.parameters[0], r.shape) / r.parameters[1]) * r.parameters[2];
}

Var chisquare(const Key& k, Arg df, SampleOptions options, Location at) {
  const Site site("random.chisquare", at);
  return drawn_gamma(k, {std::move(df)}, 0.5, options).x * 2;
}

Var beta(const Key& k, Arg a, Arg b, SampleOptions options, Location at) {
  const Site site("random.beta", at);
  const Request r = request({std::move(a), std::move(b)}, options);
  const std::vector<Key> keys = split(k, 2);
  const Var x = standard_loggamma(keys[0], r.parameters[0], r.shape);
  const Var lead = standard_loggamma(keys[1], r.parameters[1], r.shape) - x;
  const Var e = exp_any(-abs(lead));
  return where(lead > 0, e, 1) / (e + 1);
}

Var dirichlet(const Key& k, Arg alpha, DirichletOptions options, Location at) {
  const Site site("random.dirichlet", at);
  const Var v = operand(alpha, Domain::floating);
  if (v.rank() == 0) refuse(ErrorCode::bad_shape, "a scalar has no components");
  if (options.shape.dynamic()) refuse(ErrorCode::bad_shape, "the extents in front are not known");
  std::vector<Extent> extents = options.shape.extents();
  for (const Dim& d : v.shape()) extents.emplace_back(d);
  const Request r = request({v}, {.shape = extents});
  const Var logs = standard_loggamma(k, r.parameters[0], r.shape);
  const Var parts = exp_any(logs - stop_gradient(max(logs, {.axis = -1, .keepdims = true})));
  return parts / ordered_sum(parts);
}

Var t(const Key& k, Arg df, SampleOptions options, Location at) {
  const Site site("random.t", at);
  const std::vector<Key> keys = split(k, 2);
  const Gamma g = drawn_gamma(keys[1], {std::move(df)}, 0.5, options);
  const Var z = normal_quantile(open_uniform(keys[0], g.x.shape(), g.x.dtype()));
  return z * sqrt(g.parameters[0] * 0.5 / g.x);
}

Var f(const Key& k, Arg numerator_df, Arg denominator_df, SampleOptions options, Location at) {
  const Site site("random.f", at);
  const Request r = request({std::move(numerator_df), std::move(denominator_df)}, options);
  const std::vector<Key> keys = split(k, 2);
  const Var x = standard_gamma(keys[0], r.parameters[0] * 0.5, r.shape);
  const Var y = standard_gamma(keys[1], r.parameters[1] * 0.5, r.shape);
  return (x * r.parameters[1]) / (y * r.parameters[0]);
}

Var maxwell(const Key& k, Arg scale, SampleOptions options, Location at) {
  const Site site("random.maxwell", at);
  const Request r = request({std::move(scale)}, options);
  const Var a = asarray(1.5, {.dtype = r.dtype});
  return sqrt(standard_gamma(k, a, r.shape) * 2) * r.parameters[0];
}

}  // namespace tc::random
