// Index arithmetic of NumPy broadcasting, and elementwise loops over widened values.
#pragma once

#include <array>
#include <vector>

#include "tc/ir/eval/eval.h"

namespace tc {

// The broadcast of all extents; Error bad_shape when two differ and neither is 1.
Extents broadcast_extents(const std::vector<const Extents*>& operands);
// Row-major strides of an operand seen with the result's extents: 0 along broadcast dimensions.
Extents broadcast_strides(const Extents& operand, const Extents& result);

// Calls f(first, count, offsets, steps) for the runs of result elements through which every operand steps evenly, by 0
// or 1, in order.
template <size_t N, class F>
void for_each_row(const Extents& extents, const std::array<Extents, N>& strides, F&& f) {
  const int64_t total = element_count(extents);
  if (total == 0) return;
  // Neighbouring dimensions through which every operand steps evenly are one dimension.
  Extents dims;
  std::array<Extents, N> steps;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 1) continue;
    bool merge = !dims.empty();
    for (size_t k = 0; k < N && merge; ++k) merge = steps[k].back() == strides[k][d] * extents[d];
    if (merge) {
      dims.back() *= extents[d];
      for (size_t k = 0; k < N; ++k) steps[k].back() = strides[k][d];
    } else {
      dims.push_back(extents[d]);
      for (size_t k = 0; k < N; ++k) steps[k].push_back(strides[k][d]);
    }
  }
  if (dims.empty()) {
    dims.push_back(1);
    for (size_t k = 0; k < N; ++k) steps[k].push_back(0);
  }
  const size_t last = dims.size() - 1;
  std::array<int64_t, N> row{}, along{};
  for (size_t k = 0; k < N; ++k) along[k] = steps[k][last];
  Extents index(dims.size());
  for (int64_t i = 0; i < total; i += dims[last]) {
    f(i, dims[last], row, along);
    for (size_t d = last; d-- > 0;) {
      for (size_t k = 0; k < N; ++k) row[k] += steps[k][d];
      if (++index[d] < dims[d]) break;
      for (size_t k = 0; k < N; ++k) row[k] -= steps[k][d] * dims[d];
      index[d] = 0;
    }
  }
}

// Calls f(i, offsets) for result elements i = 0, 1, ... with the operands' element offsets.
template <size_t N, class F>
void for_each_broadcast(const Extents& extents, const std::array<Extents, N>& strides, F&& f) {
  for_each_row<N>(extents, strides, [&](int64_t first, int64_t count, auto offsets, const auto& steps) {
    for (int64_t j = 0; j < count; ++j) {
      f(static_cast<size_t>(first + j), offsets);
      for (size_t k = 0; k < N; ++k) offsets[k] += steps[k];
    }
  });
}

}  // namespace tc
