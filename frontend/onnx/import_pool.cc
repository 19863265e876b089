#include <cmath>

#include "tc/frontend/onnx/import_rows.h"
#include "tc/ir/ops/pool.h"

namespace tc::onnx {
namespace {

// The exponent of opset 1, a float.
int64_t float_exponent(NodeImport& n) {
  const double p = n.float_attr("p", 2);
  if (p != std::floor(p) || p < 1 || p > 1e6) n.unsupported(cat("the exponent p = ", p));
  return static_cast<int64_t>(p);
}

}  // namespace

void rows_import_pool(ImportRows& rows) {
  // Until opset 16 coordinates were not shifted by half a pixel.
  rows.push_back({"RoiAlign", 10, [](NodeImport& n) {
                    auto a = n.attrs<RoiAlign>();
                    a.coordinate_transformation_mode = RoiCoordinates::output_half_pixel;
                    return std::vector<Value*>{n.b().make<RoiAlign>(n.inputs(), a)};
                  }});
  rows.push_back({"LpPool", 1, [](NodeImport& n) {
                    const auto window = n.attrs<AveragePool>();
                    LpPool::Attrs a;
                    a.kernel_shape = window.kernel_shape;
                    a.strides = window.strides;
                    a.pads = window.pads;
                    a.auto_pad = window.auto_pad;
                    a.p = float_exponent(n);
                    return std::vector<Value*>{n.b().make<LpPool>(n.inputs(), a)};
                  }});
  rows.push_back({"GlobalLpPool", 1, [](NodeImport& n) {
                    return std::vector<Value*>{n.b().make<GlobalLpPool>(n.inputs(), {.p = float_exponent(n)})};
                  }});
}

}  // namespace tc::onnx
