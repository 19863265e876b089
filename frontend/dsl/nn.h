// Layers of neural networks, named and defined as in ONNX. Activations are [batch, channels, spatial...]; convolutions
// and pools have as many spatial axes as their operands. A bias or another optional tensor is left out by {}.
#pragma once

#include "tc/frontend/dsl/shape.h"

namespace tc {

// What lies around the spatial axes: a rule, or explicit extents for each spatial axis.
class Padding {
 public:
  enum Rule : uint8_t {
    valid,       // nothing
    same_upper,  // as much as keeps ceil(extent / stride); an odd one goes at the end
    same_lower,  // the same with an odd one at the start
    full,        // all but one of the kernel's elements: every overlap counts
    half,        // half of the kernel, rounded down, on both sides
    given
  };
  Padding(Rule rule) : rule_(rule) {}
  // On both sides of all spatial axes.
  template <AxisNumber T>
  Padding(T extent) : rule_(given), extents_(extent) {}
  // One number per spatial axis for both sides, or all starts and then all ends.
  Padding(std::initializer_list<int64_t> extents) : rule_(given), extents_(extents) {}
  Padding(std::vector<int64_t> extents) : rule_(given), extents_(std::move(extents)) {}
  Rule rule() const { return rule_; }
  const PerAxis& extents() const { return extents_; }

 private:
  Rule rule_;
  PerAxis extents_;
};

// Strides and dilations are 1 unless given.
struct ConvOptions {
  PerAxis strides = {}, dilations = {};
  Padding padding = Padding::valid;
  int64_t groups = 1;
  bool flip_kernel = false;  // the convolution of mathematics; else the cross-correlation
};
// w is [out channels, in channels / groups, kernel...], b [out channels].
Var conv(Arg x, Arg w, ConvOptions options = {});
Var conv(Arg x, Arg w, Arg b, ConvOptions options);
template <std::convertible_to<Arg> B>
Var conv(Arg x, Arg w, const B& b) {
  return conv(std::move(x), std::move(w), b, {});
}
struct ConvTransposeOptions {
  PerAxis strides = {}, dilations = {}, output_padding = {};
  Padding padding = Padding::valid;
  int64_t groups = 1;
  bool flip_kernel = false;
};
// The transpose of conv as a map of x: w is [in channels, out channels / groups, kernel...].
Var conv_transpose(Arg x, Arg w, ConvTransposeOptions options = {});
Var conv_transpose(Arg x, Arg w, Arg b, ConvTransposeOptions options);
template <std::convertible_to<Arg> B>
Var conv_transpose(Arg x, Arg w, const B& b) {
  return conv_transpose(std::move(x), std::move(w), b, {});
}

struct PoolOptions {
  PerAxis strides = {}, dilations = {};
  Padding padding = Padding::valid;
  bool ceil_mode = false;
};
struct AveragePoolOptions {
  PerAxis strides = {}, dilations = {};
  Padding padding = Padding::valid;
  bool ceil_mode = false, count_include_pad = false;
};
struct LpPoolOptions {
  PerAxis strides = {}, dilations = {};
  Padding padding = Padding::valid;
  bool ceil_mode = false;
  int64_t p = 2;
};
Var max_pool(Arg x, PerAxis kernel, PoolOptions options = {});
Var average_pool(Arg x, PerAxis kernel, AveragePoolOptions options = {});
Var lp_pool(Arg x, PerAxis kernel, LpPoolOptions options = {});
Var global_average_pool(Arg x);
Var global_max_pool(Arg x);

struct EpsilonOptions {
  double epsilon = 1e-5;
};
struct LayerNormOptions {
  int64_t axis = -1;  // the first of the normalised axes
  double epsilon = 1e-5;
};
struct [[nodiscard]] BatchNormTraining {
  Var y, mean, var;  // the last two are the running statistics, moved towards the batch's
};
struct BatchNormTrainingOptions {
  double epsilon = 1e-5, momentum = 0.9;
};
struct LrnOptions {
  double alpha = 1e-4, beta = 0.75, bias = 1;
};
struct LpNormOptions {
  int64_t axis = -1, p = 2;
};
Var batch_normalization(Arg x, Arg scale, Arg bias, Arg mean, Arg var, EpsilonOptions options = {});
BatchNormTraining batch_normalization_training(Arg x, Arg scale, Arg bias, Arg mean, Arg var,
                                               BatchNormTrainingOptions options = {});
Var group_normalization(Arg x, Arg scale, Arg bias, int64_t groups, EpsilonOptions options = {});
Var instance_normalization(Arg x, Arg scale, Arg bias, EpsilonOptions options = {});
Var layer_normalization(Arg x, Arg scale, Arg bias = {}, LayerNormOptions options = {});
Var lp_normalization(Arg x, LpNormOptions options = {});
Var lrn(Arg x, int64_t size, LrnOptions options = {});
Var mean_variance_normalization(Arg x, std::vector<int64_t> axes);
Var rms_normalization(Arg x, Arg scale, LayerNormOptions options = {});

struct SoftmaxOptions {
  int64_t axis = -1;
};
Var softmax(Arg x, SoftmaxOptions options = {});
Var log_softmax(Arg x, SoftmaxOptions options = {});
Var hardmax(Arg x, SoftmaxOptions options = {});
template <AxisNumber T>
Var softmax(Arg x, T axis) {
  return softmax(std::move(x), {.axis = static_cast<int64_t>(axis)});
}
template <AxisNumber T>
Var log_softmax(Arg x, T axis) {
  return log_softmax(std::move(x), {.axis = static_cast<int64_t>(axis)});
}
template <AxisNumber T>
Var hardmax(Arg x, T axis) {
  return hardmax(std::move(x), {.axis = static_cast<int64_t>(axis)});
}

struct AttentionOptions {
  bool causal = false;
  std::optional<double> scale = {};    // 1 / sqrt(head size)
  double softcap = 0;                  // 0: none
  int64_t q_heads = 0, kv_heads = 0;   // of operands of rank 3
  Arg mask = {};                       // booleans: what may be seen; numbers: added to the scores
  Arg past_key = {}, past_value = {};  // come before k and v
};
struct [[nodiscard]] AttentionResult {
  Var y, present_key, present_value;
};
// Operands are [batch, heads, length, head size], or [batch, length, heads * head size] with q_heads and kv_heads.
Var attention(Arg q, Arg k, Arg v, AttentionOptions options = {});
AttentionResult attention_with_cache(Arg q, Arg k, Arg v, AttentionOptions options);
struct RotaryOptions {
  bool interleaved = false;
  int64_t heads = 0;  // of operands of rank 3
  int64_t dims = 0;   // 0: all of a head
  Arg position_ids = {};
};
Var rotary_embedding(Arg x, Arg cos_cache, Arg sin_cache, RotaryOptions options = {});

enum class Direction : uint8_t { forward, reverse, bidirectional };
struct RecurrentOptions {
  Direction direction = Direction::forward;
  Arg lengths = {};                    // i32[batch]: steps of each sequence
  Arg initial_h = {}, initial_c = {};  // [directions, batch, hidden]
  bool linear_before_reset = false;    // of gru
};
struct [[nodiscard]] RecurrentResult {
  Var y;     // [time, directions, batch, hidden]
  Var h, c;  // [directions, batch, hidden]; c of lstm only
};
// x is [time, batch, features]; w [directions, gates * hidden, features], r [directions, gates * hidden, hidden] and
// b [directions, 2 * gates * hidden] hold the gates in ONNX's order.
RecurrentResult rnn(Arg x, Arg w, Arg r, Arg b = {}, RecurrentOptions options = {});
RecurrentResult gru(Arg x, Arg w, Arg r, Arg b = {}, RecurrentOptions options = {});
RecurrentResult lstm(Arg x, Arg w, Arg r, Arg b = {}, RecurrentOptions options = {});

struct OneHotOptions {
  int64_t axis = -1;
  DType dtype = f32;
};
Var one_hot(Arg indices, Extent depth, OneHotOptions options = {});
Var embedding(Arg indices, Arg table);  // rows of a matrix
struct DropoutOptions {
  double ratio = 0.5;
  std::optional<int64_t> seed = {};
};
Var dropout(Arg x, Arg training, DropoutOptions options = {});  // scaled by 1 / (1 - ratio); x where training is false

enum class Interpolation : uint8_t { nearest, linear, cubic };
enum class Coordinates : uint8_t { half_pixel, align_corners, asymmetric };
struct ResizeOptions {
  Interpolation mode = Interpolation::nearest;
  Coordinates coordinates = Coordinates::half_pixel;
  bool antialias = false;
};
Var resize(Arg x, std::vector<int64_t> spatial_extents, ResizeOptions options = {});
Var resize_by(Arg x, std::vector<double> spatial_scales, ResizeOptions options = {});

enum class Reduction : uint8_t { mean, sum, none };
struct LossOptions {
  Reduction reduction = Reduction::mean;
};
// Losses of predictions against targets.
Var mse_loss(Arg x, Arg target, LossOptions options = {});
Var l1_loss(Arg x, Arg target, LossOptions options = {});
struct HuberOptions {
  Reduction reduction = Reduction::mean;
  double delta = 1;
};
Var huber_loss(Arg x, Arg target, HuberOptions options = {});
Var binary_cross_entropy_with_logits(Arg logits, Arg target, LossOptions options = {});
Var kl_divergence(Arg log_probabilities, Arg target, LossOptions options = {});
// Labels are integers along all axes of the logits but `axis`, from 0 on; one that is no class, a negative one
// included, stops the run. Elements whose label is `ignore_index`, which may be any number, have loss 0 and do not
// count in a mean; a mean over none is NaN. With weights, one per class, a loss and its part of a mean's divisor are
// multiplied by that of its label. With label smoothing s, a target is 1 - s of its label and s of all classes alike
// (C. Szegedy et al., Rethinking the Inception architecture, CVPR 2016).
struct CrossEntropyOptions {
  int64_t axis = 1;
  Reduction reduction = Reduction::mean;
  std::optional<int64_t> ignore_index = {};
  Arg weights = {};
  double label_smoothing = 0;
};
Var cross_entropy(Arg logits, Arg labels, CrossEntropyOptions options = {});
Var nll_loss(Arg log_probabilities, Arg labels, CrossEntropyOptions options = {});

}  // namespace tc
