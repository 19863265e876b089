#include "tc/frontend/api/train.h"

#include "tc/frontend/api/grad.h"
#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc {
namespace {

Input input_of(std::string name, const Type& type) {
  if (!type.is_tensor() || !type.shape().ranked())
    fail(ErrorCode::bad_argument, "input '", name, "' of a loss is ", type,
         "; a train step takes tensors of known rank");
  Input input{std::move(name), type.dtype(), {}};
  for (const Dim& d : type.shape().dims()) input.shape.emplace_back(d);
  return input;
}

}  // namespace

TrainStep train_step(const Function& loss, const Optimizer& optimizer, const TrainOptions& options) {
  TrainStep result{loss, parameters_of(loss), 0};
  NamedTensors& state = result.state;
  result.parameters = state.size();
  if (state.empty()) fail(ErrorCode::bad_argument, "'", loss.name(), "' has no parameters to train");
  for (size_t i = 0; i < result.parameters; ++i)
    for (const std::string& slot : optimizer.slots())
      state.emplace_back(state[i].first + "." + slot, Tensor(state[i].second.dtype(), state[i].second.extents()));
  state.emplace_back("step", Tensor::scalar<int64_t>(0));

  const Function lifted = parameters_as_inputs(loss);
  const size_t given = loss.inputs().size(), n = result.parameters;
  std::vector<Input> inputs;
  for (const ValueInfo& v : loss.inputs()) inputs.push_back(input_of(v.name, v.type));
  for (const auto& [name, tensor] : state) inputs.push_back(input_of(name, tensor.type()));

  result.function = trace(loss.name() + "_train_step", inputs, [&](std::vector<Var> in) {
    const auto at = [&](size_t i) { return in.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::vector<Var> parameters(at(given), at(given + n)), slots(at(given + n), in.end() - 1);
    Outputs outputs;
    const auto values = lifted(Args(std::vector<Var>(at(0), at(given + n))));
    for (size_t i = 0; i < values.size(); ++i) outputs.push_back({loss.outputs()[i].name, values[i]});
    auto gradients = grad(values.at(0), parameters);
    if (options.clip_norm > 0) gradients = clip_by_global_norm(gradients, options.clip_norm);
    const auto updates = optimizer(in.back(), parameters, gradients, slots);
    std::vector<Var> news = updates.parameters;
    news.insert(news.end(), updates.state.begin(), updates.state.end());
    news.push_back(in.back() + 1);
    auto& donations = dsl::Tracer::current().graph().donations;
    for (size_t i = 0; i < news.size(); ++i) {
      donations.emplace_back(static_cast<int>(outputs.size()), static_cast<int>(given + i));
      outputs.push_back({"new_" + state[i].first, news[i]});
    }
    return outputs;
  });
  return result;
}

Trainer::Trainer(const Function& loss, const Optimizer& optimizer, const TrainOptions& options,
                 const CompilerOptions& compiler)
    : step_(train_step(loss, optimizer, options)),
      initial_(step_.state),
      compiled_(compile(step_.function, compiler)) {}

std::vector<Tensor> Trainer::step(std::vector<Tensor> inputs) {
  const size_t given = step_.function.inputs().size() - step_.state.size();
  if (inputs.size() != given) fail(ErrorCode::bad_argument, "the loss takes ", given, " inputs, got ", inputs.size());
  if (!step_.state.back().second.defined())
    fail(ErrorCode::bad_argument, "the last step failed and its state is lost", "; set_state gives a new one");
  std::vector<Datum> all;
  for (Tensor& t : inputs) all.emplace_back(std::move(t));
  // The only handles are handed over, so that the step updates the tensors in place.
  for (auto& [name, tensor] : step_.state) all.emplace_back(std::exchange(tensor, {}));
  std::vector<Datum> outputs = compiled_.run(std::move(all));
  const size_t values = outputs.size() - step_.state.size();
  for (size_t i = 0; i < step_.state.size(); ++i) step_.state[i].second = outputs[values + i].tensor();
  std::vector<Tensor> result;
  for (size_t i = 0; i < values; ++i) result.push_back(outputs[i].tensor());
  return result;
}

int64_t Trainer::steps() const {
  return to_i64(step_.state.back().second)[0];
}

NamedTensors Trainer::parameters() const {
  return {step_.state.begin(), step_.state.begin() + static_cast<std::ptrdiff_t>(step_.parameters)};
}

void Trainer::set_state(const NamedTensors& state) {
  NamedTensors next = initial_;
  replace_tensors(next, state, "the state of training");
  step_.state = std::move(next);
}

}  // namespace tc
