// Type promotion of the Python Array API standard 2024.12
// (https://data-apis.org/array-api/2024.12/API_specification/type_promotion.html), with bf16 beside it: bf16 and f16
// meet in f32.
#pragma once

#include <optional>

#include "tc/ir/dtype.h"

namespace tc {

// The type of the result of mixing two, or nothing where the standard defines none: booleans with numbers, integers
// with floats, u64 with signed integers.
std::optional<DType> promote(DType a, DType b);

}  // namespace tc
