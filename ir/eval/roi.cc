// Regions of interest.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tc/ir/eval/eval.h"

namespace tc {
namespace {

// Samples per bin and axis: a region far larger than any image must not run without end.
constexpr int64_t kMaxGrid = 1024;

// The plane of an image; Error bad_value when there is no such image.
int64_t checked_batch(const EvalContext& ctx, double index, int64_t batch) {
  if (!(index >= 0 && index < static_cast<double>(batch)))
    ctx.fail(ErrorCode::bad_value, "batch index ", index, " of ", batch, " images");
  return static_cast<int64_t>(index);
}

void check_region(const EvalContext& ctx, const double* coordinates, double scale) {
  constexpr double kLimit = 1e9;
  for (int i = 0; i < 4; ++i)
    if (!(std::abs(coordinates[i] * scale) <= kLimit))
      ctx.fail(ErrorCode::bad_value, "a region has the coordinate ", coordinates[i]);
}

// Four neighbours of a sample with their weights; all weights are 0 outside the image.
struct Bilinear {
  int64_t place[4] = {};
  double weight[4] = {};

  Bilinear(double y, double x, int64_t height, int64_t width) {
    if (y < -1 || y > static_cast<double>(height) || x < -1 || x > static_cast<double>(width)) return;
    y = std::max(y, 0.0), x = std::max(x, 0.0);
    auto low_y = static_cast<int64_t>(y), low_x = static_cast<int64_t>(x);
    int64_t high_y = low_y + 1, high_x = low_x + 1;
    if (low_y >= height - 1) low_y = high_y = height - 1, y = static_cast<double>(low_y);
    if (low_x >= width - 1) low_x = high_x = width - 1, x = static_cast<double>(low_x);
    const double ly = y - static_cast<double>(low_y), lx = x - static_cast<double>(low_x), hy = 1 - ly, hx = 1 - lx;
    place[0] = low_y * width + low_x, place[1] = low_y * width + high_x;
    place[2] = high_y * width + low_x, place[3] = high_y * width + high_x;
    weight[0] = hy * hx, weight[1] = hy * lx, weight[2] = ly * hx, weight[3] = ly * lx;
  }
};

}  // namespace

template <>
void eval<MaxRoiPool>(EvalContext& ctx) {
  const auto& a = ctx.attrs<MaxRoiPool>();
  const Tensor& x = ctx.in(0);
  if (x.rank() != 4 || ctx.in(1).rank() != 2 || ctx.in(1).extent(1) != 5)
    ctx.fail(ErrorCode::bad_shape, "rois must be [regions, 5]");
  const int64_t regions = ctx.in(1).extent(0), channels = x.extent(1), height = x.extent(2), width = x.extent(3);
  const int64_t rows = a.pooled_shape[0], columns = a.pooled_shape[1];
  // Bins of f32 and narrower regions end where they do for a runtime that computes in f32.
  const auto rounded = [in_f32 = x.dtype() != DType::f64](double v) {
    return in_f32 ? static_cast<double>(static_cast<float>(v)) : v;
  };
  Tensor& out = ctx.out(0, {regions, channels, rows, columns});
  const auto xs = ctx.read<double>(0), rois = ctx.read<double>(1);
  std::vector<double> y(static_cast<size_t>(out.size()));
  size_t at = 0;
  for (int64_t r = 0; r < regions; ++r) {
    const double* roi = rois.data() + r * 5;
    const int64_t image = checked_batch(ctx, roi[0], x.extent(0));
    check_region(ctx, roi + 1, a.spatial_scale);
    const auto corner = [&](int i) { return std::round(rounded(roi[i] * a.spatial_scale)); };
    const double x1 = corner(1), y1 = corner(2);
    const double bin_h = rounded(std::max(corner(4) - y1 + 1, 1.0) / static_cast<double>(rows));
    const double bin_w = rounded(std::max(corner(3) - x1 + 1, 1.0) / static_cast<double>(columns));
    auto edge = [](double v, int64_t limit) {
      return static_cast<int64_t>(std::clamp(v, 0.0, static_cast<double>(limit)));
    };
    for (int64_t c = 0; c < channels; ++c) {
      const double* plane = xs.data() + (image * channels + c) * height * width;
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j, ++at) {
          const int64_t top = edge(std::floor(rounded(static_cast<double>(i) * bin_h)) + y1, height);
          const int64_t bottom = edge(std::ceil(rounded(static_cast<double>(i + 1) * bin_h)) + y1, height);
          const int64_t left = edge(std::floor(rounded(static_cast<double>(j) * bin_w)) + x1, width);
          const int64_t right = edge(std::ceil(rounded(static_cast<double>(j + 1) * bin_w)) + x1, width);
          double best = top < bottom && left < right ? -std::numeric_limits<double>::infinity() : 0;
          for (int64_t h = top; h < bottom; ++h)
            for (int64_t w = left; w < right; ++w) {
              const double v = plane[h * width + w];
              if (v > best || std::isnan(v)) best = v;
            }
          y[at] = best;
        }
    }
  }
  narrow(y, out);
}

template <>
void eval<RoiAlign>(EvalContext& ctx) {
  const auto& a = ctx.attrs<RoiAlign>();
  const Tensor& x = ctx.in(0);
  const int64_t regions = ctx.in(1).rank() == 2 ? ctx.in(1).extent(0) : -1;
  if (x.rank() != 4 || regions < 0 || ctx.in(1).extent(1) != 4 || ctx.in(2).size() != regions)
    ctx.fail(ErrorCode::bad_shape, "rois must be [regions, 4], with one batch index per region");
  const int64_t channels = x.extent(1), height = x.extent(2), width = x.extent(3);
  const bool half_pixel = a.coordinate_transformation_mode == RoiCoordinates::half_pixel;
  Tensor& out = ctx.out(0, {regions, channels, a.output_height, a.output_width});
  const auto xs = ctx.read<double>(0), rois = ctx.read<double>(1);
  const auto images = ctx.ints(2);
  std::vector<double> y(static_cast<size_t>(out.size()));
  if (height == 0 || width == 0) return narrow(y, out);
  const int64_t bins = a.output_height * a.output_width;
  std::vector<Bilinear> samples;
  for (int64_t r = 0; r < regions; ++r) {
    const double* roi = rois.data() + r * 4;
    const int64_t image = checked_batch(ctx, static_cast<double>(images[static_cast<size_t>(r)]), x.extent(0));
    check_region(ctx, roi, a.spatial_scale);
    const double shift = half_pixel ? 0.5 : 0;
    const double x1 = roi[0] * a.spatial_scale - shift, y1 = roi[1] * a.spatial_scale - shift;
    double w = roi[2] * a.spatial_scale - shift - x1, h = roi[3] * a.spatial_scale - shift - y1;
    if (!half_pixel) w = std::max(w, 1.0), h = std::max(h, 1.0);
    const double bin_h = h / static_cast<double>(a.output_height), bin_w = w / static_cast<double>(a.output_width);
    const int64_t grid_h = a.sampling_ratio > 0 ? a.sampling_ratio : static_cast<int64_t>(std::ceil(bin_h));
    const int64_t grid_w = a.sampling_ratio > 0 ? a.sampling_ratio : static_cast<int64_t>(std::ceil(bin_w));
    if (grid_h > kMaxGrid || grid_w > kMaxGrid)
      ctx.fail(ErrorCode::bad_value, "a region of ", h, " x ", w, " elements needs too many samples");
    const int64_t per_bin = grid_h > 0 && grid_w > 0 ? grid_h * grid_w : 0;
    for (int64_t bin = 0; bin < bins; ++bin) {
      samples.clear();
      const auto row = static_cast<double>(bin / a.output_width), column = static_cast<double>(bin % a.output_width);
      for (int64_t s = 0; s < per_bin; ++s) {
        const double sy =
            y1 + row * bin_h + (static_cast<double>(s / grid_w) + 0.5) * bin_h / static_cast<double>(grid_h);
        const double sx =
            x1 + column * bin_w + (static_cast<double>(s % grid_w) + 0.5) * bin_w / static_cast<double>(grid_w);
        samples.emplace_back(sy, sx, height, width);
      }
      for (int64_t c = 0; c < channels; ++c) {
        const double* plane = xs.data() + (image * channels + c) * height * width;
        double sum = 0, best = samples.empty() ? 0 : -std::numeric_limits<double>::infinity();
        for (const Bilinear& s : samples)
          for (int k = 0; k < 4; ++k) {
            const double v = s.weight[k] * plane[s.place[k]];
            sum += v;
            best = std::max(best, v);
          }
        y[static_cast<size_t>((r * channels + c) * bins + bin)] =
            a.mode == RoiMode::max ? best : sum / static_cast<double>(std::max<int64_t>(per_bin, 1));
      }
    }
  }
  narrow(y, out);
}

}  // namespace tc
