#include "tc/ir/module.h"

#include <algorithm>
#include <unordered_map>

#include "tc/ir/custom_op.h"
#include "tc/ir/ops/core.h"

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

std::vector<Graph*> call_order(const Module& m) {
  std::unordered_map<std::string_view, Graph*> by_name;
  for (const auto& f : m.functions()) by_name.emplace(f->name(), f.get());
  const auto reject = [](const Node& n, std::string message) {
    throw Error({ErrorCode::bad_graph, std::move(message), n.location().empty() ? "call" : n.location(), {}, {}});
  };
  std::unordered_map<const Graph*, std::vector<std::pair<const Node*, Graph*>>> calls;
  const auto collect = [&](const Graph& g) {
    walk(g, [&](Node& n) {
      if (!n.is<Call>()) return;
      const auto callee = by_name.find(n.attrs<Call>().callee);
      if (callee == by_name.end()) {
        if (find_custom_op(n.attrs<Call>().callee)) return;
        reject(n, cat("there is no function @", n.attrs<Call>().callee));
      }
      calls[&g].emplace_back(&n, callee->second);
    });
  };
  for (const auto& f : m.functions()) collect(*f);
  collect(m.main());
  // Depth-first search with an explicit stack; a callee that is still open closes a circle.
  enum State { fresh, open, done };
  std::unordered_map<const Graph*, State> state;
  std::vector<Graph*> order;
  for (const auto& f : m.functions()) {
    std::vector<Graph*> stack = {f.get()};
    while (!stack.empty()) {
      Graph* g = stack.back();
      if (state[g] != fresh) {
        if (state[g] == open) order.push_back(g);
        state[g] = done;
        stack.pop_back();
        continue;
      }
      state[g] = open;
      for (const auto& [node, callee] : calls[g]) {
        if (state[callee] == open)
          reject(*node, cat("recursion: @", g->name(), " calls @", callee->name(), ", which leads back to it"));
        if (state[callee] == fresh) stack.push_back(callee);
      }
    }
  }
  return order;
}

std::unique_ptr<Module> clone(const Module& m) {
  auto copy = std::make_unique<Module>();
  copy->metadata = m.metadata;
  copy->reserve_symbols(m.next_symbol());
  auto fill = [&](const Graph& from, Graph& to) {
    std::vector<std::pair<Value*, Value*>> map;
    for (Value* in : from.inputs()) map.emplace_back(in, to.add_input(in->type(), in->name()));
    to.set_outputs(clone_into(from, to, nullptr, std::move(map)));
    if (from.terminator()) to.terminator()->set_location(from.terminator()->location());
    to.output_names = from.output_names;
    to.donations = from.donations;
  };
  // In the same order, but each filled when what it calls is there.
  for (const auto& f : m.functions()) copy->add_function(f->name());
  for (const Graph* f : call_order(m)) fill(*f, *copy->find_function(f->name()));
  fill(m.main(), copy->main());
  copy->main().set_name(m.main().name());
  return copy;
}

}  // namespace tc
