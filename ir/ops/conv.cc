#include "tc/ir/ops/conv.h"

namespace tc {
namespace {

void expect_equal(InferContext& ctx, std::string_view what, const Dim& got, const Dim& expected) {
  if (got.is_const() && expected.is_const() && got.value() != expected.value())
    ctx.fail(ErrorCode::bad_shape, what, " is ", got, ", expected ", expected);
}

// Spatial extents of the kernel: the attribute's, else the weight's; nothing when not known yet.
std::optional<std::vector<int64_t>> kernel_of(InferContext& ctx, const std::vector<int64_t>& kernel_shape,
                                              const Shape& w) {
  if (w.ranked() && w.rank() < 3) ctx.fail(ErrorCode::bad_shape, "the weight must have rank 3 or more, got ", w);
  if (!kernel_shape.empty()) {
    if (w.ranked()) {
      if (static_cast<size_t>(w.rank()) != kernel_shape.size() + 2)
        ctx.fail(ErrorCode::bad_shape, "kernel_shape has ", kernel_shape.size(), " entries, but the weight is ", w);
      for (size_t i = 0; i < kernel_shape.size(); ++i)
        expect_equal(ctx, "the weight's kernel extent", w[static_cast<int>(i) + 2], kernel_shape[i]);
    }
    return kernel_shape;
  }
  if (!w.ranked()) return std::nullopt;
  std::vector<int64_t> kernel;
  for (int i = 2; i < w.rank(); ++i) {
    if (!w[i].is_const()) return std::nullopt;
    kernel.push_back(w[i].value());
  }
  return kernel;
}

// The rank that operands and attributes agree on; -1 when unknown.
int conv_rank(InferContext& ctx, const Shape& x, const Shape& w, const std::vector<int64_t>& kernel_shape) {
  const int rank = x.ranked()             ? x.rank()
                   : w.ranked()           ? w.rank()
                   : kernel_shape.empty() ? -1
                                          : static_cast<int>(kernel_shape.size()) + 2;
  if (rank >= 0 && rank < 3) ctx.fail(ErrorCode::bad_shape, "the input must have rank 3 or more, got ", x);
  if (rank >= 0 && w.ranked() && w.rank() != rank)
    ctx.fail(ErrorCode::bad_shape, "the input is ", x, ", but the weight is ", w);
  return rank;
}

Shape without_spatial(InferContext& ctx, int rank, Dim batch, Dim channels) {
  Dims dims{std::move(batch), std::move(channels)};
  while (static_cast<int>(dims.size()) < rank) dims.push_back(ctx.fresh());
  return Shape(std::move(dims));
}

void check_group_count(InferContext& ctx, int64_t group) {
  if (group < 1 || group > int64_t{1} << 30)
    ctx.fail(ErrorCode::bad_attribute, "group is ", group, ", expected 1 to 2^30");
}

void check_groups(InferContext& ctx, int64_t group, const Dim& channels, std::string_view what) {
  if (channels.is_const() && channels.value() % group)
    ctx.fail(ErrorCode::bad_shape, channels, " ", what, " do not divide into ", group, " groups");
}

void check_bias(InferContext& ctx, int b, const Dim& channels) {
  if (b < 0 || !ctx.has(b)) return;
  ctx.expect_rank(b, 1);
  if (ctx.shape(b).ranked()) expect_equal(ctx, "the number of biases", ctx.shape(b)[0], channels);
}

Shape spatial_result(const Dim& batch, const Dim& channels, const std::vector<WindowAxis<Dim>>& axes) {
  Dims dims{batch, channels};
  for (const auto& axis : axes) dims.push_back(axis.out);
  return Shape(std::move(dims));
}

std::span<const Dim> spatial(const Shape& s) {
  return std::span(s.dims()).subspan(2);
}

// Shared by Conv and DeformConv, which differ in attributes.
template <class Attrs>
Shape infer_conv_like(InferContext& ctx, const Attrs& a, int ix, int iw, int ib) {
  const Shape &x = ctx.shape(ix), &w = ctx.shape(iw);
  check_group_count(ctx, a.group);
  const int rank = conv_rank(ctx, x, w, a.kernel_shape);
  if (rank < 0) return {};
  const Dim out_channels = w.ranked() ? w[0] : ctx.fresh();
  check_groups(ctx, a.group, out_channels, "output channels");
  check_bias(ctx, ib, out_channels);
  if (x.ranked() && w.ranked()) expect_equal(ctx, "the number of input channels", x[1], w[1] * a.group);
  const auto kernel = kernel_of(ctx, a.kernel_shape, w);
  if (!kernel || !x.ranked()) return without_spatial(ctx, rank, x.ranked() ? x[0] : ctx.fresh(), out_channels);
  return spatial_result(x[0], out_channels, window_axes(ctx, window_spec(ctx, a, *kernel), spatial(x)));
}

}  // namespace

Shape infer_conv(InferContext& ctx, const ConvAttrs& a, int x, int w, int b) {
  return infer_conv_like(ctx, a, x, w, b);
}

void ConvTranspose::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<ConvTranspose>();
  const Shape &x = ctx.shape(0), &w = ctx.shape(1);
  check_group_count(ctx, a.group);
  const int rank = conv_rank(ctx, x, w, a.kernel_shape);
  if (rank < 0) return ctx.set(0, Shape());
  const Dim out_channels = w.ranked() ? w[1] * a.group : ctx.fresh();
  if (x.ranked()) check_groups(ctx, a.group, x[1], "input channels");
  check_bias(ctx, 2, out_channels);
  if (x.ranked() && w.ranked()) expect_equal(ctx, "the number of input channels", x[1], w[0]);
  const auto kernel = kernel_of(ctx, a.kernel_shape, w);
  if (!kernel || !x.ranked())
    return ctx.set(0, without_spatial(ctx, rank, x.ranked() ? x[0] : ctx.fresh(), out_channels));
  ctx.set(0, spatial_result(x[0], out_channels, transposed_axes(ctx, a, window_spec(ctx, a, *kernel), spatial(x))));
}

void DeformConv::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<DeformConv>();
  check_group_count(ctx, a.offset_group);
  const Shape y = infer_conv_like(ctx, a, 0, 1, 3);
  if (ctx.shape(0).ranked()) check_groups(ctx, a.offset_group, ctx.shape(0)[1], "input channels");
  const auto kernel = kernel_of(ctx, a.kernel_shape, ctx.shape(1));
  for (const int operand : {2, 4}) {
    if (!y.ranked() || !kernel || !ctx.has(operand)) continue;
    ctx.expect_rank(operand, y.rank());
    const Shape& s = ctx.shape(operand);
    if (!s.ranked()) continue;
    const auto planes = Dim(a.offset_group) * element_count(*kernel) * (operand == 2 ? y.rank() - 2 : 1);
    expect_equal(ctx, operand == 2 ? "the number of offset channels" : "the number of mask channels", s[1], planes);
    for (int i = 0; i < y.rank(); ++i)
      if (i != 1) expect_equal(ctx, operand == 2 ? "an extent of the offsets" : "an extent of the mask", s[i], y[i]);
  }
  ctx.set(0, y);
}

void Col2Im::infer(InferContext& ctx) {
  ctx.expect_rank(0, 3);
  ctx.expect_rank(1, 1);
  ctx.expect_rank(2, 1);
  const Shape &x = ctx.shape(0), &image_shape = ctx.shape(1);
  const auto block = ctx.ints(2);
  Dims dims{x.ranked() ? x[0] : ctx.fresh(), ctx.fresh()};
  if (block && x.ranked()) {
    const int64_t size = element_count(*block);
    if (size < 1) ctx.fail(ErrorCode::bad_value, "empty block");
    if (x[1].is_const() && x[1].value() % size)
      ctx.fail(ErrorCode::bad_shape, x[1], " rows do not divide into blocks of ", size);
    dims[1] = floordiv(x[1], size);
  }
  if (const Dims* image = ctx.contents(1))
    dims.insert(dims.end(), image->begin(), image->end());
  else if (image_shape.ranked() && image_shape[0].is_const() && image_shape[0].value() <= kMaxRank - 2)
    for (int64_t i = 0; i < image_shape[0].value(); ++i) dims.push_back(ctx.fresh());
  else
    return ctx.set(0, Shape());
  ctx.set(0, Shape(std::move(dims)));
}

void CausalConvWithState::infer(InferContext& ctx) {
  for (const int i : {0, 1}) ctx.expect_rank(i, 3);
  const Shape &x = ctx.shape(0), &w = ctx.shape(1);
  const Dim batch = x.ranked() ? x[0] : ctx.fresh(), channels = x.ranked() ? x[1] : w.ranked() ? w[0] : ctx.fresh();
  const Dim taps = w.ranked() ? w[2] : ctx.fresh();
  if (taps.is(0)) ctx.fail(ErrorCode::bad_shape, "empty kernel");
  if (w.ranked()) {
    expect_equal(ctx, "the number of kernels", w[0], channels);
    expect_equal(ctx, "the number of channels of a kernel", w[1], 1);
  }
  check_bias(ctx, 2, channels);
  const Shape state{batch, channels, w.ranked() ? taps - 1 : ctx.fresh()};
  if (ctx.has(3)) {
    ctx.expect_rank(3, 3);
    if (ctx.shape(3).ranked())
      for (int i = 0; i < 3; ++i) expect_equal(ctx, "an extent of the state", ctx.shape(3)[i], state[i]);
  }
  ctx.set(0, x.ranked() ? x : Shape{batch, channels, ctx.fresh()});
  ctx.set(1, state);
}

}  // namespace tc
