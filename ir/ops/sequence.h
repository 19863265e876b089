// Sequences and optionals. The element type of a sequence names only what holds for all its elements: an extent that is
// not fixed may differ from element to element.
#pragma once

#include <optional>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

// The type of some element of a sequence, with fresh symbols for its extents. Error bad_type unless a sequence.
Type element_type(InferContext& ctx, const Type& sequence);

struct SequenceConstruct {
  static constexpr OpFacts facts{"sequence_construct",
                                 {"SequenceConstruct", 11},
                                 "inputs:T* -> output_sequence:any",
                                 {{{'T', dtypes::all}}},
                                 "a sequence of the operands"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct SequenceEmpty {
  struct Attrs {
    DType dtype = DType::f32;
    static constexpr auto fields = Fields{field("dtype", &Attrs::dtype)};
  };
  static constexpr OpFacts facts{
      "sequence_empty", {"SequenceEmpty", 11}, "-> output:any", {}, "an empty sequence of tensors"};
  static void infer(InferContext& ctx);
};

struct SequenceAt {
  static constexpr OpFacts facts{"sequence_at",
                                 {"SequenceAt", 11},
                                 "input_sequence:any, position:I -> tensor:any",
                                 {{{'I', dtypes::index}}},
                                 "the element at a position; a negative one counts from the end"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct SequenceInsert {
  static constexpr OpFacts facts{"sequence_insert",
                                 {"SequenceInsert", 11},
                                 "input_sequence:any, tensor:any, position:I? -> output_sequence:any",
                                 {{{'I', dtypes::index}}},
                                 "with an element inserted before a position, or at the end"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct SequenceErase {
  static constexpr OpFacts facts{"sequence_erase",
                                 {"SequenceErase", 11},
                                 "input_sequence:any, position:I? -> output_sequence:any",
                                 {{{'I', dtypes::index}}},
                                 "without the element at a position, or the last one"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct SequenceLength {
  static constexpr OpFacts facts{
      "sequence_length", {"SequenceLength", 11}, "input_sequence:any -> length:i64", {}, "the number of elements"};
  static void infer(InferContext& ctx);
};

struct SplitToSequence {
  struct Attrs {
    int64_t axis = 0;
    bool keepdims = true;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis), field("keepdims", &Attrs::keepdims)};
  };
  static constexpr OpFacts facts{"split_to_sequence",
                                 {"SplitToSequence", 11},
                                 "input:T, split:I? -> output_sequence:any",
                                 {{{'T', dtypes::all}, {'I', dtypes::index}}},
                                 "parts along an axis, of one extent (a scalar), of given ones, or of 1"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct ConcatFromSequence {
  struct Attrs {
    int64_t axis = 0;
    bool new_axis = false;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis, required), field("new_axis", &Attrs::new_axis)};
  };
  static constexpr OpFacts facts{"concat_from_sequence",
                                 {"ConcatFromSequence", 11},
                                 "input_sequence:any -> concat_result:any",
                                 {},
                                 "the elements one after the other along an axis, or along a new one"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Optional {
  struct Attrs {
    std::optional<Type> type;
    static constexpr auto fields = Fields{field("type", &Attrs::type)};
  };
  static constexpr OpFacts facts{"optional",
                                 {"Optional", 15},
                                 "input:any? -> output:any",
                                 {},
                                 "an optional that holds the operand, or nothing of a type"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct OptionalGetElement {
  static constexpr OpFacts facts{
      "optional_get_element", {"OptionalGetElement", 15}, "input:any -> output:any", {}, "what an optional holds"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct OptionalHasElement {
  static constexpr OpFacts facts{"optional_has_element",
                                 {"OptionalHasElement", 15},
                                 "input:any? -> output:bool",
                                 {},
                                 "does an optional hold something?"};
  static void infer(InferContext& ctx);
};

}  // namespace tc
