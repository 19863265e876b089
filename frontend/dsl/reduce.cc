#include "tc/frontend/dsl/reduce.h"

#include <algorithm>
#include <cmath>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/elementwise.h"
#include "tc/ir/ops/gather.h"
#include "tc/ir/ops/movement.h"
#include "tc/ir/ops/reduce.h"
#include "tc/ir/ops/search.h"

namespace tc {

using namespace dsl;

namespace {

// The Array API's default: sums of integers are of the widest type of their kind.
DType sum_type(DType t, std::optional<DType> asked) {
  if (asked) return *asked;
  return t == bool_ || dtypes::signed_ints.has(t) ? i64 : dtypes::unsigned_ints.has(t) ? u64 : t;
}

template <class Op>
Var reduced(const Var& x, const Axes& axis, bool keepdims) {
  const std::vector<int64_t> axes = axes_of(axis, x.rank());
  // An op without axes would reduce all of them.
  if (axes.empty() && !axis.all()) return x;
  std::vector<Var> operands = {x};
  if (static_cast<int>(axes.size()) < x.rank()) operands.push_back(ints(axes));
  return make<Op>(operands, {.keepdims = keepdims});
}

// Sums and products in the type asked for. The ops have no integers below 32 bits.
template <class Op>
Var total(const Var& x, const SumOptions& o) {
  const DType t = sum_type(x.dtype(), o.dtype);
  const bool narrow = t == i8 || t == u8 || t == i16 || t == u16 || t == bool_;
  return astype(reduced<Op>(astype(x, narrow ? i64 : t), o.axis, o.keepdims), t);
}

// Extremes: the op has no 16-bit integers.
template <class Op>
Var extreme(const Var& x, const ReduceOptions& o) {
  const DType t = x.dtype();
  if (t == i16 || t == u16) return astype(reduced<Op>(astype(x, i32), o.axis, o.keepdims), t);
  return reduced<Op>(x, o.axis, o.keepdims);
}

// What has a mean: integers and booleans as f32.
Var averaged(const Arg& a) {
  const Var x = operand(a);
  return dtypes::ints.has(x.dtype()) || x.dtype() == bool_ ? astype(x, f32) : operand(x, Domain::floating);
}

Var truth(const Var& x) {
  return x.dtype() == bool_ ? x : x != 0;
}

}  // namespace

Var all(Arg x, ReduceOptions options) {
  const Site site("all", x.at());
  return extreme<ReduceMin>(truth(operand(x)), options);
}
Var any(Arg x, ReduceOptions options) {
  const Site site("any", x.at());
  return extreme<ReduceMax>(truth(operand(x)), options);
}
Var max(Arg x, ReduceOptions options) {
  const Site site("max", x.at());
  return extreme<ReduceMax>(operand(x, Domain::real), options);
}
Var min(Arg x, ReduceOptions options) {
  const Site site("min", x.at());
  return extreme<ReduceMin>(operand(x, Domain::real), options);
}
Var mean(Arg x, ReduceOptions options) {
  const Site site("mean", x.at());
  return reduced<ReduceMean>(averaged(x), options.axis, options.keepdims);
}
Var logsumexp(Arg x, ReduceOptions options) {
  const Site site("logsumexp", x.at());
  return reduced<ReduceLogSumExp>(operand(x, Domain::floating), options.axis, options.keepdims);
}
Var prod(Arg x, SumOptions options) {
  const Site site("prod", x.at());
  return total<ReduceProd>(operand(x), options);
}
Var sum(Arg x, SumOptions options) {
  const Site site("sum", x.at());
  return total<ReduceSum>(operand(x), options);
}
Var count_nonzero(Arg x, ReduceOptions options) {
  const Site site("count_nonzero", x.at());
  return sum(truth(operand(x)), {.axis = options.axis, .keepdims = options.keepdims});
}

Var var(Arg x, VarianceOptions options) {
  const Site site("var", x.at());
  const Var v = averaged(x);
  const Var centred = v - mean(v, {.axis = options.axis, .keepdims = true});
  const Var squares = centred * centred;
  if (options.correction == 0) return mean(squares, {.axis = options.axis, .keepdims = options.keepdims});
  Dim n = 1;
  for (const int64_t a : axes_of(options.axis, v.rank())) n *= v.dim(static_cast<int>(a));
  const Var total = sum(squares, {.axis = options.axis, .keepdims = options.keepdims});
  if (n.is_const()) return total / std::max(static_cast<double>(n.value()) - options.correction, 0.0);
  return total / maximum(operand_like(n, v.dtype()) - options.correction, 0);
}

Var std(Arg x, VarianceOptions options) {
  const Site site("std", x.at());
  return sqrt(var(x, options));
}

namespace {

template <class Op>
Var running(const Arg& x, const CumulativeOptions& o, int initial) {
  Var v = operand(x);
  if (!o.axis && v.rank() != 1)
    refuse(ErrorCode::bad_argument, cat("the axis must be given for ", v.type()), {"{.axis = 0}"});
  v = astype(v, sum_type(v.dtype(), o.dtype));
  const int axis = axis_of(o.axis.value_or(0), v.rank());
  const DType t = v.dtype();
  const bool narrow = t == i8 || t == u8 || t == i16 || t == u16;
  const Var y = astype(make<Op>({narrow ? astype(v, i64) : v, asarray(axis)}), t);
  if (!o.include_initial) return y;
  Dims first = v.shape();
  first[static_cast<size_t>(axis)] = 1;
  return concat({full(first, initial, {.dtype = t}), y}, {.axis = axis});
}

}  // namespace

Var cumulative_sum(Arg x, CumulativeOptions options) {
  const Site site("cumulative_sum", x.at());
  return running<CumSum>(x, options, 0);
}
Var cumulative_prod(Arg x, CumulativeOptions options) {
  const Site site("cumulative_prod", x.at());
  return running<CumProd>(x, options, 1);
}

Var diff(Arg x, DiffOptions options) {
  const Site site("diff", x.at());
  Var v = operand(x, Domain::real);
  const int axis = axis_of(options.axis, v.rank());
  std::vector<Arg> parts = {v};
  if (!options.prepend.absent()) parts.insert(parts.begin(), options.prepend);
  if (!options.append.absent()) parts.push_back(options.append);
  if (parts.size() > 1) v = concat(Args(parts), {.axis = axis});
  for (int i = 0; i < options.n; ++i) {
    std::vector<Index> later(static_cast<size_t>(v.rank()), slice({}, {})), earlier = later;
    later[static_cast<size_t>(axis)] = slice(1, {});
    earlier[static_cast<size_t>(axis)] = slice({}, -1);
    v = Indexed(v, later).get() - Indexed(v, earlier).get();
  }
  return v;
}

namespace {

template <class Op>
Var arg_extreme(const Arg& x, const ArgOptions& o) {
  const Var v = operand(x, Domain::real);
  std::vector<int64_t> axes = axes_of(o.axis, v.rank());
  if (axes.size() == 1) return make<Op>({v}, {.axis = axes[0], .keepdims = o.keepdims});
  // Several axes as one, the last.
  std::vector<int64_t> order;
  Dims shape;
  for (int i = 0; i < v.rank(); ++i) {
    if (std::count(axes.begin(), axes.end(), i)) continue;
    order.push_back(i);
    shape.push_back(v.dim(i));
  }
  order.insert(order.end(), axes.begin(), axes.end());
  Dim n = 1;
  for (const int64_t a : axes) n *= v.dim(static_cast<int>(a));
  shape.push_back(n);
  const Var at = make<Op>({reshape(permute_dims(v, order), ShapeArg(shape))}, {.axis = -1, .keepdims = false});
  return o.keepdims && !axes.empty() ? expand_dims(at, axes) : at;
}

}  // namespace

Var argmax(Arg x, ArgOptions options) {
  const Site site("argmax", x.at());
  return arg_extreme<ArgMax>(x, options);
}
Var argmin(Arg x, ArgOptions options) {
  const Site site("argmin", x.at());
  return arg_extreme<ArgMin>(x, options);
}

std::vector<Var> nonzero(Arg x) {
  const Site site("nonzero", x.at());
  const Var v = operand(x);
  if (v.rank() == 0) refuse(ErrorCode::bad_shape, "a scalar has no indices");
  const Var places = make<NonZero>({v});
  std::vector<Var> result;
  for (int i = 0; i < v.rank(); ++i) result.push_back(make<Gather>({places, asarray(i)}));
  return result;
}

namespace {

Var index_operand(const Arg& a) {
  const Var v = operand(a, Domain::integer);
  return v.dtype() == i32 ? v : astype(v, i64);
}

}  // namespace

Var take(Arg x, Arg indices, TakeOptions options) {
  const Site site("take", x.at());
  const Var v = operand(x);
  if (!options.axis && v.rank() != 1)
    refuse(ErrorCode::bad_argument, cat("the axis must be given for ", v.type()), {"{.axis = 0}"});
  return make<Gather>({v, index_operand(indices)}, {.axis = axis_of(options.axis.value_or(0), v.rank())});
}

Var take_along_axis(Arg x, Arg indices, TakeAlongOptions options) {
  const Site site("take_along_axis", x.at());
  const Var v = operand(x), at = index_operand(indices);
  const int axis = axis_of(options.axis, v.rank());
  if (at.rank() != v.rank())
    refuse(ErrorCode::bad_shape, cat("indices ", at.type(), " and ", v.type(), " must have one rank"));
  // All axes but one broadcast.
  const auto wide = [&](const Var& a, const Var& b) {
    Dims dims = a.shape();
    for (int i = 0; i < a.rank(); ++i)
      if (i != axis) dims[static_cast<size_t>(i)] = broadcast(a.dim(i), b.dim(i));
    return broadcast_to(a, dims);
  };
  return make<GatherElements>({wide(v, at), wide(at, v)}, {.axis = axis});
}

Var searchsorted(Arg x1, Arg x2, SearchOptions options) {
  const Site site("searchsorted", x1.at());
  auto [keys, x] = promoted(x1, x2, Domain::real);
  if (keys.rank() != 1) refuse(ErrorCode::bad_shape, cat("the keys are ", keys.type(), ", expected rank 1"));
  if (!options.sorter.absent()) keys = take(keys, options.sorter);
  if (keys.dim(0).is(0)) return zeros_like(x, {.dtype = i64});
  // Bisection of all elements at once: `low` keys are known to come before, `high` bounds their number.
  const Var count = squeeze(shape_of(keys), 0);
  const auto [place, bound] = while_loop(
      [](Var low, Var high) { return any(low < high); },
      [&, sorted = keys, wanted = x](Var low, Var high) {
        const Var middle = (low + high) >> 1;
        const Var key = take(sorted, minimum(middle, count - 1));
        const Var before = (options.side == Side::left ? key < wanted : key <= wanted) & (low < high);
        return std::pair{where(before, middle + 1, low), where(before, high, where(low < high, middle, high))};
      },
      {zeros_like(x, {.dtype = i64}), broadcast_to(count, x.shape())});
  return place;
}

namespace {

// bool and narrow integers in a type that the op has.
TopKResult ordered(const Var& x, int64_t along, bool largest) {
  const int axis = axis_of(along, x.rank());
  const std::vector<Var> r = make_n<TopK>({x, shape_tensor({x.dim(axis)})}, {.axis = axis, .largest = largest}, 2);
  return {r[0], r[1]};
}

}  // namespace

Var argsort(Arg x, SortOptions options) {
  const Site site("argsort", x.at());
  return ordered(operand(x, Domain::real), options.axis, options.descending).indices;
}
Var sort(Arg x, SortOptions options) {
  const Site site("sort", x.at());
  return ordered(operand(x, Domain::real), options.axis, options.descending).values;
}

TopKResult top_k(Arg x, Extent k, TopKOptions options) {
  const Site site("top_k", x.at());
  const Var v = operand(x, Domain::real);
  const std::vector<Var> r =
      make_n<TopK>({v, shape_tensor({k})},
                   {.axis = axis_of(options.axis, v.rank()), .largest = options.largest, .sorted = options.sorted}, 2);
  return {r[0], r[1]};
}

namespace {

Unique::Attrs unique_attrs(const Var& v, const UniqueOptions& o) {
  Unique::Attrs attrs;
  if (o.axis) attrs.axis = axis_of(*o.axis, v.rank());
  return attrs;
}

}  // namespace

UniqueAll unique_all(Arg x, UniqueOptions options) {
  const Site site("unique_all", x.at());
  const Var v = operand(x);
  const std::vector<Var> r = make_n<Unique>({v}, unique_attrs(v, options), 4);
  return {r[0], r[1], options.axis ? r[2] : reshape(r[2], v.shape()), r[3]};
}
UniqueCounts unique_counts(Arg x, UniqueOptions options) {
  const Site site("unique_counts", x.at());
  const Var v = operand(x);
  const std::vector<Var> r = make_n<Unique>({v}, unique_attrs(v, options), 4);
  return {r[0], r[3]};
}
UniqueInverse unique_inverse(Arg x, UniqueOptions options) {
  const Site site("unique_inverse", x.at());
  const Var v = operand(x);
  const std::vector<Var> r = make_n<Unique>({v}, unique_attrs(v, options), 3);
  return {r[0], options.axis ? r[2] : reshape(r[2], v.shape())};
}
Var unique_values(Arg x, UniqueOptions options) {
  const Site site("unique_values", x.at());
  const Var v = operand(x);
  return make<Unique>({v}, unique_attrs(v, options));
}

}  // namespace tc
