// Gradients of normalisations. What is standardised, z = (x - mean) / deviation, has the gradient
// (g - mean(g) - z mean(g z)) / deviation (S. Ioffe, C. Szegedy, Batch Normalization, 2015). f16 and bf16 are widened.
#include <numeric>

#include "tc/ir/grad.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

DType wide(DType t) {
  return t == DType::f64 ? t : DType::f32;
}

Expr wide_in(GradContext& ctx, int i) {
  return ctx.in(i).cast(wide(ctx.in(0).dtype()));
}

// Sums before it rounds.
void give_rounded(GradContext& ctx, int i, Expr gradient) {
  if (!ctx.wanted(i)) return;
  ctx.give(i, Expr(ctx.b, sum_to(ctx.b, gradient, ctx.in(i))).cast(ctx.in(i).dtype()));
}

std::vector<int64_t> axes_from(int first, int rank) {
  std::vector<int64_t> axes(static_cast<size_t>(std::max(0, rank - first)));
  std::iota(axes.begin(), axes.end(), int64_t{first});
  return axes;
}

// The number of elements that a reduction over the axes takes in.
Expr count_along(Expr x, const std::vector<int64_t>& axes) {
  Dim n = 1;
  for (int64_t k : axes) n *= x->shape()[static_cast<int>(k)];
  if (n.is_const()) return x.number(static_cast<double>(n.value()));
  Builder& b = x.builder();
  std::optional<Expr> count;
  for (int64_t k : axes) {
    const Expr extent(b, extent_of(b, x, static_cast<int>(k)));
    count = count ? *count * extent : extent;
  }
  return count->cast(x.dtype());
}

struct Standardized {
  std::vector<int64_t> axes;
  Expr mean, z, inverse;  // inverse of the deviation
};

Expr mean(Expr v, const std::vector<int64_t>& axes) {
  Builder& b = v.builder();
  return {b, b.make<ReduceMean>({v, b.ints(axes)}, {.keepdims = true, .noop_with_empty_axes = true})};
}

Expr sum(Expr v, const std::vector<int64_t>& axes) {
  Builder& b = v.builder();
  return {b, b.make<ReduceSum>({v, b.ints(axes)}, {.keepdims = true, .noop_with_empty_axes = true})};
}

Expr mean_square(Expr v, const std::vector<int64_t>& axes) {
  Builder& b = v.builder();
  const Expr squares(b, b.make<ReduceSumSquare>({v, b.ints(axes)}, {.keepdims = true, .noop_with_empty_axes = true}));
  return squares / count_along(v, axes);
}

Standardized standardize(Expr x, std::vector<int64_t> axes, double epsilon) {
  const Expr average = mean(x, axes), centred = x - average;
  const Expr inverse = 1 / sqrt(mean_square(centred, axes) + epsilon);
  return {std::move(axes), average, centred * inverse, inverse};
}

// The gradient of x, standardised, of which g times a scale that the axes share, with the sums over them, which are the
// gradients of bias and scale. What has as many elements as x is read and written as seldom as can be: what is centred
// alone.
struct Scaled {
  Expr bias, scale, x;
};
Scaled through_scaled(Expr x, const std::vector<int64_t>& axes, double epsilon, Expr g, Expr scale) {
  const Expr centred = x - mean(x, axes), count = count_along(x, axes);
  const Expr inverse = 1 / sqrt(mean_square(centred, axes) + epsilon);
  const Expr all = sum(g, axes), along = inverse * sum(g * centred, axes), factor = inverse * scale;
  return {all, along, factor * g - centred * (factor * inverse * (along / count)) - factor * (all / count)};
}

// The mean of v * scale: of rows by a vector as a product, which reads v once and writes nothing of its extents.
Expr mean_of_scaled(Expr v, Expr scale, const std::vector<int64_t>& axes) {
  Builder& b = v.builder();
  const Shape& shape = v->shape();
  if (axes.size() != 1 || shape.rank() < 2 || scale->shape().rank() != 1 ||
      !(scale->shape()[0] == shape[shape.rank() - 1]))
    return mean(v * scale, axes);
  const Expr column(b, unsqueeze(b, scale, {1}));
  return v.make<MatMul>(column) / count_along(v, axes);
}

// One value per channel, so that it broadcasts over [n, channels, ...] or along the only axis.
Expr per_channel(GradContext& ctx, Expr v) {
  return {ctx.b, unsqueeze(ctx.b, v, axes_from(1, ctx.rank(0) - 1))};
}

void give_channels(GradContext& ctx, int i, Expr gradient) {
  if (!ctx.wanted(i)) return;
  std::vector<int64_t> axes = axes_from(1, ctx.rank(0));
  if (axes.empty())
    axes = {0};
  else
    axes[0] = 0;
  Value* sum = sum_over(ctx.b, gradient, axes, ctx.rank(0) == 1);
  ctx.give(i, Expr(ctx.b, sum).cast(ctx.in(i).dtype()));
}

}  // namespace

void BatchNormalization::grad(GradContext& ctx) {
  const auto& attrs = ctx.attrs<BatchNormalization>();
  const int rank = ctx.rank(0);
  const Expr x = wide_in(ctx, 0), scale = per_channel(ctx, wide_in(ctx, 1));
  std::optional<Expr> dx;
  auto add = [&](Expr part) { dx = dx ? *dx + part : part; };
  if (!attrs.training_mode) {
    const Expr g = ctx.seed().cast(x.dtype());
    const Expr centred = x - per_channel(ctx, wide_in(ctx, 3));
    const Expr inverse = 1 / sqrt(per_channel(ctx, wide_in(ctx, 4)) + attrs.epsilon);
    const Expr scaled = g * scale * inverse;
    if (ctx.wanted(1)) give_channels(ctx, 1, g * centred * inverse);
    if (ctx.wanted(2)) give_channels(ctx, 2, g);
    if (ctx.wanted(3)) give_channels(ctx, 3, -scaled);
    if (ctx.wanted(4)) give_channels(ctx, 4, scaled * centred * square(inverse) * -0.5);
    return give_rounded(ctx, 0, scaled);
  }
  std::vector<int64_t> axes = axes_from(rank == 1 ? 0 : 1, rank);
  axes[0] = 0;
  if (ctx.has_seed(0)) {
    const Scaled d = through_scaled(x, axes, attrs.epsilon, ctx.seed().cast(x.dtype()), scale);
    if (ctx.wanted(1)) give_channels(ctx, 1, d.scale);
    if (ctx.wanted(2)) give_channels(ctx, 2, d.bias);
    if (ctx.wanted(0)) add(d.x);
  }
  // The running statistics are averages of old and batch ones.
  for (int j = 1; j <= 2; ++j) {
    if (!ctx.has_seed(j)) continue;
    const Expr g = ctx.seed(j).cast(x.dtype());
    if (ctx.wanted(j + 2)) ctx.give(j + 2, (g * attrs.momentum).cast(ctx.in(j + 2).dtype()));
    if (!ctx.wanted(0)) continue;
    const Expr each = per_channel(ctx, g * (1 - attrs.momentum));
    const Expr centred = x - mean(x, axes);
    const Expr share = each / count_along(x, axes);
    add(j == 1 ? Expr(ctx.b, expand_like(ctx.b, share, x)) : 2 * share * centred);
  }
  if (dx) give_rounded(ctx, 0, *dx);
}

void InstanceNormalization::grad(GradContext& ctx) {
  const Expr x = wide_in(ctx, 0), g = ctx.seed().cast(x.dtype());
  const Scaled d = through_scaled(x, axes_from(2, ctx.rank(0)), ctx.attrs<InstanceNormalization>().epsilon, g,
                                  per_channel(ctx, wide_in(ctx, 1)));
  if (ctx.wanted(0)) give_rounded(ctx, 0, d.x);
  if (ctx.wanted(1)) give_channels(ctx, 1, d.scale);
  if (ctx.wanted(2)) give_channels(ctx, 2, d.bias);
}

void GroupNormalization::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const auto& attrs = ctx.attrs<GroupNormalization>();
  const Expr x = wide_in(ctx, 0), g = ctx.seed().cast(x.dtype());
  // Of each channel, over its pixels; a group's are means of those. What has as many elements as x keeps its shape.
  const auto pixels = axes_from(2, ctx.rank(0));
  const Dim count_of_channels = x->shape()[1];
  Value* of_group = count_of_channels.is_const() ? b.ints({count_of_channels.value() / attrs.num_groups})
                                                 : Expr(b, extent_of(b, x, 1)) / Expr(b, b.ints({attrs.num_groups}));
  Value* channels = join_ints(b, {extent_of(b, x, 0), b.ints({attrs.num_groups}), of_group});
  const auto of_groups = [&](Expr v) -> Expr {
    const Expr grouped(b, reshape(b, v, channels));
    return {b, reshape_like(b, expand_like(b, mean(grouped, {2}), grouped), v)};
  };
  const Expr centred = x - of_groups(mean(x, pixels));
  const Expr variance = of_groups(pixels.empty() ? square(centred) : mean_square(centred, pixels));
  const Expr inverse = 1 / sqrt(variance + attrs.epsilon);
  const Expr all = sum(g, pixels), along = inverse * sum(g * centred, pixels);
  if (ctx.wanted(0)) {
    const Expr scale = per_channel(ctx, wide_in(ctx, 1)), count = count_along(x, pixels);
    const Expr slope = square(inverse) * of_groups(scale * along) / count;
    const Expr shift = inverse * of_groups(scale * all) / count;
    give_rounded(ctx, 0, inverse * scale * g - centred * slope - shift);
  }
  if (ctx.wanted(1)) give_channels(ctx, 1, along);
  if (ctx.wanted(2)) give_channels(ctx, 2, all);
}

void LayerNormalization::grad(GradContext& ctx) {
  const auto& attrs = ctx.attrs<LayerNormalization>();
  const int rank = ctx.rank(0), axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + rank : attrs.axis);
  const Expr x = wide_in(ctx, 0);
  // The node's own statistics, where they are as exact as the gradient.
  const bool has_statistics = dtype_from_onnx(attrs.stash_type) == x.dtype();
  const auto axes = axes_from(axis, rank);
  const auto statistics = [&]() -> Standardized {
    return {axes, ctx.out(1), (x - ctx.out(1)) * ctx.out(2), ctx.out(2)};
  };
  const Standardized s = has_statistics ? statistics() : standardize(x, axes, attrs.epsilon);
  std::optional<Expr> dx;
  auto add = [&](Expr part) { dx = dx ? *dx + part : part; };
  if (ctx.has_seed(0)) {
    const Expr g = ctx.seed().cast(x.dtype()), scale = wide_in(ctx, 1), product = g * s.z;
    if (ctx.wanted(0)) {
      // inverse * (g scale - mean(g scale) - z mean(g scale z)), of x instead of z, which then nobody writes.
      const Expr along = s.inverse * mean_of_scaled(product, scale, axes), slope = s.inverse * along;
      const Expr shift = s.mean * slope - s.inverse * mean_of_scaled(g, scale, axes);
      add(s.inverse * (g * scale) - x * slope + shift);
    }
    give_rounded(ctx, 1, product);
    give_rounded(ctx, 2, g);
  }
  if (ctx.wanted(0)) {
    auto share = [&](int j) { return ctx.seed(j).cast(x.dtype()) / count_along(x, s.axes); };
    if (ctx.has_seed(1)) add({ctx.b, expand_like(ctx.b, share(1), x)});
    if (ctx.has_seed(2)) add(-share(2) * square(s.inverse) * s.z);
    if (dx) give_rounded(ctx, 0, *dx);
  }
}

void RMSNormalization::grad(GradContext& ctx) {
  const auto& attrs = ctx.attrs<RMSNormalization>();
  const int rank = ctx.rank(0), axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + rank : attrs.axis);
  const auto axes = axes_from(axis, rank);
  const Expr x = wide_in(ctx, 0), g = ctx.seed().cast(x.dtype());
  const Expr inverse = 1 / sqrt(mean(square(x), axes) + attrs.epsilon), z = x * inverse;
  if (ctx.wanted(0)) {
    const Expr scaled = g * wide_in(ctx, 1);
    give_rounded(ctx, 0, inverse * (scaled - z * mean(scaled * z, axes)));
  }
  if (ctx.wanted(1)) give_rounded(ctx, 1, g * z);
}

void LpNormalization::grad(GradContext& ctx) {
  const auto& attrs = ctx.attrs<LpNormalization>();
  const Expr x = ctx.in(0), y = ctx.out(), g = ctx.seed();
  auto sum = [&](Expr v) { return Expr(ctx.b, sum_over(ctx.b, v, {attrs.axis}, true)); };
  const Expr norm = attrs.p == 1 ? sum(abs(x)) : sqrt(sum(square(x))), zero = equal(norm, 0);
  const Expr direction = attrs.p == 1 ? sign(x) : y;
  ctx.give(0, where(zero, 0, (g - direction * sum(g * y)) / where(zero, 1, norm)));
}

// The sum over the channels around is an average pool along the channel axis.
void LRN::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const auto& at = ctx.attrs<LRN>();
  const int64_t before = (at.size - 1) / 2, after = at.size - 1 - before;
  ctx.rank(0);
  const Expr x = ctx.in(0), g = ctx.seed();
  auto around = [&](Expr v, int64_t low, int64_t high) {
    Value* image = unsqueeze(b, merge_axes_from(b, v, 2), {1});
    Value* pooled = b.make<AveragePool>(
        {image}, {.kernel_shape = {at.size, 1}, .pads = {low, 0, high, 0}, .count_include_pad = true});
    return Expr(b, reshape_like(b, pooled, v));
  };
  const Expr base = at.bias + at.alpha * around(square(x), before, after);
  const Expr power = base.make<Pow>(-at.beta);
  const Expr others = around(g * x * power / base, after, before);
  ctx.give(0, g * power - 2 * at.alpha * at.beta * x * others);
}

void MeanVarianceNormalization::grad(GradContext& ctx) {
  std::vector<int64_t> axes;
  for (int k : distinct_axes(ctx.attrs<MeanVarianceNormalization>().axes, ctx.rank(0))) axes.push_back(k);
  const Expr x = wide_in(ctx, 0), g = ctx.seed().cast(x.dtype());
  const Expr centred = x - mean(x, axes), deviation = sqrt(mean(square(centred), axes));
  const Expr scaled = g / (deviation + 1e-9), zero = equal(deviation, 0);
  const Expr slope = mean(scaled * centred, axes) / ((deviation + 1e-9) * where(zero, 1, deviation));
  give_rounded(ctx, 0, scaled - mean(scaled, axes) - centred * slope);
}

}  // namespace tc
