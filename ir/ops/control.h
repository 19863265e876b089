// Ops that run regions. A region's inputs get their types from the operands, its results theirs from the region's
// outputs; whatever a region uses from outside is captured.
#pragma once

#include <optional>
#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

// Regions: then, else.
struct If {
  static constexpr OpFacts facts{"if", {"If", 1}, "cond:bool -> outputs:any*", {}, "the outputs of one of two regions"};
  static constexpr int regions = 2;
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
  static void jvp(JvpContext& ctx);
};

// Region: (iteration, condition, carried...) -> (condition, carried..., scanned...). Results: the last carried values,
// then the scanned ones of all iterations stacked along a new first axis.
struct Loop {
  static constexpr OpFacts facts{"loop",
                                 {"Loop", 1},
                                 "max_trip_count:i64?, cond:bool?, v_initial:any* -> results:any*",
                                 {},
                                 "runs a region while its condition holds, at most max_trip_count times"};
  static constexpr int regions = 1;
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
  static void jvp(JvpContext& ctx);
};

// Region: (states..., slices...) -> (states..., scanned...). An entry of axes is 0 and of directions 0 (forward; 1:
// reverse) where the list is empty.
struct Scan {
  struct Attrs {
    int64_t num_scan_inputs = 0;
    std::vector<int64_t> scan_input_axes, scan_input_directions, scan_output_axes, scan_output_directions;
    static constexpr auto fields = Fields{field("num_scan_inputs", &Attrs::num_scan_inputs, required),
                                          field("scan_input_axes", &Attrs::scan_input_axes),
                                          field("scan_input_directions", &Attrs::scan_input_directions),
                                          field("scan_output_axes", &Attrs::scan_output_axes),
                                          field("scan_output_directions", &Attrs::scan_output_directions)};
  };
  static constexpr OpFacts facts{"scan",
                                 {"Scan", 9},
                                 "operands:any* -> results:any*",
                                 {},
                                 "runs a region over slices of its last num_scan_inputs operands, carrying states"};
  static constexpr int regions = 1;
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
  static void jvp(JvpContext& ctx);
};

// The types of the region's inputs in the first iteration, from those of the operands. Errors bad_attribute, bad_type.
std::vector<Type> scan_region_inputs(const Scan::Attrs& attrs, const std::vector<Type>& operands);

// Region: (element or additional input, ...) -> outputs, each of which becomes a sequence.
struct SequenceMap {
  static constexpr OpFacts facts{"sequence_map",
                                 {"SequenceMap", 17},
                                 "input_sequence:any, additional_inputs:any* -> out_sequence:any*",
                                 {},
                                 "a region applied to the elements of sequences"};
  static constexpr int regions = 1;
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
  static void jvp(JvpContext& ctx);
};

}  // namespace tc
