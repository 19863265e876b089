// Attributes. An op's `Attrs` struct lists its members once in `fields`; printing, parsing, hashing, equality
// and the default ONNX mapping all go through the untyped AttrValue that each field converts to and from.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tc/ir/tensor.h"
#include "tc/ir/type.h"

namespace tc {

// monostate: an optional attribute that is not set. Enumerators travel as strings.
using AttrValue = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<double>, std::vector<std::string>, DType, Tensor, Type, Dims>;
bool equal(const AttrValue& a, const AttrValue& b);
size_t hash_value(const AttrValue& v);

enum class AttrKind : uint8_t {
  boolean,
  integer,
  real,
  text,
  integers,
  reals,
  texts,
  dtype,
  tensor,
  type,
  dims,
  enumeration
};
std::string_view to_string(AttrKind k);

struct FieldInfo {
  std::string_view name;
  std::string_view onnx;  // ONNX attribute name; "-" when the attribute has no ONNX form
  AttrKind kind;
  bool optional;  // may be unset
  bool required;  // has no default
  std::span<const std::string_view> enumerators;
  // By the type of the member, not by the struct: there are hundreds of structs.
  AttrValue (*get)(const void* member);
  void (*set)(std::string_view name, const AttrValue&, void* member);
  size_t offset = 0;  // of the member in the struct
};

inline constexpr struct Required {
} required;

// One entry of `fields`: field("strides", &Attrs::strides), field("to", &Attrs::to, required),
// field("keepdims", &Attrs::keep_dims, "keepdims").
struct FieldName {
  std::string_view name;
  std::string_view onnx;
  bool is_required = false;
};
template <class A, class T>
struct Field : FieldName {
  T A::*member;
};
template <class A, class T>
constexpr Field<A, T> field(std::string_view name, T A::*m) {
  return {{name, name, false}, m};
}
template <class A, class T>
constexpr Field<A, T> field(std::string_view name, T A::*m, std::string_view onnx) {
  return {{name, onnx, false}, m};
}
template <class A, class T>
constexpr Field<A, T> field(std::string_view name, T A::*m, Required) {
  return {{name, name, true}, m};
}

// The `fields` of an Attrs struct: Fields{field(...), ...}. Not std::tuple: choosing among its constructors took half
// of the time that it takes to compile all op headers.
template <class... F>
struct Fields {
  constexpr void each(auto&&) const {}
};
template <class F, class... Rest>
struct Fields<F, Rest...> {
  F first;
  Fields<Rest...> rest;
  constexpr Fields(F f, Rest... r) requires(sizeof...(Rest) > 0) : first(f), rest{r...} {}
  constexpr Fields(F f, const Fields<Rest...>& r = {}) : first(f), rest(r) {}
  // Calls f(field) for each in turn.
  constexpr void each(auto&& f) const {
    f(first);
    rest.each(f);
  }
};
template <class... F>
Fields(F...) -> Fields<F...>;
template <class F, class... Rest>
constexpr Fields<F, Rest...> prepend(const F& first, const Fields<Rest...>& rest) {
  return {first, rest};
}

// The fields of the only base of `A`, and then `own`, for an Attrs struct that extends it. (A second base has no offset
// yet where the list stands, inside the class.)
template <class A, class... Own>
constexpr auto extend(const Fields<>&, const Fields<Own...>& own) {
  return own;
}
template <class A, class Base, class T, class... Rest, class... Own>
constexpr auto extend(const Fields<Field<Base, T>, Rest...>& base, const Fields<Own...>& own) {
  const auto& f = base.first;
  return prepend(Field<A, T>{f, f.member}, extend<A>(base.rest, own));
}

// Enumerations specialise this with their spellings, in order of the enumerators counted from 0.
template <class E>
inline constexpr std::span<const std::string_view> kEnumNames{};

namespace detail {

template <class T>
struct AttrTraits;
#define TC_ATTR_KIND(T, K)                        \
  template <>                                     \
  struct AttrTraits<T> {                          \
    static constexpr AttrKind kind = AttrKind::K; \
  };
TC_ATTR_KIND(bool, boolean)
TC_ATTR_KIND(int64_t, integer)
TC_ATTR_KIND(double, real)
TC_ATTR_KIND(std::string, text)
TC_ATTR_KIND(std::vector<int64_t>, integers)
TC_ATTR_KIND(std::vector<double>, reals)
TC_ATTR_KIND(std::vector<std::string>, texts)
TC_ATTR_KIND(DType, dtype)
TC_ATTR_KIND(Tensor, tensor)
TC_ATTR_KIND(Type, type)
TC_ATTR_KIND(Dims, dims)
#undef TC_ATTR_KIND

template <class T>
struct Unwrap {
  using type = T;
  static constexpr bool optional = false;
};
template <class T>
struct Unwrap<std::optional<T>> {
  using type = T;
  static constexpr bool optional = true;
};

template <class T>
constexpr AttrKind attr_kind() {
  if constexpr (std::is_enum_v<T> && !std::is_same_v<T, DType>)
    return AttrKind::enumeration;
  else
    return AttrTraits<T>::kind;
}

template <class T>
AttrValue to_value(const T& v) {
  if constexpr (Unwrap<T>::optional)
    return v ? to_value(*v) : AttrValue();
  else if constexpr (attr_kind<T>() == AttrKind::enumeration)
    return std::string(kEnumNames<T>[static_cast<size_t>(v)]);
  else
    return v;
}

[[noreturn]] void bad_attr(std::string_view field, const AttrValue& got, AttrKind expected,
                           std::span<const std::string_view> names);

template <class T>
void from_value(std::string_view field, const AttrValue& v, T& out) {
  using U = typename Unwrap<T>::type;
  constexpr AttrKind kind = attr_kind<U>();
  if constexpr (Unwrap<T>::optional) {
    if (std::holds_alternative<std::monostate>(v)) {
      out.reset();
      return;
    }
  }
  if constexpr (kind == AttrKind::enumeration) {
    if (const auto* s = std::get_if<std::string>(&v))
      for (size_t i = 0; i < kEnumNames<U>.size(); ++i)
        if (kEnumNames<U>[i] == *s) {
          out = static_cast<U>(i);
          return;
        }
    bad_attr(field, v, kind, kEnumNames<U>);
  } else {
    const auto* p = std::get_if<U>(&v);
    if (!p) bad_attr(field, v, kind, {});
    out = *p;
  }
}

}  // namespace detail

// The untyped view of one Attrs struct.
struct AttrsInfo {
  std::shared_ptr<void> (*make)();  // default values
  std::vector<FieldInfo> fields{};

  std::shared_ptr<void> copy(const void* attrs) const;
  AttrValue get(const void* attrs, size_t field) const;
  void set(void* attrs, size_t field, const AttrValue&) const;  // Error bad_attribute when the kind differs
};

// For ops without attributes.
struct NoAttrs {
  static constexpr Fields<> fields{};
};

namespace detail {

void add_field(AttrsInfo&, const FieldInfo&, const void* attrs, const void* member);
template <class T>
[[gnu::noinline]] void add_field(AttrsInfo& to, const FieldName& f, const void* attrs, const T& member) {
  using U = typename Unwrap<T>::type;
  FieldInfo info{f.name, f.onnx, attr_kind<U>(), Unwrap<T>::optional, f.is_required, {}, nullptr, nullptr};
  if constexpr (attr_kind<U>() == AttrKind::enumeration) info.enumerators = kEnumNames<U>;
  info.get = [](const void* m) { return to_value(*static_cast<const T*>(m)); };
  info.set = [](std::string_view name, const AttrValue& v, void* m) { from_value(name, v, *static_cast<T*>(m)); };
  add_field(to, info, attrs, &member);
}

// std::make_shared would give each struct a class of its own.
std::shared_ptr<void> share(void* attrs, void (*destroy)(void*));
template <class A>
std::shared_ptr<void> share(A* attrs) {
  return share(attrs, [](void* a) { delete static_cast<A*>(a); });
}

}  // namespace detail

// Appends the fields of `attrs` to `info`.
template <class A>
void describe(AttrsInfo& info, const void* attrs) {
  A::fields.each([&](const auto& f) { detail::add_field(info, f, attrs, static_cast<const A*>(attrs)->*(f.member)); });
}

}  // namespace tc
