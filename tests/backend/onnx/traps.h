// Programs that exporters get wrong, with the results that are right. They run through our own import and through ONNX
// Runtime, in every dialect.
#pragma once

#include <string>
#include <vector>

#include "tests/samples/sample.h"

namespace tc {

struct Trap {
  std::string name;
  void (*build)(SampleGraph&);
  std::vector<Tensor> expected;
};
const std::vector<Trap>& traps();

}  // namespace tc
