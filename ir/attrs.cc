#include "tc/ir/attrs.h"

#include <cstring>

namespace tc {

std::string_view to_string(AttrKind k) {
  constexpr std::string_view kNames[] = {"a boolean", "an integer",   "a real number", "a string",
                                         "integers",  "real numbers", "strings",       "an element type",
                                         "a tensor",  "a type",       "extents",       "an enumerator"};
  return kNames[static_cast<size_t>(k)];
}

bool equal(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* t = std::get_if<Tensor>(&a)) return t->identical(std::get<Tensor>(b));
  // Bitwise for reals: NaN attributes equal themselves, and 0.0 differs from -0.0.
  if (const auto* d = std::get_if<double>(&a)) return std::memcmp(d, &std::get<double>(b), sizeof(double)) == 0;
  return std::visit(
      [&]<class T>(const T& x) {
        if constexpr (std::is_same_v<T, Tensor>)
          return false;
        else
          return x == std::get<T>(b);
      },
      a);
}

size_t hash_value(const AttrValue& v) {
  auto mix = [](size_t seed, size_t h) { return seed ^ (h + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2)); };
  const size_t seed = v.index();
  return std::visit(
      [&]<class T>(const T& x) -> size_t {
        if constexpr (std::is_same_v<T, std::monostate>)
          return seed;
        else if constexpr (std::is_same_v<T, Tensor>) {
          // A prefix is enough: equality decides.
          size_t h = mix(seed, static_cast<size_t>(x.size()));
          if (x.defined() && x.dtype() != DType::str) {
            const size_t n = std::min<size_t>(x.bytes(), 256);
            h = mix(h, std::hash<std::string_view>()({static_cast<const char*>(x.data()), n}));
          }
          return h;
        } else if constexpr (std::is_same_v<T, Type>)
          return mix(seed, std::hash<std::string>()(x.str()));
        else if constexpr (std::is_same_v<T, Dims>) {
          size_t h = seed;
          for (const auto& d : x) h = mix(h, std::hash<std::string>()(d.str()));
          return h;
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<double>> ||
                             std::is_same_v<T, std::vector<std::string>>) {
          size_t h = seed;
          for (const auto& e : x) h = mix(h, std::hash<std::decay_t<decltype(e)>>()(e));
          return h;
        } else
          return mix(seed, std::hash<T>()(x));
      },
      v);
}

namespace detail {
void bad_attr(std::string_view field, const AttrValue& got, AttrKind expected,
              std::span<const std::string_view> names) {
  std::string text = cat("attribute '", field, "' must be ", to_string(expected));
  if (const auto* s = std::get_if<std::string>(&got)) text += cat(", got '", *s, "'");
  if (!names.empty()) {
    text += "; one of";
    for (auto n : names) text += cat(" ", n);
  }
  throw Error(ErrorCode::bad_attribute, text);
}

void add_field(AttrsInfo& info, const FieldInfo& field, const void* attrs, const void* member) {
  info.fields.push_back(field);
  info.fields.back().offset = static_cast<size_t>(static_cast<const char*>(member) - static_cast<const char*>(attrs));
}

std::shared_ptr<void> share(void* attrs, void (*destroy)(void*)) {
  return {attrs, destroy};
}
}  // namespace detail

std::shared_ptr<void> AttrsInfo::copy(const void* attrs) const {
  auto result = make();
  for (size_t i = 0; i < fields.size(); ++i) set(result.get(), i, get(attrs, i));
  return result;
}

AttrValue AttrsInfo::get(const void* attrs, size_t field) const {
  const FieldInfo& f = fields[field];
  return f.get(static_cast<const char*>(attrs) + f.offset);
}

void AttrsInfo::set(void* attrs, size_t field, const AttrValue& v) const {
  const FieldInfo& f = fields[field];
  f.set(f.name, v, static_cast<char*>(attrs) + f.offset);
}

}  // namespace tc
