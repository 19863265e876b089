#include "tc/frontend/onnx/microsoft.h"
#include "tc/ir/shape_build.h"

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

// Boxes (y1, x1, y2, x2) as fractions of the extents less one, sampled at as many places as the crop has.
std::vector<Value*> crop_and_resize(NodeImport& n) {
  Builder& b = n.b();
  Value *x = n.required(0), *boxes = n.required(1), *size = cast(n, n.required(3), DType::i64);
  const DType t = x->dtype();
  const std::string mode = n.string_attr("mode", "bilinear");
  if (mode != "bilinear" && mode != "nearest") n.fail(ErrorCode::bad_attribute, "unknown mode '", mode, "'");
  Value *one = b.scalar_like(t, 1), *two = b.scalar_like(t, 2), *half = b.scalar_like(t, 0.5);
  Value* inside = nullptr;
  std::vector<Value*> places;  // x, y: as GridSample has them, [boxes, height, width]
  for (const int axis : {1, 0}) {
    Value* last = b.make<Sub>({cast(n, extent_of(b, x, axis + 2), t), one});
    Value* count = b.make<Slice>({size, b.ints({axis}), b.ints({axis + 1}), b.ints({0})});
    const auto bound = [&](int64_t column) { return b.make<Gather>({boxes, b.ints({column})}, {.axis = 1}); };
    Value *low = b.make<Mul>({bound(axis), last}), *high = b.make<Mul>({bound(axis + 2), last});
    Value* gaps = b.make<Sub>({cast(n, count, t), one});
    Value* step = b.make<Div>({b.make<Sub>({high, low}), b.make<Max>({gaps, one})});
    Value* spread = b.make<Add>({low, b.make<Mul>({step, cast(n, iota(b, count), t)})});
    Value* middle = b.make<Mul>({b.make<Add>({low, high}), half});
    Value* at = b.make<Where>({b.make<Greater>({gaps, b.scalar_like(t, 0)}), spread, middle});  // [boxes, count]
    Value* in = b.make<And>({b.make<GreaterOrEqual>({at, b.scalar_like(t, 0)}), b.make<LessOrEqual>({at, last})});
    if (mode == "nearest") at = b.make<Floor>({b.make<Add>({at, half})});
    at = b.make<Sub>({b.make<Div>({b.make<Mul>({at, two}), b.make<Max>({last, one})}), one});
    Value* across = b.ints({axis == 1 ? 1 : 2});
    in = b.make<Unsqueeze>({in, across});
    inside = inside ? b.make<And>({inside, in}) : in;
    places.push_back(b.make<Unsqueeze>({at, across}));
  }
  Value* extents = b.make<ShapeOf>({inside});
  for (Value*& p : places) p = b.make<Unsqueeze>({b.make<Expand>({p, extents}), b.ints({3})});
  Value* images = b.make<Gather>({x, n.required(2)}, {.axis = 0});
  Value* y = b.make<GridSample>({images, b.make<Concat>(places, {.axis = 3})},
                                {.mode = GridMode::linear, .padding_mode = GridPadding::border, .align_corners = true});
  Value* outside = b.scalar_like(t, n.float_attr("extrapolation_value", 0));
  return {b.make<Where>({b.make<Unsqueeze>({inside, b.ints({1})}), y, outside})};
}

}  // namespace

void rows_import_vision(ImportRows& rows) {
  rows.push_back({"GridSample", 16, grid_sample_16});
  rows.push_back({"GridSample", 1, grid_sample_16, kMicrosoft});
  rows.push_back({"CropAndResize", 1, crop_and_resize, kMicrosoft});
}

}  // namespace tc::onnx
