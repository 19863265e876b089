// Handles of the C++ DSL. A Var is a value of the program that is being traced; functions of Vars append to that
// program, infer types and symbolic shapes as they go, and throw tc::Error at the line that called them.
//
// Every tensor argument of a function is an Arg: a Var, a host tensor, or a C++ number. Numbers are weak: they take the
// element type of the tensor beside them (x + 1 has the type of x, whatever that is). So do results of arithmetic and
// of `where` that come of numbers alone: where(c, 1, 0) * x has the type of x, too.
#pragma once

#include <concepts>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <source_location>
#include <string>
#include <variant>
#include <vector>

#include "tc/ir/tensor.h"
#include "tc/ir/type.h"

namespace tc {

class Value;
class Index;
class Indexed;
class Param;
namespace dsl {
class Tracer;
}

// Where the user's program calls: functions take it as a default argument, errors and nodes carry it.
using Location = std::source_location;

inline constexpr DType f16 = DType::f16, bf16 = DType::bf16, f32 = DType::f32, f64 = DType::f64;
inline constexpr DType i8 = DType::i8, i16 = DType::i16, i32 = DType::i32, i64 = DType::i64;
inline constexpr DType u8 = DType::u8, u16 = DType::u16, u32 = DType::u32, u64 = DType::u64;
inline constexpr DType f8e4m3fn = DType::f8e4m3fn, f8e5m2 = DType::f8e5m2;
inline constexpr DType bool_ = DType::boolean, c64 = DType::c64, c128 = DType::c128;

class [[nodiscard]] Var {
 public:
  Var() = default;  // undefined: an absent optional argument
  Var(const Var&) = default;
  Var(Var&&) = default;
  // Of variables only: x[0] = y would change nothing. It is x = x.at(0).set(y).
  Var& operator=(const Var&) & = default;
  Var& operator=(Var&&) & = default;
  ~Var() = default;
  bool defined() const { return value_ != nullptr; }

  const Type& type() const;
  DType dtype() const;
  // The three below: Error bad_shape where the rank is unknown.
  int rank() const;
  const Dims& shape() const;
  Dim dim(int axis) const;  // negative axes count from the end; Error bad_argument out of range
  Dim size() const;         // the number of elements

  // The elements of an array: a value that was computed at once (eager.h, jit.h). Error bad_argument for a value of a
  // program that is being traced.
  const Tensor& tensor(Location at = Location::current()) const;

  // Names the value in printed and exported programs.
  const Var& named(std::string name) const&;
  Var named(std::string name) &&;

  // x[i] and x[{i, j}]: see index.h.
  Var operator[](Index i) const;
  Var operator[](std::initializer_list<Index> indices) const;
  template <class... I>
  Indexed at(Index first, I&&... more) const;

  // Its type, or the elements of an array.
  friend std::ostream& operator<<(std::ostream& out, const Var& v);

  // For the library's own use.
  Var(std::shared_ptr<dsl::Tracer> tracer, Value* value) : tracer_(std::move(tracer)), value_(value) {}
  Value* value() const { return value_; }
  const std::shared_ptr<dsl::Tracer>& tracer() const { return tracer_; }

 private:
  std::shared_ptr<dsl::Tracer> tracer_;
  Value* value_ = nullptr;
};

// The results of a call; where there is one alone, it can be used as that one. Error bad_argument where there are
// others.
template <class T>
class Results : public std::vector<T> {
 public:
  explicit Results(std::vector<T> list) : std::vector<T>(std::move(list)) {}
  operator const T&() const {
    if (this->size() != 1) fail(ErrorCode::bad_argument, "a call has ", this->size(), " results, one is needed");
    return this->front();
  }
};

// A tensor argument, and the line of the call it was made for. An optional one is absent when it is {}.
class Arg {
 public:
  Arg(Location at = Location::current()) : at_(at) {}
  Arg(Var v, Location at = Location::current()) : content_(std::move(v)), at_(at) {}
  Arg(Tensor t, Location at = Location::current()) : content_(std::move(t)), at_(at) {}
  Arg(const Param& p, Location at = Location::current());
  Arg(const Indexed& part, Location at = Location::current());
  Arg(const Results<Var>& only, Location at = Location::current()) : Arg(static_cast<const Var&>(only), at) {}
  Arg(Dim d, Location at = Location::current()) : content_(std::move(d)), at_(at) {}
  Arg(bool b, Location at = Location::current()) : content_(b), at_(at) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Arg(T i, Location at = Location::current()) : content_(checked(i, at)), at_(at) {}
  template <std::floating_point T>
  Arg(T x, Location at = Location::current()) : content_(static_cast<double>(x)), at_(at) {}

  using Content = std::variant<Var, Tensor, Dim, bool, int64_t, double>;
  const Content& content() const { return content_; }
  const Location& at() const { return at_; }
  bool absent() const { return std::holds_alternative<Var>(content_) && !std::get<Var>(content_).defined(); }
  // A number without an element type of its own.
  bool weak() const { return !std::holds_alternative<Var>(content_) && !std::holds_alternative<Tensor>(content_); }

 private:
  template <class T>
  static int64_t checked(T i, const Location& at) {
    if constexpr (std::unsigned_integral<T> && sizeof(T) == sizeof(int64_t))
      if (i > static_cast<T>(INT64_MAX)) too_large(at);
    return static_cast<int64_t>(i);
  }
  [[noreturn]] static void too_large(const Location& at);
  Content content_;
  Location at_;
};

// What a program takes as a tensor and is no number.
template <class T>
concept TensorHandle =
    std::same_as<T, Var> || std::same_as<T, Tensor> || std::same_as<T, Param> || std::same_as<T, Indexed>;

// Several tensor arguments: {a, b, 2} or a vector of Vars.
class Args {
 public:
  Args(std::initializer_list<Arg> list) : list_(list) {}
  Args(std::vector<Arg> list) : list_(std::move(list)) {}
  Args(const std::vector<Var>& vars, Location at = Location::current()) {
    for (const Var& v : vars) list_.emplace_back(v, at);
  }
  size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  const Arg& operator[](size_t i) const { return list_[i]; }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<Arg> list_;
};

}  // namespace tc
