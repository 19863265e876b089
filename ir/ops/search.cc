#include "tc/ir/ops/search.h"

#include <utility>

#include "tc/ir/shape_math.h"

namespace tc {

void TopK::infer(InferContext& ctx) {
  const Shape& k = ctx.shape(1);
  if (k.ranked() && k.is_static() && !k.count().is(1))
    ctx.fail(ErrorCode::bad_shape, "k must be one element, got ", ctx.type(1));
  const Shape& x = ctx.shape(0);
  Shape out;
  if (x.ranked()) {
    const int axis = ctx.axis(ctx.attrs<TopK>().axis, x.rank());
    Dims dims = x.dims();
    Dim& d = dims[static_cast<size_t>(axis)];
    const Dims* given = ctx.contents(1);
    const Dim n = given && given->size() == 1 ? (*given)[0] : ctx.fresh();
    if (n.is_const() && (n.value() < 0 || (d.is_const() && n.value() > d.value())))
      ctx.fail(ErrorCode::bad_value, "the ", n, " largest of ", d, " elements");
    d = n;
    out = Shape(std::move(dims));
  }
  ctx.set(0, out);
  ctx.set(1, std::move(out));
}

void NonZero::infer(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  ctx.set(0, Shape{x.ranked() ? Dim(x.rank()) : ctx.fresh(), ctx.fresh()});
}

void Unique::infer(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  const auto& given = ctx.attrs<Unique>().axis;
  const Dim n = ctx.fresh();
  Dim all;
  if (!given) {
    all = x.ranked() ? x.count() : ctx.fresh();
    ctx.set(0, Shape{n});
  } else if (x.ranked()) {
    Dims dims = x.dims();
    Dim& d = dims[static_cast<size_t>(ctx.axis(*given, x.rank()))];
    all = std::exchange(d, n);
    ctx.set(0, Shape(std::move(dims)));
  } else {
    all = ctx.fresh();
    ctx.set(0, Shape());
  }
  ctx.set(1, Shape{n});
  ctx.set(2, Shape{all});
  ctx.set(3, Shape{n});
}

void NonMaxSuppression::infer(InferContext& ctx) {
  ctx.expect_rank(0, 3);
  ctx.expect_rank(1, 3);
  const Shape &boxes = ctx.shape(0), &scores = ctx.shape(1);
  if (boxes.ranked()) {
    same_extent(boxes[2], 4, "coordinates of a box");
    if (scores.ranked()) {
      same_extent(boxes[0], scores[0], "batch of boxes and scores");
      same_extent(boxes[1], scores[2], "number of boxes and scores");
    }
  }
  ctx.set(0, Shape{ctx.fresh(), Dim(3)});
}

}  // namespace tc
