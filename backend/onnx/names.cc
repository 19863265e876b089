#include "tc/backend/onnx/names.h"

#include <algorithm>

#include "tc/ir/ops.h"

namespace tc::onnx {
namespace {

bool is_weight(const Value* v) {
  return v->def_as<Constant>() || v->def_as<Parameter>();
}

// A place in a source file, as the makers of nodes in a program state it.
bool is_source_line(const std::string& location) {
  const size_t colon = location.rfind(':');
  if (colon == location.npos || colon + 1 == location.size()) return false;
  const bool digits = std::all_of(location.begin() + static_cast<std::ptrdiff_t>(colon) + 1, location.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  return digits && location.find('.') < colon;
}

}  // namespace

Names::Names(const Graph& g) {
  name_graph(g, false);
}

std::string Names::unique(const std::string& wanted) {
  if (taken_.insert(wanted).second) return wanted;
  for (int& k = counters_[wanted];;)
    if (auto name = cat(wanted, "_", ++k); taken_.insert(name).second) return name;
}

void Names::name_value(const Value* v, const std::string& wanted) {
  if (!values_.count(v)) values_[v] = unique(wanted);
}

void Names::name_graph(const Graph& g, bool region) {
  // What the outside knows comes first, so that it keeps its name.
  for (int i = 0; i < g.num_inputs(); ++i) {
    const Value* v = g.input(i);
    name_value(v, v->name().empty() ? cat("input_", i) : v->name());
  }
  std::vector<std::string>& outputs = outputs_[&g];
  for (int i = 0; i < g.num_outputs(); ++i) {
    const Value* v = g.output(i);
    const auto k = static_cast<size_t>(i);
    std::string wanted = k < g.output_names.size() ? g.output_names[k] : std::string();
    if (wanted.empty()) wanted = v && !v->name().empty() ? v->name() : cat("output_", i);
    const auto known = values_.find(v);
    if (!region && known != values_.end() && known->second == wanted) {
      outputs.push_back(wanted);
      continue;
    }
    outputs.push_back(unique(wanted));
    // A value of this graph's own takes the name of the first output that it is.
    if (v && v->def() && v->graph() == &g && !is_weight(v) && known == values_.end()) values_[v] = outputs.back();
  }
  for (const auto& n : g.nodes()) {
    for (int j = 0; j < n->num_results(); ++j) {
      const Value* v = n->result(j);
      std::string wanted = v->name();
      if (const auto* p = v->def_as<Parameter>()) wanted = p->attrs<Parameter>().name;
      if (wanted.empty()) wanted = j == 0 ? std::string(n->info().name()) : cat(n->info().name(), "_", j);
      name_value(v, wanted);
    }
    for (int r = 0; r < n->num_regions(); ++r) name_graph(n->region(r), true);
  }
}

const std::string& Names::of(const Value* v) const {
  const auto it = values_.find(v);
  TC_CHECK(it != values_.end(), "a value of another graph");
  return it->second;
}

const std::string& Names::output(const Graph& g, int i) const {
  return outputs_.at(&g)[static_cast<size_t>(i)];
}

std::string Names::node(const Node& n, std::string* doc) {
  std::string name = n.location();
  if (is_source_line(name)) *doc = std::exchange(name, "");
  // Nameless nodes of a file are located by a description.
  if (name.find_first_of(" '\n\t") != name.npos) name.clear();
  if (name.empty()) name = n.num_results() ? of(n.result(0)) : std::string(n.info().name());
  if (nodes_.insert(name).second) return name;
  for (int k = 1;; ++k)
    if (auto numbered = cat(name, "_", k); nodes_.insert(numbered).second) return numbered;
}

}  // namespace tc::onnx
