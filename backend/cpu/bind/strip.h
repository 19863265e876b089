// Binding of strip programs: broadcasting, physical layouts, in-place results.
#pragma once

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/strip_builder.h"

namespace tc::cpu {

// Binds the node to `program`, whose inputs are the listed operands and whose outputs are the listed results; all
// results have one shape, into which every operand broadcasts. Refuses a null program and ranks beyond the kernels'.
bool bind_strip(Binder& b, std::shared_ptr<const CompiledStrip> program, const std::vector<int>& operands,
                const std::vector<int>& results);

}  // namespace tc::cpu
