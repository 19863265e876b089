// Ops without kernels of their own in terms of ops that have some.
#pragma once

#include <vector>

#include "tc/ir/builder.h"

namespace tc::cpu {

// Values for the node's results, built where `b` inserts; nothing when the node has none, or its form is not covered.
//   einsum: products of two operands at a time, from left to right, as matmul of [batch, rows, sums] by [batch, sums,
//     columns] between transposes and reshapes
//   lrn: the mean of squares around each channel is a pool along the channels
//   mean_variance_normalization, lp_normalization: reductions and elementwise ops
//   lp_pool, global_lp_pool: the mean of powers, reductions
//   feature_vectorizer: a concatenation
//   classifiers with strings for labels: the same with numbers, which choose among the strings
std::vector<Value*> lowered(Builder& b, const Node& node);

// Whether lowered() knows the op.
bool has_lowering(OpId op);

}  // namespace tc::cpu
