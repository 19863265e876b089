#include "tc/ir/ops/vision.h"

#include "tc/ir/builder.h"
#include "tc/ir/shape_math.h"

namespace tc {

void GridSample::infer(InferContext& ctx) {
  const Shape &x = ctx.shape(0), &grid = ctx.shape(1);
  if (ctx.dtype(0) == DType::str && ctx.attrs<GridSample>().mode != GridMode::nearest)
    ctx.fail(ErrorCode::bad_type, "strings cannot be interpolated; use mode nearest");
  if (!x.ranked() && !grid.ranked()) return ctx.set(0, Shape());
  const int rank = x.ranked() ? x.rank() : grid.rank();
  if (rank < 3) ctx.fail(ErrorCode::bad_shape, "grid_sample needs rank 3 or more, got ", ctx.type(x.ranked() ? 0 : 1));
  if (rank > kMaxGridAxes + 2)
    ctx.fail(ErrorCode::limit_rank, "grid_sample takes up to ", kMaxGridAxes, " spatial axes, not ", rank - 2);
  if (x.ranked()) ctx.expect_rank(1, rank);
  if (!grid.ranked()) {
    Dims dims{x[0], x[1]};
    while (static_cast<int>(dims.size()) < rank) dims.push_back(ctx.fresh());
    return ctx.set(0, Shape(std::move(dims)));
  }
  if (grid[rank - 1].is_const() && !grid[rank - 1].is(rank - 2))
    ctx.fail(ErrorCode::bad_shape, "points of ", rank - 2, " axes need as many coordinates, got ", ctx.type(1));
  Dims dims{x.ranked() ? same_extent(x[0], grid[0], "batch of x and grid") : grid[0], x.ranked() ? x[1] : ctx.fresh()};
  dims.insert(dims.end(), grid.dims().begin() + 1, grid.dims().end() - 1);
  ctx.set(0, Shape(std::move(dims)));
}

void AffineGrid::infer(InferContext& ctx) {
  ctx.expect_rank(0, 3);
  ctx.expect_rank(1, 1);
  const Shape& theta = ctx.shape(0);
  std::optional<int64_t> axes = known_length(ctx, 1);
  if (axes) *axes -= 2;
  if (!axes && theta.ranked() && theta[1].is_const()) axes = theta[1].value();
  if (!axes) return ctx.set(0, Shape());
  if (*axes != 2 && *axes != 3)
    ctx.fail(ErrorCode::bad_shape, "affine_grid is for 2 or 3 spatial axes, got size ", ctx.type(1), " and theta ",
             ctx.type(0));
  Dims dims;
  if (const Dims* size = ctx.contents(1)) {
    dims.push_back((*size)[0]);
    dims.insert(dims.end(), size->begin() + 2, size->end());
    for (const Dim& d : dims)
      if (d.is_const() && d.value() < 0) ctx.fail(ErrorCode::bad_value, "affine_grid of a negative extent ", d);
  } else {
    dims = ctx.fresh_shape(static_cast<int>(*axes) + 1).dims();
  }
  if (theta.ranked()) {
    dims[0] = same_extent(theta[0], dims[0], "batch of theta and size");
    same_extent(theta[1], *axes, "rows of theta");
    same_extent(theta[2], *axes + 1, "columns of theta");
  }
  dims.emplace_back(*axes);
  ctx.set(0, Shape(std::move(dims)));
}

std::vector<Value*> AffineGrid::decompose(Builder& b, const Node& node) {
  const Shape& shape = node.result(0)->shape();
  if (!shape.ranked()) fail(ErrorCode::unsupported, "affine_grid of an unknown number of axes cannot be decomposed");
  const int64_t axes = shape.rank() - 2;
  Value *theta = node.operand(0), *size = node.operand(1);
  const DType t = theta->dtype() == DType::f64 ? DType::f64 : DType::f32;
  const auto cast = [&](Value* v, DType to) { return v->dtype() == to ? v : b.make<Cast>({v}, {.to = to}); };
  Value *zero = b.scalar<int64_t>(0), *one = b.scalar<int64_t>(1), *two = b.scalar<int64_t>(2);
  Value* spatial = b.make<Slice>({size, b.ints({2}), b.ints({axes + 2})});
  // Coordinate i of n is (2 i - (n - 1)) / n, with align_corners over n - 1; the last axis comes first.
  std::vector<Value*> rows;
  for (int64_t axis = axes - 1; axis >= 0; --axis) {
    Value* n = b.make<Gather>({size, b.scalar<int64_t>(axis + 2)});
    Value* gaps = b.make<Sub>({n, one});
    Value* places = b.make<Sub>({b.make<Mul>({b.make<Range>({zero, n, one}), two}), gaps});
    Value* divisor = node.attrs<AffineGrid>().align_corners ? b.make<Max>({gaps, one}) : n;
    Value* coordinates = b.make<Div>({cast(places, t), cast(divisor, t)});
    std::vector<int64_t> others;
    for (int64_t k = 0; k < axes; ++k)
      if (k != axis) others.push_back(k);
    coordinates = b.make<Expand>({b.make<Unsqueeze>({coordinates, b.ints(others)}), spatial});
    rows.push_back(b.make<Reshape>({coordinates, b.ints({1, -1})}));
  }
  rows.push_back(b.make<Expand>({b.scalar_like(t, 1), b.make<ShapeOf>({rows[0]})}));
  // Few long rows, which are turned afterwards: products with few columns are slow.
  Value* points = b.make<Concat>(rows, {.axis = 0});
  Value* grid = b.make<Transpose>({b.make<MatMul>({cast(theta, t), points})}, {{0, 2, 1}});
  Value* batch = b.make<Slice>({size, b.ints({0}), b.ints({1})});
  Value* result = b.make<Concat>({batch, spatial, b.ints({axes})}, {.axis = 0});
  return {cast(b.make<Reshape>({grid, result}, {.allow_zero = true}), theta->dtype())};
}

}  // namespace tc
