#include "tc/ir/ops/conv.h"
#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/pool.h"

namespace tc {

using namespace dsl;

namespace {

void expect_entries(const std::vector<int64_t>& list, size_t spatial, std::string_view what) {
  if (!list.empty() && list.size() != spatial)
    refuse(ErrorCode::bad_argument, cat(what, " has ", list.size(), " entries for ", spatial, " spatial axes"));
}

std::vector<int64_t> entries(const PerAxis& numbers, size_t spatial, std::string_view what) {
  std::vector<int64_t> list = numbers.of(spatial);
  expect_entries(list, spatial, what);
  return list;
}

// Sets pads or auto_pad; `kernel` is needed by the rules that go by it.
template <class Attrs>
void set_padding(Attrs& attrs, const Padding& padding, const std::vector<int64_t>& kernel, size_t spatial) {
  const auto per_axis = [&](auto extent) {
    for (int side = 0; side < 2; ++side)
      for (size_t i = 0; i < spatial; ++i) attrs.pads.push_back(extent(i));
  };
  const auto reach = [&](size_t i) {
    if (kernel.empty())
      refuse(ErrorCode::bad_argument, "this padding needs a kernel of fixed extents", {"give the padding in numbers"});
    return (kernel[i] - 1) * (attrs.dilations.empty() ? 1 : attrs.dilations[i]) + 1;
  };
  switch (padding.rule()) {
    case Padding::valid:
      return;
    case Padding::same_upper:
      attrs.auto_pad = AutoPad::same_upper;
      return;
    case Padding::same_lower:
      attrs.auto_pad = AutoPad::same_lower;
      return;
    case Padding::full:
      return per_axis([&](size_t i) { return reach(i) - 1; });
    case Padding::half:
      return per_axis([&](size_t i) { return reach(i) / 2; });
    case Padding::given:
      break;
  }
  const std::vector<int64_t> extents = padding.extents().of(spatial);
  if (extents.size() == 2 * spatial) {
    attrs.pads = extents;
    return;
  }
  expect_entries(extents, spatial, "padding");
  if (!extents.empty()) per_axis([&](size_t i) { return extents[i]; });
}

size_t spatial_axes(const Var& x) {
  if (x.rank() < 3)
    refuse(ErrorCode::bad_shape, cat("activations are ", x.type(), ", expected [batch, channels, spatial...]"),
           {"new axes: expand_dims(x, 0)"});
  return static_cast<size_t>(x.rank()) - 2;
}

// The kernel's extents; empty when they are not fixed.
std::vector<int64_t> kernel_of(const Var& w) {
  std::vector<int64_t> kernel;
  for (int i = 2; i < w.rank(); ++i) {
    if (!w.dim(i).is_const()) return {};
    kernel.push_back(w.dim(i).value());
  }
  return kernel;
}

Var flipped(const Var& w) {
  std::vector<int64_t> axes;
  for (int i = 2; i < w.rank(); ++i) axes.push_back(i);
  return axes.empty() ? w : flip(w, {.axis = axes});
}

template <class Op, class Options>
Var convolved(const Arg& x, const Arg& w, const Arg& b, const Options& o) {
  auto [v, kernel] = promoted(x, w, Domain::floating);
  const size_t spatial = spatial_axes(v);
  typename Op::Attrs attrs;
  attrs.strides = entries(o.strides, spatial, "strides");
  attrs.dilations = entries(o.dilations, spatial, "dilations");
  attrs.group = o.groups;
  set_padding(attrs, o.padding, kernel_of(kernel), spatial);
  if constexpr (requires { o.output_padding; }) attrs.output_padding = o.output_padding.of(spatial);
  if (o.flip_kernel) kernel = flipped(kernel);
  return make<Op>({v, kernel, b.absent() ? Var() : operand_like(b, v.dtype())}, std::move(attrs));
}

template <class Op, class Options>
Var pooled(const Arg& x, const PerAxis& extents, const Options& o) {
  const Var v = operand(x, Domain::real);
  const size_t spatial = spatial_axes(v);
  std::vector<int64_t> kernel = entries(extents, spatial, "the kernel");
  typename Op::Attrs attrs;
  attrs.strides = entries(o.strides, spatial, "strides");
  attrs.dilations = entries(o.dilations, spatial, "dilations");
  attrs.ceil_mode = o.ceil_mode;
  set_padding(attrs, o.padding, kernel, spatial);
  attrs.kernel_shape = std::move(kernel);
  if constexpr (requires { o.count_include_pad; }) attrs.count_include_pad = o.count_include_pad;
  if constexpr (requires { o.p; }) attrs.p = o.p;
  return make<Op>({v}, std::move(attrs));
}

}  // namespace

Var conv(Arg x, Arg w, ConvOptions options) {
  const Site site("conv", x.at());
  return convolved<Conv>(x, w, {}, options);
}
Var conv(Arg x, Arg w, Arg b, ConvOptions options) {
  const Site site("conv", x.at());
  return convolved<Conv>(x, w, b, options);
}
Var conv_transpose(Arg x, Arg w, ConvTransposeOptions options) {
  const Site site("conv_transpose", x.at());
  return convolved<ConvTranspose>(x, w, {}, options);
}
Var conv_transpose(Arg x, Arg w, Arg b, ConvTransposeOptions options) {
  const Site site("conv_transpose", x.at());
  return convolved<ConvTranspose>(x, w, b, options);
}

Var max_pool(Arg x, PerAxis kernel, PoolOptions options) {
  const Site site("max_pool", x.at());
  return pooled<MaxPool>(x, kernel, options);
}
Var average_pool(Arg x, PerAxis kernel, AveragePoolOptions options) {
  const Site site("average_pool", x.at());
  return pooled<AveragePool>(x, kernel, options);
}
Var lp_pool(Arg x, PerAxis kernel, LpPoolOptions options) {
  const Site site("lp_pool", x.at());
  return pooled<LpPool>(x, kernel, options);
}
Var global_average_pool(Arg x) {
  const Site site("global_average_pool", x.at());
  return make<GlobalAveragePool>({operand(x, Domain::floating)});
}
Var global_max_pool(Arg x) {
  const Site site("global_max_pool", x.at());
  return make<GlobalMaxPool>({operand(x, Domain::floating)});
}

}  // namespace tc
