#include "tc/passes/autodiff/forward.h"

namespace tc::autodiff {

Value* Forward::copy_of(const Value* v) const {
  const auto it = copies_.find(v);
  return it == copies_.end() ? const_cast<Value*>(v) : it->second;
}

Value* Forward::tangent_of(const Value* v) const {
  const auto it = tangents_.find(copy_of(v));
  return it == tangents_.end() ? nullptr : it->second;
}

void Forward::define(const Value* original, Value* copy, Value* tangent) {
  copies_[original] = copy;
  if (tangent) tangents_[copy] = tangent;
}

JvpContext::Results Forward::run(Builder& b, const Graph& g, const std::vector<Value*>& values,
                                 const std::vector<Value*>& tangents) {
  TC_CHECK(static_cast<int>(values.size()) == g.num_inputs() && values.size() == tangents.size(),
           "values and tangents of the inputs of ", g.name());
  for (size_t i = 0; i < values.size(); ++i) define(g.input(static_cast<int>(i)), values[i], tangents[i]);
  std::vector<const Node*> nodes;  // the graph may be the one that grows
  for (const auto& n : g.nodes())
    if (!n->is<Return>()) nodes.push_back(n.get());
  const std::vector<Value*> outputs = g.outputs();
  for (const Node* n : nodes) rebuild(b, *n);
  JvpContext::Results results;
  for (const Value* v : outputs) {
    results.values.push_back(v ? copy_of(v) : nullptr);
    results.tangents.push_back(v ? tangent_of(v) : nullptr);
  }
  return results;
}

void Forward::rebuild(Builder& b, const Node& node) {
  std::vector<Value*> operands = node.operands(), tangents;
  for (Value*& v : operands) {
    tangents.push_back(v ? tangent_of(v) : nullptr);
    if (v) v = copy_of(v);
  }
  bool moves = false;
  const auto inputs = inputs_of(node);
  for (const Value* v : inputs) moves = moves || tangent_of(v);
  moves = moves && !node.info().traits.piecewise_constant;
  const std::string before = b.location();
  b.set_location(node.location());
  JvpContext::Results r;
  if (const Graph* callee = moves ? forward_callee(node) : nullptr) {
    r = run(b, *callee, operands, tangents);
  } else if (moves && node.info().jvp) {
    JvpContext ctx(
        node, b, [this](const Value* v) { return copy_of(v); }, [this](const Value* v) { return tangent_of(v); },
        [this](Builder& at, const Graph& g, const std::vector<Value*>& values, const std::vector<Value*>& moving) {
          return run(at, g, values, moving);
        });
    node.info().jvp(ctx);
    r = std::move(ctx.results());
  } else {
    Node* copy = copy_node(b, node, [this](const Value* v) { return copy_of(v); });
    if (moves) r.tangents = transposed(b, *copy);
    for (int j = 0; j < node.num_results(); ++j) r.values.push_back(copy->result(j));
  }
  b.set_location(before);
  for (int j = 0; j < node.num_results(); ++j) {
    const auto k = static_cast<size_t>(j);
    if (r.values[k]->name().empty()) r.values[k]->set_name(node.result(j)->name());
    const auto given = given_.find(node.result(j));
    define(node.result(j), r.values[k], given != given_.end() ? given->second : moves ? r.tangents[k] : nullptr);
  }
}

std::vector<Value*> Forward::transposed(Builder& b, Node& copy) {
  const int n = copy.num_results();
  Node* mark = last_before(b);
  std::vector<Value*> seeds, leaves;
  for (int j = 0; j < n; ++j) {
    const bool smooth = differentiable(copy.result(j)->type());
    seeds.push_back(smooth ? b.make<Identity>({copy.result(j)}) : nullptr);
    if (smooth) leaves.push_back(seeds.back());
  }
  if (leaves.empty()) return std::vector<Value*>(static_cast<size_t>(n));
  std::vector<Value*> parts, weights;
  for (const auto& [to, part] :
       reverse_.apply(b, copy, seeds, [this](const Value* v) { return tangents_.count(v) != 0; })) {
    parts.push_back(part);
    weights.push_back(tangents_.at(to));
  }
  const auto found = reverse_.pullback(b, parts, weights, leaves);
  std::vector<Value*> tangents(static_cast<size_t>(n));
  size_t next = 0;
  ValueSet keep;
  for (int j = 0; j < n; ++j)
    if (seeds[static_cast<size_t>(j)]) {
      tangents[static_cast<size_t>(j)] = found[next++];
      keep.insert(tangents[static_cast<size_t>(j)]);
    }
  erase_unused(b.graph(), mark, last_before(b), keep);
  return tangents;
}

}  // namespace tc::autodiff
