// How one IR node becomes one ONNX node. The default goes by name: operands by position, attributes by the op's
// `fields`, as far as the operator's version in effect has them. What is irregular (inputs that were attributes, other
// spellings) is a row with `write`; what must be said otherwise first is a row with `lower`; `decompose` stands in
// where the operator itself cannot be used. Of the rows of one op the one with the greatest `since` <= the target's
// opset wins; families without such rows have no file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tc/backend/onnx/dialect.h"
#include "tc/ir/builder.h"

namespace tc::onnx {

struct OnnxAttribute {
  std::string_view name;
  AttrValue value;
  const Graph* graph = nullptr;  // instead of a value
};

struct OnnxNode {
  std::string_view domain, name;
  const Schema* schema = nullptr;             // null: the domain has no table
  std::vector<const Value*> inputs, outputs;  // null: absent
  std::vector<OnnxAttribute> attributes;
};

// Why a node cannot be written as it is. Never leaves backend/onnx.
struct Refusal {
  std::string reason;
};

// One node on its way out.
class NodeExport {
 public:
  NodeExport(const Node& node, const Dialect& dialect) : node_(node), dialect_(dialect) {}

  const Node& node() const { return node_; }
  const Dialect& dialect() const { return dialect_; }
  template <class Op>
  const attrs_t<Op>& attrs() const {
    return node_.attrs<Op>();
  }

  // The operator; sets inputs and outputs by position. Refusal when the dialect lacks it.
  OnnxNode& operator_named(std::string_view name, std::string_view domain = "");
  // Leaves out the field whose ONNX name this is: the row writes it, or it does not matter.
  void ignore(std::string_view attribute) { ignored_.push_back(attribute); }
  // The regular export of the op's facts.
  OnnxNode& regular();
  // An attribute for regular() and after.
  void set(std::string_view attribute, AttrValue value);
  // The elements of operand i, to be an attribute. Refusal when they are not known.
  std::vector<int64_t> known_ints(int i) const;
  void drop_inputs_from(size_t i) { out_.inputs.resize(std::min(out_.inputs.size(), i)); }

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw Refusal{cat(parts...)};
  }
  OnnxNode take() { return std::move(out_); }

 private:
  void set_fields(const OpInfo& op);
  const Node& node_;
  const Dialect& dialect_;
  std::vector<std::string_view> ignored_;
  OnnxNode out_;
};

// One node on its way to ops that can be written. New nodes go in front of it.
class Lowering {
 public:
  Lowering(Node& node, const Dialect& dialect) : b(*node.graph(), &node), node_(node), dialect_(dialect) {
    b.set_location(node.location());
  }

  Builder b;
  const Node& node() const { return node_; }
  const Dialect& dialect() const { return dialect_; }
  int opset() const { return dialect_.opset; }
  bool ort() const { return dialect_.ort(); }
  Value* in(int i) const { return node_.operand(i); }
  template <class Op>
  const attrs_t<Op>& attrs() const {
    return node_.attrs<Op>();
  }
  // The same node with other attributes or operands.
  std::vector<Value*> again(std::vector<Value*> operands, std::shared_ptr<const void> attrs = nullptr);
  template <class Op>
  std::vector<Value*> again(attrs_t<Op> attrs) {
    return again(node_.operands(), std::make_shared<attrs_t<Op>>(std::move(attrs)));
  }
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw Refusal{cat(parts...)};
  }
  // What is computed from shapes, as a constant when it is known.
  Value* settled(Value* v);
  // x converted; x itself when it has the type.
  Value* cast(Value* x, DType to) { return x->dtype() == to ? x : b.make<Cast>({x}, {.to = to}); }
  template <class Op>
  Value* scalar_op(Value* x, double c) {
    return b.make<Op>({x, b.scalar_like(x->dtype(), c)});
  }
  // The extent of an axis as a scalar i64.
  Value* extent(Value* x, int axis);
  int rank(int i) const;  // of operand i; Refusal when it is not known
  // For the report; by default it says that the operator's version cannot express the node.
  std::string why;

 private:
  Node& node_;
  const Dialect& dialect_;
};

using WriteFn = void (*)(NodeExport&);
// The values that replace the node's results (null for an unused one), or nothing when the node is fine as it is.
using LowerFn = std::vector<Value*> (*)(Lowering&);

struct ExportRow {
  OpId op;
  int since;  // opset of ai.onnx
  WriteFn write = nullptr;
  LowerFn lower = nullptr;
  LowerFn decompose = nullptr;  // by default that of the op
};
using ExportRows = std::vector<ExportRow>;

#define TC_EXPORT_FAMILIES(row)                                                                                  \
  row(attention) row(control) row(conv) row(elementwise) row(gather) row(matmul) row(ml) row(movement) row(norm) \
      row(pool) row(quant) row(random) row(reduce) row(rnn) row(sequence) row(signal) row(vision)
#define TC_FAMILY(name) void rows_export_##name(ExportRows& rows);
TC_EXPORT_FAMILIES(TC_FAMILY)
#undef TC_FAMILY

// The row in effect; null: the regular export.
const ExportRow* find_row(OpId op, int opset);
// The ONNX node; Refusal when there is none.
OnnxNode write_node(const Node& node, const Dialect& dialect);

// What is wrong with a written node.
struct NodeProblem {
  std::string reason;
  const Value* value = nullptr;  // whose element type is not accepted; null: something else is wrong
};
std::optional<NodeProblem> find_problem(const OnnxNode& node, const Dialect& dialect);

}  // namespace tc::onnx
