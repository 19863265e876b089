// Functions of functions: the forms of differentiation that take and give whole modules.
#include <algorithm>
#include <set>

#include "tc/passes/autodiff/autodiff.h"
#include "tc/passes/autodiff/forward.h"
#include "tc/passes/driver.h"
#include "tc/passes/stabilize/stabilize.h"

namespace tc {
namespace {

using namespace autodiff;

void inline_plain_calls(Graph& g) {
  bool found = true;
  while (found) {
    std::vector<Node*> calls;
    walk(g, [&](Node& n) {
      if (plain_callee(n)) calls.push_back(&n);
    });
    found = !calls.empty();
    for (Node* n : calls) {
      inline_call(*n, *plain_callee(*n));
      n->graph()->erase(n);
    }
  }
}

// A copy to differentiate. Chains that stand for a well-known function become it first: log(sigmoid(x)) has the slope 1
// where sigmoid(x) is 0, but its parts have infinity and 0.
std::unique_ptr<Module> prepared(const Module& f) {
  auto m = clone(f);
  Graph& g = m->main();
  inline_plain_calls(g);
  const auto count = static_cast<size_t>(g.num_outputs());
  std::vector<Value*> kept = g.outputs();
  for (Value* v : merge_parameters(g)) kept.push_back(v);  // unused ones have a gradient, too: zero
  g.set_outputs(kept);
  PipelineReport report;
  const EditLimits limits;
  Editor editor(report, limits, nullptr);
  apply_rules(*m, stabilize_rules(), editor);
  kept = g.outputs();
  kept.resize(count);
  g.set_outputs(kept);
  return m;
}

struct Named {
  std::string name;
  Value* value;
};

std::vector<Named> resolve(Graph& g, const std::vector<std::string>& wrt) {
  std::vector<Named> candidates, chosen;
  for (Value* v : g.inputs()) candidates.push_back({v->name(), v});
  for (Value* v : merge_parameters(g)) candidates.push_back({v->def()->attrs<Parameter>().name, v});
  if (wrt.empty()) {
    for (Value* v : g.inputs())
      if (differentiable(v->type())) chosen.push_back({v->name(), v});
    return chosen;
  }
  for (const auto& name : wrt) {
    const auto it = std::find_if(candidates.begin(), candidates.end(), [&](const Named& c) { return c.name == name; });
    if (it == candidates.end()) {
      Diagnostic d{ErrorCode::bad_argument, cat("no input or parameter is named '", name, "'"), {}, {}, {}};
      std::vector<std::string_view> names;
      for (const auto& c : candidates) names.push_back(c.name);
      if (const std::string near = nearest(name, names); !near.empty())
        d.notes.push_back(cat("did you mean '", near, "'?"));
      throw Error(std::move(d));
    }
    chosen.push_back(*it);
  }
  return chosen;
}

std::vector<Value*> values_of(const std::vector<Named>& named) {
  std::vector<Value*> result;
  for (const auto& n : named) result.push_back(n.value);
  return result;
}

std::string output_name(const Graph& g, int j) {
  const auto k = static_cast<size_t>(j);
  if (k < g.output_names.size()) return g.output_names[k];
  const std::string& name = g.output(j)->name();
  return name.empty() ? cat("output", j) : name;
}

// Outputs and their names under construction. Names stay distinct.
class Outputs {
 public:
  void add(Value* v, std::string name) {
    std::string unique = name;
    for (int n = 2; !taken_.insert(unique).second; ++n) unique = cat(name, "_", n);
    values_.push_back(v);
    names_.push_back(std::move(unique));
  }
  void add_outputs_of(const Graph& g) {
    for (int j = 0; j < g.num_outputs(); ++j) add(g.output(j), output_name(g, j));
  }
  void set(Graph& g) {
    g.set_outputs(values_);
    g.output_names = std::move(names_);
    const ValueSet none;
    erase_unused(g, nullptr, g.terminator()->prev(), none);
  }

 private:
  std::vector<Value*> values_;
  std::vector<std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace

std::vector<Value*> merge_parameters(Graph& g) {
  std::vector<Node*> nodes;
  walk(g, [&](Node& n) {
    if (n.is<Parameter>()) nodes.push_back(&n);
  });
  std::vector<Value*> unique;
  for (Node* n : nodes) {
    const auto& name = n->attrs<Parameter>().name;
    const auto same = std::find_if(unique.begin(), unique.end(),
                                   [&](const Value* v) { return v->def()->attrs<Parameter>().name == name; });
    if (same == unique.end() && n->graph() == &g) {
      unique.push_back(n->result(0));
      if (n != g.first()) g.move_before(n, g.first());
      continue;
    }
    Value* one = same != unique.end() ? *same : nullptr;
    if (!one) {
      Builder b(g, g.first());
      one = b.make<Parameter>({}, n->attrs<Parameter>());
      unique.push_back(one);
    }
    n->result(0)->replace_all_uses_with(one);
    n->graph()->erase(n);
  }
  return unique;
}

std::unique_ptr<Module> gradient_of(const Module& f, const std::vector<std::string>& wrt, bool with_value,
                                    const GradientOptions& options) {
  auto m = prepared(f);
  Graph& g = m->main();
  const auto named = resolve(g, wrt);
  if (g.num_outputs() == 0) fail(ErrorCode::bad_argument, "a function without outputs has no gradient");
  Builder b(g);
  const auto grads = gradients(b, {g.output(0)}, values_of(named), {}, options);
  Outputs outputs;
  if (with_value)
    outputs.add_outputs_of(g);
  else
    g.donations.clear();
  for (size_t i = 0; i < grads.size(); ++i) outputs.add(grads[i], named[i].name + "_grad");
  outputs.set(g);
  return m;
}

std::unique_ptr<Module> vjp_of(const Module& f, const std::vector<std::string>& wrt, const GradientOptions& options) {
  auto m = prepared(f);
  Graph& g = m->main();
  const auto named = resolve(g, wrt);
  std::vector<Value*> seeds;
  for (int j = 0; j < g.num_outputs(); ++j)
    seeds.push_back(differentiable(g.output(j)->type()) ? g.add_input(g.output(j)->type(), output_name(g, j) + "_seed")
                                                        : nullptr);
  Builder b(g);
  const auto grads = gradients(b, g.outputs(), values_of(named), seeds, options);
  Outputs outputs;
  outputs.add_outputs_of(g);
  for (size_t i = 0; i < grads.size(); ++i) outputs.add(grads[i], named[i].name + "_grad");
  outputs.set(g);
  return m;
}

std::unique_ptr<Module> jvp_of(const Module& f, const std::vector<std::string>& wrt) {
  auto m = prepared(f);
  Graph& g = m->main();
  const auto named = resolve(g, wrt);
  std::vector<std::string> names;
  for (int j = 0; j < g.num_outputs(); ++j) names.push_back(output_name(g, j));
  std::vector<Node*> effects;  // of the original, which its copy replaces
  for (const auto& n : g.nodes())
    if (!n->is<Return>() && has_effects(*n)) effects.push_back(n.get());
  Forward forward;
  std::vector<Value*> tangents(static_cast<size_t>(g.num_inputs()));
  for (const auto& n : named) {
    if (!differentiable(n.value->type()))
      fail(ErrorCode::no_gradient, "'", n.name, "' is ", n.value->type(),
           "; only floating-point values can be differentiated");
    Value* tangent = g.add_input(n.value->type(), n.name + "_tangent");
    if (n.value->def())
      forward.set_tangent(n.value, tangent);
    else
      tangents[static_cast<size_t>(n.value->index())] = tangent;
  }
  tangents.resize(static_cast<size_t>(g.num_inputs()));
  Builder b(g);
  const auto results = forward.run(b, g, g.inputs(), tangents);
  Outputs outputs;
  for (size_t j = 0; j < names.size(); ++j) outputs.add(results.values[j], names[j]);
  for (size_t j = 0; j < names.size(); ++j) {
    if (!differentiable(results.values[j]->type())) continue;
    Value* t = results.tangents[j];
    outputs.add(t ? t : zeros_like(b, results.values[j]), names[j] + "_tangent");
  }
  for (Node* n : effects) {
    for (int j = 0; j < n->num_results(); ++j) n->result(j)->replace_all_uses_with(forward.copy_of(n->result(j)));
    g.erase(n);
  }
  outputs.set(g);
  return m;
}

}  // namespace tc
