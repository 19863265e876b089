// Models of one operator, each written as a line:
//
//   Conv 1x64x56x56xf32 =128x64x3x3xf32 =128xf32 ; pads=1,1,1,1 strides=2,2
//
// Operands are literals as tc-run reads them, random unless they say otherwise; `=` before one makes it a constant of
// the model, `_` leaves it out. Attributes are integers, numbers with a point, lists of either (`axes=1,` has one
// element) or words. `Split:2` has two outputs, `com.microsoft.FusedMatMul` is an operator of that domain.
#pragma once

#include <string>
#include <vector>

#include "tc/frontend/api/files/npy.h"

namespace tc::zoo {

struct OperatorModel {
  std::string bytes;    // the ONNX file
  NamedTensors inputs;  // of its operands that are no constants
};

// Error bad_argument, which names the part of the line that cannot be read.
OperatorModel operator_model(const std::string& line);

// Lines of operators.txt, in order: those of one operator, or all of them ("all"). Error bad_argument, with the nearest
// name, where an operator has none.
std::vector<std::string> operator_lines(const std::string& name);

}  // namespace tc::zoo
