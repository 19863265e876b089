// Inputs of a run from the command line: files, literals, random numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tc/frontend/api/tc.h"

namespace tc {

struct InputSpec {
  std::vector<std::string> inputs;      // NAME=FILE or NAME=LITERAL
  std::string npz;                      // members named as inputs
  std::optional<uint64_t> random_seed;  // fills what is left
  std::vector<std::string> dims;        // SYMBOL=N, for random inputs
  bool shared_symbols = true;           // LoadOptions
};

// What loads a model such that everything that `spec` gives is an input. Error bad_file for a bad npz.
LoadOptions load_options(const InputSpec& spec);

// A literal such as 2xi64=3,4 or 1x3x224x224xf32@random (also @LOW..HIGH, @zeros, @ones); extents, element type, values
// in row-major order. Error bad_argument.
Tensor parse_literal(const std::string& text, uint64_t seed);

// A value for every input of `f`, in order. Errors: bad_input for unknown, doubled or missing names, and what reading
// the files throws.
std::vector<Datum> gather_inputs(const Function& f, const InputSpec& spec);

}  // namespace tc
