// Ops of the family `softmax`: along one axis.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

struct AlongAxis {
  struct Attrs {
    int64_t axis = -1;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis)};
  };
  static const Attrs& attrs_of(const Node& node);
  static void infer(InferContext& ctx);
};

struct Softmax : AlongAxis {
  static constexpr OpFacts facts{"softmax",
                                 {"Softmax", 13},
                                 "x:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "e^x / sum(e^x) along an axis, without overflow"};
  static void grad(GradContext& ctx);
};
struct LogSoftmax : AlongAxis {
  static constexpr OpFacts facts{"log_softmax",
                                 {"LogSoftmax", 13},
                                 "x:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "x - log(sum(e^x)) along an axis, without overflow"};
  static void grad(GradContext& ctx);
};
struct Hardmax : AlongAxis {
  static constexpr OpFacts facts{"hardmax",
                                 {"Hardmax", 13},
                                 "x:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "1 at the first greatest element along an axis, else 0"};
  static constexpr bool piecewise_constant = true;
};

}  // namespace tc
