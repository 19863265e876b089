// Writes ONNX models by hand, for tests and benchmarks, whose models need no program and may be broken on purpose: each
// function returns the wire bytes of one message, after the field numbers of onnx.proto.
#pragma once

#include <bit>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tc/frontend/onnx/wire_writer.h"

namespace tc::model_writer {

using wire_writer::field;
using wire_writer::scalar;
using wire_writer::varint;

using Names = std::vector<std::string>;
using Messages = std::vector<std::string>;

// Element types, by the codes of TensorProto.DataType.
inline constexpr uint64_t kF32 = 1, kI32 = 6, kI64 = 7, kStr = 8, kBool = 9, kF64 = 11;
// Kinds of attributes, by the codes of AttributeProto.AttributeType.
inline constexpr uint64_t kFloat = 1, kInt = 2, kString = 3, kTensor = 4, kGraph = 5, kFloats = 6, kInts = 7,
                          kStrings = 8;

inline std::string fixed32(uint32_t number, float value) {
  std::string out = varint(uint64_t{number} << 3 | 5);
  const auto bits = std::bit_cast<uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(bits >> shift & 255);
  return out;
}
inline std::string each(uint32_t number, const std::vector<std::string>& list) {
  std::string out;
  for (const auto& item : list) out += field(number, item);
  return out;
}

inline std::string attr_f(const std::string& name, float v) {
  return field(1, name) + fixed32(2, v) + scalar(20, kFloat);
}
inline std::string attr_i(const std::string& name, int64_t v) {
  return field(1, name) + scalar(3, static_cast<uint64_t>(v)) + scalar(20, kInt);
}
inline std::string attr_s(const std::string& name, const std::string& v) {
  return field(1, name) + field(4, v) + scalar(20, kString);
}
inline std::string attr_t(const std::string& name, const std::string& tensor) {
  return field(1, name) + field(5, tensor) + scalar(20, kTensor);
}
inline std::string attr_g(const std::string& name, const std::string& graph) {
  return field(1, name) + field(6, graph) + scalar(20, kGraph);
}
inline std::string attr_ints(const std::string& name, const std::vector<int64_t>& v) {
  std::string out = field(1, name);
  for (const int64_t i : v) out += scalar(8, static_cast<uint64_t>(i));
  return out + scalar(20, kInts);
}
inline std::string attr_floats(const std::string& name, const std::vector<float>& v) {
  std::string out = field(1, name);
  for (const float f : v) out += fixed32(7, f);
  return out + scalar(20, kFloats);
}
inline std::string attr_strings(const std::string& name, const std::vector<std::string>& v) {
  return field(1, name) + each(9, v) + scalar(20, kStrings);
}
// A reference to an attribute of the enclosing function.
inline std::string attr_ref(const std::string& name, const std::string& of_function, uint64_t kind) {
  return field(1, name) + field(21, of_function) + scalar(20, kind);
}

struct NodeExtras {
  std::string domain = {}, overload = {}, name = {};
};
inline const NodeExtras kMy = {.domain = "my"};  // the domain that most tests make up
inline std::string node(const std::string& op, const Names& inputs, const Names& outputs,
                        const Messages& attributes = {}, const NodeExtras& extras = {}) {
  std::string out = each(1, inputs) + each(2, outputs) + field(4, op) + each(5, attributes);
  if (!extras.name.empty()) out += field(3, extras.name);
  if (!extras.domain.empty()) out += field(7, extras.domain);
  if (!extras.overload.empty()) out += field(8, extras.overload);
  return out;
}

using Extent = std::variant<int64_t, std::string>;

inline std::string shape(const std::vector<Extent>& extents) {
  std::string out;
  for (const Extent& e : extents) {
    const auto* number = std::get_if<int64_t>(&e);
    out += field(1, number ? scalar(1, static_cast<uint64_t>(*number)) : field(2, std::get<std::string>(e)));
  }
  return out;
}
inline std::string value_info(const std::string& name, uint64_t element, const std::vector<Extent>& extents) {
  return field(1, name) + field(2, field(1, scalar(1, element) + field(2, shape(extents))));
}
// The type is left open.
inline std::string value_info(const std::string& name) {
  return field(1, name);
}

inline std::string raw_tensor(const std::string& name, uint64_t element, const std::vector<int64_t>& extents,
                              const std::string& bytes) {
  std::string out;
  for (const int64_t e : extents) out += scalar(1, static_cast<uint64_t>(e));
  return out + scalar(2, element) + field(8, name) + field(9, bytes);
}
template <class T>
std::string tensor(const std::string& name, const std::vector<int64_t>& extents, const std::vector<T>& values) {
  const uint64_t element = std::is_same_v<T, float> ? kF32 : std::is_same_v<T, int64_t> ? kI64 : kF64;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, int64_t> || std::is_same_v<T, double>);
  return raw_tensor(name, element, extents, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

// `inputs` and `outputs` are value infos.
inline std::string graph(const Messages& nodes, const Messages& inputs, const Messages& outputs,
                         const Messages& initializers = {}, const std::string& name = "g") {
  return each(1, nodes) + field(2, name) + each(5, initializers) + each(11, inputs) + each(12, outputs);
}

using Opsets = std::vector<std::pair<std::string, int64_t>>;

inline std::string opsets(uint32_t number, const Opsets& list) {
  std::string out;
  for (const auto& [domain, version] : list)
    out += field(number, field(1, domain) + scalar(2, static_cast<uint64_t>(version)));
  return out;
}

struct FunctionExtras {
  Names attributes = {};   // without a default
  Messages defaults = {};  // attributes with one
  std::string overload = {};
  Opsets opsets = {{"", 18}};
};
inline std::string function(const std::string& domain, const std::string& name, const Names& inputs,
                            const Names& outputs, const Messages& nodes, const FunctionExtras& extras = {}) {
  std::string out = field(1, name) + each(4, inputs) + each(5, outputs) + each(6, extras.attributes) + each(7, nodes) +
                    opsets(9, extras.opsets) + field(10, domain) + each(11, extras.defaults);
  if (!extras.overload.empty()) out += field(13, extras.overload);
  return out;
}

struct ModelExtras {
  Messages functions = {};
  Opsets opsets = {{"", 18}};
  uint64_t ir_version = 8;
};
inline std::string model(const std::string& graph_bytes, const ModelExtras& extras = {}) {
  return scalar(1, extras.ir_version) + field(2, "by hand") + field(7, graph_bytes) + opsets(8, extras.opsets) +
         each(25, extras.functions);
}

}  // namespace tc::model_writer
