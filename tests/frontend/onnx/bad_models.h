// Models and inputs that must be refused, each with what its one error has to say.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tc/ir/diag.h"
#include "tc/ir/tensor.h"

namespace tc {

struct BadModel {
  std::string name;
  std::string model;  // bytes of the file
  ErrorCode code;
  std::vector<std::string> says;
  // What the run is given, for models that only a run can refuse. Without it the inputs are made up.
  std::vector<std::pair<std::string, Tensor>> inputs = {};
  // Puts what belongs to the model beside it.
  std::function<void(const std::string& folder)> prepare = {};

  friend std::ostream& operator<<(std::ostream& out, const BadModel& c) { return out << c.name; }
};

std::vector<BadModel> bad_models();

}  // namespace tc
