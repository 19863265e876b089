#include "tc/ir/graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "tc/ir/infer.h"
#include "tc/ir/module.h"
#include "tc/ir/ops/core.h"
#include "tc/ir/renaming.h"

namespace tc {

void Use::set(Value* v) {
  if (value_ == v) return;
  if (value_) {
    *link_ = next_;
    if (next_) next_->link_ = link_;
  }
  value_ = v;
  next_ = nullptr, link_ = nullptr;
  if (!v) return;
  next_ = v->uses_;
  if (next_) next_->link_ = &next_;
  v->uses_ = this;
  link_ = &v->uses_;
}

Value::~Value() {
  while (uses_) uses_->set(nullptr);
}

Graph* Value::graph() const {
  return def_ ? def_->graph() : owner_;
}

const Tensor* Value::constant() const {
  if (!def_ || def_->op() != OpId::Constant) return nullptr;
  return &static_cast<const Constant::Attrs*>(def_->raw_attrs().get())->value;
}

std::vector<Use*> Value::uses() const {
  std::vector<Use*> result;
  for (Use* u = uses_; u; u = u->next_) result.push_back(u);
  return result;
}

void Value::replace_all_uses_with(Value* other) {
  TC_CHECK(other && other != this, "a value cannot replace itself");
  while (uses_) uses_->set(other);
}

Node::~Node() {
  regions_.clear();
  for (auto& u : operands_) u->set(nullptr);
}

void Node::set_operands(std::span<Value* const> values) {
  size_t count = values.size();
  while (count && !values[count - 1]) --count;
  for (size_t i = count; i < operands_.size(); ++i) operands_[i]->set(nullptr);
  operands_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (!operands_[i]) {
      operands_[i] = std::make_unique<Use>();
      operands_[i]->user_ = this;
      operands_[i]->index_ = static_cast<int>(i);
    }
    operands_[i]->set(values[i]);
  }
}

std::vector<Value*> Node::operands() const {
  std::vector<Value*> result;
  for (const auto& u : operands_) result.push_back(u->value());
  return result;
}

Value* Node::add_result() {
  auto v = std::unique_ptr<Value>(new Value);
  v->def_ = this;
  v->index_ = num_results();
  results_.push_back(std::move(v));
  return results_.back().get();
}

Node* Node::next() const {
  auto it = std::next(position_);
  return it == graph_->nodes_.end() ? nullptr : it->get();
}

Node* Node::prev() const {
  return position_ == graph_->nodes_.begin() ? nullptr : std::prev(position_)->get();
}

Graph::~Graph() {
  // Uses before definitions, so that no node outlives a value it uses.
  while (!nodes_.empty()) nodes_.pop_back();
}

Value* Graph::add_input(Type t, std::string name) {
  auto v = std::unique_ptr<Value>(new Value);
  v->owner_ = this;
  v->index_ = num_inputs();
  v->type_ = std::move(t);
  v->name_ = std::move(name);
  inputs_.push_back(std::move(v));
  return inputs_.back().get();
}

void Graph::erase_input(int i) {
  TC_CHECK(input(i)->unused(), "input ", i, " is in use");
  inputs_.erase(inputs_.begin() + i);
  for (int k = i; k < num_inputs(); ++k) input(k)->index_ = k;
}

std::vector<Value*> Graph::inputs() const {
  std::vector<Value*> result;
  for (const auto& v : inputs_) result.push_back(v.get());
  return result;
}

Node* Graph::terminator() const {
  if (nodes_.empty() || nodes_.back()->op() != OpId::Return) return nullptr;
  return nodes_.back().get();
}

void Graph::set_outputs(std::span<Value* const> values) {
  if (Node* t = terminator()) {
    t->set_operands(values);
    return;
  }
  insert(make_node(*module_, OpId::Return, values, nullptr, 0, {}, {}));
}

Node* Graph::insert(std::unique_ptr<Node> node, Node* before) {
  TC_CHECK(!node->graph_, "node is already in a graph");
  auto where = before ? before->position_ : terminator() ? std::prev(nodes_.end()) : nodes_.end();
  Node* raw = node.get();
  raw->graph_ = this;
  raw->position_ = nodes_.insert(where, std::move(node));
  return raw;
}

std::unique_ptr<Node> Graph::detach(Node* node) {
  TC_CHECK(node->graph_ == this, "node is in another graph");
  auto owned = std::move(*node->position_);
  nodes_.erase(node->position_);
  node->graph_ = nullptr;
  return owned;
}

void Graph::erase(Node* node) {
  for (const auto& r : node->results_) TC_CHECK(r->unused(), "result of ", node->op_, " is in use");
  detach(node);
}

void Graph::move_before(Node* node, Node* before) {
  TC_CHECK(node->graph_ == this && before->graph_ == this, "move within one graph only");
  nodes_.splice(before->position_, nodes_, node->position_);
}

namespace {

void check_signature(const Node& node, const InferContext& ctx) {
  const OpFacts& facts = *node.info().facts;
  const Signature& sig = facts.signature;
  const int n = node.num_operands();
  if (n < sig.min_operands() || (n > sig.num_operands && !sig.variadic_operands()))
    ctx.fail(ErrorCode::bad_graph, facts.name, " takes ", sig.min_operands(),
             sig.variadic_operands()                 ? " or more"
             : sig.num_operands > sig.min_operands() ? cat(" to ", sig.num_operands)
                                                     : "",
             " operands, got ", n);
  const int r = node.num_results();
  if (r > sig.num_results && !sig.variadic_results())
    ctx.fail(ErrorCode::bad_graph, facts.name, " has at most ", sig.num_results, " results, asked for ", r);
  std::array<const Slot*, 26> seen{};
  std::array<DType, 26> bound{};
  for (int i = 0; i < n; ++i) {
    const Slot& slot = sig.operand(i);
    if (!ctx.has(i)) {
      if (!slot.optional && !slot.variadic)
        ctx.fail(ErrorCode::bad_graph, "operand '", slot.name, "' of ", facts.name, " is missing");
      continue;
    }
    if (slot.any) continue;
    const Type& t = ctx.type(i);
    if (!t.is_tensor())
      ctx.fail(ErrorCode::bad_type, "operand '", slot.name, "' of ", facts.name, " must be a tensor, got ", t);
    if (!slot.variable) {
      if (t.dtype() != slot.fixed)
        ctx.fail(ErrorCode::bad_type, "operand '", slot.name, "' of ", facts.name, " must be ", slot.fixed, ", got ",
                 t);
      continue;
    }
    const DTypeSet allowed = facts.set_of(slot.variable);
    if (!allowed.has(t.dtype()))
      ctx.fail(ErrorCode::bad_type, "operand '", slot.name, "' of ", facts.name, " is ", t,
               "; allowed element types: ", allowed);
    if (slot.variable == 'V') continue;  // heterogeneous by convention
    const auto k = static_cast<size_t>(slot.variable - 'A');
    if (seen[k] && bound[k] != t.dtype())
      ctx.fail(ErrorCode::bad_type, "operands '", seen[k]->name, "' and '", slot.name, "' of ", facts.name,
               " must have one element type, got ", bound[k], " and ", t.dtype());
    seen[k] = &slot;
    bound[k] = t.dtype();
  }
}

// What inference throws gets the node's location, unless a node of a region has one already.
void infer_located(const Node& node, InferContext& ctx) {
  try {
    check_signature(node, ctx);
    node.info().infer(ctx);
  } catch (const Error& e) {
    if (!e.diagnostic().location.empty()) throw;
    Diagnostic d = e.diagnostic();
    d.location = node.location().empty() ? std::string(node.info().name()) : node.location();
    throw Error(std::move(d));
  }
}

}  // namespace

void infer_types(Node& node) {
  TC_CHECK(node.graph(), "inference of a detached node");
  InferContext ctx(node, node.graph()->module());
  for (int j = 0; j < node.num_results(); ++j) node.result(j)->clear_contents();
  infer_located(node, ctx);
}

void infer_types(Graph& graph) {
  for (const auto& n : graph.nodes()) infer_types(*n);
}

std::unique_ptr<Node> make_node(Module& module, OpId op, std::span<Value* const> operands,
                                std::shared_ptr<const void> attrs, int num_results,
                                std::vector<std::unique_ptr<Graph>> regions, std::string location) {
  auto node = std::unique_ptr<Node>(new Node);
  node->op_ = op;
  node->attrs_ = attrs ? std::move(attrs) : std::shared_ptr<const void>(info(op).attrs.make());
  node->location_ = std::move(location);
  node->set_operands(operands);
  for (auto& r : regions) r->owner_ = node.get();
  node->regions_ = std::move(regions);
  for (int i = 0; i < num_results; ++i) node->add_result();
  InferContext ctx(*node, module);
  infer_located(*node, ctx);
  return node;
}

namespace {

using Graphs = std::unordered_set<const Graph*>;

// `called` holds the functions that were looked at.
bool has_effects_among(const Graph& g, Graphs& called);
bool has_effects_itself(const Node& n, Graphs& called) {
  if (n.info().traits.effects) return true;
  for (int i = 0; i < n.num_regions(); ++i)
    if (has_effects_among(n.region(i), called)) return true;
  if (!n.is<Call>() || !n.graph()) return false;
  const Graph* callee = n.graph()->module().find_function(n.attrs<Call>().callee);
  return callee && called.insert(callee).second && has_effects_among(*callee, called);
}
bool has_effects_among(const Graph& g, Graphs& called) {
  return std::any_of(g.nodes().begin(), g.nodes().end(),
                     [&](const auto& n) { return !n->template is<Return>() && has_effects_itself(*n, called); });
}

}  // namespace

bool has_effects(const Node& n) {
  Graphs called;
  return has_effects_itself(n, called);
}

void walk(const Graph& g, const std::function<void(Node&)>& f) {
  for (const auto& n : g.nodes()) {
    f(*n);
    for (int i = 0; i < n->num_regions(); ++i) walk(n->region(i), f);
  }
}

std::vector<Value*> captures(const Graph& g) {
  std::unordered_set<const Graph*> inside{&g};
  std::unordered_set<Value*> seen;
  std::vector<Value*> result;
  walk(g, [&](Node& n) {
    for (int i = 0; i < n.num_regions(); ++i) inside.insert(&n.region(i));
  });
  walk(g, [&](Node& n) {
    for (Value* v : n.operands())
      if (v && !inside.count(v->graph()) && seen.insert(v).second) result.push_back(v);
  });
  return result;
}

namespace {

using Copies = std::unordered_map<Value*, Value*>;

// What is known of a value and holds for its copy.
class Facts {
 public:
  // Copies of the same program have their own symbols, beside those of what surrounds them; `map` holds the values that
  // take the place of inputs and captured values.
  Facts(const Graph& from, const Graph& to, const Copies& map) {
    if (&from.module() != &to.module()) {
      to.module().reserve_symbols(from.module().next_symbol());
      return;
    }
    renaming_.emplace(to.module());
    for (const Value* v : captures(from)) renaming_->keep_symbols(*v);
    for (Value* in : from.inputs())
      if (const auto it = map.find(in); it != map.end() && it->second) renaming_->bind(in->type(), it->second->type());
  }
  // An output of the original is to be the value `v`.
  void bind_output(const Value* output, const Value* v) {
    if (renaming_) renaming_->bind(output->type(), v->type(), true);
  }
  Facts() = default;  // the same symbols

  Type type(const Value* from) { return renaming_ ? (*renaming_)(from->type()) : from->type(); }
  void copy(const Value* from, Value* to) {
    to->set_type(type(from));
    if (!from->contents())
      to->clear_contents();
    else
      to->set_contents(renaming_ ? (*renaming_)(*from->contents()) : *from->contents());
  }
  void copy(const Graph& from, const Copies& map) {
    for (Value* v : from.inputs()) copy(v, map.at(v));
    for (const auto& n : from.nodes()) {
      for (int i = 0; i < n->num_results(); ++i) copy(n->result(i), map.at(n->result(i)));
      for (int i = 0; i < n->num_regions(); ++i) copy(n->region(i), map);
    }
  }

 private:
  std::optional<Renaming> renaming_;
};

void clone_body(const Graph& from, Graph& to, Node* before, Copies& map, Facts& facts, bool with_terminator) {
  for (const auto& n : from.nodes()) {
    if (n->op() == OpId::Return && !with_terminator) continue;
    std::vector<Value*> operands = n->operands();
    for (Value*& v : operands)
      if (auto it = map.find(v); it != map.end()) v = it->second;
    std::vector<std::unique_ptr<Graph>> regions;
    for (int i = 0; i < n->num_regions(); ++i) {
      const Graph& r = n->region(i);
      auto copy = std::make_unique<Graph>(to.module(), r.name());
      copy->output_names = r.output_names;
      copy->donations = r.donations;
      for (Value* in : r.inputs()) map[in] = copy->add_input(facts.type(in), in->name());
      clone_body(r, *copy, nullptr, map, facts, true);
      regions.push_back(std::move(copy));
    }
    Node* copy = to.insert(
        make_node(to.module(), n->op(), operands, n->raw_attrs(), n->num_results(), std::move(regions), n->location()),
        before);
    for (int i = 0; i < n->num_results(); ++i) {
      copy->result(i)->set_name(n->result(i)->name());
      map[n->result(i)] = copy->result(i);
      facts.copy(n->result(i), copy->result(i));
    }
    // Inference of the whole has gone over the regions again.
    for (int i = 0; i < n->num_regions(); ++i) facts.copy(n->region(i), map);
  }
}

}  // namespace

namespace {

std::vector<Value*> clone_with(const Graph& from, Graph& to, Node* before, Copies map, Facts facts) {
  clone_body(from, to, before, map, facts, false);
  std::vector<Value*> outputs = from.outputs();
  for (Value*& v : outputs)
    if (auto it = map.find(v); it != map.end()) v = it->second;
  return outputs;
}

}  // namespace

std::vector<Value*> clone_into(const Graph& from, Graph& to, Node* before,
                               std::vector<std::pair<Value*, Value*>> pairs) {
  Copies map(pairs.begin(), pairs.end());
  Facts facts(from, to, map);
  return clone_with(from, to, before, std::move(map), std::move(facts));
}

std::vector<Value*> clone_in_place_of(Node& node, const Graph& body) {
  Copies map;
  for (int i = 0; i < body.num_inputs(); ++i) map.emplace(body.input(i), node.operand(i));
  Facts facts(body, *node.graph(), map);
  for (int j = 0; j < node.num_results(); ++j)
    if (const Value* v = body.output(j)) facts.bind_output(v, node.result(j));
  return clone_with(body, *node.graph(), &node, std::move(map), std::move(facts));
}

std::unique_ptr<Graph> clone(const Graph& from, Module& module, std::vector<std::pair<Value*, Value*>> captured) {
  auto copy = std::make_unique<Graph>(module, from.name());
  Copies map(captured.begin(), captured.end());
  copy->output_names = from.output_names;
  copy->donations = from.donations;
  for (Value* in : from.inputs()) map[in] = copy->add_input(in->type(), in->name());
  Facts facts;
  clone_body(from, *copy, nullptr, map, facts, true);
  return copy;
}

}  // namespace tc
