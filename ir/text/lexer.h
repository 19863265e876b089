// Tokens of the textual IR, read on demand from a text that outlives the lexer; a saved position can be gone back to.
#pragma once

#include <string>
#include <string_view>

#include "tc/ir/diag.h"
#include "tc/ir/text/spelling.h"

namespace tc::text {

enum class TokenKind : uint8_t { end, word, number, string, value, label, symbol, mark };

struct Token {
  TokenKind kind = TokenKind::end;
  size_t offset = 0;
  std::string_view text;  // of a string: what stands between the quotes; of %value and @label: what follows the sigil
  bool new_line = false;  // the first token of its line
};

// A %value or @label, decoded.
struct Label {
  std::string name;  // without quotes and suffix; empty for numbers
  std::string key;   // equal keys are the same value
};

class Lexer {
 public:
  // Error limit_size beyond 2^40 bytes.
  Lexer(std::string_view text, std::string_view filename);

  const Token& peek() const { return token_; }
  Token next();
  bool at(char mark) const { return token_.kind == TokenKind::mark && token_.text[0] == mark; }
  bool at_word(std::string_view word) const { return token_.kind == TokenKind::word && token_.text == word; }
  bool accept(char mark);
  bool accept_word(std::string_view word);
  void expect(char mark, std::string_view what);
  Token expect(TokenKind kind, std::string_view what);

  std::string string(std::string_view what);  // a string token, unescaped
  Label label(TokenKind kind, std::string_view what);
  Number number(std::string_view what);  // with sign, nan and inf
  int64_t integer(std::string_view what);

  size_t position() const { return token_.offset; }
  void rewind(size_t position);
  size_t remaining() const { return text_.size() - token_.offset; }

  // "FILE:LINE:COLUMN"
  std::string place(size_t offset) const;
  // Error bad_text at the token.
  template <class... Parts>
  [[noreturn]] void fail_at(size_t offset, const Parts&... parts) const {
    fail_text(offset, cat(parts...), {});
  }
  // "expected WHAT, found ..."
  [[noreturn]] void fail_expected(std::string_view what) const;
  // With a note "did you mean ...?" when a candidate is near.
  [[noreturn]] void fail_unknown(const Token& token, std::string message, std::string_view name,
                                 const std::vector<std::string_view>& candidates) const;
  // Whether an error has been located by this lexer.
  bool failed() const { return failed_; }

 private:
  [[noreturn]] void fail_text(size_t offset, std::string message, std::vector<std::string> notes) const;
  void read();
  size_t string_end(size_t open) const;
  std::string_view text_, filename_;
  size_t next_ = 0;
  Token token_;
  mutable bool failed_ = false;
};

}  // namespace tc::text
