// Building shape arithmetic: values that hold extents, for code that makes graphs from operands of unknown extents.
// Where an operand's extents are fixed these fold away.
#pragma once

#include <vector>

#include "tc/ir/builder.h"

namespace tc {

// The extent of one axis, counted from 0: i64[1].
Value* extent_of(Builder& b, Value* v, int axis);
// Vectors of extents one after the other.
Value* join_extents(Builder& b, std::vector<Value*> parts);
// 0, 1, ... up to the only element of `count`, i64.
Value* iota(Builder& b, Value* count);
// The value in another element type, itself when it has that one.
Value* cast_to(Builder& b, Value* v, DType t);
// The extent for the target of a reshape: -1 stands for one that is not known before the graph runs.
int64_t known_or_inferred(const Dim& d);
// (batch, length, heads * size) as (batch, heads, length, size), and back.
Value* split_heads(Builder& b, Value* v, int64_t heads, const Dim& size);
Value* merge_heads(Builder& b, Value* v, const Dim& width);

}  // namespace tc
