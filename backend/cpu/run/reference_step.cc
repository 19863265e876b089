#include "tc/backend/cpu/run/reference_step.h"

#include "tc/backend/cpu/run/frame.h"
#include "tc/ir/eval/custom.h"
#include "tc/ir/tensor_budget.h"

namespace tc::cpu {

std::vector<Datum> ReferenceStep::values_of_operands(const Frame& f) const {
  std::vector<Datum> values;
  for (const Slot s : operands) values.push_back(s == kNoSlot ? Datum() : f.datum(s));
  return values;
}

void ReferenceStep::run(Frame& f, int index) const {
  evaluate(f, index, values_of_operands(f));
}

// Plans have no other calls.
void ReferenceStep::run_registered(Frame& f, const std::vector<Datum>& values) const {
  const auto op = find_custom_op(node->attrs<Call>().callee);
  if (!op) f.fail(*node, ErrorCode::unknown_op, cat("no op ", node->attrs<Call>().callee, " is registered"));
  std::vector<Tensor> arguments;
  for (const Datum& d : values) arguments.push_back(d.tensor());
  auto outcome = run_custom(*node, *op, op->kernel ? op->kernel : op->reference, arguments);
  for (size_t j = 0; j < results.size(); ++j)
    if (results[j] != kNoSlot) f.set_object(results[j], std::move(outcome[j]));
}

void ReferenceStep::evaluate(Frame& f, int index, const std::vector<Datum>& values) const {
  if (node->is<Call>()) return run_registered(f, values);
  EvalEnv env;
  Runtime& rt = f.runtime();
  env.max_bytes = Budget::current()->max_bytes();
  env.max_steps = rt.max_steps;
  env.steps = rt.steps;
  env.random = &rt.random;
  env.run_graph = [&](const Node& n, const Graph& g, std::vector<Datum> args) {
    for (int r = 0; r < n.num_regions(); ++r)
      if (&n.region(r) == &g) {
        rt.steps = env.steps;
        auto outputs = f.region(index, r).run(std::move(args), &f);
        env.steps = rt.steps;
        return outputs;
      }
    fail(ErrorCode::internal, "a call was not inlined: ", n.op());
  };
  auto outcome = eval_node(*node, values, env);
  rt.steps = env.steps;
  for (size_t j = 0; j < results.size(); ++j)
    if (results[j] != kNoSlot) f.set_object(results[j], std::move(outcome[j]));
}

}  // namespace tc::cpu
