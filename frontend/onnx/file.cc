#include "tc/frontend/onnx/file.h"

#include <charconv>
#include <utility>

namespace tc::onnx {
namespace {

uint64_t parse_number(std::string_view key, std::string_view text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    fail(ErrorCode::bad_external_data, "external data ", key, " is \"", text, "\", expected a number of bytes");
  }
  return value;
}

}  // namespace

std::string ExternalData::folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

SharedBytes ExternalData::resolve(const KeyValues& external_data, std::optional<uint64_t> size) {
  std::optional<std::string_view> location, offset_text, length_text;
  for (const auto& [key, value] : external_data) {
    auto* slot = key == "location" ? &location
                 : key == "offset" ? &offset_text
                 : key == "length" ? &length_text
                                   : nullptr;
    if (!slot) continue;
    if (*slot) fail(ErrorCode::bad_external_data, "external data key \"", key, "\" is given twice");
    *slot = value;
  }
  if (!location) fail(ErrorCode::bad_external_data, "external data has no \"location\"");
  const uint64_t offset = offset_text ? parse_number("offset", *offset_text) : 0;
  std::optional<uint64_t> length = size;
  if (length_text) length = parse_number("length", *length_text);
  if (size && *length != *size) {
    fail(ErrorCode::bad_external_data, "external data of ", *length, " bytes, expected ", *size);
  }
  SharedBytes whole;
  std::string name(*location);
  if (const auto it = in_memory_.find(*location); it != in_memory_.end()) {
    const auto bytes = it->second.span<uint8_t>();
    whole = {bytes, it->second.owner(), nullptr};
  } else if (folder_.empty()) {
    fail(ErrorCode::bad_external_data, "external data \"", *location,
         "\" of a model that was loaded from memory; say which folder it lies in");
  } else {
    const std::shared_ptr<const MappedFile> mapped = file(*location);
    whole = {mapped->bytes(), mapped, mapped.get()};
    name = mapped->name();
  }
  const uint64_t available = whole.bytes.size();
  if (offset > available || (length && *length > available - offset)) {
    fail(ErrorCode::bad_external_data, name, ": external data of ",
         length ? cat(*length, " bytes at offset ", offset) : cat("offset ", offset), " in a file of ", available,
         " bytes");
  }
  whole.bytes = whole.bytes.subspan(offset, length.value_or(available - offset));
  return whole;
}

}  // namespace tc::onnx
