#pragma once

#include <set>
#include <string>

namespace tc {

// What an ONNX model leaves to those who load it.
struct LoadOptions {
  // Names of inputs that stay inputs though initialisers give them defaults (from IR version 4 on). Others are weights.
  std::set<std::string, std::less<>> overridden = {};
  // Whether dimensions of inputs that a model gives one name must agree in a run; some exporters use one name for all.
  bool shared_symbols = true;
};

}  // namespace tc
