// The state of one import: scopes of names, functions being instantiated, findings. Private to frontend/onnx.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tc/frontend/onnx/import.h"
#include "tc/frontend/onnx/import_rows.h"
#include "tc/frontend/onnx/tensor_proto.h"
#include "tc/ir/custom_op.h"

namespace tc::onnx {

// Rows of one operator, greatest `since` first; null when the operator is unknown.
struct OperatorRows {
  struct Row {
    int since;
    ImportFn import;  // null: the regular import of `op`
    OpId op;
  };
  std::vector<Row> rows;
};
const OperatorRows* find_operator(std::string_view domain, std::string_view name);

inline constexpr int kMaxDepth = 32;  // of graphs within graphs and functions within functions

// Gives a variable another value while it lives.
template <class T>
class Scoped {
 public:
  Scoped(T& variable, T value) : variable_(variable), saved_(std::exchange(variable, std::move(value))) {}
  ~Scoped() { variable_ = std::move(saved_); }
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;

 private:
  T& variable_;
  T saved_;
};

class Importer {
 public:
  Importer(const ModelProto& model, TensorSource source, const ImportOptions& options);
  std::unique_ptr<Module> run();

 private:
  friend class NodeImport;

  // Attributes of the function call being instantiated, by name: what ref_attr_name refers to.
  using AttrEnv = std::unordered_map<std::string_view, const AttributeProto*>;
  using Opsets = std::map<std::string, int64_t, std::less<>>;

  // Names visible in a graph. Initialisers become constants when they are first used.
  struct Scope {
    Scope* outer = nullptr;
    Graph* graph = nullptr;
    std::unordered_map<std::string_view, Value*> values;
    std::unordered_map<std::string_view, const TensorProto*> initializers;
    std::unordered_map<std::string_view, const SparseTensorProto*> sparse;
    std::unordered_set<std::string_view> poisoned;  // outputs of nodes that could not be imported
  };
  // What import inside one function body (or the main graph) shares.
  struct Body {
    const Opsets* opsets;
    const AttrEnv* attrs;           // null in the main graph
    const FunctionProto* function;  // null in the main graph
  };
  struct Instance {
    std::string name;  // of the module's function
    int height = 0;    // of graphs within graphs in its body, those of callees included
  };
  // What a node stands for: a call, the row that imports it, or an op that the program registered.
  struct Meaning {
    const FunctionProto* function;
    const OperatorRows::Row* row;
    int64_t opset;  // of the operator's domain
    std::shared_ptr<const CustomOp> registered = {};
  };
  // A function is being instantiated while it lives.
  class Active {
   public:
    Active(std::vector<const FunctionProto*>& list, const FunctionProto* f) : list_(list) { list.push_back(f); }
    ~Active() { list_.pop_back(); }
    Active(const Active&) = delete;
    Active& operator=(const Active&) = delete;

   private:
    std::vector<const FunctionProto*>& list_;
  };
  // Thrown by a node that contains findings of its own: they have been noted.
  struct Poisoned {};

  Type type_of(const TypeProto& t, std::string_view value_name);
  Dim dim_of(const Dimension& d, std::string_view value_name, size_t axis);
  Opsets opsets_of(const std::vector<OperatorSetIdProto>& imports, std::string_view where);

  void fill_graph(const GraphProto& proto, Graph& graph, Scope& scope);
  void import_nodes(const std::vector<NodeProto>& nodes, Scope& scope);
  void import_node(const NodeProto& proto, Scope& scope);
  std::optional<Meaning> resolve(const NodeProto& proto);  // nothing: noted
  void survey(const NodeProto& proto);                     // notes what graphs and functions inside use that is unknown
  std::unique_ptr<Graph> import_region(const GraphProto& proto, const std::vector<Type>& input_types);
  void reach(int depth);  // Error limit_nesting
  void check_given_initializers() const;

  void index_functions();
  Opsets opsets_in(const FunctionProto& f);
  const FunctionProto* find_function(const NodeProto& proto) const;
  std::vector<Value*> call_registered(const NodeProto& proto, const CustomOp& op, NodeImport& node);
  std::vector<Value*> call_function(const NodeProto& proto, const FunctionProto& f, NodeImport& node);
  AttrEnv bind_attributes(const NodeProto& proto, const FunctionProto& f, NodeImport& node) const;
  Instance instantiate(const FunctionProto& f, const std::string& spelled, const AttrEnv& env, NodeImport& node);
  // What the attribute of a function that `a` refers to is bound to; null when the call leaves it out.
  const AttributeProto* referred(const AttributeProto& a, const NodeImport& node) const;
  std::string hint(const NodeProto& proto) const;  // what an unknown operator may have been meant to be

  // Null for an input that the call of the function leaves out, nothing for a name that is not defined.
  std::optional<Value*> lookup(Scope& scope, std::string_view name);
  bool overridden(std::string_view name) const;
  bool is_poisoned(const Scope& scope, std::string_view name) const;
  // A finding that does not stop the import: all are reported together.
  void note(ErrorCode code, const std::string& where, const std::string& text);

  const ModelProto& model_;
  TensorSource source_;
  const ImportOptions& options_;
  std::unique_ptr<Module> module_;
  Opsets opsets_;
  Body body_{};
  Scope* scope_ = nullptr;  // innermost, while a node is being imported
  int depth_ = 0;           // of the graph being imported within graphs, functions looked through
  int deepest_ = 0;         // depth_ at its greatest since the function being instantiated began
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const FunctionProto*>
      functions_;                             // by domain, name and overload
  std::vector<const FunctionProto*> active_;  // being instantiated: for recursion
  std::unordered_set<const FunctionProto*> surveyed_;
  std::map<std::string, Instance> instances_;  // by the signature of a call
  size_t instance_nodes_ = 0;
  struct Finding {
    ErrorCode code;
    std::string text;
  };
  std::vector<Finding> findings_;
  std::unordered_set<std::string> seen_findings_;
};

std::string describe_node(const NodeProto& n);  // its name, or "Conv producing 'y'"
std::string_view canonical_domain(std::string_view domain);

}  // namespace tc::onnx
