// Resize as the ONNX reference implementation defines it: separable, each axis a table of weights.
#include <algorithm>
#include <cmath>

#include "tc/ir/eval/eval.h"
#include "tc/ir/eval/move.h"
#include "tc/ir/eval/resize.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

double original_place(const Resize::Attrs& a, const ResizeAxisSpec& s, int64_t i) {
  const auto x = static_cast<double>(i), in = static_cast<double>(s.in);
  switch (a.coordinates) {
    case ResizeCoordinates::half_pixel:
      return (x + 0.5) / s.scale - 0.5;
    case ResizeCoordinates::half_pixel_symmetric:
      return in / 2 * (1 - static_cast<double>(s.out) / s.width) + (x + 0.5) / s.scale - 0.5;
    case ResizeCoordinates::pytorch_half_pixel:
      return s.width == 1 ? -0.5 : (x + 0.5) / s.scale - 0.5;
    case ResizeCoordinates::align_corners:
      return s.width == 1 ? 0 : x * (in - 1) / (s.width - 1);
    case ResizeCoordinates::asymmetric:
      return x / s.scale;
    case ResizeCoordinates::tf_half_pixel_for_nn:
      return (x + 0.5) / s.scale;
    case ResizeCoordinates::tf_crop_and_resize: {
      const double span = (s.roi_end - s.roi_start) * (in - 1);
      return s.roi_start * (in - 1) + (s.width == 1 ? span / 2 : x * span / (s.width - 1));
    }
  }
  return 0;
}

double cubic(double x, double a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

// The filter is widened by 1/scale when it must not alias. `ratio` in (0, 1] is the distance from the element before.
std::vector<double> weights(const Resize::Attrs& a, double ratio, double scale) {
  if (a.mode == ResizeMode::nearest) {
    bool right = ratio == 1;
    if (!right) switch (a.nearest_mode) {
        case ResizeNearest::round_prefer_floor:
          right = ratio > 0.5;
          break;
        case ResizeNearest::round_prefer_ceil:
          right = ratio >= 0.5;
          break;
        case ResizeNearest::floor:
          break;
        case ResizeNearest::ceil:
          right = true;
          break;
      }
    return {right ? 0.0 : 1.0, right ? 1.0 : 0.0};
  }
  const double stretch = a.antialias ? std::min(scale, 1.0) : 1.0;
  const double reach = a.mode == ResizeMode::linear ? 1 : 2;
  const auto start = static_cast<int64_t>(std::floor(-reach / stretch)) + 1;
  std::vector<double> result;
  double sum = 0;
  for (int64_t i = start; i < 2 - start; ++i) {
    const double x = (static_cast<double>(i) - ratio) * stretch;
    result.push_back(a.mode == ResizeMode::linear ? std::clamp(1 - std::abs(x), 0.0, 1.0) : cubic(x, a.cubic_coeff_a));
    sum += result.back();
  }
  if (a.antialias)
    for (double& w : result) w /= sum;
  return result;
}

std::vector<ResizeAxisSpec> specs(EvalContext& ctx, const Resize::Attrs& a, const Tensor& x) {
  std::vector<ResizeAxisSpec> result(x.extents().size());
  for (size_t k = 0; k < result.size(); ++k) {
    result[k].in = result[k].out = x.extents()[k];
    result[k].width = static_cast<double>(result[k].in);
  }
  std::vector<int64_t> all(result.size());
  for (size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int64_t>(k);
  const auto axes = distinct_axes(a.axes.value_or(all), x.rank());
  const auto given = [&](int i) { return ctx.has(i) && ctx.in(i).size() > 0; };
  const int by = given(3) ? 3 : 2;
  if (!given(by)) ctx.fail(ErrorCode::bad_shape, "resize needs scales or sizes");
  if (ctx.in(by).size() != static_cast<int64_t>(axes.size()))
    ctx.fail(ErrorCode::bad_shape, "resize has ", ctx.in(by).size(), by == 3 ? " sizes" : " scales", " for ",
             axes.size(), " axes");
  if (by == 3) {
    const auto sizes = ctx.ints(3);
    std::vector<double> scales;
    for (size_t k = 0; k < axes.size(); ++k) {
      const int64_t in = x.extent(axes[k]);
      if (sizes[k] < 0) ctx.fail(ErrorCode::bad_value, "resize to a negative extent ", sizes[k]);
      scales.push_back(in ? static_cast<double>(sizes[k]) / static_cast<double>(in) : 1);
    }
    const double common = aspect_scale(a.aspect, scales);
    for (size_t k = 0; k < axes.size(); ++k) {
      ResizeAxisSpec& s = result[static_cast<size_t>(axes[k])];
      const bool stretch = a.aspect == ResizeAspect::stretch;
      s.scale = stretch ? scales[k] : common;
      s.out = stretch ? sizes[k] : aspect_extent(s.in, common);
      s.width = stretch ? static_cast<double>(sizes[k]) : common * static_cast<double>(s.in);
    }
  } else {
    const auto scales = ctx.read<double>(2);
    for (size_t k = 0; k < axes.size(); ++k) {
      ResizeAxisSpec& s = result[static_cast<size_t>(axes[k])];
      if (!(scales[k] > 0) || !std::isfinite(scales[k])) ctx.fail(ErrorCode::bad_value, "a scale of ", scales[k]);
      s.scale = scales[k];
      s.out = scaled_extent(s.in, s.scale);
      s.width = s.scale * static_cast<double>(s.in);
    }
  }
  if (a.coordinates == ResizeCoordinates::tf_crop_and_resize) {
    if (!given(1) || ctx.in(1).size() != static_cast<int64_t>(2 * axes.size()))
      ctx.fail(ErrorCode::bad_shape, "tf_crop_and_resize needs a roi of ", 2 * axes.size(), " elements");
    const auto roi = ctx.read<double>(1);
    for (size_t k = 0; k < axes.size(); ++k) {
      ResizeAxisSpec& s = result[static_cast<size_t>(axes[k])];
      s.roi_start = roi[k], s.roi_end = roi[axes.size() + k];
    }
  }
  return result;
}

// One pass: [outer, in, inner] to [outer, out, inner].
std::vector<double> resample(const std::vector<double>& v, int64_t outer, int64_t in, int64_t inner,
                             const std::vector<ResizeTaps>& table) {
  const auto out = static_cast<int64_t>(table.size());
  std::vector<double> result(static_cast<size_t>(outer * out * inner));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < out; ++i) {
      const ResizeTaps& t = table[static_cast<size_t>(i)];
      double* to = &result[static_cast<size_t>((o * out + i) * inner)];
      for (size_t k = 0; k < t.weights.size(); ++k) {
        if (t.weights[k] == 0) continue;
        const double* from = &v[static_cast<size_t>(
            (o * in + std::clamp<int64_t>(t.first + static_cast<int64_t>(k), 0, in - 1)) * inner)];
        for (int64_t j = 0; j < inner; ++j) to[j] += t.weights[k] * from[j];
      }
    }
  return result;
}

}  // namespace

std::vector<ResizeTaps> resize_taps(const Resize::Attrs& a, const ResizeAxisSpec& s) {
  std::vector<ResizeTaps> table;
  for (int64_t i = 0; i < s.out; ++i) {
    const double x = original_place(a, s, i);
    ResizeTaps t;
    if (a.coordinates == ResizeCoordinates::tf_crop_and_resize && !(x >= 0 && x <= static_cast<double>(s.in - 1))) {
      t.outside = true;
      table.push_back(std::move(t));
      continue;
    }
    if (!(std::abs(x) < 1e15))
      fail(ErrorCode::bad_value, "resize of ", s.in, " to ", s.out, " elements by a scale of ", s.scale);
    const double before = std::ceil(x) - 1;
    t.weights = weights(a, x - before, s.scale);
    t.first = static_cast<int64_t>(before) + 1 - static_cast<int64_t>(t.weights.size()) / 2;
    if (a.exclude_outside && a.mode != ResizeMode::nearest) {
      double sum = 0;
      for (size_t k = 0; k < t.weights.size(); ++k) {
        const int64_t at = t.first + static_cast<int64_t>(k);
        if (at < 0 || at >= s.in) t.weights[k] = 0;
        sum += t.weights[k];
      }
      for (double& w : t.weights) w /= sum;
    }
    table.push_back(std::move(t));
  }
  return table;
}

template <>
void eval<Resize>(EvalContext& ctx) {
  const auto& a = ctx.attrs<Resize>();
  const Tensor& x = ctx.in(0);
  const auto axes = specs(ctx, a, x);
  Extents extents;
  for (const auto& s : axes) extents.push_back(s.out);
  Tensor& y = ctx.out(0, x.dtype(), extents);
  if (y.size() == 0) return;
  if (x.size() == 0) ctx.fail(ErrorCode::bad_shape, "resize of nothing to ", Shape::of(extents));
  std::vector<std::vector<ResizeTaps>> tables;
  for (const auto& s : axes) tables.push_back(resize_taps(a, s));

  const auto outside = [&](const Extents& index) {
    for (size_t k = 0; k < index.size(); ++k)
      if (tables[k][static_cast<size_t>(index[k])].outside) return true;
    return false;
  };
  if (a.mode == ResizeMode::nearest) {
    const Extents strides = row_major_strides(x.extents());
    std::vector<int64_t> sources;
    sources.reserve(static_cast<size_t>(y.size()));
    for_each_index(extents, [&](const Extents& index) {
      int64_t at = 0;
      for (size_t k = 0; k < index.size(); ++k) {
        const ResizeTaps& t = tables[k][static_cast<size_t>(index[k])];
        if (!t.outside) at += strides[k] * std::clamp<int64_t>(t.first + (t.weights[1] != 0), 0, axes[k].in - 1);
      }
      sources.push_back(outside(index) ? -1 : at);
    });
    Tensor fill(x.dtype(), {});
    if (x.dtype() != DType::str) narrow(std::vector<double>{a.extrapolation_value}, fill);
    return copy_indexed(x, sources, y, &fill);
  }
  if (kind(x.dtype()) == DTypeKind::string || kind(x.dtype()) == DTypeKind::complex)
    ctx.fail(ErrorCode::bad_type, "interpolation of ", x.type());
  auto v = ctx.read<double>(0);
  int64_t outer = 1, inner = x.size();
  for (size_t k = 0; k < axes.size(); ++k) {
    inner /= axes[k].in;
    const bool same =
        axes[k].in == axes[k].out && axes[k].scale == 1 && a.coordinates != ResizeCoordinates::tf_crop_and_resize;
    if (!same) v = resample(v, outer, axes[k].in, inner, tables[k]);
    outer *= axes[k].out;
  }
  size_t at = 0;
  for_each_index(extents, [&](const Extents& index) {
    if (outside(index)) v[at] = a.extrapolation_value;
    ++at;
  });
  narrow(v, y);
}

}  // namespace tc
