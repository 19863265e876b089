#include "tc/frontend/dsl/numpy_arrays.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/shape_math.h"

namespace tc {

using namespace dsl;

Var fliplr(Arg x) {
  const Site site("fliplr", x.at());
  return flip(x, {.axis = 1});
}
Var flipud(Arg x) {
  const Site site("flipud", x.at());
  return flip(x, {.axis = 0});
}

Var swapaxes(Arg x, int64_t a, int64_t b) {
  const Site site("swapaxes", x.at());
  const Var v = operand(x);
  std::vector<int64_t> axes(static_cast<size_t>(v.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[static_cast<size_t>(axis_of(a, v.rank()))], axes[static_cast<size_t>(axis_of(b, v.rank()))]);
  return permute_dims(v, axes);
}

Var rot90(Arg x, Rot90Options options) {
  const Site site("rot90", x.at());
  const Var v = operand(x);
  const int first = axis_of(options.axes.first, v.rank()), second = axis_of(options.axes.second, v.rank());
  if (first == second) refuse(ErrorCode::bad_argument, "a turn needs two axes");
  switch (tc::mod(options.k, int64_t{4})) {
    case 0:
      return v;
    case 1:
      return swapaxes(flip(v, {.axis = second}), first, second);
    case 2:
      return flip(v, {.axis = {first, second}});
    default:
      return flip(swapaxes(v, first, second), {.axis = second});
  }
}

Var transpose(Arg x) {
  const Site site("transpose", x.at());
  const Var v = operand(x);
  std::vector<int64_t> axes(static_cast<size_t>(v.rank()));
  std::iota(axes.rbegin(), axes.rend(), 0);
  return permute_dims(v, axes);
}
Var transpose(Arg x, std::vector<int64_t> axes) {
  const Site site("transpose", x.at());
  return permute_dims(std::move(x), std::move(axes));
}

Var flatten(Arg x, int64_t first, int64_t last) {
  const Site site("flatten", x.at());
  const Var v = operand(x);
  const int from = axis_of(first, v.rank()), to = axis_of(last, v.rank());
  if (to < from) refuse(ErrorCode::bad_argument, cat("axes ", first, " to ", last, " of ", v.type(), " are none"));
  Dims shape;
  for (int i = 0; i < v.rank(); ++i)
    if (i > from && i <= to)
      shape.back() *= v.dim(i);
    else
      shape.push_back(v.dim(i));
  return reshape(v, ShapeArg(shape));
}

Var atleast_1d(Arg x) {
  const Site site("atleast_1d", x.at());
  const Var v = operand(x);
  return v.rank() ? v : expand_dims(v, 0);
}
Var atleast_2d(Arg x) {
  const Site site("atleast_2d", x.at());
  const Var v = atleast_1d(x);
  return v.rank() > 1 ? v : expand_dims(v, 0);
}
Var atleast_3d(Arg x) {
  const Site site("atleast_3d", x.at());
  const Var v = atleast_2d(x);
  return v.rank() > 2 ? v : expand_dims(v, 2);
}

namespace {

Var stacked_at_least(const Args& args, Var (*widen)(Arg), int64_t axis) {
  std::vector<Arg> list;
  for (const Arg& a : args) list.emplace_back(widen(a));
  return concat(Args(list), {.axis = axis});
}

}  // namespace

Var hstack(const Args& args) {
  const Site site("hstack", location_of(args));
  const bool vectors = !args.empty() && operand(args[0]).rank() <= 1;
  return stacked_at_least(args, atleast_1d, vectors ? 0 : 1);
}
Var vstack(const Args& args) {
  const Site site("vstack", location_of(args));
  return stacked_at_least(args, atleast_2d, 0);
}
Var dstack(const Args& args) {
  const Site site("dstack", location_of(args));
  return stacked_at_least(args, atleast_3d, 2);
}
Var column_stack(const Args& args) {
  const Site site("column_stack", location_of(args));
  const auto columns = [](Arg a) {
    const Var v = atleast_1d(std::move(a));
    return v.rank() > 1 ? v : expand_dims(v, 1);
  };
  return stacked_at_least(args, columns, 1);
}

std::vector<Var> array_split(Arg x, int64_t n, SplitOptions options) {
  const Site site("array_split", x.at());
  const Var v = operand(x);
  const int axis = axis_of(options.axis, v.rank());
  const Dim d = v.dim(axis);
  if (n < 1) refuse(ErrorCode::bad_argument, cat("split into ", n, " parts"));
  if (!d.is_const())
    refuse(ErrorCode::bad_shape, cat("axis ", axis, " of ", v.type(), " has no fixed extent"),
           {"tc::split makes parts of equal extents"});
  std::vector<int64_t> extents(static_cast<size_t>(n), d.value() / n);
  for (int64_t i = 0; i < d.value() % n; ++i) ++extents[static_cast<size_t>(i)];
  return split(v, extents, {.axis = axis});
}

Dims broadcast_shapes(const std::vector<Dims>& shapes) {
  Dims common;
  for (const Dims& d : shapes) common = located([&] { return broadcast_dims(common, d); });
  return common;
}

namespace {

// The tensor and the axis that an option means.
std::pair<Var, int> along_axis(const Arg& x, const InsertOptions& options) {
  const Var v = options.axis ? operand(x) : flatten(x);
  return {v, axis_of(options.axis.value_or(0), v.rank())};
}

Var part_of(const Var& v, int axis, IndexRange range) {
  std::vector<Index> indices(static_cast<size_t>(v.rank()), slice());
  indices[static_cast<size_t>(axis)] = std::move(range);
  return Indexed(v, std::move(indices)).get();
}

int64_t counted_from_front(int64_t index, const Var& v, int axis, int64_t beyond) {
  const Dim d = v.dim(axis);
  if (d.is_const() && (index < -d.value() || index >= d.value() + beyond))
    refuse(ErrorCode::bad_argument, cat("index ", index, " is out of range for axis ", axis, " of ", v.type()));
  return d.is_const() && index < 0 ? index + d.value() : index;
}

}  // namespace

Var append(Arg x, Arg values, InsertOptions options) {
  const Site site("append", x.at());
  const auto [v, axis] = along_axis(x, options);
  const Var more = operand_like(values, v.dtype());
  return concat({v, options.axis ? more : flatten(more)}, {.axis = axis});
}

Var insert(Arg x, int64_t index, Arg values, InsertOptions options) {
  const Site site("insert", x.at());
  const auto [v, axis] = along_axis(x, options);
  const int64_t at = counted_from_front(index, v, axis, 1);
  Var more = cast_to(operand_like(values, v.dtype()), v.dtype());
  // As in NumPy, an index that is one number has values without the axis.
  if (v.rank() > 1 && more.rank() == v.rank() - 1) more = expand_dims(more, axis);
  Dims shape = v.shape();
  shape[static_cast<size_t>(axis)] = more.rank() == v.rank() ? more.dim(axis) : Dim(1);
  more = broadcast_to(more, shape);
  return concat({part_of(v, axis, slice(at)), more, part_of(v, axis, slice(at, {}))}, {.axis = axis});
}

Var delete_(Arg x, int64_t index, InsertOptions options) {
  const Site site("delete_", x.at());
  const auto [v, axis] = along_axis(x, options);
  const int64_t at = counted_from_front(index, v, axis, 0);
  if (at == -1) return part_of(v, axis, slice(at));
  return concat({part_of(v, axis, slice(at)), part_of(v, axis, slice(at + 1, {}))}, {.axis = axis});
}

Var logspace(Arg start, Arg stop, int64_t num, LogspaceOptions options) {
  const Site site("logspace", start.at());
  const Var exponents = linspace(start, stop, num, {.dtype = options.dtype, .endpoint = options.endpoint});
  return pow(astype(options.base, exponents.dtype()), exponents);
}

Var geomspace(Arg start, Arg stop, int64_t num, GeomspaceOptions options) {
  const Site site("geomspace", start.at());
  auto [a, b] = promoted(start, stop, Domain::real);
  const DType t = options.dtype ? *options.dtype : dtypes::floats.has(a.dtype()) ? a.dtype() : f32;
  a = astype(a, f64), b = astype(b, f64);
  const Var exponents = linspace(log(abs(a)), log(abs(b)), num, {.dtype = f64, .endpoint = options.endpoint});
  const Var y = exp(exponents) * sign(a);
  // Both ends are exact.
  const Var index = arange(num);
  const Var from = where(index == 0, a, y);
  return astype(options.endpoint && num > 1 ? where(index == num - 1, b, from) : from, t);
}

Var vander(Arg x, VanderOptions options) {
  const Site site("vander", x.at());
  const Var v = operand(x, Domain::real);
  if (v.rank() != 1) refuse(ErrorCode::bad_shape, cat("an operand is ", v.type(), ", expected rank 1"));
  if (!options.columns && !v.dim(0).is_const())
    refuse(ErrorCode::bad_shape, cat("the number of columns must be given for ", v.type()));
  const int64_t n = options.columns.value_or(v.dim(0).is_const() ? v.dim(0).value() : 0);
  if (n < 1) return zeros({v.dim(0), 0}, {.dtype = v.dtype()});
  std::vector<Var> columns = {ones_like(v)};
  for (int64_t i = 1; i < n; ++i) columns.push_back(columns.back() * v);
  if (!options.increasing) std::reverse(columns.begin(), columns.end());
  return stack(columns, {.axis = 1});
}

}  // namespace tc
