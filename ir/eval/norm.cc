#include "tc/ir/ops/norm.h"

#include <cmath>

#include "tc/ir/eval/axis.h"
#include "tc/ir/eval/broadcast.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

struct Moments {
  double mean = 0, variance = 0;
};

// Two passes: the variance must not lose its digits to a large mean.
template <class At>
Moments moments(int64_t n, At&& at) {
  Moments m;
  for (int64_t i = 0; i < n; ++i) m.mean += at(i);
  m.mean /= static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) m.variance += (at(i) - m.mean) * (at(i) - m.mean);
  m.variance /= static_cast<double>(n);
  return m;
}

// Axis 1 are channels; a vector has one.
AxisView channel_view(const Tensor& t) {
  if (t.rank() == 1) return AxisView({t.extent(0), 1}, 1);
  if (t.rank() == 0) fail(ErrorCode::bad_shape, "a scalar has no channels");
  return AxisView(t.extents(), 1);
}

std::vector<double> read_vector(EvalContext& ctx, int i, int64_t length) {
  if (ctx.in(i).size() != length)
    ctx.fail(ErrorCode::bad_shape, "operand '", ctx.node().info().facts->signature.operand(i).name, "' of ",
             ctx.node().op(), " must have ", length, " elements, got ", ctx.in(i).type());
  return ctx.read<double>(i);
}

// Normalises runs of `run` elements to mean 0 and variance 1.
void standardize(std::vector<double>& x, size_t run, double epsilon) {
  for (size_t start = 0; run && start < x.size(); start += run) {
    const auto m = moments(static_cast<int64_t>(run), [&](int64_t i) { return x[start + static_cast<size_t>(i)]; });
    const double scale = 1 / std::sqrt(m.variance + epsilon);
    for (size_t i = start; i < start + run; ++i) x[i] = (x[i] - m.mean) * scale;
  }
}

void scale_channels(const AxisView& view, std::vector<double>& x, const std::vector<double>& scale,
                    const std::vector<double>& bias) {
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t c = i / static_cast<size_t>(view.inner) % static_cast<size_t>(view.length);
    x[i] = x[i] * scale[c] + bias[c];
  }
}

// x[i] = f(x[i], operand's element), operand broadcast to x.
template <class F>
void apply_operand(EvalContext& ctx, int operand, std::vector<double>& x, const Extents& extents, F&& f) {
  const Extents& e = ctx.in(operand).extents();
  if (broadcast_extents({&extents, &e}) != extents)
    ctx.fail(ErrorCode::bad_shape, Shape::of(e), " does not broadcast to ", Shape::of(extents));
  const auto values = ctx.read<double>(operand);
  for_each_broadcast<1>(extents, {broadcast_strides(e, extents)},
                        [&](size_t i, const auto& at) { x[i] = f(x[i], values[static_cast<size_t>(at[0])]); });
}

// The extents with those from `axis` on replaced by 1, and the number of elements there.
Extents statistics_extents(const Extents& extents, int axis, size_t& run) {
  Extents result = extents;
  run = 1;
  for (size_t i = static_cast<size_t>(axis); i < result.size(); ++i)
    run *= static_cast<size_t>(result[i]), result[i] = 1;
  return result;
}

}  // namespace

template <>
void eval<BatchNormalization>(EvalContext& ctx) {
  const auto& attrs = ctx.attrs<BatchNormalization>();
  const Tensor& t = ctx.in(0);
  const AxisView view = channel_view(t);
  Tensor& out = ctx.out(0, t.extents());
  auto x = ctx.read<double>(0);
  const auto scale = read_vector(ctx, 1, view.length), bias = read_vector(ctx, 2, view.length);
  auto mean = read_vector(ctx, 3, view.length), variance = read_vector(ctx, 4, view.length);
  if (attrs.training_mode) {
    auto running_mean = mean, running_variance = variance;
    for (int64_t c = 0; c < view.length; ++c) {
      const auto m = moments(view.outer * view.inner, [&](int64_t i) {
        return x[static_cast<size_t>((i / view.inner * view.length + c) * view.inner + i % view.inner)];
      });
      const auto k = static_cast<size_t>(c);
      mean[k] = m.mean, variance[k] = m.variance;
      running_mean[k] = running_mean[k] * attrs.momentum + m.mean * (1 - attrs.momentum);
      running_variance[k] = running_variance[k] * attrs.momentum + m.variance * (1 - attrs.momentum);
    }
    ctx.write(1, {view.length}, running_mean);
    ctx.write(2, {view.length}, running_variance);
  }
  std::vector<double> factor(scale), shift(bias);
  for (size_t c = 0; c < factor.size(); ++c) {
    factor[c] = scale[c] / std::sqrt(variance[c] + attrs.epsilon);
    for (size_t o = 0; o < static_cast<size_t>(view.outer); ++o)
      for (size_t i = 0; i < static_cast<size_t>(view.inner); ++i)
        x[(o * factor.size() + c) * static_cast<size_t>(view.inner) + i] -= mean[c];
  }
  if (!x.empty()) scale_channels(view, x, factor, shift);
  narrow(x, out);
}

template <>
void eval<InstanceNormalization>(EvalContext& ctx) {
  const Tensor& t = ctx.in(0);
  const AxisView view = channel_view(t);
  Tensor& out = ctx.out(0, t.extents());
  auto x = ctx.read<double>(0);
  standardize(x, static_cast<size_t>(view.inner), ctx.attrs<InstanceNormalization>().epsilon);
  if (!x.empty()) scale_channels(view, x, read_vector(ctx, 1, view.length), read_vector(ctx, 2, view.length));
  narrow(x, out);
}

template <>
void eval<GroupNormalization>(EvalContext& ctx) {
  const auto& attrs = ctx.attrs<GroupNormalization>();
  const Tensor& t = ctx.in(0);
  const AxisView view = channel_view(t);
  if (view.length % attrs.num_groups != 0)
    ctx.fail(ErrorCode::bad_shape, view.length, " channels do not divide into ", attrs.num_groups, " groups");
  Tensor& out = ctx.out(0, t.extents());
  auto x = ctx.read<double>(0);
  standardize(x, static_cast<size_t>(view.length / attrs.num_groups * view.inner), attrs.epsilon);
  if (!x.empty()) scale_channels(view, x, read_vector(ctx, 1, view.length), read_vector(ctx, 2, view.length));
  narrow(x, out);
}

template <>
void eval<LayerNormalization>(EvalContext& ctx) {
  const auto& attrs = ctx.attrs<LayerNormalization>();
  const Tensor& t = ctx.in(0);
  size_t run;
  const Extents statistics = statistics_extents(t.extents(), ctx.axis(attrs.axis, t.rank()), run);
  Tensor& out = ctx.out(0, t.extents());
  auto x = ctx.read<double>(0);
  std::vector<double> mean, inverse;
  for (size_t start = 0; start < static_cast<size_t>(element_count(statistics)) * run; start += run) {
    const auto m = moments(static_cast<int64_t>(run), [&](int64_t i) { return x[start + static_cast<size_t>(i)]; });
    mean.push_back(m.mean);
    inverse.push_back(1 / std::sqrt(m.variance + attrs.epsilon));
    for (size_t i = start; i < start + run; ++i) x[i] = (x[i] - m.mean) * inverse.back();
  }
  mean.resize(static_cast<size_t>(element_count(statistics)), NAN);
  inverse.resize(mean.size(), NAN);
  apply_operand(ctx, 1, x, t.extents(), [](double a, double b) { return a * b; });
  if (ctx.has(2)) apply_operand(ctx, 2, x, t.extents(), [](double a, double b) { return a + b; });
  narrow(x, out);
  ctx.write(1, statistics, mean);
  ctx.write(2, statistics, inverse);
}

template <>
void eval<RMSNormalization>(EvalContext& ctx) {
  const auto& attrs = ctx.attrs<RMSNormalization>();
  const Tensor& t = ctx.in(0);
  size_t run;
  statistics_extents(t.extents(), ctx.axis(attrs.axis, t.rank()), run);
  Tensor& out = ctx.out(0, t.extents());
  auto x = ctx.read<double>(0);
  for (size_t start = 0; run && start < x.size(); start += run) {
    double squares = 0;
    for (size_t i = start; i < start + run; ++i) squares += x[i] * x[i];
    const double scale = 1 / std::sqrt(squares / static_cast<double>(run) + attrs.epsilon);
    for (size_t i = start; i < start + run; ++i) x[i] *= scale;
  }
  apply_operand(ctx, 1, x, t.extents(), [](double a, double b) { return a * b; });
  narrow(x, out);
}

template <>
void eval<LpNormalization>(EvalContext& ctx) {
  const auto& attrs = ctx.attrs<LpNormalization>();
  const Tensor& t = ctx.in(0);
  const AxisView view(t.extents(), ctx.axis(attrs.axis, t.rank()));
  Tensor& out = ctx.out(0, t.extents());
  auto x = ctx.read<double>(0);
  if (!x.empty())
    view.for_each_line([&](size_t start, size_t stride) {
      double norm = 0;
      for (size_t i = 0; i < static_cast<size_t>(view.length); ++i) {
        const double v = x[start + i * stride];
        norm += attrs.p == 1 ? std::abs(v) : v * v;
      }
      if (attrs.p == 2) norm = std::sqrt(norm);
      if (norm != 0)
        for (size_t i = 0; i < static_cast<size_t>(view.length); ++i) x[start + i * stride] /= norm;
    });
  narrow(x, out);
}

template <>
void eval<LRN>(EvalContext& ctx) {
  const auto& attrs = ctx.attrs<LRN>();
  const Tensor& t = ctx.in(0);
  const AxisView view = channel_view(t);
  Tensor& out = ctx.out(0, t.extents());
  const auto x = ctx.read<double>(0);
  std::vector<double> y(x.size());
  const int64_t before = (attrs.size - 1) / 2, after = attrs.size - 1 - before;
  if (!x.empty())
    view.for_each_line([&](size_t start, size_t stride) {
      for (int64_t c = 0; c < view.length; ++c) {
        double squares = 0;
        const int64_t last = after < view.length - c ? c + after : view.length - 1;
        for (int64_t k = std::max<int64_t>(0, c - before); k <= last; ++k) {
          const double v = x[start + static_cast<size_t>(k) * stride];
          squares += v * v;
        }
        const size_t at = start + static_cast<size_t>(c) * stride;
        y[at] = x[at] / std::pow(attrs.bias + attrs.alpha / static_cast<double>(attrs.size) * squares, attrs.beta);
      }
    });
  narrow(y, out);
}

template <>
void eval<MeanVarianceNormalization>(EvalContext& ctx) {
  const Tensor& t = ctx.in(0);
  Tensor& out = ctx.out(0, t.extents());
  Extents kept = t.extents();
  for (int axis : distinct_axes(ctx.attrs<MeanVarianceNormalization>().axes, t.rank()))
    kept[static_cast<size_t>(axis)] = 1;
  auto x = ctx.read<double>(0);
  std::vector<double> mean(static_cast<size_t>(element_count(kept))), variance(mean.size());
  const double n = static_cast<double>(x.size()) / static_cast<double>(mean.size());
  const std::array<Extents, 1> strides{broadcast_strides(kept, t.extents())};
  auto each = [&](auto&& f) {
    for_each_broadcast<1>(t.extents(), strides, [&](size_t i, const auto& at) { f(x[i], static_cast<size_t>(at[0])); });
  };
  each([&](double v, size_t j) { mean[j] += v / n; });
  each([&](double v, size_t j) { variance[j] += (v - mean[j]) * (v - mean[j]) / n; });
  each([&](double& v, size_t j) { v = (v - mean[j]) / (std::sqrt(variance[j]) + 1e-9); });
  narrow(x, out);
}

}  // namespace tc
