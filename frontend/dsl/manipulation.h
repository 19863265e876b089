// Shapes and places of elements. Element types are kept; joined tensors are promoted to a common one.
#pragma once

#include "tc/frontend/dsl/shape.h"

namespace tc {

[[nodiscard]] std::vector<Var> broadcast_arrays(const Args& args);
Var broadcast_to(Arg x, ShapeArg shape);

struct JoinOptions {
  Axes axis = 0;  // concat: {} flattens first
};
Var concat(const Args& args, JoinOptions options = {});
Var stack(const Args& args, JoinOptions options = {});  // along a new axis
struct UnstackOptions {
  int64_t axis = 0;
};
[[nodiscard]] std::vector<Var> unstack(Arg x, UnstackOptions options = {});  // of an axis of fixed extent
struct SplitOptions {
  int64_t axis = 0;
};
[[nodiscard]] std::vector<Var> split(Arg x, std::vector<int64_t> extents,
                                     SplitOptions options = {});  // consecutive parts
// n parts of equal extents. Error bad_shape when the axis is no multiple of n; a run stops where that is seen later.
[[nodiscard]] std::vector<Var> split_equally(Arg x, int64_t n, SplitOptions options = {});
template <AxisNumber T>
[[nodiscard]] std::vector<Var> split(Arg x, T n, SplitOptions options = {}) {
  return split_equally(std::move(x), static_cast<int64_t>(n), options);
}

Var expand_dims(Arg x, Axes axis);  // new axes of extent 1, counted in the result
Var squeeze(Arg x, Axes axis);      // without axes, each of extent 1
struct FlipOptions {
  Axes axis = {};
};
Var flip(Arg x, FlipOptions options = {});
Var moveaxis(Arg x, Axes source, Axes destination);
Var permute_dims(Arg x, std::vector<int64_t> axes);

struct RepeatOptions {
  std::optional<int64_t> axis = {};  // {}: of the flattened tensor
};
Var repeat(Arg x, Arg repeats,
           RepeatOptions options = {});  // each element so many times: one number, or one per element
Var reshape(Arg x, ShapeArg shape);      // one extent may be -1
Var flatten(Arg x);                      // to rank 1
struct RollOptions {
  Axes axis = {};  // {}: of the flattened tensor, which keeps its shape
};
Var roll(Arg x, std::vector<int64_t> shift, RollOptions options = {});
Var roll(Arg x, int64_t shift, RollOptions options = {});
Var tile(Arg x, std::vector<int64_t> repetitions);

// The last ones are made axis by axis, of what is there by then: a reflection that repeats the edge, a line from the
// edge to `value`, one number for all of a line.
enum class PadKind : uint8_t { constant, reflect, edge, wrap, symmetric, linear_ramp, maximum, mean, median, minimum };
struct PadOptions {
  PadKind mode = PadKind::constant;
  Arg value = 0;  // of constant padding, and at the far end of a ramp
};
struct PadWidth {
  int64_t before = 0, after = 0;
};
Var pad(Arg x, std::vector<PadWidth> axes, PadOptions options = {});  // the last axes.size() axes

// The axis as it is: concat({a, b}, 1), unstack(x, 1).
template <AxisNumber T>
Var concat(const Args& args, T axis) {
  return concat(args, {.axis = axis});
}
template <AxisNumber T>
Var stack(const Args& args, T axis) {
  return stack(args, {.axis = axis});
}
template <AxisNumber T>
[[nodiscard]] std::vector<Var> unstack(Arg x, T axis) {
  return unstack(std::move(x), {.axis = static_cast<int64_t>(axis)});
}
template <AxisNumber T>
Var flip(Arg x, T axis) {
  return flip(std::move(x), {.axis = axis});
}
template <AxisNumber T>
Var repeat(Arg x, Arg repeats, T axis) {
  return repeat(std::move(x), std::move(repeats), {.axis = static_cast<int64_t>(axis)});
}
template <AxisNumber T>
Var roll(Arg x, int64_t shift, T axis) {
  return roll(std::move(x), shift, {.axis = axis});
}

struct BlockOptions {
  bool columns_first = false;  // depth_to_space: ONNX's CRD order of channels in place of DCR
};
Var depth_to_space(Arg x, int64_t block, BlockOptions options = {});
Var space_to_depth(Arg x, int64_t block);

}  // namespace tc
