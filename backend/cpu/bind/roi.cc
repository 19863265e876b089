#include <algorithm>
#include <cmath>

#include "tc/backend/cpu/bind/roi.h"
#include "tc/kernels/roi/roi.h"

namespace tc::cpu {
namespace {

// As the reference bodies have it.
constexpr double kMostSamples = 1024, kFarthest = 1e9;

struct RoiState {
  kernels::RoiArgs args;
  std::vector<kernels::RoiBox> boxes;
};

// Where the regions are, and whether they can be.
class Regions {
 public:
  Regions(const Frame& f, const Node& node, int64_t images, double scale)
      : f_(f), node_(node), images_(images), scale_(scale) {}

  int64_t image(double index) const {
    if (!(index >= 0 && index < static_cast<double>(images_)))
      f_.fail(node_, ErrorCode::bad_value, cat("batch index ", index, " of ", images_, " images"));
    return static_cast<int64_t>(index);
  }
  void check(const float* corners) const {
    for (int i = 0; i < 4; ++i)
      if (!(std::abs(double{corners[i]} * scale_) <= kFarthest))
        f_.fail(node_, ErrorCode::bad_value, cat("a region has the coordinate ", double{corners[i]}));
  }

 private:
  const Frame& f_;
  const Node& node_;
  int64_t images_;
  double scale_;
};

kernels::RoiBox align_box(const Frame& f, const Node& node, const Regions& regions, const float* roi, int64_t image) {
  const auto& a = node.attrs<RoiAlign>();
  kernels::RoiBox box;
  box.image = regions.image(static_cast<double>(image));
  regions.check(roi);
  const bool half_pixel = a.coordinate_transformation_mode == RoiCoordinates::half_pixel;
  const double shift = half_pixel ? 0.5 : 0;
  box.x.start = double{roi[0]} * a.spatial_scale - shift, box.y.start = double{roi[1]} * a.spatial_scale - shift;
  double w = double{roi[2]} * a.spatial_scale - shift - box.x.start;
  double h = double{roi[3]} * a.spatial_scale - shift - box.y.start;
  if (!half_pixel) w = std::max(w, 1.0), h = std::max(h, 1.0);
  box.x.size = w / static_cast<double>(a.output_width), box.y.size = h / static_cast<double>(a.output_height);
  const auto samples = [&](double size) {
    const double n = a.sampling_ratio > 0 ? static_cast<double>(a.sampling_ratio) : std::ceil(size);
    if (n > kMostSamples)
      f.fail(node, ErrorCode::bad_value, cat("a region of ", h, " x ", w, " elements needs too many samples"));
    return std::max<int64_t>(static_cast<int64_t>(n), 0);
  };
  box.y.samples = samples(box.y.size), box.x.samples = samples(box.x.size);
  return box;
}

kernels::RoiBox pool_box(const Node& node, const Regions& regions, const float* roi) {
  const auto& a = node.attrs<MaxRoiPool>();
  kernels::RoiBox box;
  box.image = regions.image(double{roi[0]});
  regions.check(roi + 1);
  const auto at = [&](int i) { return double{std::round(static_cast<float>(double{roi[i]} * a.spatial_scale))}; };
  box.x.start = at(1), box.y.start = at(2);
  box.x.size = std::max(at(3) - box.x.start + 1, 1.0) / static_cast<double>(a.pooled_shape[1]);
  box.y.size = std::max(at(4) - box.y.start + 1, 1.0) / static_cast<double>(a.pooled_shape[0]);
  return box;
}

void set_extents(Frame& f, Slot x, Slot y, RoiState& s) {
  const auto e = f.extents(x), r = f.extents(y);
  s.args.channels = e[1], s.args.height = e[2], s.args.width = e[3];
  s.args.regions = r[0], s.args.rows = r[2], s.args.columns = r[3];
  f.need_scratch(kernels::roi_scratch_bytes(s.args, f.team().threads()));
}

void run(Frame& f, const kernels::Slot<kernels::RoiKernel>& kernel, Slot x, Slot y, RoiState& s) {
  s.args.boxes = s.boxes.data();
  s.args.x = f.ptr<const float>(x), s.args.y = f.ptr<float>(y);
  s.args.scratch = f.scratch();
  if (s.args.height * s.args.width == 0)
    std::fill_n(s.args.y, f.count(y), 0.0f);
  else
    kernels::roi(f.team(), kernel, s.args);
}

}  // namespace

bool bind_roi_align(Binder& b) {
  if (b.dtype(0) != DType::f32) return b.refuse("element type is not f32");
  if (b.rank(0) != 4 || b.rank(1) != 2 || b.rank(2) != 1) return b.refuse("ranks are not 4, 2 and 1");
  const auto& attrs = b.attrs<RoiAlign>();
  const auto& kernel = attrs.mode == RoiMode::max ? b.table().roi.maximum : b.table().roi.average;
  const Slot x = b.in(0, Layout::blocked16), rois = b.in(1), images = b.in(2), y = b.out(0);
  const Node* node = &b.node();
  b.step<RoiState>(
      kernel.name,
      [=, &attrs](Frame& f, RoiState& s) {
        if (f.extents(rois)[1] != 4 || f.count(images) != f.extents(rois)[0])
          f.fail(*node, ErrorCode::bad_shape, "rois must be [regions, 4], with one batch index per region");
        s.args = {};
        s.args.most_samples = std::min(attrs.sampling_ratio, static_cast<int64_t>(kMostSamples));
        set_extents(f, x, y, s);
        s.boxes.resize(static_cast<size_t>(s.args.regions));
      },
      [=, &kernel](Frame& f, RoiState& s) {
        const Regions regions(f, *node, f.extents(x)[0], node->attrs<RoiAlign>().spatial_scale);
        const auto* roi = f.ptr<const float>(rois);
        const auto* image = f.ptr<const int64_t>(images);
        if (s.args.height * s.args.width > 0)
          for (kernels::RoiBox& box : s.boxes) box = align_box(f, *node, regions, roi, *image), roi += 4, ++image;
        run(f, kernel, x, y, s);
      });
  return true;
}

bool bind_max_roi_pool(Binder& b) {
  if (b.dtype(0) != DType::f32) return b.refuse("element type is not f32");
  if (b.rank(0) != 4 || b.rank(1) != 2) return b.refuse("ranks are not 4 and 2");
  const auto& kernel = b.table().roi.max_pool;
  const Slot x = b.in(0, Layout::blocked16), rois = b.in(1), y = b.out(0);
  const Node* node = &b.node();
  b.step<RoiState>(
      kernel.name,
      [=](Frame& f, RoiState& s) {
        if (f.extents(rois)[1] != 5) f.fail(*node, ErrorCode::bad_shape, "rois must be [regions, 5]");
        s.args = {};
        s.args.most_samples = 1;
        set_extents(f, x, y, s);
        s.boxes.resize(static_cast<size_t>(s.args.regions));
      },
      [=, &kernel](Frame& f, RoiState& s) {
        const Regions regions(f, *node, f.extents(x)[0], node->attrs<MaxRoiPool>().spatial_scale);
        const auto* roi = f.ptr<const float>(rois);
        for (kernels::RoiBox& box : s.boxes) box = pool_box(*node, regions, roi), roi += 5;
        run(f, kernel, x, y, s);
      });
  return true;
}

}  // namespace tc::cpu
