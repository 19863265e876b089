#include "tc/frontend/api/files/npy.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>

#include "tc/backend/onnx/atomic_file.h"
#include "tc/frontend/api/files/utf.h"
#include "tc/frontend/onnx/file.h"

namespace tc {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// The header's Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
struct Header {
  std::string_view descr;
  bool fortran = false;
  Extents extents;
};

class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view source) : rest_(text), source_(source) {}

  Header parse() {
    Header h;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') fail(ErrorCode::bad_file, source_, ": structured arrays are not supported");
        h.descr = string();
        has_descr = true;
      } else if (key == "fortran_order") {
        h.fortran = boolean();
        has_order = true;
      } else if (key == "shape") {
        h.extents = tuple();
        has_shape = true;
      } else {
        malformed("unknown key '", key, "'");
      }
      if (!accept(',') && peek() != '}') malformed("expected ',' or '}'");
    }
    if (!has_descr || !has_order || !has_shape) malformed("descr, fortran_order and shape are all needed");
    return h;
  }

 private:
  template <class... Parts>
  [[noreturn]] void malformed(const Parts&... parts) const {
    fail(ErrorCode::bad_file, source_, ": malformed .npy header: ", parts...);
  }
  char peek() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool accept(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) malformed("expected '", c, "'");
  }
  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') malformed("expected a string");
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) malformed("unterminated string");
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    peek();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    malformed("expected True or False");
  }
  Extents tuple() {
    Extents extents;
    expect('(');
    while (!accept(')')) {
      peek();
      int64_t value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc() || value < 0) malformed("expected an extent");
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      extents.push_back(value);
      if (extents.size() > static_cast<size_t>(kMaxRank))
        fail(ErrorCode::limit_rank, source_, ": more than ", kMaxRank, " dimensions");
      if (!accept(',') && peek() != ')') malformed("expected ',' or ')'");
    }
    return extents;
  }

  std::string_view rest_;
  std::string_view source_;
};

uint32_t little_endian(std::string_view bytes, size_t at, size_t width) {
  uint32_t value = 0;
  for (size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

struct Element {
  DType dtype;
  size_t size;               // bytes in the file
  bool code_points = false;  // U rather than S
};

Element element_of(std::string_view descr, std::string_view source) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto t = static_cast<DType>(i);
    const std::string_view numpy = info(t).numpy;
    if (!numpy.empty() && descr.size() == numpy.size() && descr.substr(1) == numpy.substr(1) &&
        (descr[0] == numpy[0] || (size_of(t) == 1 && descr[0] == '<')))
      return {t, size_of(t)};
  }
  if (descr.starts_with("<U") || descr.starts_with("|S")) {
    uint32_t width = 0;
    const char* end = descr.data() + descr.size();
    const auto [stop, error] = std::from_chars(descr.data() + 2, end, width);
    if (error == std::errc() && stop == end) {
      const bool code_points = descr[1] == 'U';
      return {DType::str, size_t{width} * (code_points ? 4 : 1), code_points};
    }
  }
  std::string_view why = "";
  if (descr.starts_with('>')) why = " (big-endian)";
  if (descr.ends_with('O')) why = " (Python objects)";
  fail(ErrorCode::bad_file, source, ": cannot read arrays of NumPy type '", descr, "'", why);
}

std::string decode_string(std::string_view cell, bool code_points, std::string_view source) {
  std::string text;
  if (!code_points) {
    text = cell;
  } else {
    for (size_t i = 0; i < cell.size(); i += 4)
      if (!append_utf8(text, little_endian(cell, i, 4)))
        fail(ErrorCode::bad_file, source, ": invalid Unicode in a string");
  }
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

// Position in a Fortran-ordered file of each element in C order.
template <class F>
void for_each_fortran(const Extents& extents, F&& f) {
  const size_t rank = extents.size();
  Extents strides(rank), index(rank);
  int64_t count = 1;
  for (size_t i = 0; i < rank; ++i) strides[i] = count, count *= extents[i];
  int64_t from = 0;
  for (int64_t to = 0; to < count; ++to) {
    f(static_cast<size_t>(to), static_cast<size_t>(from));
    for (size_t d = rank; d-- > 0;) {
      from += strides[d];
      if (++index[d] < extents[d]) break;
      from -= strides[d] * extents[d];
      index[d] = 0;
    }
  }
}

template <class To, class From>
Tensor converted(const Tensor& t, To (*element)(From)) {
  Tensor out(dtype_of<To>, t.extents());
  std::ranges::transform(t.span<From>(), out.mutable_span<To>().begin(), element);
  return out;
}

// The same values in the type that NumPy has for them: the element types without a NumPy type are narrow integers
// (`value` is a byte) and narrow floats (`bits`).
Tensor widened(const Tensor& t) {
  return visit_dtype(t.dtype(), [&]<class T>() -> Tensor {
    if constexpr (requires(T e) { e.value; })
      return converted(
          t, +[](T e) { return e.value; });
    else if constexpr (requires(T e) { e.bits, static_cast<double>(e); })
      return converted(
          t, +[](T e) { return static_cast<float>(static_cast<double>(e)); });
    else
      fail(ErrorCode::unsupported, "no NumPy type for ", t.dtype());
  });
}

// All strings as UTF-32 in cells of the longest one's width, which is returned.
size_t encode_strings(std::span<const std::string> strings, std::string& body) {
  std::vector<std::u32string> decoded;
  decoded.reserve(strings.size());
  size_t width = 1;
  for (const std::string& s : strings) {
    std::optional<std::u32string> points = decode_utf8(s);
    if (!points) fail(ErrorCode::bad_value, "a string is not valid UTF-8, so NumPy has no type for it");
    width = std::max(width, points->size());
    decoded.push_back(std::move(*points));
  }
  constexpr size_t kMaxBytes = size_t{1} << 34;
  size_t bytes;
  if (__builtin_mul_overflow(width * 4, decoded.size(), &bytes) || bytes > kMaxBytes)
    fail(ErrorCode::limit_size, decoded.size(), " strings of up to ", width,
         " characters are too much for a .npy file");
  body.assign(bytes, '\0');
  for (size_t i = 0; i < decoded.size(); ++i)
    std::memcpy(&body[i * width * 4], decoded[i].data(), decoded[i].size() * 4);
  return width;
}

}  // namespace

Tensor parse_npy(std::string_view bytes, std::string_view source) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 10) fail(ErrorCode::bad_file, source, ": not a .npy file");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) fail(ErrorCode::bad_file, source, ": .npy version ", version, " is not known");
  const size_t width = version == 1 ? 2 : 4;
  if (bytes.size() < 8 + width) fail(ErrorCode::bad_file, source, ": truncated .npy header");
  const size_t header_size = little_endian(bytes, 8, width);
  bytes.remove_prefix(8 + width);
  if (header_size > bytes.size()) fail(ErrorCode::bad_file, source, ": truncated .npy header");
  const Header header = HeaderParser(bytes.substr(0, header_size), source).parse();
  bytes.remove_prefix(header_size);

  const Element element = element_of(header.descr, source);
  const auto count = static_cast<size_t>(element_count(header.extents));
  size_t needed = 0;
  const bool fits = !__builtin_mul_overflow(count, element.size, &needed) && needed <= bytes.size();
  // Strings of width 0 take no bytes in the file, but they do in memory.
  constexpr size_t kMaxEmptyStrings = size_t{1} << 20;
  if (!fits || (element.size == 0 && count > kMaxEmptyStrings))
    fail(ErrorCode::bad_file, source, ": ", count, " elements of ", element.size, " bytes announced, but only ",
         bytes.size(), " bytes are there");

  Tensor tensor(element.dtype, header.extents);
  if (count == 0) return tensor;
  const auto each = [&](auto&& f) {
    if (header.fortran) return for_each_fortran(header.extents, f);
    for (size_t i = 0; i < count; ++i) f(i, i);
  };
  if (element.dtype == DType::str) {
    auto out = tensor.mutable_span<std::string>();
    each([&](size_t to, size_t from) {
      out[to] = decode_string(bytes.substr(from * element.size, element.size), element.code_points, source);
    });
  } else if (element.dtype == DType::boolean) {
    auto out = tensor.mutable_span<Bool>();
    each([&](size_t to, size_t from) { out[to] = Bool(bytes[from] != 0); });
  } else if (header.fortran) {
    auto* out = static_cast<char*>(tensor.mutable_data());
    each([&](size_t to, size_t from) {
      std::memcpy(out + to * element.size, bytes.data() + from * element.size, element.size);
    });
  } else {
    std::memcpy(tensor.mutable_data(), bytes.data(), needed);
  }
  return tensor;
}

std::string format_npy(const Tensor& given) {
  if (!given.defined()) fail(ErrorCode::bad_argument, "a tensor without data cannot be written");
  Tensor tensor = given.aligned_copy();
  std::string descr(info(tensor.dtype()).numpy), strings;
  std::string_view body;
  if (tensor.dtype() == DType::str) {
    descr = "<U" + std::to_string(encode_strings(tensor.span<std::string>(), strings));
    body = strings;
  } else {
    if (descr.empty()) {
      tensor = widened(tensor);
      descr = info(tensor.dtype()).numpy;
    }
    body = {static_cast<const char*>(tensor.data()), tensor.bytes()};
  }
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (const int64_t e : tensor.extents()) header += std::to_string(e) + (tensor.rank() == 1 ? "," : ", ");
  if (tensor.rank() > 1) header.resize(header.size() - 2);
  header += "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  out.reserve(out.size() + header.size() + body.size());
  return out.append(header).append(body);
}

Tensor read_npy(const std::string& path) {
  const auto file = onnx::MappedFile::open(path);
  return parse_npy({reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()}, path);
}

void write_npy(const std::string& path, const Tensor& tensor) {
  onnx::write_file(path, format_npy(tensor));
}

}  // namespace tc
