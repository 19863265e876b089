// Training: a loss becomes a train step, one program that computes loss, gradients and the optimiser's update.
//
//   tc::Function loss = tc::trace("loss", {{"x", tc::f32, {"batch", 784}}, {"labels", tc::i64, {"batch"}}},
//                                 [&](tc::Var x, tc::Var labels) { return tc::cross_entropy(model(x), labels); });
//   tc::Trainer trainer(loss, tc::adam(1e-3));
//   for (...) std::printf("%f\n", tc::scalar_f64(trainer.step({x, labels})[0]));
//   tc::assign_parameters({model.w, model.b}, trainer.parameters());
#pragma once

#include "tc/frontend/api/compile.h"
#include "tc/frontend/api/parameters.h"
#include "tc/frontend/dsl/optimizer.h"

namespace tc {

struct TrainOptions {
  double clip_norm = 0;  // of all gradients together; 0: any
};

// A program and what it begins with.
struct TrainStep {
  // (inputs of the loss..., state...) -> (outputs of the loss before the update..., new state...). Each tensor of the
  // state may be updated in place.
  Function function;
  // The parameters by their names, the optimiser's tensors as PARAMETER.SLOT, and "step", i64[]: updates done.
  NamedTensors state;
  size_t parameters = 0;  // how many of the state they are; they come first
};
// Of a function whose output 0 has one element, the loss, with respect to its parameters. Errors: bad_argument when it
// has none; no_gradient.
TrainStep train_step(const Function& loss, const Optimizer& optimizer, const TrainOptions& options = {});

// A compiled train step with its state.
class Trainer {
 public:
  Trainer(const Function& loss, const Optimizer& optimizer, const TrainOptions& options = {},
          const CompilerOptions& compiler = {});
  // One update; the loss's outputs before it. The state is updated in place: after an Error it is lost, and set_state
  // gives the trainer a new one.
  std::vector<Tensor> step(std::vector<Tensor> inputs);
  int64_t steps() const;
  NamedTensors parameters() const;
  // All that training goes on from. Error bad_argument when names or types differ from what is there.
  const NamedTensors& state() const { return step_.state; }
  void set_state(const NamedTensors& state);
  const Function& function() const { return step_.function; }
  const Compiled& compiled() const { return compiled_; }

 private:
  TrainStep step_;
  NamedTensors initial_;
  Compiled compiled_;
};

}  // namespace tc
