// What the models are built of: seeded weights, and layers as exporters of training frameworks spell them.
#pragma once

#include <cstdint>

#include "tc/frontend/dsl/dsl.h"

namespace tc::zoo {

// Uniform numbers of a seeded generator (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014).
class Weights {
 public:
  explicit Weights(uint64_t seed) : state_(seed) {}
  Tensor uniform(Extents extents, float low, float high);
  // Such that a layer with so many inputs per output keeps the variance of what it gets, times gain².
  Tensor layer(Extents extents, int64_t inputs, float gain = 1);
  Tensor integers(DType type, Extents extents, int low, int high);  // i8, u8, i4 or i32; both ends included

 private:
  uint64_t next();
  uint64_t state_;
};

// A picture as classifiers of ImageNet take it.
inline const Input kImage{"image", f32, {"batch", 3, 224, 224}};

// x · w + b, as MatMul and Add.
Var linear(Weights& w, Var x, int64_t in, int64_t out, float gain = 1);
// BatchNormalization in inference mode.
Var batch_norm(Weights& w, Var x, int64_t channels);
// A convolution without bias followed by batch_norm.
Var conv_bn(Weights& w, Var x, int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t groups = 1,
            float gain = 1.4F);
// The mean of each channel, and one layer to 1000 classes.
Var classify(Weights& w, Var x, int64_t channels);
Var swish(Var x);  // x · sigmoid(x), as two nodes
// Blocks of EfficientNet-B0 (Tan & Le, 2019): the first of a stage has its stride.
struct MobileStage {
  int64_t expansion, out, blocks, stride, kernel;
};
inline constexpr MobileStage kEfficientNetB0[] = {{1, 16, 1, 1, 3}, {6, 24, 2, 2, 3},  {6, 40, 2, 2, 5},
                                                  {6, 80, 3, 2, 3}, {6, 112, 3, 1, 5}, {6, 192, 4, 2, 5},
                                                  {6, 320, 1, 1, 3}};
// [batch, length, heads * size] as [batch, heads, length, size], and back.
Var split_heads(Var x, int64_t heads, int64_t size);
Var merge_heads(Var x, int64_t width);
// (x - mean) / sqrt(mean((x - mean)²) + epsilon) · scale + bias along the last axis, as nine primitive nodes.
Var layer_norm_chain(Weights& w, Var x, int64_t width, double epsilon);
// x · ½ · (1 + erf(x / √2)), as five primitive nodes.
Var gelu_chain(Var x);

}  // namespace tc::zoo
