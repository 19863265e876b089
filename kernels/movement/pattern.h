// Kernels that write patterns: one hot element per index, a triangle of each matrix, sequences turned round.
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

// Of x, dense [outer, steps, sequences, inner], or [outer, sequences, steps, inner], the first lengths[s] steps of
// sequence s in reverse, the others as they are. No length is beyond [0, steps].
struct ReverseArgs {
  std::int64_t outer = 1, steps = 0, sequences = 0;
  std::int64_t row_bytes = 0;  // of inner
  bool steps_first = true;
  const std::int64_t* lengths = nullptr;
  const void* x = nullptr;
  void* out = nullptr;
};
void reverse_sequences(Team& team, const ReverseArgs& args);

}  // namespace tc::kernels
