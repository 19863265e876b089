#include "tc/passes/autodiff/sweep.h"

#include "tc/ir/custom_op.h"
#include "tc/ir/grad.h"
#include "tc/ir/renaming.h"

namespace tc::autodiff {

std::vector<Value*> inputs_of(const Node& node) {
  std::vector<Value*> result;
  ValueSet seen;
  auto add = [&](Value* v) {
    if (v && seen.insert(v).second) result.push_back(v);
  };
  for (Value* v : node.operands()) add(v);
  for (int i = 0; i < node.num_regions(); ++i)
    for (Value* v : captures(node.region(i))) add(v);
  return result;
}

std::vector<Visit> order(const std::vector<Value*>& outputs, const std::vector<Value*>& leaves,
                         const std::vector<Value*>& constants) {
  ValueSet stop(leaves.begin(), leaves.end());
  stop.insert(constants.begin(), constants.end());
  std::vector<Visit> done;
  std::unordered_set<const Node*> seen;
  struct Open {
    Visit visit;
    size_t next = 0;
  };
  std::vector<Open> stack;  // explicit: programs are deep
  auto enter = [&](Value* v) {
    if (v && !stop.count(v) && v->def() && seen.insert(v->def()).second)
      stack.push_back({{v->def(), inputs_of(*v->def())}});
  };
  for (Value* v : outputs) {
    enter(v);
    while (!stack.empty()) {
      if (stack.back().next < stack.back().visit.inputs.size()) {
        enter(stack.back().visit.inputs[stack.back().next++]);
        continue;
      }
      done.push_back(std::move(stack.back().visit));
      stack.pop_back();
    }
  }
  return done;
}

ValueSet active_values(const std::vector<Visit>& order, const ValueSet& leaves) {
  ValueSet active;
  for (const Value* v : leaves)
    if (differentiable(v->type())) active.insert(v);
  for (const Visit& v : order) {
    if (v.node->info().traits.piecewise_constant) continue;
    bool depends = false;
    for (const Value* in : v.inputs) depends = depends || active.count(in);
    for (int j = 0; depends && j < v.node->num_results(); ++j)
      if (differentiable(v.node->result(j)->type())) active.insert(v.node->result(j));
  }
  return active;
}

Node* copy_node(Builder& b, const Node& node, const std::function<Value*(Value*)>& copy_of) {
  std::vector<Value*> operands = node.operands();
  for (Value*& v : operands)
    if (v) v = copy_of(v);
  std::vector<std::unique_ptr<Graph>> regions;
  for (int i = 0; i < node.num_regions(); ++i) {
    std::vector<std::pair<Value*, Value*>> captured;
    for (Value* v : captures(node.region(i))) captured.emplace_back(v, copy_of(v));
    regions.push_back(clone(node.region(i), b.module(), std::move(captured)));
  }
  return b.node(node.op(), std::move(operands), node.raw_attrs(), node.num_results(), std::move(regions));
}

const Graph* plain_callee(const Node& node) {
  if (!node.is<Call>() || !node.attrs<Call>().gradient.empty()) return nullptr;
  return node.graph()->module().find_function(node.attrs<Call>().callee);
}

const Graph* forward_callee(const Node& node) {
  if (!node.is<Call>()) return nullptr;
  const auto& a = node.attrs<Call>();
  // The body of an op that is registered, without a rule of its own.
  Graph* body = node.graph()->module().find_function(a.gradient);
  if (body && find_custom_op(a.callee) && !a.gradient.ends_with(kCustomGradient)) return body;
  return a.gradient.empty() || a.gradient == a.callee ? node.graph()->module().find_function(a.callee) : nullptr;
}

std::vector<Value*> inline_call(Node& call, const Graph& callee) {
  Graph& g = *call.graph();
  Node* before = call.prev();
  auto outputs = clone_in_place_of(call, callee);
  for (Node* n = before ? before->next() : g.first(); n != &call; n = n->next())
    if (n->location().empty()) n->set_location(call.location());
  for (int j = 0; j < call.num_results(); ++j)
    if (Value* v = outputs[static_cast<size_t>(j)]) call.result(j)->replace_all_uses_with(v);
  return outputs;
}

void erase_unused(Graph& g, const Node* first, Node* last, const ValueSet& keep) {
  while (last && last != first) {
    Node* before = last->prev();
    bool used = has_effects(*last);
    for (int j = 0; j < last->num_results() && !used; ++j)
      used = !last->result(j)->unused() || keep.count(last->result(j));
    if (!used) g.erase(last);
    last = before;
  }
}

Node* last_before(const Builder& b) {
  if (b.before()) return b.before()->prev();
  if (Node* t = b.graph().terminator()) return t->prev();
  return b.graph().nodes().empty() ? nullptr : b.graph().nodes().back().get();
}

}  // namespace tc::autodiff
