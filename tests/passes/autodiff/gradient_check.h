// Gradients against numbers, in double precision: central differences along random directions, the dot-product test
// <J v, w> = <v, J^T w>, forward mode against both.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tc/ir/module.h"

namespace tc {

// Inputs and outputs of the main graph that are differentiable tensors.
std::vector<int> differentiable_inputs(const Module& m);
std::vector<int> differentiable_outputs(const Module& m);
// Inputs get names, which differentiation needs.
void name_inputs(Module& m);

struct CheckOptions {
  int directions = 2;
  double step = 1e-5;       // of the central difference, times the size of x
  double tolerance = 1e-6;  // relative to the largest magnitudes
  bool forward = true;      // check jvp too
};
// Failures are reported to the running test. Returns whether some gradient had a nonzero element.
bool check_gradient(const Module& m, const std::vector<Datum>& inputs, const CheckOptions& options = {});

// The outputs as doubles; nothing for those that are not floating-point tensors.
std::vector<std::vector<double>> evaluate(const Module& m, const std::vector<Datum>& inputs);

}  // namespace tc
