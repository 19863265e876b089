// Ops of the family `linalg`: matrices in the last two axes, any batch before them.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

struct Det {
  static constexpr OpFacts facts{
      "det", {"Det", 11}, "x:T -> y:T", {{{'T', dtypes::floats}}}, "determinants of square matrices"};
  static void infer(InferContext& ctx);
};

}  // namespace tc
