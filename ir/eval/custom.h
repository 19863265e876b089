// Runs ops that a program registered (ir/custom_op.h).
#pragma once

#include <vector>

#include "tc/ir/custom_op.h"
#include "tc/ir/graph.h"

namespace tc {

// The results of a call. Errors: bad_type and bad_shape where one is not of the type that inference gave; bad_value for
// an exception that is no tc::Error.
std::vector<Tensor> run_custom(const Node& call, const CustomOp& op, const CustomOp::Compute& compute,
                               const std::vector<Tensor>& arguments);

}  // namespace tc
