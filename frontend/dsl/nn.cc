#include "tc/frontend/dsl/nn.h"

#include <limits>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/attention.h"
#include "tc/ir/ops/elementwise.h"
#include "tc/ir/ops/gather.h"
#include "tc/ir/ops/norm.h"
#include "tc/ir/ops/resize.h"
#include "tc/ir/ops/rnn.h"
#include "tc/ir/ops/softmax.h"

namespace tc {

using namespace dsl;

namespace {

Var optional_like(const Arg& a, DType t) {
  return a.absent() ? Var() : operand_like(a, t);
}

}  // namespace

// --- normalisation

Var batch_normalization(Arg x, Arg scale, Arg bias, Arg mean, Arg var, EpsilonOptions options) {
  const Site site("batch_normalization", x.at());
  const Var v = operand(x, Domain::floating);
  return make<BatchNormalization>({v, operand(scale), operand(bias), operand(mean), operand(var)},
                                  {.epsilon = attribute(options.epsilon)});
}
BatchNormTraining batch_normalization_training(Arg x, Arg scale, Arg bias, Arg mean, Arg var,
                                               BatchNormTrainingOptions options) {
  const Site site("batch_normalization_training", x.at());
  const Var v = operand(x, Domain::floating);
  const std::vector<Var> r = make_n<BatchNormalization>(
      {v, operand(scale), operand(bias), operand(mean), operand(var)},
      {.epsilon = attribute(options.epsilon), .momentum = attribute(options.momentum), .training_mode = true}, 3);
  return {r[0], r[1], r[2]};
}
Var group_normalization(Arg x, Arg scale, Arg bias, int64_t groups, EpsilonOptions options) {
  const Site site("group_normalization", x.at());
  const Var v = operand(x, Domain::floating);
  return make<GroupNormalization>({v, operand(scale), operand(bias)},
                                  {.num_groups = groups, .epsilon = attribute(options.epsilon)});
}
Var instance_normalization(Arg x, Arg scale, Arg bias, EpsilonOptions options) {
  const Site site("instance_normalization", x.at());
  const Var v = operand(x, Domain::floating);
  return make<InstanceNormalization>({v, operand(scale), operand(bias)}, {.epsilon = attribute(options.epsilon)});
}
Var layer_normalization(Arg x, Arg scale, Arg bias, LayerNormOptions options) {
  const Site site("layer_normalization", x.at());
  const Var v = operand(x, Domain::floating);
  return make<LayerNormalization>({v, operand(scale), optional_operand(bias)},
                                  {.axis = options.axis, .epsilon = attribute(options.epsilon)});
}
Var lp_normalization(Arg x, LpNormOptions options) {
  const Site site("lp_normalization", x.at());
  return make<LpNormalization>({operand(x, Domain::floating)}, {.axis = options.axis, .p = options.p});
}
Var lrn(Arg x, int64_t size, LrnOptions options) {
  const Site site("lrn", x.at());
  return make<LRN>({operand(x, Domain::floating)}, {.size = size,
                                                    .alpha = attribute(options.alpha),
                                                    .beta = attribute(options.beta),
                                                    .bias = attribute(options.bias)});
}
Var mean_variance_normalization(Arg x, std::vector<int64_t> axes) {
  const Site site("mean_variance_normalization", x.at());
  return make<MeanVarianceNormalization>({operand(x, Domain::floating)}, {.axes = std::move(axes)});
}
Var rms_normalization(Arg x, Arg scale, LayerNormOptions options) {
  const Site site("rms_normalization", x.at());
  const Var v = operand(x, Domain::floating);
  return make<RMSNormalization>({v, operand(scale)}, {.axis = options.axis, .epsilon = attribute(options.epsilon)});
}

#define TC_DSL_ALONG_AXIS(name, Op)                                          \
  Var name(Arg x, SoftmaxOptions options) {                                  \
    const Site site(#name, x.at());                                          \
    return make<Op>({operand(x, Domain::floating)}, {.axis = options.axis}); \
  }
TC_DSL_ALONG_AXIS(softmax, Softmax)
TC_DSL_ALONG_AXIS(log_softmax, LogSoftmax)
TC_DSL_ALONG_AXIS(hardmax, Hardmax)
#undef TC_DSL_ALONG_AXIS

// --- attention

namespace {

std::vector<Var> attend(const Arg& q, const Arg& k, const Arg& v, const AttentionOptions& o, int results) {
  Attention::Attrs attrs{.is_causal = o.causal};
  if (o.q_heads) attrs.q_num_heads = o.q_heads;
  if (o.kv_heads || o.q_heads) attrs.kv_num_heads = o.kv_heads ? o.kv_heads : o.q_heads;
  if (o.scale) attrs.scale = attribute(*o.scale);
  attrs.softcap = attribute(o.softcap);
  const std::vector<Var> qkv = promoted({q, k, v}, Domain::floating);
  const DType t = qkv[0].dtype();
  return make_n<Attention>(
      {qkv[0], qkv[1], qkv[2], optional_operand(o.mask), optional_like(o.past_key, t), optional_like(o.past_value, t)},
      std::move(attrs), results);
}

}  // namespace

Var attention(Arg q, Arg k, Arg v, AttentionOptions options) {
  const Site site("attention", q.at());
  return attend(q, k, v, options, 1)[0];
}
AttentionResult attention_with_cache(Arg q, Arg k, Arg v, AttentionOptions options) {
  const Site site("attention_with_cache", q.at());
  const std::vector<Var> r = attend(q, k, v, options, 3);
  return {r[0], r[1], r[2]};
}
Var rotary_embedding(Arg x, Arg cos_cache, Arg sin_cache, RotaryOptions options) {
  const Site site("rotary_embedding", x.at());
  const std::vector<Var> v = promoted({x, cos_cache, sin_cache}, Domain::floating);
  const Var ids = options.position_ids.absent() ? Var() : astype(options.position_ids, i64);
  return make<RotaryEmbedding>(
      {v[0], v[1], v[2], ids},
      {.interleaved = options.interleaved, .num_heads = options.heads, .rotary_embedding_dim = options.dims});
}

// --- recurrent networks

namespace {

template <class Op>
std::vector<Var> recurrent(const Arg& x, const Arg& w, const Arg& r, const Arg& b, const RecurrentOptions& o,
                           std::vector<Var> more, int results) {
  std::vector<Var> v = promoted({x, w, r}, Domain::floating);
  const DType t = v[0].dtype();
  typename Op::Attrs attrs;
  attrs.direction = static_cast<RnnDirection>(o.direction);
  if (v[2].dim(-1).is_const()) attrs.hidden_size = v[2].dim(-1).value();
  if constexpr (requires { attrs.linear_before_reset; }) attrs.linear_before_reset = o.linear_before_reset;
  v.push_back(optional_like(b, t));
  v.push_back(o.lengths.absent() ? Var() : astype(o.lengths, i32));
  v.push_back(optional_like(o.initial_h, t));
  v.insert(v.end(), more.begin(), more.end());
  return make_n<Op>(v, std::move(attrs), results);
}

}  // namespace

RecurrentResult rnn(Arg x, Arg w, Arg r, Arg b, RecurrentOptions options) {
  const Site site("rnn", x.at());
  const std::vector<Var> y = recurrent<RNN>(x, w, r, b, options, {}, 2);
  return {y[0], y[1], {}};
}
RecurrentResult gru(Arg x, Arg w, Arg r, Arg b, RecurrentOptions options) {
  const Site site("gru", x.at());
  const std::vector<Var> y = recurrent<GRU>(x, w, r, b, options, {}, 2);
  return {y[0], y[1], {}};
}
RecurrentResult lstm(Arg x, Arg w, Arg r, Arg b, RecurrentOptions options) {
  const Site site("lstm", x.at());
  const std::vector<Var> y =
      recurrent<LSTM>(x, w, r, b, options, {options.initial_c.absent() ? Var() : operand(options.initial_c)}, 3);
  return {y[0], y[1], y[2]};
}

// --- lookups, noise, images

Var one_hot(Arg indices, Extent depth, OneHotOptions options) {
  const Site site("one_hot", indices.at());
  const Var at = operand(indices, Domain::integer);
  const Var off_on = astype(Tensor::of<int64_t>({2}, {0, 1}), options.dtype);
  const Var n = squeeze(shape_tensor({depth}), 0);
  return make<OneHot>({at, n, off_on}, {.axis = options.axis});
}

Var embedding(Arg indices, Arg table) {
  const Site site("embedding", indices.at());
  return take(table, indices, {.axis = 0});
}

Var dropout(Arg x, Arg training, DropoutOptions options) {
  const Site site("dropout", x.at());
  const Var v = operand(x, Domain::floating);
  return make<Dropout>({v, asarray(options.ratio), operand(training, Domain::boolean)}, {.seed = options.seed});
}

namespace {

Resize::Attrs resize_attrs(const Var& x, size_t spatial, const ResizeOptions& o) {
  if (x.rank() != static_cast<int>(spatial) + 2)
    refuse(ErrorCode::bad_argument,
           cat(spatial, " spatial axes of ", x.type(), ", which has ", std::max(x.rank() - 2, 0)));
  static constexpr ResizeCoordinates kCoordinates[] = {ResizeCoordinates::half_pixel, ResizeCoordinates::align_corners,
                                                       ResizeCoordinates::asymmetric};
  Resize::Attrs attrs;
  attrs.mode = static_cast<ResizeMode>(o.mode);
  attrs.coordinates = kCoordinates[static_cast<size_t>(o.coordinates)];
  attrs.antialias = o.antialias;
  return attrs;
}

}  // namespace

Var resize(Arg x, std::vector<int64_t> spatial_extents, ResizeOptions options) {
  const Site site("resize", x.at());
  const Var v = operand(x);
  Resize::Attrs attrs = resize_attrs(v, spatial_extents.size(), options);
  std::vector<Extent> extents = {v.dim(0), v.dim(1)};
  extents.insert(extents.end(), spatial_extents.begin(), spatial_extents.end());
  return make<Resize>({v, Var(), Var(), shape_tensor(extents)}, std::move(attrs));
}
Var resize_by(Arg x, std::vector<double> spatial_scales, ResizeOptions options) {
  const Site site("resize_by", x.at());
  const Var v = operand(x);
  Resize::Attrs attrs = resize_attrs(v, spatial_scales.size(), options);
  std::vector<float> scales = {1, 1};
  for (const double s : spatial_scales) scales.push_back(static_cast<float>(s));
  const auto n = static_cast<int64_t>(scales.size());
  return make<Resize>({v, Var(), asarray(Tensor::of<float>({n}, scales)), Var()}, std::move(attrs));
}

// --- losses

namespace {

Var reduced(const Var& losses, Reduction r) {
  return r == Reduction::mean ? mean(losses) : r == Reduction::sum ? sum(losses) : losses;
}

}  // namespace

Var mse_loss(Arg x, Arg target, LossOptions options) {
  const Site site("mse_loss", x.at());
  const auto [a, b] = promoted(x, target, Domain::floating);
  return reduced(square(a - b), options.reduction);
}
Var l1_loss(Arg x, Arg target, LossOptions options) {
  const Site site("l1_loss", x.at());
  const auto [a, b] = promoted(x, target, Domain::floating);
  return reduced(abs(a - b), options.reduction);
}
Var huber_loss(Arg x, Arg target, HuberOptions options) {
  const Site site("huber_loss", x.at());
  const auto [a, b] = promoted(x, target, Domain::floating);
  const Var e = abs(a - b), near = minimum(e, options.delta);
  return reduced(near * near * 0.5 + (e - near) * options.delta, options.reduction);
}
Var binary_cross_entropy_with_logits(Arg logits, Arg target, LossOptions options) {
  const Site site("binary_cross_entropy_with_logits", logits.at());
  const auto [x, y] = promoted(logits, target, Domain::floating);
  return reduced(softplus(x) - x * y, options.reduction);
}
Var kl_divergence(Arg log_probabilities, Arg target, LossOptions options) {
  const Site site("kl_divergence", log_probabilities.at());
  const auto [x, y] = promoted(log_probabilities, target, Domain::floating);
  const Var safe = where(y > 0, y, 1);  // 0 log 0 is 0
  return reduced(y * (log(safe) - x), options.reduction);
}

Var nll_loss(Arg log_probabilities, Arg labels, CrossEntropyOptions options) {
  const Site site("nll_loss", log_probabilities.at());
  const Var p = operand(log_probabilities, Domain::floating), at = operand(labels, Domain::integer);
  const int axis = axis_of(options.axis, p.rank());
  if (at.rank() != p.rank() - 1)
    refuse(ErrorCode::bad_shape, cat("labels ", at.type(), " need one axis less than ", p.type()));
  // Indices count negative numbers from the end, labels do not: those go where no class is.
  constexpr int64_t kNoClass = std::numeric_limits<int64_t>::max();
  const Var label = astype(at, i64);
  const Var ignored = options.ignore_index ? label == *options.ignore_index : Var();
  Var index = dtypes::signed_ints.has(at.dtype()) ? where(label < 0, kNoClass, label) : label;
  if (ignored.defined()) index = where(ignored, 0, index);
  const Var picked = take_along_axis(p, expand_dims(index, axis), {.axis = axis});
  const Var weights = options.weights.absent() ? Var() : operand_like(options.weights, p.dtype());
  const Var weight = weights.defined() ? take(weights, index) : Var();
  Var losses = -squeeze(picked, axis);
  if (weight.defined()) losses = losses * weight;
  if (options.label_smoothing != 0) {
    std::vector<int64_t> trailing;
    for (int i = axis + 1; i < p.rank(); ++i) trailing.push_back(i - axis);
    const Var scale = weights.defined() && !trailing.empty() ? expand_dims(weights, trailing) : weights;
    const Var alike = -mean(scale.defined() ? p * scale : p, {.axis = axis});
    losses = losses * (1 - options.label_smoothing) + alike * options.label_smoothing;
  }
  if (ignored.defined()) losses = where(ignored, 0, losses);
  if (options.reduction != Reduction::mean || (!ignored.defined() && !weight.defined()))
    return reduced(losses, options.reduction);
  if (!weight.defined()) return sum(losses) / astype(count_nonzero(~ignored), p.dtype());
  return sum(losses) / sum(ignored.defined() ? where(ignored, 0, weight) : weight);
}
Var cross_entropy(Arg logits, Arg labels, CrossEntropyOptions options) {
  const Site site("cross_entropy", logits.at());
  return nll_loss(log_softmax(logits, {.axis = options.axis}), labels, options);
}

}  // namespace tc
