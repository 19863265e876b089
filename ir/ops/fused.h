// Ops of the family `fused`: what passes make of several ops so that kernels run them in one go. Each decomposes into
// the ops that it stands for.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"
#include "tc/ir/ops/conv.h"
#include "tc/ir/ops/quant.h"

namespace tc {

class Builder;

// What happens to each element of a product or convolution before it is stored.
enum class Activation : uint8_t {
  none,
  relu,
  clip,
  leaky_relu,
  sigmoid,
  tanh,
  swish,
  hard_swish,
  hard_sigmoid,
  gelu,
  gelu_tanh
};
inline constexpr std::string_view kActivationNames[] = {"none",         "relu", "clip",     "leaky_relu",
                                                        "sigmoid",      "tanh", "swish",    "hard_swish",
                                                        "hard_sigmoid", "gelu", "gelu_tanh"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<Activation> = kActivationNames;

struct Epilogue {
  Activation activation = Activation::none;
  double alpha = 0;  // clip: least; leaky_relu, swish, hard_sigmoid: alpha
  double beta = 0;   // clip: greatest; hard_sigmoid: beta
};

// Attributes of a product or convolution, and its epilogue.
template <class Base>
struct WithEpilogue : Base {
  Activation activation = Activation::none;
  double alpha = 0, beta = 0;
  Epilogue epilogue() const { return {activation, alpha, beta}; }
  void set(const Epilogue& e) { activation = e.activation, alpha = e.alpha, beta = e.beta; }
  static constexpr auto fields = extend<WithEpilogue>(
      Base::fields, Fields{field("activation", &WithEpilogue::activation), field("alpha", &WithEpilogue::alpha),
                           field("beta", &WithEpilogue::beta)});
};

// The op that computes the activation of v; v itself for none.
Value* apply_epilogue(Builder& b, Value* v, const Epilogue& e);

// activation(conv(x, w, b) + residual); the residual has the shape of the result.
struct FusedConv {
  using Attrs = WithEpilogue<ConvAttrs>;
  static constexpr OpFacts facts{"fused_conv",
                                 {},
                                 "x:T, w:T, b:T?, residual:T? -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "convolution, bias, residual and activation"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// activation(scale * a' b' + bias + residual), where a' and b' are the operands, or with trans_a, trans_b those with
// their last two axes exchanged, multiplied as by matmul. The bias broadcasts into the result; the residual has its
// shape.
struct FusedMatMul {
  struct Product {
    bool trans_a = false, trans_b = false;
    double scale = 1;
    static constexpr auto fields = Fields{field("trans_a", &Product::trans_a), field("trans_b", &Product::trans_b),
                                          field("scale", &Product::scale)};
  };
  using Attrs = WithEpilogue<Product>;
  static constexpr OpFacts facts{"fused_matmul",
                                 {},
                                 "a:T, b:T, bias:T?, residual:T? -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "matrix product, scale, bias, residual and activation"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// activation(scale * sums + bias) in the scale's type, where the sums are those of matmul_integer; scale is one number
// or one per column, the bias one per column.
struct FusedMatMulInteger {
  struct Product {
    static constexpr auto fields = Fields{};
  };
  using Attrs = WithEpilogue<Product>;
  static constexpr OpFacts facts{"fused_matmul_integer",
                                 {},
                                 "a:A, b:B, a_zero_point:A?, b_zero_point:B?, scale:T, bias:T? -> y:T",
                                 {{{'T', dtypes::floats}, {'A', dtypes::bytes}, {'B', dtypes::bytes}}},
                                 "matrix product of bytes, as floats: scale, bias and activation"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// activation(scale * (sums + sums_bias) + bias) in the scale's type, where the sums are those of conv_integer; scale
// and biases are one number or one per channel, [C, 1...] or [1, C, 1...].
struct FusedConvInteger {
  using Attrs = WithEpilogue<ConvAttrs>;
  static constexpr OpFacts facts{"fused_conv_integer",
                                 {},
                                 "x:X, w:W, x_zero_point:X?, w_zero_point:W?, scale:T, bias:T?, sums_bias:i32? -> y:T",
                                 {{{'T', dtypes::floats}, {'X', dtypes::bytes}, {'W', dtypes::bytes}}},
                                 "convolution of bytes, as floats: scale, bias and activation"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// x w, where w is what dequantize_linear gives for the matrix `weights`, with trans_b its transpose.
struct FusedDequantizeMatMul {
  struct Attrs {
    bool trans_b = false;
    int64_t axis = 1;  // these two as in dequantize_linear
    int64_t block_size = 0;
    static constexpr auto fields =
        Fields{field("trans_b", &Attrs::trans_b), field("axis", &Attrs::axis), field("block_size", &Attrs::block_size)};
  };
  static constexpr OpFacts facts{"fused_dequantize_matmul",
                                 {},
                                 "x:T, weights:W, scale:T, zero_point:W? -> y:T",
                                 {{{'T', dtypes::scales}, {'W', dtypes::bytes | dtypes::few_bits}}},
                                 "product with a matrix that is dequantised"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// A quantised convolution and another quantised tensor of the result's shape, added and quantised again: what the first
// nine operands give as qlinear_conv, dequantised, + the residual, dequantised, at least 0 with relu. Without a
// residual and what follows it: the convolution, at least its zero point with relu.
struct FusedQLinearConv {
  struct Attrs : ConvAttrs {
    bool relu = false;
    static constexpr auto fields = extend<Attrs>(ConvAttrs::fields, Fields{field("relu", &Attrs::relu)});
  };
  static constexpr OpFacts facts{
      "fused_qlinear_conv",
      {},
      "x:T, x_scale:f32, x_zero_point:T, w:U, w_scale:f32, w_zero_point:U, product_scale:f32, product_zero_point:P, "
      "b:i32?, residual:R?, residual_scale:f32?, residual_zero_point:R?, y_scale:f32?, y_zero_point:Y? -> y:Y",
      {{{'T', dtypes::bytes}, {'U', dtypes::bytes}, {'P', dtypes::bytes}, {'R', dtypes::bytes}, {'Y', dtypes::bytes}}},
      "quantised convolution, residual and relu, quantised"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// A region of elementwise ops that runs in one sweep over its operands. The region's inputs are the operands; it
// captures nothing; its outputs are the results. All results have one shape, into which every operand broadcasts.
struct Cluster {
  static constexpr int regions = 1;
  static constexpr OpFacts facts{
      "cluster", {}, "inputs:V* -> outputs:V*", {{{'V', dtypes::all}}}, "elementwise ops run in one sweep"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

}  // namespace tc
