// How one ONNX node becomes IR. The default goes by name: operands by position, attributes by the op's `fields`, and
// holds from the opset in the op's facts. What is irregular (retired forms, attributes that became inputs, changed
// defaults) is a row in import_<family>.cc; of the rows of one operator the one with the greatest `since` <= the
// model's opset wins.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tc/frontend/onnx/import.h"
#include "tc/frontend/onnx/proto.h"
#include "tc/ir/builder.h"

namespace tc::onnx {

class Importer;

// One node on its way in. Attributes that are read count as known; those left over are an error afterwards.
class NodeImport {
 public:
  NodeImport(Importer& importer, const NodeProto& proto, int64_t opset, Builder& builder, std::vector<Value*> inputs);

  const NodeProto& proto() const { return proto_; }
  int64_t opset() const { return opset_; }  // of the node's domain
  Builder& b() const { return builder_; }
  Module& module() const { return builder_.module(); }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  bool has(int i) const { return i < num_inputs() && inputs_[static_cast<size_t>(i)]; }
  Value* in(int i) const { return i < num_inputs() ? inputs_[static_cast<size_t>(i)] : nullptr; }  // null: absent
  Value* required(int i) const;  // Error bad_graph when absent
  const std::vector<Value*>& inputs() const { return inputs_; }
  int num_outputs() const { return static_cast<int>(proto_.output.size()); }
  bool has_output(int j) const { return j < num_outputs() && !proto_.output[static_cast<size_t>(j)].empty(); }

  // Attributes, with references to a function's attributes resolved. Error bad_attribute when of another type.
  bool has_attr(std::string_view name) const;
  const AttributeProto* attr(std::string_view name);  // null when absent
  int64_t int_attr(std::string_view name, int64_t fallback);
  double float_attr(std::string_view name, double fallback);
  std::string string_attr(std::string_view name, std::string_view fallback);
  std::optional<std::vector<int64_t>> ints_attr(std::string_view name);
  std::optional<std::vector<double>> floats_attr(std::string_view name);
  std::optional<std::vector<std::string>> strings_attr(std::string_view name);
  std::optional<Tensor> tensor_attr(std::string_view name);
  void ignore_attr(std::string_view name) { attr(name); }
  // Builds the sub-graph in attribute `name` with inputs of the given types (their number must match the sub-graph's);
  // it may use every value visible here. Error bad_attribute when absent.
  std::unique_ptr<Graph> region(std::string_view name, const std::vector<Type>& input_types);
  // The declared types of the sub-graph's inputs, `none` where undeclared.
  std::vector<Type> region_input_types(std::string_view name);

  // The attributes of `Op` from the node's, by the op's fields.
  template <class Op>
  attrs_t<Op> attrs() {
    attrs_t<Op> a{};
    read_attrs(info(id_of<Op>), &a);
    return a;
  }
  void read_attrs(const OpInfo& op, void* attrs);
  // The regular import: all inputs as operands, attributes by fields, as many results as the node has outputs.
  std::vector<Value*> regular(OpId op);

  // The value of that name that is visible here. Error bad_graph when there is none.
  Value* visible(std::string_view name) const;
  const Differentiate& differentiate() const;

  // A constant 1-d i64 value from an attribute that later became an input; null when the attribute is absent.
  Value* ints_as_input(std::string_view name);

  [[noreturn]] void unsupported(const std::string& what) const;
  template <class... Parts>
  [[noreturn]] void fail(ErrorCode code, const Parts&... parts) const {
    fail_text(code, cat(parts...));
  }
  // Error bad_attribute that lists attributes nobody has read.
  void check_all_read() const;

 private:
  [[noreturn]] void fail_text(ErrorCode code, std::string text) const;
  Importer& importer_;
  const NodeProto& proto_;
  int64_t opset_;
  Builder& builder_;
  std::vector<Value*> inputs_;
  std::vector<bool> read_;
};

Value* cast(NodeImport& n, Value* v, DType t);  // `v` itself when it has the type
std::vector<Value*> results_of(Node* n);

// Returns the values of the node's outputs, in order; fewer than the node has outputs only when the rest are unused.
using ImportFn = std::vector<Value*> (*)(NodeImport&);

struct ImportRow {
  std::string_view name;
  int since;
  ImportFn import;
  std::string_view domain = "";
};
using ImportRows = std::vector<ImportRow>;

#define TC_FAMILY(name) void rows_import_##name(ImportRows& rows);
#include "tc/ir/families.def"
#undef TC_FAMILY

}  // namespace tc::onnx
