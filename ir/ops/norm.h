// Ops of the family `norm`: elements scaled by statistics of their neighbours. Variances are of the population.
#pragma once

#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

// Outside training (x - mean) / sqrt(var + epsilon) * scale + bias per channel (axis 1). In training the batch's own
// statistics are used, and the running ones become momentum * old + (1 - momentum) * batch.
struct BatchNormalization {
  struct Attrs {
    double epsilon = 1e-5f, momentum = 0.9f;
    bool training_mode = false;
    static constexpr auto fields = Fields{field("epsilon", &Attrs::epsilon), field("momentum", &Attrs::momentum),
                                          field("training_mode", &Attrs::training_mode)};
  };
  static constexpr OpFacts facts{"batch_normalization",
                                 {"BatchNormalization", 14},
                                 "x:T, scale:S, bias:S, mean:M, var:M -> y:T, running_mean:M?, running_var:M?",
                                 {{{'T', dtypes::floats}, {'S', dtypes::floats}, {'M', dtypes::floats}}},
                                 "each channel with the given mean and variance (in training: its own) made 0 and 1"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct EpsilonAttrs {
  double epsilon = 1e-5f;
  static constexpr auto fields = Fields{field("epsilon", &EpsilonAttrs::epsilon)};
};

struct InstanceNormalization {
  using Attrs = EpsilonAttrs;
  static constexpr OpFacts facts{"instance_normalization",
                                 {"InstanceNormalization", 6},
                                 "x:T, scale:T, bias:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "each channel of each instance with mean 0 and variance 1, times scale, plus bias"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

// stash_type: the element type of mean and inv_std_dev as an ONNX code; evaluation always computes in double.
struct LayerNormalization {
  struct Attrs {
    int64_t axis = -1;
    double epsilon = 1e-5f;
    int64_t stash_type = 1;
    static constexpr auto fields =
        Fields{field("axis", &Attrs::axis), field("epsilon", &Attrs::epsilon), field("stash_type", &Attrs::stash_type)};
  };
  static constexpr OpFacts facts{"layer_normalization",
                                 {"LayerNormalization", 17},
                                 "x:T, scale:T, bias:T? -> y:T, mean:U?, inv_std_dev:U?",
                                 {{{'T', dtypes::floats}, {'U', dtypes::floats}}},
                                 "the axes from `axis` on with mean 0 and variance 1, times scale, plus bias"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct RMSNormalization {
  using Attrs = LayerNormalization::Attrs;
  static constexpr OpFacts facts{"rms_normalization",
                                 {"RMSNormalization", 23},
                                 "x:T, scale:S -> y:S",
                                 {{{'T', dtypes::floats}, {'S', dtypes::floats}}},
                                 "x / sqrt(mean(x^2) + epsilon) over the axes from `axis` on, times scale"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct GroupNormalization {
  struct Attrs {
    int64_t num_groups = 1;
    double epsilon = 1e-5f;
    int64_t stash_type = 1;
    static constexpr auto fields = Fields{field("num_groups", &Attrs::num_groups, required),
                                          field("epsilon", &Attrs::epsilon), field("stash_type", &Attrs::stash_type)};
  };
  static constexpr OpFacts facts{
      "group_normalization",
      {"GroupNormalization", 21},
      "x:T, scale:T, bias:T -> y:T",
      {{{'T', dtypes::floats}}},
      "each group of channels with mean 0 and variance 1, times scale, plus bias per channel"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct LpNormalization {
  struct Attrs {
    int64_t axis = -1, p = 2;
    static constexpr auto fields = Fields{field("axis", &Attrs::axis), field("p", &Attrs::p)};
  };
  static constexpr OpFacts facts{"lp_normalization",
                                 {"LpNormalization", 1},
                                 "x:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "x over its L1 or L2 norm along an axis; zeros stay"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct LRN {
  struct Attrs {
    int64_t size = 1;
    double alpha = 1e-4f, beta = 0.75, bias = 1;
    static constexpr auto fields = Fields{field("size", &Attrs::size, required), field("alpha", &Attrs::alpha),
                                          field("beta", &Attrs::beta), field("bias", &Attrs::bias)};
  };
  static constexpr OpFacts facts{"lrn",
                                 {"LRN", 1},
                                 "x:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "x / (bias + alpha / size * sum of squares over `size` channels around)^beta"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct MeanVarianceNormalization {
  struct Attrs {
    std::vector<int64_t> axes{0, 2, 3};
    static constexpr auto fields = Fields{field("axes", &Attrs::axes)};
  };
  static constexpr OpFacts facts{"mean_variance_normalization",
                                 {"MeanVarianceNormalization", 9},
                                 "x:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "(x - mean) / (standard deviation + 1e-9) over the axes"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

}  // namespace tc
