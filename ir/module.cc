#include "tc/ir/module.h"

#include <algorithm>

namespace tc {

Graph* Module::find_function(std::string_view name) const {
  for (const auto& f : functions_)
    if (f->name() == name) return f.get();
  return nullptr;
}

Graph& Module::add_function(std::string name) {
  if (find_function(name)) fail(ErrorCode::bad_graph, "function @", name, " is defined twice");
  functions_.push_back(std::make_unique<Graph>(*this, std::move(name)));
  return *functions_.back();
}

void Module::erase_function(std::string_view name) {
  std::erase_if(functions_, [&](const auto& f) { return f->name() == name; });
}

std::unique_ptr<Module> clone(const Module& m) {
  auto copy = std::make_unique<Module>();
  copy->metadata = m.metadata;
  copy->reserve_symbols(m.next_symbol());
  auto fill = [&](const Graph& from, Graph& to) {
    std::vector<std::pair<Value*, Value*>> map;
    for (Value* in : from.inputs()) map.emplace_back(in, to.add_input(in->type(), in->name()));
    to.set_outputs(clone_into(from, to, nullptr, std::move(map)));
    to.output_names = from.output_names;
    to.donations = from.donations;
  };
  for (const auto& f : m.functions()) fill(*f, copy->add_function(f->name()));
  fill(m.main(), copy->main());
  return copy;
}

}  // namespace tc
