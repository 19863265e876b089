// Models as programs of the DSL.
#pragma once

#include <string>

#include "tc/frontend/api/tc.h"

namespace tc {

// A C++ function `tc::Function NAME(const std::string& weights)` that builds the same program from the file of its
// weights, and what that file holds. Names of values are kept. What the vocabulary has under a name of its own is
// written so, everything else as tc::op.
struct CppSource {
  std::string text;
  NamedTensors weights;  // for .safetensors
};
// `origin` is for the comment at the top. Error bad_argument when `function` is no identifier, unsupported for values
// that C++ cannot name.
CppSource cpp_source(const Function& model, const std::string& function, const std::string& origin);

}  // namespace tc
