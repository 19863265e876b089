#include "tc/ir/eval/softmax.h"

#include <cmath>

#include "tc/ir/eval/axis.h"
#include "tc/ir/eval/eval.h"

namespace tc {
namespace {

// f(line) rewrites the elements along the axis in place.
template <class F>
void map_lines(std::vector<double>& x, const AxisView& view, F&& f) {
  if (x.empty()) return;
  std::vector<double> line(static_cast<size_t>(view.length));
  view.for_each_line([&](size_t start, size_t stride) {
    for (size_t i = 0; i < line.size(); ++i) line[i] = x[start + i * stride];
    f(line);
    for (size_t i = 0; i < line.size(); ++i) x[start + i * stride] = line[i];
  });
}

template <class F>
void map_lines(EvalContext& ctx, F&& f) {
  const Tensor& t = ctx.in(0);
  const AxisView view(t.extents(), ctx.axis(AlongAxis::attrs_of(ctx.node()).axis, std::max(t.rank(), 1)));
  Tensor& out = ctx.out(0, t.extents());
  auto x = ctx.read<double>(0);
  map_lines(x, view, f);
  narrow(x, out);
}

// x - max(x); returns sum(e^x) of the result.
double shift(std::vector<double>& x) {
  double most = -INFINITY, sum = 0;
  for (double v : x) most = std::isnan(v) || v > most ? v : most;
  for (double& v : x) sum += std::exp(v -= most);
  return sum;
}

void log_softmax_line(std::vector<double>& x) {
  const double log_sum = std::log(shift(x));
  for (double& v : x) v -= log_sum;
}

}  // namespace

void log_softmax(std::vector<double>& x, const Extents& extents, int axis) {
  map_lines(x, AxisView(extents, axis), log_softmax_line);
}

template <>
void eval<Softmax>(EvalContext& ctx) {
  map_lines(ctx, [](std::vector<double>& x) {
    const double sum = shift(x);
    for (double& v : x) v = std::exp(v) / sum;
  });
}

template <>
void eval<LogSoftmax>(EvalContext& ctx) {
  map_lines(ctx, log_softmax_line);
}

template <>
void eval<Hardmax>(EvalContext& ctx) {
  map_lines(ctx, [](std::vector<double>& x) {
    size_t best = 0;
    for (size_t i = 1; i < x.size(); ++i)
      if (!std::isnan(x[best]) && (x[i] > x[best] || std::isnan(x[i]))) best = i;
    for (size_t i = 0; i < x.size(); ++i) x[i] = i == best;
  });
}

}  // namespace tc
