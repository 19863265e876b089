// What all functions of the C API share: error codes, handles that can be told from each other, and the guard that
// turns exceptions into statuses.
//
// Invariants: each handle begins with a number that says what it is, which its destructor overwrites; a function reads
// it before anything else, so that a null or mistaken handle is an error of the caller that is told. No exception
// leaves the library.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "tc/ir/diag.h"

namespace tc::dropin {

// OrtErrorCode.
enum class Code : int {
  ok = 0,
  failed = 1,
  invalid_argument = 2,
  no_such_file = 3,
  runtime_exception = 6,
  invalid_protobuf = 7,
  not_implemented = 9,
  invalid_graph = 10,
  load_cancelled = 12,
};

class Fault : public std::exception {
 public:
  template <class... Parts>
  explicit Fault(Code code, const Parts&... parts) : code_(code), text_(cat(parts...)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  Code code() const { return code_; }

 private:
  Code code_;
  std::string text_;
};

constexpr uint64_t magic_of(const char* name) {
  uint64_t h = 0xcbf29ce484222325u;
  for (; *name; ++name) h = (h ^ static_cast<uint8_t>(*name)) * 0x100000001b3u;
  return h;
}

// The base of handle H, whose H::kName is what the API calls it.
template <class H>
class Tagged {
 public:
  Tagged() : magic_(magic_of(H::kName)) {}
  Tagged(const Tagged&) : Tagged() {}
  Tagged& operator=(const Tagged&) { return *this; }
  ~Tagged() { *const_cast<volatile uint64_t*>(&magic_) = 0; }
  bool genuine() const { return *const_cast<const volatile uint64_t*>(&magic_) == magic_of(H::kName); }

 private:
  uint64_t magic_;
};

template <class H>
H& checked(H* handle) {
  using Plain = std::remove_const_t<H>;
  if (!handle) throw Fault(Code::invalid_argument, "the ", Plain::kName, " is null");
  if (!handle->genuine()) throw Fault(Code::invalid_argument, "a handle that is no ", Plain::kName);
  return *handle;
}

// A pointer to what a function reads or writes, which must not be null.
template <class T>
T* not_null(T* p, const char* name) {
  if (!p) throw Fault(Code::invalid_argument, "the argument '", name, "' is null");
  return p;
}
template <class T>
T& needed(T* p, const char* name) {
  return *not_null(p, name);
}
template <class T>
T& result(T* p) {
  return needed(p, "out");
}
// What f() makes is written to `out`, which is known to be there before; null when it fails.
template <class T, class F>
void make(T** out, F&& f) {
  T*& r = result(out);
  r = nullptr;
  r = f();
}
inline const char* text(const char* p, const char* name) {
  return not_null(p, name);
}
// The first of n elements; of none, whatever was given.
template <class T>
T* list(T* p, size_t n, const char* name) {
  return n ? not_null(p, name) : p;
}

struct OrtStatus : Tagged<OrtStatus> {
  static constexpr const char* kName = "OrtStatus";
  OrtStatus(Code c, std::string m) : code(c), message(std::move(m)) {}
  Code code;
  std::string message;
};

// What went wrong decides the code, and for some errors whether a model was being loaded.
enum class During : uint8_t { load, call };
// The status of the exception that is being handled.
OrtStatus* status_of_exception(During during) noexcept;

template <class F>
OrtStatus* guard(F&& f, During during = During::call) noexcept {
  try {
    f();
    return nullptr;
  } catch (...) {
    return status_of_exception(during);
  }
}
// For functions that have no way to report an error: `otherwise` then.
template <class T, class F>
T quietly(T otherwise, F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    return otherwise;
  }
}
template <class H>
void release(H* handle) noexcept {
  if (handle && handle->genuine()) delete handle;
}

}  // namespace tc::dropin
