#include "tc/ir/ops/vision.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tc/ir/eval/eval.h"
#include "tc/ir/eval/move.h"

namespace tc {
namespace {

// One spatial axis: from a normalised coordinate to the elements it is interpolated from.
class GridAxis {
 public:
  GridAxis(int64_t extent, int64_t stride, const GridSample::Attrs& a) : extent_(extent), stride_(stride), attrs_(a) {
    const auto d = static_cast<double>(extent);
    low_ = a.align_corners ? 0 : -0.5;
    high_ = a.align_corners ? d - 1 : d - 0.5;
  }

  static constexpr int64_t kOutside = -1;
  struct Tap {
    int64_t offset;  // in elements, or kOutside
    double weight;
  };
  struct Taps {
    std::array<Tap, 4> tap;
    int count = 0;
    void add(int64_t offset, double weight) { tap[static_cast<size_t>(count++)] = {offset, weight}; }
  };

  // The place of a coordinate, in elements. NaN counts as -1. Coordinates of f32 and narrower grids give places in f32:
  // ties between elements lie where they do for a runtime that computes in that type.
  double place(double coordinate, bool in_f32) const {
    if (std::isnan(coordinate)) coordinate = -1;
    const auto d = static_cast<double>(extent_);
    double x = attrs_.align_corners ? (coordinate + 1) / 2 * (d - 1) : ((coordinate + 1) * d - 1) / 2;
    if (in_f32) x = static_cast<double>(static_cast<float>(x));
    x = std::clamp(x, -1e15, 1e15);
    if (attrs_.mode == GridMode::nearest) x = std::nearbyint(x);  // halves to even
    if (x >= low_ && x <= high_) return x;
    if (attrs_.padding_mode == GridPadding::border) return std::clamp(x, 0.0, std::max(d - 1, 0.0));
    if (attrs_.padding_mode == GridPadding::reflection) return reflected(x);
    return x;
  }

  // The element at a place, which padding may move.
  int64_t element(double x) const {
    const bool inside = x >= 0 && x < static_cast<double>(extent_);
    if (!inside && attrs_.padding_mode == GridPadding::border) x = std::clamp(x, 0.0, static_cast<double>(extent_ - 1));
    if (!inside && attrs_.padding_mode == GridPadding::reflection) x = reflected(x);
    if ((!inside && attrs_.padding_mode == GridPadding::zeros) || extent_ == 0) return kOutside;
    return std::clamp<int64_t>(static_cast<int64_t>(x), 0, extent_ - 1) * stride_;
  }

  Taps taps(double x) const {
    Taps t;
    const double first = std::floor(x), f = x - first;
    switch (attrs_.mode) {
      case GridMode::nearest:
        t.add(element(x), 1);
        break;
      case GridMode::linear:
        t.add(element(first), 1 - f);
        t.add(element(first + 1), f);
        break;
      case GridMode::cubic:
        for (int k = -1; k <= 2; ++k) t.add(element(first + k), cubic(f - k));
        break;
    }
    return t;
  }

 private:
  // Back and forth between the edges.
  double reflected(double x) const {
    const double range = high_ - low_;
    if (range <= 0) return std::max(low_, 0.0);
    const double beyond = x < low_ ? low_ - x : x - high_;
    const double turns = std::floor(beyond / range), rest = beyond - turns * range;
    const bool from_low = (x < low_) == (std::fmod(turns, 2) == 0);
    return from_low ? low_ + rest : high_ - rest;
  }

  // Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -3/4.
  static double cubic(double x) {
    constexpr double a = -0.75;
    x = std::abs(x);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  }

  int64_t extent_, stride_;
  const GridSample::Attrs& attrs_;
  double low_, high_;
};

// What one point is made of: elements of a channel and their weights; elements outside the image are left out.
void gather_taps(const std::vector<GridAxis::Taps>& axes, std::vector<GridAxis::Tap>& result) {
  result.assign(1, {0, 1.0});
  std::vector<GridAxis::Tap> next;
  for (const auto& axis : axes) {
    next.clear();
    for (const auto& r : result)
      for (int k = 0; k < axis.count; ++k) {
        const auto& t = axis.tap[static_cast<size_t>(k)];
        if (t.offset != GridAxis::kOutside) next.push_back({r.offset + t.offset, r.weight * t.weight});
      }
    result.swap(next);
  }
}

// Calls f(image, point, taps) for every point of the grid.
template <class F>
void for_each_point(EvalContext& ctx, F&& f) {
  const auto& a = ctx.attrs<GridSample>();
  const Extents &x = ctx.in(0).extents(), &grid = ctx.in(1).extents();
  const int axes = static_cast<int>(x.size()) - 2;
  const bool in_f32 = ctx.node().operand(1)->dtype() != DType::f64;
  std::vector<GridAxis> axis;
  const Extents strides = row_major_strides(x);
  for (size_t k = 2; k < x.size(); ++k) axis.emplace_back(x[k], strides[k], a);
  const auto coordinates = ctx.read<double>(1);
  const int64_t points = grid[0] ? static_cast<int64_t>(coordinates.size()) / axes / grid[0] : 0;
  std::vector<GridAxis::Taps> by_axis(axis.size());
  std::vector<GridAxis::Tap> taps;
  const double* p = coordinates.data();
  for (int64_t n = 0; n < grid[0]; ++n)
    for (int64_t i = 0; i < points; ++i, p += axes) {
      for (size_t k = 0; k < axis.size(); ++k) by_axis[k] = axis[k].taps(axis[k].place(p[axis.size() - 1 - k], in_f32));
      gather_taps(by_axis, taps);
      f(n, i, taps);
    }
}

template <class W>
void interpolate(EvalContext& ctx, Tensor& out) {
  const Extents& in = ctx.in(0).extents();
  const int64_t channels = in[1], planes = in[0] * channels;  // not none: there are results
  const int64_t plane = ctx.in(0).size() / planes, points = out.size() / planes;
  const auto x = ctx.read<W>(0);
  std::vector<W> y(static_cast<size_t>(out.size()));
  for_each_point(ctx, [&](int64_t n, int64_t point, const std::vector<GridAxis::Tap>& taps) {
    for (int64_t c = n * channels; c < (n + 1) * channels; ++c) {
      W sum{};
      for (const auto& t : taps) sum += t.weight * x[static_cast<size_t>(c * plane + t.offset)];
      y[static_cast<size_t>(c * points + point)] = sum;
    }
  });
  narrow(y, out);
}

}  // namespace

template <>
void eval<GridSample>(EvalContext& ctx) {
  const Tensor &x = ctx.in(0), &grid = ctx.in(1);
  const int axes = x.rank() - 2;
  if (axes < 1 || grid.rank() != x.rank() || grid.extent(0) != x.extent(0) || grid.extent(axes + 1) != axes)
    ctx.fail(ErrorCode::bad_shape, "the grid ", grid.type(), " does not fit ", x.type());
  if (axes > kMaxGridAxes) ctx.fail(ErrorCode::limit_rank, "grid_sample takes up to ", kMaxGridAxes, " spatial axes");
  Extents extents{x.extent(0), x.extent(1)};
  extents.insert(extents.end(), grid.extents().begin() + 1, grid.extents().end() - 1);
  Tensor& out = ctx.out(0, x.dtype(), extents);
  if (out.size() == 0) return;
  if (ctx.attrs<GridSample>().mode == GridMode::nearest) {
    const int64_t channels = x.extent(1), points = out.size() / (x.extent(0) * channels);
    const int64_t plane = x.size() / (x.extent(0) * channels);
    std::vector<int64_t> sources(static_cast<size_t>(out.size()), -1);
    for_each_point(ctx, [&](int64_t n, int64_t point, const std::vector<GridAxis::Tap>& taps) {
      for (int64_t c = n * channels; c < (n + 1) * channels && !taps.empty(); ++c)
        sources[static_cast<size_t>(c * points + point)] = c * plane + taps[0].offset;
    });
    return copy_indexed(x, sources, out);
  }
  if (kind(x.dtype()) == DTypeKind::complex) return interpolate<std::complex<double>>(ctx, out);
  interpolate<double>(ctx, out);
}

template <>
void eval<AffineGrid>(EvalContext& ctx) {
  const auto size = ctx.ints(1);
  const auto axes = static_cast<int64_t>(size.size()) - 2;
  if ((axes != 2 && axes != 3) || ctx.in(0).extents() != Extents{size[0], axes, axes + 1})
    ctx.fail(ErrorCode::bad_shape, "theta ", ctx.in(0).type(), " for a size of ", size.size(), " extents");
  Extents extents{size[0]}, spatial(size.begin() + 2, size.end());
  extents.insert(extents.end(), spatial.begin(), spatial.end());
  extents.push_back(axes);
  Tensor& out = ctx.out(0, extents);
  const auto theta = ctx.read<double>(0);
  const bool aligned = ctx.attrs<AffineGrid>().align_corners;
  std::vector<double> y;
  y.reserve(static_cast<size_t>(out.size()));
  std::vector<double> point(static_cast<size_t>(axes) + 1, 1.0);
  for (int64_t n = 0; n < size[0]; ++n)
    for_each_index(spatial, [&](const Extents& index) {
      for (size_t k = 0; k < index.size(); ++k) {
        const int64_t i = index[k], extent = spatial[k];
        point[index.size() - 1 - k] = static_cast<double>(2 * i - (extent - 1)) /
                                      static_cast<double>(aligned ? std::max<int64_t>(extent - 1, 1) : extent);
      }
      for (int64_t row = 0; row < axes; ++row) {
        const double* t = theta.data() + (n * axes + row) * (axes + 1);
        double sum = 0;
        for (size_t k = 0; k < point.size(); ++k) sum += t[k] * point[k];
        y.push_back(sum);
      }
    });
  narrow(y, out);
}

}  // namespace tc
