// How Resize samples one axis, for its reference body and for kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "tc/ir/ops/resize.h"

namespace tc {

struct ResizeAxisSpec {
  int64_t in = 0, out = 0;
  double scale = 1, width = 0;  // width: the extent of the result before it is rounded down
  double roi_start = 0, roi_end = 1;
};

// The operand elements that make one result element: weights for `first`, first + 1, ..., where places beyond the
// operand mean its nearest element. Nearest mode has two weights, one of them 1.
struct ResizeTaps {
  int64_t first = 0;
  std::vector<double> weights;
  bool outside = false;  // of the region of interest
};

// One entry per result element. Error bad_value when coordinates are out of all range.
std::vector<ResizeTaps> resize_taps(const Resize::Attrs& a, const ResizeAxisSpec& s);

}  // namespace tc
