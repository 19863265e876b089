// Layers by the names that other frameworks have for them.
#pragma once

#include "tc/frontend/dsl/nn.h"

namespace tc {

// conv with so many spatial axes, which x must have.
Var conv1d(Arg x, Arg w, ConvOptions options = {});
Var conv1d(Arg x, Arg w, Arg b, ConvOptions options);
Var conv2d(Arg x, Arg w, ConvOptions options = {});
Var conv2d(Arg x, Arg w, Arg b, ConvOptions options);
Var conv3d(Arg x, Arg w, ConvOptions options = {});
Var conv3d(Arg x, Arg w, Arg b, ConvOptions options);
// Each channel by itself: w is [channels * multiplier, 1, kernel...].
Var depthwise_conv(Arg x, Arg w, ConvOptions options = {});
// A depthwise convolution, then one by 1 x 1 kernels w [out channels, channels, 1...].
Var separable_conv(Arg x, Arg depthwise, Arg pointwise, ConvOptions options = {});
struct CausalConv1dOptions {
  Arg bias = {};
  int64_t dilation = 1, groups = 1;
};
Var causal_conv1d(Arg x, Arg w, CausalConv1dOptions options = {});  // no element sees later ones

Var hard_tanh(Arg x, double low = -1, double high = 1);
Var log_sigmoid(Arg x);  // without loss of the tail
Var softmin(Arg x, SoftmaxOptions options = {});
struct GluOptions {
  int64_t axis = -1;
};
Var glu(Arg x, GluOptions options = {});  // the first half times the sigmoid of the second

// To given spatial extents: element i is that of the elements from floor(i n / m) to ceil((i + 1) n / m).
Var adaptive_average_pool(Arg x, PerAxis extents);
Var adaptive_max_pool(Arg x, PerAxis extents);
struct GlobalLpPoolOptions {
  int64_t p = 2;
};
Var global_lp_pool(Arg x, GlobalLpPoolOptions options = {});
struct [[nodiscard]] MaxPoolWithIndices {
  Var values, indices;  // places in the flattened x
};
MaxPoolWithIndices max_pool_with_indices(Arg x, PerAxis kernel, PoolOptions options = {});
struct MaxUnpoolOptions {
  PerAxis strides = {};
  Padding padding = Padding::valid;
};
// Puts elements where max_pool_with_indices took them from, zeros elsewhere.
Var max_unpool(Arg x, Arg indices, PerAxis kernel, MaxUnpoolOptions options = {});

struct FoldOptions {
  PerAxis strides = {}, dilations = {};
  Padding padding = Padding::valid;
};
// The windows of x [batch, channels, spatial...] as columns [batch, channels * kernel, windows], and back, where
// windows that overlap add up: im2col and col2im.
Var unfold(Arg x, PerAxis kernel, FoldOptions options = {});
Var fold(Arg x, std::vector<int64_t> extents, std::vector<int64_t> kernel, FoldOptions options = {});
Var pixel_shuffle(Arg x, int64_t block);  // depth_to_space, channels of a block together
Var pixel_unshuffle(Arg x, int64_t block);

}  // namespace tc
