// Random programs of the DSL, for tests that run one program in several ways.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tc/tc.h"

namespace tc::programs {

struct Program {
  uint64_t seed;
  std::string text;  // its statements
  // (inputs) -> a loss, and the values that it is made of. Floating inputs have gradients everywhere that matters.
  Function function;
  std::vector<Tensor> inputs;
};

// Deterministic: shapes with extents of 1, fixed or symbolic; broadcasting; f32 or f64. Results are well conditioned:
// no function jumps where rounding could push an operand over the edge.
Program random_program(uint64_t seed);

}  // namespace tc::programs
