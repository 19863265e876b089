#include "tc/bench/zoo/layers.h"

#include <cmath>
#include <numbers>

namespace tc::zoo {

uint64_t Weights::next() {
  uint64_t z = state_ += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

Tensor Weights::uniform(Extents extents, float low, float high) {
  Tensor t(f32, std::move(extents));
  const float step = (high - low) / static_cast<float>(1 << 24);
  for (float& x : t.mutable_span<float>()) x = low + step * static_cast<float>(next() >> 40);
  return t;
}

Tensor Weights::layer(Extents extents, int64_t inputs, float gain) {
  const float bound = gain * std::sqrt(3 / static_cast<float>(inputs));
  return uniform(std::move(extents), -bound, bound);
}

Tensor Weights::integers(DType type, Extents extents, int low, int high) {
  Tensor t(type, std::move(extents));
  const auto fill = [&]<class T>(std::span<T> values) {
    for (T& x : values) x = static_cast<T>(low + static_cast<int>(next() % static_cast<uint64_t>(high - low + 1)));
  };
  if (type == i8)
    fill(t.mutable_span<int8_t>());
  else if (type == u8)
    fill(t.mutable_span<uint8_t>());
  else if (type == DType::i4)
    fill(t.mutable_span<Int4>());
  else
    fill(t.mutable_span<int32_t>());
  return t;
}

Var linear(Weights& w, Var x, int64_t in, int64_t out, float gain) {
  const Var y = matmul(x, w.layer({in, out}, in, gain));
  return y + w.uniform({out}, -0.1F, 0.1F);
}

Var batch_norm(Weights& w, Var x, int64_t channels) {
  const Tensor scale = w.uniform({channels}, 0.8F, 1.2F), bias = w.uniform({channels}, -0.1F, 0.1F),
               mean = w.uniform({channels}, -0.1F, 0.1F), var = w.uniform({channels}, 0.8F, 1.2F);
  return batch_normalization(x, scale, bias, mean, var);
}

Var conv_bn(Weights& w, Var x, int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t groups, float gain) {
  const int64_t per_group = in / groups, pad = kernel / 2;
  const Tensor filter = w.layer({out, per_group, kernel, kernel}, per_group * kernel * kernel, gain);
  const Var y = conv(x, filter, {.strides = {stride, stride}, .padding = Padding{pad, pad}, .groups = groups});
  return batch_norm(w, y, out);
}

Var classify(Weights& w, Var x, int64_t channels) {
  return linear(w, reshape(global_average_pool(x), {-1, channels}), channels, 1000);
}

Var swish(Var x) {
  return x * sigmoid(x);
}

Var split_heads(Var x, int64_t heads, int64_t size) {
  return permute_dims(reshape(x, {x.dim(0), -1, heads, size}), {0, 2, 1, 3});
}

Var merge_heads(Var x, int64_t width) {
  return reshape(permute_dims(x, {0, 2, 1, 3}), {x.dim(0), -1, width});
}

Var layer_norm_chain(Weights& w, Var x, int64_t width, double epsilon) {
  const Var centred = x - mean(x, {.axis = -1, .keepdims = true});
  const Var variance = mean(pow(centred, 2.0F), {.axis = -1, .keepdims = true});
  return centred / sqrt(variance + epsilon) * w.uniform({width}, 0.8F, 1.2F) + w.uniform({width}, -0.1F, 0.1F);
}

Var gelu_chain(Var x) {
  return x * (erf(x / std::numbers::sqrt2) + 1) * 0.5;
}

}  // namespace tc::zoo
