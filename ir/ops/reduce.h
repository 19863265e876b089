// Ops of the family `reduce`: reductions, positions of extremes, running sums. Reductions are rows of reduce.def.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

inline constexpr DTypeSet kReducible = dtypes::floats | DType::i32 | DType::i64 | DType::u32 | DType::u64;

// Over the axes of operand 1. Without axes (absent or empty): over all, or with noop_with_empty_axes over none, so that
// each element is reduced by itself.
struct ReduceOp {
  struct Attrs {
    bool keepdims = true, noop_with_empty_axes = false;
    static constexpr auto fields =
        Fields{field("keepdims", &Attrs::keepdims), field("noop_with_empty_axes", &Attrs::noop_with_empty_axes)};
  };
  static const Attrs& attrs_of(const Node& node);
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

#define TC_REDUCE(Name, spelling, since, types, doc, start, step, finish)                                              \
  struct Name : ReduceOp {                                                                                             \
    static constexpr OpFacts facts{spelling, {#Name, since}, "data:T, axes:i64? -> reduced:T", {{{'T', types}}}, doc}; \
  };
#include "tc/ir/ops/reduce.def"

struct ArgExtreme {
  struct Attrs {
    int64_t axis = 0;
    bool keepdims = true, select_last_index = false;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis), field("keepdims", &Attrs::keepdims),
                                          field("select_last_index", &Attrs::select_last_index)};
  };
  static const Attrs& attrs_of(const Node& node);
  static void infer(InferContext& ctx);
};
struct ArgMax : ArgExtreme {
  static constexpr OpFacts facts{
      "arg_max",
      {"ArgMax", 1},
      "data:T -> reduced:i64",
      {{{'T', dtypes::numeric}}},
      "where along the axis the greatest element is; the first or last of equals, or of NaNs"};
};
struct ArgMin : ArgExtreme {
  static constexpr OpFacts facts{"arg_min",
                                 {"ArgMin", 1},
                                 "data:T -> reduced:i64",
                                 {{{'T', dtypes::numeric}}},
                                 "where along the axis the least element is; the first or last of equals, or of NaNs"};
};

struct RunningOp : SameTypeAsFirst {
  struct Attrs {
    bool exclusive = false, reverse = false;
    static constexpr auto fields = Fields{field("exclusive", &Attrs::exclusive), field("reverse", &Attrs::reverse)};
  };
  static const Attrs& attrs_of(const Node& node);
};
struct CumSum : RunningOp {
  static constexpr OpFacts facts{"cum_sum",
                                 {"CumSum", 11},
                                 "x:T, axis:I -> y:T",
                                 {{{'T', kReducible}, {'I', dtypes::index}}},
                                 "sums of the elements so far along an axis, without the own one when exclusive"};
  static void grad(GradContext& ctx);
};
struct CumProd : RunningOp {
  static constexpr OpFacts facts{"cum_prod",
                                 {"CumProd", 26},
                                 "x:T, axis:I -> y:T",
                                 {{{'T', kReducible}, {'I', dtypes::index}}},
                                 "products of the elements so far along an axis, without the own one when exclusive"};
  static void grad(GradContext& ctx);
};

// The axes that a reduction with these `axes` (null: absent) works on, one flag per axis. Error bad_attribute.
std::vector<bool> reduced_axes(const std::vector<int64_t>* axes, int rank, bool noop_with_empty_axes);

}  // namespace tc
