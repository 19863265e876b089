// Functions for programs whose numbers are the same, bit for bit, wherever they run: made of + - * / and comparisons
// alone, in an order that is written down, as the samplers of level B are (random.h). With them, square roots, indices
// and shapes a program in f64 gives the same bits in tc at levels 0 and 1 and in every runtime that rounds as IEEE 754
// says. Level 2 of tc rounds some products together with the sum that they go into. Of (1 / x) y
// ONNX Runtime makes y / x, which rounds once: programs should divide.
//
// What gradients sum is of an order, too: that of these functions, unless operands of + - * / broadcast against each
// other, where broadcast_to should be called first. Error bad_type for other types than f32 and f64.
#pragma once

#include "tc/frontend/dsl/reduce.h"

namespace tc::portable {

Var exp(Arg x);       // about 2 ulp; 0 below e^-87 (f32) or e^-686 (f64), inf above e^88 or e^709
Var log(Arg x);       // about 2 ulp, of positive x from 2^-127 to 2^127; those outside count as the nearest of these
Var expit(Arg x);     // 1 / (1 + exp(-x)), with relative accuracy in the tail
Var log1pexp(Arg x);  // log(1 + exp(x)), with relative accuracy in the tail
Var sum(Arg x, ReduceOptions options = {});  // of fixed extents: halves of an axis, then of those; else bad_shape
Var broadcast_to(Arg x, ShapeArg shape);     // whose gradient is such a sum

}  // namespace tc::portable
