#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "tc/ir/library.h"
#include "tc/passes/fuse/fuse.h"

namespace tc {
namespace {

constexpr std::string_view kClusterRule = "elementwise-into-cluster";
// A strip program has 48 slots for operands, results, scalars and values in flight.
constexpr size_t kMaxOperands = 12, kMaxClusterNodes = 24, kMaxResults = 4;

// Quantised, converted where a strip program loads and stores.
constexpr DTypeSet kNarrow = dtypes::bytes | DType::i16 | DType::u16;

// What programs compute in.
constexpr DTypeSet kReal = DTypeSet(DType::f32) | DType::f64;

// Scalars travel inside the region: a strip program takes them as immediates.
bool is_scalar(const Value* v) {
  return v->constant() && v->constant()->size() == 1 && (kReal.has(v->dtype()) || kNarrow.has(v->dtype()));
}

// A conversion between floats and what a strip program loads or stores as such, with constant parameters.
bool is_edge(const Node& n) {
  if (n.is<Cast>()) {
    const DType from = n.operand(0)->dtype();
    return n.result(0)->dtype() == DType::f32 && (kNarrow.has(from) || from == DType::i32);
  }
  const bool quantises = n.is<QuantizeLinear>();
  if (!quantises && !n.is<DequantizeLinear>()) return false;
  if (quantises ? n.attrs<QuantizeLinear>().block_size || n.attrs<QuantizeLinear>().precision
                : n.attrs<DequantizeLinear>().block_size != 0)
    return false;
  const Value *real = quantises ? n.operand(0) : n.result(0), *narrow = quantises ? n.result(0) : n.operand(0);
  if (real->dtype() != DType::f32 || !kNarrow.has(narrow->dtype()) || n.operand(1)->dtype() != DType::f32) return false;
  return is_scalar(n.operand(1)) && (!n.operand(2) || is_scalar(n.operand(2)));
}

// What a node computes in if it may join a cluster; null where all is boolean.
std::optional<DType> compute_type(const Node& n) {
  std::optional<DType> type;
  const auto add = [&](const Value* v) {
    if (v && !type && kReal.has(v->dtype())) type = v->dtype();
  };
  add(n.result(0));
  for (const Value* v : n.operands()) add(v);
  return type;
}

class ClusterBuilder {
 public:
  ClusterBuilder(Graph& graph, Editor& editor) : graph_(graph), editor_(editor) {}

  void run() {
    std::vector<Node*> order;
    for (const auto& n : graph_.nodes()) {
      position_[n.get()] = order.size();
      order.push_back(n.get());
    }
    // From the last node upwards, so that a root collects everything above it.
    editor_.on_erase = [this](Node& n) { taken_.insert(&n); };
    for (auto it = order.rbegin(); it != order.rend() && editor_.allows(kClusterRule, exact); ++it)
      if (!taken_.count(*it) && clusterable(**it)) grow(**it);
    editor_.on_erase = nullptr;
  }

 private:
  void grow(Node& root) {
    members_ = {&root};
    type_ = compute_type(root);
    shape_ = &root.result(0)->shape();
    root_position_ = position_.at(&root);
    bool grown = true;
    while (grown && members_.size() < kMaxClusterNodes) {
      grown = false;
      for (size_t i = 0; i < members_.size() && !grown; ++i)
        for (Value* v : members_[i]->operands())
          if (v && joins(v)) {
            members_.push_back(v->def());
            if (fits()) {
              grown = true;
              if (!type_) type_ = compute_type(*v->def());
              break;
            }
            members_.pop_back();
            rejected_.insert(v->def());
          }
    }
    rejected_.clear();
    if (members_.size() >= 2) build(root);
  }

  bool is_member(const Node* n) const { return std::find(members_.begin(), members_.end(), n) != members_.end(); }

  // The value's definition can move down to the root: whoever uses it is in the cluster or comes later. A user further
  // down cannot feed the cluster, so that no cycle arises.
  bool joins(const Value* v) const {
    Node* def = v->def();
    if (!def || def->graph() != &graph_ || is_member(def) || taken_.count(def) || rejected_.count(def) ||
        !clusterable(*def))
      return false;
    if (!(v->shape() == *shape_)) return false;
    if (const auto type = compute_type(*def); type && type_ && *type != *type_) return false;
    // What is rounded to bytes is stored as such, if it is more than a step on the way.
    if (def->is<QuantizeLinear>()) return users_are_members(v) && users_go(v);
    if (is_copied(*def)) return true;
    for (Use* u = v->first_use(); u; u = u->next()) {
      const Node* user = ancestor(u->user());
      if (!is_member(user) && position_.at(user) < root_position_) return false;
    }
    return true;
  }

  bool users_are_members(const Value* v) const {
    for (Use* u = v->first_use(); u; u = u->next())
      if (!is_member(u->user())) return false;
    return true;
  }

  // Whether what the users make is wanted by members alone.
  bool users_go(const Value* v) const {
    for (Use* u = v->first_use(); u; u = u->next())
      if (!users_are_members(u->user()->result(0))) return false;
    return true;
  }

  // Bytes are a quarter of what they dequantise to: each cluster that takes that reads the bytes instead.
  static bool is_copied(const Node& n) { return n.is<DequantizeLinear>(); }

  // The node of this graph in whose regions n lies, or n.
  const Node* ancestor(const Node* n) const {
    while (n->graph() != &graph_) n = n->graph()->owner();
    return n;
  }

  std::vector<Value*> operands() const {
    std::vector<Value*> result;
    for (Node* n : in_order())
      for (Value* v : n->operands())
        if (v && !is_scalar(v) && !(v->def() && is_member(v->def())) &&
            std::find(result.begin(), result.end(), v) == result.end())
          result.push_back(v);
    return result;
  }

  std::vector<Value*> results() const {
    std::vector<Value*> result;
    for (Node* n : in_order())
      if ((n == members_.front() || !is_copied(*n)) && !users_are_members(n->result(0))) result.push_back(n->result(0));
    return result;
  }

  std::vector<Node*> in_order() const {
    std::vector<Node*> sorted = members_;
    std::sort(sorted.begin(), sorted.end(), [&](Node* a, Node* b) { return position_.at(a) < position_.at(b); });
    return sorted;
  }

  bool fits() const { return operands().size() <= kMaxOperands && results().size() <= kMaxResults; }

  void build(Node& root) {
    Module& module = graph_.module();
    const auto inputs = operands(), outputs = results();
    auto body = std::make_unique<Graph>(module);
    std::unordered_map<const Value*, Value*> map;
    for (Value* v : inputs) map[v] = body->add_input(v->type(), v->name());
    const auto sorted = in_order();
    for (Node* n : sorted) {
      std::vector<Value*> args;
      for (Value* v : n->operands()) {
        if (v && !map.count(v)) {
          const Node& c = *v->def();  // a scalar
          map[v] = body->insert(make_node(module, c.op(), {}, c.raw_attrs(), 1, {}, c.location()))->result(0);
        }
        args.push_back(v ? map.at(v) : nullptr);
      }
      std::vector<std::unique_ptr<Graph>> parts;  // of a function of the library
      for (int i = 0; i < n->num_regions(); ++i) parts.push_back(clone(n->region(i), module));
      Node* copy = body->insert(make_node(module, n->op(), args, n->raw_attrs(), 1, std::move(parts), n->location()));
      copy->result(0)->set_name(n->result(0)->name());
      copy->result(0)->set_type(n->result(0)->type());
      map[n->result(0)] = copy->result(0);
    }
    std::vector<Value*> returned;
    for (Value* v : outputs) returned.push_back(map.at(v));
    body->set_outputs(returned);
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(body));
    Edit edit{kClusterRule, exact, {}, &root, {}, sorted};
    edit.nodes.push_back(make_node(module, OpId::Cluster, inputs, nullptr, static_cast<int>(outputs.size()),
                                   std::move(regions), root.location()));
    Node* cluster = edit.nodes.front().get();
    for (size_t i = 0; i < outputs.size(); ++i)
      edit.replaced.emplace_back(outputs[i], cluster->result(static_cast<int>(i)));
    for (Node* n : sorted)
      if (!is_copied(*n)) taken_.insert(n);
    if (const char* why = editor_.commit(std::move(edit))) {
      editor_.note_miss(kClusterRule, why, root);
      return;
    }
    taken_.insert(cluster);
    position_[cluster] = root_position_;
  }

  Graph& graph_;
  Editor& editor_;
  std::unordered_map<const Node*, size_t> position_;
  std::unordered_set<const Node*> taken_, rejected_;  // taken: in a cluster, or gone
  std::vector<Node*> members_;
  std::optional<DType> type_;  // that the members compute in
  const Shape* shape_ = nullptr;
  size_t root_position_ = 0;
};

}  // namespace

bool clusterable(const Node& n) {
  switch (n.op()) {
    case OpId::Cast:
    case OpId::QuantizeLinear:
    case OpId::DequantizeLinear:
      return is_edge(n) && n.result(0)->shape().ranked();
    case OpId::Cluster:
      if (library_function(n).empty()) return false;
      break;
    default:
      if (n.info().family != Family::elementwise || !n.info().traits.elementwise) return false;
  }
  const Value* y = n.result(0);
  const auto type = compute_type(n);
  const auto takes = [&](const Value* v) {
    return v->type().is_tensor() && (v->dtype() == DType::boolean || (type && v->dtype() == *type));
  };
  if (!takes(y) || !y->shape().ranked()) return false;
  for (const Value* v : n.operands())
    if (v && (!takes(v) || !broadcasts_into(v->shape(), y->shape()))) return false;
  return true;
}

std::span<const Rule> cluster_rules() {
  static const Rule kRules[] = {{kClusterRule, exact, any_node(), nullptr}};
  return kRules;
}

void form_clusters(PassContext& ctx) {
  for_each_graph(ctx.module, [&](Graph& g) {
    std::vector<Graph*> graphs{&g};
    walk(g, [&](Node& n) {
      for (int i = 0; i < n.num_regions(); ++i)
        if (!n.is<Cluster>()) graphs.push_back(&n.region(i));
    });
    for (Graph* each : graphs) ClusterBuilder(*each, ctx.editor).run();
  });
}

}  // namespace tc
