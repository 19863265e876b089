#include "tc/ir/text/lexer.h"

#include <algorithm>

namespace tc::text {
namespace {

bool is_symbol_char(char c) {
  return is_letter(c) || is_digit(c);
}
bool is_word_char(char c) {
  return is_symbol_char(c) || c == '.';
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string_view filename) : text_(text), filename_(filename) {
  if (uint64_t{text.size()} >> 40) fail(ErrorCode::limit_size, filename, ": a text of ", text.size(), " bytes");
  read();
}

std::string Lexer::place(size_t offset) const {
  const std::string_view before = text_.substr(0, offset);
  const size_t line_start = before.rfind('\n') + 1;
  return cat(filename_, ":", std::count(before.begin(), before.end(), '\n') + 1, ":", offset - line_start + 1);
}

void Lexer::fail_text(size_t offset, std::string message, std::vector<std::string> notes) const {
  failed_ = true;
  throw Error({ErrorCode::bad_text, std::move(message), place(offset), {}, std::move(notes)});
}

void Lexer::fail_expected(std::string_view what) const {
  if (token_.kind == TokenKind::end) fail_at(token_.offset, "expected ", what, ", found the end of the text");
  std::string_view found = text_.substr(token_.offset, next_ - token_.offset);
  const bool cut = found.size() > 40;
  fail_at(token_.offset, "expected ", what, ", found ", quoted(found.substr(0, 40)), cut ? "..." : "");
}

void Lexer::fail_unknown(const Token& token, std::string message, std::string_view name,
                         const std::vector<std::string_view>& candidates) const {
  const std::string near = nearest(name, candidates);
  std::vector<std::string> notes;
  if (!near.empty()) notes.push_back(cat("did you mean ", near, "?"));
  fail_text(token.offset, std::move(message), std::move(notes));
}

size_t Lexer::string_end(size_t open) const {
  size_t i = open + 1;
  while (true) {
    i = text_.find_first_of("\"\\", i);
    if (i == text_.npos) fail_at(open, "this string has no closing quote");
    if (text_[i] == '"') return i;
    i += 2;
  }
}

void Lexer::read() {
  token_ = {};
  token_.new_line = next_ == 0;
  while (next_ < text_.size()) {
    const char c = text_[next_];
    if (c == '\n') {
      token_.new_line = true;
    } else if (text_.substr(next_, 2) == "//") {
      next_ = std::min(text_.find('\n', next_), text_.size());
      continue;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      break;
    }
    ++next_;
  }
  const size_t start = token_.offset = next_;
  if (start == text_.size()) return;
  const auto skip = [&](bool (*accepted)(char)) {
    while (next_ < text_.size() && accepted(text_[next_])) ++next_;
  };
  const char c = text_[next_++];
  if (is_letter(c)) {
    token_.kind = TokenKind::word;
    skip(is_word_char);
  } else if (is_digit(c)) {
    token_.kind = TokenKind::number;
    if (c == '0' && next_ < text_.size() && text_[next_] == 'x') {
      ++next_;
      skip(is_symbol_char);
    } else {
      skip(is_digit);
      if (next_ < text_.size() && text_[next_] == '.') ++next_, skip(is_digit);
      if (next_ < text_.size() && (text_[next_] == 'e' || text_[next_] == 'E')) {
        size_t exponent = next_ + 1;
        if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
        if (exponent < text_.size() && is_digit(text_[exponent])) next_ = exponent, skip(is_digit);
      }
    }
  } else if (c == '"') {
    token_.kind = TokenKind::string;
    next_ = string_end(start) + 1;
    token_.text = text_.substr(start + 1, next_ - start - 2);
    return;
  } else if (c == '%' || c == '@') {
    token_.kind = c == '%' ? TokenKind::value : TokenKind::label;
    if (next_ < text_.size() && text_[next_] == '"')
      next_ = string_end(next_) + 1;
    else
      skip(is_word_char);
    if (next_ == start + 1) fail_at(start, "expected a name after '", c, "'");
    if (next_ < text_.size() && text_[next_] == '#') ++next_, skip(is_digit);
    token_.text = text_.substr(start + 1, next_ - start - 1);
    return;
  } else if (c == '?') {
    token_.kind = TokenKind::symbol;
    skip(is_symbol_char);
    if (next_ == start + 1) fail_at(start, "expected a name after '?'");
  } else if (c > ' ' && c < 0x7f) {
    token_.kind = TokenKind::mark;
  } else {
    fail_at(start, "stray character ", quoted(text_.substr(start, 1)));
  }
  token_.text = text_.substr(start, next_ - start);
}

Token Lexer::next() {
  const Token t = token_;
  read();
  return t;
}

void Lexer::rewind(size_t position) {
  next_ = position;
  read();
}

bool Lexer::accept(char mark) {
  if (!at(mark)) return false;
  read();
  return true;
}

bool Lexer::accept_word(std::string_view word) {
  if (!at_word(word)) return false;
  read();
  return true;
}

void Lexer::expect(char mark, std::string_view what) {
  if (!accept(mark)) fail_expected(what);
}

Token Lexer::expect(TokenKind kind, std::string_view what) {
  if (token_.kind != kind) fail_expected(what);
  return next();
}

std::string Lexer::string(std::string_view what) {
  const Token t = expect(TokenKind::string, what);
  auto s = unescaped(t.text);
  if (!s) fail_at(t.offset, "this string has an escape other than \\n, \\t, \\\", \\\\ and \\xHH");
  return std::move(*s);
}

Label Lexer::label(TokenKind kind, std::string_view what) {
  const Token t = expect(kind, what);
  Label l;
  std::string_view rest = t.text;
  if (rest[0] == '"') {
    const size_t close = rest.rfind('"');
    auto name = unescaped(rest.substr(1, close - 1));
    if (!name || (name->empty() && kind == TokenKind::value))
      fail_at(t.offset, "this name is empty or has an escape other than \\n, \\t, \\\", \\\\ and \\xHH");
    l.name = std::move(*name);
    rest.remove_prefix(close + 1);
  } else {
    const size_t suffix = std::min(rest.find('#'), rest.size());
    const std::string_view name = rest.substr(0, suffix);
    rest.remove_prefix(suffix);
    if (std::all_of(name.begin(), name.end(), is_digit)) {
      if (!rest.empty()) fail_at(t.offset, "a numbered value takes no suffix");
      l.key = name;
      return l;
    }
    if (!is_plain(name))
      fail_at(t.offset, "expected a name or a number, found ", quoted(name), "; other names are quoted");
    l.name = name;
  }
  if (rest == "#") fail_at(t.offset, "expected a number after '#'");
  // The text of a number never starts with a quote.
  l.key = cat("\"", l.name, "\"", rest);
  return l;
}

Number Lexer::number(std::string_view what) {
  Number n;
  n.negative = accept('-');
  if (at_word("inf") || at_word("nan")) {
    n.word = next().text;
    if (n.word == "nan" && at('(') && !n.negative) {
      next();
      const Token code = expect(TokenKind::number, "the code of a NaN, such as 0x7fc00001");
      uint64_t bits = 0;
      if (!code.text.starts_with("0x") || code.text.size() < 3 || code.text.size() > 18)
        fail_at(code.offset, "expected up to 16 hexadecimal digits");
      for (char c : code.text.substr(2)) {
        const size_t v = std::string_view("0123456789abcdef").find(c);
        if (v == std::string_view::npos) fail_at(code.offset, "expected lower-case hexadecimal digits");
        bits = bits << 4 | v;
      }
      n.bits = bits;
      expect(')', "')' after the code of a NaN");
    }
    return n;
  }
  n.digits = expect(TokenKind::number, what).text;
  return n;
}

int64_t Lexer::integer(std::string_view what) {
  const size_t start = position();
  const auto v = to_int(number(what));
  if (!v) fail_at(start, "expected ", what, " that fits 64 bits");
  return *v;
}

}  // namespace tc::text
