// Ops that look for elements: the largest ones, the nonzero ones, the distinct ones. The extents of most results depend
// on data.
#pragma once

#include <optional>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

struct TopK {
  struct Attrs {
    int64_t axis = -1;
    bool largest = true, sorted = true;
    static constexpr auto fields =
        Fields{field("axis", &Attrs::axis), field("largest", &Attrs::largest), field("sorted", &Attrs::sorted)};
  };
  static constexpr OpFacts facts{
      "top_k",
      {"TopK", 10},
      "x:T, k:i64 -> values:T, indices:i64",
      {{{'T', dtypes::numeric}}},
      "the k largest or smallest elements along an axis; of equal ones the first come first"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct NonZero {
  static constexpr OpFacts facts{"non_zero",
                                 {"NonZero", 9},
                                 "x:T -> y:i64",
                                 {{{'T', dtypes::all}}},
                                 "the indices of nonzero elements, one column each, in row-major order"};
  static void infer(InferContext& ctx);
};

struct Unique {
  struct Attrs {
    std::optional<int64_t> axis;
    bool sorted = true;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis), field("sorted", &Attrs::sorted)};
  };
  static constexpr OpFacts facts{"unique",
                                 {"Unique", 11},
                                 "x:T -> y:T, indices:i64?, inverse_indices:i64?, counts:i64?",
                                 {{{'T', dtypes::all}}},
                                 "the distinct elements, or slices along an axis, sorted or in order of appearance"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct NonMaxSuppression {
  struct Attrs {
    bool center_point_box = false;
    static constexpr auto fields = Fields{field("center_point_box", &Attrs::center_point_box)};
  };
  static constexpr OpFacts facts{
      "non_max_suppression",
      {"NonMaxSuppression", 10},
      "boxes:f32, scores:f32, max_output_boxes_per_class:i64?, iou_threshold:f32?, score_threshold:f32? -> "
      "selected_indices:i64",
      {},
      "(batch, class, box) of the boxes with the best scores that do not overlap better ones"};
  static void infer(InferContext& ctx);
};

}  // namespace tc
