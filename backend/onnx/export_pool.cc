#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

// Until opset 16 coordinates were not shifted by half a pixel.
void roi_align_10(NodeExport& n) {
  if (n.attrs<RoiAlign>().coordinate_transformation_mode != RoiCoordinates::output_half_pixel)
    n.refuse("coordinates half_pixel of RoiAlign exist from opset 16 on");
  n.ignore("coordinate_transformation_mode");
  n.regular();
}

}  // namespace

void rows_export_pool(ExportRows& rows) {
  rows.push_back({OpId::RoiAlign, 1, roi_align_10});
  rows.push_back({OpId::RoiAlign, 16});
}

}  // namespace tc::onnx
