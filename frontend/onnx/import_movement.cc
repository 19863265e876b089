#include <algorithm>

#include "tc/frontend/onnx/microsoft.h"
#include "tc/ir/shape_build.h"

namespace tc::onnx {
namespace {

// One result, of an op whose attributes became operands.
template <class Op>
std::vector<Value*> with(NodeImport& n, std::vector<Value*> operands) {
  auto attrs = n.attrs<Op>();
  return {n.b().make<Op>(std::move(operands), std::move(attrs))};
}

Value* required_ints(NodeImport& n, std::string_view name) {
  Value* v = n.ints_as_input(name);
  if (!v) n.fail(ErrorCode::bad_attribute, "attribute '", name, "' is missing");
  return v;
}

std::vector<Value*> reshape_1(NodeImport& n) {
  n.ignore_attr("consumed_inputs");
  return with<Reshape>(n, {n.required(0), required_ints(n, "shape")});
}

std::vector<Value*> squeeze_1(NodeImport& n) {
  return with<Squeeze>(n, {n.required(0), n.ints_as_input("axes")});
}

std::vector<Value*> unsqueeze_1(NodeImport& n) {
  return with<Unsqueeze>(n, {n.required(0), required_ints(n, "axes")});
}

std::vector<Value*> slice_1(NodeImport& n) {
  Value *starts = required_ints(n, "starts"), *ends = required_ints(n, "ends"), *axes = n.ints_as_input("axes");
  return with<Slice>(n, {n.required(0), starts, ends, axes});
}

// As many parts as the node has outputs, those without a name included.
std::vector<Value*> split(NodeImport& n, Value* sizes) {
  auto attrs = n.attrs<Split>();
  Node* split = n.b().make_n<Split>({n.required(0), sizes}, std::move(attrs), n.num_outputs());
  std::vector<Value*> results;
  for (int j = 0; j < split->num_results(); ++j) results.push_back(split->result(j));
  return results;
}

// In opset 1 the sizes were an attribute, or an input of the data's type.
std::vector<Value*> split_1(NodeImport& n) {
  return split(n, n.has(1) ? n.b().make<Cast>({n.in(1)}, {.to = DType::i64}) : n.ints_as_input("split"));
}

std::vector<Value*> split_13(NodeImport& n) {
  return split(n, n.in(1));
}

// The axis was optional, the one after the batch by default.
std::vector<Value*> concat_1(NodeImport& n) {
  return {n.b().make<Concat>(n.inputs(), {.axis = n.int_attr("axis", 1)})};
}

// Copies along one axis, which was an input.
std::vector<Value*> tile_1(NodeImport& n) {
  Builder& b = n.b();
  Value *x = n.required(0), *one = b.ints({1});
  const auto index = [&](int i) { return b.make<Reshape>({b.make<Cast>({n.required(i)}, {.to = DType::i64}), one}); };
  Value* ones = b.make<Expand>({one, b.make<ShapeOf>({b.make<ShapeOf>({x})})});
  return {b.make<Tile>({x, b.make<ScatterElements>({ones, index(2), index(1)})})};
}

std::vector<Value*> pad_2(NodeImport& n) {
  Value* x = n.required(0);
  Value* pads = required_ints(n, n.opset() < 2 ? "paddings" : "pads");
  const double value = n.float_attr("value", 0);
  return with<Pad>(n, {x, pads, n.b().scalar_like(x->dtype(), value)});
}

// Upsample and the first Resize: places are multiples of 1/scale, and the nearest element is the one before; along an
// axis that shrinks, as ONNX Runtime has it, the one after.
Value* upsampled(NodeImport& n, Value* scales) {
  Resize::Attrs attrs;
  const std::string mode = n.string_attr("mode", "nearest");
  if (mode == "linear" || mode == "bilinear")
    attrs.mode = ResizeMode::linear;
  else if (mode != "nearest")
    n.fail(ErrorCode::bad_attribute, "unknown mode '", mode, "'");
  attrs.coordinates = ResizeCoordinates::asymmetric;
  attrs.nearest_mode = ResizeNearest::floor;
  Value* x = n.required(0);
  const Tensor* known = scales->constant();
  if (attrs.mode == ResizeMode::nearest && known && known->dtype() == DType::f32) {
    const Tensor all = known->aligned_copy();
    std::vector<float> grow, shrink;
    for (const float s : all.span<float>()) grow.push_back(std::max(s, 1.0f)), shrink.push_back(std::min(s, 1.0f));
    const auto is_one = [](float s) { return s == 1; };
    if (!std::all_of(shrink.begin(), shrink.end(), is_one)) {
      const auto vector = [&](const std::vector<float>& v) {
        return n.b().constant(Tensor::of<float>(known->extents(), v));
      };
      if (!std::all_of(grow.begin(), grow.end(), is_one)) x = n.b().make<Resize>({x, nullptr, vector(grow)}, attrs);
      attrs.nearest_mode = ResizeNearest::ceil;
      scales = vector(shrink);
    }
  }
  return n.b().make<Resize>({x, nullptr, scales}, std::move(attrs));
}

std::vector<Value*> upsample_1(NodeImport& n) {
  std::vector<float> scales = {1, 1};
  for (const char* name : {"height_scale", "width_scale"}) {
    if (!n.has_attr(name)) n.fail(ErrorCode::bad_attribute, "attribute '", name, "' is missing");
    scales.push_back(static_cast<float>(n.float_attr(name, 1)));
  }
  return {upsampled(n, n.b().constant(Tensor::of<float>({4}, scales)))};
}

std::vector<Value*> upsample_7(NodeImport& n) {
  const auto scales = n.floats_attr("scales");
  if (!scales) n.fail(ErrorCode::bad_attribute, "attribute 'scales' is missing");
  Tensor t(DType::f32, {static_cast<int64_t>(scales->size())});
  auto out = t.mutable_span<float>();
  for (size_t i = 0; i < scales->size(); ++i) out[i] = static_cast<float>((*scales)[i]);
  return {upsampled(n, n.b().constant(std::move(t)))};
}

std::vector<Value*> upsample_9(NodeImport& n) {
  return {upsampled(n, n.required(1))};
}

// In bf16 and f16 every element is rounded once, whatever type the sum is held in meanwhile.
std::vector<Value*> range_27(NodeImport& n) {
  n.ignore_attr("stash_type");
  return n.regular(OpId::Range);
}

std::vector<Value*> expand_dims(NodeImport& n) {
  Builder& b = n.b();
  Value* axis = b.make<Reshape>({cast(n, n.required(1), DType::i64), b.ints({1})});
  return {b.make<Unsqueeze>({n.required(0), axis})};
}

// Steps of 1 where none is given; operands may be vectors of one element.
std::vector<Value*> microsoft_range(NodeImport& n) {
  Builder& b = n.b();
  const auto scalar = [&](int i) { return b.make<Reshape>({n.required(i), b.ints({})}); };
  Value* start = scalar(0);
  return {b.make<Range>({start, scalar(1), n.has(2) ? scalar(2) : b.scalar_like(start->dtype(), 1)})};
}

// The pads may be a matrix of one row, the value a vector of one element.
std::vector<Value*> microsoft_pad(NodeImport& n) {
  Builder& b = n.b();
  Value* pads = b.make<Reshape>({n.required(1), b.ints({-1})});
  Value* value = n.has(2) ? b.make<Reshape>({n.in(2), b.ints({})}) : nullptr;
  return with<Pad>(n, {n.required(0), pads, value});
}

// Images without a border (left, top, right, bottom), or what of them begins there and has the extents `scale`.
std::vector<Value*> crop_1(NodeImport& n) {
  Builder& b = n.b();
  const auto border = n.ints_attr("border"), scale = n.ints_attr("scale");
  if (!border || border->size() != 4 || (scale && scale->size() != 2))
    n.fail(ErrorCode::bad_attribute, "'border' needs 4 numbers, 'scale' 2");
  const int64_t left = (*border)[0], top = (*border)[1];
  const auto end = [](int64_t beyond) { return beyond > 0 ? -beyond : INT64_MAX; };
  Value* ends =
      scale ? b.ints({top + (*scale)[0], left + (*scale)[1]}) : b.ints({end((*border)[3]), end((*border)[2])});
  return {b.make<Slice>({n.required(0), b.ints({top, left}), ends, b.ints({2, 3})})};
}

// Windows along one axis; their elements become the last axis.
std::vector<Value*> unfold_tensor(NodeImport& n) {
  Builder& b = n.b();
  Value* x = n.required(0);
  if (!x->shape().ranked() || x->shape().rank() == 0) n.unsupported("it needs an input with a known rank");
  const int64_t rank = x->shape().rank(), size = n.int_attr("size", 1), step = n.int_attr("step", 1);
  int64_t dim = n.int_attr("dim", -1);
  if (dim < 0) dim += rank;
  if (dim < 0 || dim >= rank || size < 1 || step < 1)
    n.fail(ErrorCode::bad_attribute, "dim ", dim, ", size ", size, ", step ", step, " of a tensor of rank ", rank);
  Value* room = b.make<Sub>({extent_of(b, x, static_cast<int>(dim)), b.ints({size})});
  Value* count = b.make<Add>({b.make<Div>({room, b.ints({step})}), b.ints({1})});
  Value* first = b.make<Mul>({b.make<Unsqueeze>({iota(b, count), b.ints({1})}), b.ints({step})});
  Value* windows = b.make<Gather>({x, b.make<Add>({first, iota(b, b.ints({size}))})}, {.axis = dim});
  std::vector<int64_t> perm;
  for (int64_t i = 0; i <= rank; ++i)
    if (i != dim + 1) perm.push_back(i);
  perm.push_back(dim + 1);
  return {b.make<Transpose>({windows}, {perm})};
}

}  // namespace

void rows_import_movement(ImportRows& rows) {
  rows.insert(rows.end(), {{"Reshape", 1, reshape_1},
                           {"Squeeze", 1, squeeze_1},
                           {"Unsqueeze", 1, unsqueeze_1},
                           {"Slice", 1, slice_1},
                           {"Split", 1, split_1},
                           {"Split", 13, split_13},
                           {"Concat", 1, concat_1},
                           {"Tile", 1, tile_1},
                           {"Pad", 1, pad_2},
                           {"Pad", 1, microsoft_pad, kMicrosoft},
                           {"Crop", 1, crop_1},
                           {"DynamicSlice", 1, [](NodeImport& n) { return n.regular(OpId::Slice); }},
                           {"UnfoldTensor", 1, unfold_tensor, kMicrosoft},
                           {"Range", 27, range_27},
                           {"Range", 1, microsoft_range, kMicrosoft},
                           {"ExpandDims", 1, expand_dims, kMicrosoft},
                           {"Upsample", 1, upsample_1},
                           {"Upsample", 7, upsample_7},
                           {"Upsample", 9, upsample_9},
                           {"Resize", 10, upsample_9}});
}

}  // namespace tc::onnx
