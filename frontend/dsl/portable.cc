#include "tc/frontend/dsl/portable.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "tc/frontend/dsl/creation.h"
#include "tc/frontend/dsl/custom.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/random_math.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::portable {

using namespace dsl;

namespace {

Var real_operand(const Arg& x) {
  const Var v = operand(x, Domain::floating);
  if (v.dtype() != f32 && v.dtype() != f64)
    refuse(ErrorCode::bad_type, cat("an operand is ", v.type(), ", expected f32 or f64"));
  return v;
}

Var table_of(const std::vector<double>& values, DType t) {
  return astype(asarray(Tensor::of<double>({static_cast<int64_t>(values.size())}, values)), t);
}

// 2^n of whole n from -32 `blocks` (-16 for f32) to below that, by two tables.
Var power_of_two_by_tables(const Var& n) {
  const DType t = n.dtype();
  const int step = t == f32 ? 16 : 32, blocks = t == f32 ? 7 : 31;
  std::vector<double> coarse, fine;
  for (int h = -blocks; h <= blocks; ++h) coarse.push_back(std::ldexp(1, step * h));
  for (int l = 0; l < step; ++l) fine.push_back(std::ldexp(1, l));
  const Var block = floor(n * (1.0 / step));
  const Var rest = n - block * step;
  return take(table_of(fine, t), astype(rest, i64), {.axis = 0}) *
         take(table_of(coarse, t), astype(block + blocks, i64), {.axis = 0});
}

Var exp_of(const Var& x) {
  const bool narrow = x.dtype() == f32;
  const double top = narrow ? 127 : 1023, bottom = narrow ? -112 : -992;
  // A NaN is not inside: tables have no place for it.
  const Var inside = (x >= (bottom + 1) * std::numbers::ln2) & (x <= top * std::numbers::ln2);
  const random::Parts p = random::exp_parts(where(inside, x, 0));
  const Var y = p.mantissa * power_of_two_by_tables(p.exponent);
  return where(inside, y, where(x > 0, std::numeric_limits<double>::infinity(), where(x < 0, 0, x)));
}

// exp(-|x|), of which both are made, and 1 + that.
Var falling(const Var& x) {
  return exp_of(-abs(x));
}

Var expit_of(const Var& x) {
  const Var e = falling(x);
  return where(x < 0, e, 1) / (e + 1);
}

// log(1 + e) of e in [0, 1], with relative accuracy: m - 1 is exact, where m is 1 + e or its half.
Var log_1_plus(const Var& e) {
  const Var far = e > std::numbers::sqrt2 - 1;
  const Var s = where(far, e - 1, e) / where(far, e + 3, e + 2);
  return random::log_by_ratio(s, where(far, astype(1, e.dtype()), 0));
}

Var log1pexp_of(const Var& x) {
  return maximum(x, 0) + log_1_plus(falling(x));
}

// Few numbers find their exponents by comparison with all powers of two, many by halving the interval: fewer nodes, or
// less memory.
Var log_of_positive(const Var& x) {
  const DType t = x.dtype();
  constexpr int kLast = 127;
  const double least = std::ldexp(1, -kLast), most = std::ldexp(1, kLast);
  const Var inside = where(x < least, least, where(x > most, most, x));
  if (!x.size().is_const() || x.size().value() > 256) return random::log_any(inside);
  std::vector<double> limits, scales;
  for (int n = -kLast; n <= kLast; ++n) limits.push_back(std::ldexp(std::numbers::sqrt2, n - 1));
  for (int n = -kLast - 1; n <= kLast; ++n) scales.push_back(std::ldexp(1, -n));
  const Var place = tc::sum(astype(expand_dims(inside, -1) >= table_of(limits, t), i64), {.axis = -1});
  return random::log_of({inside * take(table_of(scales, t), place, {.axis = 0}), astype(place - (kLast + 1), t)});
}

}  // namespace

Var exp(Arg x) {
  const Site site("portable.exp", x.at());
  return custom_vjp(exp_of, [](Var, Var y, Var v) { return v * y; })(real_operand(x));
}

Var log(Arg x) {
  const Site site("portable.log", x.at());
  return custom_vjp(log_of_positive, [](Var a, Var, Var v) { return v / a; })(real_operand(x));
}

Var expit(Arg x) {
  const Site site("portable.expit", x.at());
  return custom_vjp(expit_of, [](Var, Var y, Var v) { return v * (y * (1 - y)); })(real_operand(x));
}

Var log1pexp(Arg x) {
  const Site site("portable.log1pexp", x.at());
  return custom_vjp(log1pexp_of, [](Var a, Var, Var v) { return v * expit_of(a); })(real_operand(x));
}

Var sum(Arg x, ReduceOptions options) {
  const Site site("portable.sum", x.at());
  const Var v = real_operand(x);
  const std::vector<int64_t> axes = axes_of(options.axis, v.rank());
  if (axes.empty()) return v;
  for (const int64_t axis : axes)
    if (!v.dim(static_cast<int>(axis)).is_const())
      refuse(ErrorCode::bad_shape, cat("axis ", axis, " of ", v.type(), " is summed and has no fixed extent"));
  // One axis of all that are summed, behind the others.
  Dims kept, left;
  std::vector<int64_t> last;
  int64_t extent = 1;
  for (int i = 0; i < v.rank(); ++i) {
    const bool summed = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (summed) extent *= v.dim(i).value();
    if (!summed) left.push_back(v.dim(i));
    kept.push_back(summed ? Dim(1) : v.dim(i));
  }
  for (size_t i = 0; i < axes.size(); ++i) last.push_back(-static_cast<int64_t>(axes.size() - i));
  Dims flat = left;
  flat.push_back(extent);
  const Var moved = reshape(moveaxis(v, Axes(axes), Axes(last)), flat);
  const Var y = extent == 0 ? zeros_like(tc::sum(moved, {.axis = -1})) : random::ordered_sum(moved);
  return reshape(y, options.keepdims ? kept : left);
}

Var broadcast_to(Arg x, ShapeArg shape) {
  const Site site("portable.broadcast_to", x.at());
  if (!shape.dims()) refuse(ErrorCode::bad_shape, "the extents are not known");
  const auto f = [shape](Var v) { return tc::broadcast_to(v, shape); };
  return custom_vjp(f, [](Var v, Var, Var g) {
    const int extra = g.rank() - v.rank();
    std::vector<int64_t> axes;
    for (int i = 0; i < g.rank(); ++i)
      if (i < extra || (v.dim(i - extra).is(1) && !g.dim(i).is(1))) axes.push_back(i);
    const Var y = axes.empty() ? g : portable::sum(g, {.axis = axes, .keepdims = true});
    return reshape(y, v.shape());
  })(real_operand(x));
}

}  // namespace tc::portable
