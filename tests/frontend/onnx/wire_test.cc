// Hand-made bytes: what the wire format allows, and what must be refused with a useful message.
#include <gtest/gtest.h>

#include "tc/frontend/onnx/proto.h"
#include "tc/frontend/onnx/wire_writer.h"

namespace tc::onnx {
namespace {

using tc::wire_writer::field;
using tc::wire_writer::scalar;
using tc::wire_writer::varint;

Bytes view(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

std::string model_with(const std::string& graph) {
  return scalar(1, 8) + field(7, graph);
}

template <class Parse>
std::string error_of(Parse&& parse_it, ErrorCode code = ErrorCode::bad_file) {
  try {
    parse_it();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.diagnostic().message;
  }
  ADD_FAILURE() << "no error";
  return {};
}
std::string model_error(const std::string& bytes, ErrorCode code = ErrorCode::bad_file) {
  return error_of([&] { parse_model(view(bytes), "m.onnx"); }, code);
}
std::string tensor_error(const std::string& bytes, ErrorCode code = ErrorCode::bad_file) {
  return error_of([&] { parse_tensor(view(bytes), "t.pb"); }, code);
}

TEST(Wire, TruncationNamesByteAndPath) {
  const std::string node = field(4, "Relu") + field(5, field(1, "alpha"));
  std::string bytes = model_with(field(1, node) + field(1, node));
  // The name inside the second node's attribute claims 9 bytes where 5 are there.
  bytes[bytes.size() - 6] = 9;
  EXPECT_EQ(model_error(bytes), "m.onnx: truncated: a field of 9 bytes where 5 are left at byte " +
                                    std::to_string(bytes.size() - 5) + " in graph.node[1].attribute[0].name");
  EXPECT_EQ(model_error(bytes.substr(0, 3)), "m.onnx: truncated at byte 3 in graph");
}

TEST(Wire, EmptyAndForeignFiles) {
  EXPECT_NE(model_error("").find("no graph"), std::string::npos);
  EXPECT_NE(model_error("version https://git-lfs.github.com/spec/v1\noid").find("git lfs pull"), std::string::npos);
  model_error("PK\x03\x04 a zip archive");
  model_error(std::string(64, '\0'));
}

TEST(Wire, Varints) {
  const auto dim = [](const std::string& raw) { return parse_tensor(view("\x08" + raw), "t.pb").dims.at(0); };
  EXPECT_EQ(dim(varint(300)), 300);
  EXPECT_EQ(dim(varint(UINT64_MAX)), -1);
  EXPECT_EQ(dim(varint(uint64_t{1} << 63)), INT64_MIN);
  EXPECT_EQ(dim("\x81\x80\x80\x80\x80\x80\x80\x80\x80" + std::string(1, '\0')), 1);  // longer than needed, but legal
  EXPECT_EQ(tensor_error("\x08\x81\x80\x80\x80\x80\x80\x80\x80\x80\x02"),
            "t.pb: integer of more than 64 bits at byte 10 in dims");
  EXPECT_EQ(tensor_error("\x08" + std::string(11, '\x80')), "t.pb: integer of more than 64 bits at byte 10 in dims");
  EXPECT_EQ(tensor_error("\x08\x80\x80"), "t.pb: truncated at byte 3 in dims");
}

TEST(Wire, Int32KeepsTheLowBits) {
  EXPECT_EQ(parse_tensor(view(scalar(2, uint64_t{7} << 32 | 5)), "t.pb").data_type, 5);
  EXPECT_EQ(parse_tensor(view(scalar(2, UINT64_MAX)), "t.pb").data_type, -1);
}

TEST(Wire, TagsAndWireTypes) {
  tensor_error(std::string("\x00\x01", 2));  // field number 0
  tensor_error("\xf8\xff\xff\xff\xff\x01");  // a tag of more than 32 bits
  EXPECT_NE(tensor_error("\x0b\x0c").find("group"), std::string::npos);
  tensor_error("\x0e\x01");  // wire type 6
  EXPECT_NE(tensor_error("\x45\x01\x01\x01\x01").find("wire type 5 instead of 2"), std::string::npos);
  tensor_error("\x4a\xff\xff\xff\xff\xff\xff\xff\xff\x7f");  // a length beyond any file
  tensor_error("\x25\x01\x02");                              // a float of two bytes
}

TEST(Wire, UnknownFieldsAreSkipped) {
  const std::string unknown = scalar(99, 1) + field(100, "abc") +
                              "\xa5\x06"
                              "1234" +
                              "\xa1\x06"
                              "12345678";
  const std::string bytes = unknown + field(8, "x") + unknown;
  const TensorProto t = parse_tensor(view(bytes), "t.pb");
  EXPECT_EQ(t.name, "x");
  tensor_error(unknown + field(8, "x") + unknown.substr(0, unknown.size() - 1));
}

TEST(Wire, PackedAndUnpackedAgree) {
  const std::string unpacked = scalar(1, 2) + scalar(1, UINT64_MAX) + scalar(1, 700);
  const std::string packed = field(1, varint(2) + varint(UINT64_MAX) + varint(700));
  const std::vector<int64_t> dims{2, -1, 700};
  EXPECT_EQ(parse_tensor(view(unpacked), "t.pb").dims, dims);
  EXPECT_EQ(parse_tensor(view(packed), "t.pb").dims, dims);
  std::vector<int64_t> twice = dims;
  twice.insert(twice.end(), dims.begin(), dims.end());
  EXPECT_EQ(parse_tensor(view(packed + field(8, "x") + unpacked), "t.pb").dims, twice);
  tensor_error(field(1, "\x80"));  // an unfinished element may not reach beyond the packed field
}

TEST(Wire, ScalarRuns) {
  const auto decode = [](const TensorProto& t, uint32_t number) {
    std::vector<uint64_t> bits;
    t.typed_data.for_each(number, [&](uint64_t b) { bits.push_back(b); });
    EXPECT_EQ(bits.size(), t.typed_data.count(number));
    return bits;
  };
  const std::string one = "\x25" + std::string("\0\0\x80\x3f", 4), two = "\x25" + std::string("\0\0\0\x40", 4);
  const std::string both = one.substr(1) + two.substr(1);
  const std::vector<uint64_t> expected{0x3f800000, 0x40000000};
  for (const std::string& bytes :
       {one + two, one + field(8, "x") + two, field(4, both), field(4, one.substr(1)) + two}) {
    const TensorProto t = parse_tensor(view(bytes), "t.pb");
    EXPECT_EQ(decode(t, kFloatData), expected);
    EXPECT_EQ(t.typed_data.packed(kFloatData).has_value(), bytes == field(4, both));
    EXPECT_EQ(t.typed_data.count(kInt32Data), 0u);
  }
  const std::string single = one;
  EXPECT_EQ(parse_tensor(view(single), "t.pb").typed_data.packed(kFloatData)->size(), 4u);
  const std::string ints = scalar(7, 5) + scalar(7, UINT64_MAX) + field(7, varint(1) + varint(1000000));
  EXPECT_EQ(decode(parse_tensor(view(ints), "t.pb"), kInt64Data), (std::vector<uint64_t>{5, UINT64_MAX, 1, 1000000}));
  EXPECT_NE(tensor_error(field(4, "12345")).find("no multiple of 4"), std::string::npos);
  tensor_error(field(7, "\x01\x80"));
}

TEST(Wire, SingularFieldsOverrideAndMerge) {
  const std::string bytes =
      model_with(field(2, "first") + field(1, field(4, "A"))) + field(7, field(2, "second") + field(1, field(4, "B")));
  const ModelProto m = parse_model(view(bytes), "m.onnx");
  EXPECT_EQ(m.graph->name, "second");
  ASSERT_EQ(m.graph->node.size(), 2u);
  EXPECT_EQ(m.graph->node[1].op_type, "B");
}

TEST(Wire, Types) {
  const std::string shape = field(1, scalar(1, 3)) + field(1, field(2, "batch")) + field(1, "");
  const std::string tensor = field(1, scalar(1, 1) + field(2, shape));
  const TypeProto t = parse_type(view(tensor), "type");
  EXPECT_EQ(t.kind, TypeProto::Kind::tensor);
  ASSERT_EQ(t.shape->dim.size(), 3u);
  EXPECT_EQ(t.shape->dim[0].dim_value, 3);
  EXPECT_EQ(t.shape->dim[1].dim_param, "batch");
  EXPECT_FALSE(t.shape->dim[2].dim_value);
  EXPECT_FALSE(parse_type(view(field(1, scalar(1, 1))), "type").shape);  // unknown rank
  EXPECT_TRUE(parse_type(view(field(1, field(2, ""))), "type").shape);   // rank 0
  const TypeProto map = parse_type(view(field(5, scalar(1, 7) + field(2, field(4, field(1, tensor))))), "type");
  EXPECT_EQ(map.kind, TypeProto::Kind::map);
  EXPECT_EQ(map.elem_type, 7);
  EXPECT_EQ(map.element->kind, TypeProto::Kind::sequence);
  EXPECT_EQ(map.element->element->elem_type, 1);
  const std::string two = field(6, "D") + tensor + field(9, field(1, tensor));
  const TypeProto last = parse_type(view(two), "type");
  EXPECT_EQ(last.kind, TypeProto::Kind::optional);
  EXPECT_FALSE(last.shape);
  EXPECT_EQ(last.denotation, "D");
  const std::string named = field(7, field(1, "dom") + field(2, "T"));
  const TypeProto opaque = parse_type(view(named), "type");
  EXPECT_EQ(opaque.domain, "dom");
  EXPECT_EQ(opaque.name, "T");
}

TEST(Wire, NewerFieldsThanTheInstalledOnnx) {
  const std::string kv = field(1, "k") + field(2, "v");
  const std::string function = field(1, "f") + field(10, "d") + field(13, "over") +
                               field(11, field(1, "a") + scalar(3, 7)) + field(12, field(1, "vi")) + field(14, kv) +
                               field(6, "b");
  const std::string node = field(4, "Op") + field(8, "over") + field(9, kv) + field(10, field(1, "device"));
  const std::string bytes =
      model_with(field(1, node) + field(16, kv)) + field(25, function) + field(26, field(1, "cfg"));
  const ModelProto m = parse_model(view(bytes), "m.onnx");
  EXPECT_EQ(m.graph->node[0].overload, "over");
  EXPECT_EQ(m.graph->node[0].metadata_props[0].value, "v");
  EXPECT_EQ(m.graph->metadata_props[0].key, "k");
  ASSERT_EQ(m.functions.size(), 1u);
  const FunctionProto& f = m.functions[0];
  EXPECT_EQ(f.overload, "over");
  EXPECT_EQ(f.attribute[0], "b");
  EXPECT_EQ(f.attribute_proto[0].i, 7);
  EXPECT_EQ(f.attribute_proto[0].kind(), AttributeProto::kInt);  // no type given
  EXPECT_EQ(f.value_info[0].name, "vi");
  EXPECT_EQ(f.metadata_props[0].key, "k");
}

TEST(Wire, SegmentsAreRefused) {
  tensor_error(field(3, scalar(1, 0)), ErrorCode::unsupported);
}

TEST(Wire, NestingIsBounded) {
  std::string type = field(1, scalar(1, 1));
  for (int i = 0; i < 60; ++i) type = field(4, field(1, type));
  const TypeProto t = parse_type(view(type), "type");
  EXPECT_EQ(t.kind, TypeProto::Kind::sequence);
  for (int i = 0; i < 100; ++i) type = field(4, field(1, type));
  error_of([&] { parse_type(view(type), "type"); }, ErrorCode::limit_nesting);

  std::string graph = field(2, "inner");
  for (int i = 0; i < 5000; ++i) graph = field(1, field(5, field(6, graph)));
  const std::string message = model_error(model_with(graph), ErrorCode::limit_nesting);
  EXPECT_NE(message.find("graph.node[0].attribute[0].g.node[0]"), std::string::npos);
}

TEST(Wire, ManyEmptyMessagesCannotExplodeMemory) {
  std::string nodes;
  for (int i = 0; i < 1'000'000; ++i) nodes += std::string("\x0a\0", 2);
  model_error(model_with(nodes), ErrorCode::limit_size);
  std::string attributes;
  for (int i = 0; i < 1'000'000; ++i) attributes += std::string("\x2a\0", 2);
  model_error(model_with(field(1, attributes)), ErrorCode::limit_size);
}

}  // namespace
}  // namespace tc::onnx
