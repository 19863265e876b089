// An ONNX file as a tree of its fields, which mutations change and which is written back with the right lengths: so
// mutants get past the parser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::fuzz {

// Messages of onnx.proto whose fields are looked into; everything else is a leaf.
enum class Message : uint8_t {
  leaf,
  model,
  opset,
  graph,
  function,
  node,
  attribute,
  tensor,
  sparse_tensor,
  value_info,
  type,
  tensor_type,
  element_type,
  map_type,
  shape,
  dim,
};

struct Field {
  uint32_t number;
  uint8_t wire;           // 0: varint, 1: fixed64, 2: length, 5: fixed32
  Message message;        // leaf, unless `fields` holds the parsed bytes
  uint64_t bits = 0;      // of a number
  std::string_view view;  // of a leaf's bytes, while unchanged
  std::string bytes;      // of a leaf's bytes that were changed
  bool changed = false;
  std::vector<Field> fields;

  std::string_view text() const { return changed ? std::string_view(bytes) : view; }
  void set_text(std::string text) {
    bytes = std::move(text);
    changed = true;
  }
};

// Nothing when the bytes are no well-formed message. Leaves are views into them.
std::optional<std::vector<Field>> parse_fields(std::string_view bytes, Message message);
std::string write_fields(const std::vector<Field>& fields);

}  // namespace tc::fuzz
