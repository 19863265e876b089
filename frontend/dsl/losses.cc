#include "tc/frontend/dsl/losses.h"

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc {

using namespace dsl;

namespace {

Var combined_losses(const Var& losses, Reduction r) {
  return r == Reduction::mean ? mean(losses) : r == Reduction::sum ? sum(losses) : losses;
}

}  // namespace

Var binary_cross_entropy(Arg probabilities, Arg target, CrossEntropyOfProbabilitiesOptions options) {
  const Site site("binary_cross_entropy", probabilities.at());
  const auto [x, y] = promoted(probabilities, target, Domain::floating);
  const Var p = clip(x, options.epsilon, 1 - options.epsilon);
  return combined_losses(-(y * log(p) + (1 - y) * log(1 - p)), options.reduction);
}
Var categorical_cross_entropy(Arg probabilities, Arg target, CrossEntropyOfProbabilitiesOptions options) {
  const Site site("categorical_cross_entropy", probabilities.at());
  const auto [x, y] = promoted(probabilities, target, Domain::floating);
  const Var p = clip(x, options.epsilon, 1);
  return combined_losses(-sum(y * log(p), {.axis = options.axis}), options.reduction);
}

Var smooth_l1_loss(Arg x, Arg target, SmoothL1Options options) {
  const Site site("smooth_l1_loss", x.at());
  const auto [a, b] = promoted(x, target, Domain::floating);
  const Var e = abs(a - b), near = minimum(e, options.beta);
  // beta may be 0: the absolute error.
  const Var part = options.beta > 0 ? near * near * (0.5 / options.beta) : near * 0;
  return combined_losses(part + (e - near), options.reduction);
}
Var hinge_loss(Arg x, Arg target, MarginOptions options) {
  const Site site("hinge_loss", x.at());
  const auto [a, b] = promoted(x, target, Domain::floating);
  return combined_losses(relu(options.margin - a * b), options.reduction);
}
Var poisson_nll_loss(Arg x, Arg target, PoissonNllOptions options) {
  const Site site("poisson_nll_loss", x.at());
  const auto [a, b] = promoted(x, target, Domain::floating);
  return combined_losses(options.log_input ? exp(a) - b * a : a - b * log(a + 1e-8), options.reduction);
}
Var gaussian_nll_loss(Arg x, Arg target, Arg variance, GaussianNllOptions options) {
  const Site site("gaussian_nll_loss", x.at());
  const std::vector<Var> v = promoted({x, target, variance}, Domain::floating);
  // What keeps the variance off 0 has no part in its gradient.
  const Var spread = v[2] + stop_gradient(maximum(v[2], options.epsilon) - v[2]);
  return combined_losses((log(spread) + square(v[0] - v[1]) / spread) * 0.5, options.reduction);
}

Var cosine_similarity(Arg a, Arg b, SimilarityOptions options) {
  const Site site("cosine_similarity", a.at());
  auto [x, y] = promoted(a, b, Domain::floating);
  const std::vector<Var> both = broadcast_arrays({x, y});
  const auto dot_of = [&](const Var& p, const Var& q) { return sum(p * q, {.axis = options.axis}); };
  const Var lengths = dot_of(both[0], both[0]) * dot_of(both[1], both[1]);
  return dot_of(both[0], both[1]) / sqrt(maximum(lengths, options.epsilon * options.epsilon));
}
Var triplet_margin_loss(Arg anchor, Arg positive, Arg negative, TripletOptions options) {
  const Site site("triplet_margin_loss", anchor.at());
  const std::vector<Var> v = promoted({anchor, positive, negative}, Domain::floating);
  const auto distance = [&](const Var& other) {
    const Var d = abs(v[0] - other + options.epsilon);
    if (options.p == 2) return sqrt(sum(d * d, {.axis = -1}));
    if (options.p == 1) return sum(d, {.axis = -1});
    return pow(sum(pow(d, options.p), {.axis = -1}), 1 / options.p);
  };
  return combined_losses(relu(distance(v[1]) - distance(v[2]) + options.margin), options.reduction);
}

namespace {

// Stands in for log 0, so that differences of such numbers stay finite.
constexpr double kImpossible = -1e30;

// One step further: the logarithms of the probabilities to be at each of the blanks and labels.
Var ctc_step(const Var& reached, const Var& emitted, const Var& may_skip) {
  const auto later = [](const Var& v, int64_t by) {
    return pad(v, {{by, 0}}, {.value = kImpossible})[{ellipsis, slice({}, -by)}];
  };
  const Var from_before = logaddexp(reached, later(reached, 1));
  const Var skipped = where(may_skip, later(reached, 2), kImpossible);
  return maximum(logaddexp(from_before, skipped) + emitted, kImpossible);
}

}  // namespace

Var ctc_loss(Arg log_probabilities, Arg targets, Arg input_lengths, Arg target_lengths, CtcOptions options) {
  const Site site("ctc_loss", log_probabilities.at());
  const Var p = operand(log_probabilities, Domain::floating);
  const Var labels = astype(operand(targets, Domain::integer), i64);
  const Var steps = astype(operand(input_lengths, Domain::integer), i64);
  const Var lengths = astype(operand(target_lengths, Domain::integer), i64);
  if (p.rank() != 3 || labels.rank() != 2)
    refuse(ErrorCode::bad_shape, cat("log probabilities ", p.type(), " and targets ", labels.type(),
                                     ", expected [time, batch, classes] and [batch, longest]"));
  // Blanks between the labels and around them.
  const Var blanks = full_like(labels, options.blank);
  const Dims pairs = {labels.dim(0), labels.dim(1) * 2};
  const Var between = reshape(stack({blanks, labels}, {.axis = -1}), ShapeArg(pairs));
  const Var states = pad(between, {{0, 1}}, {.value = options.blank});
  // Two at once from a label to the next, unless they are the same.
  const Var two_before = pad(states, {{2, 0}}, {.value = options.blank})[{ellipsis, slice({}, -2)}];
  const Var may_skip = (states != options.blank) & (states != two_before);
  const Var emitted = take_along_axis(p, expand_dims(states, 0), {.axis = -1});
  const Var place = arange(labels.dim(1) * 2 + 1);
  const Var start = where(place < 2, emitted[0], kImpossible);
  const Var time = arange(1, p.dim(0));
  const Var reached =
      foldl([&, may = may_skip, until = steps](
                Var now, Var e, Var t) { return where(expand_dims(t < until, 1), ctc_step(now, e, may), now); },
            {start}, {emitted[slice(1, {})], time});
  const auto at = [&](const Var& i) { return squeeze(take_along_axis(reached, expand_dims(maximum(i, 0), 1)), 1); };
  const Var last_label = where(lengths > 0, at(lengths * 2 - 1), kImpossible);
  const Var losses = -logaddexp(at(lengths * 2), last_label);
  if (options.reduction != Reduction::mean) return combined_losses(losses, options.reduction);
  return mean(losses / astype(maximum(lengths, 1), losses.dtype()));
}

}  // namespace tc
