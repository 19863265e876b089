#include "tc/frontend/onnx/tensor_proto.h"

#include <algorithm>
#include <array>

namespace tc::onnx {
namespace {

std::string describe(DType dtype, const Extents& extents) {
  return Type::tensor(dtype, Shape::of(extents)).str();
}

DType dtype_of_code(int32_t code) {
  if (code == 0) fail(ErrorCode::bad_file, "the tensor has no element type");
  const std::optional<DType> dtype = dtype_from_onnx(code);
  if (!dtype) fail(ErrorCode::unsupported, "element type ", code, " is not known");
  return *dtype;
}

// Of a tensor in a file, where elements below 8 bits are packed.
uint64_t file_bytes(DType dtype, uint64_t count) {
  const auto bits = static_cast<uint64_t>(info(dtype).bits);
  uint64_t total;
  if (__builtin_mul_overflow(count, bits, &total)) fail(ErrorCode::limit_size, count, " elements of ", dtype);
  return (total + 7) / 8;
}

std::span<uint8_t> writable_bytes(Tensor& t) {
  return {static_cast<uint8_t*>(t.mutable_data()), t.bytes()};
}

// `bytes` are file_bytes() long.
Tensor from_bytes(DType dtype, Extents extents, Bytes bytes, const std::shared_ptr<const void>& owner,
                  const MappedMemory* mapped) {
  if (info(dtype).bits < 8) {
    Tensor t(dtype, std::move(extents));
    unpack_bits(bytes, info(dtype).bits, kind(dtype) == DTypeKind::signed_int, writable_bytes(t));
    return t;
  }
  // Any byte but 0 is true in a file, and only 1 in memory.
  const bool normal = dtype != DType::boolean || std::all_of(bytes.begin(), bytes.end(), [](auto b) { return b < 2; });
  if (owner && normal) return Tensor::view(dtype, std::move(extents), bytes.data(), owner, mapped);
  Tensor t(dtype, std::move(extents));
  const std::span<uint8_t> out = writable_bytes(t);
  std::copy(bytes.begin(), bytes.end(), out.begin());
  if (!normal) std::transform(out.begin(), out.end(), out.begin(), [](uint8_t b) { return uint8_t{b != 0}; });
  return t;
}

struct TypedField {
  uint32_t number;
  uint64_t width;  // bytes of the tensor in an element of the field
};

TypedField typed_field(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::c64:
      return {kFloatData, 4};
    case DType::f64:
    case DType::c128:
      return {kDoubleData, 8};
    case DType::i64:
      return {kInt64Data, 8};
    case DType::u32:
    case DType::u64:
      return {kUint64Data, size_of(dtype)};
    default:
      return {kInt32Data, size_of(dtype)};  // for packed elements a byte of them
  }
}

Tensor from_typed_data(const TensorProto& t, DType dtype, Extents extents, const TensorSource& source) {
  const TypedField field = typed_field(dtype);
  const uint64_t bytes = file_bytes(dtype, static_cast<uint64_t>(element_count(extents)));
  const uint64_t count = t.typed_data.count(field.number);
  if (count != bytes / field.width) {
    fail(ErrorCode::bad_file, count, " numbers for ", describe(dtype, extents), ", expected ", bytes / field.width);
  }
  if (field.number == kFloatData || field.number == kDoubleData) {
    if (const auto packed = t.typed_data.packed(field.number)) {
      return from_bytes(dtype, std::move(extents), *packed, source.owner, source.mapped);
    }
  }
  std::vector<uint8_t> scratch;
  const bool sub_byte = info(dtype).bits < 8;
  Tensor result;
  std::span<uint8_t> out;
  if (sub_byte) {
    scratch.resize(bytes);
    out = scratch;
  } else {
    result = Tensor(dtype, extents);
    out = writable_bytes(result);
  }
  uint8_t* p = out.data();
  t.typed_data.for_each(field.number, [&](uint64_t bits) {
    if (dtype == DType::boolean) bits = bits != 0;
    std::memcpy(p, &bits, field.width);
    p += field.width;
  });
  return sub_byte ? from_bytes(dtype, std::move(extents), scratch, nullptr, nullptr) : result;
}

Tensor from_strings(const TensorProto& t, Extents extents) {
  if (t.raw_data || t.data_location == TensorProto::kExternal) {
    fail(ErrorCode::bad_file, "strings must be in string_data");
  }
  const int64_t count = element_count(extents);
  if (t.string_data.size() != static_cast<uint64_t>(count)) {
    fail(ErrorCode::bad_file, t.string_data.size(), " strings for ", describe(DType::str, extents), ", expected ",
         count);
  }
  Tensor result(DType::str, std::move(extents));
  std::copy(t.string_data.begin(), t.string_data.end(), result.mutable_span<std::string>().begin());
  return result;
}

void check_rank(const std::vector<int64_t>& dims) {
  if (dims.size() > kMaxRank) fail(ErrorCode::limit_rank, "rank ", dims.size(), " exceeds the limit of ", kMaxRank);
}

template <class Message>
void append_all(std::vector<Datum>& items, const std::vector<Message>& values, const TensorSource& source) {
  for (const Message& value : values) {
    if constexpr (std::is_same_v<Message, TensorProto> || std::is_same_v<Message, SparseTensorProto>) {
      items.emplace_back(to_tensor(value, source));
    } else {
      items.push_back(to_datum(value, source));
    }
  }
}

std::vector<Datum> items_of(const SequenceProto& s, const TensorSource& source) {
  std::vector<Datum> items;
  switch (s.elem_type) {
    case SequenceProto::kUndefined:
      break;
    case SequenceProto::kTensor:
      append_all(items, s.tensor_values, source);
      break;
    case SequenceProto::kSparseTensor:
      append_all(items, s.sparse_tensor_values, source);
      break;
    case SequenceProto::kSequence:
      append_all(items, s.sequence_values, source);
      break;
    case SequenceProto::kMap:
      append_all(items, s.map_values, source);
      break;
    case SequenceProto::kOptional:
      append_all(items, s.optional_values, source);
      break;
    default:
      fail(ErrorCode::unsupported, "sequence of element kind ", s.elem_type, ", which is not known");
  }
  return items;
}

}  // namespace

void unpack_bits(std::span<const uint8_t> packed, int bits, bool is_signed, std::span<uint8_t> out) {
  const auto per_byte = static_cast<size_t>(8 / bits);
  const int mask = (1 << bits) - 1, sign = is_signed ? 1 << (bits - 1) : 0;
  std::array<std::array<uint8_t, 8>, 256> elements{};
  for (size_t byte = 0; byte < 256; ++byte)
    for (size_t k = 0; k < per_byte; ++k)
      elements[byte][k] =
          static_cast<uint8_t>(((static_cast<int>(byte >> (k * static_cast<size_t>(bits))) & mask) ^ sign) - sign);
  // Whole rows of the table while there is room for what the next byte writes again.
  for (size_t i = 0; i < out.size(); i += per_byte) {
    const auto& row = elements[packed[i / per_byte]];
    if (out.size() - i >= row.size())
      std::memcpy(out.data() + i, row.data(), row.size());
    else
      std::copy_n(row.data(), std::min(per_byte, out.size() - i), out.data() + i);
  }
}

Tensor to_tensor(const TensorProto& t, const TensorSource& source) {
  const Frame frame("tensor", t.name);
  const DType dtype = dtype_of_code(t.data_type);
  check_rank(t.dims);
  if (dtype == DType::str) return from_strings(t, t.dims);
  const uint64_t bytes = file_bytes(dtype, static_cast<uint64_t>(element_count(t.dims)));
  if (t.data_location == TensorProto::kExternal) {
    if (!source.external) fail(ErrorCode::bad_external_data, "a tensor with external data, which cannot be here");
    const SharedBytes data = source.external->resolve(t.external_data, bytes);
    return from_bytes(dtype, t.dims, data.bytes, data.owner, data.mapped);
  }
  if (t.data_location != TensorProto::kDefault) {
    fail(ErrorCode::unsupported, "data location ", t.data_location, " is not known");
  }
  if (!t.raw_data || (t.raw_data->empty() && !t.typed_data.empty())) {
    return from_typed_data(t, dtype, t.dims, source);
  }
  if (t.raw_data->size() != bytes) {
    fail(ErrorCode::bad_file, t.raw_data->size(), " bytes of data for ", describe(dtype, t.dims), ", expected ", bytes);
  }
  return from_bytes(dtype, t.dims, *t.raw_data, source.owner, source.mapped);
}

Tensor to_tensor(const SparseTensorProto& t, const TensorSource& source, uint64_t max_bytes) {
  const Frame frame("sparse tensor", t.values.name);
  const Tensor values = to_tensor(t.values, source), indices = to_tensor(t.indices, source);
  check_rank(t.dims);
  const int64_t count = element_count(t.dims);
  const size_t width = size_of(values.dtype());
  if (static_cast<uint64_t>(count) > max_bytes / width) {
    fail(ErrorCode::limit_memory, describe(values.dtype(), t.dims), " is sparse and would fill more than ", max_bytes,
         " bytes");
  }
  const auto rank = static_cast<int64_t>(t.dims.size());
  const bool linear = indices.rank() == 1;
  const int64_t n = values.size();
  if (values.rank() != 1 || indices.dtype() != DType::i64 ||
      indices.extents() != (linear ? Extents{n} : Extents{n, rank})) {
    fail(ErrorCode::bad_file, "sparse tensor with values ", values.type(), " and indices ", indices.type(),
         ", expected n values and i64[n] or i64[n,", rank, "]");
  }
  const std::vector<int64_t> index = to_i64(indices);
  Tensor dense(values.dtype(), t.dims);
  auto* out = static_cast<uint8_t*>(dense.mutable_data());
  const auto* in = static_cast<const uint8_t*>(values.data());
  int64_t previous = -1;
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = linear ? index[static_cast<size_t>(i)] : 0;
    bool inside = at >= 0 && at < count;
    for (int64_t axis = 0; axis < rank && !linear; ++axis) {
      const int64_t k = index[static_cast<size_t>(i * rank + axis)], extent = t.dims[static_cast<size_t>(axis)];
      inside = inside && k >= 0 && k < extent;
      at = inside ? at * extent + k : 0;
    }
    if (!inside) fail(ErrorCode::bad_file, "index ", i, " of the sparse tensor is out of range");
    if (at <= previous) fail(ErrorCode::bad_file, "index ", i, " of the sparse tensor is not above the one before it");
    previous = at;
    if (dense.dtype() == DType::str) {
      reinterpret_cast<std::string*>(out)[at] = reinterpret_cast<const std::string*>(in)[i];
    } else {
      std::memcpy(out + static_cast<size_t>(at) * width, in + static_cast<size_t>(i) * width, width);
    }
  }
  return dense;
}

Datum to_datum(const SequenceProto& s, const TensorSource& source) {
  return Sequence{items_of(s, source)};
}

Datum to_datum(const OptionalProto& o, const TensorSource& source) {
  if (o.tensor_value) return to_tensor(*o.tensor_value, source);
  if (o.sparse_tensor_value) return to_tensor(*o.sparse_tensor_value, source);
  if (o.sequence_value) return to_datum(*o.sequence_value, source);
  if (o.map_value) return to_datum(*o.map_value, source);
  if (o.optional_value) return to_datum(*o.optional_value, source);
  return {};
}

Datum to_datum(const MapProto& m, const TensorSource& source) {
  std::vector<Datum> values = items_of(m.values, source);
  const DType key = dtype_of_code(m.key_type);
  const bool strings = key == DType::str;
  if (!strings && !dtypes::ints.has(key)) fail(ErrorCode::bad_file, "map with keys of type ", key);
  const size_t keys = strings ? m.string_keys.size() : m.keys.size();
  if (keys != values.size()) fail(ErrorCode::bad_file, "map with ", keys, " keys and ", values.size(), " values");
  Map map;
  for (size_t i = 0; i < keys; ++i) {
    if (strings) {
      map.entries.emplace_back(std::string(m.string_keys[i]), std::move(values[i]));
    } else {
      map.entries.emplace_back(m.keys[i], std::move(values[i]));
    }
  }
  return map;
}

Datum read_value(const std::string& path, const Type& type) {
  const Frame frame("file", path);
  const auto file = MappedFile::open(path);
  const Bytes bytes = file->bytes();
  ExternalData external(ExternalData::folder_of(path));
  const TensorSource source{file, &external, file.get()};
  switch (type.kind()) {
    case Type::Kind::none:
    case Type::Kind::tensor:
      return to_tensor(parse_tensor(bytes, path), source);
    case Type::Kind::sequence:
      return to_datum(parse_sequence(bytes, path), source);
    case Type::Kind::optional:
      return to_datum(parse_optional(bytes, path), source);
    case Type::Kind::map:
      return to_datum(parse_map(bytes, path), source);
  }
  return {};
}

}  // namespace tc::onnx
