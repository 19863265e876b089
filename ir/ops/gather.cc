#include "tc/ir/ops/gather.h"

#include "tc/ir/shape_math.h"

namespace tc {

void Gather::infer(InferContext& ctx) {
  const Shape &data = ctx.shape(0), &indices = ctx.shape(1);
  if (!data.ranked() || !indices.ranked()) {
    if (data.ranked()) ctx.axis(ctx.attrs<Gather>().axis, data.rank());
    return ctx.set(0, Shape());
  }
  const int axis = ctx.axis(ctx.attrs<Gather>().axis, data.rank());
  Dims dims(data.dims().begin(), data.dims().begin() + axis);
  dims.insert(dims.end(), indices.dims().begin(), indices.dims().end());
  dims.insert(dims.end(), data.dims().begin() + axis + 1, data.dims().end());
  const Shape out(std::move(dims));
  ctx.set(0, out);
  const Dims* c = ctx.contents(0);
  const auto places = ctx.ints(1);
  if (!c || !places || out.rank() > 1 || static_cast<int64_t>(places->size()) > kMaxContents) return;
  Dims picked;
  const auto n = static_cast<int64_t>(c->size());
  for (int64_t i : *places) {
    if (i < -n || i >= n) return;  // an error when it runs
    picked.push_back((*c)[static_cast<size_t>(i < 0 ? i + n : i)]);
  }
  keep_contents(ctx, out, std::move(picked));
}

namespace {

// indices are of data's rank and fit into it on all axes but one.
void expect_same_rank(InferContext& ctx, int64_t axis) {
  const Shape &data = ctx.shape(0), &indices = ctx.shape(1);
  if (data.ranked()) ctx.axis(axis, data.rank());
  if (data.ranked() && indices.ranked() && data.rank() != indices.rank())
    ctx.fail(ErrorCode::bad_shape, "data ", data, " and indices ", indices, " must have the same rank");
}

}  // namespace

void GatherElements::infer(InferContext& ctx) {
  expect_same_rank(ctx, ctx.attrs<GatherElements>().axis);
  ctx.set(0, ctx.shape(1).ranked() || !ctx.shape(0).ranked() ? ctx.shape(1) : ctx.fresh_shape(ctx.shape(0).rank()));
}

void GatherND::infer(InferContext& ctx) {
  const Shape &data = ctx.shape(0), &indices = ctx.shape(1);
  if (!data.ranked() || !indices.ranked() || (indices.rank() && !indices.dims().back().is_const()))
    return ctx.set(0, Shape());
  ctx.set(0, Shape(gather_nd_dims(data.dims(), indices.dims(), ctx.attrs<GatherND>().batch_dims)));
}

void ScatterElements::infer(InferContext& ctx) {
  expect_same_rank(ctx, ctx.attrs<ScatterElements>().axis);
  const Shape &indices = ctx.shape(1), &updates = ctx.shape(2);
  if (indices.ranked() && updates.ranked()) {
    if (indices.rank() != updates.rank())
      ctx.fail(ErrorCode::bad_shape, "indices ", indices, " and updates ", updates, " must have one shape");
    for (int i = 0; i < indices.rank(); ++i) same_extent(indices[i], updates[i], "indices and updates");
  }
  ctx.set(0, ctx.shape(0));
}

void ScatterND::infer(InferContext& ctx) {
  const Shape &data = ctx.shape(0), &indices = ctx.shape(1), &updates = ctx.shape(2);
  if (data.ranked() && indices.ranked() && updates.ranked() && indices.rank() && indices.dims().back().is_const()) {
    const Dims expected = gather_nd_dims(data.dims(), indices.dims(), 0);
    if (static_cast<int>(expected.size()) != updates.rank())
      ctx.fail(ErrorCode::bad_shape, "updates ", updates, " must have shape ", Shape(expected));
    for (int i = 0; i < updates.rank(); ++i) same_extent(expected[static_cast<size_t>(i)], updates[i], "updates");
  }
  ctx.set(0, ctx.shape(0));
}

void OneHot::infer(InferContext& ctx) {
  ctx.expect_rank(2, 1);
  const Shape& indices = ctx.shape(0);
  if (!indices.ranked()) return ctx.set(0, Shape());
  const int axis = ctx.axis(ctx.attrs<OneHot>().axis, indices.rank() + 1);
  const Dims* depth = ctx.contents(1);
  const Tensor* constant = ctx.constant(1);
  Dim extent;
  if (depth && depth->size() == 1)
    extent = (*depth)[0];
  else if (constant && constant->size() == 1 && scalar_f64(*constant) >= 0 && scalar_f64(*constant) < 1e15)
    extent = static_cast<int64_t>(scalar_f64(*constant));
  else
    extent = ctx.fresh();
  if (extent.is_const() && extent.value() < 0) ctx.fail(ErrorCode::bad_value, "one_hot of depth ", extent);
  Dims dims = indices.dims();
  dims.insert(dims.begin() + axis, extent);
  ctx.set(0, Shape(std::move(dims)));
}

void Compress::infer(InferContext& ctx) {
  ctx.expect_rank(1, 1);
  const Shape& in = ctx.shape(0);
  const auto& given = ctx.attrs<Compress>().axis;
  std::optional<Dim> kept;
  const auto condition = ctx.ints(1);
  if (condition) {
    int64_t n = 0;
    for (int64_t c : *condition) n += c != 0;
    kept = n;
  }
  if (!given) {
    const Shape out{kept ? *kept : ctx.fresh()};
    ctx.set(0, out);
    const Dims* c = ctx.contents(0);
    if (!c || !condition || condition->size() > c->size()) return;
    Dims picked;
    for (size_t i = 0; i < condition->size(); ++i)
      if ((*condition)[i]) picked.push_back((*c)[i]);
    return keep_contents(ctx, out, std::move(picked));
  }
  if (!in.ranked()) return ctx.set(0, Shape());
  Dims dims = in.dims();
  dims[static_cast<size_t>(ctx.axis(*given, in.rank()))] = kept ? *kept : ctx.fresh();
  ctx.set(0, Shape(std::move(dims)));
}

void TensorScatter::infer(InferContext& ctx) {
  const Shape &cache = ctx.shape(0), &update = ctx.shape(1);
  if (cache.ranked()) {
    const int axis = ctx.axis(ctx.attrs<TensorScatter>().axis, cache.rank());
    if (axis == 0) ctx.fail(ErrorCode::bad_attribute, "tensor_scatter along the batch axis");
    if (update.ranked()) {
      if (update.rank() != cache.rank())
        ctx.fail(ErrorCode::bad_shape, "update ", update, " must have the rank of the cache ", cache);
      for (int i = 0; i < cache.rank(); ++i)
        if (i != axis) same_extent(cache[i], update[i], "cache and update");
    }
    if (ctx.has(2)) {
      ctx.expect_rank(2, 1);
      if (ctx.shape(2).ranked()) same_extent(cache[0], ctx.shape(2)[0], "batch and write_indices");
    }
  }
  ctx.set(0, cache);
}

}  // namespace tc
