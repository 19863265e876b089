// libprotobuf as the oracle: every model and tensor file of the ONNX test data must parse to the same structure.
#include <gtest/gtest.h>
#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <filesystem>

#include "tc/frontend/onnx/file.h"
#include "test_data.h"

namespace {

namespace tco = tc::onnx;
using tc::onnx::Bytes;

// Where the two structures differ, as a path; empty when they agree.
struct Compare {
  std::string difference;
  std::vector<std::string> path;

  void check(bool same, const char* what) {
    if (same || !difference.empty()) return;
    for (const std::string& p : path) difference += p + ".";
    difference += what;
  }
  template <class Ours, class Theirs>
  void list(const char* what, const Ours& ours, const Theirs& theirs) {
    check(ours.size() == static_cast<size_t>(theirs.size()), what);
    for (size_t i = 0; i < ours.size() && difference.empty(); ++i) {
      path.push_back(what + ("[" + std::to_string(i) + "]"));
      same(ours[i], theirs.Get(static_cast<int>(i)));
      path.pop_back();
    }
  }
  template <class Ours, class Theirs>
  void maybe(const char* what, const Ours& ours, bool present, const Theirs& theirs) {
    check(static_cast<bool>(ours) == present, what);
    if (!ours || !present) return;
    path.push_back(what);
    same(*ours, theirs);
    path.pop_back();
  }
  template <class Theirs>
  void runs(const char* what, const tco::ScalarRuns& ours, uint32_t field, const Theirs& theirs) {
    check(ours.count(field) == static_cast<uint64_t>(theirs.size()), what);
    if (!difference.empty()) return;
    int i = 0;
    ours.for_each(field, [&](uint64_t bits) {
      const auto value = theirs.Get(i++);
      uint64_t expected = 0;
      if constexpr (std::is_same_v<decltype(value), const int32_t>) {
        bits &= UINT32_MAX;
        expected = static_cast<uint32_t>(value);
      } else {
        std::memcpy(&expected, &value, sizeof value);
      }
      check(bits == expected, what);
    });
  }

  void same(std::string_view a, const std::string& b) { check(a == b, "text"); }
  void same(Bytes a, const std::string& b) {
    check(a.size() == b.size() && std::memcmp(a.data(), b.data(), b.size()) == 0, "bytes");
  }
  void same(int64_t a, int64_t b) { check(a == b, "integer"); }
  void same(float a, float b) { check(std::bit_cast<int32_t>(a) == std::bit_cast<int32_t>(b), "float"); }

#define TC_SAME(member) check(a.member == b.member(), #member)
#define TC_LIST(member) list(#member, a.member, b.member())
#define TC_MAYBE(member) maybe(#member, a.member, b.has_##member(), b.member())
  void same(const tco::StringStringEntryProto& a, const onnx::StringStringEntryProto& b) {
    TC_SAME(key), TC_SAME(value);
  }
  void same(const tco::OperatorSetIdProto& a, const onnx::OperatorSetIdProto& b) {
    TC_SAME(domain), TC_SAME(version);
  }
  void same(const tco::TensorProto& a, const onnx::TensorProto& b) {
    TC_SAME(data_type), TC_SAME(data_location), TC_SAME(name), TC_SAME(doc_string);
    TC_LIST(dims), TC_LIST(string_data), TC_LIST(external_data), TC_MAYBE(raw_data);
    runs("float_data", a.typed_data, tco::kFloatData, b.float_data());
    runs("int32_data", a.typed_data, tco::kInt32Data, b.int32_data());
    runs("int64_data", a.typed_data, tco::kInt64Data, b.int64_data());
    runs("double_data", a.typed_data, tco::kDoubleData, b.double_data());
    runs("uint64_data", a.typed_data, tco::kUint64Data, b.uint64_data());
  }
  void same(const tco::SparseTensorProto& a, const onnx::SparseTensorProto& b) {
    same(a.values, b.values());
    same(a.indices, b.indices());
    TC_LIST(dims);
  }
  void same(const tco::Dimension& a, const onnx::TensorShapeProto_Dimension& b) {
    check(a.dim_value.has_value() == b.has_dim_value() && a.dim_value.value_or(0) == b.dim_value(), "dim_value");
    TC_SAME(dim_param), TC_SAME(denotation);
  }
  void same(const tco::TensorShapeProto& a, const onnx::TensorShapeProto& b) {
    TC_LIST(dim);
  }
  template <class TensorType>
  void same_tensor_type(const tco::TypeProto& a, const TensorType& b) {
    TC_SAME(elem_type), TC_MAYBE(shape);
  }
  void same(const tco::TypeProto& a, const onnx::TypeProto& b) {
    using Kind = tco::TypeProto::Kind;
    TC_SAME(denotation);
    switch (a.kind) {
      case Kind::none:
        return check(b.value_case() == onnx::TypeProto::VALUE_NOT_SET, "kind");
      case Kind::tensor:
        check(b.has_tensor_type(), "kind");
        return same_tensor_type(a, b.tensor_type());
      case Kind::sparse_tensor:
        check(b.has_sparse_tensor_type(), "kind");
        return same_tensor_type(a, b.sparse_tensor_type());
      case Kind::sequence:
        check(b.has_sequence_type(), "kind");
        return maybe("element", a.element, b.sequence_type().has_elem_type(), b.sequence_type().elem_type());
      case Kind::optional:
        check(b.has_optional_type(), "kind");
        return maybe("element", a.element, b.optional_type().has_elem_type(), b.optional_type().elem_type());
      case Kind::map:
        check(b.has_map_type() && a.elem_type == b.map_type().key_type(), "kind");
        return maybe("element", a.element, b.map_type().has_value_type(), b.map_type().value_type());
      case Kind::opaque:
        return check(a.domain == b.opaque_type().domain() && a.name == b.opaque_type().name(), "opaque");
    }
  }
  void same(const tco::ValueInfoProto& a, const onnx::ValueInfoProto& b) {
    TC_SAME(name), TC_SAME(doc_string), TC_MAYBE(type);
  }
  void same(const tco::AttributeProto& a, const onnx::AttributeProto& b) {
    TC_SAME(name), TC_SAME(ref_attr_name), TC_SAME(doc_string), TC_SAME(type);
    TC_MAYBE(f), TC_MAYBE(i), TC_MAYBE(s), TC_MAYBE(t), TC_MAYBE(g), TC_MAYBE(sparse_tensor), TC_MAYBE(tp);
    TC_LIST(floats), TC_LIST(ints), TC_LIST(strings), TC_LIST(tensors), TC_LIST(graphs), TC_LIST(sparse_tensors);
    TC_LIST(type_protos);
  }
  void same(const tco::NodeProto& a, const onnx::NodeProto& b) {
    TC_SAME(name), TC_SAME(op_type), TC_SAME(domain), TC_SAME(doc_string);
    TC_LIST(input), TC_LIST(output), TC_LIST(attribute);
  }
  void same(const tco::TensorAnnotation& a, const onnx::TensorAnnotation& b) {
    TC_SAME(tensor_name), TC_LIST(quant_parameter_tensor_names);
  }
  void same(const tco::GraphProto& a, const onnx::GraphProto& b) {
    TC_SAME(name), TC_SAME(doc_string);
    TC_LIST(node), TC_LIST(initializer), TC_LIST(sparse_initializer), TC_LIST(quantization_annotation);
    TC_LIST(input), TC_LIST(output), TC_LIST(value_info);
  }
  void same(const tco::FunctionProto& a, const onnx::FunctionProto& b) {
    TC_SAME(name), TC_SAME(domain), TC_SAME(doc_string);
    TC_LIST(input), TC_LIST(output), TC_LIST(attribute), TC_LIST(node), TC_LIST(opset_import);
  }
  void same(const tco::TrainingInfoProto& a, const onnx::TrainingInfoProto& b) {
    TC_LIST(initialization_binding), TC_LIST(update_binding);
  }
  void same(const tco::ModelProto& a, const onnx::ModelProto& b) {
    TC_SAME(ir_version), TC_SAME(model_version), TC_SAME(producer_name), TC_SAME(producer_version);
    TC_SAME(domain), TC_SAME(doc_string), TC_MAYBE(graph);
    TC_LIST(opset_import), TC_LIST(metadata_props), TC_LIST(training_info), TC_LIST(functions);
  }
  void same(const tco::SequenceProto& a, const onnx::SequenceProto& b) {
    TC_SAME(name), TC_SAME(elem_type), TC_LIST(tensor_values), TC_LIST(sparse_tensor_values);
    TC_LIST(sequence_values), TC_LIST(map_values), TC_LIST(optional_values);
  }
  void same(const tco::MapProto& a, const onnx::MapProto& b) {
    TC_SAME(name), TC_SAME(key_type), TC_LIST(keys), TC_LIST(string_keys);
    same(a.values, b.values());
  }
  void same(const tco::OptionalProto& a, const onnx::OptionalProto& b) {
    TC_SAME(name), TC_SAME(elem_type), TC_MAYBE(tensor_value), TC_MAYBE(sparse_tensor_value);
    TC_MAYBE(sequence_value), TC_MAYBE(map_value);
    maybe("optional_value", a.optional_value, b.has_optional_value(), b.optional_value());
  }
#undef TC_SAME
#undef TC_LIST
#undef TC_MAYBE
};

template <class Theirs, class Ours>
std::string difference(const Ours& ours, const std::string& bytes) {
  Theirs theirs;
  if (!theirs.ParseFromString(bytes)) return "libprotobuf does not parse it";
  Compare c;
  c.same(ours, theirs);
  return c.difference;
}

Bytes view(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

TEST(Oracle, EveryModelOfTheTestData) {
  const auto files = test_data::files(".onnx");
  if (files.empty()) GTEST_SKIP() << test_data::kFolder << " is not there";
  for (const std::string& path : files) {
    const auto file = tco::MappedFile::open(path);
    const std::string bytes(file->bytes().begin(), file->bytes().end());
    EXPECT_EQ(difference<onnx::ModelProto>(tco::parse_model(file->bytes(), path), bytes), "") << path;
  }
  EXPECT_GE(files.size(), 1000u);
}

// The message that a .pb file holds is told by the type of the graph's input or output; here each file is read as all
// of them, and whatever libprotobuf accepts must come out the same.
TEST(Oracle, EveryTensorOfTheTestData) {
  const auto files = test_data::files(".pb");
  if (files.empty()) GTEST_SKIP() << test_data::kFolder << " is not there";
  size_t tensors = 0, sequences = 0, optionals = 0;
  for (const std::string& path : files) {
    const std::string bytes = test_data::read(path);
    const auto agree = [&]<class Theirs>(Theirs theirs, auto parse_it) -> size_t {
      if (!theirs.ParseFromString(bytes)) return 0;
      try {
        EXPECT_EQ(difference<Theirs>(parse_it(view(bytes), path), bytes), "") << path;
        return 1;
      } catch (const tc::Error&) {
        return 0;  // libprotobuf keeps a known field of a foreign wire type as an unknown one; we refuse it
      }
    };
    const size_t as_tensor = agree(onnx::TensorProto(), tco::parse_tensor);
    const size_t as_sequence = agree(onnx::SequenceProto(), tco::parse_sequence);
    const size_t as_optional = agree(onnx::OptionalProto(), tco::parse_optional);
    EXPECT_TRUE(as_tensor + as_sequence + as_optional > 0) << path;
    tensors += as_tensor, sequences += as_sequence, optionals += as_optional;
  }
  EXPECT_GE(tensors, 3000u);
  EXPECT_GE(sequences, 10u);
  EXPECT_GE(optionals, 1u);
}

// The fields that the test data lacks, written by libprotobuf.
TEST(Oracle, HandMadeModel) {
  onnx::ModelProto m;
  m.set_ir_version(8);
  m.set_model_version(-3);
  auto* training = m.add_training_info();
  training->mutable_algorithm()->set_name("step");
  auto* binding = training->add_update_binding();
  binding->set_key("w");
  binding->set_value("w_next");
  auto* graph = m.mutable_graph();
  auto* sparse = graph->add_sparse_initializer();
  sparse->mutable_values()->add_double_data(-0.0);
  sparse->mutable_values()->add_uint64_data(UINT64_MAX);
  sparse->mutable_indices()->add_int64_data(-1);
  sparse->add_dims(4);
  graph->add_quantization_annotation()->add_quant_parameter_tensor_names()->set_key("SCALE_TENSOR");
  auto* external = graph->add_initializer();
  external->set_data_location(onnx::TensorProto::EXTERNAL);
  external->add_external_data()->set_key("location");
  external->add_int32_data(-5);
  auto* attribute = graph->add_node()->add_attribute();
  attribute->set_type(onnx::AttributeProto::TYPE_PROTOS);
  attribute->add_type_protos()->mutable_map_type()->mutable_value_type()->mutable_sparse_tensor_type()->set_elem_type(
      1);
  attribute->add_type_protos()->mutable_opaque_type()->set_domain("d");
  attribute->add_type_protos()->mutable_optional_type()->mutable_elem_type()->mutable_sequence_type();
  attribute->mutable_sparse_tensor()->add_dims(1);
  attribute->add_sparse_tensors()->add_dims(-1);
  attribute->add_tensors()->set_raw_data("");
  attribute->add_graphs()->add_node()->add_attribute()->mutable_g()->set_name("deep");
  for (float f : {1.5f, -0.0f, std::numeric_limits<float>::quiet_NaN()}) attribute->add_floats(f);
  const std::string bytes = m.SerializeAsString();
  EXPECT_EQ(difference<onnx::ModelProto>(tco::parse_model(view(bytes), "hand"), bytes), "");
}

}  // namespace
