#include "tc/frontend/dsl/numpy_index.h"

#include <algorithm>
#include <limits>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/elementwise.h"
#include "tc/ir/ops/gather.h"

namespace tc {

using namespace dsl;

namespace {

// The extent as a number or scalar of the program.
Arg extent_arg(const Extent& e) {
  if (e.dynamic()) return astype(e.var(), i64);
  return e.dim().is_const() ? Arg(e.dim().value()) : Arg(e.dim());
}

// The extents of a shape one by one.
std::vector<Arg> extent_args(const ShapeArg& shape) {
  std::vector<Arg> result;
  if (!shape.dynamic()) {
    for (const Extent& e : shape.extents()) result.push_back(extent_arg(e));
    return result;
  }
  const Dim n = shape.var().dim(0);
  if (!n.is_const()) refuse(ErrorCode::bad_shape, cat("a shape of ", n, " extents has no fixed rank"));
  const Var extents = astype(shape.var(), i64);
  for (int64_t i = 0; i < n.value(); ++i) result.push_back(extents[i]);
  return result;
}

Var places_of(const Arg& a) {
  return astype(operand(a, Domain::integer), i64);
}

// The index brought into 0 to extent - 1.
Var within(const Var& index, const Arg& extent, OutOfRange mode) {
  switch (mode) {
    case OutOfRange::wrap:
      return remainder(index, extent);
    case OutOfRange::clip:
      return minimum(maximum(index, 0), operand(extent) - 1);
    case OutOfRange::raise:
      check(all((index >= 0) & (index < extent)), "an index is out of range");
      return index;
  }
  TC_CHECK(false, "another mode");
}

}  // namespace

std::vector<Var> unravel_index(Arg places, ShapeArg shape) {
  const Site site("unravel_index", places.at());
  Var rest = places_of(places);
  const std::vector<Arg> extents = extent_args(shape);
  std::vector<Var> result(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    if (i == 0) {
      result[0] = within(rest, extents[0], OutOfRange::raise);
      break;
    }
    result[i] = remainder(rest, extents[i]);
    rest = floor_divide(rest, extents[i]);
  }
  return result;
}

Var ravel_multi_index(const Args& indices, ShapeArg shape, OutOfRangeOptions options) {
  const Site site("ravel_multi_index", location_of(indices));
  const std::vector<Arg> extents = extent_args(shape);
  if (extents.size() != indices.size() || extents.empty())
    refuse(ErrorCode::bad_argument, cat(indices.size(), " indices are given for ", extents.size(), " axes"));
  Var place;
  for (size_t i = 0; i < extents.size(); ++i) {
    const Var index = within(places_of(indices[i]), extents[i], options.mode);
    place = place.defined() ? place * extents[i] + index : index;
  }
  return place;
}

Var fill_diagonal(Arg x, Arg value, FillDiagonalOptions options) {
  const Site site("fill_diagonal", x.at());
  const Var v = operand(x), fill = operand_like(value, v.dtype());
  const int rank = v.rank();
  if (rank < 2) refuse(ErrorCode::bad_shape, cat(v.type(), " has no diagonal: two axes are needed"));
  if (rank > 2 && options.offset) refuse(ErrorCode::bad_argument, "offset diagonals are for matrices");
  std::vector<Var> index;  // along each axis, to broadcast
  for (int i = 0; i < rank; ++i) {
    std::vector<int64_t> trailing;
    for (int k = i + 1; k < rank; ++k) trailing.push_back(k - i);
    const Var along = arange(v.dim(i));
    index.push_back(trailing.empty() ? along : expand_dims(along, trailing));
  }
  Var mask, count;  // the diagonal, which goes down row by row
  if (rank == 2 && options.wrap) {
    const Var place = index[0] * v.dim(1) + index[1] - options.offset;
    count = floor_divide(place, v.dim(1) + 1);
    mask = count * (v.dim(1) + 1) == place;
    if (options.offset) mask = mask & (place >= 0);
  } else {
    count = index[0] - std::max<int64_t>(-options.offset, 0);
    mask = index[1] - index[0] == options.offset;
    for (size_t k = 2; k < index.size(); ++k) mask = mask & (index[k] == index[0]);
  }
  if (fill.rank() == 0) return where(mask, cast_to(fill, v.dtype()), v);
  if (fill.rank() != 1) refuse(ErrorCode::bad_shape, cat("the value is ", fill.type(), ", expected rank 0 or 1"));
  return where(mask, take(cast_to(fill, v.dtype()), remainder(count, fill.dim(0))), v);
}

Var choose(Arg index, const Args& choices, OutOfRangeOptions options) {
  const Site site("choose", index.at());
  if (choices.empty()) refuse(ErrorCode::bad_argument, "there is nothing to choose from");
  const auto n = static_cast<int64_t>(choices.size());
  std::vector<Var> all = promoted(choices);
  all.insert(all.begin(), within(places_of(index), n, options.mode));
  all = broadcast_arrays(all);
  const Var options_of = stack(std::vector<Var>(all.begin() + 1, all.end()));
  return squeeze(take_along_axis(options_of, expand_dims(all[0], 0), {.axis = 0}), 0);
}

Var select(const Args& conditions, const Args& values, SelectOptions options) {
  const Site site("select", location_of(conditions));
  if (conditions.size() != values.size() || values.empty())
    refuse(ErrorCode::bad_argument, cat(conditions.size(), " conditions are given for ", values.size(), " values"));
  std::vector<Arg> list(values.begin(), values.end());
  list.push_back(options.otherwise);
  const std::vector<Var> all = promoted(Args(list));
  Var result = all.back();
  for (size_t i = values.size(); i-- > 0;) result = where(conditions[i], all[i], result);
  return result;
}

Var piecewise(Arg x, const Args& conditions, const Args& values) {
  const Site site("piecewise", x.at());
  const Var v = operand(x);
  if (values.size() != conditions.size() && values.size() != conditions.size() + 1)
    refuse(ErrorCode::bad_argument, cat(conditions.size(), " conditions are given for ", values.size(), " values"));
  const auto value = [&](const Arg& a) { return cast_to(operand_like(a, v.dtype()), v.dtype()); };
  Var result = values.size() > conditions.size() ? value(values[conditions.size()]) : zeros_like(v);
  for (size_t i = 0; i < conditions.size(); ++i) result = where(conditions[i], value(values[i]), result);
  return broadcast_to(result, v.shape());
}

Var argwhere(Arg x) {
  const Site site("argwhere", x.at());
  const Var v = operand(x);
  return matrix_transpose(make<NonZero>({v}));
}
Var flatnonzero(Arg x) {
  const Site site("flatnonzero", x.at());
  return nonzero(flatten(x))[0];
}

namespace {

Var condition_of(const Arg& a) {
  const Var v = operand(a);
  return flatten(v.dtype() == bool_ ? v : v != 0);
}

}  // namespace

Var extract(Arg condition, Arg x) {
  const Site site("extract", condition.at());
  return make<Compress>({flatten(x), condition_of(condition)}, {.axis = 0});
}
Var compress(Arg condition, Arg x, CompressOptions options) {
  const Site site("compress", condition.at());
  const Var v = options.axis ? operand(x) : flatten(x);
  return make<Compress>({v, condition_of(condition)}, {.axis = axis_of(options.axis.value_or(0), v.rank())});
}

Var put_along_axis(Arg x, Arg indices, Arg values, TakeAlongOptions options) {
  const Site site("put_along_axis", x.at());
  const Var v = operand(x), at = places_of(indices), put = cast_to(operand_like(values, v.dtype()), v.dtype());
  return make<ScatterElements>({v, at, broadcast_to(put, at.shape())}, {.axis = axis_of(options.axis, v.rank())});
}

Var permute_row_elements(Arg x, Arg p, PermuteRowOptions options) {
  const Site site("permute_row_elements", x.at());
  Var v = operand(x), order = places_of(p);
  if (v.rank() == 0 || order.rank() == 0) refuse(ErrorCode::bad_shape, "scalars have no rows");
  const auto leading = [](const Var& a, int rank) {
    std::vector<int64_t> axes;
    for (int i = a.rank(); i < rank; ++i) axes.push_back(i - a.rank());
    return axes.empty() ? a : expand_dims(a, axes);
  };
  const int rank = std::max(v.rank(), order.rank());
  v = leading(v, rank), order = leading(order, rank);
  if (options.inverse) order = argsort(order);
  return take_along_axis(v, order);
}

Var gather_nd(Arg x, Arg indices, GatherNdOptions options) {
  const Site site("gather_nd", x.at());
  const Var v = operand(x);
  return make<GatherND>({v, places_of(indices)}, {.batch_dims = options.batch_dims});
}

namespace {

ScatterReduction reduction_of(Combine c) {
  switch (c) {
    case Combine::replace:
      return ScatterReduction::none;
    case Combine::add:
      return ScatterReduction::add;
    case Combine::multiply:
      return ScatterReduction::mul;
    case Combine::max:
      return ScatterReduction::max;
    case Combine::min:
      return ScatterReduction::min;
  }
  TC_CHECK(false, "another way to combine");
}

}  // namespace

Var scatter_nd(Arg x, Arg indices, Arg updates, ScatterNdOptions options) {
  const Site site("scatter_nd", x.at());
  const Var v = operand(x);
  return make<ScatterND>({v, places_of(indices), cast_to(operand_like(updates, v.dtype()), v.dtype())},
                         {.reduction = reduction_of(options.reduction)});
}
Var scatter_elements(Arg x, Arg indices, Arg updates, ScatterElementsOptions options) {
  const Site site("scatter_elements", x.at());
  const Var v = operand(x);
  return make<ScatterElements>({v, places_of(indices), cast_to(operand_like(updates, v.dtype()), v.dtype())},
                               {.axis = axis_of(options.axis, v.rank()), .reduction = reduction_of(options.reduction)});
}

namespace {

// The least or the largest number of the type.
Arg extreme_of(DType t, bool largest) {
  if (dtypes::floats.has(t)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return largest ? infinity : -infinity;
  }
  const int bits = info(t).bits;
  if (dtypes::unsigned_ints.has(t)) {
    if (!largest) return 0;
    if (bits == 64) refuse(ErrorCode::bad_type, "segments of u64", {"convert them: astype(x, tc::i64)"});
    return (int64_t{1} << bits) - 1;
  }
  const int64_t high = static_cast<int64_t>(~uint64_t{0} >> (65 - bits));
  return largest ? high : -high - 1;
}

Var by_segment(const Arg& x, const Arg& segments, const Extent& count, Combine combine, std::optional<bool> extreme,
               int start) {
  const Var v = operand(x, Domain::real), at = places_of(segments);
  if (v.rank() == 0 || at.rank() != 1)
    refuse(ErrorCode::bad_shape, cat("segments ", at.type(), " of ", v.type(), ", expected one number per row"));
  check(all((at >= 0) & (at < extent_arg(count))), "a segment number is out of range");
  std::vector<Extent> shape{count};
  for (int i = 1; i < v.rank(); ++i) shape.emplace_back(v.dim(i));
  const Var initial = full(shape, extreme ? extreme_of(v.dtype(), *extreme) : Arg(start), {.dtype = v.dtype()});
  return scatter_nd(initial, expand_dims(at, -1), v, {.reduction = combine});
}

}  // namespace

Var segment_sum(Arg x, Arg segments, Extent count) {
  const Site site("segment_sum", x.at());
  return by_segment(x, segments, count, Combine::add, {}, 0);
}
Var segment_prod(Arg x, Arg segments, Extent count) {
  const Site site("segment_prod", x.at());
  return by_segment(x, segments, count, Combine::multiply, {}, 1);
}
Var segment_max(Arg x, Arg segments, Extent count) {
  const Site site("segment_max", x.at());
  return by_segment(x, segments, count, Combine::max, false, 0);
}
Var segment_min(Arg x, Arg segments, Extent count) {
  const Site site("segment_min", x.at());
  return by_segment(x, segments, count, Combine::min, true, 0);
}

Var diag(Arg x, DiagonalOptions options) {
  const Site site("diag", x.at());
  const Var v = operand(x);
  if (v.rank() == 2) return linalg::diagonal(v, {.offset = options.k});
  if (v.rank() != 1) refuse(ErrorCode::bad_shape, cat("an operand is ", v.type(), ", expected a vector or matrix"));
  const int64_t apart = std::abs(options.k);
  const Dim n = v.dim(0) + apart;
  const Var rows = expand_dims(arange(n), 1), columns = arange(n);
  // Above the main diagonal element i is in row i, below it in column i.
  const Var wide = apart ? concat({v, zeros({apart}, {.dtype = v.dtype()})}) : v;
  const Var elements = options.k >= 0 ? expand_dims(wide, 1) : expand_dims(wide, 0);
  return where(columns - rows == options.k, elements, zeros({}, {.dtype = v.dtype()}));
}
Var diagflat(Arg x, DiagonalOptions options) {
  const Site site("diagflat", x.at());
  return diag(flatten(x), options);
}

Var tri(Extent rows, TriOptions options, Location at) {
  const Site site("tri", at);
  return tril(ones({rows, options.columns.value_or(rows)}, {.dtype = options.dtype.value_or(f32)}), {.k = options.k});
}
std::pair<Var, Var> tril_indices(Extent rows, TriangleIndexOptions options, Location at) {
  const Site site("tril_indices", at);
  const std::vector<Var> places = nonzero(tri(rows, {.columns = options.columns, .k = options.k}));
  return {places[0], places[1]};
}
std::pair<Var, Var> triu_indices(Extent rows, TriangleIndexOptions options, Location at) {
  const Site site("triu_indices", at);
  const Var all = ones({rows, options.columns.value_or(rows)}, {.dtype = f32});
  const std::vector<Var> places = nonzero(triu(all, {.k = options.k}));
  return {places[0], places[1]};
}

std::vector<Var> ogrid(const std::vector<IndexRange>& ranges, Location at) {
  const Site site("ogrid", at);
  std::vector<Var> result;
  const auto bound = [](const Bound& b, Arg open) -> Arg {
    if (b.open()) return open;
    if (const auto* d = std::get_if<Dim>(&b.value())) return d->is_const() ? Arg(d->value()) : Arg(*d);
    return std::get<Var>(b.value());
  };
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].stop.open()) refuse(ErrorCode::bad_argument, "a range of a grid needs an end");
    const Var along = arange(bound(ranges[i].start, 0), bound(ranges[i].stop, 0), bound(ranges[i].step, 1));
    std::vector<int64_t> others;
    for (size_t k = 0; k < ranges.size(); ++k)
      if (k != i) others.push_back(static_cast<int64_t>(k));
    result.push_back(others.empty() ? along : expand_dims(along, others));
  }
  return result;
}
std::vector<Var> mgrid(const std::vector<IndexRange>& ranges, Location at) {
  const Site site("mgrid", at);
  return broadcast_arrays(ogrid(ranges, at));
}

}  // namespace tc
