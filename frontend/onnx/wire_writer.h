// Writes protobuf wire bytes by hand.
#pragma once

#include <cstdint>
#include <string>

namespace tc::wire_writer {

inline std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out += static_cast<char>(value);
}
inline std::string scalar(uint32_t number, uint64_t value) {
  return varint(uint64_t{number} << 3) + varint(value);
}
inline std::string field(uint32_t number, const std::string& bytes) {
  return varint(uint64_t{number} << 3 | 2) + varint(bytes.size()) + bytes;
}

}  // namespace tc::wire_writer
