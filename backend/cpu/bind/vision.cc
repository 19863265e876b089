#include <algorithm>
#include <limits>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/kernels/grid_sample/grid_sample.h"

namespace tc::cpu {
namespace {

kernels::SampleMode sample_mode(GridMode m) {
  switch (m) {
    case GridMode::nearest:
      return kernels::SampleMode::nearest;
    case GridMode::cubic:
      return kernels::SampleMode::cubic;
    case GridMode::linear:
      break;
  }
  return kernels::SampleMode::linear;
}

kernels::SamplePadding sample_padding(GridPadding p) {
  switch (p) {
    case GridPadding::border:
      return kernels::SamplePadding::border;
    case GridPadding::reflection:
      return kernels::SamplePadding::reflection;
    case GridPadding::zeros:
      break;
  }
  return kernels::SamplePadding::zeros;
}

bool bind_grid_sample(Binder& b) {
  if (b.dtype(0) != DType::f32 || b.dtype(1) != DType::f32) return b.refuse("element types are not f32");
  if (b.rank(0) != 4 || b.rank(1) != 4) return b.refuse("not two spatial axes");
  for (const int axis : {2, 3})
    if (const Dim& d = b.shape(0)[axis]; d.is_const() && d.value() >= 1 << 15) return b.refuse("a very large image");
  const kernels::GridSampleTable& table = b.table().grid_sample;
  const Slot x = b.in(0), grid = b.in(1), y = b.out(0);
  const Node* node = &b.node();
  b.step<kernels::GridSampleArgs>(
      table.sample.name,
      [=](Frame& f, kernels::GridSampleArgs& a) {
        const auto& attrs = node->attrs<GridSample>();
        const auto e = f.extents(x), g = f.extents(grid);
        if (g[0] != e[0] || g[3] != 2)
          f.fail(*node, ErrorCode::bad_shape,
                 cat("the grid ", Shape::of(Extents(g.begin(), g.end())), " does not fit ",
                     Shape::of(Extents(e.begin(), e.end()))));
        if (std::max(e[2], e[3]) >= kernels::kMostAlong || e[2] * e[3] > std::numeric_limits<int32_t>::max())
          f.fail(*node, ErrorCode::limit_memory, cat("an image of ", e[2], " x ", e[3], " elements is sampled"));
        a = {};
        a.mode = sample_mode(attrs.mode), a.padding = sample_padding(attrs.padding_mode);
        a.align_corners = attrs.align_corners;
        a.images = e[0], a.channels = e[1], a.height = e[2], a.width = e[3];
        a.points = g[1] * g[2];
      },
      [=, &table](Frame& f, kernels::GridSampleArgs& a) {
        a.x = f.ptr<const float>(x), a.grid = f.ptr<const float>(grid), a.y = f.ptr<float>(y);
        if (a.height * a.width == 0)
          std::fill_n(a.y, f.count(y), 0.0f);
        else
          kernels::grid_sample(f.team(), table, a);
      });
  return true;
}

}  // namespace

void rows_bind_vision(BindRows& rows) {
  rows.push_back({OpId::GridSample, "grid_sample_f32", bind_grid_sample});
}

}  // namespace tc::cpu
