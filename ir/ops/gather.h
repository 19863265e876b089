// Ops that read or write elements at places given by indices. Negative indices count from the end; an index out of
// range is a bad_value error when the op runs.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

struct Gather {
  struct Attrs {
    int64_t axis = 0;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis)};
  };
  static constexpr OpFacts facts{"gather",
                                 {"Gather", 1},
                                 "data:T, indices:I -> output:T",
                                 {{{'T', dtypes::all}, {'I', dtypes::index}}},
                                 "slices of `data` along an axis, in the shape of the indices"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct GatherElements {
  struct Attrs {
    int64_t axis = 0;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis)};
  };
  static constexpr OpFacts facts{"gather_elements",
                                 {"GatherElements", 11},
                                 "data:T, indices:I -> output:T",
                                 {{{'T', dtypes::all}, {'I', dtypes::index}}},
                                 "the element at each index's place, its axis replaced by the index"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct GatherND {
  struct Attrs {
    int64_t batch_dims = 0;
    static constexpr auto fields = Fields{field("batch_dims", &Attrs::batch_dims)};
  };
  static constexpr OpFacts facts{"gather_nd",
                                 {"GatherND", 11},
                                 "data:T, indices:i64 -> output:T",
                                 {{{'T', dtypes::all}}},
                                 "sub-tensors at index tuples, which lie along the last axis of the indices"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

enum class ScatterReduction { none, add, mul, max, min };
inline constexpr std::string_view kScatterReductionNames[] = {"none", "add", "mul", "max", "min"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<ScatterReduction>{kScatterReductionNames};

struct ScatterElements {
  struct Attrs {
    int64_t axis = 0;
    ScatterReduction reduction = ScatterReduction::none;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis), field("reduction", &Attrs::reduction)};
  };
  static constexpr OpFacts facts{"scatter_elements",
                                 {"ScatterElements", 11},
                                 "data:T, indices:I, updates:T -> output:T",
                                 {{{'T', dtypes::all}, {'I', dtypes::index}}},
                                 "data with elements replaced by, or combined with, updates"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct ScatterND {
  struct Attrs {
    ScatterReduction reduction = ScatterReduction::none;
    static constexpr auto fields = Fields{field("reduction", &Attrs::reduction)};
  };
  static constexpr OpFacts facts{"scatter_nd",
                                 {"ScatterND", 11},
                                 "data:T, indices:i64, updates:T -> output:T",
                                 {{{'T', dtypes::all}}},
                                 "data with sub-tensors at index tuples replaced by, or combined with, updates"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct OneHot {
  struct Attrs {
    int64_t axis = -1;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis)};
  };
  static constexpr OpFacts facts{"one_hot",
                                 {"OneHot", 9},
                                 "indices:I, depth:D, values:T -> output:T",
                                 {{{'I', dtypes::numeric}, {'D', dtypes::numeric}, {'T', dtypes::all}}},
                                 "values[1] at the index along a new axis of extent depth, values[0] elsewhere"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Compress {
  struct Attrs {
    std::optional<int64_t> axis;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis)};
  };
  static constexpr OpFacts facts{"compress",
                                 {"Compress", 9},
                                 "input:T, condition:bool -> output:T",
                                 {{{'T', dtypes::all}}},
                                 "the slices along an axis, or the elements, where the condition holds"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

enum class TensorScatterMode { linear, circular };
inline constexpr std::string_view kTensorScatterModeNames[] = {"linear", "circular"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<TensorScatterMode>{kTensorScatterModeNames};

struct TensorScatter {
  struct Attrs {
    int64_t axis = -2;
    TensorScatterMode mode = TensorScatterMode::linear;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis), field("mode", &Attrs::mode)};
  };
  static constexpr OpFacts facts{"tensor_scatter",
                                 {"TensorScatter", 24},
                                 "past_cache:T, update:T, write_indices:i64? -> present_cache:T",
                                 {{{'T', dtypes::all}}},
                                 "a cache with new entries written from write_indices[batch] on along an axis"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

}  // namespace tc
