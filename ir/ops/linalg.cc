#include "tc/ir/ops/linalg.h"

#include "tc/ir/shape_math.h"

namespace tc {

void Det::infer(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (!x.ranked()) return ctx.set(0, Shape());
  if (x.rank() < 2) ctx.fail(ErrorCode::bad_shape, "det needs rank 2 or more, got ", ctx.type(0));
  same_extent(x[x.rank() - 2], x[x.rank() - 1], "rows and columns of a square matrix");
  ctx.set(0, Shape(Dims(x.dims().begin(), x.dims().end() - 2)));
}

}  // namespace tc
