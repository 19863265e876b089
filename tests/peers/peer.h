// ONNX Runtime as the peer of tests: runs models in a Node.js process.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tc/frontend/api/files/npy.h"
#include "tc/tools/common/compare.h"
#include "tc/tools/common/inputs.h"

namespace tc::peers {

// The folder with the npm packages: $TC_NODE_MODULES, or node_modules of the tree. Empty when there is none.
std::string node_modules();

// How close outputs of whole networks have to be.
inline constexpr Tolerance kModelTolerance = {.rtol = 1e-3, .atol = 0, .atol_of_max = 1e-4};

struct Run {
  NamedTensors inputs;
  // Pairs of input and output: the input takes the value that the output had in the run before.
  std::vector<std::pair<std::string, std::string>> feedback = {};
};

// Runs the model once per entry, in one session; products of bytes are exact. Throws std::runtime_error with what the
// process printed.
std::vector<NamedTensors> onnx_runtime(const std::string& model, const std::vector<Run>& runs);

// One model of many.
struct Job {
  std::string model;
  NamedTensors inputs;
  std::string folder = {};  // instead of inputs: where input_0.pb, ... lie
  std::string bytes = {};   // instead of model: what the file holds
  bool optimize = true;     // by ONNX Runtime
  std::string draws = {};   // the script that makes inputs of those given
  bool exact = false;       // products of bytes too, where the machine lacks VNNI; not every model runs so
};
struct Outcome {
  std::string error;  // empty: it ran
  NamedTensors outputs;
};
enum class Runtime { node, web };  // native code, or WebAssembly
// Runs all, each once, in as few processes as there are crashes. Thread-compatible.
std::vector<Outcome> onnx_runtime(const std::vector<Job>& jobs, Runtime runtime = Runtime::node);

// Exports f, and runs the file here and with ONNX Runtime on the inputs of the spec, random ones where it has none.
// What differs by more than the tolerance; empty when nothing does.
std::string compare_export(const Function& f, InputSpec spec, const Tolerance& tolerance = kModelTolerance);

// Values between -1 and 1 from `seed`.
Tensor random_f32(const Extents& extents, unsigned seed);
// The same, scaled for products that sum over `sum` of them.
Tensor weights(const Extents& extents, int64_t sum, unsigned seed);

// The tensor of that name; throws std::runtime_error.
const Tensor& find(const NamedTensors& tensors, const std::string& name);

}  // namespace tc::peers
