// Extents of results from extents and shape operands. Inference calls these with symbolic dims, evaluation with fixed
// ones: one rule for both. Errors are bad_shape or bad_value without a location; the caller's node supplies it.
#pragma once

#include <optional>
#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/tensor.h"
#include "tc/ir/type.h"

namespace tc {

// Elements of integer tensors up to this many are followed by shape inference.
inline constexpr int64_t kMaxContents = 64;

Dims to_dims(const Extents& extents);
Extents to_extents(const Dims& dims);  // all fixed

// The dims of `Reshape`: 0 copies (unless allow_zero), one -1 takes what is left.
Dims reshape_dims(const Dims& in, const Dims& target, bool allow_zero);

// The part of an axis of extent `d` that start:end:step selects, clamped as ONNX's Slice does; nothing when the signs
// of symbolic bounds are not known.
struct SliceRange {
  Dim start, length;
};
std::optional<SliceRange> slice_range(const Dim& d, const Dim& start, const Dim& end, int64_t step);

// `d` in `parts` chunks of ceil(d / parts), of which the last one is smaller unless they have to be `equal`.
Dims split_evenly(const Dim& d, int64_t parts, bool equal);
// The distinct axes, counted from 0, in the given order.
std::vector<int> distinct_axes(const std::vector<int64_t>& axes, int rank);
// NumPy broadcasting of two shapes.
Dims broadcast_dims(const Dims& a, const Dims& b);
// Both extents are of one axis: the fixed one if any, else one that is not merely a fresh symbol.
Dim same_extent(const Dim& a, const Dim& b, std::string_view what);
// The dims of one sub-tensor of `data` per index tuple of GatherND and ScatterND.
Dims gather_nd_dims(const Dims& data, const Dims& indices, int64_t batch_dims);

// The extent of a rank-1 operand, when fixed.
std::optional<int64_t> known_length(InferContext& ctx, int i);
// Remembers the elements of result 0 when its rank is at most 1 and they are few.
void keep_contents(InferContext& ctx, const Shape& shape, Dims contents);
// As above, for a result that has the elements of operand i in the same order.
void keep_contents_of(InferContext& ctx, int i, const Shape& shape);

}  // namespace tc
