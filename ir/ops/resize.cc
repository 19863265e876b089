#include "tc/ir/ops/resize.h"

#include <algorithm>
#include <cmath>

#include "tc/ir/shape_math.h"

namespace tc {
namespace {

bool given(InferContext& ctx, int i) {
  return ctx.has(i) && !(ctx.shape(i).is_static() && ctx.shape(i).count().is(0));
}

// floor(d * scale) of a symbolic extent, where scale is a multiple of a small power of two: the f32 product is then
// exact.
Dim scaled(InferContext& ctx, const Dim& d, double scale) {
  if (!(scale > 0) || !std::isfinite(scale)) ctx.fail(ErrorCode::bad_value, "a scale of ", scale);
  if (d.is_const()) return scaled_extent(d.value(), scale);
  for (int64_t q = 1; q <= 256; q *= 2)
    if (const double p = scale * static_cast<double>(q); p == std::floor(p) && p < 1e6)
      return floordiv(d * Dim(static_cast<int64_t>(p)), q);
  return ctx.fresh();
}

}  // namespace

int64_t scaled_extent(int64_t d, double scale) {
  const float e = std::floor(static_cast<float>(scale) * static_cast<float>(d));
  if (!(e >= 0 && e < 0x1p62F)) fail(ErrorCode::bad_value, "an extent of ", d, " scaled by ", scale);
  return static_cast<int64_t>(e);
}

double aspect_scale(ResizeAspect aspect, const std::vector<double>& scales) {
  if (scales.empty()) return 1;
  return aspect == ResizeAspect::not_larger ? *std::min_element(scales.begin(), scales.end())
                                            : *std::max_element(scales.begin(), scales.end());
}

int64_t aspect_extent(int64_t d, double scale) {
  return static_cast<int64_t>(std::floor(scale * static_cast<double>(d) + 0.5));
}

void Resize::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<Resize>();
  const Shape& x = ctx.shape(0);
  const bool scales = given(ctx, 2), sizes = given(ctx, 3);
  if (!scales && !sizes) ctx.fail(ErrorCode::bad_graph, "resize needs scales or sizes");
  if (!x.ranked()) return ctx.set(0, Shape());
  std::vector<int> axes;
  if (a.axes)
    axes = distinct_axes(*a.axes, x.rank());
  else
    for (int i = 0; i < x.rank(); ++i) axes.push_back(i);
  const int by = sizes ? 3 : 2;
  ctx.expect_rank(by, 1);
  if (const auto n = known_length(ctx, by); n && *n != static_cast<int64_t>(axes.size()))
    ctx.fail(ErrorCode::bad_shape, "resize has ", *n, sizes ? " sizes" : " scales", " for ", axes.size(), " axes");
  Dims dims = x.dims();
  const Dims* to = sizes ? ctx.contents(3) : nullptr;
  const Tensor* factors = sizes ? nullptr : ctx.constant(2);
  std::vector<double> f;
  if (factors && factors->dtype() == DType::f32) {
    const Tensor readable = factors->aligned_copy();
    for (float v : readable.span<float>()) f.push_back(static_cast<double>(v));
  }
  bool fixed = to != nullptr;
  for (size_t k = 0; k < axes.size() && fixed; ++k)
    fixed = (*to)[k].is_const() && x[axes[k]].is_const() && !x[axes[k]].is(0);
  double common = 1;
  if (fixed && a.aspect != ResizeAspect::stretch) {
    std::vector<double> ratios;
    for (size_t k = 0; k < axes.size(); ++k)
      ratios.push_back(static_cast<double>((*to)[k].value()) / static_cast<double>(x[axes[k]].value()));
    common = aspect_scale(a.aspect, ratios);
  }
  for (size_t k = 0; k < axes.size(); ++k) {
    Dim& d = dims[static_cast<size_t>(axes[k])];
    if (f.size() == axes.size())
      d = scaled(ctx, d, f[k]);
    else if (to && a.aspect == ResizeAspect::stretch)
      d = (*to)[k];
    else if (fixed)
      d = aspect_extent(d.value(), common);
    else
      d = ctx.fresh();
    if (d.is_const() && d.value() < 0) ctx.fail(ErrorCode::bad_value, "resize to a negative extent ", d);
  }
  ctx.set(0, Shape(std::move(dims)));
}

}  // namespace tc
