// Models that engines are compared on, written in the DSL with weights from a seeded generator: well-known networks in
// the form in which exporters emit them, and single operators in the usual sizes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tc/frontend/dsl/function.h"

namespace tc::zoo {

struct Model {
  std::string_view name, about;
  Function (*make)();
  std::vector<std::string> dims = {};  // SYMBOL=N: extents to measure at
  bool compared = false;               // with ONNX Runtime, by the tests
  int opset = 18;                      // that it needs
  double error = 1e-4;                 // that engines may differ by, relative to the largest number of an output
};

// In the order in which they are reported.
std::span<const Model> models();
// Error bad_argument, with the nearest name, when there is none.
const Model& find(std::string_view name);

}  // namespace tc::zoo
