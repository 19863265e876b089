// Comparing values with references.
#pragma once

#include <string>

#include "tc/ir/tensor.h"

namespace tc {

struct Tolerance {
  double rtol = 1e-3, atol = 1e-7;
  double atol_of_max = 0;  // times the largest finite |expected| of the tensor, added to atol
};

// Empty when `actual` equals `expected`: element types, extents, and elements within rtol * |expected| + atol for
// floating types (NaN equals NaN, infinities themselves), exactly for the rest. Otherwise says where they differ most.
std::string difference(const Datum& actual, const Datum& expected, const Tolerance& tolerance);

// The largest |actual - expected| over the largest finite |expected|, of floating tensors of the same extents, whose
// element types may differ. Infinite where one is finite and the other is not.
double error_of_max(const Tensor& actual, const Tensor& expected);

}  // namespace tc
