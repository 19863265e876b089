// NumPy's indexing, and functional updates of what an index selects.
//
//   x[0]  x[{tc::ellipsis, tc::slice(1, -1)}]  x[{mask}]  x.at(rows, tc::newaxis, tc::slice({}, {}, -1))
//   x = x.at(tc::slice(1, {})).set(0);         // x is the new value; the old one is unchanged
//
// An index is an integer, a range, newaxis, ellipsis, a boolean mask or an array of integers; integers and the bounds
// of ranges may be Vars. Negative ones count from the end, ranges are clamped as in Python. Arrays broadcast against
// each other; their axes take the place of the first one, or come first when something stands between them. Error
// bad_argument for too many indices or a constant index out of range, bad_type for an array of another type; an index
// that turns out to be out of range stops the run.
#pragma once

#include "tc/frontend/dsl/var.h"

namespace tc {

inline constexpr struct NewAxis {
} newaxis;
inline constexpr struct Ellipsis {
} ellipsis;

struct IndexRange;
namespace dsl {
template <class T>
inline constexpr bool only_an_index =
    std::same_as<T, NewAxis> || std::same_as<T, Ellipsis> || std::same_as<T, IndexRange>;
}  // namespace dsl

// An end of a range: {} is open; a Var is a scalar integer.
class Bound {
 public:
  Bound() = default;
  template <std::integral T>
  Bound(T n) : value_(Dim(static_cast<int64_t>(n))) {}
  Bound(Dim d) : value_(std::move(d)) {}
  Bound(Var v) : value_(std::move(v)) {}
  bool open() const { return value_.index() == 0; }
  const std::variant<std::monostate, Dim, Var>& value() const { return value_; }

 private:
  std::variant<std::monostate, Dim, Var> value_;
};

// Python's start:stop:step. slice() is all of an axis, slice(n) its first n.
struct IndexRange {
  Bound start = {}, stop = {}, step = {};
};
inline IndexRange slice(Bound stop = {}) {
  return {{}, std::move(stop), {}};
}
inline IndexRange slice(Bound start, Bound stop, Bound step = {}) {
  return {std::move(start), std::move(stop), std::move(step)};
}

// x[slice(0, 1), 2] is what C++ calls a comma operator, which would drop the first index: it is x[{slice(0, 1), 2}].
template <class A, class B>
requires(dsl::only_an_index<A> || dsl::only_an_index<B>) void operator,(const A&, const B&) = delete;

class Index {
 public:
  template <std::integral T>
  requires(!std::same_as<T, bool>) Index(T i, Location at = Location::current())
      : content_(static_cast<int64_t>(i)), at_(at) {}
  Index(IndexRange r, Location at = Location::current()) : content_(std::move(r)), at_(at) {}
  Index(NewAxis n, Location at = Location::current()) : content_(n), at_(at) {}
  Index(Ellipsis e, Location at = Location::current()) : content_(e), at_(at) {}
  Index(Var v, Location at = Location::current()) : content_(std::move(v)), at_(at) {}
  // Other handles and host arrays. Templates, so that braces mean none of these.
  template <class T>
  requires(std::same_as<T, Param> || std::same_as<T, Indexed> || std::same_as<T, Tensor> ||
           std::same_as<T, std::vector<int64_t>>) Index(const T& v, Location at = Location::current())
      : content_(array(v, at)), at_(at) {}
  using Content = std::variant<int64_t, IndexRange, NewAxis, Ellipsis, Var>;
  const Content& content() const { return content_; }
  const Location& at() const { return at_; }

 private:
  static Var array(Arg v, Location at);
  static Var array(const std::vector<int64_t>& v, Location at);
  Content content_;
  Location at_;
};

// The part of x that indices select.
class [[nodiscard]] Indexed {
 public:
  Indexed(const Indexed&) = default;
  Indexed(Indexed&&) = default;
  Indexed& operator=(const Indexed&) = delete;  // would change no tensor: see set
  ~Indexed() = default;
  Indexed(Var x, std::vector<Index> indices) : x_(std::move(x)), indices_(std::move(indices)) {}
  operator Var() const { return get(); }
  Var get() const;
  // x with the part replaced by, or combined with, a value that broadcasts to it. Where an index array names a place
  // more than once, set keeps one of the values and the others combine all of them.
  Var set(Arg value) const;
  Var add(Arg value) const;
  Var multiply(Arg value) const;
  Var min(Arg value) const;
  Var max(Arg value) const;

 private:
  Var x_;
  std::vector<Index> indices_;
};

template <class... I>
Indexed Var::at(Index first, I&&... more) const {
  return Indexed(*this, std::vector<Index>{std::move(first), Index(std::forward<I>(more))...});
}

}  // namespace tc
