// SSA graphs. A Graph owns its inputs and an ordered list of nodes that ends in `return`; a Node owns its results and
// its regions. Nodes of a region may use values of the enclosing graphs (captures); uses inside regions are in the
// value's use list. Types of results are inferred when a node is made. Within a graph, definitions come before uses.
#pragma once

#include <iosfwd>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tc/ir/op.h"

namespace tc {

class Module;

// Depth of regions within regions, and of expressions and types in text.
inline constexpr int kMaxNesting = 64;

// One operand slot, linked into the use list of the value it holds.
class Use {
 public:
  Value* value() const { return value_; }
  Node* user() const { return user_; }
  int index() const { return index_; }
  Use* next() const { return next_; }

 private:
  friend class Node;
  friend class Value;
  void set(Value* v);
  Value* value_ = nullptr;
  Node* user_ = nullptr;
  int index_ = 0;
  Use* next_ = nullptr;
  Use** link_ = nullptr;  // the pointer that points here
};

class Value {
 public:
  ~Value();  // what still uses it loses that operand
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  const Type& type() const { return type_; }
  DType dtype() const { return type_.dtype(); }
  const Shape& shape() const { return type_.shape(); }
  void set_type(Type t) { type_ = std::move(t); }
  const std::string& name() const { return name_; }  // may be empty
  void set_name(std::string n) { name_ = std::move(n); }

  Node* def() const { return def_; }    // null for graph inputs
  Graph* graph() const;                 // the graph whose input or node defines it
  int index() const { return index_; }  // among the node's results or the graph's inputs
  template <class Op>
  Node* def_as() const;  // the defining node when it is an Op, else null
  // The tensor when this is a constant (not an updatable parameter), else null.
  const Tensor* constant() const;

  // What is known of the elements of a small integer tensor of rank 0 or 1, in row-major order: how shape arithmetic is
  // followed. Null when nothing is known.
  const Dims* contents() const { return contents_.get(); }
  void set_contents(Dims c) { contents_ = std::make_shared<const Dims>(std::move(c)); }
  void clear_contents() { contents_.reset(); }

  Use* first_use() const { return uses_; }
  bool unused() const { return !uses_; }
  bool single_use() const { return uses_ && !uses_->next(); }
  std::vector<Use*> uses() const;  // a snapshot
  void replace_all_uses_with(Value* other);

 private:
  friend class Use;
  friend class Node;
  friend class Graph;
  Value() = default;
  Type type_;
  std::string name_;
  Node* def_ = nullptr;
  Graph* owner_ = nullptr;  // for inputs
  int index_ = 0;
  Use* uses_ = nullptr;
  std::shared_ptr<const Dims> contents_;
};

class Node {
 public:
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  OpId op() const { return op_; }
  const OpInfo& info() const { return tc::info(op_); }
  template <class Op>
  bool is() const {
    return op_ == id_of<Op>;
  }
  template <class Op>
  const attrs_t<Op>& attrs() const {
    TC_CHECK(op_ == id_of<Op>, "attributes of another op");
    return *static_cast<const attrs_t<Op>*>(attrs_.get());
  }
  const std::shared_ptr<const void>& raw_attrs() const { return attrs_; }
  void set_attrs(std::shared_ptr<const void> a) { attrs_ = std::move(a); }

  int num_operands() const { return static_cast<int>(operands_.size()); }
  Value* operand(int i) const {
    return i < num_operands() ? operands_[static_cast<size_t>(i)]->value() : nullptr;
  }  // null: absent
  void set_operand(int i, Value* v) { operands_[static_cast<size_t>(i)]->set(v); }
  void set_operands(std::span<Value* const> values);
  std::vector<Value*> operands() const;
  int num_results() const { return static_cast<int>(results_.size()); }
  Value* result(int i = 0) const { return results_[static_cast<size_t>(i)].get(); }
  Value* add_result();
  int num_regions() const { return static_cast<int>(regions_.size()); }
  Graph& region(int i) const { return *regions_[static_cast<size_t>(i)]; }

  const std::string& location() const { return location_; }
  void set_location(std::string l) { location_ = std::move(l); }
  Graph* graph() const { return graph_; }  // null while detached
  Node* next() const;                      // in the graph's order; null at the end
  Node* prev() const;

 private:
  friend class Graph;
  friend std::unique_ptr<Node> make_node(Module&, OpId, std::span<Value* const>, std::shared_ptr<const void>, int,
                                         std::vector<std::unique_ptr<Graph>>, std::string);
  Node() = default;
  OpId op_{};
  std::shared_ptr<const void> attrs_;
  std::vector<std::unique_ptr<Use>> operands_;
  std::vector<std::unique_ptr<Value>> results_;
  std::vector<std::unique_ptr<Graph>> regions_;
  std::string location_;
  Graph* graph_ = nullptr;
  std::list<std::unique_ptr<Node>>::iterator position_;
};

class Graph {
 public:
  explicit Graph(Module& m, std::string name = {}) : module_(&m), name_(std::move(name)) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Module& module() const { return *module_; }
  const std::string& name() const { return name_; }
  void set_name(std::string n) { name_ = std::move(n); }
  Node* owner() const { return owner_; }  // the node whose region this is; null for a function body
  Graph* parent() const { return owner_ ? owner_->graph() : nullptr; }

  Value* add_input(Type t, std::string name = {});
  void erase_input(int i);  // must be unused
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  Value* input(int i) const { return inputs_[static_cast<size_t>(i)].get(); }
  std::vector<Value*> inputs() const;

  // Outputs are the operands of the terminator; set_outputs makes or updates it.
  Node* terminator() const;  // null while the graph is being built
  void set_outputs(std::span<Value* const> values);
  int num_outputs() const { return terminator() ? terminator()->num_operands() : 0; }
  Value* output(int i) const { return terminator()->operand(i); }
  std::vector<Value*> outputs() const { return terminator() ? terminator()->operands() : std::vector<Value*>(); }
  // Names of the outputs as the outside knows them; values may be shared by several outputs.
  std::vector<std::string> output_names;
  // {output, input}: the output may reuse the input's memory.
  std::vector<std::pair<int, int>> donations;

  const std::list<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  Node* first() const { return nodes_.empty() ? nullptr : nodes_.front().get(); }
  // Inserts before `before`, or at the end (before the terminator when there is one).
  Node* insert(std::unique_ptr<Node> node, Node* before = nullptr);
  std::unique_ptr<Node> detach(Node* node);
  void erase(Node* node);  // its results must be unused
  void move_before(Node* node, Node* before);

 private:
  friend class Node;
  friend std::unique_ptr<Node> make_node(Module&, OpId, std::span<Value* const>, std::shared_ptr<const void>, int,
                                         std::vector<std::unique_ptr<Graph>>, std::string);
  Module* module_;
  std::string name_;
  Node* owner_ = nullptr;
  std::vector<std::unique_ptr<Value>> inputs_;
  std::list<std::unique_ptr<Node>> nodes_;
};

// A detached node with inferred result types. `operands` may hold null for absent ones (trailing ones are dropped);
// null `attrs` means the defaults. Throws what inference throws, located at `location`.
std::unique_ptr<Node> make_node(Module& module, OpId op, std::span<Value* const> operands,
                                std::shared_ptr<const void> attrs, int num_results,
                                std::vector<std::unique_ptr<Graph>> regions, std::string location);
// Runs inference again after operands or attributes changed.
void infer_types(Node& node);
// In order, regions included.
void infer_types(Graph& graph);

template <class Op>
Node* Value::def_as() const {
  return def_ && def_->is<Op>() ? def_ : nullptr;
}

// Must the node run even when nobody uses its results? It, or a node of its regions other than `return`, has effects.
bool has_effects(const Node& n);
// Calls f for every node of the graph in order, those of regions included, outer before inner.
void walk(const Graph& g, const std::function<void(Node&)>& f);
// Values of enclosing graphs used inside `g`, in order of first use.
std::vector<Value*> captures(const Graph& g);
// Copies nodes (all but the terminator) of `from` before `before`; `map` gives values for inputs and captured values
// that change, and receives the copies. Returns the copies of the outputs.
std::vector<Value*> clone_into(const Graph& from, Graph& to, Node* before, std::vector<std::pair<Value*, Value*>> map);
std::unique_ptr<Graph> clone(const Graph& from, Module& module, std::vector<std::pair<Value*, Value*>> captured = {});

}  // namespace tc
