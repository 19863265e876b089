#include "tc/ir/eval/wide.h"
#include "tests/samples/sample.h"

namespace tc {
namespace {

// Convolution with bias and residual under each activation.
template <Activation A>
void conv_sample(SampleGraph& g) {
  FusedConv::Attrs a;
  a.pads = {1, 1, 1, 1};
  const bool clip = A == Activation::clip;
  a.set({A, clip ? -0.5 : 0.2, clip ? 0.75 : 0.5});
  Value* x = g.input(DType::f32, {2, 3, 6, 5});
  Value* w = g.b.constant(g.random(DType::f32, {4, 3, 3, 3}, -0.5, 0.5));
  g.outputs({g.b.make<FusedConv>({x, w, g.input(DType::f32, {4}), g.input(DType::f32, {2, 4, 6, 5})}, a)});
}

// A quantised convolution and a residual, with the types of the convolution's bytes, the residual's and the result's.
// No sum of the scales lies halfway between two bytes.
template <DType P, DType R, DType Y, bool kRelu, bool kAdds = true>
void quantised_sum(SampleGraph& g) {
  const auto zero = [&](DType t, int64_t of) {
    Tensor z(t, {});
    narrow(std::vector<int64_t>{of}, z);
    return g.b.constant(z);
  };
  const auto scale = [&](float s) { return g.b.constant(Tensor::scalar<float>(s)); };
  FusedQLinearConv::Attrs a;
  a.pads = {1, 1, 1, 1};
  a.relu = kRelu;
  const auto bytes = [&](DType t, const Extents& e) {
    return t == DType::i8 ? g.input(t, e, -128, 127) : g.input(t, e, 0, 255);
  };
  Value* x = bytes(P, {2, 3, 5, 7});
  Value* w = g.b.constant(g.random(DType::i8, {4, 3, 3, 3}, -128, 127));
  std::vector<Value*> operands{
      x, scale(0.0217F), zero(P, 12), w, scale(0.01F), zero(DType::i8, 0), scale(0.0713F), zero(P, 3), nullptr};
  operands.resize(14, nullptr);
  if (kAdds) {
    Value* const addend[] = {bytes(R, {2, 4, 5, 7}), scale(0.0457F), zero(R, 7), scale(0.0619F), zero(Y, 5)};
    std::copy(std::begin(addend), std::end(addend), operands.begin() + 9);
  }
  g.outputs({g.b.make<FusedQLinearConv>(operands, a)});
}

// A convolution of bytes from kIn to kOut channels with zero points, that of the filters in the middle of their range
// from four channels on, biases before and after the scale, and relu. The scales are so large that differences between
// near ones do not meet its corner.
template <int kIn, int kOut, int kGroups>
void convolved_sums(SampleGraph& g) {
  FusedConvInteger::Attrs a;
  a.pads = {1, 1, 1, 1};
  a.group = kGroups;
  a.set({Activation::relu});
  g.outputs({g.b.make<FusedConvInteger>(
      {g.input(DType::u8, {2, kIn, 5, 7}, 0, 255),
       g.b.constant(g.random(DType::u8, {kOut, kIn / kGroups, 3, 3}, 120, 136)),
       g.b.constant(Tensor::scalar<uint8_t>(120)), g.b.constant(Tensor::scalar<uint8_t>(kIn > 3 ? 128 : 131)),
       g.input(DType::f32, {kOut, 1, 1}, 0.5, 1.5), g.input(DType::f32, {1, kOut, 1, 1}),
       g.b.constant(g.random(DType::i32, {1, kOut, 1, 1}, -500, 500))},
      a)});
}

// A matrix of `W` with a scale per block of rows and column, and with kZeros a zero point; transposed, what lies in
// rows lies in columns.
template <DType W, bool kTransposed, int kBlock, bool kZeros>
void dequantised_product(SampleGraph& g) {
  constexpr int64_t kRows = 96, kColumns = 70;
  const int half = 1 << (info(W).bits - 1), low = kind(W) == DTypeKind::signed_int ? -half : 0;
  const int64_t blocks = kBlock ? kRows / kBlock : 1;
  const auto shape = [](int64_t rows, int64_t columns) {
    return kTransposed ? Extents{columns, rows} : Extents{rows, columns};
  };
  const auto numbers = [&](const Extents& e) { return g.b.constant(g.random(W, e, low, low + 2 * half - 1)); };
  const Extents per_scale = kBlock ? shape(blocks, kColumns) : Extents{kColumns};
  g.outputs({g.b.make<FusedDequantizeMatMul>(
      {g.input(DType::f32, {2, 3, kRows}), numbers(shape(kRows, kColumns)),
       g.b.constant(g.random(DType::f32, per_scale, -0.1, 0.1)), kZeros ? numbers(per_scale) : nullptr},
      {kTransposed, (kTransposed ? 1 : 0) ^ (kBlock ? 0 : 1), kBlock})});
}

void cluster_sample(SampleGraph& g) {
  auto body = std::make_unique<Graph>(*g.module);
  Builder inner(*body);
  Value* x = g.input(DType::f32, {3, 1, 5});
  Value* y = g.input(DType::f32, {4, 5});
  Value *a = body->add_input(x->type()), *b = body->add_input(y->type());
  Value* sum = inner.make<Add>({inner.make<Mul>({a, b}), inner.scalar(0.5f)});
  body->set_outputs(std::vector<Value*>{inner.make<Tanh>({sum}), sum});
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(body));
  Node* n = g.b.make_n<Cluster>({x, y}, {}, 2, std::move(regions));
  g.outputs({n->result(0), n->result(1)});
}

}  // namespace

void samples_fused(std::vector<Sample>& samples) {
  samples.push_back({"fused_conv/plain", [](SampleGraph& g) {
                       Value* w = g.b.constant(g.random(DType::f32, {4, 3, 3, 3}, -0.5, 0.5));
                       g.outputs({g.b.make<FusedConv>({g.input(DType::f32, {2, 3, 6, 5}), w})});
                     }});
  samples.push_back({"fused_conv/relu", conv_sample<Activation::relu>});
  samples.push_back({"fused_conv/clip", conv_sample<Activation::clip>});
  samples.push_back({"fused_conv/leaky_relu", conv_sample<Activation::leaky_relu>});
  samples.push_back({"fused_conv/sigmoid", conv_sample<Activation::sigmoid>});
  samples.push_back({"fused_conv/tanh", conv_sample<Activation::tanh>});
  samples.push_back({"fused_conv/swish", conv_sample<Activation::swish>});
  samples.push_back({"fused_conv/hard_swish", conv_sample<Activation::hard_swish>});
  samples.push_back({"fused_conv/hard_sigmoid", conv_sample<Activation::hard_sigmoid>});
  samples.push_back({"fused_conv/gelu", conv_sample<Activation::gelu>});
  samples.push_back({"fused_conv/gelu_tanh", conv_sample<Activation::gelu_tanh>});
  samples.push_back({"fused_matmul/plain", [](SampleGraph& g) {
                       g.outputs({g.b.make<FusedMatMul>({g.input(DType::f32, {3, 4}), g.input(DType::f32, {4, 5})})});
                     }});
  samples.push_back({"fused_matmul/residual_of_batches_of_one_row", [](SampleGraph& g) {
                       g.outputs({g.b.make<FusedMatMul>({g.input(DType::f32, {3, 1, 4}), g.input(DType::f32, {4, 5}),
                                                         nullptr, g.input(DType::f32, {3, 1, 5})})});
                     }});
  samples.push_back({"fused_matmul/transposed_scaled_bias_residual_relu", [](SampleGraph& g) {
                       FusedMatMul::Attrs a;
                       a.trans_a = a.trans_b = true;
                       a.scale = 0.125;
                       a.set({Activation::relu});
                       g.outputs({g.b.make<FusedMatMul>({g.input(DType::f32, {2, 4, 3}), g.input(DType::f32, {5, 4}),
                                                         g.input(DType::f32, {5}), g.input(DType::f32, {2, 3, 5})},
                                                        a)});
                     }});
  samples.push_back({"fused_matmul_integer/one_scale", [](SampleGraph& g) {
                       g.outputs({g.b.make<FusedMatMulInteger>({g.input(DType::u8, {4, 9}, 0, 255),
                                                                g.input(DType::i8, {9, 5}, -128, 127), nullptr, nullptr,
                                                                g.b.constant(Tensor::scalar<float>(0.01F))})});
                     }});
  samples.push_back({"fused_matmul_integer/zero_points_scales_bias_relu", [](SampleGraph& g) {
                       FusedMatMulInteger::Attrs a;
                       a.set({Activation::relu});
                       g.outputs({g.b.make<FusedMatMulInteger>(
                           {g.input(DType::u8, {2, 3, 9}, 0, 255), g.input(DType::i8, {9, 5}, -128, 127),
                            g.b.constant(Tensor::scalar<uint8_t>(120)), g.b.constant(Tensor::scalar<int8_t>(3)),
                            g.input(DType::f32, {5}), g.input(DType::f32, {5})},
                           a)});
                     }});
  samples.push_back({"fused_conv_integer/one_scale", [](SampleGraph& g) {
                       // Sums that halves hold.
                       Value* w = g.b.constant(g.random(DType::i8, {5, 3, 3, 3}, -16, 15));
                       g.outputs({g.b.make<FusedConvInteger>({g.input(DType::u8, {2, 3, 6, 7}, 0, 99), w, nullptr,
                                                              nullptr, g.b.constant(Tensor::scalar<float>(0.01F))})});
                     }});
  samples.push_back({"fused_conv_integer/moved", convolved_sums<3, 40, 1>});
  samples.push_back({"fused_conv_integer/blocks", convolved_sums<32, 40, 1>});
  samples.push_back({"fused_conv_integer/depthwise", convolved_sums<24, 24, 24>});
  samples.push_back(
      {"fused_conv_integer/line", [](SampleGraph& g) {
         FusedConvInteger::Attrs a;
         a.pads = {1, 1};
         a.set({Activation::hard_swish});
         g.outputs({g.b.make<FusedConvInteger>(
             {g.input(DType::i8, {2, 6, 11}, -128, 127), g.b.constant(g.random(DType::i8, {5, 6, 3}, -8, 7)), nullptr,
              nullptr, g.input(DType::f32, {5, 1}, 0.01, 0.02)},
             a)});
       }});
  // Kernels round x to 16 bits: 2^-16 of the sum of |w| times 2, at most.
  samples.push_back(
      {"fused_dequantize_matmul/i8_per_column", dequantised_product<DType::i8, false, 0, false>, 1e-4, 1e-2});
  samples.push_back(
      {"fused_dequantize_matmul/u8_transposed", dequantised_product<DType::u8, true, 0, true>, 1e-4, 1e-2});
  samples.push_back({"fused_dequantize_matmul/i4_blocks", dequantised_product<DType::i4, false, 32, true>, 1e-4, 1e-3});
  samples.push_back(
      {"fused_dequantize_matmul/u4_transposed", dequantised_product<DType::u4, true, 16, false>, 1e-4, 1e-3});
  samples.push_back({"fused_dequantize_matmul/i2_blocks", dequantised_product<DType::i2, true, 48, true>, 1e-4, 2e-4});
  samples.push_back({"fused_dequantize_matmul/u2_blocks", dequantised_product<DType::u2, false, 96, true>, 1e-4, 2e-4});
  samples.push_back({"fused_qlinear_conv/signed", quantised_sum<DType::i8, DType::i8, DType::i8, false>});
  samples.push_back({"fused_qlinear_conv/unsigned_relu", quantised_sum<DType::u8, DType::u8, DType::u8, true>});
  samples.push_back({"fused_qlinear_conv/mixed", quantised_sum<DType::i8, DType::u8, DType::i8, true>});
  samples.push_back({"fused_qlinear_conv/relu", quantised_sum<DType::i8, DType::i8, DType::i8, true, false>});
  samples.push_back({"fused_qlinear_conv/alone", quantised_sum<DType::u8, DType::u8, DType::u8, false, false>});
  samples.push_back({"cluster/two_results", cluster_sample});
}

}  // namespace tc
