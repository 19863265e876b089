// Whether every way of running a random graph gives the same, and the smallest graph that still does not.
#pragma once

#include <string>

#include "writer.h"

namespace tc::fuzz {

// The reference's results, and how far they are to be trusted: what a slight change of the inputs or more precise
// arithmetic changes is no fault of an engine that differs there.
struct Truth {
  std::vector<Datum> plain, widened;
  std::vector<std::vector<Datum>> nudged;
  bool special = false;  // numbers of the graph: see judge
};
Truth truth_of(const Module& module, const std::vector<Datum>& inputs);

// What is wrong with these results; empty when nothing is. Of special numbers finite floats alone are compared: which
// infinity or NaN comes of several, and what an integer is made of one, depends on the order. `loosely`: of another
// runtime, whose sums of narrow floats and NaNs differ by rule.
std::string judge(const std::vector<Datum>& actual, const Truth& truth, bool loosely = false);

// What differs among the levels, the interpreter and the exported file read again, for both sets of extents on one
// compiled program; empty when nothing does.
std::string disagreement(const RandomGraph& graph);

// Runs the graph on inputs of other extents and numbers than it was made for, in every engine. What is wrong with how
// it fails: an error of a run names the node that it met, or the input. Empty when nothing is, or nothing fails.
std::string unnamed_error(const RandomGraph& graph, Random& random);

// As few nodes as still `fails`: results of nodes become inputs of their value.
RandomGraph reduced(const RandomGraph& graph, const std::function<bool(const RandomGraph&)>& fails);

// The text of the graph and of its inputs.
std::string described(const RandomGraph& graph);

RandomGraph copy_of(const RandomGraph& graph);

}  // namespace tc::fuzz
