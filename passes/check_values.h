// Compares numbers before and after rewrites. The main graph is interpreted once on sample inputs; every value then
// keeps a shadow: what it was in that run. The nodes that a rewrite replaces and its new ones are evaluated on the
// shadows of what both use, and compared within what the rule's contract allows. The replacement inherits the old
// shadow, so that tolerances never add up. Whole passes are compared on the outputs.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tc/ir/eval/interp.h"
#include "tc/passes/editor.h"
#include "tc/passes/report.h"

namespace tc {

class ValueCheck {
 public:
  // Error when the program does not run on these inputs.
  ValueCheck(Module& module, std::vector<Datum> inputs, PipelineReport& report);

  // Error check_failed, naming the rule, the node and the element, when the numbers differ by more than allowed.
  void before_commit(const Edit& edit);
  void forget(const Value* v) { shadows_.erase(v); }
  // Error check_failed when an output of the whole program differs.
  void after_pass(std::string_view pass);

 private:
  const Datum& shadow(const Value* v);
  void evaluate(const Node& n);
  // The value, with the nodes that the edit replaces evaluated anew.
  Datum recompute(const Value* v, const Edit& edit, std::unordered_map<const Value*, Datum>& memo);
  std::vector<Datum> run(const Graph& g, std::vector<Datum> args);

  Module& module_;
  std::vector<Datum> inputs_, outputs_;
  double bound_ = 0;  // the loosest of the approximate rules that have fired
  PipelineReport& report_;
  RandomRun random_;
  EvalEnv env_;
  std::unordered_map<const Value*, Datum> shadows_;
};

// How far two results may be apart; `scale` is the largest magnitude among the reference and the operands that made it,
// and `terms` how many were summed.
double tolerance(const Exactness& e, DType t, double scale, double terms);

// The first difference as text, or nothing.
std::string difference(const Datum& expected, const Datum& actual, double absolute);
double largest_magnitude(const Datum& d);  // of finite elements; 0 when not numbers

// Seeded inputs for a graph: symbols take their extents from `dims`, or small distinct ones. Error bad_argument for
// inputs that cannot be made up (unknown rank, sequences).
std::vector<Datum> sample_inputs(const Graph& graph, const std::map<std::string, int64_t>& dims, uint64_t seed);

}  // namespace tc
