// Ops that rearrange, repeat or make elements. Operands that say how (shape, axes, pads, ...) are ordinary values, as
// in ONNX; inference follows them through shape arithmetic.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"
#include "tc/ir/ops/resize.h"

namespace tc {

struct Reshape {
  struct Attrs {
    bool allow_zero = false;
    static constexpr auto fields = Fields{field("allow_zero", &Attrs::allow_zero, "allowzero")};
  };
  static constexpr OpFacts facts{
      "reshape",
      {"Reshape", 5},
      "data:T, shape:i64 -> reshaped:T",
      {{{'T', dtypes::all}}},
      "the elements in another shape; 0 copies an extent (unless allow_zero), one -1 is inferred"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Flatten {
  struct Attrs {
    int64_t axis = 1;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis)};
  };
  static constexpr OpFacts facts{"flatten",
                                 {"Flatten", 1},
                                 "input:T -> output:T",
                                 {{{'T', dtypes::all}}},
                                 "a matrix: the axes before `axis` are rows, the others columns"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Squeeze {
  static constexpr OpFacts facts{"squeeze",
                                 {"Squeeze", 13},
                                 "data:T, axes:i64? -> squeezed:T",
                                 {{{'T', dtypes::all}}},
                                 "without the given axes of extent 1, or all of them"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Unsqueeze {
  static constexpr OpFacts facts{"unsqueeze",
                                 {"Unsqueeze", 13},
                                 "data:T, axes:i64 -> expanded:T",
                                 {{{'T', dtypes::all}}},
                                 "with axes of extent 1 inserted"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Transpose {
  struct Attrs {
    std::vector<int64_t> perm;
    static constexpr auto fields = Fields{field("perm", &Attrs::perm)};
  };
  static constexpr OpFacts facts{"transpose",
                                 {"Transpose", 1},
                                 "data:T -> transposed:T",
                                 {{{'T', dtypes::all}}},
                                 "result axis i is operand axis perm[i]; reversed when perm is empty"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Concat {
  struct Attrs {
    int64_t axis = 0;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis, required)};
  };
  static constexpr OpFacts facts{"concat",
                                 {"Concat", 4},
                                 "inputs:T* -> concat_result:T",
                                 {{{'T', dtypes::all}}},
                                 "the operands one after the other along an axis"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Split {
  struct Attrs {
    int64_t axis = 0;
    std::optional<int64_t> num_outputs;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis), field("num_outputs", &Attrs::num_outputs)};
  };
  static constexpr OpFacts facts{"split",
                                 {"Split", 13},
                                 "input:T, split:i64? -> outputs:T*",
                                 {{{'T', dtypes::all}}},
                                 "parts along an axis: of given extents, num_outputs parts of which the last may be "
                                 "smaller, or one of equal extent per result"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Slice {
  static constexpr OpFacts facts{"slice",
                                 {"Slice", 10},
                                 "data:T, starts:I, ends:I, axes:I?, steps:I? -> output:T",
                                 {{{'T', dtypes::all}, {'I', dtypes::index}}},
                                 "start:end:step along the given axes; negative bounds count from the end"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

enum class PadMode { constant, reflect, edge, wrap };
inline constexpr std::string_view kPadModeNames[] = {"constant", "reflect", "edge", "wrap"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<PadMode>{kPadModeNames};

struct Pad {
  struct Attrs {
    PadMode mode = PadMode::constant;
    static constexpr auto fields = Fields{field("mode", &Attrs::mode)};
  };
  static constexpr OpFacts facts{"pad",
                                 {"Pad", 11},
                                 "data:T, pads:i64, constant_value:T?, axes:I? -> output:T",
                                 {{{'T', dtypes::all}, {'I', dtypes::index}}},
                                 "more elements at both ends of axes, or fewer where a pad is negative"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Expand {
  static constexpr OpFacts facts{"expand",
                                 {"Expand", 8},
                                 "input:T, shape:i64 -> output:T",
                                 {{{'T', dtypes::all}}},
                                 "repeated along axes of extent 1 to the broadcast with `shape`"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Tile {
  static constexpr OpFacts facts{"tile",
                                 {"Tile", 6},
                                 "input:T, repeats:i64 -> output:T",
                                 {{{'T', dtypes::all}}},
                                 "the whole repeated along each axis"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

enum class DepthToSpaceMode { dcr, crd };
inline constexpr std::string_view kDepthToSpaceModeNames[] = {"dcr", "crd"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<DepthToSpaceMode>{kDepthToSpaceModeNames};

struct DepthToSpace {
  struct Attrs {
    int64_t blocksize = 0;
    DepthToSpaceMode mode = DepthToSpaceMode::dcr;
    static constexpr auto fields = Fields{field("blocksize", &Attrs::blocksize, required), field("mode", &Attrs::mode)};
  };
  static constexpr OpFacts facts{"depth_to_space",
                                 {"DepthToSpace", 1},
                                 "input:T -> output:T",
                                 {{{'T', dtypes::all}}},
                                 "blocks of channels become blocks of pixels"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct SpaceToDepth {
  struct Attrs {
    int64_t blocksize = 0;
    static constexpr auto fields = Fields{field("blocksize", &Attrs::blocksize, required)};
  };
  static constexpr OpFacts facts{"space_to_depth",
                                 {"SpaceToDepth", 1},
                                 "input:T -> output:T",
                                 {{{'T', dtypes::all}}},
                                 "blocks of pixels become channels"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct ReverseSequence : SameTypeAsFirst {
  struct Attrs {
    int64_t batch_axis = 1, time_axis = 0;
    static constexpr auto fields =
        Fields{field("batch_axis", &Attrs::batch_axis), field("time_axis", &Attrs::time_axis)};
  };
  static constexpr OpFacts facts{"reverse_sequence",
                                 {"ReverseSequence", 10},
                                 "input:T, sequence_lens:i64 -> y:T",
                                 {{{'T', dtypes::all}}},
                                 "the first sequence_lens[b] steps of each sequence b in reverse"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct CenterCropPad {
  struct Attrs {
    std::optional<std::vector<int64_t>> axes;
    static constexpr auto fields = Fields{field("axes", &Attrs::axes)};
  };
  static constexpr OpFacts facts{"center_crop_pad",
                                 {"CenterCropPad", 18},
                                 "input_data:T, shape:I -> output_data:T",
                                 {{{'T', dtypes::all}, {'I', dtypes::index}}},
                                 "cropped or padded with zeros around the centre"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

// Named for what it does, as `Shape` is a type of shapes.
struct ShapeOf {
  struct Attrs {
    int64_t start = 0;
    std::optional<int64_t> end;
    static constexpr auto fields = Fields{field("start", &Attrs::start), field("end", &Attrs::end)};
  };
  static constexpr OpFacts facts{
      "shape", {"Shape", 1}, "data:T -> shape:i64", {{{'T', dtypes::all}}}, "the extents of axes start to end"};
  static void infer(InferContext& ctx);
};

struct Size {
  static constexpr OpFacts facts{
      "size", {"Size", 1}, "data:T -> size:i64", {{{'T', dtypes::all}}}, "the number of elements"};
  static void infer(InferContext& ctx);
};

struct ConstantOfShape {
  struct Attrs {
    std::optional<Tensor> value;
    static constexpr auto fields = Fields{field("value", &Attrs::value)};
  };
  static constexpr OpFacts facts{"constant_of_shape",
                                 {"ConstantOfShape", 9},
                                 "input:i64 -> output:V",
                                 {{{'V', dtypes::all}}},
                                 "a tensor of the given shape filled with one value (f32 0 by default)"};
  static void infer(InferContext& ctx);
};

struct Range {
  static constexpr OpFacts facts{"range",
                                 {"Range", 11},
                                 "start:T, limit:T, delta:T -> output:T",
                                 {{{'T', dtypes::numeric}}},
                                 "start, start + delta, ... up to but without limit"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct EyeLike {
  struct Attrs {
    std::optional<DType> dtype;
    int64_t k = 0;
    static constexpr auto fields = Fields{field("dtype", &Attrs::dtype), field("k", &Attrs::k)};
  };
  static constexpr OpFacts facts{"eye_like",
                                 {"EyeLike", 9},
                                 "input:T -> output:U",
                                 {{{'T', dtypes::all}, {'U', dtypes::numeric | dtypes::boolean}}},
                                 "a matrix like the operand, 1 on diagonal k and 0 elsewhere"};
  static void infer(InferContext& ctx);
  static constexpr bool piecewise_constant = true;
};

struct Trilu : SameTypeAsFirst {
  struct Attrs {
    bool upper = true;
    static constexpr auto fields = Fields{field("upper", &Attrs::upper)};
  };
  static constexpr OpFacts facts{"trilu",
                                 {"Trilu", 14},
                                 "input:T, k:i64? -> output:T",
                                 {{{'T', dtypes::all}}},
                                 "the triangle above or below diagonal k of the last two axes, zeros elsewhere"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

}  // namespace tc
