#include "proto_tree.h"

#include <cstring>

namespace tc::fuzz {
namespace {

struct Nested {
  Message in;
  uint32_t number;
  Message message;
};
constexpr Nested kNested[] = {
    {Message::model, 7, Message::graph},
    {Message::model, 8, Message::opset},
    {Message::model, 25, Message::function},
    {Message::graph, 1, Message::node},
    {Message::graph, 5, Message::tensor},
    {Message::graph, 11, Message::value_info},
    {Message::graph, 12, Message::value_info},
    {Message::graph, 13, Message::value_info},
    {Message::graph, 15, Message::sparse_tensor},
    {Message::function, 7, Message::node},
    {Message::function, 9, Message::opset},
    {Message::function, 11, Message::attribute},
    {Message::node, 5, Message::attribute},
    {Message::attribute, 5, Message::tensor},
    {Message::attribute, 6, Message::graph},
    {Message::attribute, 22, Message::sparse_tensor},
    {Message::attribute, 14, Message::type},
    {Message::sparse_tensor, 1, Message::tensor},
    {Message::sparse_tensor, 2, Message::tensor},
    {Message::value_info, 2, Message::type},
    {Message::type, 1, Message::tensor_type},
    {Message::type, 8, Message::tensor_type},
    {Message::type, 4, Message::element_type},
    {Message::type, 9, Message::element_type},
    {Message::type, 5, Message::map_type},
    {Message::element_type, 1, Message::type},
    {Message::map_type, 2, Message::type},
    {Message::tensor_type, 2, Message::shape},
    {Message::shape, 1, Message::dim},
};

Message nested(Message in, uint32_t number) {
  for (const Nested& n : kNested)
    if (n.in == in && n.number == number) return n.message;
  return Message::leaf;
}

bool read_varint(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

void write_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void write(std::string& out, const std::vector<Field>& fields) {
  for (const Field& f : fields) {
    write_varint(out, uint64_t{f.number} << 3 | f.wire);
    if (f.wire == 0) {
      write_varint(out, f.bits);
    } else if (f.wire == 2) {
      const std::string inner = f.message == Message::leaf ? std::string() : write_fields(f.fields);
      const std::string_view text = f.message == Message::leaf ? f.text() : std::string_view(inner);
      write_varint(out, text.size());
      out += text;
    } else {
      out.append(reinterpret_cast<const char*>(&f.bits), f.wire == 5 ? 4 : 8);
    }
  }
}

}  // namespace

std::optional<std::vector<Field>> parse_fields(std::string_view bytes, Message message) {
  std::vector<Field> fields;
  while (!bytes.empty()) {
    uint64_t tag = 0, length = 0;
    if (!read_varint(bytes, tag)) return {};
    Field f{};
    f.number = static_cast<uint32_t>(tag >> 3);
    f.wire = static_cast<uint8_t>(tag & 7);
    if (f.wire == 0) {
      if (!read_varint(bytes, f.bits)) return {};
    } else if (f.wire == 2) {
      if (!read_varint(bytes, length) || length > bytes.size()) return {};
      f.view = bytes.substr(0, length);
      bytes.remove_prefix(length);
      if (const Message inner = nested(message, f.number); inner != Message::leaf) {
        if (auto parsed = parse_fields(f.view, inner)) {
          f.message = inner;
          f.fields = std::move(*parsed);
        }
      }
    } else {
      const size_t width = f.wire == 5 ? 4 : f.wire == 1 ? 8 : 0;
      if (width == 0 || width > bytes.size()) return {};
      std::memcpy(&f.bits, bytes.data(), width);
      bytes.remove_prefix(width);
    }
    fields.push_back(std::move(f));
  }
  return fields;
}

std::string write_fields(const std::vector<Field>& fields) {
  std::string out;
  write(out, fields);
  return out;
}

}  // namespace tc::fuzz
