// Samplers by inverse distribution functions: level B.
#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/random_math.h"
#include "tc/frontend/dsl/random_words.h"
#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/draws.h"

namespace tc::random {

using namespace dsl;

namespace {

// Standard numbers of u in (0, 1).
Var exponential_of(const Var& u) {
  return -log_below_1(u);
}
Var gumbel_of(const Var& u) {
  return -log_any(-log_below_1(u));
}
Var laplace_of(const Var& u) {
  const Var left = u < 0.5;
  const Var size = log_below_1(where(left, u, 1 - u) * 2);
  return where(left, size, -size);
}
Var logistic_of(const Var& u) {
  const Var left = u < 0.5;
  const Var tail = where(left, u, 1 - u);
  const Var size = log_below_1(tail / (1 - tail));
  return where(left, size, -size);
}

struct Standard {
  Var (*of)(const Var&);
  std::string_view name;
};
constexpr Standard kNormal = {normal_quantile, draws::kNormal}, kGumbel = {gumbel_of, draws::kGumbel},
                   kLaplace = {laplace_of, draws::kLaplace}, kLogistic = {logistic_of, draws::kLogistic},
                   kCauchy = {cauchy_quantile, draws::kCauchy}, kExponential = {exponential_of, draws::kExponential};

struct Drawn {
  Var x;  // standard numbers
  std::vector<Var> parameters;
};
Drawn draw(const Key& k, const Args& parameters, const SampleOptions& options, const Standard& standard) {
  const Request r = request(parameters, options);
  const Var u = open_uniform(k, r.shape, r.dtype);
  fits(u, r.parameters);
  return {marked(standard.of(u), standard.name), r.parameters};
}

Var moved(const Drawn& d) {
  return plus(d.x * d.parameters[1], d.parameters[0]);
}
Var scaled(const Drawn& d) {
  return d.x * d.parameters[0];
}

Var itself(const Var& u) {
  return u;
}
constexpr Standard kItself = {itself, draws::kOpen};

}  // namespace

#define TC_LOCATION_SCALE(name, first, second, standard)                              \
  Var name(const Key& k, Arg first, Arg second, SampleOptions options, Location at) { \
    const Site site("random." #name, at);                                             \
    return moved(draw(k, {std::move(first), std::move(second)}, options, standard));  \
  }
TC_LOCATION_SCALE(normal, mean, stddev, kNormal)
TC_LOCATION_SCALE(gumbel, location, scale, kGumbel)
TC_LOCATION_SCALE(laplace, location, scale, kLaplace)
TC_LOCATION_SCALE(logistic, location, scale, kLogistic)
TC_LOCATION_SCALE(cauchy, location, scale, kCauchy)
#undef TC_LOCATION_SCALE

Var normal(const Key& k, SampleOptions options, Location at) {
  const Site site("random.normal", at);
  return draw(k, {}, options, kNormal).x;
}

Var half_normal(const Key& k, Arg scale, SampleOptions options, Location at) {
  const Site site("random.half_normal", at);
  Drawn d = draw(k, {scale}, options, kNormal);
  d.x = abs(d.x);
  return scaled(d);
}

Var half_cauchy(const Key& k, Arg scale, SampleOptions options, Location at) {
  const Site site("random.half_cauchy", at);
  Drawn d = draw(k, {scale}, options, kCauchy);
  d.x = abs(d.x);
  return scaled(d);
}

Var lognormal(const Key& k, Arg mean, Arg sigma, SampleOptions options, Location at) {
  const Site site("random.lognormal", at);
  return exp_any(moved(draw(k, {mean, sigma}, options, kNormal)));
}

Var exponential(const Key& k, Arg scale, SampleOptions options, Location at) {
  const Site site("random.exponential", at);
  return scaled(draw(k, {scale}, options, kExponential));
}

Var rayleigh(const Key& k, Arg scale, SampleOptions options, Location at) {
  const Site site("random.rayleigh", at);
  Drawn d = draw(k, {scale}, options, kExponential);
  d.x = sqrt(d.x * 2);
  return scaled(d);
}

Var weibull(const Key& k, Arg shape, Arg scale, SampleOptions options, Location at) {
  const Site site("random.weibull", at);
  const Drawn d = draw(k, {shape, scale}, options, kExponential);
  return exp_any(log_any(d.x) / d.parameters[0]) * d.parameters[1];
}

Var pareto(const Key& k, Arg shape, Arg scale, SampleOptions options, Location at) {
  const Site site("random.pareto", at);
  const Drawn d = draw(k, {shape, scale}, options, kExponential);
  return exp_any(d.x / d.parameters[0]) * d.parameters[1];
}

Var triangular(const Key& k, Arg left, Arg mode, Arg right, SampleOptions options, Location at) {
  const Site site("random.triangular", at);
  const Drawn d = draw(k, {left, mode, right}, options, kItself);
  const Var &low = d.parameters[0], &top = d.parameters[1], &high = d.parameters[2];
  const Var width = high - low, rise = top - low, fall = high - top;
  const Var rises = d.x * width < rise;
  // Each root is of what suits its side, for the sake of gradients.
  const Var upwards = sqrt(where(rises, d.x, 1) * width * rise);
  const Var downwards = sqrt(where(rises, 1, 1 - d.x) * width * fall);
  return where(rises, low + upwards, high - downwards);
}

Var categorical(const Key& k, Arg logits, CategoricalOptions options, Location at) {
  const Site site("random.categorical", at);
  const Var v = operand(logits, Domain::floating);
  if (v.rank() == 0) refuse(ErrorCode::bad_shape, "a scalar has no axis");
  const int axis = axis_of(options.axis, v.rank());
  if (options.shape.dynamic()) refuse(ErrorCode::bad_shape, "the extents in front are not known");
  std::vector<Extent> extents = options.shape.extents();
  const auto before = static_cast<int64_t>(extents.size());
  for (const Dim& d : v.shape()) extents.emplace_back(d);
  const Request r = request({v}, {.shape = extents});
  const Var noise = marked(gumbel_of(open_uniform(k, r.shape, r.dtype)), draws::kGumbel);
  return argmax(noise + r.parameters[0], {.axis = before + axis});
}

}  // namespace tc::random
