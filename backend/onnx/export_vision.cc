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

// Until opset 20 one type served both operands, and ONNX Runtime has no kernels for two.
std::vector<Value*> grid_sample_of_one_type(Lowering& l) {
  Value *x = l.in(0), *grid = l.in(1);
  const DType t = x->dtype(), g = grid->dtype();
  if (t == g || !dtypes::floats.has(t) || (l.opset() >= 20 && !l.ort())) return {};
  DType wide = info(t).bits > info(g).bits ? t : g;
  const bool lossy = wide == DType::f64 && l.ort() && l.opset() < 20;  // which it has no kernel for
  if (lossy) wide = DType::f32;
  l.why = cat("computed in ", wide, lossy ? ", which loses precision" : "", ": one type serves image and grid");
  return {l.cast(l.again({l.cast(x, wide), l.cast(grid, wide)})[0], t)};
}

}  // namespace

void rows_export_vision(ExportRows& rows) {
  rows.push_back({OpId::GridSample, 16, grid_sample_16, grid_sample_of_one_type});
  rows.push_back({OpId::GridSample, 20, nullptr, grid_sample_of_one_type});
}

}  // namespace tc::onnx
