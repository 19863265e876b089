// Walks along one axis of a row-major tensor.
#pragma once

#include "tc/ir/tensor.h"

namespace tc {

// A tensor seen as outer x length x inner around an axis: element (o, i, n) is at (o * length + i) * inner + n.
struct AxisView {
  int64_t outer = 1, length = 1, inner = 1;
  AxisView(const Extents& extents, int axis) {
    for (int i = 0; i < static_cast<int>(extents.size()); ++i)
      (i < axis ? outer : i == axis ? length : inner) *= extents[static_cast<size_t>(i)];
  }
  // Calls f(start, stride) for each line along the axis, in order of (outer, inner).
  template <class F>
  void for_each_line(F&& f) const {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t n = 0; n < inner; ++n) f(static_cast<size_t>(o * length * inner + n), static_cast<size_t>(inner));
  }
};

}  // namespace tc
