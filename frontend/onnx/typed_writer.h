// model_writer.h for tensors and types of the IR.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tc/frontend/onnx/model_writer.h"
#include "tc/ir/tensor.h"
#include "tc/ir/type.h"

namespace tc::model_writer {

inline uint64_t onnx_code(DType t) {
  return static_cast<uint64_t>(info(t).onnx);
}

// Elements as raw data, those of fewer than 8 bits packed from the lowest bits up; strings one by one.
inline std::string tensor(const std::string& name, const Tensor& t) {
  if (t.dtype() == DType::str) {
    std::string out;
    for (const int64_t e : t.extents()) out += scalar(1, static_cast<uint64_t>(e));
    out += scalar(2, kStr) + field(8, name);
    for (const std::string& s : t.span<std::string>()) out += field(6, s);
    return out;
  }
  const auto* data = static_cast<const char*>(t.data());
  std::string raw(data, data + t.bytes());
  const int bits = info(t.dtype()).bits;
  if (bits < 8 && t.dtype() != DType::boolean) {
    const auto width = static_cast<size_t>(bits), per_byte = 8 / width;
    std::string packed((raw.size() + per_byte - 1) / per_byte, '\0');
    for (size_t i = 0; i < raw.size(); ++i)
      packed[i / per_byte] =
          static_cast<char>(packed[i / per_byte] | (raw[i] & ((1 << bits) - 1)) << (i % per_byte * width));
    raw = std::move(packed);
  }
  return raw_tensor(name, onnx_code(t.dtype()), t.extents(), raw);
}

// Unknown ranks stay so.
inline std::string type(const Type& t) {
  switch (t.kind()) {
    case Type::Kind::none:
      return {};
    case Type::Kind::sequence:
      return field(4, field(1, type(t.element())));
    case Type::Kind::optional:
      return field(9, field(1, type(t.element())));
    case Type::Kind::map:
      return field(5, scalar(1, onnx_code(t.dtype())) + field(2, type(t.element())));
    case Type::Kind::tensor:
      break;
  }
  std::string out = scalar(1, onnx_code(t.dtype()));
  if (t.shape().ranked()) {
    std::vector<Extent> extents;
    for (const Dim& d : t.shape().dims()) extents.push_back(d.is_const() ? Extent(d.value()) : Extent(d.str()));
    out += field(2, shape(extents));
  }
  return field(1, out);
}
inline std::string value_info(const std::string& name, const Type& t) {
  return field(1, name) + (t.is_none() ? "" : field(2, type(t)));
}

}  // namespace tc::model_writer
