#include "tc/ir/ops/pool.h"

namespace tc {
namespace {

void expect_spatial(InferContext& ctx, const Shape& x, size_t axes) {
  if (x.ranked() && static_cast<size_t>(x.rank()) != axes + 2)
    ctx.fail(ErrorCode::bad_shape, "the input must have rank ", axes + 2, " to fit ", axes, " window extents, got ", x);
}

template <class Attrs>
Shape pooled(InferContext& ctx, const Attrs& a) {
  const Shape& x = ctx.shape(0);
  if (a.kernel_shape.empty()) ctx.fail(ErrorCode::bad_attribute, "kernel_shape is empty");
  expect_spatial(ctx, x, a.kernel_shape.size());
  const WindowSpec spec = window_spec(ctx, a, a.kernel_shape);
  if (!x.ranked()) return ctx.fresh_shape(spec.rank() + 2);
  Dims dims{x[0], x[1]};
  for (const auto& axis : window_axes(ctx, spec, std::span(x.dims()).subspan(2))) dims.push_back(axis.out);
  return Shape(std::move(dims));
}

}  // namespace

void GlobalPooling::infer(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (!x.ranked()) return ctx.set(0, Shape());
  if (x.rank() < 2) ctx.fail(ErrorCode::bad_shape, "the input must have batch and channels, got ", ctx.type(0));
  Dims dims(static_cast<size_t>(x.rank()), Dim(1));
  dims[0] = x[0], dims[1] = x[1];
  ctx.set(0, Shape(std::move(dims)));
}

void MaxPool::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<MaxPool>();
  if (a.storage_order != 0 && a.storage_order != 1)
    ctx.fail(ErrorCode::bad_attribute, "storage_order is ", a.storage_order, ", expected 0 or 1");
  const Shape y = pooled(ctx, a);
  ctx.set(0, y);
  ctx.set(1, y);
}

void AveragePool::infer(InferContext& ctx) {
  ctx.set(0, pooled(ctx, ctx.attrs<AveragePool>()));
}

void LpPool::infer(InferContext& ctx) {
  ctx.set(0, pooled(ctx, ctx.attrs<LpPool>()));
}

void MaxUnpool::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<MaxUnpool>();
  const Shape& x = ctx.shape(0);
  const size_t axes = a.kernel_shape.size();
  if (axes == 0) ctx.fail(ErrorCode::bad_attribute, "kernel_shape is empty");
  expect_spatial(ctx, x, axes);
  if (ctx.has(2)) {
    if (const Dims* shape = ctx.contents(2)) {
      expect_spatial(ctx, Shape(*shape), axes);
      return ctx.set(0, Shape(*shape));
    }
    return ctx.set(0, ctx.fresh_shape(static_cast<int>(axes) + 2));
  }
  if (!x.ranked()) return ctx.set(0, ctx.fresh_shape(static_cast<int>(axes) + 2));
  Dims dims{x[0], x[1]};
  for (int i = 2; i < x.rank(); ++i) dims.push_back(unpooled_extent(ctx, a, i - 2, x[i]));
  for (const Dim& d : dims)
    if (d.is_const() && d.value() < 0) ctx.fail(ErrorCode::bad_shape, "an extent of the result would be ", d);
  ctx.set(0, Shape(std::move(dims)));
}

void MaxRoiPool::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<MaxRoiPool>();
  if (a.pooled_shape.size() != 2 || a.pooled_shape[0] < 1 || a.pooled_shape[1] < 1)
    ctx.fail(ErrorCode::bad_attribute, "pooled_shape must be two positive extents");
  ctx.expect_rank(0, 4);
  ctx.expect_rank(1, 2);
  const Shape &x = ctx.shape(0), &rois = ctx.shape(1);
  if (rois.ranked() && rois[1].is_const() && !rois[1].is(5))
    ctx.fail(ErrorCode::bad_shape, "rois must be [regions, 5], got ", rois);
  ctx.set(0, Shape{rois.ranked() ? rois[0] : ctx.fresh(), x.ranked() ? x[1] : ctx.fresh(), a.pooled_shape[0],
                   a.pooled_shape[1]});
}

void RoiAlign::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<RoiAlign>();
  if (a.output_height < 1 || a.output_width < 1 || a.sampling_ratio < 0)
    ctx.fail(ErrorCode::bad_attribute, "output extents must be positive, sampling_ratio not negative");
  ctx.expect_rank(0, 4);
  ctx.expect_rank(1, 2);
  ctx.expect_rank(2, 1);
  const Shape &x = ctx.shape(0), &rois = ctx.shape(1), &batch = ctx.shape(2);
  if (rois.ranked() && rois[1].is_const() && !rois[1].is(4))
    ctx.fail(ErrorCode::bad_shape, "rois must be [regions, 4], got ", rois);
  const Dim regions = rois.ranked() ? rois[0] : batch.ranked() ? batch[0] : ctx.fresh();
  if (batch.ranked() && regions.is_const() && batch[0].is_const() && !(batch[0] == regions))
    ctx.fail(ErrorCode::bad_shape, batch[0], " batch indices for ", regions, " regions");
  ctx.set(0, Shape{regions, x.ranked() ? x[1] : ctx.fresh(), a.output_height, a.output_width});
}

}  // namespace tc
