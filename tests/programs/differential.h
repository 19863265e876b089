// What the tests of random programs share.
#pragma once

#include <cstdlib>
#include <string>

#include "program.h"
#include "tc/tools/common/compare.h"

namespace tc::programs {

// Gradients of long programs add up rounding errors of their largest terms.
inline constexpr Tolerance kTolerance = {.rtol = 1e-3, .atol = 1e-6, .atol_of_max = 1e-4};

struct Seeds {
  uint64_t first = 0, count = 0;
};
// TC_PROGRAM_SEEDS=FIRST:COUNT tries others.
inline Seeds seeds(uint64_t count) {
  const char* given = std::getenv("TC_PROGRAM_SEEDS");
  if (!given) return {0, count};
  char* end = nullptr;
  const uint64_t first = std::strtoull(given, &end, 10);
  return {first, *end == ':' ? std::strtoull(end + 1, nullptr, 10) : 1};
}

// The program with gradients of its loss with respect to all floating inputs behind its outputs.
inline Function with_gradients(const Program& p) {
  for (const ValueInfo& input : p.function.inputs())
    if (dtypes::floats.has(input.type.dtype())) return value_and_grad(p.function);
  return p.function;
}

// For a failure: how to see it again, and what failed.
inline std::string described(uint64_t seed, const std::string& text) {
  return cat("TC_PROGRAM_SEEDS=", seed, ":1\n", text);
}

}  // namespace tc::programs
