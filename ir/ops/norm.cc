#include "tc/ir/ops/norm.h"

#include "tc/ir/ops.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

Dim channels(InferContext& ctx, int least_rank) {
  const Shape& x = ctx.shape(0);
  if (!x.ranked()) return ctx.fresh();
  if (x.rank() < least_rank)
    ctx.fail(ErrorCode::bad_shape, ctx.node().op(), " needs rank ", least_rank, " or more, got ", ctx.type(0));
  return x.rank() == 1 ? Dim(1) : x[1];
}

// Operand i has one value per channel.
void expect_vector(InferContext& ctx, int i, const Dim& length) {
  ctx.expect_rank(i, 1);
  const Shape& s = ctx.shape(i);
  if (s.ranked() && s[0].is_const() && length.is_const() && s[0] != length)
    ctx.fail(ErrorCode::bad_shape, "operand '", ctx.node().info().facts->signature.operand(i).name, "' of ",
             ctx.node().op(), " must have ", length, " elements, got ", ctx.type(i));
}

void expect_broadcasts_to(InferContext& ctx, int i, const Shape& to) {
  const Shape& s = ctx.shape(i);
  if (!s.ranked() || !to.ranked()) return;
  bool fits = s.rank() <= to.rank();
  for (int k = 0; k < s.rank() && fits; ++k) {
    const Dim &a = s[k], &b = to[to.rank() - s.rank() + k];
    fits = !a.is_const() || a.is(1) || !b.is_const() || a == b;
  }
  if (!fits)
    ctx.fail(ErrorCode::bad_shape, "operand '", ctx.node().info().facts->signature.operand(i).name, "' of ",
             ctx.node().op(), ", ", s, ", does not broadcast to ", to);
}

DType stash_dtype(InferContext& ctx, int64_t code) {
  const auto t = dtype_from_onnx(code);
  if (!t || !dtypes::floats.has(*t))
    ctx.fail(ErrorCode::bad_attribute, "stash_type ", code, " is no floating-point type");
  return *t;
}

}  // namespace

void BatchNormalization::infer(InferContext& ctx) {
  const Dim c = channels(ctx, 1);
  for (int i = 1; i <= 4; ++i) expect_vector(ctx, i, c);
  ctx.set(0, ctx.shape(0));
  ctx.set(1, Shape({c}));
  ctx.set(2, Shape({c}));
  if (ctx.num_results() > 1 && !ctx.attrs<BatchNormalization>().training_mode)
    ctx.fail(ErrorCode::bad_graph, "batch_normalization gives running statistics in training only");
}

void InstanceNormalization::infer(InferContext& ctx) {
  const Dim c = channels(ctx, 2);
  expect_vector(ctx, 1, c);
  expect_vector(ctx, 2, c);
  ctx.set(0, ctx.shape(0));
}

void LayerNormalization::infer(InferContext& ctx) {
  const auto& attrs = ctx.attrs<LayerNormalization>();
  const Shape& x = ctx.shape(0);
  const DType stash = stash_dtype(ctx, attrs.stash_type);
  Shape statistics;
  if (x.ranked()) {
    const int axis = ctx.axis(attrs.axis, x.rank());
    Dims dims = x.dims();
    for (int i = axis; i < x.rank(); ++i) dims[static_cast<size_t>(i)] = 1;
    statistics = Shape(std::move(dims));
  }
  expect_broadcasts_to(ctx, 1, x);
  if (ctx.has(2)) expect_broadcasts_to(ctx, 2, x);
  ctx.set(0, x);
  ctx.set(1, stash, statistics);
  ctx.set(2, stash, statistics);
}

void RMSNormalization::infer(InferContext& ctx) {
  const auto& attrs = ctx.attrs<RMSNormalization>();
  stash_dtype(ctx, attrs.stash_type);
  if (ctx.shape(0).ranked()) ctx.axis(attrs.axis, ctx.shape(0).rank());
  expect_broadcasts_to(ctx, 1, ctx.shape(0));
  ctx.set(0, ctx.shape(0));
}

void GroupNormalization::infer(InferContext& ctx) {
  const auto& attrs = ctx.attrs<GroupNormalization>();
  stash_dtype(ctx, attrs.stash_type);
  const Dim c = channels(ctx, 2);
  if (attrs.num_groups < 1 || (c.is_const() && c.value() % attrs.num_groups != 0))
    ctx.fail(ErrorCode::bad_attribute, c, " channels do not divide into ", attrs.num_groups, " groups");
  expect_vector(ctx, 1, c);
  expect_vector(ctx, 2, c);
  ctx.set(0, ctx.shape(0));
}

void LpNormalization::infer(InferContext& ctx) {
  const auto& attrs = ctx.attrs<LpNormalization>();
  if (attrs.p != 1 && attrs.p != 2) ctx.fail(ErrorCode::bad_attribute, "p must be 1 or 2, got ", attrs.p);
  if (ctx.shape(0).ranked()) ctx.axis(attrs.axis, ctx.shape(0).rank());
  ctx.set(0, ctx.shape(0));
}

void LRN::infer(InferContext& ctx) {
  if (ctx.attrs<LRN>().size < 1)
    ctx.fail(ErrorCode::bad_attribute, "size must be positive, got ", ctx.attrs<LRN>().size);
  channels(ctx, 2);
  ctx.set(0, ctx.shape(0));
}

void MeanVarianceNormalization::infer(InferContext& ctx) {
  if (ctx.shape(0).ranked()) distinct_axes(ctx.attrs<MeanVarianceNormalization>().axes, ctx.shape(0).rank());
  ctx.set(0, ctx.shape(0));
}

}  // namespace tc
