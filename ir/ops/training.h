// Steps of optimisers. Operands: the learning rate r, the number t of updates done before, then the tensors to train
// x1, ..., xn, their gradients, and the state of the optimiser, each in the same order; results: the new tensors and
// the new state.
#pragma once

#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

class Builder;

// Duchi, Hazan, Singer, "Adaptive subgradient methods for online learning and stochastic optimization", 2011. State:
// sums of squared gradients h.
struct Adagrad {
  struct Attrs {
    double decay_factor = 0;      // of the learning rate, per update
    double epsilon = 1e-6f;       // added to sqrt(h)
    double norm_coefficient = 0;  // of 1/2 |x|^2, added to the loss
    static constexpr auto fields =
        Fields{field("decay_factor", &Attrs::decay_factor), field("epsilon", &Attrs::epsilon),
               field("norm_coefficient", &Attrs::norm_coefficient)};
  };
  static constexpr OpFacts facts{"adagrad",
                                 {"Adagrad", 1, "ai.onnx.preview.training"},
                                 "r:R, t:i64, inputs:V* -> outputs:V*",
                                 {{{'R', DTypeSet(DType::f32) | DType::f64}, {'V', DTypeSet(DType::f32) | DType::f64}}},
                                 "x - r / (1 + t decay_factor) g / (sqrt(h + g^2) + epsilon)"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// Kingma, Ba, "Adam: A method for stochastic optimization", 2015. State: averages v of the gradients, then averages h
// of their squares. Averages are corrected for their start at 0 when t > 0.
struct Adam {
  struct Attrs {
    double alpha = 0.9f, beta = 0.999f;  // shares that v and h keep
    double epsilon = 1e-6f;
    double norm_coefficient = 0;       // of 1/2 |x|^2, added to the loss
    double norm_coefficient_post = 0;  // part of the new x that is taken away
    static constexpr auto fields =
        Fields{field("alpha", &Attrs::alpha), field("beta", &Attrs::beta), field("epsilon", &Attrs::epsilon),
               field("norm_coefficient", &Attrs::norm_coefficient),
               field("norm_coefficient_post", &Attrs::norm_coefficient_post)};
  };
  static constexpr OpFacts facts{"adam",
                                 {"Adam", 1, "ai.onnx.preview.training"},
                                 "r:R, t:i64, inputs:V* -> outputs:V*",
                                 {{{'R', DTypeSet(DType::f32) | DType::f64}, {'V', DTypeSet(DType::f32) | DType::f64}}},
                                 "x - r' v / (sqrt(h) + epsilon), with r' = r sqrt(1 - beta^t) / (1 - alpha^t)"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

enum class MomentumMode : uint8_t { heavy_ball, nesterov };
inline constexpr std::string_view kMomentumModeNames[] = {"standard", "nesterov"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<MomentumMode> = kMomentumModeNames;

// State: velocities v. `beta` counts from the second update on; the first one takes the whole gradient.
struct Momentum {
  struct Attrs {
    double alpha = 0;  // share that v keeps
    double beta = 0;   // share of the gradient
    MomentumMode mode = MomentumMode::heavy_ball;
    double norm_coefficient = 0;  // of 1/2 |x|^2, added to the loss
    static constexpr auto fields =
        Fields{field("alpha", &Attrs::alpha, required), field("beta", &Attrs::beta, required),
               field("mode", &Attrs::mode, required), field("norm_coefficient", &Attrs::norm_coefficient, required)};
  };
  static constexpr OpFacts facts{"momentum",
                                 {"Momentum", 1, "ai.onnx.preview.training"},
                                 "r:R, t:i64, inputs:V* -> outputs:V*",
                                 {{{'R', DTypeSet(DType::f32) | DType::f64}, {'V', DTypeSet(DType::f32) | DType::f64}}},
                                 "x - r v, or x - r (g + alpha v) for Nesterov's, with the new v = alpha v + beta g"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

}  // namespace tc
