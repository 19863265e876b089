// A graph as Graphviz text.
#pragma once

#include <string>

#include "tc/ir/module.h"

namespace tc {

// The main graph and the functions; regions are boxes within the graph, edges carry the values' types, a node's tooltip
// is its text. Constants are small notes, drawn once per use.
std::string to_dot(const Module& m);

}  // namespace tc
