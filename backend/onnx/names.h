// Names of values and nodes in a file: readable, unique, and the same for the same program.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "tc/ir/graph.h"

namespace tc::onnx {

// Of one name space: the main graph or a function, with all regions.
class Names {
 public:
  explicit Names(const Graph& g);

  const std::string& of(const Value* v) const;
  // Under which name output i of a graph leaves it. Unless it is the value's own, an Identity has to give it.
  const std::string& output(const Graph& g, int i) const;
  // A name nobody has yet, from `wanted`.
  std::string unique(const std::string& wanted);
  // Of a node; `doc` receives what is no name, such as a place in a source file.
  std::string node(const Node& n, std::string* doc);

 private:
  void name_graph(const Graph& g, bool region);
  void name_value(const Value* v, const std::string& wanted);
  std::unordered_map<const Value*, std::string> values_;
  std::unordered_map<const Graph*, std::vector<std::string>> outputs_;
  std::unordered_set<std::string> taken_, nodes_;
  std::unordered_map<std::string, int> counters_;
};

}  // namespace tc::onnx
