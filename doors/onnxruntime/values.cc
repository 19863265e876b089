// Values: tensors, sequences, maps.
#include <algorithm>
#include <cstring>

#include "tc/doors/onnxruntime/api.h"
#include "tc/frontend/onnx/tensor_proto.h"

namespace tc::dropin {
namespace {

const Tensor& tensor_of(const OrtValue& v) {
  if (!v.datum.is_tensor()) throw Fault(Code::invalid_argument, "the value is no tensor");
  return v.datum.tensor();
}

bool has_few_bits(DType t) {
  return dtypes::sub_byte.has(t);
}
size_t packed_bytes(DType t, const Extents& e) {
  const auto per_byte = static_cast<size_t>(8 / info(t).bits);
  return (static_cast<size_t>(element_count(e)) + per_byte - 1) / per_byte;
}

Tensor unpacked(const OrtValue& v) {
  const auto& p = *v.packed;
  Tensor t(p.dtype, p.extents);
  const auto bytes = v.datum.tensor().span<uint8_t>();
  onnx::unpack_bits(bytes, info(p.dtype).bits, kind(p.dtype) == DTypeKind::signed_int,
                    {static_cast<uint8_t*>(t.mutable_data()), static_cast<size_t>(t.size())});
  return t;
}

void pack(const Tensor& t, uint8_t* out) {
  const int bits = info(t.dtype()).bits, per_byte = 8 / bits, mask = (1 << bits) - 1;
  const auto* in = static_cast<const uint8_t*>(t.data());
  for (int64_t i = 0; i < t.size(); ++i) {
    uint8_t& byte = out[i / per_byte];
    const auto shift = static_cast<int>(i % per_byte) * bits;
    if (shift == 0) byte = 0;
    byte = static_cast<uint8_t>(byte | (in[i] & mask) << shift);
  }
}

OrtValue packed_value(DType t, const Extents& e, Tensor bytes) {
  OrtValue v{Datum(std::move(bytes))};
  v.packed = {t, e};
  return v;
}

// Of values of no elements: a pointer that is not null.
alignas(64) std::byte nowhere[64];

OrtValue* over_memory(void* data, size_t bytes, const int64_t* dims, size_t rank, int type,
                      std::shared_ptr<void> owner) {
  list(dims, rank, "shape");
  const DType t = dtype_of_code(type);
  if (t == DType::str) throw Fault(Code::invalid_argument, "strings cannot lie in the caller's memory");
  const Extents e(dims, dims + rank);
  const bool few = has_few_bits(t);
  const Extents stored = few ? Extents{static_cast<int64_t>(packed_bytes(t, e))} : e;
  const auto need = static_cast<size_t>(element_count(stored)) * (few ? 1 : size_of(t));
  if (need > bytes) throw Fault(Code::invalid_argument, "the memory has ", bytes, " bytes, the tensor ", need);
  if (need && !data) throw Fault(Code::invalid_argument, "the memory of the tensor is null");
  Tensor tensor = Tensor::borrow(few ? DType::u8 : t, stored, data ? data : nowhere, std::move(owner));
  return new OrtValue(few ? packed_value(t, e, std::move(tensor)) : OrtValue(Datum(std::move(tensor))));
}

const Map& map_of(const OrtValue& v) {
  return v.datum.map();
}

// Keys and values of a map, as two tensors.
Tensor keys_of(const Map& m) {
  const auto n = static_cast<int64_t>(m.entries.size());
  if (!m.entries.empty() && std::holds_alternative<std::string>(m.entries[0].first)) {
    Tensor t(DType::str, {n});
    for (int64_t i = 0; i < n; ++i)
      t.mutable_span<std::string>()[static_cast<size_t>(i)] =
          std::get<std::string>(m.entries[static_cast<size_t>(i)].first);
    return t;
  }
  Tensor t(DType::i64, {n});
  for (int64_t i = 0; i < n; ++i)
    t.mutable_span<int64_t>()[static_cast<size_t>(i)] = std::get<int64_t>(m.entries[static_cast<size_t>(i)].first);
  return t;
}
Datum values_of(const Map& m) {
  if (m.entries.empty()) return Tensor(DType::f32, {0});
  const auto& first = m.entries[0].second;
  if (!first.is_tensor() || first.tensor().size() != 1 || first.tensor().dtype() == DType::str) {
    Sequence s;
    for (const auto& [key, value] : m.entries) s.items.push_back(value);
    return s;
  }
  const DType t = first.tensor().dtype();
  Tensor all(t, {static_cast<int64_t>(m.entries.size())});
  auto* out = static_cast<std::byte*>(all.mutable_data());
  for (const auto& [key, value] : m.entries) {
    if (!value.is_tensor() || value.tensor().dtype() != t || value.tensor().size() != 1)
      throw Fault(Code::failed, "the values of a map are not all of one type");
    std::memcpy(out, value.tensor().data(), size_of(t));
    out += size_of(t);
  }
  return all;
}

Datum make_map(const OrtValue& keys, const OrtValue& values) {
  const Tensor k = tensor_of(keys), v = tensor_of(values);
  if (k.rank() != 1 || k.size() != v.size())
    throw Fault(Code::invalid_argument, "a map of ", k.size(), " keys and ", v.size(), " values");
  if (k.dtype() != DType::i64 && k.dtype() != DType::str)
    throw Fault(Code::not_implemented, "a map's keys are i64 or strings, not ", k.dtype());
  if (v.dtype() == DType::str || values.packed)
    throw Fault(Code::not_implemented, "a map to values of type ", dtype_of(values));
  Map m;
  for (int64_t i = 0; i < k.size(); ++i) {
    Tensor entry(v.dtype(), {});
    std::memcpy(entry.mutable_data(),
                static_cast<const std::byte*>(v.data()) + static_cast<size_t>(i) * size_of(v.dtype()),
                size_of(v.dtype()));
    const auto at = static_cast<size_t>(i);
    if (k.dtype() == DType::i64)
      m.entries.emplace_back(k.span<int64_t>()[at], std::move(entry));
    else
      m.entries.emplace_back(k.span<std::string>()[at], std::move(entry));
  }
  return m;
}

Datum make_sequence(const OrtValue* const* values, size_t n) {
  Sequence s;
  for (size_t i = 0; i < n; ++i) {
    s.items.push_back(datum_of(checked(values[i])));
    const Datum &first = s.items[0], &item = s.items[i];
    if (item.empty() || first.is_tensor() != item.is_tensor() ||
        (first.is_tensor() && first.tensor().dtype() != item.tensor().dtype()))
      throw Fault(Code::invalid_argument, "item ", i, " of a sequence is of another type than the first one");
  }
  return s;
}

}  // namespace

DType dtype_of(const OrtValue& v) {
  return v.packed ? v.packed->dtype : tensor_of(v).dtype();
}
const Extents& extents_of(const OrtValue& v) {
  return v.packed ? v.packed->extents : tensor_of(v).extents();
}
Datum datum_of(const OrtValue& v) {
  return v.packed ? Datum(unpacked(v)) : v.datum;
}
size_t stored_bytes(const OrtValue& v) {
  return tensor_of(v).bytes();
}

OrtValue value_of(Datum&& d) {
  if (!d.is_tensor()) return OrtValue(std::move(d));
  const Tensor& t = d.tensor();
  if (has_few_bits(t.dtype())) {
    Tensor bytes(DType::u8, {static_cast<int64_t>(packed_bytes(t.dtype(), t.extents()))});
    pack(t, static_cast<uint8_t*>(bytes.mutable_data()));
    return packed_value(t.dtype(), t.extents(), std::move(bytes));
  }
  // The caller may write to it.
  if (!t.exclusive()) return OrtValue(Datum(t.clone()));
  return OrtValue(std::move(d));
}

void write_into(const OrtValue& target, const Datum& d) {
  if (!d.is_tensor()) throw Fault(Code::invalid_argument, "an output that is no tensor cannot be written into memory");
  const Tensor& t = d.tensor();
  if (dtype_of(target) != t.dtype() || extents_of(target) != t.extents())
    throw Fault(Code::invalid_argument, "an output of type ", t.type(), " is to be written into one of type ",
                Type::tensor(dtype_of(target), Shape::of(extents_of(target))));
  void* out = const_cast<void*>(tensor_of(target).data());
  if (target.packed) return pack(t, static_cast<uint8_t*>(out));
  if (t.dtype() == DType::str)
    std::ranges::copy(t.span<std::string>(), static_cast<std::string*>(out));
  else if (t.data() != out)
    std::memmove(out, t.data(), t.bytes());
}

Type type_of(const Datum& d) {
  if (d.is_tensor()) return d.tensor().type();
  if (d.is_sequence())
    return Type::sequence(d.items().empty() ? Type::tensor(DType::f32, Shape()) : type_of(d.items()[0]));
  if (!d.is_map()) return {};
  const auto& entries = d.map().entries;
  if (entries.empty()) return Type::map(DType::i64, Type::tensor(DType::f32, Shape()));
  const bool strings = std::holds_alternative<std::string>(entries[0].first);
  return Type::map(strings ? DType::str : DType::i64, type_of(entries[0].second));
}
Type type_of(const OrtValue& v) {
  return v.packed ? Type::tensor(v.packed->dtype, Shape::of(v.packed->extents)) : type_of(v.datum);
}

namespace api {

OrtStatus* CreateTensorAsOrtValue(OrtAllocator* a, const int64_t* dims, size_t rank, int type, OrtValue** out) {
  return guard([&] {
    checked(a);
    result(out) = nullptr;
    const DType t = dtype_of_code(type);
    const Extents e(list(dims, rank, "shape"), dims + rank);
    const auto bytes = has_few_bits(t) ? packed_bytes(t, e) : static_cast<size_t>(element_count(e)) * size_of(t);
    if (t == DType::str) {
      *out = new OrtValue(Datum(Tensor(t, e)));
    } else if (is_own(*a)) {
      *out = has_few_bits(t) ? new OrtValue(packed_value(t, e, Tensor(DType::u8, {static_cast<int64_t>(bytes)})))
                             : new OrtValue(Datum(Tensor(t, e)));
    } else {
      const std::shared_ptr<void> memory(allocate(*a, bytes), [a](void* p) { a->free(a, p); });
      *out = over_memory(memory.get(), bytes, dims, rank, type, memory);
    }
  });
}
OrtStatus* CreateTensorWithDataAsOrtValue(const OrtMemoryInfo* m, void* data, size_t bytes, const int64_t* dims,
                                          size_t rank, int type, OrtValue** out) {
  return guard([&] {
    of_the_cpu(m);
    result(out) = nullptr;
    *out = over_memory(data, bytes, dims, rank, type, nullptr);
  });
}
OrtStatus* CreateTensorWithDataAndDeleterAsOrtValue(OrtAllocator* deleter, void* data, size_t bytes,
                                                    const int64_t* dims, size_t rank, int type, OrtValue** out) {
  return guard([&] {
    checked(deleter);
    result(out) = nullptr;
    // The memory is the caller's still when this fails.
    std::unique_ptr<OrtValue> v(over_memory(data, bytes, dims, rank, type, nullptr));
    const Tensor& t = v->datum.tensor();
    const std::shared_ptr<void> owner(data, [deleter](void* p) { deleter->free(deleter, p); });
    v->datum = Tensor::borrow(t.dtype(), t.extents(), const_cast<void*>(t.data()), owner);
    *out = v.release();
  });
}
void ReleaseValue(OrtValue* v) {
  release(v);
}
OrtStatus* IsTensor(const OrtValue* v, int* out) {
  return guard([&] { result(out) = checked(v).datum.is_tensor(); });
}
OrtStatus* IsSparseTensor(const OrtValue* v, int* out) {
  return guard([&] {
    checked(v);
    result(out) = 0;
  });
}
OrtStatus* HasValue(const OrtValue* v, int* out) {
  return guard([&] { result(out) = !checked(v).datum.empty(); });
}
OrtStatus* GetTensorMutableData(OrtValue* v, void** out) {
  return guard([&] { result(out) = const_cast<void*>(tensor_of(checked(v)).data()); });
}
OrtStatus* GetTensorData(const OrtValue* v, const void** out) {
  return guard([&] { result(out) = tensor_of(checked(v)).data(); });
}
OrtStatus* GetTensorSizeInBytes(const OrtValue* v, size_t* out) {
  return guard([&] {
    if (dtype_of(checked(v)) == DType::str) throw Fault(Code::invalid_argument, "a tensor of strings has no size");
    result(out) = stored_bytes(*v);
  });
}
OrtStatus* GetTensorMemoryInfo(const OrtValue* v, const OrtMemoryInfo** out) {
  return guard([&] {
    tensor_of(checked(v));
    result(out) = cpu_memory();
  });
}
OrtStatus* TensorAt(OrtValue* v, const int64_t* at, size_t n, void** out) {
  return guard([&] {
    const Tensor& t = tensor_of(checked(v));
    list(at, n, "location_values");
    if (v->packed || t.dtype() == DType::str)
      throw Fault(Code::invalid_argument, "elements of type ", dtype_of(*v), " have no address");
    if (n != t.extents().size()) throw Fault(Code::invalid_argument, n, " indices for a tensor of rank ", t.rank());
    const Extents strides = row_major_strides(t.extents());
    int64_t offset = 0;
    for (size_t i = 0; i < n; ++i) {
      if (at[i] < 0 || at[i] >= t.extents()[i])
        throw Fault(Code::invalid_argument, "index ", at[i], " of an extent of ", t.extents()[i]);
      offset += at[i] * strides[i];
    }
    result(out) =
        static_cast<std::byte*>(const_cast<void*>(t.data())) + static_cast<size_t>(offset) * size_of(t.dtype());
  });
}
OrtStatus* CopyTensors(const OrtEnv* env, const OrtValue* const* from, OrtValue* const* to, void*, size_t n) {
  return guard([&] {
    checked(env);
    list(from, n, "src_tensors");
    list(to, n, "dst_tensors");
    for (size_t i = 0; i < n; ++i) write_into(checked(to[i]), datum_of(checked(from[i])));
  });
}

OrtStatus* CreateValue(const OrtValue* const* in, size_t n, int kind, OrtValue** out) {
  return guard([&] {
    list(in, n, "in");
    result(out) = nullptr;
    if (kind == kSequence) {
      *out = new OrtValue(make_sequence(in, n));
    } else if (kind == kMap) {
      if (n != 2) throw Fault(Code::invalid_argument, "a map is made of two tensors, keys and values, not of ", n);
      *out = new OrtValue(make_map(checked(in[0]), checked(in[1])));
    } else {
      throw Fault(Code::invalid_argument, "a value of kind ", kind,
                  " is made of others: sequences (2) and maps (3) are");
    }
  });
}
OrtStatus* GetValueCount(const OrtValue* v, size_t* out) {
  return guard([&] {
    const Datum& d = checked(v).datum;
    if (!d.is_sequence() && !d.is_map()) throw Fault(Code::invalid_argument, "the value is no sequence and no map");
    result(out) = d.is_map() ? 2 : d.items().size();
  });
}
OrtStatus* GetValue(const OrtValue* v, int index, OrtAllocator* a, OrtValue** out) {
  return guard([&] {
    checked(a);
    const Datum& d = checked(v).datum;
    result(out) = nullptr;
    const auto i = static_cast<size_t>(index);
    if (d.is_map() && i < 2) {
      *out = new OrtValue(i == 0 ? value_of(keys_of(map_of(*v))) : value_of(values_of(map_of(*v))));
    } else if (d.is_sequence() && i < d.items().size()) {
      *out = new OrtValue(value_of(d.items()[i]));
    } else {
      throw Fault(Code::invalid_argument, "there is no value ", index, " in it");
    }
  });
}

}  // namespace api
}  // namespace tc::dropin
