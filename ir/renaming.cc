#include "tc/ir/renaming.h"

#include "tc/ir/infer.h"

namespace tc {

void Renaming::keep_symbols(const Type& t) {
  if (t.kind() == Type::Kind::none) return;
  if (!t.is_tensor()) return keep_symbols(t.element());
  for (const Dim& d : t.shape().dims()) d.for_each_symbol([&](const std::string& s) { keep(s); });
}

void Renaming::keep_symbols(const Value& v) {
  keep_symbols(v.type());
  if (!v.contents()) return;
  for (const Dim& d : *v.contents()) d.for_each_symbol([&](const std::string& s) { keep(s); });
}

void Renaming::bind(const Type& inner, const Type& outer, bool made_up_only) {
  if (inner.kind() != outer.kind() || inner.kind() == Type::Kind::none) return;
  if (!inner.is_tensor()) return bind(inner.element(), outer.element(), made_up_only);
  if (inner.shape().dims().size() != outer.shape().dims().size()) return;
  for (size_t i = 0; i < inner.shape().dims().size(); ++i) {
    const Dim &from = inner.shape().dims()[i], &to = outer.shape().dims()[i];
    if (from == to)
      from.for_each_symbol([&](const std::string& s) { keep(s); });
    else if (from.is_symbol() && (!made_up_only || fresh_number(from.symbol_name())))
      renamed_.emplace(from.symbol_name(), to);
  }
}

std::optional<Dim> Renaming::meaning(const std::string& symbol) {
  if (const auto known = renamed_.find(symbol); known != renamed_.end()) return known->second;
  if (!fresh_number(symbol)) return std::nullopt;
  return renamed_.emplace(symbol, module_.fresh_symbol()).first->second;
}

Dim Renaming::operator()(const Dim& d) {
  if (d.is_const()) return d;
  return d.substitute([&](const std::string& s) { return meaning(s); });
}

Dims Renaming::operator()(const Dims& dims) {
  Dims result;
  for (const Dim& d : dims) result.push_back((*this)(d));
  return result;
}

template <class F>
Type Renaming::mapped(const Type& t, const F& f) {
  switch (t.kind()) {
    case Type::Kind::none:
      return t;
    case Type::Kind::sequence:
      return Type::sequence(mapped(t.element(), f));
    case Type::Kind::optional:
      return Type::optional(mapped(t.element(), f));
    case Type::Kind::map:
      return Type::map(t.dtype(), mapped(t.element(), f));
    case Type::Kind::tensor:
      break;
  }
  if (!t.shape().ranked() || t.shape().is_static()) return t;
  Dims dims;
  for (const Dim& d : t.shape().dims()) dims.push_back(f(d));
  return Type::tensor(t.dtype(), Shape(std::move(dims)));
}

Type Renaming::operator()(const Type& t) {
  return mapped(t, [&](const Dim& d) { return (*this)(d); });
}

Type Renaming::seen_from_outside(const Type& t) {
  return mapped(t, [&](const Dim& d) {
    bool known = true;
    d.for_each_symbol([&](const std::string& s) { known = known && (!fresh_number(s) || renamed_.count(s)); });
    if (known) return (*this)(d);
    const auto found = whole_.find(d.str());
    return found != whole_.end() ? found->second : whole_.emplace(d.str(), module_.fresh_symbol()).first->second;
  });
}

}  // namespace tc
