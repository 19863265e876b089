#include "tc/ir/text/parse_value.h"

#include <numbers>

#include "tc/ir/graph.h"

namespace tc::text {
namespace {

struct Function {
  std::string_view name;
  Dim (*make)(const Dim&, const Dim&);
};
constexpr Function kFunctions[] = {{"floordiv", floordiv}, {"ceildiv", ceildiv}, {"mod", mod},
                                   {"max", max},           {"min", min},         {"broadcast", broadcast}};

void check_depth(const Lexer& in, int depth) {
  if (depth > kMaxNesting) in.fail_at(in.position(), "nested more than ", kMaxNesting, " deep");
}

Dim parse_factor(Lexer& in, bool negative, int depth) {
  check_depth(in, depth);
  const Token t = in.peek();
  const Dim sign = negative ? -1 : 1;
  switch (t.kind) {
    case TokenKind::number: {
      in.next();
      Number n;
      n.negative = negative;
      n.digits = t.text;
      const auto v = to_int(n);
      if (!v) in.fail_at(t.offset, "expected an integer that fits 64 bits");
      return *v;
    }
    case TokenKind::symbol:
      in.next();
      return sign * Dim::symbol(std::string(t.text));
    case TokenKind::string: {
      std::string name = in.string("a symbol");
      if (name.empty()) in.fail_at(t.offset, "a symbol needs a name");
      if (name[0] == '?')
        in.fail_at(t.offset, "names that begin with '?' are those of unknown extents; write them without quotes");
      return sign * Dim::symbol(std::move(name));
    }
    case TokenKind::word: {
      in.next();
      if (!in.at('(')) return sign * Dim::symbol(std::string(t.text));
      for (const auto& f : kFunctions) {
        if (f.name != t.text) continue;
        in.next();
        const Dim a = parse_dim(in, depth + 1);
        in.expect(',', "',' and a second argument");
        const Dim b = parse_dim(in, depth + 1);
        in.expect(')', "')'");
        return sign * f.make(a, b);
      }
      std::vector<std::string_view> names;
      for (const auto& f : kFunctions) names.push_back(f.name);
      in.fail_unknown(t, cat("no function of extents is called ", t.text), t.text, names);
    }
    default:
      break;
  }
  if (in.accept('(')) {
    const Dim d = parse_dim(in, depth + 1);
    in.expect(')', "')'");
    return sign * d;
  }
  in.fail_expected("an extent: an integer, a symbol or an expression");
}

Dim parse_product(Lexer& in, bool negative, int depth) {
  Dim product = parse_factor(in, negative, depth);
  while (in.accept('*')) product = product * parse_factor(in, false, depth);
  return product;
}

Shape parse_shape(Lexer& in) {
  in.expect('[', "'[' and the extents; [] for a scalar, [*] for an unknown rank");
  if (in.accept('*')) {
    in.expect(']', "']'");
    return {};
  }
  Dims dims;
  if (!in.accept(']')) {
    do {
      const size_t start = in.position();
      dims.push_back(parse_dim(in));
      if (dims.back().is_const() && dims.back().value() < 0) in.fail_at(start, "an extent is negative: ", dims.back());
      if (dims.size() > kMaxRank) in.fail_at(start, "a rank above the limit of ", kMaxRank);
    } while (in.accept(','));
    in.expect(']', "',' or ']'");
  }
  return Shape(std::move(dims));
}

DType parse_dtype(Lexer& in) {
  const Token t = in.expect(TokenKind::word, "a type");
  if (const auto d = dtype_from_name(t.text)) return *d;
  std::vector<std::string_view> names = {"seq", "optional", "map", "none"};
  for (int i = 0; i < kNumDTypes; ++i) names.push_back(name(static_cast<DType>(i)));
  in.fail_unknown(t, cat("no type is called ", t.text), t.text, names);
}

void parse_element(Lexer& in, Tensor& t, int64_t i) {
  const auto number = [&](int part) {
    const size_t at = in.position();
    if (!store_number(t, i, in.number("a number"), part)) in.fail_at(at, "this number is not one of type ", t.dtype());
  };
  switch (kind(t.dtype())) {
    case DTypeKind::string:
      t.mutable_span<std::string>()[static_cast<size_t>(i)] = in.string("a string");
      return;
    case DTypeKind::boolean: {
      const bool yes = in.at_word("true");
      if (!yes && !in.at_word("false")) in.fail_expected("true or false");
      in.next();
      t.mutable_span<Bool>()[static_cast<size_t>(i)] = Bool(yes);
      return;
    }
    case DTypeKind::complex:
      in.expect('(', "'(' and the real part");
      number(0);
      in.expect(',', "',' and the imaginary part");
      number(1);
      in.expect(')', "')'");
      return;
    default:
      number(0);
  }
}

void parse_list(Lexer& in, Tensor& t, int axis, int64_t& next) {
  if (axis == t.rank()) {
    parse_element(in, t, next++);
    return;
  }
  in.expect('[', cat("'[' and the ", t.extent(axis), " elements of axis ", axis));
  for (int64_t i = 0; i < t.extent(axis); ++i) {
    if (i && !in.accept(',')) in.fail_expected(cat("',' and ", t.extent(axis) - i, " more elements of axis ", axis));
    parse_list(in, t, axis + 1, next);
  }
  if (!in.accept(']')) in.fail_expected(cat("']' after the ", t.extent(axis), " elements of axis ", axis));
}

// Copies element 0 to all others.
void repeat_first(Tensor& t) {
  visit_dtype(t.dtype(), [&]<class T>() {
    const auto s = t.mutable_span<T>();
    for (size_t i = 1; i < s.size(); ++i) s[i] = s[0];
  });
}

// Normal deviates of deviation `scale` by the method of Box and Muller over splitmix64 (Steele, Lea, Flood 2014).
void fill_random(Tensor& t, uint64_t seed, double scale) {
  const auto uniform = [&seed] {
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  };
  visit_dtype(t.dtype(), [&]<class T>() {
    if constexpr (std::is_constructible_v<T, double> && !std::is_integral_v<T> &&
                  requires(T v) { static_cast<double>(v); }) {
      for (T& v : t.mutable_span<T>()) {
        const double radius = std::sqrt(-2 * std::log(uniform()));
        v = static_cast<T>(scale * radius * std::cos(2 * std::numbers::pi * uniform()));
      }
    }
  });
}

// Memory for elements that the text does not hold.
Tensor generated(Lexer& in, const Type& type, Resources& resources, size_t offset) {
  const Extents extents = type.shape().extents();
  size_t bytes;
  if (__builtin_mul_overflow(static_cast<size_t>(element_count(extents)), size_of(type.dtype()), &bytes) ||
      bytes > resources.budget)
    in.fail_at(offset, "a tensor ", type, " made from nothing: more than the ", resources.budget,
               " bytes left of the budget");
  resources.budget -= bytes;
  return Tensor(type.dtype(), extents);
}

Tensor parse_hex(Lexer& in, const Type& type) {
  const Token digits = in.expect(TokenKind::string, "the bytes in quotes");
  const Extents extents = type.shape().extents();
  size_t bytes;
  if (type.dtype() == DType::str) in.fail_at(digits.offset, "strings have no bytes; write dense<[...]>");
  if (__builtin_mul_overflow(static_cast<size_t>(element_count(extents)), size_of(type.dtype()), &bytes) ||
      digits.text.size() / 2 != bytes || digits.text.size() % 2)
    in.fail_at(digits.offset, type, " does not have ", digits.text.size(), " hexadecimal digits");
  Tensor t(type.dtype(), extents);
  auto* out = static_cast<unsigned char*>(t.mutable_data());
  const auto value = [](char c) -> unsigned {
    return c >= '0' && c <= '9' ? unsigned(c - '0') : c >= 'a' && c <= 'f' ? unsigned(c - 'a' + 10) : 16u;
  };
  for (size_t i = 0; i < bytes; ++i) {
    const unsigned high = value(digits.text[2 * i]), low = value(digits.text[2 * i + 1]);
    if (high > 15 || low > 15) in.fail_at(digits.offset + 1 + 2 * i, "expected lower-case hexadecimal digits");
    out[i] = static_cast<unsigned char>(high << 4 | low);
  }
  return t;
}

Tensor parse_dense(Lexer& in, const Type& type, Resources& resources) {
  in.expect('<', "'<'");
  const size_t start = in.position();
  const int64_t count = element_count(type.shape().extents());
  Tensor t;
  if (type.shape().rank() && in.at('[')) {
    // Every element takes a character.
    if (static_cast<uint64_t>(count) > in.remaining())
      in.fail_at(start, type, " has more elements than there are here");
    t = Tensor(type.dtype(), type.shape().extents());
    int64_t next = 0;
    if (count) {
      parse_list(in, t, 0, next);
    } else {
      in.next();
      in.expect(']', "']': the tensor has no elements");
    }
  } else {
    t = generated(in, type, resources, start);
    Tensor first(type.dtype(), {});
    parse_element(in, first, 0);
    if (count) {
      visit_dtype(t.dtype(), [&]<class T>() { t.mutable_span<T>()[0] = first.span<T>()[0]; });
      repeat_first(t);
    }
  }
  in.expect('>', "'>'");
  return t;
}

}  // namespace

Dim parse_dim(Lexer& in, int depth) {
  Dim sum = parse_product(in, in.accept('-'), depth);
  while (in.at('+') || in.at('-')) {
    const bool negative = in.next().text == "-";
    sum = sum + parse_product(in, negative, depth);
  }
  return sum;
}

Type parse_type(Lexer& in, int depth) {
  check_depth(in, depth);
  if (in.accept_word("none")) return {};
  const bool sequence = in.at_word("seq"), optional = in.at_word("optional"), map = in.at_word("map");
  if (!sequence && !optional && !map) {
    const DType t = parse_dtype(in);
    return Type::tensor(t, parse_shape(in));
  }
  in.next();
  in.expect('<', "'<' and the element type");
  DType key{};
  if (map) {
    key = parse_dtype(in);
    in.expect(',', "',' and the type of the map's values");
  }
  Type element = parse_type(in, depth + 1);
  in.expect('>', "'>'");
  return sequence   ? Type::sequence(std::move(element))
         : optional ? Type::optional(std::move(element))
                    : Type::map(key, std::move(element));
}

bool at_literal(const Lexer& in) {
  return in.peek().kind == TokenKind::label || in.at_word("dense") || in.at_word("zeros") || in.at_word("random") ||
         in.at_word("hex");
}

Type type_after_literal(Lexer& in) {
  const size_t start = in.position();
  in.next();
  if (in.peek().kind == TokenKind::string) in.next();
  // Brackets of both kinds nest in literals; strings are single tokens.
  int open = 0;
  while (open > 0 || in.at('<') || in.at('(')) {
    if (in.at('<') || in.at('(')) ++open;
    if (in.at('>') || in.at(')')) --open;
    if (in.peek().kind == TokenKind::end) in.fail_at(start, "this literal has no end");
    in.next();
  }
  in.expect(':', "':' and the type of the literal");
  Type type = parse_type(in);
  in.rewind(start);
  return type;
}

Tensor parse_literal(Lexer& in, const Type& type, size_t type_offset, Resources& resources) {
  if (!type.is_tensor() || !type.shape().is_static())
    in.fail_at(type_offset, "a literal needs the type of a tensor with fixed extents, found ", type);
  const size_t start = in.position();
  if (in.accept_word("dense")) return parse_dense(in, type, resources);
  if (in.accept_word("hex")) return parse_hex(in, type);
  if (in.accept_word("zeros")) return generated(in, type, resources, start);
  if (in.at_word("elided")) in.fail_at(start, "these bytes were left out when the text was printed");
  if (!in.accept_word("random")) in.fail_expected("dense<...>, zeros, random(seed) or hex\"...\"");
  if (kind(type.dtype()) != DTypeKind::floating)
    in.fail_at(start, "random numbers are floating-point numbers, not ", type.dtype());
  in.expect('(', "'(' and a seed");
  const int64_t seed = in.integer("a seed");
  double scale = 1;
  if (in.accept(',')) {
    const size_t at = in.position();
    const auto v = to_real(in.number("a standard deviation"));
    if (!v) in.fail_at(at, "expected a standard deviation");
    scale = *v;
  }
  in.expect(')', "')'");
  Tensor t = generated(in, type, resources, start);
  fill_random(t, static_cast<uint64_t>(seed), scale);
  return t;
}

Tensor parse_tensor(Lexer& in, const Type* type, Resources& resources) {
  const Token t = in.peek();
  if (t.kind == TokenKind::label) {
    const Label label = in.label(TokenKind::label, "a resource");
    const auto it = resources.tensors.find(label.key);
    if (it != resources.tensors.end()) return it->second;
    std::vector<std::string_view> names;
    for (const auto& [key, n] : resources.names) names.push_back(n);
    in.fail_unknown(t, cat("no resource is called @", spelled(label.name)), label.name, names);
  }
  if (type) return parse_literal(in, *type, t.offset, resources);
  const Type own = parse_type(in);
  return parse_literal(in, own, t.offset, resources);
}

AttrValue parse_attribute(Lexer& in, const FieldInfo& field, Resources& resources) {
  const size_t start = in.position();
  if (field.optional && in.accept_word("unset")) return {};
  const auto list = [&](auto item) {
    std::vector<decltype(item())> items;
    in.expect('[', cat("'[' and ", to_string(field.kind)));
    if (in.accept(']')) return items;
    do items.push_back(item());
    while (in.accept(','));
    in.expect(']', "',' or ']'");
    return items;
  };
  const auto integer = [&] { return in.integer("an integer"); };
  const auto real = [&] {
    const size_t at = in.position();
    const auto v = to_real(in.number("a number"));
    if (!v) in.fail_at(at, "expected a number that a double can hold");
    return *v;
  };
  const auto string = [&] { return in.string("a string"); };
  switch (field.kind) {
    case AttrKind::boolean: {
      const bool yes = in.at_word("true");
      if (!yes && !in.at_word("false")) in.fail_expected("true or false");
      in.next();
      return yes;
    }
    case AttrKind::integer:
      return integer();
    case AttrKind::real:
      return real();
    case AttrKind::text:
      return string();
    case AttrKind::integers:
      return list(integer);
    case AttrKind::reals:
      return list(real);
    case AttrKind::texts:
      return list(string);
    case AttrKind::dtype:
      return parse_dtype(in);
    case AttrKind::tensor:
      return parse_tensor(in, nullptr, resources);
    case AttrKind::type:
      return parse_type(in);
    case AttrKind::dims:
      return list([&] { return parse_dim(in); });
    case AttrKind::enumeration: {
      const Token t = in.peek();
      const std::string value =
          t.kind == TokenKind::string ? string() : std::string(in.expect(TokenKind::word, "an enumerator").text);
      for (std::string_view e : field.enumerators)
        if (e == value) return value;
      std::string all;
      for (std::string_view e : field.enumerators) all += cat(all.empty() ? "" : ", ", e);
      in.fail_unknown(t, cat("'", field.name, "' is one of ", all, "; found ", quoted(value)), value,
                      {field.enumerators.begin(), field.enumerators.end()});
    }
  }
  in.fail_at(start, "attribute '", field.name, "' has no textual form");
}

}  // namespace tc::text

namespace tc {

Type parse_type(std::string_view text) {
  text::Lexer in(text, "type");
  Type type = text::parse_type(in);
  if (in.peek().kind != text::TokenKind::end) in.fail_at(in.position(), "a type is followed by something");
  return type;
}

}  // namespace tc
