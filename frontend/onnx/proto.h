// The messages of an ONNX file as plain structs; fields as of IR version 13. Member names are ONNX's.
//
// Invariants: strings and byte fields are views into the parsed bytes, which must outlive the message; tensor data is
// never copied. Absent strings are empty, absent numbers zero. Only the wire format has been checked: what the fields
// say has not. Device configurations are skipped. Nesting is bounded by the reader's depth limit.
//
// Meaning of the fields: https://github.com/onnx/onnx/blob/main/onnx/onnx.in.proto and docs/IR.md there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tc/frontend/onnx/wire.h"

namespace tc::onnx {

struct StringStringEntryProto {
  std::string_view key, value;
};
using KeyValues = std::vector<StringStringEntryProto>;

struct OperatorSetIdProto {
  std::string_view domain;
  int64_t version = 0;
};

// The typed data fields, by number.
inline constexpr uint32_t kFloatData = 4, kInt32Data = 5, kInt64Data = 7, kDoubleData = 10, kUint64Data = 11;

struct TensorProto {
  enum Location : int32_t { kDefault = 0, kExternal = 1 };
  std::vector<int64_t> dims;
  int32_t data_type = 0;
  int32_t data_location = kDefault;
  std::string_view name, doc_string;
  std::optional<Bytes> raw_data;
  ScalarRuns typed_data;  // float_data, int32_data, int64_data, double_data, uint64_data
  std::vector<std::string_view> string_data;
  KeyValues external_data, metadata_props;
};

struct SparseTensorProto {
  TensorProto values, indices;
  std::vector<int64_t> dims;
};

struct Dimension {
  std::optional<int64_t> dim_value;
  std::string_view dim_param, denotation;
};
struct TensorShapeProto {
  std::vector<Dimension> dim;
};

struct TypeProto {
  enum class Kind : uint8_t { none, tensor, sparse_tensor, sequence, map, optional, opaque };
  Kind kind = Kind::none;
  int32_t elem_type = 0;                  // tensor, sparse_tensor: of an element; map: of a key
  std::optional<TensorShapeProto> shape;  // tensor, sparse_tensor; absent: rank not known
  std::unique_ptr<TypeProto> element;     // sequence, optional: the element; map: the value; may be missing
  std::string_view domain, name;          // opaque
  std::string_view denotation;
};

struct ValueInfoProto {
  std::string_view name, doc_string;
  std::optional<TypeProto> type;
  KeyValues metadata_props;
};

struct GraphProto;

struct AttributeProto {
  enum Type : int32_t {
    kUndefined = 0,
    kFloat = 1,
    kInt = 2,
    kString = 3,
    kTensor = 4,
    kGraph = 5,
    kFloats = 6,
    kInts = 7,
    kStrings = 8,
    kTensors = 9,
    kGraphs = 10,
    kSparseTensor = 11,
    kSparseTensors = 12,
    kTypeProto = 13,
    kTypeProtos = 14,
  };
  std::string_view name, ref_attr_name, doc_string;
  int32_t type = kUndefined;
  std::optional<float> f;
  std::optional<int64_t> i;
  std::optional<std::string_view> s;
  std::unique_ptr<TensorProto> t;
  std::unique_ptr<GraphProto> g;
  std::unique_ptr<SparseTensorProto> sparse_tensor;
  std::unique_ptr<TypeProto> tp;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  std::vector<TensorProto> tensors;
  std::vector<GraphProto> graphs;
  std::vector<SparseTensorProto> sparse_tensors;
  std::vector<TypeProto> type_protos;

  // `type`, or where that is absent (IR version 1) the type of the value that is there.
  Type kind() const;
};

struct NodeProto {
  std::vector<std::string_view> input, output;
  std::string_view name, op_type, domain, overload, doc_string;
  std::vector<AttributeProto> attribute;
  KeyValues metadata_props;
};

struct TensorAnnotation {
  std::string_view tensor_name;
  KeyValues quant_parameter_tensor_names;
};

struct GraphProto {
  std::string_view name, doc_string;
  std::vector<NodeProto> node;
  std::vector<TensorProto> initializer;
  std::vector<SparseTensorProto> sparse_initializer;
  std::vector<ValueInfoProto> input, output, value_info;
  std::vector<TensorAnnotation> quantization_annotation;
  KeyValues metadata_props;
};

struct FunctionProto {
  std::string_view name, domain, overload, doc_string;
  std::vector<std::string_view> input, output, attribute;
  std::vector<AttributeProto> attribute_proto;
  std::vector<NodeProto> node;
  std::vector<OperatorSetIdProto> opset_import;
  std::vector<ValueInfoProto> value_info;
  KeyValues metadata_props;
};

// The graphs are left as bytes.
struct TrainingInfoProto {
  Bytes initialization, algorithm;
  KeyValues initialization_binding, update_binding;
};

struct ModelProto {
  int64_t ir_version = 0, model_version = 0;
  std::string_view producer_name, producer_version, domain, doc_string;
  std::vector<OperatorSetIdProto> opset_import;
  std::unique_ptr<GraphProto> graph;
  KeyValues metadata_props;
  std::vector<TrainingInfoProto> training_info;
  std::vector<FunctionProto> functions;
};

// Test data: a file holds one of these or a TensorProto, and does not say which.
struct MapProto;
struct OptionalProto;
struct SequenceProto {
  enum Type : int32_t { kUndefined = 0, kTensor = 1, kSparseTensor = 2, kSequence = 3, kMap = 4, kOptional = 5 };
  std::string_view name;
  int32_t elem_type = kUndefined;
  std::vector<TensorProto> tensor_values;
  std::vector<SparseTensorProto> sparse_tensor_values;
  std::vector<SequenceProto> sequence_values;
  std::vector<MapProto> map_values;
  std::vector<OptionalProto> optional_values;
};
struct MapProto {
  std::string_view name;
  int32_t key_type = 0;  // a tensor element type
  std::vector<int64_t> keys;
  std::vector<std::string_view> string_keys;
  SequenceProto values;
};
struct OptionalProto {
  std::string_view name;
  int32_t elem_type = SequenceProto::kUndefined;
  std::unique_ptr<TensorProto> tensor_value;
  std::unique_ptr<SparseTensorProto> sparse_tensor_value;
  std::unique_ptr<SequenceProto> sequence_value;
  std::unique_ptr<MapProto> map_value;
  std::unique_ptr<OptionalProto> optional_value;
};

// Parse the whole of `bytes` as one message; `name` is the file's, for error messages. A model must have a graph.
// Throws bad_file for malformed bytes, limit_nesting and limit_size for hostile ones.
ModelProto parse_model(Bytes bytes, std::string_view name);
TensorProto parse_tensor(Bytes bytes, std::string_view name);
SparseTensorProto parse_sparse_tensor(Bytes bytes, std::string_view name);
SequenceProto parse_sequence(Bytes bytes, std::string_view name);
OptionalProto parse_optional(Bytes bytes, std::string_view name);
MapProto parse_map(Bytes bytes, std::string_view name);
TypeProto parse_type(Bytes bytes, std::string_view name);

}  // namespace tc::onnx
