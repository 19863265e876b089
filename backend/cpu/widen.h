// What a graph becomes before kernels are chosen for its nodes.
#pragma once

#include "tc/ir/module.h"

namespace tc::cpu {

// Is there any kernel of the op?
bool has_kernels(OpId op);

// Puts conversions around nodes on element types that their kernels do not take, so that they run on these:
//   f16 and bf16 as f32, of products, convolutions, pools, norms, softmax, attention, reductions, Fourier transforms,
//   resizing and what is decomposed afterwards (other kernels take them as they are); results are rounded as the
//   reference rounds them, but for the error of f32 before; bytes as i32, of maxima and minima, and up to 16 bits as
//   f32, of what resizing copies; nothing is rounded.
// Constants are converted once. Where precision is kept, what runs in f32 hands its results on in f32, through
// elementwise ops and movements too, without rounding them in between; conversions that the program has stay.
void widen_for_kernels(Module& module, bool keeps_precision);

// Replaces nodes that have no kernel, but a decomposition into ops that have some: what the reference body would
// compute element by element runs on kernels then.
void decompose_for_kernels(Module& module);

}  // namespace tc::cpu
