#include "tc/ir/ops/reduce.h"

#include <cmath>
#include <limits>

#include "tc/ir/eval/axis.h"
#include "tc/ir/eval/broadcast.h"
#include "tc/ir/eval/wrap.h"

namespace tc {
namespace {

template <class W>
W magnitude(W x) {
  return x < 0 ? subtract(W(0), x) : x;
}

template <class W>
W mean(W sum, int64_t n) {
  if constexpr (std::is_integral_v<W>) {
    if (n == 0) fail(ErrorCode::bad_value, "the mean of no integers");
    return sum / static_cast<W>(n);
  } else {
    return sum / static_cast<W>(n);
  }
}

template <class W>
W by_double(W x, double (*f)(double)) {
  const double y = f(static_cast<double>(x));
  if constexpr (std::is_integral_v<W>)
    return std::isfinite(y) ? static_cast<W>(static_cast<int64_t>(y)) : y < 0 ? std::numeric_limits<W>::min() : W(0);
  else
    return y;
}

// What the maximum of nothing is: -infinity, or the least integer of the element type.
template <class W>
W lowest(DType t) {
  if constexpr (std::is_floating_point_v<W>)
    return -std::numeric_limits<W>::infinity();
  else if constexpr (std::is_signed_v<W>)
    return t == DType::boolean ? 0 : static_cast<W>(-1) * (W(1) << (tc::info(t).bits - 2)) * 2;
  else
    return 0;
}
template <class W>
W highest(DType t) {
  if constexpr (std::is_floating_point_v<W>)
    return std::numeric_limits<W>::infinity();
  else if constexpr (std::is_signed_v<W>)
    return t == DType::boolean ? 1 : static_cast<W>(-(lowest<W>(t) + 1));
  else
    return std::numeric_limits<W>::max() >> (64 - tc::info(t).bits);
}

struct Reduction {
  Extents in, out;    // out without the reduced axes, or with 1 for them
  Extents strides;    // of the result, along the operand's axes
  int64_t count = 1;  // elements per result

  explicit Reduction(EvalContext& ctx) {
    const auto& attrs = ReduceOp::attrs_of(ctx.node());
    in = ctx.in(0).extents();
    const std::vector<int64_t> axes = ctx.has(1) ? ctx.ints(1) : std::vector<int64_t>();
    const auto reduced = reduced_axes(&axes, static_cast<int>(in.size()), attrs.noop_with_empty_axes);
    Extents kept = in;
    for (size_t i = 0; i < in.size(); ++i) {
      if (reduced[i]) kept[i] = 1, count *= in[i];
      if (!reduced[i] || attrs.keepdims) out.push_back(kept[i]);
    }
    strides = broadcast_strides(kept, in);
  }
  // f(operand element, result element)
  template <class F>
  void for_each(F&& f) const {
    for_each_broadcast<1>(in, {strides}, [&](size_t i, const auto& at) { f(i, static_cast<size_t>(at[0])); });
  }
};

template <class W, class Start, class Step, class Finish>
void reduce(EvalContext& ctx, Start start, Step step, Finish finish) {
  const Reduction r(ctx);
  Tensor& out = ctx.out(0, r.out);
  const auto x = ctx.read<W>(0);
  std::vector<W> a(static_cast<size_t>(out.size()), start(ctx.in(0).dtype()));
  r.for_each([&](size_t i, size_t j) { a[j] = step(a[j], x[i]); });
  for (W& v : a) v = finish(v, r.count);
  narrow(a, out);
}

template <class Better>
void arg_extreme(EvalContext& ctx, Better better) {
  const auto& attrs = ArgExtreme::attrs_of(ctx.node());
  const Tensor& t = ctx.in(0);
  const int axis = ctx.axis(attrs.axis, t.rank());
  const AxisView view(t.extents(), axis);
  Extents extents = t.extents();
  if (attrs.keepdims)
    extents[static_cast<size_t>(axis)] = 1;
  else
    extents.erase(extents.begin() + axis);
  if (view.length == 0 && element_count(extents) > 0)
    ctx.fail(ErrorCode::bad_value, "an extreme of no elements: axis ", axis, " of ", t.type());
  visit_real(t.dtype(), [&]<class W>() {
    const auto x = ctx.read<W>(0);
    std::vector<int64_t> result;
    if (view.length > 0)
      view.for_each_line([&](size_t start, size_t stride) {
        size_t best = 0;
        for (size_t i = 1; i < static_cast<size_t>(view.length); ++i) {
          const W candidate = x[start + i * stride], current = x[start + best * stride];
          const bool nan = candidate != candidate, had_nan = current != current;
          const bool equal = candidate == current || (nan && had_nan);
          if (equal ? attrs.select_last_index : !had_nan && (nan || better(candidate, current))) best = i;
        }
        result.push_back(static_cast<int64_t>(best));
      });
    ctx.write(0, extents, result);
  });
}

template <class F>
void running(EvalContext& ctx, int identity, F&& f) {
  const auto& attrs = RunningOp::attrs_of(ctx.node());
  const Tensor& t = ctx.in(0);
  const auto axes = ctx.ints(1);
  if (axes.size() != 1)
    ctx.fail(ErrorCode::bad_shape, "operand 'axis' of ", ctx.node().op(), " must be one number, got ",
             ctx.in(1).type());
  const AxisView view(t.extents(), ctx.axis(axes[0], t.rank()));
  visit_real(t.dtype(), [&]<class W>() {
    const auto x = ctx.read<W>(0);
    std::vector<W> y(x.size());
    view.for_each_line([&](size_t start, size_t stride) {
      W a = static_cast<W>(identity);
      for (size_t i = 0; i < static_cast<size_t>(view.length); ++i) {
        const size_t at = start + (attrs.reverse ? static_cast<size_t>(view.length) - 1 - i : i) * stride;
        const W next = f(a, x[at]);
        y[at] = attrs.exclusive ? a : next;
        a = next;
      }
    });
    ctx.write(0, t.extents(), y);
  });
}

}  // namespace

#define TC_REDUCE(Name, spelling, since, types, doc, start, step, finish)                               \
  template <>                                                                                           \
  void eval<Name>(EvalContext & ctx) {                                                                  \
    visit_real(ctx.in(0).dtype(), [&]<class W>() {                                                      \
      reduce<W>(                                                                                        \
          ctx, []([[maybe_unused]] DType t) -> W { return start; }, [](W a, W x) -> W { return step; }, \
          [](W a, [[maybe_unused]] int64_t n) -> W { return finish; });                                 \
    });                                                                                                 \
  }
#define TC_REDUCE_OTHER(Name, spelling, since, types, doc)
#include "tc/ir/ops/reduce.def"

template <>
void eval<ReduceLogSumExp>(EvalContext& ctx) {
  const Reduction r(ctx);
  Tensor& out = ctx.out(0, r.out);
  const auto x = ctx.read<double>(0);
  std::vector<double> most(static_cast<size_t>(out.size()), -INFINITY), sum(most.size(), 0.0);
  r.for_each([&](size_t i, size_t j) { most[j] = most[j] > x[i] || std::isnan(most[j]) ? most[j] : x[i]; });
  // Of infinities only the sign counts: inf - inf must not become a NaN.
  r.for_each([&](size_t i, size_t j) {
    sum[j] += std::isinf(most[j]) ? (x[i] == most[j] && most[j] > 0) : std::exp(x[i] - most[j]);
  });
  for (size_t j = 0; j < sum.size(); ++j) sum[j] = std::isinf(most[j]) ? most[j] : most[j] + std::log(sum[j]);
  narrow(sum, out);
}

template <>
void eval<ArgMax>(EvalContext& ctx) {
  arg_extreme(ctx, [](auto a, auto b) { return a > b; });
}

template <>
void eval<ArgMin>(EvalContext& ctx) {
  arg_extreme(ctx, [](auto a, auto b) { return a < b; });
}

template <>
void eval<CumSum>(EvalContext& ctx) {
  running(ctx, 0, [](auto a, auto x) { return add(a, x); });
}

template <>
void eval<CumProd>(EvalContext& ctx) {
  running(ctx, 1, [](auto a, auto x) { return multiply(a, x); });
}

}  // namespace tc
