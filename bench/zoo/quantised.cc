// Models in integer arithmetic, as quantisation tools emit them.
#include <cmath>

#include "tc/bench/zoo/layers.h"
#include "tc/bench/zoo/networks.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/matmul.h"
#include "tc/ir/ops/quant.h"

namespace tc::zoo {
namespace {

using dsl::make;

Var constant(Tensor t) {
  return asarray(std::move(t));
}

Var quantise(Var x, Var scale, Var zero) {
  return make<QuantizeLinear>({x, scale, zero});
}
Var dequantise(Var x, Var scale, Var zero, int64_t axis = 1) {
  return make<DequantizeLinear>({x, scale, zero}, {.axis = axis});
}

// What lies between two quantised operators: floats that are multiples of a scale.
struct Activation {
  Var value;
  float scale = 1;
};

// As u8 with a scale for all elements; `range` is what they stay within on both sides of 0, or above it.
Activation fake_quantised(Var x, float range, bool positive = false) {
  const float step = range / (positive ? 255 : 127);
  const Var scale = constant(Tensor::scalar<float>(step)), zero = constant(Tensor::scalar<uint8_t>(positive ? 0 : 128));
  return {dequantise(quantise(x, scale, zero), scale, zero), step};
}

// Filters are i8 with a scale per output channel, biases i32 in units of the products.
Var quantised_conv(Weights& w, const Activation& x, int64_t in, int64_t out, int64_t kernel, int64_t stride,
                   float gain = 1.4F, int64_t groups = 1) {
  in /= groups;
  const float bound = gain * std::sqrt(3 / static_cast<float>(in * kernel * kernel));
  const Tensor filters = w.integers(i8, {out, in, kernel, kernel}, -127, 127);
  const Tensor scales = w.uniform({out}, 0.8F * bound / 127, bound / 127);
  Tensor units(f32, {out});
  for (int64_t i = 0; i < out; ++i)
    units.mutable_span<float>()[static_cast<size_t>(i)] = x.scale * scales.span<float>()[static_cast<size_t>(i)];
  const Var weights = dequantise(constant(filters), constant(scales), constant(w.integers(i8, {out}, 0, 0)), 0);
  const Var bias = dequantise(constant(w.integers(i32, {out}, -400, 400)), constant(units),
                              constant(w.integers(i32, {out}, 0, 0)), 0);
  return conv(x.value, weights, bias,
              {.strides = {stride, stride}, .padding = Padding{kernel / 2, kernel / 2}, .groups = groups});
}

}  // namespace

// BatchNormalization is part of the filters; each result of a convolution or sum is quantised.
Function qdq_resnet18() {
  return trace("qdq_resnet18", {{"image", f32, {"batch", 3, 224, 224}}}, [](Var image) {
    Weights w(20);
    const auto rectified = [](Var v) { return fake_quantised(relu(v), 6, true); };
    Activation x = rectified(quantised_conv(w, fake_quantised(image, 4), 3, 64, 7, 2));
    x = fake_quantised(max_pool(x.value, {3, 3}, {.strides = {2, 2}, .padding = Padding{1, 1}}), 6, true);
    for (int64_t stage = 0, in = 64; stage < 4; ++stage)
      for (int64_t block = 0, out = 64 << stage; block < 2; ++block, in = out) {
        const int64_t stride = stage && !block ? 2 : 1;
        Activation y = rectified(quantised_conv(w, x, in, out, 3, stride));
        y = fake_quantised(quantised_conv(w, y, out, out, 3, 1, 0.5F), 4);
        if (stride != 1 || in != out) x = fake_quantised(quantised_conv(w, x, in, out, 1, stride, 1), 6);
        x = rectified(x.value + y.value);
      }
    x = fake_quantised(global_average_pool(x.value), 6, true);
    return linear(w, reshape(x.value, {-1, 512}), 512, 1000);
  });
}

// EfficientNet-B0's blocks; swish is a sigmoid and a product, quantised each, as is everything that follows a
// convolution.
Function qdq_efficientnet() {
  return trace("qdq_efficientnet", {{"image", f32, {"batch", 3, 224, 224}}}, [](Var image) {
    Weights w(23);
    const auto swish = [](Var v) {
      const Activation x = fake_quantised(v, 6), gate = fake_quantised(sigmoid(x.value), 1, true);
      return fake_quantised(x.value * gate.value, 6);
    };
    Activation x = swish(quantised_conv(w, fake_quantised(image, 4), 3, 32, 3, 2));
    int64_t in = 32;
    for (const MobileStage& s : kEfficientNetB0)
      for (int64_t block = 0; block < s.blocks; ++block, in = s.out) {
        const int64_t hidden = in * s.expansion, stride = block ? 1 : s.stride;
        Activation y = s.expansion == 1 ? x : swish(quantised_conv(w, x, in, hidden, 1, 1));
        y = swish(quantised_conv(w, y, hidden, hidden, s.kernel, stride, 1.4F, hidden));
        const Activation mean = fake_quantised(global_average_pool(y.value), 6);
        Var gate = quantised_conv(w, swish(quantised_conv(w, mean, hidden, in / 4, 1, 1)), in / 4, hidden, 1, 1);
        gate = fake_quantised(sigmoid(fake_quantised(gate, 6).value), 1, true).value;
        y = fake_quantised(quantised_conv(w, fake_quantised(y.value * gate, 6), hidden, s.out, 1, 1), 6);
        x = block ? fake_quantised(x.value + y.value, 6) : y;
      }
    x = fake_quantised(global_average_pool(swish(quantised_conv(w, x, 320, 1280, 1, 1)).value), 6);
    return linear(w, reshape(x.value, {-1, 1280}), 1280, 1000);
  });
}

Function dynamic_mlp() {
  return trace("dynamic_mlp", {{"x", f32, {"batch", 1024}}}, [](Var x) {
    Weights w(21);
    const auto dense = [&](Var v, int64_t in, int64_t out) {
      const std::vector<Var> q = dsl::make_n<DynamicQuantizeLinear>({v}, {}, 3);
      const Tensor weights = w.integers(i8, {in, out}, -127, 127);
      const float scale = std::sqrt(6 / static_cast<float>(in)) / 127;
      const Var sum = make<MatMulInteger>({q[0], constant(weights), q[2], constant(Tensor::scalar<int8_t>(0))});
      return astype(sum, f32) * (q[1] * scale) + w.uniform({out}, -0.1F, 0.1F);
    };
    return dense(relu(dense(relu(dense(x, 1024, 4096)), 4096, 1024)), 1024, 1024);
  });
}

Function qlinear_matmul() {
  return trace("qlinear_matmul", {{"a", u8, {512, 1024}}}, [](Var a) {
    Weights w(22);
    const Var scale = constant(Tensor::scalar<float>(0.02F)), out_scale = constant(Tensor::scalar<float>(0.5F));
    const Var zero = constant(Tensor::scalar<uint8_t>(5)), out_zero = constant(Tensor::scalar<uint8_t>(128));
    return make<QLinearMatMul>({a, scale, zero, constant(w.integers(i8, {1024, 1024}, -127, 127)), scale,
                                constant(Tensor::scalar<int8_t>(0)), out_scale, out_zero});
  });
}

}  // namespace tc::zoo
