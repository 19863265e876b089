// Element types that kernels take, in place of those of the program.
#pragma once

#include "tc/passes/pass.h"

namespace tc::cpu {

// Puts conversions around nodes on element types that their kernels do not take, so that they run on these:
//   f16 and bf16 as f32, of products, convolutions, pools, norms, softmax, attention, reductions, Fourier transforms,
//   resizing and what is decomposed afterwards (other kernels take them as they are); results are rounded as the
//   reference rounds them, but for the error of f32 before; bytes as i32, of maxima and minima, and up to 16 bits as
//   f32, of what resizing copies; nothing is rounded.
// Constants are converted once. From level 1 on, what runs in f32 hands its results on in f32, through elementwise ops
// and movements too, without rounding them in between; conversions that the program has stay.
void promote_types(PassContext& ctx);
std::span<const Rule> promotion_rules();

}  // namespace tc::cpu
