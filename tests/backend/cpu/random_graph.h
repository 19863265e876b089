// Random graphs of elementwise ops, convolutions, pools, movement, reductions and softmax over symbolic extents, for
// tests of memory planning.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "tc/ir/module.h"

namespace tc {

// Inputs are "a" and "b", f32[N,C,H,W] with one fixed C, and "c", f32[H,W]. Values stay small in magnitude.
std::unique_ptr<Module> random_module(uint64_t seed);
// Inputs of such a module for the given extents.
std::vector<Datum> random_inputs(const Module& module, int64_t n, int64_t h, int64_t w, uint64_t seed);

}  // namespace tc
