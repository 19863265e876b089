#include "tc/frontend/dsl/nn_layers.h"

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/conv.h"
#include "tc/ir/ops/pool.h"

namespace tc {

using namespace dsl;

namespace {

Var with_spatial_axes(const Arg& a, int axes) {
  const Var x = operand(a);
  if (x.rank() != axes + 2)
    refuse(ErrorCode::bad_shape,
           cat("activations are ", x.type(), ", expected ", axes, " spatial axes of rank ", axes + 2),
           {"new axes: expand_dims(x, 0)"});
  return x;
}

std::vector<int64_t> explicit_pads(const Padding& padding, size_t spatial) {
  if (padding.rule() == Padding::valid) return std::vector<int64_t>(2 * spatial, 0);
  if (padding.rule() != Padding::given) refuse(ErrorCode::bad_argument, "the padding must be given in numbers");
  std::vector<int64_t> pads = padding.extents().of(spatial);
  if (pads.size() == spatial)
    pads.insert(pads.end(), pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(spatial));
  if (pads.size() != 2 * spatial)
    refuse(ErrorCode::bad_argument, cat("padding has ", pads.size(), " entries for ", spatial, " spatial axes"));
  return pads;
}

std::vector<int64_t> ones_unless(const PerAxis& given, size_t spatial) {
  std::vector<int64_t> list = given.of(spatial);
  if (list.empty()) list.assign(spatial, 1);
  if (list.size() != spatial)
    refuse(ErrorCode::bad_argument, cat(list.size(), " numbers are given for ", spatial, " spatial axes"));
  return list;
}

}  // namespace

#define TC_DSL_CONV(name, axes)                                        \
  Var name(Arg x, Arg w, ConvOptions options) {                        \
    const Site site(#name, x.at());                                    \
    return conv(with_spatial_axes(x, axes), w, std::move(options));    \
  }                                                                    \
  Var name(Arg x, Arg w, Arg b, ConvOptions options) {                 \
    const Site site(#name, x.at());                                    \
    return conv(with_spatial_axes(x, axes), w, b, std::move(options)); \
  }
TC_DSL_CONV(conv1d, 1)
TC_DSL_CONV(conv2d, 2)
TC_DSL_CONV(conv3d, 3)
#undef TC_DSL_CONV

Var depthwise_conv(Arg x, Arg w, ConvOptions options) {
  const Site site("depthwise_conv", x.at());
  const Var v = operand(x);
  const Dim channels = v.dim(1);
  if (!channels.is_const()) refuse(ErrorCode::bad_shape, cat("the channels of ", v.type(), " have no fixed number"));
  options.groups = channels.value();
  return conv(v, w, std::move(options));
}
Var separable_conv(Arg x, Arg depthwise, Arg pointwise, ConvOptions options) {
  const Site site("separable_conv", x.at());
  return conv(depthwise_conv(x, depthwise, std::move(options)), pointwise);
}
Var causal_conv1d(Arg x, Arg w, CausalConv1dOptions options) {
  const Site site("causal_conv1d", x.at());
  const Var v = with_spatial_axes(x, 1), kernel = operand(w);
  const Dim k = kernel.dim(-1);
  if (!k.is_const()) refuse(ErrorCode::bad_shape, cat("the kernel ", kernel.type(), " has no fixed extent"));
  const ConvOptions around{
      .dilations = {options.dilation}, .padding = {(k.value() - 1) * options.dilation, 0}, .groups = options.groups};
  return options.bias.absent() ? conv(v, kernel, around) : conv(v, kernel, options.bias, around);
}

Var hard_tanh(Arg x, double low, double high) {
  const Site site("hard_tanh", x.at());
  return clip(x, low, high);
}
Var log_sigmoid(Arg x) {
  const Site site("log_sigmoid", x.at());
  return -softplus(-operand(x, Domain::floating));
}
Var softmin(Arg x, SoftmaxOptions options) {
  const Site site("softmin", x.at());
  return softmax(-operand(x, Domain::floating), options);
}
Var glu(Arg x, GluOptions options) {
  const Site site("glu", x.at());
  const std::vector<Var> halves = split_equally(x, 2, {.axis = options.axis});
  return halves[0] * sigmoid(halves[1]);
}

namespace {

// Along one axis of fixed extent: a mean or maximum per window.
Var adapted(const Var& x, int axis, int64_t m, bool mean_of) {
  const Dim d = x.dim(axis);
  if (!d.is_const()) refuse(ErrorCode::bad_shape, cat("axis ", axis, " of ", x.type(), " has no fixed extent"));
  const int64_t n = d.value();
  if (m < 1) refuse(ErrorCode::bad_argument, cat("pooled to an extent of ", m));
  std::vector<Var> parts;
  for (int64_t i = 0; i < m; ++i) {
    std::vector<Index> indices(static_cast<size_t>(x.rank()), slice());
    indices[static_cast<size_t>(axis)] = slice(i * n / m, ((i + 1) * n + m - 1) / m);
    const Var window = Indexed(x, std::move(indices)).get();
    const ReduceOptions over{.axis = axis, .keepdims = true};
    parts.push_back(mean_of ? mean(window, over) : max(window, over));
  }
  return concat(parts, {.axis = axis});
}

Var adaptive(const Arg& x, const PerAxis& extents, bool mean_of) {
  Var v = operand(x, mean_of ? Domain::floating : Domain::real);
  if (v.rank() < 3)
    refuse(ErrorCode::bad_shape, cat("activations are ", v.type(), ", expected [batch, channels, spatial...]"));
  const std::vector<int64_t> wanted = ones_unless(extents, static_cast<size_t>(v.rank()) - 2);
  bool even = true;
  std::vector<int64_t> kernel;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Dim d = v.dim(static_cast<int>(i) + 2);
    even = even && d.is_const() && wanted[i] > 0 && d.value() % wanted[i] == 0;
    if (even) kernel.push_back(d.value() / wanted[i]);
  }
  if (even) {  // one pool does it
    if (mean_of) return average_pool(v, kernel, {.strides = kernel});
    return max_pool(v, kernel, {.strides = kernel});
  }
  for (size_t i = 0; i < wanted.size(); ++i) v = adapted(v, static_cast<int>(i) + 2, wanted[i], mean_of);
  return v;
}

}  // namespace

Var adaptive_average_pool(Arg x, PerAxis extents) {
  const Site site("adaptive_average_pool", x.at());
  return adaptive(x, extents, true);
}
Var adaptive_max_pool(Arg x, PerAxis extents) {
  const Site site("adaptive_max_pool", x.at());
  return adaptive(x, extents, false);
}
Var global_lp_pool(Arg x, GlobalLpPoolOptions options) {
  const Site site("global_lp_pool", x.at());
  return make<GlobalLpPool>({operand(x, Domain::floating)}, {.p = options.p});
}

MaxPoolWithIndices max_pool_with_indices(Arg x, PerAxis kernel, PoolOptions options) {
  const Site site("max_pool_with_indices", x.at());
  const Var v = operand(x, Domain::floating);
  if (v.rank() < 3)
    refuse(ErrorCode::bad_shape, cat("activations are ", v.type(), ", expected [batch, channels, spatial...]"));
  const size_t spatial = static_cast<size_t>(v.rank()) - 2;
  MaxPool::Attrs attrs;
  attrs.kernel_shape = ones_unless(kernel, spatial);
  attrs.strides = options.strides.of(spatial), attrs.dilations = options.dilations.of(spatial);
  attrs.pads = explicit_pads(options.padding, spatial);
  attrs.ceil_mode = options.ceil_mode;
  const std::vector<Var> r = make_n<MaxPool>({v}, std::move(attrs), 2);
  return {r[0], r[1]};
}
Var max_unpool(Arg x, Arg indices, PerAxis kernel, MaxUnpoolOptions options) {
  const Site site("max_unpool", x.at());
  const Var v = operand(x, Domain::floating);
  const size_t spatial = v.rank() < 3 ? 0 : static_cast<size_t>(v.rank()) - 2;
  return make<MaxUnpool>({v, astype(indices, i64)}, {.kernel_shape = ones_unless(kernel, spatial),
                                                     .strides = options.strides.of(spatial),
                                                     .pads = explicit_pads(options.padding, spatial)});
}

Var unfold(Arg x, PerAxis kernel, FoldOptions options) {
  const Site site("unfold", x.at());
  Var v = operand(x);
  if (v.rank() < 3)
    refuse(ErrorCode::bad_shape, cat("activations are ", v.type(), ", expected [batch, channels, spatial...]"));
  const size_t spatial = static_cast<size_t>(v.rank()) - 2;
  const std::vector<int64_t> taps_of = ones_unless(kernel, spatial), strides = ones_unless(options.strides, spatial),
                             dilations = ones_unless(options.dilations, spatial),
                             pads = explicit_pads(options.padding, spatial);
  std::vector<PadWidth> widths;
  for (size_t i = 0; i < spatial; ++i) widths.push_back({pads[i], pads[spatial + i]});
  v = pad(v, widths);
  // Each spatial axis becomes two: taps in front of windows.
  for (size_t i = 0; i < spatial; ++i) {
    const int axis = static_cast<int>(2 + 2 * i);
    const Dim count = floordiv(v.dim(axis) - (taps_of[i] - 1) * dilations[i] - 1, strides[i]) + 1;
    const Var places = expand_dims(arange(taps_of[i]) * dilations[i], 1) + arange(count) * strides[i];
    v = take(v, places, {.axis = axis});
  }
  // [batch, channels, taps, windows, taps, windows, ...] to taps first.
  std::vector<int64_t> order = {0, 1};
  Dim rows = v.dim(1), columns = 1;
  for (size_t i = 0; i < spatial; ++i) {
    order.push_back(static_cast<int64_t>(2 + 2 * i));
    rows *= v.dim(static_cast<int>(2 + 2 * i));
  }
  for (size_t i = 0; i < spatial; ++i) {
    order.push_back(static_cast<int64_t>(3 + 2 * i));
    columns *= v.dim(static_cast<int>(3 + 2 * i));
  }
  const Dims shape = {v.dim(0), rows, columns};
  return reshape(permute_dims(v, order), ShapeArg(shape));
}
Var fold(Arg x, std::vector<int64_t> extents, std::vector<int64_t> kernel, FoldOptions options) {
  const Site site("fold", x.at());
  const size_t spatial = extents.size();
  if (kernel.size() != spatial)
    refuse(ErrorCode::bad_argument, cat("a kernel of ", kernel.size(), " axes for ", spatial, " spatial axes"));
  return make<Col2Im>({operand(x), ints(extents), ints(kernel)},
                      {.strides = ones_unless(options.strides, spatial),
                       .pads = explicit_pads(options.padding, spatial),
                       .dilations = ones_unless(options.dilations, spatial)});
}

Var pixel_shuffle(Arg x, int64_t block) {
  const Site site("pixel_shuffle", x.at());
  return depth_to_space(x, block, {.columns_first = true});
}
Var pixel_unshuffle(Arg x, int64_t block) {
  const Site site("pixel_unshuffle", x.at());
  const Var v = operand(x);
  if (v.rank() != 4) refuse(ErrorCode::bad_shape, cat("an operand is ", v.type(), ", expected rank 4"));
  const Dim height = floordiv(v.dim(2), block), width = floordiv(v.dim(3), block);
  const Dims split = {v.dim(0), v.dim(1), height, block, width, block};
  const Dims joined = {v.dim(0), v.dim(1) * (block * block), height, width};
  return reshape(permute_dims(reshape(v, ShapeArg(split)), {0, 1, 3, 5, 2, 4}), ShapeArg(joined));
}

}  // namespace tc
