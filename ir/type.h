// Types of values. An extent (`Dim`) is an integer or a symbolic expression in normal form, so equality of normal forms
// is equality of extents for every binding of the symbols. Symbols stand for extents: they are never negative.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tc/ir/dtype.h"

namespace tc {

inline constexpr int kMaxRank = 32;

// An integer polynomial over atoms; an atom is a symbol or floordiv/mod/max/min/broadcast of two polynomials.
// Arithmetic is overflow-checked (Error limit_size). An expression that grows beyond 4096 characters collapses into
// an opaque symbol named by its hash: still equal to itself, no longer computable.
class Dim {
 public:
  enum class Op : uint8_t { symbol, floordiv, mod, max, min, broadcast };
  struct Atom;
  struct Term {
    std::vector<std::shared_ptr<const Atom>> atoms;  // sorted by key; empty for the constant term
    int64_t coefficient;
  };
  struct Poly {
    std::vector<Term> terms;  // sorted by key, no zero coefficients
    std::string key;          // the canonical spelling
  };
  struct Atom {
    Op op;
    std::string key;  // the canonical spelling; names of symbols that could be taken for an expression are quoted
    std::vector<Dim> args;
    std::string name;  // of a symbol
  };

  Dim() = default;
  Dim(int64_t value) : value_(value) {}
  static Dim symbol(std::string name);

  bool is_const() const { return !poly_; }
  int64_t value() const { return value_; }  // only when is_const()
  bool is(int64_t v) const { return is_const() && value_ == v; }
  bool is_symbol() const;
  const std::string& symbol_name() const;  // only when is_symbol()
  const Poly* poly() const { return poly_.get(); }
  std::string str() const;

  friend bool operator==(const Dim& a, const Dim& b);
  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  Dim& operator+=(const Dim& o) { return *this = *this + o; }
  Dim& operator*=(const Dim& o) { return *this = *this * o; }

  // The value under a binding of symbols, or nothing when a symbol is unbound or a divisor is 0.
  using Lookup = std::function<std::optional<int64_t>(const std::string&)>;
  std::optional<int64_t> eval(const Lookup& lookup) const;
  // Replaces symbols for which `lookup` returns a Dim.
  Dim substitute(const std::function<std::optional<Dim>(const std::string&)>& lookup) const;
  // Bounds that hold for every binding.
  int64_t lower_bound() const;
  void for_each_symbol(const std::function<void(const std::string&)>& f) const;

 private:
  friend struct DimBuilder;
  int64_t value_ = 0;
  std::shared_ptr<const Poly> poly_;
};

Dim floordiv(const Dim& a, const Dim& b);  // rounds towards minus infinity
Dim ceildiv(const Dim& a, const Dim& b);
Dim mod(const Dim& a, const Dim& b);  // a - b * floordiv(a, b)
Dim max(const Dim& a, const Dim& b);
Dim min(const Dim& a, const Dim& b);
Dim broadcast(const Dim& a, const Dim& b);  // b if a is 1, else a: the extent of a broadcast of compatible extents
// Of nonzero b; Error limit_size where the quotient overflows.
int64_t floordiv(int64_t a, int64_t b);
int64_t mod(int64_t a, int64_t b);
std::ostream& operator<<(std::ostream& out, const Dim& d);

using Dims = std::vector<Dim>;

// Dims of a known rank, or nothing known.
class Shape {
 public:
  Shape() = default;  // unknown rank
  Shape(Dims dims);   // Error limit_rank beyond kMaxRank
  Shape(std::initializer_list<Dim> dims) : Shape(Dims(dims)) {}
  static Shape of(const std::vector<int64_t>& dims) { return Shape(Dims(dims.begin(), dims.end())); }

  bool ranked() const { return ranked_; }
  int rank() const { return static_cast<int>(dims_.size()); }  // only when ranked()
  const Dims& dims() const { return dims_; }
  const Dim& operator[](int i) const { return dims_[static_cast<size_t>(i)]; }
  bool is_static() const;
  std::vector<int64_t> extents() const;  // only when is_static()
  Dim count() const;                     // product of the extents
  bool operator==(const Shape&) const = default;

 private:
  bool ranked_ = false;
  Dims dims_;
};
std::ostream& operator<<(std::ostream& out, const Shape& s);

// none (an absent optional operand), tensor, or sequence/optional/map of element types.
class Type {
 public:
  enum class Kind : uint8_t { none, tensor, sequence, optional, map };
  Type() = default;
  static Type tensor(DType t, Shape s) { return Type(Kind::tensor, t, std::move(s), nullptr); }
  static Type sequence(Type element);
  static Type optional(Type element);
  static Type map(DType key, Type value);

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::none; }
  bool is_tensor() const { return kind_ == Kind::tensor; }
  DType dtype() const { return dtype_; }         // of a tensor; the key type of a map
  const Shape& shape() const { return shape_; }  // of a tensor
  const Type& element() const;                   // of a sequence, optional or map
  std::string str() const;  // f32[N,784], f32[*] for unknown rank, seq<...>, optional<...>, map<i64,...>
  bool operator==(const Type& o) const;

 private:
  Type(Kind k, DType t, Shape s, std::shared_ptr<const Type> e)
      : kind_(k), dtype_(t), shape_(std::move(s)), element_(std::move(e)) {}
  Kind kind_ = Kind::none;
  DType dtype_ = DType::f32;
  Shape shape_;
  std::shared_ptr<const Type> element_;
};
std::ostream& operator<<(std::ostream& out, const Type& t);

// True when a value of type `actual` may flow where `expected` is declared: same kinds and element types, and no
// extent pair that is known to differ.
bool compatible(const Type& expected, const Type& actual);

}  // namespace tc
