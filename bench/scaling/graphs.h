// Graphs of any number of nodes, to see how the time to load and compile them grows.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "tc/frontend/dsl/function.h"

namespace tc::scaling {

struct Kind {
  std::string_view name, shape;                 // the op, and how its nodes hang together
  std::function<Function(int64_t nodes)> make;  // about so many nodes, weights of each of its own
};
const std::vector<Kind>& kinds();

}  // namespace tc::scaling
