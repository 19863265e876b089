#include "tc/frontend/dsl/fft.h"

#include <algorithm>
#include <cmath>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/signal.h"

namespace tc::fft {

using namespace dsl;

namespace {

enum class Direction : uint8_t { forward, inverse };

Var pairs_of(const Arg& x) {
  const Var v = operand(x, Domain::floating);
  if (v.rank() < 1 || (v.dim(-1).is_const() && !v.dim(-1).is(2)))
    refuse(ErrorCode::bad_shape, cat("complex numbers are pairs along a last axis of extent 2, got ", v.type()),
           {"of real numbers: fft::rfft(x), or fft::complex(x, 0)"});
  return v;
}

// Real numbers as a last axis of extent 1.
Var reals_of(const Arg& x) {
  return expand_dims(operand(x, Domain::floating), -1);
}

// A floating-point scalar like x.
Var number(const Var& x, const Dim& n) {
  return n.is_const() ? operand_like(static_cast<double>(n.value()), x.dtype()) : astype(operand(n), x.dtype());
}

struct Length {
  Var elements;  // i64 scalar; undefined: that of the axis
  Dim dim;       // the same, unless it is a Var
};

Length length_of(const Extent& n) {
  if (n.dynamic()) return {astype(n.var(), i64), Dim()};
  if (n.dim().is_const() && n.dim().value() < 1)
    refuse(ErrorCode::bad_argument, cat("a transform of ", n.dim(), " elements"), {"n is at least 1"});
  return {astype(operand(n.dim()), i64), n.dim()};
}

// One axis (counted without the pairs) of x, [..., 1 or 2]; scaled as the norm says.
Var transformed(const Var& x, int64_t axis, const std::optional<Extent>& n, Direction direction, bool onesided,
                Norm norm) {
  const int at = axis_of(axis, x.rank() - 1);
  const bool inverse = direction == Direction::inverse;
  Length length;
  if (n)
    length = length_of(*n);
  else
    length.dim = inverse && onesided ? (x.dim(at) - Dim(1)) * Dim(2) : x.dim(at);
  const Var y = make<DFT>({x, length.elements, operand(at)}, {.inverse = inverse, .onesided = onesided});
  // The op divides in the inverse direction.
  if (norm == Norm::backward) return y;
  const Var count = n && n->dynamic() ? astype(length.elements, x.dtype()) : number(x, length.dim);
  if (norm == Norm::ortho) return inverse ? y * sqrt(count) : y / sqrt(count);
  return inverse ? y * count : y / count;
}

Norm swapped(Norm n) {
  return n == Norm::backward ? Norm::forward : n == Norm::forward ? Norm::backward : n;
}

struct AxisPlan {
  std::vector<int64_t> axes;
  std::vector<std::optional<Extent>> lengths;
};

AxisPlan plan_of(const FftnOptions& options, int rank) {
  AxisPlan plan;
  if (options.axes.all()) {
    const int count = options.s.empty() ? rank : static_cast<int>(options.s.size());
    if (count > rank) refuse(ErrorCode::bad_argument, cat(count, " lengths for rank ", rank));
    for (int i = rank - count; i < rank; ++i) plan.axes.push_back(i);
  }
  for (const int64_t a : options.axes.list()) {
    plan.axes.push_back(axis_of(a, rank));
    if (std::count(plan.axes.begin(), plan.axes.end(), plan.axes.back()) > 1)
      refuse(ErrorCode::bad_argument, cat("axis ", a, " is given twice"));
  }
  if (plan.axes.empty()) refuse(ErrorCode::bad_argument, "a scalar has no axes");
  if (!options.s.empty() && options.s.size() != plan.axes.size())
    refuse(ErrorCode::bad_argument, cat(options.s.size(), " lengths for ", plan.axes.size(), " axes"));
  plan.lengths.assign(options.s.begin(), options.s.end());
  plan.lengths.resize(plan.axes.size());
  return plan;
}

Var transformed_all(Var x, const AxisPlan& plan, size_t count, Direction direction, Norm norm) {
  for (size_t i = count; i-- > 0;) x = transformed(x, plan.axes[i], plan.lengths[i], direction, false, norm);
  return x;
}

// Half of the extents, rounded down, or up for the way back.
Var shifted(const Var& x, const Axes& axes, bool back) {
  Var y = x;
  for (const int64_t axis : axes_of(axes, x.rank())) {
    const Dim n = x.dim(static_cast<int>(axis)), half = floordiv(n, 2);
    const Dim start = back ? half : n - half;  // what comes first afterwards
    std::vector<Index> first(static_cast<size_t>(x.rank()), slice({}, {})), last = first;
    first[static_cast<size_t>(axis)] = slice(start, {});
    last[static_cast<size_t>(axis)] = slice({}, start);
    y = concat({Indexed(y, first).get(), Indexed(y, last).get()}, {.axis = axis});
  }
  return y;
}

Var frequencies(const Extent& n, Var places, const FrequencyOptions& options) {
  const DType t = options.dtype.value_or(f32);
  // One rounding at the end.
  const Var count = n.dynamic() ? astype(n.var(), f64) : astype(operand(n.dim()), f64);
  return astype(astype(places, f64) / (count * options.d), t);
}

}  // namespace

Var fft(Arg x, FftOptions options) {
  const Site site("fft.fft", x.at());
  return transformed(pairs_of(x), options.axis, options.n, Direction::forward, false, options.norm);
}

Var ifft(Arg x, FftOptions options) {
  const Site site("fft.ifft", x.at());
  return transformed(pairs_of(x), options.axis, options.n, Direction::inverse, false, options.norm);
}

Var fftn(Arg x, FftnOptions options) {
  const Site site("fft.fftn", x.at());
  const Var v = pairs_of(x);
  const AxisPlan plan = plan_of(options, v.rank() - 1);
  return transformed_all(v, plan, plan.axes.size(), Direction::forward, options.norm);
}

Var ifftn(Arg x, FftnOptions options) {
  const Site site("fft.ifftn", x.at());
  const Var v = pairs_of(x);
  const AxisPlan plan = plan_of(options, v.rank() - 1);
  return transformed_all(v, plan, plan.axes.size(), Direction::inverse, options.norm);
}

Var rfft(Arg x, FftOptions options) {
  const Site site("fft.rfft", x.at());
  return transformed(reals_of(x), options.axis, options.n, Direction::forward, true, options.norm);
}

Var irfft(Arg x, FftOptions options) {
  const Site site("fft.irfft", x.at());
  return squeeze(transformed(pairs_of(x), options.axis, options.n, Direction::inverse, true, options.norm), -1);
}

Var rfftn(Arg x, FftnOptions options) {
  const Site site("fft.rfftn", x.at());
  const Var v = reals_of(x);
  const AxisPlan plan = plan_of(options, v.rank() - 1);
  const size_t others = plan.axes.size() - 1;
  const Var half = transformed(v, plan.axes[others], plan.lengths[others], Direction::forward, true, options.norm);
  return transformed_all(half, plan, others, Direction::forward, options.norm);
}

Var irfftn(Arg x, FftnOptions options) {
  const Site site("fft.irfftn", x.at());
  const Var v = pairs_of(x);
  const AxisPlan plan = plan_of(options, v.rank() - 1);
  const size_t others = plan.axes.size() - 1;
  const Var half = transformed_all(v, plan, others, Direction::inverse, options.norm);
  return squeeze(transformed(half, plan.axes[others], plan.lengths[others], Direction::inverse, true, options.norm),
                 -1);
}

Var hfft(Arg x, FftOptions options) {
  const Site site("fft.hfft", x.at());
  options.norm = swapped(options.norm);
  return irfft(fft::conj(x), options);
}

Var ihfft(Arg x, FftOptions options) {
  const Site site("fft.ihfft", x.at());
  options.norm = swapped(options.norm);
  return fft::conj(rfft(x, options));
}

Var fftfreq(Extent n, FrequencyOptions options, Location at) {
  const Site site("fft.fftfreq", at);
  const Var count = n.dynamic() ? astype(n.var(), i64) : operand(Arg(n.dim(), at));
  const Var i = arange(count);
  return frequencies(n, where(i * 2 < count, i, i - count), options);
}

Var rfftfreq(Extent n, FrequencyOptions options, Location at) {
  const Site site("fft.rfftfreq", at);
  const Var count = n.dynamic() ? astype(n.var(), i64) : operand(Arg(n.dim(), at));
  return frequencies(n, arange(floor_divide(count, 2) + 1), options);
}

Var fftshift(Arg x, ShiftOptions options) {
  const Site site("fft.fftshift", x.at());
  return shifted(operand(x), options.axes, false);
}

Var ifftshift(Arg x, ShiftOptions options) {
  const Site site("fft.ifftshift", x.at());
  return shifted(operand(x), options.axes, true);
}

Var complex(Arg re, Arg im) {
  const Site site("fft.complex", re.at());
  const auto [r, i] = promoted(re, im, Domain::floating);
  return stack(broadcast_arrays({r, i}), {.axis = -1});
}

Var real(Arg pairs) {
  const Site site("fft.real", pairs.at());
  return pairs_of(pairs)[{ellipsis, 0}];
}

Var imag(Arg pairs) {
  const Site site("fft.imag", pairs.at());
  return pairs_of(pairs)[{ellipsis, 1}];
}

Var conj(Arg pairs) {
  const Site site("fft.conj", pairs.at());
  const Var v = pairs_of(pairs);
  return v * concat({ones({1}, {.dtype = v.dtype()}), -ones({1}, {.dtype = v.dtype()})});
}

}  // namespace tc::fft
