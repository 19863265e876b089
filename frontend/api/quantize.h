// Weights, and perhaps activations, in 8 or 4 bits, as operators of standard ONNX, which any runtime computes.
//
//   auto q = tc::quantize(f, {.mode = tc::QuantizeMode::weights, .bits = 4});
//   tc::export_onnx(q.function, "small.onnx", {.opset = 21, .level = 0});
#pragma once

#include <string>
#include <vector>

#include "tc/frontend/dsl/function.h"
#include "tc/ir/tensor.h"

namespace tc {

enum class QuantizeMode : uint8_t {
  weights,     // DequantizeLinear of constants; sums stay in floats
  dynamic,     // DynamicQuantizeLinear and MatMulInteger, by the range of each input as it comes
  calibrated,  // QuantizeLinear and DequantizeLinear around products and convolutions, by ranges of given inputs
};
enum class Calibration : uint8_t {
  min_max,     // all values that were seen
  percentile,  // all but the largest few
  entropy,     // where the distribution of bytes is closest to that of the floats (relative entropy)
};

struct ModelQuantization {
  QuantizeMode mode = QuantizeMode::weights;
  int bits = 8;       // of weights, 8 or 4; 4: of products, with QuantizeMode::weights
  int64_t block = 0;  // weights along the summed axis that share a scale; 0: one per output, of 4 bits blocks of 32
  Calibration calibration = Calibration::min_max;
  double percentile = 99.99;
  std::vector<std::string> exclude = {};  // nodes by their names in the model, and operators by ONNX's names
  int64_t least = 1024;                   // elements of the smallest weight that is worth it
};

struct QuantizedLayer {
  std::string node, op;
  int64_t bytes_before = 0, bytes_after = 0;  // of its weight; 0: that of a layer before
  double error = 0;                           // of the weight: root mean square, relative to the weight's own
};
struct QuantizedModel {
  Function function;
  std::vector<QuantizedLayer> layers;
};

// `inputs`: the inputs of the calibrating runs, in the order of f's. Errors: bad_argument for options that contradict
// each other, a name that excludes nothing, or no inputs where they are needed; bad_input for inputs that do not fit.
QuantizedModel quantize(const Function& f, const ModelQuantization& options = {},
                        const std::vector<std::vector<Datum>>& inputs = {});

// f32 constants of `least` elements and more in f16 or bf16, widened where they are read; what is computed stays f32.
// Error bad_argument for another type. f16: a weight beyond its range stays as it is.
QuantizedModel convert_weights(const Function& f, DType to, int64_t least = 64);

struct OutputError {
  std::string output;
  double cosine = 1;     // of the two outputs as vectors, the least of all runs
  double relative = 0;   // largest difference, relative to the largest magnitude, the most of all runs
  double same_top1 = 1;  // share of rows along the last axis with their largest element in the same place
};
// How the floating outputs of two programs with the same inputs and outputs differ.
std::vector<OutputError> compare_outputs(const Function& a, const Function& b,
                                         const std::vector<std::vector<Datum>>& inputs);

}  // namespace tc
