#include "tc/frontend/onnx/proto.h"

namespace tc::onnx {

// A message is a list of its fields: number, member.
#define TC_MESSAGE(Type, ...)                  \
  static void parse(WireReader& in, Type& m) { \
    while (in.next()) {                        \
      switch (in.field()) {                    \
        __VA_ARGS__                            \
        default:                               \
          in.skip();                           \
      }                                        \
    }                                          \
  }
#define TC_FIELD(number, member) \
  case number:                   \
    in.get(m.member, #member);   \
    break;
#define TC_SCALARS(number, label, type)              \
  case number:                                       \
    in.get_run(m.typed_data, WireType::type, label); \
    break;

// Graphs, types and test values nest.
static void parse(WireReader& in, GraphProto& m);
static void parse(WireReader& in, TypeProto& m);
static void parse(WireReader& in, MapProto& m);
static void parse(WireReader& in, OptionalProto& m);

TC_MESSAGE(StringStringEntryProto, TC_FIELD(1, key) TC_FIELD(2, value))

TC_MESSAGE(OperatorSetIdProto, TC_FIELD(1, domain) TC_FIELD(2, version))

// clang-format off
TC_MESSAGE(TensorProto,
  TC_FIELD(1, dims)
  TC_FIELD(2, data_type)
  case 3: in.fail("a tensor in segments, which is not supported", ErrorCode::unsupported);
  TC_SCALARS(kFloatData, "float_data", fixed32)
  TC_SCALARS(kInt32Data, "int32_data", varint)
  TC_FIELD(6, string_data)
  TC_SCALARS(kInt64Data, "int64_data", varint)
  TC_FIELD(8, name)
  TC_FIELD(9, raw_data)
  TC_SCALARS(kDoubleData, "double_data", fixed64)
  TC_SCALARS(kUint64Data, "uint64_data", varint)
  TC_FIELD(12, doc_string)
  TC_FIELD(13, external_data)
  TC_FIELD(14, data_location)
  TC_FIELD(16, metadata_props))

TC_MESSAGE(SparseTensorProto, TC_FIELD(1, values) TC_FIELD(2, indices) TC_FIELD(3, dims))

// dim_value and dim_param are alternatives: the last one stands.
TC_MESSAGE(Dimension,
  case 1: m.dim_param = {}; in.get(m.dim_value, "dim_value"); break;
  case 2: m.dim_value.reset(); in.get(m.dim_param, "dim_param"); break;
  TC_FIELD(3, denotation))

TC_MESSAGE(TensorShapeProto, TC_FIELD(1, dim))
// clang-format on

// The bodies of the alternatives of a type lie in messages of their own. Field 1 and 2 are, in
//   Tensor, SparseTensor: elem_type, shape      Sequence, Optional: elem_type
//   Map: key_type, value_type                   Opaque: domain, name
static void parse_type_body(WireReader& in, TypeProto& m) {
  using Kind = TypeProto::Kind;
  const bool tensor = m.kind == Kind::tensor || m.kind == Kind::sparse_tensor;
  while (in.next()) {
    const uint32_t field = in.field();
    if (field == 1 && tensor) {
      in.get(m.elem_type, "elem_type");
    } else if (field == 2 && tensor) {
      in.get(m.shape, "shape");
    } else if (field == 1 && (m.kind == Kind::sequence || m.kind == Kind::optional)) {
      in.get(m.element, "elem_type");
    } else if (field == 1 && m.kind == Kind::map) {
      in.get(m.elem_type, "key_type");
    } else if (field == 2 && m.kind == Kind::map) {
      in.get(m.element, "value_type");
    } else if (field == 1 && m.kind == Kind::opaque) {
      in.get(m.domain, "domain");
    } else if (field == 2 && m.kind == Kind::opaque) {
      in.get(m.name, "name");
    } else {
      in.skip();
    }
  }
}

// The alternatives: the last one stands, unless it is the same again, which merges.
static void parse_type(WireReader& in, TypeProto& m, TypeProto::Kind kind, const char* label) {
  if (m.kind != kind) {
    const std::string_view denotation = m.denotation;
    m = TypeProto{};
    m.denotation = denotation;
    m.kind = kind;
  }
  in.message(label, [&](WireReader& body) { parse_type_body(body, m); });
}

// clang-format off
TC_MESSAGE(TypeProto,
  case 1: parse_type(in, m, TypeProto::Kind::tensor, "tensor_type"); break;
  case 4: parse_type(in, m, TypeProto::Kind::sequence, "sequence_type"); break;
  case 5: parse_type(in, m, TypeProto::Kind::map, "map_type"); break;
  case 7: parse_type(in, m, TypeProto::Kind::opaque, "opaque_type"); break;
  case 8: parse_type(in, m, TypeProto::Kind::sparse_tensor, "sparse_tensor_type"); break;
  case 9: parse_type(in, m, TypeProto::Kind::optional, "optional_type"); break;
  TC_FIELD(6, denotation))

TC_MESSAGE(ValueInfoProto,
  TC_FIELD(1, name)
  TC_FIELD(2, type)
  TC_FIELD(3, doc_string)
  TC_FIELD(4, metadata_props))

TC_MESSAGE(AttributeProto,
  TC_FIELD(1, name)
  TC_FIELD(2, f)
  TC_FIELD(3, i)
  TC_FIELD(4, s)
  TC_FIELD(5, t)
  TC_FIELD(6, g)
  TC_FIELD(7, floats)
  TC_FIELD(8, ints)
  TC_FIELD(9, strings)
  TC_FIELD(10, tensors)
  TC_FIELD(11, graphs)
  TC_FIELD(13, doc_string)
  TC_FIELD(14, tp)
  TC_FIELD(15, type_protos)
  TC_FIELD(20, type)
  TC_FIELD(21, ref_attr_name)
  TC_FIELD(22, sparse_tensor)
  TC_FIELD(23, sparse_tensors))

TC_MESSAGE(NodeProto,
  TC_FIELD(1, input)
  TC_FIELD(2, output)
  TC_FIELD(3, name)
  TC_FIELD(4, op_type)
  TC_FIELD(5, attribute)
  TC_FIELD(6, doc_string)
  TC_FIELD(7, domain)
  TC_FIELD(8, overload)
  TC_FIELD(9, metadata_props))

TC_MESSAGE(TensorAnnotation, TC_FIELD(1, tensor_name) TC_FIELD(2, quant_parameter_tensor_names))

TC_MESSAGE(GraphProto,
  TC_FIELD(1, node)
  TC_FIELD(2, name)
  TC_FIELD(5, initializer)
  TC_FIELD(10, doc_string)
  TC_FIELD(11, input)
  TC_FIELD(12, output)
  TC_FIELD(13, value_info)
  TC_FIELD(14, quantization_annotation)
  TC_FIELD(15, sparse_initializer)
  TC_FIELD(16, metadata_props))

TC_MESSAGE(FunctionProto,
  TC_FIELD(1, name)
  TC_FIELD(4, input)
  TC_FIELD(5, output)
  TC_FIELD(6, attribute)
  TC_FIELD(7, node)
  TC_FIELD(8, doc_string)
  TC_FIELD(9, opset_import)
  TC_FIELD(10, domain)
  TC_FIELD(11, attribute_proto)
  TC_FIELD(12, value_info)
  TC_FIELD(13, overload)
  TC_FIELD(14, metadata_props))

TC_MESSAGE(TrainingInfoProto,
  TC_FIELD(1, initialization)
  TC_FIELD(2, algorithm)
  TC_FIELD(3, initialization_binding)
  TC_FIELD(4, update_binding))

TC_MESSAGE(ModelProto,
  TC_FIELD(1, ir_version)
  TC_FIELD(2, producer_name)
  TC_FIELD(3, producer_version)
  TC_FIELD(4, domain)
  TC_FIELD(5, model_version)
  TC_FIELD(6, doc_string)
  TC_FIELD(7, graph)
  TC_FIELD(8, opset_import)
  TC_FIELD(14, metadata_props)
  TC_FIELD(20, training_info)
  TC_FIELD(25, functions))

TC_MESSAGE(SequenceProto,
  TC_FIELD(1, name)
  TC_FIELD(2, elem_type)
  TC_FIELD(3, tensor_values)
  TC_FIELD(4, sparse_tensor_values)
  TC_FIELD(5, sequence_values)
  TC_FIELD(6, map_values)
  TC_FIELD(7, optional_values))

TC_MESSAGE(MapProto,
  TC_FIELD(1, name)
  TC_FIELD(2, key_type)
  TC_FIELD(3, keys)
  TC_FIELD(4, string_keys)
  TC_FIELD(5, values))

TC_MESSAGE(OptionalProto,
  TC_FIELD(1, name)
  TC_FIELD(2, elem_type)
  TC_FIELD(3, tensor_value)
  TC_FIELD(4, sparse_tensor_value)
  TC_FIELD(5, sequence_value)
  TC_FIELD(6, map_value)
  TC_FIELD(7, optional_value))
// clang-format on

AttributeProto::Type AttributeProto::kind() const {
  if (type != kUndefined) return static_cast<Type>(type);
  if (f) return kFloat;
  if (i) return kInt;
  if (s) return kString;
  if (t) return kTensor;
  if (g) return kGraph;
  if (sparse_tensor) return kSparseTensor;
  if (tp) return kTypeProto;
  if (!floats.empty()) return kFloats;
  if (!ints.empty()) return kInts;
  if (!strings.empty()) return kStrings;
  if (!tensors.empty()) return kTensors;
  if (!graphs.empty()) return kGraphs;
  if (!sparse_tensors.empty()) return kSparseTensors;
  if (!type_protos.empty()) return kTypeProtos;
  return kUndefined;
}

namespace {

template <class Message>
Message parse_all(Bytes bytes, std::string_view name) {
  WireReader::Source source{name, bytes};
  WireReader in(source);
  Message m;
  parse(in, m);
  return m;
}

}  // namespace

ModelProto parse_model(Bytes bytes, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("version https://git-lfs")) {
    fail(ErrorCode::bad_file, name, ": a Git LFS pointer, not the model it stands for; run `git lfs pull`");
  }
  ModelProto m = parse_all<ModelProto>(bytes, name);
  if (!m.graph) fail(ErrorCode::bad_file, name, ": no graph in these ", bytes.size(), " bytes; is it an ONNX model?");
  return m;
}

TensorProto parse_tensor(Bytes bytes, std::string_view name) {
  return parse_all<TensorProto>(bytes, name);
}
SparseTensorProto parse_sparse_tensor(Bytes bytes, std::string_view name) {
  return parse_all<SparseTensorProto>(bytes, name);
}
SequenceProto parse_sequence(Bytes bytes, std::string_view name) {
  return parse_all<SequenceProto>(bytes, name);
}
OptionalProto parse_optional(Bytes bytes, std::string_view name) {
  return parse_all<OptionalProto>(bytes, name);
}
MapProto parse_map(Bytes bytes, std::string_view name) {
  return parse_all<MapProto>(bytes, name);
}
TypeProto parse_type(Bytes bytes, std::string_view name) {
  return parse_all<TypeProto>(bytes, name);
}

}  // namespace tc::onnx
