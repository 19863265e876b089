#include <algorithm>
#include <cmath>
#include <limits>

#include "tc/frontend/onnx/microsoft.h"
#include "tc/ir/ops/pool.h"
#include "tc/ir/shape_build.h"

namespace tc::onnx {
namespace {

// The exponent of opset 1, a float.
int64_t float_exponent(NodeImport& n) {
  const double p = n.float_attr("p", 2);
  if (p != std::floor(p) || p < 1 || p > 1e6) n.unsupported(cat("the exponent p = ", p));
  return static_cast<int64_t>(p);
}

// Of [N, spatial..., C].
std::vector<Value*> nhwc_max_pool(NodeImport& n) {
  Builder& b = n.b();
  auto a = n.attrs<MaxPool>();
  const int64_t rank = static_cast<int64_t>(a.kernel_shape.size()) + 2;
  std::vector<int64_t> first{0, rank - 1}, last{0};
  for (int64_t i = 1; i + 1 < rank; ++i) first.push_back(i), last.push_back(i + 1);
  last.push_back(1);
  return {b.make<Transpose>({b.make<MaxPool>({b.make<Transpose>({n.required(0)}, {first})}, std::move(a))}, {last})};
}

// True at the first element of each plane: ONNX Runtime asks the mask of all others alone.
Value* first_of_plane(Builder& b, Value* x, int rank) {
  Value* first = nullptr;
  for (int axis = 2; axis < rank; ++axis) {
    std::vector<int64_t> shape(static_cast<size_t>(rank - axis), 1);
    shape[0] = -1;
    Value* place = b.make<Reshape>({iota(b, extent_of(b, x, axis)), b.ints(shape)});
    Value* here = b.make<Equal>({place, b.scalar(int64_t{0})});
    first = first ? b.make<And>({first, here}) : here;
  }
  return first;
}

// The largest of a window, whose rows end where the mask is 0. A window's elements are so many strided views.
std::vector<Value*> max_pool_with_mask(NodeImport& n) {
  Builder& b = n.b();
  const auto a = n.attrs<MaxPool>();
  Value* x = n.required(0);
  const size_t axes = a.kernel_shape.size();
  int64_t elements = 1;
  for (const int64_t k : a.kernel_shape) elements *= std::clamp<int64_t>(k, 1, 1000);
  if (a.auto_pad != AutoPad::notset || a.ceil_mode || n.num_outputs() > 1 || elements > 256 || axes != 2)
    n.unsupported("automatic padding, rounding up, indices, a window of more than 256 elements, or not of two axes");
  constexpr double kLeast = std::numeric_limits<float>::lowest();
  Value* least = b.scalar_like(x->dtype(), kLeast);
  Value* mask = b.make<Not>({b.make<Equal>({n.required(1), b.scalar_like(n.required(1)->dtype(), 0)})});
  mask = b.make<Or>({mask, first_of_plane(b, x, static_cast<int>(axes) + 2)});
  if (std::any_of(a.pads.begin(), a.pads.end(), [](int64_t p) { return p != 0; })) {
    std::vector<int64_t> pads(2 * (axes + 2), 0);
    for (size_t i = 0; i < axes; ++i) pads[2 + i] = a.pads.at(i), pads[axes + 4 + i] = a.pads.at(axes + i);
    x = b.make<Pad>({x, b.ints(pads), least});
    mask = b.make<Pad>({mask, b.ints(pads), b.scalar(Bool(true))});
  }
  std::vector<int64_t> places, steps, at(axes, 0);
  for (size_t i = 0; i < axes; ++i)
    places.push_back(static_cast<int64_t>(i) + 2), steps.push_back(a.strides.empty() ? 1 : a.strides.at(i));
  const auto view = [&](Value* v) {
    std::vector<int64_t> ends;
    for (size_t i = 0; i < axes; ++i) {
      const int64_t beyond = a.kernel_shape[i] - 1 - at[i];
      ends.push_back(beyond ? -beyond : INT64_MAX);
    }
    return b.make<Slice>({v, b.ints(at), b.ints(ends), b.ints(places), b.ints(steps)});
  };
  Value *result = nullptr, *open = nullptr;
  for (int64_t k = 0; k < elements; ++k) {
    int64_t rest = k;
    for (size_t i = axes; i-- > 0; rest /= a.kernel_shape[i]) at[i] = rest % a.kernel_shape[i];
    open = at.back() == 0 ? view(mask) : b.make<And>({open, view(mask)});
    Value* here = b.make<Where>({open, view(x), least});
    result = result ? b.make<Max>({result, here}) : here;
  }
  return {result};
}

}  // namespace

void rows_import_pool(ImportRows& rows) {
  // Until opset 16 coordinates were not shifted by half a pixel.
  rows.push_back({"RoiAlign", 10, [](NodeImport& n) {
                    auto a = n.attrs<RoiAlign>();
                    a.coordinate_transformation_mode = RoiCoordinates::output_half_pixel;
                    return std::vector<Value*>{n.b().make<RoiAlign>(n.inputs(), a)};
                  }});
  rows.push_back({"NhwcMaxPool", 1, nhwc_max_pool, kMicrosoft});
  rows.push_back({"MaxpoolWithMask", 1, max_pool_with_mask, kMicrosoft});
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
