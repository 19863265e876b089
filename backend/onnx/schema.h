// What ONNX says about each version of each operator (schema.def): which inputs, outputs, attributes and types it has.
// Import needs none of this; export does, to know what may be written at an opset.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tc/ir/attrs.h"

namespace tc::onnx {

// Types that a slot accepts.
struct TypeSet {
  DTypeSet tensor, sequence, optional, optional_sequence;
  std::vector<Type> others;  // maps and sequences of maps; shapes do not count
  bool any = false;          // the operator is of a domain without a table

  bool accepts(const Type& t) const;
};

struct SchemaSlot {
  std::string_view name;
  int variable = -1;  // index into Schema::variables; -1: `types`
  TypeSet types;
  bool optional = false, variadic = false;
};

struct SchemaAttribute {
  std::string_view name, kind;  // int, float, string, tensor, graph, ints, floats, strings, type_proto, sparse_tensor
  bool required = false;
  AttrValue fallback = {};  // the default; monostate: none
};

struct Schema {
  std::string_view domain, name;
  int since = 0;
  bool deprecated = false;  // nothing else is known of it
  std::vector<SchemaSlot> inputs, outputs;
  std::vector<SchemaAttribute> attributes;  // by name
  std::vector<std::pair<std::string_view, TypeSet>> variables;

  const SchemaAttribute* attribute(std::string_view name) const;
  const SchemaAttribute* graph_attribute() const;  // the first
  // The slot of input or output i (a variadic one repeats); null beyond the last.
  const SchemaSlot* input(size_t i) const { return slot(inputs, i); }
  const SchemaSlot* output(size_t i) const { return slot(outputs, i); }
  const TypeSet& types(const SchemaSlot& s) const {
    return s.variable < 0 ? s.types : variables[static_cast<size_t>(s.variable)].second;
  }
  // The slots that share a letter may differ in type all the same.
  bool heterogeneous() const { return graph_attribute() != nullptr; }

 private:
  static const SchemaSlot* slot(const std::vector<SchemaSlot>& slots, size_t i);
};

// The version in effect at this opset of the domain; null when there is none (yet, or any more).
const Schema* find_schema(std::string_view domain, std::string_view name, int opset);
// All versions, oldest first; empty for an unknown operator.
const std::vector<Schema>& schemas_of(std::string_view domain, std::string_view name);
std::vector<const Schema*> all_schemas();
// Whether the table covers the domain: what it does not list there does not exist.
bool has_schemas(std::string_view domain);
// A set as the tables spell it: "floats|i32|i64".
DTypeSet parse_dtypes(std::string_view text);
// Element types that tensors of a model of this opset may have.
DTypeSet storable(int opset);

}  // namespace tc::onnx
