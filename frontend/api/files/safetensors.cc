#include "tc/frontend/api/files/safetensors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

#include "tc/frontend/api/files/utf.h"

namespace tc {
namespace {

struct Spelling {
  DType dtype;
  std::string_view name;
};
constexpr Spelling kSpellings[] = {
    {DType::boolean, "BOOL"},   {DType::u8, "U8"},
    {DType::i8, "I8"},          {DType::u16, "U16"},
    {DType::i16, "I16"},        {DType::u32, "U32"},
    {DType::i32, "I32"},        {DType::u64, "U64"},
    {DType::i64, "I64"},        {DType::f16, "F16"},
    {DType::bf16, "BF16"},      {DType::f32, "F32"},
    {DType::f64, "F64"},        {DType::f8e4m3fn, "F8_E4M3"},
    {DType::f8e5m2, "F8_E5M2"}, {DType::f8e8m0, "F8_E8M0"},
};

// The format's own limit on the header.
constexpr uint64_t kMaxHeader = 100'000'000;

// Reads the JSON of a header: objects of strings, numbers and lists of numbers.
class Reader {
 public:
  Reader(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  template <class... Parts>
  [[noreturn]] void malformed(const Parts&... parts) const {
    fail(ErrorCode::bad_file, source_, ": malformed header at byte ", at_ + 8, ": ", parts...);
  }
  char peek() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) malformed("expected '", c, "'");
  }
  void expect_end() {
    if (peek() || at_ < text_.size()) malformed("something follows the object");
  }
  std::string string() {
    expect('"');
    std::string result;
    for (;;) {
      if (at_ >= text_.size()) malformed("unterminated string");
      const char c = text_[at_++];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) malformed("a control character in a string");
      if (c == '\\')
        escape(result);
      else
        result.push_back(c);
    }
    if (!decode_utf8(result)) malformed("a string is not UTF-8");
    return result;
  }
  int64_t number() {
    int64_t value = 0;
    peek();
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc() || value < 0) malformed("expected an integer of at least 0");
    at_ = static_cast<size_t>(stop - text_.data());
    return value;
  }
  std::vector<int64_t> numbers() {
    std::vector<int64_t> list;
    expect('[');
    if (accept(']')) return list;
    do list.push_back(number());
    while (accept(','));
    expect(']');
    return list;
  }
  // Calls entry(key) behind each colon.
  template <class F>
  void object(F&& entry) {
    expect('{');
    if (accept('}')) return;
    std::set<std::string> seen;
    do {
      const std::string key = string();
      if (!seen.insert(key).second) malformed("'", key, "' occurs twice");
      expect(':');
      entry(key);
    } while (accept(','));
    expect('}');
  }

 private:
  uint32_t hex4() {
    uint32_t value = 0;
    if (text_.size() - at_ < 4) malformed("unterminated escape");
    const auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, value, 16);
    if (error != std::errc() || stop != text_.data() + at_ + 4) malformed("a bad \\u escape");
    at_ += 4;
    return value;
  }
  void escape(std::string& out) {
    if (at_ >= text_.size()) malformed("unterminated string");
    const char c = text_[at_++];
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    if (const size_t i = kFrom.find(c); i != std::string_view::npos) return out.push_back(kTo[i]);
    if (c != 'u') malformed("an unknown escape");
    uint32_t code = hex4();
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      code = 0x10000 + ((code - 0xd800) << 10) + (hex4() - 0xdc00);
    }
    if (!append_utf8(out, code)) malformed("a \\u escape that is no character");
  }
  std::string_view text_, source_;
  size_t at_ = 0;
};

struct Entry {
  std::string name;
  DType dtype;
  Extents extents;
  uint64_t begin, end;
};

Entry read_entry(Reader& in, std::string name) {
  std::string dtype;
  std::vector<int64_t> offsets;
  bool shaped = false;
  Entry e{std::move(name), DType::f32, {}, 0, 0};
  in.object([&](const std::string& key) {
    if (key == "dtype") {
      dtype = in.string();
    } else if (key == "shape") {
      e.extents = in.numbers(), shaped = true;
    } else if (key == "data_offsets") {
      offsets = in.numbers();
    } else {
      in.malformed("tensor '", e.name, "' has an unknown key '", key, "'");
    }
  });
  if (dtype.empty() || !shaped || offsets.size() != 2)
    in.malformed("tensor '", e.name, "' needs dtype, shape and two data_offsets");
  const auto* row =
      std::find_if(std::begin(kSpellings), std::end(kSpellings), [&](const Spelling& s) { return s.name == dtype; });
  if (row == std::end(kSpellings)) in.malformed("tensor '", e.name, "' has elements of unknown type '", dtype, "'");
  e.dtype = row->dtype;
  e.begin = static_cast<uint64_t>(offsets[0]), e.end = static_cast<uint64_t>(offsets[1]);
  return e;
}

std::string json_string(std::string_view text) {
  if (!decode_utf8(text)) fail(ErrorCode::bad_argument, "the name of a tensor is not UTF-8");
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\', result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      result += "\\u00", result += kDigits[static_cast<size_t>(c) >> 4], result += kDigits[static_cast<size_t>(c) & 15];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace

NamedTensors parse_safetensors(std::string_view bytes, std::string_view source, std::shared_ptr<const void> owner) {
  uint64_t length = 0;
  if (bytes.size() < sizeof length) fail(ErrorCode::bad_file, source, ": too short for a .safetensors file");
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > kMaxHeader || length > bytes.size() - sizeof length)
    fail(ErrorCode::bad_file, source, ": a header of ", length, " bytes in a file of ", bytes.size());
  const std::string_view data = bytes.substr(sizeof length + length);
  Reader in(bytes.substr(sizeof length, length), source);
  std::vector<Entry> entries;
  in.object([&](const std::string& key) {
    if (key == "__metadata__")
      in.object([&](const std::string&) { in.string(); });
    else
      entries.push_back(read_entry(in, key));
  });
  in.expect_end();

  // One after the other from the start of the data to its end.
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  NamedTensors result;
  uint64_t place = 0;
  for (Entry& e : entries) {
    const auto broken = [&](const auto&... parts) {
      fail(ErrorCode::bad_file, source, ": tensor '", e.name, "': ", parts...);
    };
    if (e.begin != place || e.end < e.begin || e.end > data.size())
      broken("bytes ", e.begin, " to ", e.end, " where ", place, " of ", data.size(), " is next");
    const int64_t count = element_count(e.extents);
    if (static_cast<uint64_t>(count) > data.size() ||
        static_cast<uint64_t>(count) * size_of(e.dtype) != e.end - e.begin)
      broken(e.end - e.begin, " bytes for ", count, " elements of ", e.dtype);
    place = e.end;
    result.emplace_back(std::move(e.name), Tensor::view(e.dtype, std::move(e.extents), data.data() + e.begin, owner));
  }
  if (place != data.size()) fail(ErrorCode::bad_file, source, ": ", data.size() - place, " bytes belong to no tensor");
  return result;
}

std::string safetensors_header(const NamedTensors& tensors) {
  std::string json = "{";
  std::set<std::string_view> names;
  uint64_t place = 0;
  for (const auto& [name, tensor] : tensors) {
    if (!names.insert(name).second || name == "__metadata__")
      fail(ErrorCode::bad_argument, "two tensors are named '", name, "', or the format uses the name");
    const auto* row = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                   [&, t = tensor.dtype()](const Spelling& s) { return s.dtype == t; });
    if (row == std::end(kSpellings))
      fail(ErrorCode::bad_type, "tensor '", name, "' is ", tensor.type(), "; .safetensors has no such elements");
    json += cat(json.size() > 1 ? "," : "", json_string(name), ":{\"dtype\":\"", row->name, "\",\"shape\":[");
    for (int k = 0; k < tensor.rank(); ++k) json += cat(k ? "," : "", tensor.extent(k));
    json += cat("],\"data_offsets\":[", place, ",", place + tensor.bytes(), "]}");
    place += tensor.bytes();
  }
  json += "}";
  json.resize((json.size() + 7) / 8 * 8, ' ');
  const uint64_t length = json.size();
  std::string header(sizeof length, '\0');
  std::memcpy(header.data(), &length, sizeof length);
  return header + json;
}

}  // namespace tc
