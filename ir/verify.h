// The verifier: what must hold of every graph between passes. Linear in the size of the graph (times the depth of
// regions).
#pragma once

#include <vector>

#include "tc/ir/module.h"

namespace tc {

// Throws Error bad_graph that names the first node found wrong, its location and its text, when
//   a graph does not end in its only `return`, owns nodes or regions that do not know it, or nests deeper than
//   kMaxNesting; an operand is not defined before its use (an enclosing graph's values may be used), or a use list is
//   damaged; operands, results, attributes or regions do not fit the op's signature, or what inference makes of them
//   now contradicts the types that the results have; output names or donations do not match inputs and outputs;
//   functions share a name, are called but not there, or call each other in a circle.
// Runs inference in place and puts back what it found: not to be called while another thread reads the module.
void verify(const Module& module);
// One function's graph, or a region (then what it captures must be defined before the node that owns it).
void verify(const Graph& graph);

// The types that inference gives the node's results from its operands alone; the values may be known to have more
// specific ones. Puts back what it found, as verify does.
std::vector<Type> inferred_types(Node& node);

}  // namespace tc
