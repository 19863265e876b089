#include "tc/ir/text/spelling.h"

#include <bit>
#include <charconv>
#include <cstring>

namespace tc::text {
namespace {

constexpr char kHex[] = "0123456789abcdef";

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Length of the well-formed UTF-8 sequence at the front, 0 when there is none (overlong forms and surrogates are not).
size_t utf8_length(std::string_view s) {
  const auto byte = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto tail = [&](size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned a = byte(0), b = byte(1);
  if (a < 0x80) return 1;
  if (a >= 0xc2 && a <= 0xdf) return tail(1) ? 2 : 0;
  if (a >= 0xe0 && a <= 0xef) {
    if ((a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f)) return 0;
    return tail(1) && tail(2) ? 3 : 0;
  }
  if (a >= 0xf0 && a <= 0xf4) {
    if ((a == 0xf0 && b < 0x90) || (a == 0xf4 && b > 0x8f)) return 0;
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

template <class Real>
void append_finite(std::string& out, Real v) {
  char buffer[40];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
}

uint64_t code_of(float v) {
  return std::bit_cast<uint32_t>(v);
}
uint64_t code_of(double v) {
  return std::bit_cast<uint64_t>(v);
}
template <class T>
requires requires(T v) {
  v.bits;
}
uint64_t code_of(T v) {
  return v.bits;
}

template <class T>
T from_code(uint64_t code) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(code));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(code);
  else {
    T v;
    v.bits = static_cast<decltype(v.bits)>(code);
    return v;
  }
}

template <class T>
void append_real(std::string& out, T v) {
  const auto wide = static_cast<double>(v);
  if (std::isnan(wide)) {
    out += "nan";
    if (code_of(v) != code_of(T(std::numeric_limits<double>::quiet_NaN()))) {
      char digits[16];
      const auto end = std::to_chars(digits, digits + sizeof digits, code_of(v), 16).ptr;
      out.append("(0x").append(digits, end).append(")");
    }
  } else if (std::isinf(wide)) {
    out += wide < 0 ? "-inf" : "inf";
  } else if constexpr (std::is_same_v<T, double>) {
    append_finite(out, v);
  } else {
    append_finite(out, static_cast<float>(wide));  // every narrower type's values are floats
  }
}

template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
inline constexpr bool kIsNarrowInt = requires(T v) {
  v.value;
};

template <class Real>
std::optional<Real> parse_decimal(std::string_view digits) {
  Real v{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return v;
}

template <class T>
std::optional<T> parse_real(const Number& n) {
  if (n.word == "nan") {
    if (!n.bits) return T(std::numeric_limits<double>::quiet_NaN());
    const T v = from_code<T>(*n.bits);
    if (code_of(v) != *n.bits || !std::isnan(static_cast<double>(v))) return std::nullopt;
    return v;
  }
  double wide = std::numeric_limits<double>::infinity();
  if (n.word.empty()) {
    if constexpr (std::is_same_v<T, float>) {
      const auto v = parse_decimal<float>(n.digits);
      if (!v) return std::nullopt;
      wide = static_cast<double>(*v);
    } else {
      const auto v = parse_decimal<double>(n.digits);
      if (!v) return std::nullopt;
      wide = *v;
    }
  }
  const T v = static_cast<T>(n.negative ? -wide : wide);
  if (std::isfinite(wide) != std::isfinite(static_cast<double>(v))) return std::nullopt;
  return v;
}

template <class T>
std::optional<T> parse_whole(const Number& n) {
  if (!n.word.empty()) return std::nullopt;
  const auto magnitude = parse_decimal<uint64_t>(n.digits);
  if (!magnitude) return std::nullopt;
  if (n.negative && *magnitude > (uint64_t{1} << 63)) return std::nullopt;
  if constexpr (kIsNarrowInt<T>) {
    if (*magnitude > 255) return std::nullopt;
    const int64_t v = n.negative ? -static_cast<int64_t>(*magnitude) : static_cast<int64_t>(*magnitude);
    const T narrow(v);
    return static_cast<int64_t>(narrow.value) == v ? std::optional(narrow) : std::nullopt;
  } else if constexpr (std::is_signed_v<T>) {
    if (!n.negative && *magnitude > uint64_t{INT64_MAX}) return std::nullopt;
    const auto v = static_cast<int64_t>(n.negative ? 0 - *magnitude : *magnitude);
    return v >= std::numeric_limits<T>::min() && v <= std::numeric_limits<T>::max() ? std::optional(static_cast<T>(v))
                                                                                    : std::nullopt;
  } else {
    if ((n.negative && *magnitude) || *magnitude > std::numeric_limits<T>::max()) return std::nullopt;
    return static_cast<T>(*magnitude);
  }
}

template <class T, class U>
bool store(T& to, const std::optional<U>& v) {
  if (v) to = *v;
  return v.has_value();
}

}  // namespace

bool is_plain(std::string_view name) {
  if (name.empty() || !is_letter(name[0])) return false;
  for (char c : name)
    if (!is_letter(c) && !is_digit(c) && c != '.') return false;
  return true;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text[0];
    size_t n = utf8_length(text);
    if (c == '"' || c == '\\') {
      out += '\\', out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (n == 0 || (c >= 0 && c < 0x20) || c == 0x7f) {
      const auto b = static_cast<unsigned char>(c);
      out += "\\x", out += kHex[b >> 4], out += kHex[b & 15];
      n = 1;
    } else {
      out += text.substr(0, n);
    }
    text.remove_prefix(n);
  }
  return out += '"';
}

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\', out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00", out += kHex[(c >> 4) & 15], out += kHex[c & 15];
    } else {
      out += c;
    }
  }
  return out += '"';
}

std::string spelled(std::string_view name) {
  return is_plain(name) ? std::string(name) : quoted(name);
}

std::optional<std::string> unescaped(std::string_view body) {
  std::string out;
  while (!body.empty()) {
    const size_t plain = std::min(body.find('\\'), body.size());
    out += body.substr(0, plain);
    body.remove_prefix(plain);
    if (body.empty()) break;
    if (body.size() < 2) return std::nullopt;
    size_t used = 2;
    switch (body[1]) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case '"':
      case '\\':
        out += body[1];
        break;
      case 'x':
        if (body.size() < 4 || hex_value(body[2]) < 0 || hex_value(body[3]) < 0) return std::nullopt;
        out += static_cast<char>(hex_value(body[2]) * 16 + hex_value(body[3]));
        used = 4;
        break;
      default:
        return std::nullopt;
    }
    body.remove_prefix(used);
  }
  return out;
}

std::string spelled_real(double v) {
  std::string out;
  append_real(out, v);
  return out;
}

void append_element(std::string& out, const Tensor& t, int64_t i) {
  visit_dtype(t.dtype(), [&]<class T>() {
    const T& v = t.span<T>()[static_cast<size_t>(i)];
    if constexpr (std::is_same_v<T, std::string>) {
      out += quoted(v);
    } else if constexpr (std::is_same_v<T, Bool>) {
      out += static_cast<bool>(v) ? "true" : "false";
    } else if constexpr (std::is_integral_v<T>) {
      out += std::to_string(v);
    } else if constexpr (kIsNarrowInt<T>) {
      out += std::to_string(static_cast<int>(v.value));
    } else if constexpr (kIsComplex<T>) {
      out += '(';
      append_real(out, v.real());
      out += ", ";
      append_real(out, v.imag());
      out += ')';
    } else {
      append_real(out, v);
    }
  });
}

std::optional<int64_t> to_int(const Number& n) {
  return parse_whole<int64_t>(n);
}
std::optional<double> to_real(const Number& n) {
  return parse_real<double>(n);
}

bool store_number(Tensor& t, int64_t i, const Number& n, int part) {
  return visit_dtype(t.dtype(), [&]<class T>() -> bool {
    if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Bool>) {
      return false;
    } else {
      T& to = t.mutable_span<T>()[static_cast<size_t>(i)];
      if constexpr (std::is_integral_v<T> || kIsNarrowInt<T>) {
        return store(to, parse_whole<T>(n));
      } else if constexpr (kIsComplex<T>) {
        using Real = typename T::value_type;
        return store(reinterpret_cast<Real(&)[2]>(to)[part], parse_real<Real>(n));
      } else {
        return store(to, parse_real<T>(n));
      }
    }
  });
}

}  // namespace tc::text
