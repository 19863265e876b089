// Kernels that write patterns: one hot element per index, a triangle of each matrix.
#pragma once
#include <cstdint>

#include "tc/kernels/movement/movement.h"

namespace tc::kernels {

// out[o, d, i] is values[1] where d is index[o, i], counted from the end when negative, and values[0] elsewhere; out is
// dense [outer, depth, inner], index [outer, inner]. Elements have 1, 2, 4, 8 or 16 bytes.
struct OneHotArgs {
  int elem_size = 4;
  std::int64_t outer = 1, depth = 0, inner = 1;
  IndexView index;
  const void* values = nullptr;
  void* out = nullptr;
};
void one_hot(Team& team, const OneHotArgs& args);

// Matrices [rows, columns] of which stays what is not below (upper), or not above, diagonal k; zeros elsewhere. In
// place is fine.
struct TriangleArgs {
  int elem_size = 4;
  std::int64_t matrices = 1, rows = 0, columns = 0, k = 0;
  bool upper = true;
  const void* x = nullptr;
  void* out = nullptr;
};
void triangle(Team& team, const TriangleArgs& args);

}  // namespace tc::kernels
