#include "tc/ir/ops/quant.h"

#include "tc/ir/ops/matmul.h"

namespace tc {
void check_scale(InferContext& ctx, int x, int scale, int zero, int64_t axis, int64_t block_size) {
  const Shape &xs = ctx.shape(x), &ss = ctx.shape(scale);
  if (xs.is_static() && ss.is_static()) scale_layout(ctx, xs.extents(), ss.extents(), axis, block_size);
  if (ctx.has(zero) && ss.is_static() && ctx.shape(zero).is_static() &&
      element_count(ctx.shape(zero).extents()) != element_count(ss.extents()))
    ctx.fail(ErrorCode::bad_shape, "zero point ", ctx.shape(zero), " and scale ", ss, " differ");
}

void QuantizeLinear::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<QuantizeLinear>();
  DType t = a.output_dtype.value_or(DType::u8);
  if (ctx.has(2)) {
    t = ctx.dtype(2);
    if (a.output_dtype && *a.output_dtype != t)
      ctx.fail(ErrorCode::bad_attribute, "output_dtype ", *a.output_dtype, " against a zero point of ", t);
  }
  if (!dtypes::quantized.has(t))
    ctx.fail(ErrorCode::bad_attribute, "output_dtype ", t, "; allowed element types: ", dtypes::quantized);
  if (a.precision && !dtypes::scales.has(*a.precision)) ctx.fail(ErrorCode::bad_attribute, "precision ", *a.precision);
  check_scale(ctx, 0, 1, 2, a.axis, a.block_size);
  ctx.set(0, t, ctx.shape(0));
}

void DequantizeLinear::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<DequantizeLinear>();
  const DType scale = ctx.dtype(1), t = a.output_dtype.value_or(scale == DType::f8e8m0 ? DType::f32 : scale);
  if (!dtypes::scales.has(t))
    ctx.fail(ErrorCode::bad_attribute, "output_dtype ", t, "; allowed element types: ", dtypes::scales);
  check_scale(ctx, 0, 1, 2, a.axis, a.block_size);
  ctx.set(0, t, ctx.shape(0));
}

void DynamicQuantizeLinear::infer(InferContext& ctx) {
  ctx.set(0, ctx.shape(0));
  ctx.set(1, Shape(Dims{}));
  ctx.set(2, Shape(Dims{}));
}

void QLinearMatMul::infer(InferContext& ctx) {
  ctx.set(0, ctx.dtype(7), matmul_shape(ctx, 0, 3));
}

void QLinearConv::infer(InferContext& ctx) {
  ctx.set(0, ctx.dtype(7), infer_conv(ctx, ctx.attrs<QLinearConv>(), 0, 3, 8));
}

}  // namespace tc
