#include "tc/frontend/dsl/creation.h"

#include <algorithm>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/promote.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/elementwise.h"
#include "tc/ir/ops/movement.h"

namespace tc {

using namespace dsl;

namespace {

// `value` (rank 0) in every place.
Var filled(const Var& shape, const Var& value) {
  if (const Tensor* t = value.value()->constant()) return make<ConstantOfShape>({shape}, {.value = t->reshaped({1})});
  return make<Expand>({value, shape});
}

Var filled_value(const Arg& value, std::optional<DType> dtype) {
  const Var v = dtype ? astype(value, *dtype) : operand(value);
  if (v.rank() != 0) refuse(ErrorCode::bad_shape, cat("the value is ", v.type(), ", expected a scalar"));
  return v;
}

Var shape_like(const Var& x) {
  const Shape& s = x.type().shape();
  if (s.ranked() && s.is_static()) return ints(s.extents());
  return make<ShapeOf>({x});
}

Var filled_like(const Arg& x, const Arg& value, std::optional<DType> dtype) {
  const Var v = operand(x);
  return filled(shape_like(v), filled_value(value, dtype ? *dtype : v.dtype()));
}

}  // namespace

Var asarray(Arg x, TypeOptions options) {
  const Site site("asarray", x.at());
  return options.dtype ? astype(x, *options.dtype) : operand(x);
}

Var arange(Arg stop, TypeOptions options) {
  const Site site("arange", stop.at());
  return arange(0, stop, 1, options);
}
Var arange(Arg start, Arg stop, TypeOptions options) {
  const Site site("arange", start.at());
  return arange(start, stop, 1, options);
}
Var arange(Arg start, Arg stop, Arg step, TypeOptions options) {
  const Site site("arange", start.at());
  std::vector<Var> ends = promoted({start, stop, step}, Domain::real);
  // Counted in the arguments' own type: a fraction must not be lost before the end is found.
  const DType t = ends[0].dtype();
  const bool fractions = dtypes::floats.has(t), narrow = !fractions && t != i32 && t != i64;
  for (Var& v : ends) v = astype(v, narrow ? i64 : t);
  return astype(make<Range>(ends), options.dtype ? *options.dtype : t);
}

Var linspace(Arg start, Arg stop, int64_t num, LinspaceOptions options) {
  const Site site("linspace", start.at());
  if (num < 0) refuse(ErrorCode::bad_argument, cat(num, " elements"));
  auto [a, b] = promoted(start, stop, Domain::real);
  const DType t = options.dtype ? *options.dtype : dtypes::floats.has(a.dtype()) ? a.dtype() : f32;
  const DType work = t == f64 ? f64 : dtypes::floats.has(t) ? f32 : f64;
  a = astype(a, work), b = astype(b, work);
  const int64_t gaps = options.endpoint ? num - 1 : num;
  const Var index = arange(astype(num, i64), TypeOptions{});
  if (gaps <= 0) return astype(astype(index, work) + a, t);
  const Var x = astype(index, work) * ((b - a) / gaps) + a;
  return astype(options.endpoint ? where(index == gaps, b, x) : x, t);
}

Var full(ShapeArg shape, Arg value, TypeOptions options) {
  const Site site("full", value.at());
  return filled(shape_tensor(shape), filled_value(value, options.dtype));
}
#define TC_DSL_FILLED(name, value)                                                                    \
  Var name(ShapeArg shape, TypeOptions options, Location at) {                                        \
    const Site site(#name, at);                                                                       \
    return filled(shape_tensor(shape), filled_value(astype(value, options.dtype.value_or(f32)), {})); \
  }                                                                                                   \
  Var name##_like(Arg x, TypeOptions options) {                                                       \
    const Site site(#name "_like", x.at());                                                           \
    return filled_like(x, operand(x).dtype() == bool_ ? Arg(value != 0) : Arg(value), options.dtype); \
  }
TC_DSL_FILLED(empty, 0)
TC_DSL_FILLED(ones, 1)
TC_DSL_FILLED(zeros, 0)
#undef TC_DSL_FILLED
Var full_like(Arg x, Arg value, TypeOptions options) {
  const Site site("full_like", x.at());
  return filled_like(x, value, options.dtype);
}

Var eye(Extent rows, EyeOptions options, Location at) {
  const Site site("eye", at);
  const DType t = options.dtype.value_or(f32);
  const Var like = zeros({rows, options.columns.value_or(rows)}, {.dtype = t});
  return make<EyeLike>({like}, {.dtype = t, .k = options.k});
}

namespace {

Var triangle(const Arg& x, const DiagonalOptions& options, bool upper) {
  const Var v = operand(x);
  std::vector<Var> operands = {v};
  if (options.k) operands.push_back(asarray(options.k));
  return make<Trilu>(operands, {.upper = upper});
}

}  // namespace

Var tril(Arg x, DiagonalOptions options) {
  const Site site("tril", x.at());
  return triangle(x, options, false);
}
Var triu(Arg x, DiagonalOptions options) {
  const Site site("triu", x.at());
  return triangle(x, options, true);
}

std::vector<Var> meshgrid(const Args& axes, MeshgridOptions options) {
  const Site site("meshgrid", location_of(axes));
  std::vector<Var> result;
  const int n = static_cast<int>(axes.size());
  const bool swapped = options.indexing == MeshIndexing::xy && n >= 2;
  for (int i = 0; i < n; ++i) {
    const Var v = operand(axes[static_cast<size_t>(i)]);
    if (v.rank() != 1) refuse(ErrorCode::bad_shape, cat("an axis of the grid is ", v.type(), ", expected rank 1"));
    const int place = swapped && i < 2 ? 1 - i : i;
    std::vector<int64_t> others;
    for (int k = 0; k < n; ++k)
      if (k != place) others.push_back(k);
    result.push_back(others.empty() ? v : expand_dims(v, others));
  }
  return broadcast_arrays(result);
}

Var shape_of(Arg x) {
  const Site site("shape_of", x.at());
  return shape_like(operand(x));
}

}  // namespace tc
