// Tensors and other values of ONNX files as host values.
//
// Invariants: data that lies in the file as it lies in memory becomes a view, possibly misaligned, which keeps the file
// alive; everything else is copied. Extents are checked against the bytes that are there before anything is allocated.
#pragma once

#include "tc/frontend/onnx/file.h"
#include "tc/ir/tensor.h"

namespace tc::onnx {

inline constexpr uint64_t kMaxDenseBytes = uint64_t{1} << 30;

// What a message's bytes belong to.
struct TensorSource {
  std::shared_ptr<const void> owner;     // of the parsed bytes; none: they may vanish, and every tensor is a copy
  ExternalData* external = nullptr;      // none: external data is refused
  const MappedMemory* mapped = nullptr;  // the owner, when it is a file
};

// Throws bad_file or bad_external_data where data and extents disagree, unsupported for an unknown element type,
// limit_rank and limit_size.
Tensor to_tensor(const TensorProto& t, const TensorSource& source);

// The dense tensor. Throws limit_memory beyond `max_bytes`, bad_file for indices that are out of range or not strictly
// ascending.
Tensor to_tensor(const SparseTensorProto& t, const TensorSource& source, uint64_t max_bytes = kMaxDenseBytes);

// Elements of 2 or 4 bits, the first one in the lowest bits, as bytes.
void unpack_bits(std::span<const uint8_t> packed, int bits, bool is_signed, std::span<uint8_t> out);

// An optional without a value becomes an empty Datum, any other one its value.
Datum to_datum(const SequenceProto& s, const TensorSource& source);
Datum to_datum(const OptionalProto& o, const TensorSource& source);
Datum to_datum(const MapProto& m, const TensorSource& source);

// Reads a file that holds one value of the given type, as the ONNX test data has it.
Datum read_value(const std::string& path, const Type& type);

}  // namespace tc::onnx
