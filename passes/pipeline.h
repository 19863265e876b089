// The table of phases and passes, and how it is run. Every pass, rule and limit has a name and can be printed, forced,
// capped and bisected.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tc/ir/module.h"
#include "tc/ir/tensor.h"
#include "tc/passes/editor.h"
#include "tc/passes/pass.h"
#include "tc/passes/report.h"

namespace tc {

struct PipelineOptions {
  const Target* target = nullptr;       // whose passes come first; null: the program stays as portable as it is
  int level = 2;                        // 0: as imported; 1: cleaned up, stable; 2: fused
  std::string until;                    // the last phase or pass to run; empty: all
  std::set<std::string> disable;        // rules, passes or phases
  std::set<std::string> enable;         // passes or phases beyond the level
  EditLimits limits;                    // rewrite limit, caps, contract, budgets
  bool verify = true;                   // the verifier after each pass, and the normal form it promises
  bool check_values = false;            // numbers before and after every rewrite; slow
  std::vector<Datum> check_inputs;      // for it; empty: made up from seed and dims
  std::map<std::string, int64_t> dims;  // extents of symbols in made-up inputs
  uint64_t seed = 1;
  std::function<void(const Pass&, const Module&)> after_pass;  // e.g. to print the module
};

// Error bad_argument for a name that is no rule, pass or phase; Error check_failed when numbers change; Error
// limit_rewrites when rules undo each other; Error internal when a pass breaks the graph or its promise.
PipelineReport optimize(Module& module, const PipelineOptions& options = {});

}  // namespace tc
