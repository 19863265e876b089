// Convolutions. Activations are [batch, channels, spatial...], weights [out channels, in channels / group, kernel...].
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"
#include "tc/ir/ops/window.h"

namespace tc {

class Builder;

struct ConvAttrs {
  std::vector<int64_t> strides = {}, pads = {}, dilations = {};  // empty: 1, 0, 1; pads are all begins, then all ends
  AutoPad auto_pad = AutoPad::notset;
  int64_t group = 1;
  std::vector<int64_t> kernel_shape = {};  // empty: the weight's
  static constexpr auto fields =
      Fields{field("strides", &ConvAttrs::strides),     field("pads", &ConvAttrs::pads),
             field("dilations", &ConvAttrs::dilations), field("auto_pad", &ConvAttrs::auto_pad),
             field("group", &ConvAttrs::group),         field("kernel_shape", &ConvAttrs::kernel_shape)};
};

// The result shape of a convolution of operand x with operand w and, when it is there, the bias operand b.
Shape infer_conv(InferContext& ctx, const ConvAttrs& a, int x, int w, int b);

struct Conv {
  using Attrs = ConvAttrs;
  static constexpr OpFacts facts{
      "conv", {"Conv", 1}, "x:T, w:T, b:T? -> y:T", {{{'T', dtypes::floats}}}, "cross-correlation with optional bias"};
  static void infer(InferContext& ctx) { ctx.set(0, infer_conv(ctx, ctx.attrs<Conv>(), 0, 1, 2)); }
  static void grad(GradContext& ctx);
};

struct ConvInteger {
  using Attrs = ConvAttrs;
  static constexpr OpFacts facts{
      "conv_integer",
      {"ConvInteger", 10},
      "x:T, w:U, x_zero_point:T?, w_zero_point:U? -> y:i32",
      {{{'T', DTypeSet(DType::u8) | DType::i8}, {'U', DTypeSet(DType::u8) | DType::i8}}},
      "cross-correlation of operands less their zero points; w_zero_point is a scalar or per output channel"};
  static void infer(InferContext& ctx) { ctx.set(0, infer_conv(ctx, ctx.attrs<ConvInteger>(), 0, 1, -1)); }
};

// The gradient of a convolution with respect to its input; the weight is [in channels, out channels / group,
// kernel...].
struct ConvTranspose {
  struct Attrs {
    std::vector<int64_t> strides = {}, pads = {}, dilations = {};
    AutoPad auto_pad = AutoPad::notset;
    int64_t group = 1;
    std::vector<int64_t> kernel_shape = {};
    std::vector<int64_t> output_padding = {};  // added at the end of each spatial axis
    std::vector<int64_t> output_shape = {};    // spatial extents; the padding follows from them
    static constexpr auto fields = Fields{field("strides", &Attrs::strides),
                                          field("pads", &Attrs::pads),
                                          field("dilations", &Attrs::dilations),
                                          field("auto_pad", &Attrs::auto_pad),
                                          field("group", &Attrs::group),
                                          field("kernel_shape", &Attrs::kernel_shape),
                                          field("output_padding", &Attrs::output_padding),
                                          field("output_shape", &Attrs::output_shape)};
  };
  static constexpr OpFacts facts{"conv_transpose",
                                 {"ConvTranspose", 1},
                                 "x:T, w:T, b:T? -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "transposed convolution with optional bias"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

// The axes of a transposed convolution. Errors bad_attribute and bad_shape.
template <class Context>
std::vector<WindowAxis<Dim>> transposed_axes(const Context& ctx, const ConvTranspose::Attrs& a, const WindowSpec& spec,
                                             std::span<const Dim> extents) {
  const auto n = static_cast<size_t>(spec.rank());
  if (!a.output_padding.empty() && a.output_padding.size() != n)
    ctx.fail(ErrorCode::bad_attribute, "output_padding has ", a.output_padding.size(), " entries, expected ", n);
  // Some exporters give batch and channels as well.
  const size_t skip = a.output_shape.size() == n + 2 ? 2 : 0;
  if (!a.output_shape.empty() && a.output_shape.size() != n + skip)
    ctx.fail(ErrorCode::bad_attribute, "output_shape has ", a.output_shape.size(), " entries, expected ", n);
  std::vector<WindowAxis<Dim>> axes;
  for (size_t i = 0; i < n; ++i) {
    const int64_t* out = a.output_shape.empty() ? nullptr : &a.output_shape[i + skip];
    axes.push_back(transposed_axis(spec, static_cast<int>(i), extents[i],
                                   a.output_padding.empty() ? 0 : a.output_padding[i], out));
    const Dim& o = axes.back().out;
    if (o.is_const() && o.value() < 0)
      ctx.fail(ErrorCode::bad_shape, "spatial axis ", i, " of the result would have ", o, " elements");
  }
  return axes;
}

// offset is [batch, offset_group * kernel elements * spatial rank, out spatial...], mask the same without the factor
// rank.
struct DeformConv {
  struct Attrs {
    std::vector<int64_t> strides = {}, pads = {}, dilations = {};
    int64_t group = 1, offset_group = 1;
    std::vector<int64_t> kernel_shape = {};
    static constexpr auto fields =
        Fields{field("strides", &Attrs::strides),           field("pads", &Attrs::pads),
               field("dilations", &Attrs::dilations),       field("group", &Attrs::group),
               field("offset_group", &Attrs::offset_group), field("kernel_shape", &Attrs::kernel_shape)};
  };
  static constexpr OpFacts facts{
      "deform_conv",
      {"DeformConv", 19},
      "x:T, w:T, offset:T, b:T?, mask:T? -> y:T",
      {{{'T', dtypes::floats}}},
      "convolution whose taps are moved by offsets, read multilinearly, and scaled by a mask"};
  static void infer(InferContext& ctx);
};

// x is [batch, channels * block elements, blocks].
struct Col2Im {
  struct Attrs {
    std::vector<int64_t> strides = {}, pads = {}, dilations = {};
    static constexpr auto fields =
        Fields{field("strides", &Attrs::strides), field("pads", &Attrs::pads), field("dilations", &Attrs::dilations)};
  };
  static constexpr OpFacts facts{"col2im",
                                 {"Col2Im", 18},
                                 "x:T, image_shape:i64, block_shape:i64 -> y:T",
                                 {{{'T', dtypes::numeric | dtypes::boolean | dtypes::strings | dtypes::complex}}},
                                 "sums sliding blocks into the image that they were cut from"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

enum class ConvActivation : uint8_t { none, silu, swish };
inline constexpr std::string_view kConvActivationNames[] = {"none", "silu", "swish"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<ConvActivation> = kConvActivationNames;

// x is [batch, channels, length], w [channels, 1, k], b [channels], past_state [batch, channels, k - 1].
struct CausalConvWithState {
  struct Attrs {
    ConvActivation activation = ConvActivation::none;
    static constexpr auto fields = Fields{field("activation", &Attrs::activation)};
  };
  static constexpr OpFacts facts{
      "causal_conv_with_state",
      {"CausalConvWithState", 27},
      "x:T, w:T, b:T?, past_state:T? -> y:T, present_state:T?",
      {{{'T', dtypes::floats - DType::f64}}},
      "depthwise 1-d convolution of the state and the input, and the last k - 1 columns of both"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

}  // namespace tc
