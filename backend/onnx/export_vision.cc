#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

// Until opset 20 there were two spatial axes, and the modes had the names of their two-dimensional forms.
void grid_sample_16(NodeExport& n) {
  const Shape& x = n.node().operand(0)->shape();
  if (!x.ranked() || x.rank() != 4) n.refuse("GridSample of other than two spatial axes exists from opset 20 on");
  const GridMode mode = n.attrs<GridSample>().mode;
  n.set("mode", std::string(mode == GridMode::linear ? "bilinear" : mode == GridMode::cubic ? "bicubic" : "nearest"));
  n.regular();
}

}  // namespace

void rows_export_vision(ExportRows& rows) {
  rows.push_back({OpId::GridSample, 16, grid_sample_16});
  rows.push_back({OpId::GridSample, 20});
}

}  // namespace tc::onnx
