// The state of one import: scopes of names, functions being instantiated, findings. Private to frontend/onnx.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tc/frontend/onnx/import.h"
#include "tc/frontend/onnx/import_rows.h"
#include "tc/frontend/onnx/tensor_proto.h"

namespace tc::onnx {

class Importer {
 public:
  Importer(const ModelProto& model, TensorSource source);
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
    const AttrEnv* attrs;
  };

  Type type_of(const TypeProto& t, std::string_view value_name);
  Dim dim_of(const Dimension& d, std::string_view value_name, size_t axis);
  Opsets opsets_of(const std::vector<OperatorSetIdProto>& imports, std::string_view where);

  void fill_graph(const GraphProto& proto, Graph& graph, Scope& scope);
  void import_nodes(const std::vector<NodeProto>& nodes, Scope& scope);
  void import_node(const NodeProto& proto, Scope& scope);
  std::vector<Value*> call_function(const NodeProto& proto, const FunctionProto& f, NodeImport& node);
  std::unique_ptr<Graph> import_region(const GraphProto& proto, const std::vector<Type>& input_types);

  const FunctionProto* find_function(const NodeProto& proto) const;
  Value* lookup(Scope& scope, std::string_view name);
  bool is_poisoned(const Scope& scope, std::string_view name) const;
  // A finding that does not stop the import: all are reported together.
  void note(ErrorCode code, const std::string& where, const std::string& text);

  const ModelProto& model_;
  TensorSource source_;
  std::unique_ptr<Module> module_;
  Opsets opsets_;
  Body body_{};
  Scope* scope_ = nullptr;  // innermost, while a node is being imported
  int depth_ = 0;
  std::vector<const FunctionProto*> active_;      // being instantiated: for recursion
  std::map<std::string, std::string> instances_;  // signature of a call → name of the instance
  struct Finding {
    ErrorCode code;
    std::string text;
  };
  std::vector<Finding> findings_;
  std::unordered_set<std::string> seen_findings_;
};

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

std::string describe_node(const NodeProto& n);  // its name, or "Conv producing 'y'"
std::string_view canonical_domain(std::string_view domain);

}  // namespace tc::onnx
