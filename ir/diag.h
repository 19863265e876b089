// Errors. The library throws exactly one type, `tc::Error`; it carries a Diagnostic that names the place and the cause.
// `Frame` objects on the stack of the throwing thread become the diagnostic's context, innermost first.
#pragma once

#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tc {

enum class ErrorCode {
#define TC_ERROR(id, spelling, doc) id,
#include "tc/ir/diag.def"
#undef TC_ERROR
};

std::string_view to_string(ErrorCode code);

struct Diagnostic {
  ErrorCode code;
  std::string message;               // what was found, what was expected
  std::string location;              // ONNX node name or file:line; may be empty
  std::vector<std::string> context;  // "in pass fuse", innermost first
  std::vector<std::string> notes;    // what to do about it; further findings

  // One line, then one indented line per context frame and note.
  std::string str() const;
};

class Error : public std::exception {
 public:
  explicit Error(Diagnostic d);
  Error(ErrorCode code, std::string message) : Error(Diagnostic{code, std::move(message), {}, {}, {}}) {}
  const char* what() const noexcept override { return text_.c_str(); }
  const Diagnostic& diagnostic() const { return diagnostic_; }
  ErrorCode code() const { return diagnostic_.code; }

 private:
  Diagnostic diagnostic_;
  std::string text_;
};

// Names what the current thread is doing while it lives: `Frame f("pass", "fuse");` → context line "in pass fuse".
// Keeps views: both strings must outlive the frame.
class Frame {
 public:
  Frame(std::string_view kind, std::string_view name);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

 private:
  friend class Error;
  std::string_view kind_, name_;
  const Frame* outer_;
};

namespace detail {

// A string stream whose making and ending are no code of the caller's: `cat` stands in thousands of places.
class Text {
 public:
  Text();
  ~Text();
  std::ostream& out() { return stream_; }
  std::string str() const;

 private:
  std::ostringstream stream_;
};

// Literals of all lengths are one type.
template <class T>
const T& shown(const T& v) {
  return v;
}
inline const char* shown(const char* v) {
  return v;
}

template <class... Parts>
std::string join(const Parts&... parts) {
  Text text;
  (text.out() << ... << parts);
  return text.str();
}

}  // namespace detail

// Concatenates anything that has operator<< into a string.
template <class... Parts>
std::string cat(const Parts&... parts) {
  return detail::join(detail::shown(parts)...);
}

template <class... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  throw Error(code, cat(parts...));
}

// The candidate nearest to `name` by edit distance, or empty when none is near: for "did you mean" notes.
std::string nearest(std::string_view name, const std::vector<std::string_view>& candidates);

[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& message);

}  // namespace tc

// For our own bugs; stays on in release builds.
#define TC_CHECK(condition, ...)                     \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? void()                                      \
       : ::tc::check_failed(#condition, __FILE__, __LINE__, ::tc::cat(__VA_ARGS__)))
