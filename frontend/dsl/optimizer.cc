#include "tc/frontend/dsl/optimizer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc {

using namespace dsl;

namespace schedule {
namespace {

void expect_steps(int64_t steps) {
  if (steps < 1) refuse(ErrorCode::bad_argument, cat("a schedule over ", steps, " steps"), {"it takes at least 1"});
}

// The share of `steps` that is done, at most 1.
Var progress(const Var& step, double steps) {
  return minimum(astype(step, f32) / steps, 1.0);
}

// From a to b along half a cosine, as t goes from 0 to 1.
Var half_cosine(double a, double b, const Var& t) {
  return b + (a - b) * 0.5 * (1.0 + cos(t * std::numbers::pi));
}

}  // namespace

Schedule constant(double rate) {
  return [=](Var) { return asarray(rate, {.dtype = f32}); };
}

Schedule linear(double from, double to, int64_t steps) {
  expect_steps(steps);
  return [=](Var step) { return from + (to - from) * progress(step, static_cast<double>(steps)); };
}

Schedule exponential_decay(double rate, double factor, int64_t period, ExponentialOptions options) {
  expect_steps(period);
  return [=](Var step) {
    const Var done = astype(step, f32) / static_cast<double>(period);
    return rate * pow(asarray(factor, {.dtype = f32}), options.staircase ? floor(done) : done);
  };
}

Schedule cosine_decay(double rate, int64_t steps, double end) {
  expect_steps(steps);
  return [=](Var step) { return half_cosine(rate, end, progress(step, static_cast<double>(steps))); };
}

Schedule piecewise(std::vector<int64_t> boundaries, std::vector<double> values) {
  if (values.size() != boundaries.size() + 1)
    refuse(ErrorCode::bad_argument,
           cat(boundaries.size(), " boundaries part ", boundaries.size() + 1, " values, got ", values.size()));
  if (!std::is_sorted(boundaries.begin(), boundaries.end()))
    refuse(ErrorCode::bad_argument, "the boundaries of a schedule must ascend");
  return [boundaries = std::move(boundaries), values = std::move(values)](Var step) {
    Var rate = asarray(values[0], {.dtype = f32});
    for (size_t k = 0; k < boundaries.size(); ++k) rate = where(step >= boundaries[k], values[k + 1], rate);
    return rate;
  };
}

Schedule warmup(int64_t steps, Schedule then) {
  expect_steps(steps);
  return [=](Var step) {
    const Var rate = then(maximum(step - steps, 0));
    return rate * progress(step, static_cast<double>(steps));
  };
}

Schedule one_cycle(double peak, int64_t steps, OneCycleOptions options) {
  expect_steps(steps);
  if (!(options.warmup >= 0 && options.warmup < 1))
    refuse(ErrorCode::bad_argument, cat("a cycle cannot rise for ", options.warmup, " of its steps"),
           {"the share is at least 0 and below 1"});
  const double rise = options.warmup * static_cast<double>(steps), fall = static_cast<double>(steps) - rise;
  const double start = peak / options.start_divisor, end = peak / options.end_divisor;
  return [=](Var step) {
    const Var t = astype(step, f32);
    const Var down = half_cosine(peak, end, clip((t - rise) / fall, 0.0, 1.0));
    return rise > 0 ? where(t < rise, half_cosine(start, peak, t / rise), down) : down;
  };
}

}  // namespace schedule

Optimizer::Updates Optimizer::operator()(Var step, const std::vector<Var>& parameters,
                                         const std::vector<Var>& gradients, const std::vector<Var>& state,
                                         Location at) const {
  const Site site("Optimizer", at);
  const size_t slots = slots_.size();
  if (gradients.size() != parameters.size() || state.size() != slots * parameters.size())
    refuse(ErrorCode::bad_argument,
           cat(parameters.size(), " parameters need as many gradients and ", slots * parameters.size(),
               " tensors of state, got ", gradients.size(), " and ", state.size()));
  const Var rate = rate_(step), number = astype(step + 1, f32);
  Updates result;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const DType t = parameters[i].dtype();
    if (gradients[i].dtype() != t || !compatible(parameters[i].type(), gradients[i].type()))
      refuse(ErrorCode::bad_type, cat("the gradient of parameter ", i, " is ", gradients[i].type(), ", the parameter ",
                                      parameters[i].type()));
    const auto first = state.begin() + static_cast<std::ptrdiff_t>(i * slots);
    Update u = rule_({astype(rate, t),
                      astype(number, t),
                      parameters[i],
                      gradients[i],
                      {first, first + static_cast<std::ptrdiff_t>(slots)}});
    result.parameters.push_back(std::move(u.parameter));
    for (Var& s : u.state) result.state.push_back(std::move(s));
  }
  return result;
}

namespace {

Var decayed(const Optimizer::Step& s, double weight_decay) {
  return weight_decay == 0 ? s.gradient : s.gradient + weight_decay * s.parameter;
}

// keep * average + (1 - keep) * x
Var average(double keep, const Var& old, const Var& x) {
  return keep * old + (1 - keep) * x;
}

Optimizer::Update adam_update(const Optimizer::Step& s, const Var& gradient, const AdamOptions& o) {
  const Var m = average(o.beta1, s.state[0], gradient), v = average(o.beta2, s.state[1], gradient * gradient);
  // Averages that start at 0 are too small by 1 - beta^n; 1 - exp(n log(beta)) without cancellation.
  const auto missing = [&](double beta) { return -expm1(s.number * std::log(beta)); };
  const Var step = s.rate / missing(o.beta1), scale = 1 / sqrt(missing(o.beta2));
  return {s.parameter - step * m / (sqrt(v) * scale + o.epsilon), {m, v}};
}

}  // namespace

Optimizer sgd(LearningRate rate, SgdOptions o) {
  if (o.momentum == 0)
    return {std::move(rate), {}, [=](const Optimizer::Step& s) -> Optimizer::Update {
              return {s.parameter - s.rate * decayed(s, o.weight_decay), {}};
            }};
  return {std::move(rate), {"velocity"}, [=](const Optimizer::Step& s) -> Optimizer::Update {
            const Var g = decayed(s, o.weight_decay), v = o.momentum * s.state[0] + g;
            return {s.parameter - s.rate * (o.nesterov ? g + o.momentum * v : v), {v}};
          }};
}

Optimizer adam(LearningRate rate, AdamOptions o) {
  return {std::move(rate), {"mean", "square"}, [=](const Optimizer::Step& s) {
            return adam_update(s, decayed(s, o.weight_decay), o);
          }};
}

Optimizer adamw(LearningRate rate, AdamWOptions o) {
  const AdamOptions plain{.beta1 = o.beta1, .beta2 = o.beta2, .epsilon = o.epsilon};
  return {std::move(rate), {"mean", "square"}, [=](const Optimizer::Step& s) {
            Optimizer::Update u = adam_update(s, s.gradient, plain);
            u.parameter = u.parameter - s.rate * o.weight_decay * s.parameter;
            return u;
          }};
}

Optimizer rmsprop(LearningRate rate, RmspropOptions o) {
  std::vector<std::string> slots{"square"};
  if (o.centered) slots.push_back("mean");
  if (o.momentum != 0) slots.push_back("velocity");
  return {std::move(rate), std::move(slots), [=](const Optimizer::Step& s) {
            const Var g = decayed(s, o.weight_decay), square = average(o.alpha, s.state[0], g * g);
            std::vector<Var> state{square};
            Var spread = square;
            if (o.centered) {
              state.push_back(average(o.alpha, s.state[1], g));
              spread = maximum(square - state[1] * state[1], 0);
            }
            Var step = g / (sqrt(spread) + o.epsilon);
            if (o.momentum != 0) state.push_back(step = o.momentum * s.state.back() + step);
            return Optimizer::Update{s.parameter - s.rate * step, state};
          }};
}

std::vector<Var> clip_by_global_norm(const std::vector<Var>& gradients, Arg max_norm) {
  const Site site("clip_by_global_norm", max_norm.at());
  // In f32 at least: squares of narrow types overflow.
  Var total;
  for (const Var& g : gradients) {
    const Var wide = g.dtype() == f64 ? g : astype(g, f32), square = sum(wide * wide);
    total = total.defined() ? total + square : square;
  }
  if (!total.defined()) return {};
  const Var norm = sqrt(total), factor = minimum(max_norm / maximum(norm, 1e-30), 1);
  std::vector<Var> result;
  for (const Var& g : gradients) result.push_back(g * astype(factor, g.dtype()));
  return result;
}

}  // namespace tc
