#include "tc/frontend/dsl/vision.h"

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/conv.h"
#include "tc/ir/ops/image.h"
#include "tc/ir/ops/movement.h"
#include "tc/ir/ops/pool.h"
#include "tc/ir/ops/search.h"
#include "tc/ir/ops/vision.h"

namespace tc {

using namespace dsl;

Var grid_sample(Arg x, Arg grid, GridSampleOptions options) {
  const Site site("grid_sample", x.at());
  return make<GridSample>({operand(x), operand(grid, Domain::floating)},
                          {.mode = static_cast<GridMode>(options.mode),
                           .padding_mode = static_cast<GridPadding>(options.padding),
                           .align_corners = options.align_corners});
}
Var affine_grid(Arg theta, ShapeArg size, AffineGridOptions options) {
  const Site site("affine_grid", theta.at());
  const Var map = operand(theta, Domain::floating);
  return make<AffineGrid>({map, shape_tensor(size)}, {.align_corners = options.align_corners});
}

Var roi_align(Arg x, Arg rois, Arg batch_indices, RoiAlignOptions options) {
  const Site site("roi_align", x.at());
  const auto [v, r] = promoted(x, rois, Domain::floating);
  return make<RoiAlign>({v, r, astype(batch_indices, i64)},
                        {.output_height = options.height,
                         .output_width = options.width,
                         .sampling_ratio = options.sampling_ratio,
                         .spatial_scale = attribute(options.spatial_scale),
                         .mode = options.mode == RoiSampling::average ? RoiMode::avg : RoiMode::max,
                         .coordinate_transformation_mode =
                             options.half_pixel ? RoiCoordinates::half_pixel : RoiCoordinates::output_half_pixel});
}
Var max_roi_pool(Arg x, Arg rois, int64_t height, int64_t width, MaxRoiPoolOptions options) {
  const Site site("max_roi_pool", x.at());
  const auto [v, r] = promoted(x, rois, Domain::floating);
  return make<MaxRoiPool>({v, r}, {.pooled_shape = {height, width}, .spatial_scale = attribute(options.spatial_scale)});
}

Var non_max_suppression(Arg boxes, Arg scores, NonMaxSuppressionOptions options) {
  const Site site("non_max_suppression", boxes.at());
  const auto scalar = [](const Arg& a, DType t) { return a.absent() ? Var() : astype(a, t); };
  return make<NonMaxSuppression>({operand(boxes), operand(scores), scalar(options.max_per_class, i64),
                                  scalar(options.iou_threshold, f32), scalar(options.score_threshold, f32)},
                                 {.center_point_box = options.centers});
}

Var deform_conv(Arg x, Arg w, Arg offset, DeformConvOptions options) {
  const Site site("deform_conv", x.at());
  const std::vector<Var> v = promoted({x, w, offset}, Domain::floating);
  const auto optional = [&](const Arg& a) { return a.absent() ? Var() : operand_like(a, v[0].dtype()); };
  return make<DeformConv>({v[0], v[1], v[2], optional(options.bias), optional(options.mask)},
                          {.strides = options.strides,
                           .pads = options.pads,
                           .dilations = options.dilations,
                           .group = options.groups,
                           .offset_group = options.offset_groups});
}

Var center_crop_pad(Arg x, ShapeArg shape, CenterCropPadOptions options) {
  const Site site("center_crop_pad", x.at());
  const Var v = operand(x);
  CenterCropPad::Attrs attrs;
  if (!options.axes.all()) attrs.axes = options.axes.list();
  return make<CenterCropPad>({v, shape_tensor(shape)}, std::move(attrs));
}

Var image_decoder(Arg file, Pixels pixels) {
  const Site site("image_decoder", file.at());
  return make<ImageDecoder>({operand(file)}, {.pixel_format = static_cast<PixelFormat>(pixels)});
}

}  // namespace tc
