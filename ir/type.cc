#include "tc/ir/type.h"

#include <algorithm>
#include <limits>
#include <ostream>

#include "tc/ir/diag.h"
#include "tc/ir/text/spelling.h"

namespace tc {
namespace {

using AtomPtr = std::shared_ptr<const Dim::Atom>;
constexpr size_t kMaxKey = 4096;

int64_t checked_add(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) fail(ErrorCode::limit_size, "extent arithmetic overflows: ", a, " + ", b);
  return r;
}
int64_t checked_mul(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) fail(ErrorCode::limit_size, "extent arithmetic overflows: ", a, " * ", b);
  return r;
}

std::string term_key(const Dim::Term& t) {
  std::string key;
  for (const auto& a : t.atoms) key += (key.empty() ? "" : "*") + a->key;
  return key;
}

// A plain name, or ? and letters and digits.
std::string symbol_key(const std::string& name) {
  const bool fresh = name[0] == '?' && text::is_plain("_" + name.substr(1)) && name.find('.') == name.npos;
  return fresh ? name : text::spelled(name);
}

int64_t constant_term(const Dim::Poly& p) {
  for (const auto& t : p.terms)
    if (t.atoms.empty()) return t.coefficient;
  return 0;
}

}  // namespace

struct DimBuilder {
  static Dim from_terms(std::vector<Dim::Term> terms) {
    // Terms with their keys, sorted; the constant term (empty key) is written last.
    std::map<std::string, Dim::Term> merged;
    for (auto& t : terms) {
      auto key = term_key(t);
      auto [it, fresh] = merged.try_emplace(key, t);
      if (!fresh) it->second.coefficient = checked_add(it->second.coefficient, t.coefficient);
    }
    auto poly = std::make_shared<Dim::Poly>();
    int64_t constant = 0;
    for (auto& [key, t] : merged) {
      if (t.coefficient == 0) continue;
      if (t.atoms.empty()) {
        constant = t.coefficient;
        continue;
      }
      const bool negative = t.coefficient < 0;
      if (negative)
        poly->key += "-";
      else if (!poly->key.empty())
        poly->key += "+";
      if (t.coefficient != 1 && t.coefficient != -1) {
        std::string digits = std::to_string(t.coefficient);
        poly->key += (negative ? digits.substr(1) : digits) + "*";
      }
      poly->key += key;
      poly->terms.push_back(std::move(t));
    }
    if (poly->terms.empty()) return Dim(constant);
    if (constant) {
      poly->key += (constant > 0 ? "+" : "") + std::to_string(constant);
      poly->terms.push_back({{}, constant});
    }
    if (poly->key.size() > kMaxKey) return Dim::symbol(cat("?h", std::hash<std::string>()(poly->key)));
    Dim d;
    d.poly_ = std::move(poly);
    return d;
  }
  static std::vector<Dim::Term> terms(const Dim& d) {
    if (d.poly_) return d.poly_->terms;
    if (d.value_ == 0) return {};
    return {{{}, d.value_}};
  }
  static Dim atom(Dim::Op op, std::string_view name, const Dim& a, const Dim& b) {
    auto node = std::make_shared<Dim::Atom>(Dim::Atom{op, cat(name, "(", a.str(), ",", b.str(), ")"), {a, b}, {}});
    return from_terms({{{std::move(node)}, 1}});
  }
};

Dim Dim::symbol(std::string name) {
  TC_CHECK(!name.empty(), "a symbol needs a name");
  auto key = symbol_key(name);
  return DimBuilder::from_terms({{{std::make_shared<Atom>(Atom{Op::symbol, std::move(key), {}, std::move(name)})}, 1}});
}

bool Dim::is_symbol() const {
  return poly_ && poly_->terms.size() == 1 && poly_->terms[0].coefficient == 1 && poly_->terms[0].atoms.size() == 1 &&
         poly_->terms[0].atoms[0]->op == Op::symbol;
}

const std::string& Dim::symbol_name() const {
  TC_CHECK(is_symbol(), *this, " is not a symbol");
  return poly_->terms[0].atoms[0]->name;
}

std::string Dim::str() const {
  return poly_ ? poly_->key : std::to_string(value_);
}
std::ostream& operator<<(std::ostream& out, const Dim& d) {
  return out << d.str();
}

bool operator==(const Dim& a, const Dim& b) {
  if (a.is_const() != b.is_const()) return false;
  return a.is_const() ? a.value_ == b.value_ : a.poly_ == b.poly_ || a.poly_->key == b.poly_->key;
}

Dim operator+(const Dim& a, const Dim& b) {
  if (a.is_const() && b.is_const()) return checked_add(a.value_, b.value_);
  auto terms = DimBuilder::terms(a);
  for (auto& t : DimBuilder::terms(b)) terms.push_back(std::move(t));
  return DimBuilder::from_terms(std::move(terms));
}

Dim operator-(const Dim& a, const Dim& b) {
  return a + b * Dim(-1);
}

Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_const() && b.is_const()) return checked_mul(a.value_, b.value_);
  const auto left = DimBuilder::terms(a), right = DimBuilder::terms(b);
  if (left.size() * right.size() > kMaxKey) {
    const auto [low, high] = std::minmax({a.str(), b.str()});
    return Dim::symbol(cat("?h", std::hash<std::string>()(cat("(", low, ")*(", high, ")"))));
  }
  std::vector<Dim::Term> terms;
  for (const auto& s : left)
    for (const auto& t : right) {
      Dim::Term product{s.atoms, checked_mul(s.coefficient, t.coefficient)};
      product.atoms.insert(product.atoms.end(), t.atoms.begin(), t.atoms.end());
      std::sort(product.atoms.begin(), product.atoms.end(),
                [](const AtomPtr& x, const AtomPtr& y) { return x->key < y->key; });
      terms.push_back(std::move(product));
    }
  return DimBuilder::from_terms(std::move(terms));
}

int64_t floordiv(int64_t a, int64_t b) {
  if (a == std::numeric_limits<int64_t>::min() && b == -1) fail(ErrorCode::limit_size, "extent arithmetic overflows");
  const int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

int64_t mod(int64_t a, int64_t b) {
  if (b == -1) return 0;  // the processor traps on the smallest number
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

Dim floordiv(const Dim& a, const Dim& b) {
  if (b.is(0)) fail(ErrorCode::bad_shape, "an extent is divided by zero: ", a, " / 0");
  if (b.is(1)) return a;
  if (b.is(-1)) return Dim(0) - a;
  if (a.is_const() && b.is_const()) return floordiv(a.value(), b.value());
  if (a.is(0)) return 0;
  if (a == b) return 1;
  if (b.is_const()) {
    // floor((b*q + r) / b) = q + floor(r / b)
    const int64_t divisor = b.value();
    std::vector<Dim::Term> quotient, rest;
    for (const auto& t : a.poly()->terms) {
      const int64_t q = t.atoms.empty()                ? floordiv(t.coefficient, divisor)
                        : t.coefficient % divisor == 0 ? t.coefficient / divisor
                                                       : 0;
      if (q) quotient.push_back({t.atoms, q});
      if (t.coefficient - q * divisor) rest.push_back({t.atoms, t.coefficient - q * divisor});
    }
    const Dim q = DimBuilder::from_terms(quotient), r = DimBuilder::from_terms(rest);
    if (r.is_const()) return q + Dim(floordiv(r.value(), divisor));
    // floor((floor(x / c) + k) / b) = floor((x + k*c) / (b*c)) for positive b, c
    const auto& terms = r.poly()->terms;
    if (terms.size() <= 2 && terms[0].coefficient == 1 && terms[0].atoms.size() == 1 && divisor > 0) {
      const auto& inner = *terms[0].atoms[0];
      const bool only = terms.size() == 1 || terms[1].atoms.empty();
      if (only && inner.op == Dim::Op::floordiv && inner.args[1].is_const() && inner.args[1].value() > 0) {
        const Dim k = constant_term(*r.poly());
        return q + floordiv(inner.args[0] + k * inner.args[1], inner.args[1] * b);
      }
    }
    return q + DimBuilder::atom(Dim::Op::floordiv, "floordiv", r, b);
  }
  // A monomial divisor that divides every term cancels (its symbols are taken as nonzero).
  if (b.poly()->terms.size() == 1) {
    const auto& divisor = b.poly()->terms[0];
    std::vector<Dim::Term> quotient;
    for (const auto& t : DimBuilder::terms(a)) {
      Dim::Term left{t.atoms, t.coefficient};
      bool divides = mod(t.coefficient, divisor.coefficient) == 0;
      for (const auto& d : divisor.atoms) {
        auto it =
            std::find_if(left.atoms.begin(), left.atoms.end(), [&](const AtomPtr& x) { return x->key == d->key; });
        if (it == left.atoms.end())
          divides = false;
        else
          left.atoms.erase(it);
      }
      if (!divides) return DimBuilder::atom(Dim::Op::floordiv, "floordiv", a, b);
      left.coefficient = floordiv(left.coefficient, divisor.coefficient);
      quotient.push_back(std::move(left));
    }
    return DimBuilder::from_terms(std::move(quotient));
  }
  return DimBuilder::atom(Dim::Op::floordiv, "floordiv", a, b);
}

Dim ceildiv(const Dim& a, const Dim& b) {
  // Of the two forms the one whose lower bound is seen.
  if (!a.is_const() && b.is_const() && b.value() > 0) return floordiv(a + Dim(b.value() - 1), b);
  return Dim(0) - floordiv(Dim(0) - a, b);
}

Dim mod(const Dim& a, const Dim& b) {
  if (b.is(0)) fail(ErrorCode::bad_shape, "an extent is divided by zero: ", a, " mod 0");
  if (a.is_const() && b.is_const()) return mod(a.value(), b.value());
  if (b.is(1) || a == b) return 0;
  return DimBuilder::atom(Dim::Op::mod, "mod", a, b);
}

Dim max(const Dim& a, const Dim& b) {
  if (a == b) return a;
  if (a.is_const() && b.is_const()) return std::max(a.value(), b.value());
  const Dim difference = a - b;
  if (difference.lower_bound() >= 0) return a;
  if ((Dim(0) - difference).lower_bound() >= 0) return b;
  return a.str() < b.str() ? DimBuilder::atom(Dim::Op::max, "max", a, b) : DimBuilder::atom(Dim::Op::max, "max", b, a);
}

Dim min(const Dim& a, const Dim& b) {
  if (a == b) return a;
  if (a.is_const() && b.is_const()) return std::min(a.value(), b.value());
  const Dim difference = a - b;
  if (difference.lower_bound() >= 0) return b;
  if ((Dim(0) - difference).lower_bound() >= 0) return a;
  return a.str() < b.str() ? DimBuilder::atom(Dim::Op::min, "min", a, b) : DimBuilder::atom(Dim::Op::min, "min", b, a);
}

namespace {

// Is it min(a, c) for a constant c that is not 0, or max(a, c) for one below 2 (a range up to an extent has max(a, 0))?
// Where that broadcasts with a, which as an extent is not negative, the result is a: c could only stand for it by
// being 1.
bool is_limit_of(const Dim& limited, const Dim& a) {
  if (limited.is_const() || limited.poly()->terms.size() != 1) return false;
  const Dim::Term& t = limited.poly()->terms[0];
  if (t.coefficient != 1 || t.atoms.size() != 1) return false;
  const Dim::Op op = t.atoms[0]->op;
  if (op != Dim::Op::min && op != Dim::Op::max) return false;
  const auto& args = t.atoms[0]->args;
  for (size_t i = 0; i < 2; ++i) {
    if (!(args[i] == a) || !args[1 - i].is_const()) continue;
    const int64_t c = args[1 - i].value();
    return op == Dim::Op::min ? c > 0 : c < 2;
  }
  return false;
}

}  // namespace

Dim broadcast(const Dim& a, const Dim& b) {
  if (a == b || b.is(1)) return a;
  if (a.is(1)) return b;
  if (is_limit_of(b, a)) return a;
  if (is_limit_of(a, b)) return b;
  // A fixed extent other than 1 decides: the other one is equal to it or 1.
  if (a.is_const()) return a;
  if (b.is_const()) return b;
  return a.str() < b.str() ? DimBuilder::atom(Dim::Op::broadcast, "broadcast", a, b)
                           : DimBuilder::atom(Dim::Op::broadcast, "broadcast", b, a);
}

std::optional<int64_t> Dim::eval(const Lookup& lookup) const {
  if (is_const()) return value_;
  int64_t sum = 0;
  for (const auto& t : poly_->terms) {
    int64_t product = t.coefficient;
    for (const auto& atom : t.atoms) {
      std::optional<int64_t> v;
      if (atom->op == Op::symbol) {
        v = lookup(atom->name);
      } else {
        const auto a = atom->args[0].eval(lookup), b = atom->args[1].eval(lookup);
        if (!a || !b) return std::nullopt;
        switch (atom->op) {
          case Op::symbol:
            break;
          case Op::floordiv:
            v = *b == 0 ? std::nullopt : std::optional(floordiv(*a, *b));
            break;
          case Op::mod:
            v = *b == 0 ? std::nullopt : std::optional(mod(*a, *b));
            break;
          case Op::max:
            v = std::max(*a, *b);
            break;
          case Op::min:
            v = std::min(*a, *b);
            break;
          case Op::broadcast:
            v = *a == 1 ? *b : *a;
            break;
        }
      }
      if (!v) return std::nullopt;
      product = checked_mul(product, *v);
    }
    sum = checked_add(sum, product);
  }
  return sum;
}

Dim Dim::substitute(const std::function<std::optional<Dim>(const std::string&)>& lookup) const {
  if (is_const()) return *this;
  Dim sum;
  for (const auto& t : poly_->terms) {
    Dim product = t.coefficient;
    for (const auto& atom : t.atoms) {
      if (atom->op == Op::symbol) {
        auto replacement = lookup(atom->name);
        product *= replacement ? *replacement : DimBuilder::from_terms({{{atom}, 1}});
        continue;
      }
      const Dim a = atom->args[0].substitute(lookup), b = atom->args[1].substitute(lookup);
      switch (atom->op) {
        case Op::symbol:
          break;
        case Op::floordiv:
          product *= floordiv(a, b);
          break;
        case Op::mod:
          product *= mod(a, b);
          break;
        case Op::max:
          product *= tc::max(a, b);
          break;
        case Op::min:
          product *= tc::min(a, b);
          break;
        case Op::broadcast:
          product *= tc::broadcast(a, b);
          break;
      }
    }
    sum += product;
  }
  return sum;
}

int64_t Dim::lower_bound() const {
  constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();
  if (is_const()) return value_;
  int64_t sum = 0;
  for (const auto& t : poly_->terms) {
    if (t.atoms.empty()) {
      if (__builtin_add_overflow(sum, t.coefficient, &sum)) return kUnknown;
      continue;
    }
    if (t.coefficient < 0) return kUnknown;
    for (const auto& atom : t.atoms) {
      bool nonnegative = false;
      switch (atom->op) {
        case Op::symbol:
          nonnegative = true;
          break;
        case Op::floordiv:
          nonnegative = atom->args[0].lower_bound() >= 0 && atom->args[1].lower_bound() >= 0;
          break;
        case Op::mod:
          nonnegative = atom->args[1].lower_bound() >= 0;
          break;
        case Op::max:
          nonnegative = atom->args[0].lower_bound() >= 0 || atom->args[1].lower_bound() >= 0;
          break;
        case Op::min:
        case Op::broadcast:
          nonnegative = atom->args[0].lower_bound() >= 0 && atom->args[1].lower_bound() >= 0;
          break;
      }
      if (!nonnegative) return kUnknown;
    }
  }
  return sum;
}

void Dim::for_each_symbol(const std::function<void(const std::string&)>& f) const {
  if (is_const()) return;
  for (const auto& t : poly_->terms)
    for (const auto& atom : t.atoms) {
      if (atom->op == Op::symbol) f(atom->name);
      for (const auto& arg : atom->args) arg.for_each_symbol(f);
    }
}

Shape::Shape(Dims dims) : ranked_(true), dims_(std::move(dims)) {
  if (dims_.size() > kMaxRank) fail(ErrorCode::limit_rank, "rank ", dims_.size(), " exceeds the limit of ", kMaxRank);
}

bool Shape::is_static() const {
  return ranked_ && std::all_of(dims_.begin(), dims_.end(), [](const Dim& d) { return d.is_const(); });
}

std::vector<int64_t> Shape::extents() const {
  TC_CHECK(is_static(), "extents of a shape that is not static: ", *this);
  std::vector<int64_t> result;
  for (const auto& d : dims_) result.push_back(d.value());
  return result;
}

Dim Shape::count() const {
  Dim product = 1;
  for (const auto& d : dims_)
    if (d.is(0)) return 0;
  for (const auto& d : dims_) product *= d;
  return product;
}

std::ostream& operator<<(std::ostream& out, const Shape& s) {
  if (!s.ranked()) return out << "[*]";
  out << '[';
  for (int i = 0; i < s.rank(); ++i) out << (i ? "," : "") << s[i];
  return out << ']';
}

Type Type::sequence(Type e) {
  return Type(Kind::sequence, DType::f32, {}, std::make_shared<const Type>(std::move(e)));
}
Type Type::optional(Type e) {
  return Type(Kind::optional, DType::f32, {}, std::make_shared<const Type>(std::move(e)));
}
Type Type::map(DType key, Type v) {
  return Type(Kind::map, key, {}, std::make_shared<const Type>(std::move(v)));
}

const Type& Type::element() const {
  TC_CHECK(element_, "type ", str(), " has no element type");
  return *element_;
}

std::string Type::str() const {
  switch (kind_) {
    case Kind::none:
      return "none";
    case Kind::tensor:
      return cat(dtype_, shape_);
    case Kind::sequence:
      return cat("seq<", element().str(), ">");
    case Kind::optional:
      return cat("optional<", element().str(), ">");
    case Kind::map:
      return cat("map<", dtype_, ",", element().str(), ">");
  }
  return "?";
}

bool Type::operator==(const Type& o) const {
  if (kind_ != o.kind_ || dtype_ != o.dtype_ || shape_ != o.shape_) return false;
  return !element_ || *element_ == *o.element_;
}

std::ostream& operator<<(std::ostream& out, const Type& t) {
  return out << t.str();
}

bool compatible(const Type& expected, const Type& actual) {
  if (expected.kind() != actual.kind()) return false;
  switch (expected.kind()) {
    case Type::Kind::none:
      return true;
    case Type::Kind::sequence:
    case Type::Kind::optional:
      return compatible(expected.element(), actual.element());
    case Type::Kind::map:
      return expected.dtype() == actual.dtype() && compatible(expected.element(), actual.element());
    case Type::Kind::tensor:
      break;
  }
  if (expected.dtype() != actual.dtype()) return false;
  const Shape &e = expected.shape(), &a = actual.shape();
  if (!e.ranked() || !a.ranked()) return true;
  if (e.rank() != a.rank()) return false;
  for (int i = 0; i < e.rank(); ++i)
    if (e[i].is_const() && a[i].is_const() && e[i].value() != a[i].value()) return false;
  return true;
}

}  // namespace tc
