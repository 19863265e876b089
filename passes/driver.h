// Applies rules until none fires: a worklist over all graphs of a module, regions included, in program order at first;
// then whatever a rewrite touched (users of replaced values, new nodes, users of values that lost a use). Removes dead
// nodes.
#pragma once

#include <span>

#include "tc/passes/editor.h"

namespace tc {

// Error limit_rewrites, naming the rules that undo each other, when the number of rewrites exceeds what the number of
// nodes can explain.
void apply_rules(Module& module, std::span<const Rule> rules, Editor& editor);

// Removes nodes without effects whose results nobody uses.
void eliminate_dead(Module& module, Editor& editor);

// The main graph and all functions.
void for_each_graph(Module& module, const std::function<void(Graph&)>& f);
std::vector<Node*> find_nodes(Module& module, bool (*wanted)(const Node&));
int64_t count_nodes(const Module& module);

}  // namespace tc
