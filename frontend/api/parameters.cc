#include "tc/frontend/api/parameters.h"

#include <algorithm>

#include "tc/ir/module.h"
#include "tc/ir/ops/core.h"
#include "tc/passes/autodiff/autodiff.h"

namespace tc {
namespace {

const Tensor* find(const NamedTensors& list, const std::string& name) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == name; });
  return it == list.end() ? nullptr : &it->second;
}

[[noreturn]] void unknown(const std::string& name, std::string_view where, const NamedTensors& known) {
  Diagnostic d{ErrorCode::bad_argument, cat("no parameter of ", where, " is named '", name, "'"), {}, {}, {}};
  std::vector<std::string_view> names;
  for (const auto& entry : known) names.push_back(entry.first);
  if (const std::string near = nearest(name, names); !near.empty())
    d.notes.push_back(cat("did you mean '", near, "'?"));
  throw Error(std::move(d));
}

void expect_like(const std::string& name, const Tensor& is, const Tensor& given) {
  if (given.dtype() != is.dtype() || given.extents() != is.extents())
    fail(ErrorCode::bad_type, "parameter '", name, "' is ", is.type(), ", got ", given.type());
}

}  // namespace

NamedTensors parameters_of(const Function& f) {
  NamedTensors result;
  walk(f.module().main(), [&](Node& n) {
    if (!n.is<Parameter>()) return;
    const auto& a = n.attrs<Parameter>();
    if (!find(result, a.name)) result.emplace_back(a.name, a.value);
  });
  return result;
}

Function with_parameters(const Function& f, const NamedTensors& parameters) {
  const NamedTensors known = parameters_of(f);
  for (const auto& [name, tensor] : parameters) {
    const Tensor* is = find(known, name);
    if (!is) unknown(name, cat("'", f.name(), "'"), known);
    expect_like(name, *is, tensor);
  }
  auto m = clone(f.module());
  walk(m->main(), [&](Node& n) {
    if (!n.is<Parameter>()) return;
    const std::string& name = n.attrs<Parameter>().name;
    if (const Tensor* t = find(parameters, name))
      n.set_attrs(std::make_shared<Parameter::Attrs>(Parameter::Attrs{name, *t}));
  });
  return Function(std::move(m));
}

Function parameters_as_inputs(const Function& f) {
  auto m = clone(f.module());
  Graph& g = m->main();
  for (Value* v : merge_parameters(g)) {
    const std::string& name = v->def()->attrs<Parameter>().name;
    for (const Value* input : g.inputs())
      if (input->name() == name)
        fail(ErrorCode::bad_argument, "'", name, "' is an input and a parameter of ", f.name());
    v->replace_all_uses_with(g.add_input(v->type(), name));
    g.erase(v->def());
  }
  return Function(std::move(m));
}

void assign_parameters(const std::vector<Param>& parameters, const NamedTensors& tensors) {
  for (const Param& p : parameters) {
    const Tensor* t = find(tensors, p.name());
    if (!t) unknown(p.name(), "the given tensors", tensors);
    expect_like(p.name(), p.value(), *t);
  }
  for (const Param& p : parameters) p.assign(*find(tensors, p.name()));
}

void replace_tensors(NamedTensors& to, const NamedTensors& from, std::string_view what) {
  for (const auto& [name, tensor] : from)
    if (!find(to, name)) unknown(name, what, to);
  for (const auto& [name, tensor] : to) {
    const Tensor* t = find(from, name);
    if (!t) fail(ErrorCode::bad_argument, "'", name, "' of ", what, " is missing");
    expect_like(name, tensor, *t);
  }
  for (auto& [name, tensor] : to) tensor = *find(from, name);
}

}  // namespace tc
