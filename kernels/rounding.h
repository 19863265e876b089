// Counts rounded up to whole blocks.
#pragma once
#include <cstdint>

namespace tc::kernels {

// Inline everywhere: as functions they would be symbols that files compiled for different tiers share.
__attribute__((always_inline)) constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
__attribute__((always_inline)) constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) {
  return ceil_div(a, b) * b;
}

}  // namespace tc::kernels
