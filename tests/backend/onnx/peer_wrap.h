// Makes a program that ONNX Runtime's JavaScript binding can feed: element types that it lacks come in and go out
// through casts, sequences element by element.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tc/frontend/api/files/npy.h"
#include "tc/ir/module.h"

namespace tc::peers {

struct Wrapped {
  std::unique_ptr<Module> module;
  NamedTensors inputs;
  // What the program computes: our interpreter's outputs by name, and the element type before a cast.
  struct Output {
    std::string name;
    Tensor value;
    DType inner;
  };
  std::vector<Output> outputs;
};

// Nothing when an input or output is an optional, a map or complex.
std::optional<Wrapped> wrap(const Module& module, const std::vector<Datum>& inputs);

}  // namespace tc::peers
