// Pictures: samples at grids and in regions, boxes, files. Operands are as in ONNX.
#pragma once

#include "tc/frontend/dsl/nn.h"

namespace tc {

enum class GridSampling : uint8_t { linear, nearest, cubic };
enum class GridBorder : uint8_t { zeros, border, reflection };
struct GridSampleOptions {
  GridSampling mode = GridSampling::linear;
  GridBorder padding = GridBorder::zeros;  // what is outside
  bool align_corners = false;              // -1 and 1 are the centres of the outermost elements, else their outer edges
};
// x [batch, channels, spatial...] at points [batch, extents..., axes] with coordinates from -1 to 1, the last axis of x
// first.
Var grid_sample(Arg x, Arg grid, GridSampleOptions options = {});
struct AffineGridOptions {
  bool align_corners = false;
};
// The points of affine maps theta [batch, axes, axes + 1] for results of a shape [batch, channels, spatial...].
Var affine_grid(Arg theta, ShapeArg size, AffineGridOptions options = {});

enum class RoiSampling : uint8_t { average, maximum };
struct RoiAlignOptions {
  int64_t height = 1, width = 1;  // bins
  int64_t sampling_ratio = 0;     // samples per bin and axis; 0: as many as there are elements
  double spatial_scale = 1;       // of the regions' coordinates
  RoiSampling mode = RoiSampling::average;
  bool half_pixel = true;  // coordinates are of edges, else of centres
};
// Bilinear samples of regions [count, 4] (x1, y1, x2, y2) of the pictures that `batch_indices` [count] name.
Var roi_align(Arg x, Arg rois, Arg batch_indices, RoiAlignOptions options = {});
struct MaxRoiPoolOptions {
  double spatial_scale = 1;
};
Var max_roi_pool(Arg x, Arg rois, int64_t height, int64_t width, MaxRoiPoolOptions options = {});  // rois: batch first

struct NonMaxSuppressionOptions {
  Arg max_per_class = {};    // of the boxes chosen; {}: none
  Arg iou_threshold = {};    // boxes that overlap a better one by more go; {}: 0
  Arg score_threshold = {};  // {}: all scores count
  bool centers = false;      // boxes are centre and size, else two corners
};
// boxes [batch, count, 4], scores [batch, classes, count]: i64[chosen, 3] of batch, class and box.
Var non_max_suppression(Arg boxes, Arg scores, NonMaxSuppressionOptions options = {});

struct DeformConvOptions {
  Arg bias = {}, mask = {};
  std::vector<int64_t> strides = {}, dilations = {}, pads = {};
  int64_t groups = 1, offset_groups = 1;
};
Var deform_conv(Arg x, Arg w, Arg offset, DeformConvOptions options = {});

struct CenterCropPadOptions {
  Axes axes = {};
};
Var center_crop_pad(Arg x, ShapeArg shape, CenterCropPadOptions options = {});  // to extents along axes

enum class Pixels : uint8_t { rgb, bgr, gray };
Var image_decoder(Arg file, Pixels pixels = Pixels::rgb);  // the bytes of a picture: u8[height, width, channels]

}  // namespace tc
