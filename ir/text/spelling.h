// How names, strings, numbers and tensor elements are spelled in the textual IR. Every spelling reads back as exactly
// the same bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tc/ir/tensor.h"

namespace tc::text {

inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
// [A-Za-z_][A-Za-z0-9_.]*: names that need no quotes.
bool is_plain(std::string_view name);
// In double quotes; control characters, quotes, backslashes and bytes that are not UTF-8 are escaped.
std::string quoted(std::string_view text);
// In double quotes as JSON has it; bytes that are not UTF-8 stay as they are.
std::string json_quoted(std::string_view text);
// The name itself when it is plain, else quoted.
std::string spelled(std::string_view name);
// Reads what stands between the quotes; nothing when an escape is malformed.
std::optional<std::string> unescaped(std::string_view body);

// The shortest decimal that reads back as the same double; inf, nan, nan(0xBITS) for unusual NaNs.
std::string spelled_real(double v);
// Element i of an aligned tensor.
void append_element(std::string& out, const Tensor& t, int64_t i);

// A number as it stands in the text: sign and digits apart. `word` is nan or inf, or empty; `bits` the code of a NaN.
struct Number {
  bool negative = false;
  std::string_view digits;  // as the lexer found them
  std::string_view word;
  std::optional<uint64_t> bits;
};
// The whole number, when `n` is one that fits 64 bits.
std::optional<int64_t> to_int(const Number& n);
std::optional<double> to_real(const Number& n);
// Writes element i of an owned tensor that is neither string nor complex (`part` 1 is the imaginary part of a complex
// one); false when the number does not fit the type.
bool store_number(Tensor& t, int64_t i, const Number& n, int part = 0);

}  // namespace tc::text
