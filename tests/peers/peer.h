// ONNX Runtime as the peer of tests: runs models in a Node.js process and compares outputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tc/tools/common/npy.h"

namespace tc::peers {

// The folder with the npm packages: $TC_NODE_MODULES, or node_modules of the tree. Empty when there is none.
std::string node_modules();

struct Run {
  NamedTensors inputs;
  // Pairs of input and output: the input takes the value that the output had in the run before.
  std::vector<std::pair<std::string, std::string>> feedback = {};
};

// Runs the model once per entry, in one session. Throws std::runtime_error with what the process printed.
std::vector<NamedTensors> onnx_runtime(const std::string& model, const std::vector<Run>& runs);

// Values between -1 and 1 from `seed`.
Tensor random_f32(const Extents& extents, unsigned seed);

// The tensor of that name; throws std::runtime_error.
const Tensor& find(const NamedTensors& tensors, const std::string& name);

// Empty when every element satisfies |got - want| <= rtol * |want| + atol * max|want|, else a sentence about the worst.
// Integers, booleans and strings have to be equal. NaN equals NaN.
std::string difference(const Tensor& got, const Tensor& want, double rtol, double atol);

}  // namespace tc::peers
