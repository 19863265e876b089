#include "tc/frontend/onnx/microsoft.h"

namespace tc::onnx {
namespace {

// The modes had the names of their two-dimensional forms before there were more axes.
std::vector<Value*> grid_sample_16(NodeImport& n) {
  GridSample::Attrs attrs;
  const std::string mode = n.string_attr("mode", "bilinear"), padding = n.string_attr("padding_mode", "zeros");
  if (mode == "nearest")
    attrs.mode = GridMode::nearest;
  else if (mode == "bicubic")
    attrs.mode = GridMode::cubic;
  else if (mode != "bilinear")
    n.fail(ErrorCode::bad_attribute, "unknown mode '", mode, "'; one of bilinear, nearest, bicubic");
  if (padding == "border")
    attrs.padding_mode = GridPadding::border;
  else if (padding == "reflection")
    attrs.padding_mode = GridPadding::reflection;
  else if (padding != "zeros")
    n.fail(ErrorCode::bad_attribute, "unknown padding_mode '", padding, "'; one of zeros, border, reflection");
  attrs.align_corners = n.int_attr("align_corners", 0) != 0;
  return {n.b().make<GridSample>({n.required(0), n.required(1)}, attrs)};
}

}  // namespace

void rows_import_vision(ImportRows& rows) {
  rows.push_back({"GridSample", 16, grid_sample_16});
  rows.push_back({"GridSample", 1, grid_sample_16, kMicrosoft});
}

}  // namespace tc::onnx
