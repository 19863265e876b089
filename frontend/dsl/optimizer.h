// Steps of optimisers and schedules of learning rates, as functions of the program: what they do is ordinary nodes, so
// a whole train step can be compiled, exported and run anywhere.
#pragma once

#include <functional>

#include "tc/frontend/dsl/var.h"

namespace tc {

// The learning rate, f32[], of a step; steps are i64[] and count from 0.
using Schedule = std::function<Var(Var step)>;

namespace schedule {

Schedule constant(double rate);
// From `from` to `to` along a straight line within `steps`, then `to`.
Schedule linear(double from, double to, int64_t steps);
struct ExponentialOptions {
  bool staircase = false;  // whole periods only
};
// rate * factor^(step / period).
Schedule exponential_decay(double rate, double factor, int64_t period, ExponentialOptions options = {});
// From `rate` to `end` along half a cosine within `steps`, then `end` (I. Loshchilov, F. Hutter, SGDR, 2017).
Schedule cosine_decay(double rate, int64_t steps, double end = 0);
// values[k] from boundaries[k - 1] on. Error bad_argument unless there is one value more than boundaries, and these
// ascend.
Schedule piecewise(std::vector<int64_t> boundaries, std::vector<double> values);
// From 0 to the schedule's first rate within `steps`, along a straight line; the schedule begins after it.
Schedule warmup(int64_t steps, Schedule then);
struct OneCycleOptions {
  double warmup = 0.3;                           // the share of the steps that rise
  double start_divisor = 25, end_divisor = 1e4;  // of the peak
};
// Up to the peak and down again, along half cosines (L. Smith, N. Topin, Super-convergence, 2018).
Schedule one_cycle(double peak, int64_t steps, OneCycleOptions options = {});

}  // namespace schedule

// A number, or a schedule.
class LearningRate {
 public:
  LearningRate(double rate) : schedule_(schedule::constant(rate)) {}
  LearningRate(Schedule s) : schedule_(std::move(s)) {}
  Var operator()(const Var& step) const { return schedule_(step); }

 private:
  Schedule schedule_;
};

// How an optimiser moves one tensor. Its state are tensors like the parameter that start at zero.
class Optimizer {
 public:
  // The arguments of an update; all but the rate and the number of the update, which counts from 1, are of the
  // parameter's element type.
  struct Step {
    Var rate, number;  // scalars
    Var parameter, gradient;
    std::vector<Var> state;
  };
  struct Update {
    Var parameter;
    std::vector<Var> state;
  };
  using Rule = std::function<Update(const Step&)>;

  // `slots` names the tensors of the state.
  Optimizer(LearningRate rate, std::vector<std::string> slots, Rule rule)
      : rate_(std::move(rate)), slots_(std::move(slots)), rule_(std::move(rule)) {}
  const std::vector<std::string>& slots() const { return slots_; }

  struct Updates {
    std::vector<Var> parameters, state;
  };
  // One update. `step` is the number of updates done before, i64[]; the state of the first parameter comes first, in
  // the order of the slots. Error bad_argument when the numbers of tensors do not fit, bad_type when a gradient is not
  // like its parameter.
  Updates operator()(Var step, const std::vector<Var>& parameters, const std::vector<Var>& gradients,
                     const std::vector<Var>& state, Location at = Location::current()) const;

 private:
  LearningRate rate_;
  std::vector<std::string> slots_;
  Rule rule_;
};

struct SgdOptions {
  double momentum = 0;      // v = momentum v + g
  bool nesterov = false;    // x -= rate (g + momentum v) in place of x -= rate v
  double weight_decay = 0;  // added to the gradient, times x
};
// I. Sutskever et al., On the importance of initialization and momentum in deep learning, 2013.
Optimizer sgd(LearningRate rate, SgdOptions options = {});

struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;  // added to the gradient, times x
};
// D. Kingma, J. Ba, Adam: a method for stochastic optimization, 2015.
Optimizer adam(LearningRate rate, AdamOptions options = {});

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 1e-2;  // x -= rate weight_decay x beside the update
};
// I. Loshchilov, F. Hutter, Decoupled weight decay regularization, 2019.
Optimizer adamw(LearningRate rate, AdamWOptions options = {});

struct RmspropOptions {
  double alpha = 0.99, epsilon = 1e-8, momentum = 0;
  bool centered = false;    // divides by the deviation of the gradient instead of its root mean square
  double weight_decay = 0;  // added to the gradient, times x
};
// T. Tieleman, G. Hinton, Lecture 6.5 of Neural networks for machine learning, 2012; centred: A. Graves, Generating
// sequences with recurrent neural networks, 2013.
Optimizer rmsprop(LearningRate rate, RmspropOptions options = {});

// All gradients times min(1, max_norm / their common Euclidean norm) (R. Pascanu et al., On the difficulty of training
// recurrent neural networks, 2013).
std::vector<Var> clip_by_global_norm(const std::vector<Var>& gradients, Arg max_norm);

}  // namespace tc
