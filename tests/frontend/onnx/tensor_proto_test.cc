// Tensor messages as host tensors: every element type, by every field that may hold it, and what must be refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tc/frontend/onnx/tensor_proto.h"
#include "tc/frontend/onnx/wire_writer.h"
#include "test_data.h"

namespace tc::onnx {
namespace {

using tc::wire_writer::field;
using tc::wire_writer::scalar;
using tc::wire_writer::varint;

Bytes view(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

std::string header(DType dtype, const std::vector<int64_t>& dims) {
  std::string out = scalar(2, static_cast<uint64_t>(info(dtype).onnx));
  for (const int64_t d : dims) out += scalar(1, static_cast<uint64_t>(d));
  return out;
}

Tensor load(const std::string& bytes, const TensorSource& source = {}) {
  return to_tensor(parse_tensor(view(bytes), "t.pb"), source);
}

void expect_error(const std::string& bytes, ErrorCode code, const char* text) {
  try {
    load(bytes);
    ADD_FAILURE() << "no error: " << text;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
}

// Three elements of a type: their bytes in memory, as raw_data, and as the elements of a typed field.
struct Case {
  DType dtype;
  std::string memory, raw, typed;
};

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string out;
  for (const T& v : values) out.append(reinterpret_cast<const char*>(&v), sizeof v);
  return out;
}
std::string varints(uint32_t number, std::initializer_list<uint64_t> values) {
  std::string packed;
  for (const uint64_t v : values) packed += varint(v);
  return field(number, packed);
}

template <class T>
Case whole(DType dtype, uint32_t number, std::initializer_list<T> v) {
  std::string packed;
  for (const T& x : v) packed += varint(static_cast<uint64_t>(x));  // sign-extended, as protobuf writes int32
  return {dtype, bytes_of(v), bytes_of(v), field(number, packed)};
}
template <class T>
Case floating(DType dtype, uint32_t number, std::initializer_list<T> v) {
  return {dtype, bytes_of(v), bytes_of(v), field(number, bytes_of(v))};
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      floating<float>(DType::f32, 4, {1.5f, -0.0f, 3e38f}),
      floating<double>(DType::f64, 10, {1.5, -0.0, 1e300}),
      floating<float>(DType::c64, 4, {1, 2, 3, 4, -5, -6}),
      floating<double>(DType::c128, 10, {1, 2, 3, 4, -5, -6}),
      whole<int64_t>(DType::i64, 7, {-1, INT64_MIN, 300}),
      whole<uint64_t>(DType::u64, 11, {UINT64_MAX, 0, 300}),
      whole<uint32_t>(DType::u32, 11, {UINT32_MAX, 0, 300}),
      whole<int32_t>(DType::i32, 5, {-1, INT32_MIN, 300}),
      whole<int16_t>(DType::i16, 5, {-1, INT16_MIN, 300}),
      whole<int8_t>(DType::i8, 5, {-1, -128, 127}),
      whole<uint16_t>(DType::u16, 5, {65535, 0, 300}),
      whole<uint8_t>(DType::u8, 5, {255, 0, 128}),
      whole<uint8_t>(DType::boolean, 5, {1, 0, 1}),
      whole<uint16_t>(DType::f16, 5, {0x3c00, 0x8000, 0xfbff}),  // 1, -0, -65504
      whole<uint16_t>(DType::bf16, 5, {0x3f80, 0x8000, 0xff80}),
      whole<uint8_t>(DType::f8e4m3fn, 5, {0x38, 0x80, 0xfe}),
      whole<uint8_t>(DType::f8e4m3fnuz, 5, {0x38, 0x80, 0xfe}),
      whole<uint8_t>(DType::f8e5m2, 5, {0x3c, 0x80, 0xfb}),
      whole<uint8_t>(DType::f8e5m2fnuz, 5, {0x3c, 0x80, 0xfb}),
      whole<uint8_t>(DType::f8e8m0, 5, {0x7f, 0x00, 0xfe}),
      // Packed elements: the first in the low bits; the rest of the last byte is padding.
      {DType::u4, bytes_of<uint8_t>({1, 15, 9}), bytes_of<uint8_t>({0xf1, 0x09}), varints(5, {0xf1, 0x09})},
      {DType::i4, bytes_of<int8_t>({1, -1, -8}), bytes_of<uint8_t>({0xf1, 0x78}), varints(5, {0xf1, 0x78})},
      {DType::f4e2m1, bytes_of<uint8_t>({1, 15, 9}), bytes_of<uint8_t>({0xf1, 0x09}), varints(5, {0xf1, 0x09})},
      {DType::u2, bytes_of<uint8_t>({1, 3, 2}), bytes_of<uint8_t>({0x2d}), varints(5, {0x2d})},
      {DType::i2, bytes_of<int8_t>({1, -1, -2}), bytes_of<uint8_t>({0x2d}), varints(5, {0x2d})},
  };
  return all;
}

TEST(TensorProto, EveryElementTypeRawTypedAndExternal) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("tc_tensor_" + std::to_string(getpid()))).string();
  std::filesystem::create_directories(folder);
  ExternalData external(folder);
  DTypeSet seen = DType::str;
  for (const Case& c : cases()) {
    SCOPED_TRACE(std::string(name(c.dtype)));
    seen = seen | c.dtype;
    const std::string start = header(c.dtype, {3, 1});
    const std::string raw = start + field(9, c.raw), typed = start + c.typed;
    std::ofstream(folder + "/" + std::string(name(c.dtype))) << "pad" << c.raw << "more";
    const std::string outside = start + scalar(14, 1) +
                                field(13, field(1, "location") + field(2, std::string(name(c.dtype)))) +
                                field(13, field(1, "offset") + field(2, "3"));
    // A copy and a view of raw data, which here is misaligned for most types, typed data, external data.
    const auto alive = std::make_shared<int>(0);
    for (const Tensor& t : {load(raw), load(raw, {alive, nullptr}), load(typed), load(typed, {alive, nullptr}),
                            load(outside, {nullptr, &external})}) {
      EXPECT_EQ(t.dtype(), c.dtype);
      EXPECT_EQ(t.extents(), (Extents{3, 1}));
      ASSERT_EQ(t.bytes(), c.memory.size());
      EXPECT_EQ(std::memcmp(t.data(), c.memory.data(), c.memory.size()), 0);
    }
    const Tensor viewed = load(raw, {alive, nullptr});
    const bool inside = viewed.data() >= raw.data() && viewed.data() < raw.data() + raw.size();
    EXPECT_EQ(inside, info(c.dtype).bits >= 8);
    for (const std::string& bytes :
         {start + field(9, c.raw + "x"), start + field(9, c.raw.substr(1)), start, header(c.dtype, {97}) + c.typed}) {
      expect_error(bytes, ErrorCode::bad_file, "expected");
    }
    EXPECT_EQ(load(header(c.dtype, {0, 5})).size(), 0);
    EXPECT_EQ(load(header(c.dtype, {0}) + field(9, "")).extents(), Extents{0});
  }
  EXPECT_EQ(seen, dtypes::all);
  std::filesystem::remove_all(folder);
}

TEST(TensorProto, Scalars) {
  const Tensor t = load(header(DType::i32, {}) + scalar(5, 42));
  EXPECT_EQ(t.rank(), 0);
  EXPECT_EQ(t.span<int32_t>()[0], 42);
}

TEST(TensorProto, Strings) {
  const std::string bytes = header(DType::str, {2}) + field(6, "") + field(6, std::string("a\0b", 3));
  const Tensor t = load(bytes);
  EXPECT_EQ(t.span<std::string>()[0], "");
  EXPECT_EQ(t.span<std::string>()[1], std::string("a\0b", 3));
  expect_error(header(DType::str, {3}) + field(6, "a"), ErrorCode::bad_file, "expected 3");
  expect_error(header(DType::str, {1}) + field(9, "a"), ErrorCode::bad_file, "string_data");
}

TEST(TensorProto, BooleansAreNormalised) {
  const std::string bytes = header(DType::boolean, {3}) + field(9, std::string("\x02\x00\xff", 3));
  const Tensor t = load(bytes, {std::make_shared<int>(0), nullptr});
  const auto* data = static_cast<const uint8_t*>(t.data());
  EXPECT_EQ(std::vector<int>(data, data + 3), (std::vector<int>{1, 0, 1}));
}

TEST(TensorProto, HostileExtents) {
  const int64_t huge = int64_t{1} << 40;
  expect_error(header(DType::f32, {huge}) + field(9, "1234"), ErrorCode::bad_file, "expected");
  expect_error(header(DType::f32, {huge, huge, huge}) + field(9, "1234"), ErrorCode::limit_size, "");
  expect_error(header(DType::f32, {INT64_MAX}) + field(9, "1234"), ErrorCode::limit_size, "");
  expect_error(header(DType::i32, {INT64_MAX / 64}) + scalar(5, 1), ErrorCode::bad_file, "expected");
  expect_error(header(DType::str, {huge}) + field(6, "a"), ErrorCode::bad_file, "expected");
  expect_error(header(DType::f32, {-1}) + field(9, "1234"), ErrorCode::bad_shape, "negative");
  expect_error(header(DType::f32, std::vector<int64_t>(100, 1)) + field(9, "1234"), ErrorCode::limit_rank, "100");
  EXPECT_EQ(load(header(DType::f32, {huge, 0, huge})).size(), 0);
}

TEST(TensorProto, UnknownKinds) {
  expect_error(scalar(2, 99) + field(9, ""), ErrorCode::unsupported, "99");
  expect_error(field(9, ""), ErrorCode::bad_file, "no element type");
  expect_error(header(DType::f32, {0}) + scalar(14, 7), ErrorCode::unsupported, "data location 7");
  expect_error(header(DType::f32, {0}) + scalar(14, 1), ErrorCode::bad_external_data, "");
}

TEST(TensorProto, Sparse) {
  const std::string values = field(1, header(DType::f32, {2}) + field(4, bytes_of<float>({5, 7})));
  const auto sparse = [&](const std::string& indices, const std::vector<int64_t>& dims) {
    std::string bytes = values + field(2, indices);
    for (const int64_t d : dims) bytes += scalar(3, static_cast<uint64_t>(d));
    return bytes;
  };
  const auto dense = [](const std::string& bytes, uint64_t limit = kMaxDenseBytes) {
    return to_tensor(parse_sparse_tensor(view(bytes), "s.pb"), {}, limit);
  };
  const std::vector<float> expected{0, 5, 0, 0, 0, 7};
  for (const std::string& indices :
       {header(DType::i64, {2}) + varints(7, {1, 5}), header(DType::i64, {2, 2}) + varints(7, {0, 1, 1, 2})}) {
    const Tensor t = dense(sparse(indices, {2, 3}));
    EXPECT_EQ(t.extents(), (Extents{2, 3}));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), t.span<float>().begin()));
  }
  for (const std::string& indices :
       {header(DType::i64, {2}) + varints(7, {1, 6}), header(DType::i64, {2}) + varints(7, {5, 1}),
        header(DType::i64, {2}) + varints(7, {1, 1}), header(DType::i64, {2}) + varints(7, {UINT64_MAX, 1}),
        header(DType::i64, {2, 2}) + varints(7, {0, 1, 0, 3}), header(DType::i64, {3}) + varints(7, {0, 1, 2}),
        header(DType::i64, {1, 2}) + varints(7, {0, 1}), header(DType::i32, {2}) + varints(5, {0, 1})}) {
    EXPECT_THROW(dense(sparse(indices, {2, 3})), Error);
  }
  const std::string good = header(DType::i64, {2}) + varints(7, {1, 5});
  EXPECT_THROW(dense(sparse(good, {2, 3}), 23), Error);
  EXPECT_NO_THROW(dense(sparse(good, {2, 3}), 24));
  EXPECT_THROW(dense(sparse(good, {int64_t{1} << 40})), Error);
  EXPECT_THROW(dense(sparse(good, {int64_t{1} << 40, int64_t{1} << 40})), Error);
}

TEST(TensorProto, MapsAndOptionals) {
  const std::string one = header(DType::i64, {}) + scalar(7, 1), two = header(DType::i64, {}) + scalar(7, 2);
  const std::string values = field(5, scalar(2, 1) + field(3, one) + field(3, two));
  const std::string map = scalar(2, 8) + field(4, "a") + field(4, "b") + values;
  const Datum m = to_datum(parse_map(view(map), "m.pb"), {});
  ASSERT_EQ(m.map().entries.size(), 2u);
  EXPECT_EQ(std::get<std::string>(m.map().entries[1].first), "b");
  EXPECT_EQ(to_i64(m.map().entries[1].second.tensor())[0], 2);
  const std::string numbered = scalar(2, 7) + scalar(3, UINT64_MAX) + scalar(3, 4) + values;
  EXPECT_EQ(std::get<int64_t>(to_datum(parse_map(view(numbered), "m.pb"), {}).map().entries[0].first), -1);
  EXPECT_THROW(to_datum(parse_map(view(scalar(2, 8) + field(4, "a") + values), "m.pb"), {}), Error);
  EXPECT_THROW(to_datum(parse_map(view(scalar(2, 1) + values), "m.pb"), {}), Error);
  EXPECT_TRUE(to_datum(parse_optional(view(scalar(2, 1)), "o.pb"), {}).empty());
  EXPECT_TRUE(to_datum(parse_optional(view(scalar(2, 1) + field(3, one)), "o.pb"), {}).is_tensor());
}

TEST(TensorProto, ValuesOfTheTestData) {
  const std::string node = test_data::kFolder + "/node/";
  if (!std::filesystem::exists(node)) GTEST_SKIP() << "no test data";
  const Type f32 = Type::tensor(DType::f32, {});
  const Datum sequence = read_value(node + "test_identity_sequence/test_data_set_0/input_0.pb", Type::sequence(f32));
  ASSERT_EQ(sequence.items().size(), 2u);  // as the case's generator in the ONNX repository has it
  EXPECT_TRUE(sequence.items()[0].tensor().identical(Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4})));
  EXPECT_TRUE(sequence.items()[1].tensor().identical(Tensor::of<float>({1, 1, 2, 2}, {2, 3, 1, 5})));
  const Datum optional = read_value(node + "test_optional_get_element_sequence/test_data_set_0/input_0.pb",
                                    Type::optional(Type::sequence(f32)));
  EXPECT_EQ(optional.items().size(), 1u);
  size_t tensors = 0;
  for (const std::string& path : test_data::files(".pb")) {
    try {
      tensors += read_value(path, f32).tensor().defined();
    } catch (const Error& e) {
      // Sequences and optionals; their bytes are no tensor.
      const bool other = path.find("seq") != path.npos || path.find("opt") != path.npos ||
                         path.find("loop") != path.npos || path.find("if") != path.npos;
      EXPECT_TRUE(other) << path << ": " << e.what();
    }
  }
  EXPECT_GE(tensors, 3100u);
}

}  // namespace
}  // namespace tc::onnx
