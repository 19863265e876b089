// The reference interpreter: runs a module node by node on the ops' `eval` bodies.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tc/ir/eval/eval.h"
#include "tc/ir/module.h"

namespace tc {

struct InterpOptions {
  bool widened = false;  // see EvalEnv; inputs declared f32, f16 or bf16 may then be f64
  uint64_t max_steps = UINT64_MAX;
  uint64_t max_bytes = UINT64_MAX;
  std::optional<uint64_t> seed = {};  // of random nodes that have none; unset: other numbers in each run
  // Called after each node with its results; for comparisons value by value.
  std::function<void(const Node&, const std::vector<Datum>&)> observe;
  // Check each value against its inferred type and contents: Error internal where inference was wrong.
  bool check_types = false;
};

// Outputs of the main graph for its inputs, in order. Error bad_input when an input does not fit its declared type.
std::vector<Datum> interpret(const Module& module, std::vector<Datum> inputs, const InterpOptions& options = {});
std::vector<Datum> interpret(const Graph& graph, std::vector<Datum> inputs, const InterpOptions& options = {});

// Values of the symbols in the inputs' declared types, given actual inputs. Error bad_input when a value does not fit
// its declaration or one symbol would have two values.
std::map<std::string, int64_t> bind_symbols(const Graph& graph, const std::vector<Datum>& inputs, bool widened = false);

// Does the value have this type, as far as the type says (symbols are free)?
bool has_type(const Datum& d, const Type& t);
std::string describe(const Datum& d);  // "f32[2,3]", "seq of 4", ...

}  // namespace tc
