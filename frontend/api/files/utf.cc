#include "tc/frontend/api/files/utf.h"

#include <bit>

namespace tc {
namespace {

bool valid(uint32_t c) {
  return c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
}

}  // namespace

bool append_utf8(std::string& out, uint32_t c) {
  if (!valid(c)) return false;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    tail(12), tail(6), tail(0);
  }
  return true;
}

std::optional<std::u32string> decode_utf8(std::string_view text) {
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  std::u32string out;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<uint8_t>(text[i++]);
    if (lead < 0x80) {
      out += static_cast<char32_t>(lead);
      continue;
    }
    const int length = std::countl_one(lead);
    if (length < 2 || length > 4 || text.size() - i < static_cast<size_t>(length - 1)) return std::nullopt;
    uint32_t c = lead & (0x7fu >> length);
    for (int k = 1; k < length; ++k) {
      const auto next = static_cast<uint8_t>(text[i++]);
      if (next >> 6 != 2) return std::nullopt;
      c = c << 6 | (next & 0x3f);
    }
    if (c < kSmallest[length] || !valid(c)) return std::nullopt;
    out += static_cast<char32_t>(c);
  }
  return out;
}

}  // namespace tc
