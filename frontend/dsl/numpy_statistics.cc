#include "tc/frontend/dsl/numpy_statistics.h"

#include <algorithm>
#include <limits>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc {

using namespace dsl;

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

bool may_be_nan(const Var& v) {
  return dtypes::floats.has(v.dtype());
}
// Integers as f32.
Var fractional(const Arg& x) {
  const Var v = operand(x, Domain::real);
  return may_be_nan(v) ? v : astype(v, f32);
}

// The axes as one, the last.
Var with_axes_last(const Var& v, const std::vector<int64_t>& axes) {
  std::vector<int64_t> order;
  Dims shape;
  Dim n = 1;
  for (int i = 0; i < v.rank(); ++i) {
    if (std::count(axes.begin(), axes.end(), i)) continue;
    order.push_back(i);
    shape.push_back(v.dim(i));
  }
  for (const int64_t a : axes) {
    order.push_back(a);
    n *= v.dim(static_cast<int>(a));
  }
  shape.push_back(n);
  return reshape(permute_dims(v, order), ShapeArg(shape));
}

// The other way: the last axis of extent 1 as one for each of the axes.
Var with_reduced_axes(const Var& y, const std::vector<int64_t>& axes, bool keepdims, int before) {
  if (!keepdims) return y;
  std::vector<int64_t> places;
  for (const int64_t a : axes) places.push_back(a + before);
  return places.empty() ? y : expand_dims(y, places);
}

// The element at a place of each sorted row.
Var element_at(const Var& sorted, const Var& place) {
  if (place.rank() == 0) return take(sorted, place, {.axis = -1});
  return squeeze(take_along_axis(sorted, expand_dims(place, -1)), -1);
}

// One quantile of sorted rows with `count` numbers each, a scalar or one per row.
Var sorted_quantile(const Var& sorted, const Var& count, const Var& q, QuantileMethod method) {
  const DType t = sorted.dtype();
  const Var last = maximum(count - 1, 0);
  const Var place = q * astype(last, f64);
  const Var low = floor(place), high = ceil(place);
  const auto element = [&](const Var& at) { return element_at(sorted, minimum(astype(at, i64), last)); };
  switch (method) {
    case QuantileMethod::lower:
      return element(low);
    case QuantileMethod::higher:
      return element(high);
    case QuantileMethod::nearest:
      return element(round(place));
    case QuantileMethod::midpoint:
    case QuantileMethod::linear:
      break;
  }
  const Var a = element(low), b = element(high);
  if (method == QuantileMethod::midpoint) return where(low == high, a, (a + b) * 0.5);
  const Var part = astype(place - low, t);
  const Var apart = b - a;
  // From the nearer one, so that both ends are met. Equal infinities have no difference.
  return where(a == b, a, where(part < 0.5, a + apart * part, b - apart * (1 - part)));
}

Var quantile_of(const Arg& x, const Arg& q, const QuantileOptions& o, bool skip_nan) {
  const Var v = fractional(x);
  const std::vector<int64_t> axes = axes_of(o.axis, v.rank());
  const Var rows = with_axes_last(v, axes);
  const Var missing = isnan(rows);
  const Var sorted = sort(skip_nan ? where(missing, kEndless, rows) : where(missing, 0, rows));
  const Var count = skip_nan ? sum(astype(~missing, i64), {.axis = -1}) : operand(Arg(rows.dim(-1)));
  const Var none = skip_nan ? count == 0 : any(missing, {.axis = -1});
  const Var places = astype(q, f64);
  if (places.rank() > 1)
    refuse(ErrorCode::bad_shape, cat("the probabilities are ", places.type(), ", expected rank 0 or 1"));
  const auto one = [&](const Var& p) {
    const Var y = where(none, kNotANumber, sorted_quantile(sorted, count, p, o.method));
    return with_reduced_axes(y, axes, o.keepdims, 0);
  };
  if (places.rank() == 0) return one(places);
  if (!places.dim(0).is_const())
    refuse(ErrorCode::bad_shape, cat("the number of probabilities must be fixed, they are ", places.type()));
  std::vector<Var> parts;
  for (int64_t i = 0; i < places.dim(0).value(); ++i) parts.push_back(one(places[i]));
  return stack(parts);
}

}  // namespace

Var ptp(Arg x, ReduceOptions options) {
  const Site site("ptp", x.at());
  const Var v = operand(x, Domain::real);
  return max(v, options) - min(v, options);
}

Var quantile(Arg x, Arg q, QuantileOptions options) {
  const Site site("quantile", x.at());
  return quantile_of(x, q, options, false);
}
Var percentile(Arg x, Arg q, QuantileOptions options) {
  const Site site("percentile", x.at());
  return quantile_of(x, astype(q, f64) / 100, options, false);
}
Var median(Arg x, ReduceOptions options) {
  const Site site("median", x.at());
  return quantile_of(x, 0.5, {.axis = options.axis, .keepdims = options.keepdims, .method = QuantileMethod::midpoint},
                     false);
}
Var nanquantile(Arg x, Arg q, QuantileOptions options) {
  const Site site("nanquantile", x.at());
  return quantile_of(x, q, options, true);
}
Var nanpercentile(Arg x, Arg q, QuantileOptions options) {
  const Site site("nanpercentile", x.at());
  return quantile_of(x, astype(q, f64) / 100, options, true);
}
Var nanmedian(Arg x, ReduceOptions options) {
  const Site site("nanmedian", x.at());
  return quantile_of(x, 0.5, {.axis = options.axis, .keepdims = options.keepdims, .method = QuantileMethod::midpoint},
                     true);
}

Var average(Arg x, AverageOptions options) {
  const Site site("average", x.at());
  const Var v = fractional(x);
  if (options.weights.absent()) return mean(v, {.axis = options.axis, .keepdims = options.keepdims});
  auto [values, weights] = promoted(v, options.weights, Domain::real);
  const std::vector<int64_t> axes = axes_of(options.axis, values.rank());
  if (weights.rank() == 1 && values.rank() > 1) {
    if (axes.size() != 1) refuse(ErrorCode::bad_shape, "weights of rank 1 go along one axis");
    std::vector<int64_t> trailing;
    for (int64_t i = axes[0] + 1; i < values.rank(); ++i) trailing.push_back(i - axes[0]);
    if (!trailing.empty()) weights = expand_dims(weights, trailing);
  }
  weights = broadcast_to(weights, values.shape());
  const SumOptions over{.axis = axes, .keepdims = options.keepdims};
  return sum(values * weights, over) / sum(weights, over);
}

// --- without NaNs

namespace {

Var without_nan(const Arg& x, double in_place) {
  const Var v = operand(x, Domain::real);
  return may_be_nan(v) ? where(isnan(v), in_place, v) : v;
}

Var nan_extreme(const Arg& x, const ReduceOptions& o, bool largest) {
  const Var v = operand(x, Domain::real);
  if (!may_be_nan(v)) return largest ? max(v, o) : min(v, o);
  const Var y = largest ? max(without_nan(v, -kEndless), o) : min(without_nan(v, kEndless), o);
  return where(all(isnan(v), o), kNotANumber, y);
}

// Sums over the numbers, and how many there are.
Var counted_numbers(const Var& v, const ReduceOptions& o) {
  return sum(astype(~isnan(v), v.dtype()), {.axis = o.axis, .keepdims = o.keepdims});
}

}  // namespace

Var nansum(Arg x, SumOptions options) {
  const Site site("nansum", x.at());
  return sum(without_nan(x, 0), options);
}
Var nanprod(Arg x, SumOptions options) {
  const Site site("nanprod", x.at());
  return prod(without_nan(x, 1), options);
}
Var nanmax(Arg x, ReduceOptions options) {
  const Site site("nanmax", x.at());
  return nan_extreme(x, options, true);
}
Var nanmin(Arg x, ReduceOptions options) {
  const Site site("nanmin", x.at());
  return nan_extreme(x, options, false);
}
Var nanmean(Arg x, ReduceOptions options) {
  const Site site("nanmean", x.at());
  const Var v = fractional(x);
  const Var total = sum(without_nan(v, 0), {.axis = options.axis, .keepdims = options.keepdims});
  return total / counted_numbers(v, options);
}
Var nanvar(Arg x, VarianceOptions options) {
  const Site site("nanvar", x.at());
  const Var v = fractional(x);
  const Var centred = v - nanmean(v, {.axis = options.axis, .keepdims = true});
  const Var squares = sum(without_nan(centred * centred, 0), {.axis = options.axis, .keepdims = options.keepdims});
  const Var divisor = counted_numbers(v, {.axis = options.axis, .keepdims = options.keepdims}) - options.correction;
  return squares / where(divisor > 0, divisor, kNotANumber);
}
Var nanstd(Arg x, VarianceOptions options) {
  const Site site("nanstd", x.at());
  return sqrt(nanvar(std::move(x), options));
}
Var nanargmax(Arg x, ArgOptions options) {
  const Site site("nanargmax", x.at());
  return argmax(without_nan(x, -kEndless), options);
}
Var nanargmin(Arg x, ArgOptions options) {
  const Site site("nanargmin", x.at());
  return argmin(without_nan(x, kEndless), options);
}
Var nancumsum(Arg x, CumulativeOptions options) {
  const Site site("nancumsum", x.at());
  return cumulative_sum(without_nan(x, 0), options);
}
Var nancumprod(Arg x, CumulativeOptions options) {
  const Site site("nancumprod", x.at());
  return cumulative_prod(without_nan(x, 1), options);
}

// --- several variables

namespace {

// Variables as rows.
Var variables(const Arg& x, const Arg& y, bool rows) {
  const auto matrix = [&](const Arg& a) {
    const Var v = fractional(a);
    if (v.rank() > 2) refuse(ErrorCode::bad_shape, cat("an operand is ", v.type(), ", expected a vector or matrix"));
    if (v.rank() < 2) return reshape(v, {1, -1});
    return rows ? v : matrix_transpose(v);
  };
  return y.absent() ? matrix(x) : concat({matrix(x), matrix(y)}, {.axis = 0});
}

Var covariance(const Var& v, double correction) {
  const Var centred = v - mean(v, {.axis = 1, .keepdims = true});
  const Var divisor = operand_like(v.dim(1), v.dtype()) - correction;
  return matmul(centred, matrix_transpose(centred)) / maximum(divisor, 0);
}

// One variable alone has one number.
Var without_single_axes(const Var& y) {
  return y.dim(0).is(1) ? squeeze(y, {0, 1}) : y;
}

}  // namespace

Var cov(Arg x, CovOptions options) {
  const Site site("cov", x.at());
  return without_single_axes(covariance(variables(x, options.y, options.rows), options.correction));
}

Var corrcoef(Arg x, CorrcoefOptions options) {
  const Site site("corrcoef", x.at());
  const Var c = covariance(variables(x, options.y, options.rows), 0);
  const Var deviation = sqrt(linalg::diagonal(c));
  const Var y = c / expand_dims(deviation, 1) / expand_dims(deviation, 0);
  return without_single_axes(clip(y, -1, 1));
}

ModeResult mode(Arg x, ModeOptions options) {
  const Site site("mode", x.at());
  const Var v = operand(x, Domain::real);
  const Var sorted = sort(moveaxis(v, axis_of(options.axis, v.rank()), -1));
  const Var equals = expand_dims(sorted, -1) == expand_dims(sorted, -2);
  const Var counts = sum(astype(equals, i64), {.axis = -1});
  const Var place = argmax(counts, {.axis = -1, .keepdims = true});  // the first, which is the least
  return {squeeze(take_along_axis(sorted, place), -1), squeeze(take_along_axis(counts, place), -1)};
}

// --- along an axis

namespace {

Var range_of(const Var& v, int axis, IndexRange range) {
  std::vector<Index> indices(static_cast<size_t>(v.rank()), slice());
  indices[static_cast<size_t>(axis)] = std::move(range);
  return Indexed(v, std::move(indices)).get();
}

// A vector along an axis of tensors of a rank.
Var along(const Var& v, int axis, int rank) {
  std::vector<int64_t> trailing;
  for (int i = axis + 1; i < rank; ++i) trailing.push_back(i - axis);
  return v.rank() == 1 && !trailing.empty() ? expand_dims(v, trailing) : v;
}

}  // namespace

Var trapezoid(Arg y, TrapezoidOptions options) {
  const Site site("trapezoid", y.at());
  const Var v = fractional(y);
  const int axis = axis_of(options.axis, v.rank());
  const Var pairs = range_of(v, axis, slice(1, {})) + range_of(v, axis, slice({}, -1));
  if (options.x.absent()) return sum(pairs, {.axis = axis}) * (options.dx / 2);
  const Var places = operand_like(options.x, v.dtype());
  const Var gaps = places.rank() == 1 ? along(diff(places), axis, v.rank()) : diff(places, {.axis = axis});
  return sum(pairs * gaps, {.axis = axis}) * 0.5;
}

Var gradient(Arg x, GradientAlongOptions options) {
  const Site site("gradient", x.at());
  const Var v = fractional(x);
  const int axis = axis_of(options.axis, v.rank());
  const Dim n = v.dim(axis);
  if (n.is_const() && n.value() < 2)
    refuse(ErrorCode::bad_shape, cat("axis ", axis, " of ", v.type(), " needs two elements"));
  const Var steps = range_of(v, axis, slice(1, {})) - range_of(v, axis, slice({}, -1));
  const Var spacing = cast_to(operand_like(options.spacing, v.dtype()), v.dtype());
  if (spacing.rank() > 1)
    refuse(ErrorCode::bad_shape, cat("the spacing is ", spacing.type(), ", expected rank 0 or 1"));
  const Var gaps = spacing.rank() ? along(diff(spacing), axis, v.rank()) : spacing;
  const Var slopes = steps / gaps;
  const Var first = range_of(slopes, axis, slice(1)), last = range_of(slopes, axis, slice(-1, {}));
  const Var left = range_of(slopes, axis, slice({}, -1)), right = range_of(slopes, axis, slice(1, {}));
  Var middle;
  if (spacing.rank()) {
    // Weighted by the other side's gap, as of a parabola through three points.
    const Var before = along(diff(spacing)[slice({}, -1)], axis, v.rank());
    const Var after = along(diff(spacing)[slice(1, {})], axis, v.rank());
    middle = (left * after + right * before) / (before + after);
  } else {
    middle = (range_of(v, axis, slice(2, {})) - range_of(v, axis, slice({}, -2))) / (spacing * 2);
  }
  return concat({first, middle, last}, {.axis = axis});
}

Var cummax(Arg x, CumulativeExtremeOptions options) {
  const Site site("cummax", x.at());
  return associative_scan([](Var a, Var b) { return maximum(a, b); }, {x}, {.axis = options.axis});
}
Var cummin(Arg x, CumulativeExtremeOptions options) {
  const Site site("cummin", x.at());
  return associative_scan([](Var a, Var b) { return minimum(a, b); }, {x}, {.axis = options.axis});
}

}  // namespace tc
