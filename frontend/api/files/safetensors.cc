#include "tc/frontend/api/files/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tc/frontend/api/files/utf.h"

namespace tc {
namespace {

using Json = nlohmann::json;

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

template <class... Parts>
[[noreturn]] void malformed(std::string_view source, const Parts&... parts) {
  fail(ErrorCode::bad_file, source, ": malformed header: ", parts...);
}

// Names that occur twice, and nesting beyond name -> entry -> list, are refused while the text is read.
Json read_header(std::string_view text, std::string_view source) {
  std::vector<std::set<std::string>> names;
  const auto watch = [&](int depth, Json::parse_event_t event, const Json& key) {
    using Event = Json::parse_event_t;
    if ((event == Event::object_start || event == Event::array_start) && depth > 2)
      malformed(source, "objects and lists are nested too deeply");
    if (event == Event::object_start) names.emplace_back();
    if (event == Event::object_end) names.pop_back();
    if (event == Event::key && !names.back().insert(key.get<std::string>()).second)
      malformed(source, "'", key.get<std::string>(), "' occurs twice");
    return true;
  };
  Json header;
  try {
    header = Json::parse(text, watch);
  } catch (const Json::parse_error& e) {
    malformed(source, "at byte ", e.byte + sizeof(uint64_t), ": ", e.what());
  }
  if (!header.is_object()) malformed(source, "an object is expected");
  return header;
}

std::vector<int64_t> numbers(const Json& list, std::string_view tensor, std::string_view source) {
  std::vector<int64_t> result;
  for (const Json& v : list) {
    if (!list.is_array() || !v.is_number_unsigned() || !std::in_range<int64_t>(v.get<uint64_t>()))
      malformed(source, "tensor '", tensor, "' has ", v.dump(), " where an integer of at least 0 is expected");
    result.push_back(v.get<int64_t>());
  }
  return result;
}

struct Entry {
  std::string name;
  DType dtype;
  Extents extents;
  uint64_t begin, end;
};

Entry read_entry(const std::string& name, const Json& fields, std::string_view source) {
  for (const auto& [key, value] : fields.items())
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      malformed(source, "tensor '", name, "' has an unknown key '", key, "'");
  const auto dtype = fields.find("dtype"), shape = fields.find("shape"), offsets = fields.find("data_offsets");
  if (dtype == fields.end() || !dtype->is_string() || shape == fields.end() || !shape->is_array() ||
      offsets == fields.end() || offsets->size() != 2)
    malformed(source, "tensor '", name, "' needs dtype, shape and two data_offsets");
  const auto* row = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                 [&](const Spelling& s) { return s.name == dtype->get_ref<const std::string&>(); });
  if (row == std::end(kSpellings))
    malformed(source, "tensor '", name, "' has elements of unknown type ", dtype->dump());
  const auto place = numbers(*offsets, name, source);
  return {name, row->dtype, numbers(*shape, name, source), static_cast<uint64_t>(place[0]),
          static_cast<uint64_t>(place[1])};
}

}  // namespace

NamedTensors parse_safetensors(std::string_view bytes, std::string_view source, std::shared_ptr<const void> owner) {
  uint64_t length = 0;
  if (bytes.size() < sizeof length) fail(ErrorCode::bad_file, source, ": too short for a .safetensors file");
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > kMaxHeader || length > bytes.size() - sizeof length)
    fail(ErrorCode::bad_file, source, ": a header of ", length, " bytes in a file of ", bytes.size());
  const std::string_view data = bytes.substr(sizeof length + length);
  const Json header = read_header(bytes.substr(sizeof length, length), source);
  std::vector<Entry> entries;
  for (const auto& [name, fields] : header.items()) {
    if (!fields.is_object()) malformed(source, "'", name, "' is no object");
    if (name != "__metadata__")
      entries.push_back(read_entry(name, fields, source));
    else if (!std::all_of(fields.begin(), fields.end(), [](const Json& v) { return v.is_string(); }))
      malformed(source, "the metadata are not all strings");
  }

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
  Json header = Json::object();
  uint64_t place = 0;
  for (const auto& [name, tensor] : tensors) {
    if (!decode_utf8(name)) fail(ErrorCode::bad_argument, "the name of a tensor is not UTF-8");
    if (header.contains(name) || name == "__metadata__")
      fail(ErrorCode::bad_argument, "two tensors are named '", name, "', or the format uses the name");
    const auto* row = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                   [&, t = tensor.dtype()](const Spelling& s) { return s.dtype == t; });
    if (row == std::end(kSpellings))
      fail(ErrorCode::bad_type, "tensor '", name, "' is ", tensor.type(), "; .safetensors has no such elements");
    header[name] = {
        {"dtype", row->name}, {"shape", tensor.extents()}, {"data_offsets", {place, place + tensor.bytes()}}};
    place += tensor.bytes();
  }
  std::string json = header.dump();
  json.resize((json.size() + 7) / 8 * 8, ' ');
  const uint64_t length = json.size();
  std::string prefix(sizeof length, '\0');
  std::memcpy(prefix.data(), &length, sizeof length);
  return prefix + json;
}

}  // namespace tc
