#include "standard.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace standard {
namespace {

tc::Type parse_type(std::string_view text) {
  using tc::DType;
  static const std::map<std::string_view, DType> kElements = {
      {"float", DType::f32},
      {"double", DType::f64},
      {"float16", DType::f16},
      {"bfloat16", DType::bf16},
      {"float8e4m3fn", DType::f8e4m3fn},
      {"float8e4m3fnuz", DType::f8e4m3fnuz},
      {"float8e5m2", DType::f8e5m2},
      {"float8e5m2fnuz", DType::f8e5m2fnuz},
      {"float4e2m1", DType::f4e2m1},
      {"float8e8m0", DType::f8e8m0},
      {"int8", DType::i8},
      {"int16", DType::i16},
      {"int32", DType::i32},
      {"int64", DType::i64},
      {"uint8", DType::u8},
      {"uint16", DType::u16},
      {"uint32", DType::u32},
      {"uint64", DType::u64},
      {"int4", DType::i4},
      {"uint4", DType::u4},
      {"int2", DType::i2},
      {"uint2", DType::u2},
      {"bool", DType::boolean},
      {"string", DType::str},
      {"complex64", DType::c64},
      {"complex128", DType::c128},
  };
  const auto within = [&](std::string_view head) {
    return text.starts_with(head) && text.ends_with(')') ? text.substr(head.size(), text.size() - head.size() - 1)
                                                         : std::string_view();
  };
  if (const auto t = within("tensor("); !t.empty()) return parse_type(t);
  if (const auto t = within("seq("); !t.empty()) return tc::Type::sequence(parse_type(t));
  if (const auto t = within("optional("); !t.empty()) return tc::Type::optional(parse_type(t));
  if (const auto t = within("map("); !t.empty())
    return tc::Type::map(kElements.at(t.substr(0, t.find(','))), parse_type(t.substr(t.find(' ') + 1)));
  const auto found = kElements.find(text);
  if (found == kElements.end()) throw std::runtime_error("unknown type " + std::string(text));
  return tc::Type::tensor(found->second, tc::Shape());
}

// Split at spaces outside parentheses.
std::vector<tc::Type> parse_types(const std::string& list) {
  std::vector<tc::Type> types;
  int depth = 0;
  std::string word;
  for (const char c : list + " ") {
    depth += (c == '(') - (c == ')');
    if (c != ' ' || depth > 0) {
      word += c;
    } else if (!word.empty()) {
      types.push_back(parse_type(word));
      word.clear();
    }
  }
  return types;
}

Slot parse_slot(const std::string& text, Version& v) {
  const size_t colon = text.find(':');
  Slot slot;
  slot.name = text.substr(0, colon);
  slot.variable = text.substr(colon + 1);
  if (slot.name.ends_with('?')) slot.optional = true, slot.name.pop_back();
  if (slot.name.ends_with('*')) slot.variadic = true, slot.name.pop_back();
  if (!v.types.count(slot.variable)) v.types[slot.variable] = {parse_type(slot.variable)};
  return slot;
}

Attribute parse_attribute(const std::string& name, std::string text) {
  Attribute a;
  a.name = name;
  if (const size_t equals = text.find('='); equals != std::string::npos) {
    a.fallback = text.substr(equals + 1);
    text.resize(equals);
  }
  if (text.ends_with('!')) a.required = true, text.pop_back();
  a.kind = text;
  return a;
}

std::vector<Version> read(const char* path) {
  std::vector<Version> list;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  for (const auto& o : nlohmann::json::parse(file)) {
    Version v;
    v.domain = o.at("domain");
    if (v.domain == "ai.onnx") v.domain.clear();
    v.name = o.at("name");
    v.since = o.at("since");
    v.deprecated = o.value("deprecated", false);
    for (const auto& [letter, types] : o.at("types").items()) v.types[letter] = parse_types(types);
    for (const auto& s : o.at("inputs")) v.inputs.push_back(parse_slot(s, v));
    for (const auto& s : o.at("outputs")) v.outputs.push_back(parse_slot(s, v));
    if (o.contains("attributes"))
      for (const auto& [name, text] : o.at("attributes").items()) v.attributes.push_back(parse_attribute(name, text));
    list.push_back(std::move(v));
  }
  std::map<std::string, int> newest_of_domain;
  for (const Version& v : list) newest_of_domain[v.domain] = std::max(newest_of_domain[v.domain], v.since);
  for (Version& v : list) {
    v.until = newest_of_domain[v.domain];
    for (const Version& w : list)
      if (w.domain == v.domain && w.name == v.name && w.since > v.since) v.until = std::min(v.until, w.since - 1);
  }
  return list;
}

}  // namespace

std::string Version::str() const {
  return (domain.empty() ? "" : domain + ".") + name + "-" + std::to_string(since);
}

const std::vector<Version>& versions() {
  static const std::vector<Version> all = [] {
    const char* path = std::getenv("TC_ONNX_OPS");
    return read(path && *path ? path : TC_SOURCE_DIR "/tests/frontend/onnx/operators.json");
  }();
  return all;
}

int newest(const std::string& domain) {
  int n = 1;
  for (const Version& v : versions())
    if (v.domain == domain) n = std::max(n, v.since);
  return n;
}

}  // namespace standard
