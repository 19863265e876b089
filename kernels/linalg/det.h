// Determinants of small matrices of f32 and f64, in f64, by elimination with pivots: a register holds an element of
// several matrices, one a lane, and operations are those of a single matrix.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tc/kernels/elem.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;

// Rows and columns up to which a single matrix of a register takes no longer than by itself.
inline constexpr std::int64_t kMostDetRows = 16;

struct DetArgs {
  Elem type = Elem::f32;    // or f64
  std::int64_t n = 0;       // rows and columns, at least 1
  std::int64_t count = 0;   // matrices, one after the other
  const void* x = nullptr;  // [count, n, n]
  void* y = nullptr;        // [count]
  std::byte* scratch = nullptr;
};

struct LinalgTable {
  // Matrices [first, first + count), at most the lanes of a register.
  Slot<void(const DetArgs&, std::int64_t first, std::int64_t count, double* work)> det;
  Slot<std::int64_t()> lanes;
};

std::size_t det_scratch_bytes(const LinalgTable& table, const DetArgs& args, int threads);
void det(const LinalgTable& table, Team& team, const DetArgs& args);

}  // namespace tc::kernels
