// Options of compilation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tc/kernels/strict.h"
#include "tc/kernels/tier.h"

namespace tc {

struct CompileOptions {
  int level = 2;                                       // optimisation level, 0 to 2
  std::optional<kernels::Tier> isa;                    // cap; default: the machine's, capped by TC_ISA
  kernels::TableForm form = kernels::TableForm::fast;  // of the tables that kernels come from
  bool kernels = true;                                 // false: every step on its reference body
  uint64_t max_memory = UINT64_MAX;                    // bytes of arena, outputs and heap values of one run
  uint64_t max_steps = UINT64_MAX;                     // loop iterations of one run
  // Of random ops that have no seed: runs of the executable draw the same numbers as those of another one with this
  // seed, the first one's those of the first one, and so on. Default: a fresh seed for each executable.
  std::optional<uint64_t> seed = {};
  // Kind of kernels to the algorithm that computes them wherever it can: algorithms.h has the names.
  std::map<std::string, std::string> force = {};
};

}  // namespace tc
