// The table of operator versions against libonnx's own schemas, as far as that knows them.
#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include <set>

#include "tc/backend/onnx/dialect.h"
#include "tc/ir/op.h"

namespace tc::onnx {
namespace {

constexpr int kLibraryOpset = 17;

std::string type_string(const Type& t) {
  static const std::map<DType, std::string> kNames = {
      {DType::f32, "float"},  {DType::f64, "double"},   {DType::f16, "float16"},   {DType::bf16, "bfloat16"},
      {DType::str, "string"}, {DType::boolean, "bool"}, {DType::c64, "complex64"}, {DType::c128, "complex128"}};
  const auto element = [](DType d) {
    if (const auto it = kNames.find(d); it != kNames.end()) return it->second;
    const std::string n(name(d));
    return cat(n[0] == 'u' ? "uint" : "int", n.substr(1));
  };
  switch (t.kind()) {
    case Type::Kind::tensor:
      return cat("tensor(", element(t.dtype()), ")");
    case Type::Kind::sequence:
      return cat("seq(", type_string(t.element()), ")");
    case Type::Kind::optional:
      return cat("optional(", type_string(t.element()), ")");
    case Type::Kind::map:
      return cat("map(", element(t.dtype()), ", ", type_string(t.element()).substr(0), ")");
    case Type::Kind::none:
      break;
  }
  return "";
}

std::set<std::string> strings_of(const TypeSet& s) {
  std::set<std::string> result;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto d = static_cast<DType>(i);
    const Type t = Type::tensor(d, Shape());
    if (s.tensor.has(d)) result.insert(type_string(t));
    if (s.sequence.has(d)) result.insert(type_string(Type::sequence(t)));
    if (s.optional.has(d)) result.insert(type_string(Type::optional(t)));
    if (s.optional_sequence.has(d)) result.insert(type_string(Type::optional(Type::sequence(t))));
  }
  for (const Type& t : s.others) result.insert(type_string(t));
  return result;
}

std::set<std::string> without_spaces(std::set<std::string> s) {
  std::set<std::string> result;
  for (std::string t : s) {
    std::erase(t, ' ');
    result.insert(std::move(t));
  }
  return result;
}

std::string kind_of(::onnx::AttributeProto::AttributeType t) {
  using P = ::onnx::AttributeProto;
  static const std::map<int, std::string> kKinds = {{P::FLOAT, "float"},
                                                    {P::INT, "int"},
                                                    {P::STRING, "string"},
                                                    {P::TENSOR, "tensor"},
                                                    {P::GRAPH, "graph"},
                                                    {P::FLOATS, "floats"},
                                                    {P::INTS, "ints"},
                                                    {P::STRINGS, "strings"},
                                                    {P::SPARSE_TENSOR, "sparse_tensor"},
                                                    {P::TYPE_PROTO, "type_proto"}};
  const auto it = kKinds.find(t);
  return it == kKinds.end() ? "?" : it->second;
}

TEST(Schema, AgreesWithTheLibrary) {
  int compared = 0;
  for (const Schema* s : all_schemas()) {
    const int newest = s->domain.empty() ? kLibraryOpset : s->domain == "ai.onnx.ml" ? 3 : 1;
    if (s->since > newest) continue;
    SCOPED_TRACE(cat(s->domain, " ", s->name, " ", s->since));
    const auto* theirs = ::onnx::OpSchemaRegistry::Schema(std::string(s->name), s->since, std::string(s->domain));
    if (!theirs && s->domain.starts_with("ai.onnx.preview")) continue;
    ASSERT_TRUE(theirs);
    EXPECT_EQ(theirs->SinceVersion(), s->since);
    EXPECT_EQ(theirs->deprecated(), s->deprecated);
    if (s->deprecated) continue;
    ++compared;
    const auto side = [&](const std::vector<SchemaSlot>& ours, const auto& formal) {
      ASSERT_EQ(ours.size(), formal.size());
      for (size_t i = 0; i < ours.size(); ++i) {
        using Option = ::onnx::OpSchema::FormalParameterOption;
        EXPECT_EQ(ours[i].optional, formal[i].GetOption() == Option::Optional) << formal[i].GetName();
        EXPECT_EQ(ours[i].variadic, formal[i].GetOption() == Option::Variadic) << formal[i].GetName();
        std::set<std::string> types;
        for (const auto* t : formal[i].GetTypes()) types.insert(*t);
        EXPECT_EQ(without_spaces(strings_of(s->types(ours[i]))), without_spaces(types)) << formal[i].GetName();
        if (ours[i].variable >= 0) {
          EXPECT_EQ(s->variables[static_cast<size_t>(ours[i].variable)].first, formal[i].GetTypeStr());
        }
      }
    };
    side(s->inputs, theirs->inputs());
    side(s->outputs, theirs->outputs());
    EXPECT_EQ(s->attributes.size(), theirs->attributes().size());
    for (const SchemaAttribute& a : s->attributes) {
      const auto it = theirs->attributes().find(std::string(a.name));
      ASSERT_NE(it, theirs->attributes().end()) << a.name;
      EXPECT_EQ(a.kind, kind_of(it->second.type)) << a.name;
      EXPECT_EQ(a.required, it->second.required) << a.name;
      const auto& d = it->second.default_value;
      if (const auto* i = std::get_if<int64_t>(&a.fallback)) {
        EXPECT_EQ(*i, d.i()) << a.name;
      }
      if (const auto* f = std::get_if<double>(&a.fallback)) {
        EXPECT_EQ(static_cast<float>(*f), d.f()) << a.name;
      }
      if (const auto* t = std::get_if<std::string>(&a.fallback)) {
        EXPECT_EQ(*t, d.s()) << a.name;
      }
      if (std::holds_alternative<std::monostate>(a.fallback)) {
        EXPECT_EQ(d.name(), "") << a.name;
      }
    }
  }
  EXPECT_GT(compared, 200);
}

// The ops' facts name operators that the table has, with attributes that it knows.
TEST(Schema, HasWhatTheOpsName) {
  for (const OpInfo& op : all_ops()) {
    const OnnxName& n = op.facts->onnx;
    if (n.name.empty() || !has_schemas(n.domain) || (n.domain.empty() && n.since > kMaxExportOpset)) continue;
    SCOPED_TRACE(op.name());
    const Schema* s = find_schema(n.domain, n.name, kMaxExportOpset);
    // Withdrawn by the newest version: what there was before.
    if (!s && n.domain == "ai.onnx.ml") s = find_schema(n.domain, n.name, 3);
    ASSERT_TRUE(s);
    for (const FieldInfo& f : op.attrs.fields)
      if (f.onnx != "-") {
        EXPECT_TRUE(s->attribute(f.onnx)) << f.onnx;
      }
    const int named = op.facts->signature.num_operands, inputs = static_cast<int>(s->inputs.size());
    if (inputs > 0 && s->inputs.back().variadic) {
      EXPECT_GE(named, inputs);  // max(a, b) of Max(data_0...)
    } else {
      EXPECT_EQ(named, inputs);
    }
  }
}

TEST(Schema, TypeSetsAreWhole) {
  EXPECT_EQ(storable(13).has(DType::f8e5m2), false);
  EXPECT_EQ(storable(19).has(DType::f8e5m2), true);
  EXPECT_EQ(storable(24).has(DType::i2), false);
  EXPECT_EQ(storable(25), dtypes::all);
}

}  // namespace
}  // namespace tc::onnx
