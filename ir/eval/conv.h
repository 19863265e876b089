// What the reference bodies of Conv, ConvInteger and QLinearConv share.
#pragma once

#include "tc/ir/eval/correlate.h"
#include "tc/ir/eval/eval.h"

namespace tc {

struct ConvGeometry {
  WindowAxes axes;
  int64_t batch = 0, channels = 0, rows = 0, group = 1;  // rows: output channels
  Extents result;
};

// Errors bad_attribute and bad_shape when attributes, input and weight do not fit each other. For ConvAttrs.
template <class Attrs>
ConvGeometry conv_geometry(EvalContext& ctx, const Attrs& a, const Tensor& x, const Tensor& w);

// The correlation of operands x and w less their zero points, which are operands too (absent: 0); exact.
std::vector<int64_t> integer_correlate(EvalContext& ctx, const ConvGeometry& g, int x, int w, int x_zero, int w_zero);

}  // namespace tc
