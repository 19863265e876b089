// Host tensors and run-time values. A Tensor is a cheap handle on immutable or exclusively owned row-major data, shaped
// like a DLPack tensor (pointer, extents, element type, owner); writing to shared or borrowed data copies it first.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tc/ir/diag.h"
#include "tc/ir/dtype.h"
#include "tc/ir/type.h"

namespace tc {

using Extents = std::vector<int64_t>;

// Product of the extents; Error limit_size when negative extents or overflow.
int64_t element_count(const Extents& extents);
// Row-major strides in elements.
Extents row_major_strides(const Extents& extents);

// Memory that a file backs: pages given back are read again when they are touched.
class MappedMemory {
 public:
  virtual ~MappedMemory() = default;
  virtual void give_back(const void* data, size_t bytes) const = 0;
  // Maps the pages at once, for data that is about to be read from one end to the other.
  virtual void fetch(const void* data, size_t bytes) const = 0;
};

class Tensor {
 public:
  Tensor() = default;  // undefined: no data, extent list empty
  // Fresh zeroed memory, aligned to 64 bytes. Error limit_size / limit_memory when it cannot be had.
  Tensor(DType dtype, Extents extents);
  // Borrows `data`, which `owner` keeps alive and which may be misaligned. Not for strings.
  static Tensor view(DType dtype, Extents extents, const void* data, std::shared_ptr<const void> owner,
                     const MappedMemory* mapped = nullptr);
  // As view, for memory that may also be written through mutable_data().
  static Tensor borrow(DType dtype, Extents extents, void* data, std::shared_ptr<void> owner);
  // Nested braces of numbers: Tensor{{1.f, 2.f}, {3.f, 4.f}} is f32[2,2]. The element type is that of the C++ numbers.
  // Error bad_shape when rows differ in length.
  template <class T>
  requires std::is_arithmetic_v<T> Tensor(std::initializer_list<T> list)
      : Tensor(of_list<T>({static_cast<int64_t>(list.size())}, list)) {}
  template <class T>
  requires std::is_arithmetic_v<T> Tensor(std::initializer_list<std::initializer_list<T>> rows)
      : Tensor(joined(std::vector<Tensor>(rows.begin(), rows.end()))) {}
  template <class T>
  requires std::is_arithmetic_v<T> Tensor(
      std::initializer_list<std::initializer_list<std::initializer_list<T>>> matrices)
      : Tensor(joined(std::vector<Tensor>(matrices.begin(), matrices.end()))) {}
  // T may be any C++ number or bool as well as the storage of an element type.
  template <class T>
  static Tensor of(Extents extents, const std::vector<T>& values) {
    return of_list<T>(std::move(extents), values);
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  static Tensor of(Extents extents, std::initializer_list<T> values) { return of_list<T>(std::move(extents), values); }
  template <class T>
  requires(!std::is_same_v<Literal<T>, T>) static Tensor of(Extents extents, std::initializer_list<Literal<T>> values) {
    return of_list<T>(std::move(extents), values);
  }
  template <class T>
  static Tensor scalar(T value) {
    return of<T>({}, std::vector<T>{std::move(value)});
  }

  bool defined() const { return data_ != nullptr; }
  DType dtype() const { return dtype_; }
  const Extents& extents() const { return extents_; }
  int rank() const { return static_cast<int>(extents_.size()); }
  int64_t extent(int i) const { return extents_[static_cast<size_t>(i)]; }
  int64_t size() const { return size_; }  // elements
  size_t bytes() const { return static_cast<size_t>(size_) * size_of(dtype_); }
  Type type() const { return Type::tensor(dtype_, Shape::of(extents_)); }

  const void* data() const { return data_; }
  void* mutable_data();                                                    // unshares first
  bool exclusive() const { return writable_ && owner_.use_count() == 1; }  // nobody else sees writes
  bool aligned() const;                                                    // to the element size
  const std::shared_ptr<const void>& owner() const { return owner_; }

  // Elements; the type must match and, for views, be aligned (see aligned_copy).
  template <class T>
  std::span<const T> span() const {
    TC_CHECK(dtype_of<T> == dtype_, "tensor is ", name(dtype_));
    TC_CHECK(aligned(), "misaligned view");
    return {static_cast<const T*>(data_), static_cast<size_t>(size_)};
  }
  template <class T>
  std::span<T> mutable_span() {
    TC_CHECK(dtype_of<T> == dtype_, "tensor is ", name(dtype_));
    return {static_cast<T*>(mutable_data()), static_cast<size_t>(size_)};
  }

  // The elements in order, whatever their alignment; bool for booleans. Error bad_type when they are no T.
  template <class T>
  std::vector<T> to_vector() const {
    expect_type(dtype_of<Stored<T>>);
    const Tensor t = aligned_copy();
    std::vector<T> result;
    result.reserve(static_cast<size_t>(size_));
    for (const auto& x : t.span<Stored<T>>()) result.push_back(static_cast<T>(x));
    return result;
  }
  // The element at a place as a number; negative indices count from the end. Error bad_argument for a wrong number of
  // indices or one out of range, bad_type for elements that are no real numbers.
  template <std::integral... I>
  double operator()(I... indices) const {
    return number(Extents{static_cast<int64_t>(indices)...});
  }

  bool is_mapped() const { return mapped_ != nullptr; }  // a view of a mapped file
  // Gives back the pages of a view of a mapped file, for data that will hardly be read again; nothing for other memory.
  void discard_pages() const {
    if (mapped_ && size_) mapped_->give_back(data_, bytes());
  }
  void prefault_pages() const {
    if (mapped_ && size_) mapped_->fetch(data_, bytes());
  }
  Tensor without_data() const;             // its type and extents; not defined
  Tensor reshaped(Extents extents) const;  // same data, same count
  Tensor aligned_copy() const;             // itself when aligned
  Tensor clone() const;
  // Bitwise equality of type, extents and elements.
  bool identical(const Tensor& o) const;

 private:
  template <class T, class List>
  static Tensor of_list(Extents extents, const List& values) {
    Tensor t(dtype_of<Stored<T>>, std::move(extents));
    TC_CHECK(static_cast<size_t>(t.size()) == values.size(), "element count");
    auto out = t.mutable_span<Stored<T>>().begin();
    for (const auto& x : values) *out++ = static_cast<Stored<T>>(x);
    return t;
  }
  static Tensor joined(const std::vector<Tensor>& parts);  // along a new first axis
  void expect_type(DType t) const;
  double number(const Extents& indices) const;

  DType dtype_ = DType::f32;
  Extents extents_;
  int64_t size_ = 0;
  const void* data_ = nullptr;
  std::shared_ptr<const void> owner_;
  const MappedMemory* mapped_ = nullptr;  // kept alive by owner_
  bool writable_ = false;
};

// The type, and the elements in nested braces; of many, the first and the last ones.
std::ostream& operator<<(std::ostream& out, const Tensor& t);

// Elements converted to i64; for shapes, axes and other small integer operands. Error bad_type for non-integers.
std::vector<int64_t> to_i64(const Tensor& t);
// The only element, converted.
double scalar_f64(const Tensor& t);

class Datum;
struct Sequence {
  std::vector<Datum> items;
};
// Keys are i64 or strings; entries are kept in insertion order.
struct Map {
  std::vector<std::pair<std::variant<int64_t, std::string>, Datum>> entries;
};

// A run-time value: nothing (an absent operand or empty optional), tensor, sequence or map.
class Datum {
 public:
  Datum() = default;
  Datum(Tensor t) : v_(std::move(t)) {}
  Datum(Sequence s) : v_(std::make_shared<const Sequence>(std::move(s))) {}
  Datum(Map m) : v_(std::make_shared<const Map>(std::move(m))) {}
  bool empty() const { return v_.index() == 0; }
  bool is_tensor() const { return v_.index() == 1; }
  bool is_sequence() const { return v_.index() == 2; }
  bool is_map() const { return v_.index() == 3; }
  const Tensor& tensor() const {
    TC_CHECK(is_tensor(), "value is not a tensor");
    return std::get<1>(v_);
  }
  const std::vector<Datum>& items() const {
    TC_CHECK(is_sequence(), "value is not a sequence");
    return std::get<2>(v_)->items;
  }
  const Map& map() const {
    TC_CHECK(is_map(), "value is not a map");
    return *std::get<3>(v_);
  }

 private:
  std::variant<std::monostate, Tensor, std::shared_ptr<const Sequence>, std::shared_ptr<const Map>> v_;
};

}  // namespace tc
