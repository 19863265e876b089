// Whole numbers by inversion and rejection: level B. All compute in f64.
#include <utility>

#include "tc/frontend/dsl/control.h"
#include "tc/frontend/dsl/custom.h"
#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/index.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/random_math.h"
#include "tc/frontend/dsl/random_words.h"
#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::random {

using namespace dsl;

namespace {

// Parameters in f64, of the shape, as one row, since lanes that wait are taken out of it.
struct Counts {
  DType dtype;
  ShapeArg shape;
  std::vector<Var> rows;
};
Counts counts_of(const Args& parameters, SampleOptions options) {
  const DType t = options.dtype.value_or(i64);
  if (t == bool_ || (!dtypes::ints.has(t) && t != f32 && t != f64))
    refuse(ErrorCode::bad_type, cat("whole numbers of ", t));
  options.dtype = f64;
  const Request r = request(parameters, options);
  Counts c{t, r.shape, {}};
  for (const Var& p : r.parameters) c.rows.push_back(reshape(broadcast_to(stop_gradient(p), r.shape), {-1}));
  return c;
}

Var as_asked(const Var& row, const Counts& c) {
  return reshape(astype(row, c.dtype), c.shape);
}

Var places_where(const Var& mask) {
  return nonzero(mask)[0];
}

// The number of terms of a distribution that u is above: the first is `first`, the ratio of term k and the one before
// it `ratio(k)`.
template <class F>
Var by_inversion(const Var& u, const Var& first, int64_t terms, F ratio) {
  const auto again = [&](Var k, Var, Var total, Var) { return (k < terms) & any(u > total); };
  const auto next = [&](Var k, Var term, Var total, Var x) {
    const Var more = (term * ratio(astype(k, f64))) / astype(k, f64);
    return std::vector<Var>{k + 1, more, total + more, x + astype(u > total, f64)};
  };
  return while_loop(again, next, {asarray(1, {.dtype = i64}), first, first, u * 0})[3];
}

// PTRS of W. Hörmann, "The transformed rejection method for generating Poisson random variables", 1993: mean >= 10.
Trial poisson_trial(const Var& u, const Var& v, const std::vector<Var>& parameters) {
  const Var& mean = parameters[0];
  const Var b = sqrt(mean) * 2.53 - -0.931, a = b * 0.02483 - 0.059;
  const Var inverse = 1.1328 / (b - 3.4) + 1.1239, sure = 0.9277 - 3.6224 / (b - 2);
  const Var side = u - 0.5, inside = 0.5 - abs(side);
  const Var x = floor(plus((a * 2 / inside + b) * side, mean + 0.43));
  const Var good = (x >= 0) & !((inside < 0.013) & (v > inside));
  const Var k = where(good, x, 0);
  const Var left = log_any(v * inverse / (a / (inside * inside) + b));
  const Var right = plus(k * log_any(mean), -mean) - log_gamma_from_1(k + 1);
  return {k, good & (((inside >= 0.07) & (v <= sure)) | (left <= right))};
}

Var poisson_of(const Key& k, const Var& mean) {
  const std::vector<Key> keys = split(k, 2);
  const Var large = mean >= 10, few = where(large, 0, mean);
  const Var u = open_uniform(keys[0], mean.shape(), f64);
  const Var small = by_inversion(u, exp_any(-few), 64, [&](const Var&) { return few; });
  return where(large, rejection_at(keys[1], places_where(large), {where(large, mean, 10)}, poisson_trial), small);
}

// log(1 - q) of q in [0, 1/2].
Var log_1_minus(const Var& q) {
  const Var rest = 1 - q, none = rest == 1;
  return where(none, -q, log_any(rest) * (q / where(none, 1, 1 - rest)));
}

// BTRS of W. Hörmann, "The generation of binomial random variates", 1993: n q >= 10, q <= 1/2.
Trial binomial_trial(const Var& u, const Var& v, const std::vector<Var>& parameters) {
  const Var &n = parameters[0], &q = parameters[1];
  const Var odds = q / (1 - q), spread = sqrt(n * q * (1 - q));
  const Var b = spread * 2.53 - -1.15, a = plus(b * 0.0248, q * 0.01 - 0.0873);
  const Var alpha = (5.1 / b + 2.83) * spread, sure = 0.92 - 4.2 / b;
  const Var side = u - 0.5, inside = 0.5 - abs(side);
  const Var x = floor(plus((a * 2 / inside + b) * side, n * q - -0.5));
  const Var good = (x >= 0) & (x <= n);
  const Var k = where(good, x, 0), mode = floor((n + 1) * q);
  const Var left = log_any(v * alpha / (a / (inside * inside) + b));
  const Var top = log_gamma_from_1(mode + 1) + log_gamma_from_1(n - mode + 1);
  const Var here = log_gamma_from_1(k + 1) + log_gamma_from_1(n - k + 1);
  const Var right = plus((k - mode) * log_any(odds), top - here);
  return {k, good & (((inside >= 0.07) & (v <= sure)) | (left <= right))};
}

Var binomial_of(const Key& k, const Var& n, const Var& p) {
  const std::vector<Key> keys = split(k, 2);
  const Var flipped = p > 0.5, q = where(flipped, 1 - p, p);
  const Var large = n * q >= 10, few = where(large, 0, q), trials = where(large, 0, n);
  const Var u = open_uniform(keys[0], n.shape(), f64), odds = few / (1 - few);
  const Var small = by_inversion(u, exp_any(trials * log_1_minus(few)), 128,
                                 [&](const Var& i) { return maximum(trials - i + 1, 0) * odds; });
  const std::vector<Var> safe = {where(large, n, 20), where(large, q, 0.5)};
  const Var x = where(large, rejection_at(keys[1], places_where(large), safe, binomial_trial), small);
  return where(flipped, n - x, x);
}

// HRUA of E. Stadlober, "The ratio of uniforms approach for generating discrete random variates", 1990. Parameters: the
// lesser and the larger kind, and a sample of at most half of both.
Trial hypergeometric_trial(const Var& u, const Var& v, const std::vector<Var>& parameters) {
  const Var &less = parameters[0], &more = parameters[1], &sample = parameters[2];
  const Var all = less + more, share = less / all;
  const Var centre = sample * share - -0.5;
  const Var spread = sqrt((all - sample) * sample * share * (1 - share) / (all - 1) + 0.5);
  const Var width = spread * 1.7155277699214135 - -0.8989161620588988;
  const Var mode = floor((sample + 1) * (less + 1) / (all + 2));
  const Var end = minimum(minimum(sample, less) + 1, floor(plus(spread * 16, centre)));
  const auto weight = [&](const Var& x) {
    return (log_gamma_from_1(x + 1) + log_gamma_from_1(less - x + 1)) +
           (log_gamma_from_1(sample - x + 1) + log_gamma_from_1(more - sample + x + 1));
  };
  const Var w = plus(width * (v - 0.5) / u, centre), good = (w >= 0) & (w < end);
  const Var x = where(good, floor(w), mode);
  return {x, good & (log_below_1(u) * 2 <= weight(mode) - weight(x))};
}

Var hypergeometric_of(const Key& k, const Var& good, const Var& bad, const Var& drawn) {
  const std::vector<Key> keys = split(k, 2);
  const Var all = good + bad, flipped = drawn * 2 > all, sample = where(flipped, all - drawn, drawn);
  // A few are drawn one by one, of the good ones that are left.
  constexpr int64_t kFew = 10;
  const Var large = sample > kFew;
  const auto draw_one = [&](Var i, Var left) {
    const Var u = open_uniform(fold_in(keys[0], i), good.shape(), f64), before = astype(i, f64);
    return left - astype((u * (all - before) < left) & (before < sample), f64);
  };
  const Var few = good - fori_loop(0, kFew, draw_one, {good});
  const Var swapped = good > bad;
  const std::vector<Var> safe = {where(large, minimum(good, bad), 50), where(large, maximum(good, bad), 50),
                                 where(large, sample, 20)};
  const Var less = rejection_at(keys[1], places_where(large), safe, hypergeometric_trial);
  const Var x = where(large, where(swapped, sample - less, less), few);
  return where(flipped, good - x, x);
}

}  // namespace

Var poisson(const Key& k, Arg mean, SampleOptions options, Location at) {
  const Site site("random.poisson", at);
  const Counts c = counts_of({std::move(mean)}, options);
  return as_asked(poisson_of(k, c.rows[0]), c);
}

Var binomial(const Key& k, Arg n, Arg p, SampleOptions options, Location at) {
  const Site site("random.binomial", at);
  const Counts c = counts_of({std::move(n), std::move(p)}, options);
  return as_asked(binomial_of(k, c.rows[0], c.rows[1]), c);
}

Var geometric(const Key& k, Arg p, SampleOptions options, Location at) {
  const Site site("random.geometric", at);
  const Counts c = counts_of({std::move(p)}, options);
  const Var& row = c.rows[0];
  const Var sure = row >= 1, half = row > 0.5, small = where(half, 0.5, row);
  const Var rest = where(half, log_any(where(sure, 0.5, 1 - row)), log_1_minus(small));
  const Var u = open_uniform(k, row.shape(), f64);
  return as_asked(where(sure, 1, floor(log_below_1(u) / rest) + 1), c);
}

Var negative_binomial(const Key& k, Arg n, Arg p, SampleOptions options, Location at) {
  const Site site("random.negative_binomial", at);
  const Counts c = counts_of({std::move(n), std::move(p)}, options);
  const std::vector<Key> keys = split(k, 2);
  const Var mean = gamma(keys[0], c.rows[0]) * ((1 - c.rows[1]) / c.rows[1]);
  return as_asked(poisson_of(keys[1], mean), c);
}

Var beta_binomial(const Key& k, Arg n, Arg a, Arg b, SampleOptions options, Location at) {
  const Site site("random.beta_binomial", at);
  const Counts c = counts_of({std::move(n), std::move(a), std::move(b)}, options);
  const std::vector<Key> keys = split(k, 2);
  return as_asked(binomial_of(keys[1], c.rows[0], beta(keys[0], c.rows[1], c.rows[2])), c);
}

Var hypergeometric(const Key& k, Arg good, Arg bad, Arg drawn, SampleOptions options, Location at) {
  const Site site("random.hypergeometric", at);
  const Counts c = counts_of({std::move(good), std::move(bad), std::move(drawn)}, options);
  return as_asked(hypergeometric_of(k, c.rows[0], c.rows[1], c.rows[2]), c);
}

Var multinomial(const Key& k, Arg n, Arg p, SampleOptions options, Location at) {
  const Site site("random.multinomial", at);
  const Var kinds = astype(operand(p, Domain::floating), f64);
  if (kinds.rank() != 1 || !kinds.dim(0).is_const() || kinds.dim(0).value() < 1)
    refuse(ErrorCode::bad_shape, cat("probabilities are ", kinds.type(), ", expected a fixed number of them"));
  const Counts c = counts_of({std::move(n)}, options);
  const int64_t last = kinds.dim(0).value() - 1;
  // Each kind of what the kinds before it left.
  const auto step = [&](Var left, Var mass, Var key, Var own) {
    const Var share = clip(own / mass, 0, 1);
    const Var x = binomial_of({key}, left, broadcast_to(share, left.shape()));
    return std::vector<Var>{left - x, mass - own, x};
  };
  std::vector<Var> rows = {c.rows[0]};
  if (last > 0) {
    const Var mass = reshape(ordered_sum(stop_gradient(kinds)), {});
    const auto parts = scan(step, {c.rows[0], mass}, {split_data(k, last), stop_gradient(kinds)[slice(last)]});
    rows = {parts[2], expand_dims(parts[0], 0)};
  } else {
    rows = {expand_dims(c.rows[0], 0)};
  }
  const Var all = moveaxis(concat(rows, {.axis = 0}), 0, 1);  // [draws, kinds]
  if (c.shape.dynamic()) refuse(ErrorCode::bad_shape, "the shape is not known");
  std::vector<Extent> extents = c.shape.extents();
  extents.emplace_back(last + 1);
  return reshape(astype(all, c.dtype), extents);
}

}  // namespace tc::random
