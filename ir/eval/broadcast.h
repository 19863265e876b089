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

// Calls f(i, offsets) for result elements i = 0, 1, ... with the operands' element offsets.
template <size_t N, class F>
void for_each_broadcast(const Extents& extents, const std::array<Extents, N>& strides, F&& f) {
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
  std::array<int64_t, N> row{};
  Extents index(dims.size());
  for (int64_t i = 0; i < total;) {
    std::array<int64_t, N> offset = row;
    for (int64_t j = 0; j < dims[last]; ++j, ++i) {
      f(static_cast<size_t>(i), offset);
      for (size_t k = 0; k < N; ++k) offset[k] += steps[k][last];
    }
    for (size_t d = last; d-- > 0;) {
      for (size_t k = 0; k < N; ++k) row[k] += steps[k][d];
      if (++index[d] < dims[d]) break;
      for (size_t k = 0; k < N; ++k) row[k] -= steps[k][d] * dims[d];
      index[d] = 0;
    }
  }
}

// result = f(a, b), broadcast.
template <class R, class A, class B, class F>
std::vector<R> broadcast_map(const std::vector<A>& a, const Extents& ea, const std::vector<B>& b, const Extents& eb,
                             const Extents& result, F&& f) {
  std::vector<R> out(static_cast<size_t>(element_count(result)));
  for_each_broadcast<2>(result, {broadcast_strides(ea, result), broadcast_strides(eb, result)},
                        [&](size_t i, const auto& at) {
                          out[i] = static_cast<R>(f(a[static_cast<size_t>(at[0])], b[static_cast<size_t>(at[1])]));
                        });
  return out;
}

}  // namespace tc
