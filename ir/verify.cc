#include "tc/ir/verify.h"

#include <unordered_map>
#include <unordered_set>

#include "tc/ir/infer.h"
#include "tc/ir/ops/core.h"
#include "tc/ir/ops/fused.h"
#include "tc/ir/text/print.h"

namespace tc {
namespace {

template <class... Parts>
[[noreturn]] void reject(const Node* node, const Parts&... parts) {
  Diagnostic d{ErrorCode::bad_graph, cat(parts...), {}, {}, {}};
  if (node) {
    d.location = node->location().empty() ? std::string(node->info().name()) : node->location();
    d.notes.push_back(print(*node, {.locations = false}));
  }
  throw Error(std::move(d));
}

template <class... Parts>
[[noreturn]] void reject(const Graph& g, const Parts&... parts) {
  if (g.owner()) reject(g.owner(), "in a region: ", parts...);
  reject(nullptr, "@", g.name(), ": ", parts...);
}

// Remembers types and contents of a node's results and of all values in its regions.
class Snapshot {
 public:
  explicit Snapshot(Node& node) : module_(node.graph()->module()), next_symbol_(module_.next_symbol()) {
    save(node);
    for (int i = 0; i < node.num_regions(); ++i) save(node.region(i));
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() {
    for (auto& s : saved_) {
      s.value->set_type(std::move(s.type));
      if (s.known)
        s.value->set_contents(std::move(s.contents));
      else
        s.value->clear_contents();
    }
    module_.release_symbols(next_symbol_);
  }

 private:
  struct Saved {
    Value* value;
    Type type;
    bool known;
    Dims contents;
  };
  void save(Value* v) {
    saved_.push_back({v, v->type(), v->contents() != nullptr, v->contents() ? *v->contents() : Dims()});
  }
  void save(const Node& node) {
    for (int i = 0; i < node.num_results(); ++i) save(node.result(i));
  }
  void save(const Graph& g) {
    for (Value* v : g.inputs()) save(v);
    walk(g, [this](Node& n) { save(n); });
  }
  Module& module_;
  uint64_t next_symbol_;
  std::vector<Saved> saved_;
};

class Verifier {
 public:
  // Values that may be used without being defined in what is verified.
  void define(const Value* v) {
    visible_.insert(v);
    outside_.insert(v);
  }

  void graph(const Graph& g, int depth) {
    if (depth > kMaxNesting) reject(g, "nested more than ", kMaxNesting, " deep");
    if (!g.terminator()) reject(g, "the graph does not end in return");
    std::vector<const Value*> defined;
    const auto add = [&](Value* v) {
      values_.push_back(v);
      visible_.insert(v);
      defined.push_back(v);
    };
    for (int i = 0; i < g.num_inputs(); ++i) {
      Value* v = g.input(i);
      if (v->def() || v->graph() != &g || v->index() != i) reject(g, "input ", i, " does not know that it is one");
      add(v);
    }
    for (const auto& n : g.nodes()) {
      if (n->graph() != &g) reject(n.get(), "the node does not know the graph that owns it");
      if (n->is<Return>() && n.get() != g.terminator()) reject(n.get(), "return is not the last node");
      node(*n, depth);
      for (int j = 0; j < n->num_results(); ++j) add(n->result(j));
    }
    outputs(g);
    for (const Value* v : defined) visible_.erase(v);
  }

  // Use lists of the values seen, after all graphs: every operand is in the list of its value, and nothing else is.
  void uses() const {
    size_t operands = 0, listed = 0;
    for (const auto& [n, count] : nodes_) operands += count;
    for (const Value* v : values_)
      for (const Use* u = v->first_use(); u; u = u->next()) {
        const Node* user = u->user();
        if (++listed > operands || !nodes_.count(user))
          reject(user, "operand ", u->index(), " is a value of a graph that this node is not in");
        if (u->value() != v || user->operand(u->index()) != v)
          reject(user, "operand ", u->index(), " is not the value in whose use list it is");
      }
    if (listed != operands) reject(nullptr, operands, " operands, but ", listed, " uses in the lists of values");
  }

 private:
  void node(Node& n, int depth) {
    const OpInfo& op = n.info();
    const Signature& signature = op.facts->signature;
    if (!n.raw_attrs()) reject(&n, "the node has no attributes");
    size_t present = 0;
    for (int i = 0; i < n.num_operands(); ++i) {
      const Value* v = n.operand(i);
      if (!v) continue;
      if (!outside_.count(v)) ++present;
      if (!visible_.count(v)) reject(&n, "operand ", i, " is not defined before its use");
    }
    if (!nodes_.emplace(&n, present).second) reject(&n, "the node is in the graph twice");
    for (int j = 0; j < n.num_results(); ++j)
      if (n.result(j)->def() != &n || n.result(j)->index() != j)
        reject(&n, "result ", j, " does not know that it is one");
    if (n.num_results() < signature.min_results())
      reject(&n, op.name(), " has ", signature.min_results(), " results or more, not ", n.num_results());
    if (op.regions >= 0 && n.num_regions() != op.regions)
      reject(&n, op.name(), " has ", op.regions, " regions, not ", n.num_regions());
    for (int i = 0; i < n.num_regions(); ++i) {
      const Graph& r = n.region(i);
      if (r.owner() != &n || &r.module() != &n.graph()->module())
        reject(&n, "region ", i, " does not know the node that owns it");
      graph(r, depth + 1);
      // A program of its own: a value from outside would have no place in it.
      if (n.is<Cluster>() && !captures(r).empty()) reject(&n, "region ", i, " reads values that are no operands");
    }
    types(n);
  }

  static void types(Node& n) {
    std::vector<Type> before;
    for (int j = 0; j < n.num_results(); ++j) before.push_back(n.result(j)->type());
    const Snapshot snapshot(n);
    try {
      infer_types(n);
    } catch (const Error& e) {
      if (e.code() == ErrorCode::internal) throw;
      reject(&n, "inference fails: ", e.diagnostic().message);
    }
    for (int j = 0; j < n.num_results(); ++j) {
      const Type& now = n.result(j)->type();
      const Type& had = before[static_cast<size_t>(j)];
      // What is there is known; everything else may be known better than inference tells.
      const bool fits = n.is<Constant>() || n.is<Parameter>() ? had == now : compatible(now, had);
      if (!fits) {
        const std::string inferred = now.str();
        n.result(j)->set_type(had);
        reject(&n, "result ", j, " has type ", had, ", inference says ", inferred);
      }
    }
  }

  static void outputs(const Graph& g) {
    const int n = g.num_outputs();
    if (!g.output_names.empty() && g.output_names.size() != static_cast<size_t>(n))
      reject(g.terminator(), n, " outputs, but ", g.output_names.size(), " output names");
    std::unordered_set<int> inputs, outputs;
    for (const auto& [output, input] : g.donations) {
      if (output < 0 || output >= n || input < 0 || input >= g.num_inputs())
        reject(g.terminator(), "donation of input ", input, " to output ", output, ": there is no such one");
      const Value *from = g.input(input), *to = g.output(output);
      if (!to || from->type() != to->type())
        reject(g.terminator(), "donation of input ", input, " (", from->type(), ") to output ", output, " (",
               to ? to->type().str() : "absent", "): the types differ");
      if (!inputs.insert(input).second || !outputs.insert(output).second)
        reject(g.terminator(), "input ", input, " or output ", output, " takes part in two donations");
    }
  }

  std::unordered_set<const Value*> visible_, outside_;
  std::vector<const Value*> values_;
  std::unordered_map<const Node*, size_t> nodes_;
};

void check_functions(const Module& m) {
  std::unordered_set<std::string_view> names;
  for (const auto& f : m.functions()) {
    if (f->name().empty()) reject(nullptr, "a function has no name");
    if (!names.insert(f->name()).second) reject(nullptr, "two functions are called @", f->name());
    if (f->owner()) reject(*f, "a function is not a region");
  }
  (void)call_order(m);
}

}  // namespace

void verify(const Module& m) {
  check_functions(m);
  for (const auto& f : m.functions()) verify(*f);
  if (m.main().owner()) reject(m.main(), "the main graph is not a region");
  verify(m.main());
}

void verify(const Graph& g) {
  Verifier v;
  for (const Graph* inner = &g; inner->owner(); inner = inner->parent()) {
    const Graph* outer = inner->parent();
    if (!outer) reject(inner->owner(), "the owner of the region is in no graph");
    for (const Value* in : outer->inputs()) v.define(in);
    for (const auto& n : outer->nodes()) {
      if (n.get() == inner->owner()) break;
      for (int j = 0; j < n->num_results(); ++j) v.define(n->result(j));
    }
  }
  v.graph(g, 0);
  v.uses();
}

std::vector<Type> inferred_types(Node& node) {
  const Snapshot snapshot(node);
  infer_types(node);
  std::vector<Type> types;
  for (int j = 0; j < node.num_results(); ++j) types.push_back(node.result(j)->type());
  return types;
}

}  // namespace tc
