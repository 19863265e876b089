// Private to vmap: nodes of a function of one element, as nodes of a batch.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tc/frontend/dsl/tracer.h"

namespace tc::dsl {

// A value of the batch: with the axis of the elements in front, or one for all of them.
struct Batched {
  Var value;
  bool mapped = false;
};

// The results of the node on the operands, of which at least one is mapped: all results are then mapped. Nothing where
// the op has no rule, or none for such operands.
std::optional<std::vector<Var>> by_rule(const Node& node, const std::vector<Batched>& operands);

}  // namespace tc::dsl
