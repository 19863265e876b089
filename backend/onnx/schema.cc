#include "tc/backend/onnx/schema.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace tc::onnx {
namespace {

struct NamedTypes {
  std::string_view name;
  DTypeSet set;
};
constexpr DTypeSet kIeee = dtypes::floats - DType::bf16;
constexpr DTypeSet kPlain = kIeee | dtypes::ints | dtypes::boolean | dtypes::strings | dtypes::complex;
constexpr DTypeSet kNibbles = DTypeSet(DType::u4) | DType::i4, kCrumbs = DTypeSet(DType::u2) | DType::i2;
constexpr DTypeSet kAll13 = kPlain | DType::bf16, kAll19 = kAll13 | dtypes::f8, kAll21 = kAll19 | kNibbles,
                   kAll23 = kAll21 | DType::f4e2m1, kAll24 = kAll23 | DType::f8e8m0, kAll25 = kAll24 | kCrumbs;
constexpr NamedTypes kTypeSets[] = {
    {"ieee", kIeee},
    {"floats", dtypes::floats},
    {"ints", dtypes::ints},
    {"words", DTypeSet(DType::i32) | DType::i64 | DType::u32 | DType::u64},
    {"bytes", DTypeSet(DType::i8) | DType::u8},
    {"index", dtypes::index},
    {"numeric", dtypes::numeric},
    {"complex", dtypes::complex},
    {"plain", kPlain},
    {"f8", dtypes::f8},
    {"nibbles", kNibbles},
    {"crumbs", kCrumbs},
    {"all13", kAll13},
    {"all19", kAll19},
    {"all21", kAll21},
    {"all23", kAll23},
    {"all24", kAll24},
    {"all25", kAll25},
};

// Cuts the text up to the next separator at depth 0 of parentheses.
std::string_view cut(std::string_view& text, char separator) {
  int depth = 0;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == separator && depth == 0) break;
  }
  const std::string_view head = text.substr(0, i);
  text.remove_prefix(std::min(text.size(), i + 1));
  return head;
}

bool enclosed(std::string_view& text, std::string_view by) {
  if (!text.starts_with(by) || text.size() <= by.size() || text[by.size()] != '(') return false;
  text = text.substr(by.size() + 1, text.size() - by.size() - 2);
  return true;
}

Type map_type(std::string_view text) {
  if (enclosed(text, "seq")) return Type::sequence(map_type(text));
  TC_CHECK(enclosed(text, "map"), "type ", text);
  const DType key = *dtype_from_name(cut(text, ','));
  return Type::map(key, Type::tensor(*dtype_from_name(text), Shape()));
}

TypeSet type_set(std::string_view text) {
  TypeSet set;
  while (!text.empty()) {
    std::string_view term = cut(text, '|');
    if (term.find("map(") != term.npos) {
      set.others.push_back(map_type(term));
    } else if (enclosed(term, "seq")) {
      set.sequence = set.sequence | parse_dtypes(term);
    } else if (enclosed(term, "opt")) {
      DTypeSet& part = enclosed(term, "seq") ? set.optional_sequence : set.optional;
      part = part | parse_dtypes(term);
    } else {
      set.tensor = set.tensor | parse_dtypes(term);
    }
  }
  return set;
}

std::vector<SchemaSlot> slots_of(std::string_view text, const Schema& schema) {
  std::vector<SchemaSlot> slots;
  while (!text.empty()) {
    std::string_view word = cut(text, ' ');
    if (word.empty()) continue;
    SchemaSlot slot;
    slot.optional = word.ends_with('?');
    slot.variadic = word.ends_with('*');
    if (slot.optional || slot.variadic) word.remove_suffix(1);
    slot.name = word.substr(0, word.find(':'));
    const std::string_view type = word.substr(slot.name.size() + 1);
    for (size_t i = 0; i < schema.variables.size(); ++i)
      if (schema.variables[i].first == type) slot.variable = static_cast<int>(i);
    if (slot.variable < 0) slot.types = type_set(type);
    slots.push_back(std::move(slot));
  }
  return slots;
}

AttrValue default_of(std::string_view kind, std::string_view text) {
  if (kind == "int") {
    int64_t v = 0;
    std::from_chars(text.data(), text.data() + text.size(), v);
    return v;
  }
  if (kind == "float") {
    double v = 0;
    std::from_chars(text.data(), text.data() + text.size(), v);
    return v;
  }
  if (kind == "string") return std::string(text);
  if (kind == "strings") {
    std::vector<std::string> list;
    while (!text.empty()) list.emplace_back(cut(text, ','));
    return list;
  }
  TC_CHECK(kind == "ints", "a default of kind ", kind);
  std::vector<int64_t> list;
  while (!text.empty()) list.push_back(std::get<int64_t>(default_of("int", cut(text, ','))));
  return list;
}

Schema parse(std::string_view domain, std::string_view name, int since, std::string_view signature,
             std::string_view attributes, std::string_view types) {
  Schema s;
  s.domain = domain, s.name = name, s.since = since;
  s.deprecated = types == "deprecated";
  if (s.deprecated) return s;
  while (!types.empty()) {
    std::string_view word = cut(types, ' ');
    const std::string_view letter = cut(word, '=');
    s.variables.emplace_back(letter, type_set(word));
  }
  const size_t arrow = signature.find("->");
  s.inputs = slots_of(signature.substr(0, arrow), s);
  s.outputs = slots_of(signature.substr(arrow + 2), s);
  while (!attributes.empty()) {
    std::string_view word = cut(attributes, ' ');
    SchemaAttribute a;
    a.name = cut(word, ':');
    const size_t equals = word.find('=');
    a.kind = word.substr(0, equals);
    if (a.kind.ends_with('!')) a.required = true, a.kind.remove_suffix(1);
    if (equals != word.npos) a.fallback = default_of(a.kind, word.substr(equals + 1));
    s.attributes.push_back(std::move(a));
  }
  return s;
}

using Table = std::map<std::pair<std::string_view, std::string_view>, std::vector<Schema>>;

const Table& table() {
  static const Table t = [] {
    Table result;
#define TC_SCHEMA(domain, name, since, signature, attributes, types) \
  result[{domain, name}].push_back(parse(domain, name, since, signature, attributes, types));
#include "tc/backend/onnx/schema.def"
    return result;
  }();
  return t;
}

bool same_but_shapes(const Type& a, const Type& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_tensor()) return a.dtype() == b.dtype();
  if (a.kind() == Type::Kind::map && a.dtype() != b.dtype()) return false;
  return a.is_none() || same_but_shapes(a.element(), b.element());
}

}  // namespace

DTypeSet parse_dtypes(std::string_view text) {
  DTypeSet set;
  while (!text.empty()) {
    const std::string_view term = cut(text, '|');
    const auto named =
        std::find_if(std::begin(kTypeSets), std::end(kTypeSets), [&](auto& n) { return n.name == term; });
    if (named != std::end(kTypeSets)) {
      set = set | named->set;
      continue;
    }
    const auto one = dtype_from_name(term);
    TC_CHECK(one, "type set ", term);
    set = set | *one;
  }
  return set;
}

bool TypeSet::accepts(const Type& t) const {
  if (any) return true;
  const auto is_tensor = [](const Type& e) { return e.is_tensor(); };
  switch (t.kind()) {
    case Type::Kind::none:
      return false;
    case Type::Kind::tensor:
      return tensor.has(t.dtype());
    case Type::Kind::sequence:
      if (is_tensor(t.element())) return sequence.has(t.element().dtype());
      break;
    case Type::Kind::optional:
      if (is_tensor(t.element())) return optional.has(t.element().dtype());
      if (t.element().kind() == Type::Kind::sequence && is_tensor(t.element().element()))
        return optional_sequence.has(t.element().element().dtype());
      break;
    case Type::Kind::map:
      break;
  }
  return std::any_of(others.begin(), others.end(), [&](const Type& o) { return same_but_shapes(o, t); });
}

const SchemaAttribute* Schema::attribute(std::string_view wanted) const {
  for (const auto& a : attributes)
    if (a.name == wanted) return &a;
  return nullptr;
}

const SchemaAttribute* Schema::graph_attribute() const {
  for (const auto& a : attributes)
    if (a.kind == "graph") return &a;
  return nullptr;
}

const SchemaSlot* Schema::slot(const std::vector<SchemaSlot>& slots, size_t i) {
  if (i < slots.size()) return &slots[i];
  return !slots.empty() && slots.back().variadic ? &slots.back() : nullptr;
}

const std::vector<Schema>& schemas_of(std::string_view domain, std::string_view name) {
  static const std::vector<Schema> kNone;
  const auto it = table().find({domain, name});
  return it == table().end() ? kNone : it->second;
}

const Schema* find_schema(std::string_view domain, std::string_view name, int opset) {
  const Schema* found = nullptr;
  for (const Schema& s : schemas_of(domain, name))
    if (s.since <= opset) found = &s;
  return found && !found->deprecated ? found : nullptr;
}

std::vector<const Schema*> all_schemas() {
  std::vector<const Schema*> result;
  for (const auto& [key, versions] : table())
    for (const Schema& s : versions) result.push_back(&s);
  return result;
}

bool has_schemas(std::string_view domain) {
  const auto it = table().lower_bound({domain, ""});
  return it != table().end() && it->first.first == domain;
}

DTypeSet storable(int opset) {
  return find_schema("", "Constant", opset)->variables[0].second.tensor;
}

}  // namespace tc::onnx
