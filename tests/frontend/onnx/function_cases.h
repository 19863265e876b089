// Models with ONNX local functions and with nodes in any order, written by hand, with outputs computed by hand: run by
// functions_test.cc, and against ONNX Runtime by tests/peers.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tc/ir/tensor.h"

namespace tc {

inline Tensor f32s(const std::vector<float>& values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

struct FunctionCase {
  std::string name;
  std::string model;
  std::vector<std::pair<std::string, Tensor>> inputs, outputs;
  // Why ONNX Runtime is not asked; empty: it is.
  std::string not_in_peer = {};

  friend std::ostream& operator<<(std::ostream& out, const FunctionCase& c) { return out << c.name; }
};

std::vector<FunctionCase> function_cases();

}  // namespace tc
