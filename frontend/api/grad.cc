#include "tc/frontend/api/grad.h"

#include <algorithm>

#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/grad.h"
#include "tc/passes/autodiff/autodiff.h"
#include "tc/passes/autodiff/sweep.h"

namespace tc {
namespace {

std::vector<std::string> all_of(const Function& f, const std::vector<std::string>& wrt) {
  if (!wrt.empty()) return wrt;
  std::vector<std::string> names;
  walk(f.module().main(), [&](Node& n) {
    if (n.is<Parameter>() && differentiable(n.result(0)->type()) &&
        std::find(names.begin(), names.end(), n.attrs<Parameter>().name) == names.end())
      names.push_back(n.attrs<Parameter>().name);
  });
  return names;
}

GradientOptions differentiation(const GradOptions& options) {
  return {.residuals = options.recompute ? Residuals::recompute : Residuals::save};
}

}  // namespace

Function grad(const Function& f, const std::vector<std::string>& wrt, const GradOptions& options) {
  return Function(gradient_of(f.module(), all_of(f, wrt), false, differentiation(options)));
}

Function value_and_grad(const Function& f, const std::vector<std::string>& wrt, const GradOptions& options) {
  return Function(gradient_of(f.module(), all_of(f, wrt), true, differentiation(options)));
}

Function vjp(const Function& f, const std::vector<std::string>& wrt, const GradOptions& options) {
  return Function(vjp_of(f.module(), all_of(f, wrt), differentiation(options)));
}

Function jvp(const Function& f, const std::vector<std::string>& wrt) {
  return Function(jvp_of(f.module(), all_of(f, wrt)));
}

std::vector<Var> grad(Var y, const std::vector<Var>& wrt, Location at) {
  return vjp({std::move(y)}, {}, wrt, at);
}

void dsl::inline_calls() {
  Tracer& t = Tracer::current();
  std::vector<Node*> calls;
  for (const auto& n : t.graph().nodes())
    if (autodiff::plain_callee(*n)) calls.push_back(n.get());
  for (size_t k = 0; k < calls.size(); ++k) {
    Node* call = calls[k];
    Node* before = call->prev();
    const auto results = autodiff::inline_call(*call, *autodiff::plain_callee(*call));
    for (int j = 0; j < call->num_results(); ++j)
      if (Value* v = results[static_cast<size_t>(j)]) t.replace(call->result(j), v);
    for (Node* n = before ? before->next() : t.graph().first(); n != call; n = n->next())
      if (autodiff::plain_callee(*n)) calls.push_back(n);
  }
}

std::vector<Var> vjp(const std::vector<Var>& outputs, const std::vector<Var>& seeds, const std::vector<Var>& wrt,
                     Location at) {
  const dsl::Site site("grad", at);
  dsl::Tracer& t = dsl::Tracer::current();
  if (t.eager())
    dsl::refuse(ErrorCode::bad_argument, "values that are computed at once have no history",
                {"differentiate in a function: tc::jit([](tc::Var x) { return tc::grad(loss(x), {x}); })"});
  dsl::inline_calls();
  const auto values = [&](const std::vector<Var>& vars) {
    std::vector<Value*> result;
    for (const Var& v : vars) result.push_back(t.use(v));
    return result;
  };
  return dsl::located([&] {
    Builder b(t.graph());
    b.set_location(site.location(false));
    std::vector<Var> result;
    for (Value* v : gradients(b, values(outputs), values(wrt), values(seeds))) result.push_back(t.var(v));
    return result;
  });
}

std::vector<Var> dsl::transposed(const Body& rule, size_t count, const std::vector<Var>& values) {
  const auto place = [&](size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  size_t seeds = 0;  // what follows the results has an entry for each of them that is differentiable
  size_t end = count;
  for (; end + seeds < values.size(); ++end) seeds += differentiable(values[end].type());
  std::vector<Var> arguments(place(0), place(count)), tangents;
  for (const Var& v : std::vector<Var>(arguments))
    if (differentiable(v.type())) {
      tangents.push_back(zeros_like(v));  // anything: the rule is linear in them
      arguments.push_back(tangents.back());
    }
  if (rule.arity >= 0 && static_cast<size_t>(rule.arity) != arguments.size())
    refuse(ErrorCode::bad_argument, cat("the rule takes ", rule.arity, " arguments, it is given ", arguments.size()));
  std::vector<Var> moved;
  for (const Output& o : rule.f(arguments)) moved.push_back(o.value);
  if (moved.size() != seeds)
    refuse(ErrorCode::bad_argument, cat("the rule returns ", moved.size(), " values, expected ", seeds,
                                        ": the tangents of the floating-point results"));
  return vjp(moved, std::vector<Var>(place(end), values.end()), tangents);
}

}  // namespace tc
