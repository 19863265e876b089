// Narrow floats where kernels compute in f32.
#pragma once

#include "tc/ir/module.h"

namespace tc::cpu {

// Is there any kernel of the op?
bool has_kernels(OpId op);

// Puts conversions around nodes on f16 and bf16 of the ops whose kernels know f32 alone (products, convolutions,
// pooling, normalisation, softmax, attention, reductions, resizing), so that they run on these; elementwise, movement
// and indexing kernels take narrow floats as they are. Constants are converted once. Results are rounded as the
// reference rounds them, but for the error of f32 before.
void compute_in_f32(Module& module);

}  // namespace tc::cpu
