// Internal to autodiff: the order in which nodes are visited, and what depends on what.
#pragma once

#include <functional>
#include <unordered_set>
#include <vector>

#include "tc/ir/builder.h"

namespace tc::autodiff {

using ValueSet = std::unordered_set<const Value*>;

// Operands and values that regions capture, each once.
std::vector<Value*> inputs_of(const Node& node);

struct Visit {
  Node* node;
  std::vector<Value*> inputs;
};
// The nodes that `outputs` need, definitions first, not looking behind leaves and constants.
std::vector<Visit> order(const std::vector<Value*>& outputs, const std::vector<Value*>& leaves,
                         const std::vector<Value*>& constants);
// The values of the visited nodes' results that depend differentiably on the leaves, and the leaves.
ValueSet active_values(const std::vector<Visit>& order, const ValueSet& leaves);

// A copy of the node where the builder stands, on the copies of what it uses.
Node* copy_node(Builder& b, const Node& node, const std::function<Value*(Value*)>& copy_of);

// The function that a call without a gradient of its own runs; null for other nodes.
const Graph* plain_callee(const Node& node);
// What forward mode goes through: the same, and that of a call which reverse mode runs again.
const Graph* forward_callee(const Node& node);
// Puts the nodes of the callee in front of the call, and its outputs, which are returned, in the place of its results.
std::vector<Value*> inline_call(Node& call, const Graph& callee);
// Removes nodes whose results nobody uses, but for those of `keep`, from `last` back to `first` (excluded; null: all).
void erase_unused(Graph& g, const Node* first, Node* last, const ValueSet& keep);
// The node in front of where the builder inserts; null at the start.
Node* last_before(const Builder& b);

}  // namespace tc::autodiff
