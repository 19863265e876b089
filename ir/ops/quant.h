// Quantisation: real = (quantised - zero point) * scale, per tensor, per slice of an axis, or per block along an axis.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"
#include "tc/ir/ops/conv.h"

namespace tc {

class Builder;

namespace dtypes {
inline constexpr DTypeSet bytes = DTypeSet(DType::u8) | DType::i8;
inline constexpr DTypeSet scales = DTypeSet(DType::f32) | DType::f16 | DType::bf16;
inline constexpr DTypeSet quantized = bytes | DType::i16 | DType::u16 | f8 | sub_byte;
}  // namespace dtypes

// Which element of a scale belongs to each element of a tensor, from their shapes.
struct ScaleLayout {
  int64_t inner = 1, extent = 1, block = 0, groups = 1;  // block 0: one scale for all
  bool per_axis = false;                                 // a vector of scales, else blocks
  int64_t of(int64_t i) const {
    if (block == 0) return 0;
    const int64_t at = i / inner;
    return per_axis ? at % extent : (at / extent * groups + at % extent / block) * inner + i % inner;
  }
};

// Fails unless the operands fit each other as those of dequantize_linear.
void check_scale(InferContext& ctx, int x, int scale, int zero, int64_t axis, int64_t block_size);

struct QuantizeLinear {
  struct Attrs {
    int64_t axis = 1;                        // of scales that are not scalar
    int64_t block_size = 0;                  // elements along the axis that share a scale; 0: not blocked
    std::optional<DType> output_dtype = {};  // without a zero point; u8 when neither is given
    std::optional<DType> precision = {};     // of x / scale; the scale's type by default
    bool saturate = true;                    // of conversions to 8-bit floats
    static constexpr auto fields = Fields{field("axis", &Attrs::axis), field("block_size", &Attrs::block_size),
                                          field("output_dtype", &Attrs::output_dtype),
                                          field("precision", &Attrs::precision), field("saturate", &Attrs::saturate)};
  };
  static constexpr OpFacts facts{"quantize_linear",
                                 {"QuantizeLinear", 10},
                                 "x:T, y_scale:S, y_zero_point:Z? -> y:V",
                                 {{{'T', dtypes::scales | DType::i32},
                                   {'S', dtypes::scales | DType::i32 | DType::f8e8m0},
                                   {'Z', dtypes::quantized},
                                   {'V', dtypes::quantized}}},
                                 "x / scale + zero point, rounded to nearest even and saturated"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

struct DequantizeLinear {
  struct Attrs {
    int64_t axis = 1;
    int64_t block_size = 0;
    std::optional<DType> output_dtype = {};  // the scale's type by default
    static constexpr auto fields = Fields{field("axis", &Attrs::axis), field("block_size", &Attrs::block_size),
                                          field("output_dtype", &Attrs::output_dtype)};
  };
  static constexpr OpFacts facts{
      "dequantize_linear",
      {"DequantizeLinear", 10},
      "x:T, x_scale:S, x_zero_point:T? -> y:V",
      {{{'T', dtypes::quantized | DType::i32}, {'S', dtypes::scales | DType::f8e8m0}, {'V', dtypes::scales}}},
      "(x - zero point) * scale"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

struct DynamicQuantizeLinear {
  static constexpr OpFacts facts{
      "dynamic_quantize_linear",
      {"DynamicQuantizeLinear", 11},
      "x:f32 -> y:u8, y_scale:f32?, y_zero_point:u8?",
      {},
      "x quantised with the scale and zero point that its range, widened to hold 0, asks for"};
  static void infer(InferContext& ctx);
};

struct QLinearMatMul {
  static constexpr OpFacts facts{
      "qlinear_matmul",
      {"QLinearMatMul", 10},
      "a:A, a_scale:S, a_zero_point:A, b:B, b_scale:S, b_zero_point:B, y_scale:S, y_zero_point:Y -> y:Y",
      {{{'A', dtypes::bytes | dtypes::f8},
        {'B', dtypes::bytes | dtypes::f8},
        {'Y', dtypes::bytes | dtypes::f8},
        {'S', dtypes::scales}}},
      "matrix product of quantised operands, quantised"};
  static void infer(InferContext& ctx);
};

struct QLinearConv {
  using Attrs = ConvAttrs;
  static constexpr OpFacts facts{
      "qlinear_conv",
      {"QLinearConv", 10},
      "x:T, x_scale:f32, x_zero_point:T, w:U, w_scale:f32, w_zero_point:U, y_scale:f32, y_zero_point:Y, "
      "b:i32? -> y:Y",
      {{{'T', dtypes::bytes}, {'U', dtypes::bytes}, {'Y', dtypes::bytes}}},
      "convolution of quantised operands, quantised; b has scale x_scale * w_scale"};
  static void infer(InferContext& ctx);
};

// The scales' layout for x. Errors bad_shape and bad_attribute.
template <class Context>
ScaleLayout scale_layout(const Context& ctx, const Extents& x, const Extents& scale, int64_t axis, int64_t block_size) {
  ScaleLayout layout;
  if (block_size < 0) ctx.fail(ErrorCode::bad_attribute, "block_size is ", block_size);
  if (block_size == 0 && element_count(scale) == 1 && scale.size() <= 1) return layout;
  const auto k = static_cast<size_t>(ctx.axis(axis, static_cast<int>(x.size())));
  layout.extent = x[k];
  for (size_t i = k + 1; i < x.size(); ++i) layout.inner *= x[i];
  if (block_size == 0) {
    layout.block = 1;
    layout.per_axis = true;
    if (scale != Extents{x[k]})
      ctx.fail(ErrorCode::bad_shape, "scale ", Shape::of(scale), " does not fit axis ", k, " of ", Shape::of(x));
    return layout;
  }
  layout.block = block_size;
  layout.groups = x[k] / block_size + (x[k] % block_size != 0);
  Extents expected = x;
  expected[k] = layout.groups;
  if (scale != expected)
    ctx.fail(ErrorCode::bad_shape, "scale ", Shape::of(scale), " for blocks of ", block_size, ", expected ",
             Shape::of(expected));
  return layout;
}

}  // namespace tc
