#include <cmath>
#include <limits>

#include "tc/ir/eval/correlate.h"
#include "tc/ir/eval/eval.h"

namespace tc {
namespace {

WindowAxes pool_axes(const EvalContext& ctx, const WindowSpec& spec, const Tensor& x) {
  if (x.rank() != spec.rank() + 2)
    ctx.fail(ErrorCode::bad_shape, "the input is ", x.type(), ", the window has ", spec.rank(), " axes");
  return window_axes(ctx, spec, std::span(x.extents()).subspan(2));
}

Extents result_extents(const Tensor& x, const WindowAxes& axes) {
  Extents e{x.extent(0), x.extent(1)};
  for (const auto& a : axes) e.push_back(a.out);
  return e;
}

// Runs a reducer over every window of every plane. Per window: start(), add(place in the plane) for the elements in the
// plane, in row-major order, then finish(result index, plane, number of taps inside the padded extents).
template <class Reducer>
void for_windows(const WindowAxes& axes, int64_t planes, Reducer& reducer) {
  const auto out = out_extents(axes);
  const int64_t windows = element_count(out);
  const size_t n = axes.size();
  // Per axis: the places of the taps that are inside; and how many lie within the padding's bounds.
  std::vector<std::vector<int64_t>> places(n);
  std::vector<int64_t> coordinate(n);
  BoxWalk window(out, 0);
  for (int64_t plane = 0; plane < planes; ++plane)
    for (int64_t o = 0; o < windows; ++o, window.next()) {
      double padded = 1;  // may exceed 64 bits: kernels and pads are only attributes
      for (size_t i = 0; i < n; ++i) {
        const auto& a = axes[i];
        const int64_t first = window[i] * a.stride - a.pad_begin, end = a.in + a.pad_end;
        places[i].clear();
        int64_t within = 0;
        // Taps in the padding need not be visited: there may be many more of them than elements.
        const int64_t skip = first < 0 ? (-first + a.dilation - 1) / a.dilation : 0;
        for (int64_t k = skip; k < a.kernel && first + k * a.dilation < a.in; ++k)
          places[i].push_back(first + k * a.dilation);
        if (first < end) within = std::min(a.kernel, (end - first + a.dilation - 1) / a.dilation);
        padded *= static_cast<double>(within);
      }
      reducer.start();
      bool empty = false;
      for (const auto& p : places) empty |= p.empty();
      if (!empty) {
        std::fill(coordinate.begin(), coordinate.end(), 0);
        for (bool more = true; more;) {
          int64_t row = 0;
          for (size_t i = 0; i + 1 < n; ++i) row = row * axes[i].in + places[i][static_cast<size_t>(coordinate[i])];
          row *= axes[n - 1].in;
          for (const int64_t p : places[n - 1]) reducer.add(plane, row + p);
          more = false;
          for (size_t i = n - 1; i-- > 0;) {
            if (++coordinate[i] < static_cast<int64_t>(places[i].size())) {
              more = true;
              break;
            }
            coordinate[i] = 0;
          }
        }
      }
      reducer.finish(plane, plane * windows + o, padded);
    }
}

template <class W>
struct MaxReducer {
  const std::vector<W>& x;
  int64_t plane_size;
  W lowest;
  std::vector<W> y;
  std::vector<int64_t> at;
  W best{};
  int64_t place = -1;

  void start() { best = lowest, place = -1; }
  void add(int64_t plane, int64_t p) {
    const W v = x[static_cast<size_t>(plane * plane_size + p)];
    if (place < 0 || v > best || (v != v && best == best)) best = v, place = p;
  }
  void finish(int64_t, int64_t result, double) {
    y[static_cast<size_t>(result)] = best;
    at[static_cast<size_t>(result)] = place;
  }
};

struct SumReducer {
  const std::vector<double>& x;
  int64_t plane_size;
  double p;  // exponent of magnitudes; 0: plain sum and mean
  bool count_include_pad;
  std::vector<double> y;
  double sum = 0;
  int64_t count = 0;

  void start() { sum = 0, count = 0; }
  void add(int64_t plane, int64_t place) {
    const double v = x[static_cast<size_t>(plane * plane_size + place)];
    sum += p == 0 ? v : p == 1 ? std::abs(v) : p == 2 ? v * v : std::pow(std::abs(v), p);
    ++count;
  }
  void finish(int64_t, int64_t result, double padded) {
    const double divisor = count_include_pad ? padded : static_cast<double>(count);
    y[static_cast<size_t>(result)] = p == 0 ? sum / divisor : p == 2 ? std::sqrt(sum) : std::pow(sum, 1 / p);
  }
};

int64_t plane_size(const Tensor& x) {
  return element_count(Extents(x.extents().begin() + 2, x.extents().end()));
}

// A row-major place in a plane as a column-major one.
int64_t column_major(int64_t place, const WindowAxes& axes) {
  const BoxWalk at(in_extents(axes), place);
  int64_t result = 0;
  for (size_t i = axes.size(); i-- > 0;) result = result * axes[i].in + at[i];
  return result;
}

template <class Op>
void eval_sum_pool(EvalContext& ctx, double p, bool count_include_pad) {
  const Tensor& x = ctx.in(0);
  const auto& a = ctx.attrs<Op>();
  const WindowAxes axes = pool_axes(ctx, window_spec(ctx, a, a.kernel_shape), x);
  const auto xs = ctx.read<double>(0);
  const Extents result = result_extents(x, axes);
  SumReducer reducer{xs, plane_size(x), p, count_include_pad,
                     std::vector<double>(static_cast<size_t>(element_count(result)))};
  for_windows(axes, x.extent(0) * x.extent(1), reducer);
  ctx.write(0, result, reducer.y);
}

double checked_p(const EvalContext& ctx, int64_t p) {
  if (p < 1) ctx.fail(ErrorCode::bad_attribute, "p is ", p, ", expected 1 or more");
  return static_cast<double>(p);
}

// f(plane's elements) for every plane.
template <class F>
void eval_global(EvalContext& ctx, const F& f) {
  const Tensor& x = ctx.in(0);
  if (x.rank() < 2) ctx.fail(ErrorCode::bad_shape, "the input must have batch and channels, got ", x.type());
  const auto xs = ctx.read<double>(0);
  const auto plane = static_cast<size_t>(plane_size(x));
  Extents result(x.extents().size(), 1);
  result[0] = x.extent(0), result[1] = x.extent(1);
  std::vector<double> y(static_cast<size_t>(element_count(result)));
  for (size_t i = 0; i < y.size(); ++i) y[i] = f(std::span(xs).subspan(i * plane, plane));
  ctx.write(0, result, y);
}

}  // namespace

template <>
void eval<MaxPool>(EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const auto& a = ctx.attrs<MaxPool>();
  const WindowAxes axes = pool_axes(ctx, window_spec(ctx, a, a.kernel_shape), x);
  const Extents result = result_extents(x, axes);
  const auto count = static_cast<size_t>(element_count(result));
  visit_real(x.dtype(), [&]<class W>() {
    const auto xs = ctx.read<W>(0);
    const W lowest = std::is_same_v<W, double> ? -std::numeric_limits<W>::infinity()
                     : x.dtype() == DType::i8  ? W(-128)
                                               : W(0);
    MaxReducer<W> reducer{xs, plane_size(x), lowest, std::vector<W>(count), std::vector<int64_t>(count)};
    for_windows(axes, x.extent(0) * x.extent(1), reducer);
    ctx.write(0, result, reducer.y);
    if (ctx.num_results() < 2) return;
    const int64_t windows = element_count(out_extents(axes));
    for (size_t i = 0; i < count; ++i) {
      int64_t& at = reducer.at[i];
      if (at < 0) continue;  // a window of nothing but padding
      if (a.storage_order == 1) at = column_major(at, axes);
      at += static_cast<int64_t>(i) / windows * reducer.plane_size;
    }
    ctx.write(1, result, reducer.at);
  });
}

template <>
void eval<AveragePool>(EvalContext& ctx) {
  eval_sum_pool<AveragePool>(ctx, 0, ctx.attrs<AveragePool>().count_include_pad);
}

template <>
void eval<LpPool>(EvalContext& ctx) {
  eval_sum_pool<LpPool>(ctx, checked_p(ctx, ctx.attrs<LpPool>().p), false);
}

template <>
void eval<GlobalAveragePool>(EvalContext& ctx) {
  eval_global(ctx, [](std::span<const double> x) {
    double sum = 0;
    for (const double v : x) sum += v;
    return sum / static_cast<double>(x.size());
  });
}

template <>
void eval<GlobalMaxPool>(EvalContext& ctx) {
  eval_global(ctx, [](std::span<const double> x) {
    double best = -std::numeric_limits<double>::infinity();
    for (const double v : x)
      if (v > best || std::isnan(v)) best = v;
    return best;
  });
}

template <>
void eval<GlobalLpPool>(EvalContext& ctx) {
  const double p = checked_p(ctx, ctx.attrs<GlobalLpPool>().p);
  eval_global(ctx, [p](std::span<const double> x) {
    double sum = 0;
    for (const double v : x) sum += std::pow(std::abs(v), p);
    return std::pow(sum, 1 / p);
  });
}

template <>
void eval<MaxUnpool>(EvalContext& ctx) {
  const auto& a = ctx.attrs<MaxUnpool>();
  const Tensor& x = ctx.in(0);
  if (x.rank() != static_cast<int>(a.kernel_shape.size()) + 2 || ctx.in(1).extents() != x.extents())
    ctx.fail(ErrorCode::bad_shape, "indices ", ctx.in(1).type(), " do not fit input ", x.type());
  Extents natural{x.extent(0), x.extent(1)};
  for (int i = 2; i < x.rank(); ++i) natural.push_back(unpooled_extent(ctx, a, i - 2, x.extent(i)).value());
  const Extents result = ctx.has(2) ? ctx.ints(2) : natural;
  if (result.size() != natural.size())
    ctx.fail(ErrorCode::bad_value, "output_shape has ", result.size(), " entries, expected ", natural.size());
  for (const int64_t e : result)
    if (e < 0) ctx.fail(ErrorCode::bad_value, "output_shape holds ", e);
  Tensor& out = ctx.out(0, result);
  const auto xs = ctx.read<double>(0);
  const auto indices = ctx.ints(1);
  const int64_t size = element_count(natural);
  std::vector<double> y(static_cast<size_t>(out.size()));
  for (size_t i = 0; i < xs.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= size)
      ctx.fail(ErrorCode::bad_value, "index ", indices[i], " is outside ", size, " elements");
    const BoxWalk at(natural, indices[i]);
    int64_t place = 0;
    for (size_t k = 0; k < natural.size() && place >= 0; ++k)
      place = at[k] >= result[k] ? -1 : place * result[k] + at[k];
    if (place >= 0) y[static_cast<size_t>(place)] = xs[i];
  }
  narrow(y, out);
}

}  // namespace tc
