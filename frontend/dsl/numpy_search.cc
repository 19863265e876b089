#include "tc/frontend/dsl/numpy_search.h"

#include <cmath>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/search.h"

namespace tc {

using namespace dsl;

namespace {

void expect_rank_1(const Var& v, std::string_view what) {
  if (v.rank() != 1) refuse(ErrorCode::bad_shape, cat(what, " are ", v.type(), ", expected rank 1"));
}

// counts[place] of flat places, or sums of weights.
Var counted_at(const Var& places, const Var& length, const Arg& weights) {
  if (weights.absent()) return zeros({length}, {.dtype = i64}).at(places).add(1);
  const Var w = flatten(weights);
  return zeros({length}, {.dtype = w.dtype()}).at(places).add(w);
}

}  // namespace

Var bincount(Arg x, BincountOptions options) {
  const Site site("bincount", x.at());
  const Var v = astype(operand(x, Domain::integer), i64);
  expect_rank_1(v, "the elements");
  check(v >= 0, "bincount of a negative number");
  const Var longest = max(concat({asarray(ints({options.minlength - 1})), v})) + 1;  // also of no elements
  return counted_at(v, longest, options.weights);
}

Var digitize(Arg x, Arg edges, DigitizeOptions options) {
  const Site site("digitize", x.at());
  const auto [v, bins] = promoted(x, edges, Domain::real);
  expect_rank_1(bins, "the edges");
  const Dim n = bins.dim(0);
  const SearchOptions side{.side = options.right ? Side::left : Side::right};
  if (n.is_const() && n.value() < 2) return searchsorted(bins, v, side);
  // Of descending edges the places count from the end.
  const Var descends = bins[-1] < bins[0];
  const Var place = searchsorted(where(descends, flip(bins), bins), v, side);
  return where(descends, operand(Arg(n)) - place, place);
}

namespace {

Var as_density(const Var& counts, const Var& edges) {
  const DType t = dtypes::floats.has(counts.dtype()) ? counts.dtype() : edges.dtype();
  const Var values = astype(counts, t);
  return values / astype(diff(edges), t) / sum(values);
}

}  // namespace

HistogramResult histogram(Arg x, int64_t bins, HistogramOptions options) {
  const Site site("histogram", x.at());
  if (bins < 1) refuse(ErrorCode::bad_argument, cat(bins, " bins"));
  const Var given = flatten(operand(x, Domain::real));
  const Var v = dtypes::floats.has(given.dtype()) ? given : astype(given, f64);
  Var low, high;
  if (options.range) {
    if (!(options.range->first <= options.range->second))
      refuse(ErrorCode::bad_argument, cat("a range from ", options.range->first, " to ", options.range->second));
    low = astype(options.range->first, v.dtype()), high = astype(options.range->second, v.dtype());
  } else {
    low = min(v), high = max(v);
  }
  const Var point = low == high;  // gets a width of 1
  low = where(point, low - 0.5, low), high = where(point, high + 0.5, high);
  const Var edges = linspace(low, high, bins + 1, {.dtype = v.dtype()});
  const Var inside = (v >= low) & (v <= high);
  const Var guess = astype(where(inside, (v - low) / (high - low), 0) * static_cast<double>(bins), i64);
  Var place = clip(guess, 0, bins - 1);
  // Rounding may have put an element into a neighbour of the bin that the edges say.
  place = place - astype((v < take(edges, place)) & (place > 0), i64);
  place = place + astype((v >= take(edges, place + 1)) & (place < bins - 1), i64);
  // One more bin takes what is outside.
  const Var all = counted_at(where(inside, place, bins), asarray(bins + 1), options.weights);
  const Var counts = all[slice({}, bins)];
  return {options.density ? as_density(counts, edges) : counts, edges};
}

HistogramResult histogram_by_edges(Arg x, Arg edges, HistogramEdgeOptions options) {
  const Site site("histogram_by_edges", x.at());
  const auto [values, ends] = promoted(x, edges, Domain::real);
  const Var v = flatten(values);
  expect_rank_1(ends, "the edges");
  const Var bins = squeeze(shape_of(ends), 0) - 1;
  const Var place = searchsorted(ends, v, {.side = Side::right}) - 1;
  const Var last = v == ends[-1];
  const Var inside = (v >= ends[0]) & (v <= ends[-1]);
  const Var counts =
      counted_at(where(inside, where(last, bins - 1, place), bins), bins + 1, options.weights)[slice({}, -1)];
  return {options.density ? as_density(counts, ends) : counts, ends};
}

Var interp(Arg x, Arg xp, Arg fp, InterpolateOptions options) {
  const Site site("interp", x.at());
  std::vector<Var> all = promoted({x, xp, fp}, Domain::real);
  if (!dtypes::floats.has(all[0].dtype()))
    for (Var& v : all) v = astype(v, f32);
  Var v = all[0], places = all[1], values = all[2];
  expect_rank_1(places, "the places"), expect_rank_1(values, "the values");
  if (options.period) {
    if (!options.left.absent() || !options.right.absent())
      refuse(ErrorCode::bad_argument, "a periodic function has no ends");
    const double period = std::abs(*options.period);
    v = remainder(v, period), places = remainder(places, period);
    const Var order = argsort(places);
    places = take(places, order), values = take(values, order);
    places = concat({places[slice(-1, {})] - period, places, places[slice(1)] + period});
    values = concat({values[slice(-1, {})], values, values[slice(1)]});
  }
  const Dim n = places.dim(0);
  if (n.is(0)) refuse(ErrorCode::bad_shape, "there are no points");
  const DType t = v.dtype();
  const auto outside = [&](const Arg& given, int64_t place) {
    return given.absent() ? values[place] : cast_to(operand_like(given, t), t);
  };
  const Var right_place = minimum(maximum(searchsorted(places, v, {.side = Side::right}), 1), operand(Arg(n)) - 1);
  const Var next = maximum(right_place, 0), before = maximum(next - 1, 0);
  const Var x0 = take(places, before), y0 = take(values, before), y1 = take(values, next);
  const Var gap = take(places, next) - x0;
  const Var slope = (y1 - y0) / where(gap == 0, 1, gap);
  const Var inside = y0 + slope * (v - x0);
  const Var y =
      where(v < places[0], outside(options.left, 0), where(v > places[-1], outside(options.right, -1), inside));
  return where(v == places[-1], values[-1], y);
}

Var isin(Arg x, Arg test, IsinOptions options) {
  const Site site("isin", x.at());
  auto [v, set] = promoted(x, test);
  set = flatten(set);
  const Dim n = set.dim(0);
  Var found;
  constexpr int64_t kCompareAll = 32;  // of so few, comparisons are less work than a search
  if (n.is(0)) {
    found = full(v.shape(), false);
  } else if ((n.is_const() && n.value() <= kCompareAll) || !dtypes::numeric.has(set.dtype())) {
    found = any(expand_dims(v, -1) == set, {.axis = -1});
  } else {
    // A sentinel that is there already makes the set one that is not empty.
    const Var sorted = sort(set);
    const Var place = searchsorted(sorted, v);
    const Var last = operand(Arg(n)) - 1;
    found =
        (place <= last) & (take(concat({sorted, zeros({1}, {.dtype = set.dtype()})}), minimum(place, last + 1)) == v);
  }
  return options.invert ? ~found : found;
}

Var union1d(Arg a, Arg b) {
  const Site site("union1d", a.at());
  return unique_values(concat({a, b}, {.axis = {}}));
}
Var intersect1d(Arg a, Arg b) {
  const Site site("intersect1d", a.at());
  const auto [x, y] = promoted(a, b);
  const Var own = unique_values(x);
  return own[isin(own, y)];
}
Var setdiff1d(Arg a, Arg b) {
  const Site site("setdiff1d", a.at());
  const auto [x, y] = promoted(a, b);
  const Var own = unique_values(x);
  return own[isin(own, y, {.invert = true})];
}
Var setxor1d(Arg a, Arg b) {
  const Site site("setxor1d", a.at());
  const auto [x, y] = promoted(a, b);
  return unique_values(concat({setdiff1d(x, y), setdiff1d(y, x)}));
}

namespace {

void expect_place(int64_t k, const Var& v, int64_t along) {
  const int axis = axis_of(along, v.rank());
  const Dim d = v.dim(axis);
  if (d.is_const() && (k < -d.value() || k >= d.value()))
    refuse(ErrorCode::bad_argument, cat("element ", k, " is out of range for axis ", axis, " of ", v.type()));
}

}  // namespace

Var partition(Arg x, int64_t k, PartitionOptions options) {
  const Site site("partition", x.at());
  const Var v = operand(x, Domain::real);
  expect_place(k, v, options.axis);
  return sort(v, {.axis = options.axis});
}
Var argpartition(Arg x, int64_t k, PartitionOptions options) {
  const Site site("argpartition", x.at());
  const Var v = operand(x, Domain::real);
  expect_place(k, v, options.axis);
  return argsort(v, {.axis = options.axis});
}
Var lexsort(const Args& keys, LexsortOptions options) {
  const Site site("lexsort", location_of(keys));
  if (keys.empty()) refuse(ErrorCode::bad_argument, "there are no keys");
  Var order;
  for (const Arg& a : keys) {
    const Var key = operand(a, Domain::real);
    const int64_t axis = axis_of(options.axis, key.rank());
    if (!order.defined())
      order = argsort(key, {.axis = axis});
    else  // sorting is stable: what was in order stays so
      order =
          take_along_axis(order, argsort(take_along_axis(key, order, {.axis = axis}), {.axis = axis}), {.axis = axis});
  }
  return order;
}

}  // namespace tc
