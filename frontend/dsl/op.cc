#include "tc/frontend/dsl/op.h"

#include <algorithm>

#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/builder.h"

namespace tc {

using namespace dsl;

namespace {

const OpInfo& op_named(std::string_view name) {
  if (const OpInfo* found = find_op(name)) return *found;
  std::vector<std::string_view> names;
  for (const OpInfo& o : all_ops()) names.push_back(o.name());
  std::vector<std::string> notes;
  if (const std::string near = nearest(name, names); !near.empty()) notes.push_back(cat("did you mean '", near, "'?"));
  refuse(ErrorCode::unknown_op, cat("there is no op '", name, "'"), std::move(notes));
}

std::shared_ptr<const void> attributes_of(const OpInfo& info, const Attributes& given) {
  const auto& fields = info.attrs.fields;
  if (fields.empty() && given.empty()) return nullptr;
  auto attrs = info.attrs.make();
  std::vector<bool> set(fields.size());
  for (const auto& [name, value] : given) {
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == name; });
    if (field == fields.end()) {
      std::vector<std::string_view> names;
      for (const FieldInfo& f : fields) names.push_back(f.name);
      std::vector<std::string> notes;
      if (const std::string near = nearest(name, names); !near.empty())
        notes.push_back(cat("did you mean '", near, "'?"));
      refuse(ErrorCode::bad_attribute, cat(info.name(), " has no attribute '", name, "'"), std::move(notes));
    }
    const auto k = static_cast<size_t>(field - fields.begin());
    located([&] { return info.attrs.set(attrs.get(), k, value), 0; });
    set[k] = true;
  }
  for (size_t k = 0; k < fields.size(); ++k)
    if (fields[k].required && !set[k])
      refuse(ErrorCode::bad_attribute, cat(info.name(), " needs the attribute '", fields[k].name, "'"));
  return attrs;
}

// The type, with new symbols of the module for the unknown ones.
Type renewed(const Type& t, Module& module, std::map<std::string, Dim>& symbols) {
  switch (t.kind()) {
    case Type::Kind::none:
      return t;
    case Type::Kind::sequence:
      return Type::sequence(renewed(t.element(), module, symbols));
    case Type::Kind::optional:
      return Type::optional(renewed(t.element(), module, symbols));
    case Type::Kind::map:
      return Type::map(t.dtype(), renewed(t.element(), module, symbols));
    case Type::Kind::tensor:
      break;
  }
  if (!t.shape().ranked()) return t;
  Dims dims;
  for (const Dim& d : t.shape().dims())
    dims.push_back(d.substitute([&](const std::string& name) -> std::optional<Dim> {
      if (!name.starts_with('?')) return std::nullopt;
      const auto [it, added] = symbols.try_emplace(name);
      if (added) it->second = module.fresh_symbol();
      return it->second;
    }));
  return Type::tensor(t.dtype(), Shape(std::move(dims)));
}

std::unique_ptr<Graph> traced(const Region& r) {
  Tracer& tracer = Tracer::current();
  Tracer::Body body(tracer, "body");
  std::vector<Var> inputs;
  std::map<std::string, Dim> symbols;
  for (const std::string& text : r.inputs)
    inputs.push_back(tracer.input(renewed(located([&] { return parse_type(text); }), *tracer.module(), symbols), {}));
  if (r.arity >= 0 && static_cast<size_t>(r.arity) != inputs.size())
    refuse(ErrorCode::bad_argument, cat("the body takes ", r.arity, " arguments, it is given ", inputs.size()));
  std::vector<Var> outputs;
  {
    const Site::Suspension user;
    for (const Output& o : r.f(inputs)) outputs.push_back(o.value);
  }
  return body.finish(outputs);
}

}  // namespace

std::vector<Var> op_n(std::string_view name, int results, const Args& operands, const Attributes& attributes,
                      const std::vector<Region>& regions, Location at) {
  const Site site("op", at);
  const OpInfo& info = op_named(name);
  if (info.id == OpId::Return || info.id == OpId::Call)
    refuse(ErrorCode::bad_argument, cat(name, " is no op of its own"),
           {"values leave a program as what its function returns; functions are called as f({x})"});
  if (results < 0) refuse(ErrorCode::bad_argument, cat(results, " results"));
  std::vector<Var> values;
  for (const Arg& a : operands) values.push_back(optional_operand(a));
  std::vector<std::unique_ptr<Graph>> bodies;
  for (const Region& r : regions) bodies.push_back(traced(r));
  return Tracer::current().emit(info.id, values, attributes_of(info, attributes), results, std::move(bodies));
}

Var op(std::string_view name, const Args& operands, const Attributes& attributes, Location at) {
  return op_n(name, 1, operands, attributes, {}, at)[0];
}

}  // namespace tc
