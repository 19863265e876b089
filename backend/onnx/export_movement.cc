#include <algorithm>

#include "tc/backend/onnx/export_rows.h"
#include "tc/ir/eval/wide.h"

namespace tc::onnx {
namespace {

using Values = std::vector<Value*>;

std::optional<std::vector<int64_t>> known(const Value* v) {
  if (const Tensor* t = v->constant()) return to_i64(*t);
  if (!v->contents()) return std::nullopt;
  std::vector<int64_t> list;
  for (const Dim& d : *v->contents()) {
    if (!d.is_const()) return std::nullopt;
    list.push_back(d.value());
  }
  return list;
}

// Without allowzero a zero copies an extent. There are no elements when the wanted shape has one zero or more: the
// first becomes -1, which infers it. Two zeros in a shape that is known make a tensor without elements.
Values reshape_with_zeros(Lowering& l) {
  if (!l.attrs<Reshape>().allow_zero) return {};
  Value *x = l.in(0), *shape = l.in(1);
  const auto plain = [&](Value* to) { return Values{l.b.make<Reshape>({x, to})}; };
  if (const Dims* dims = shape->contents()) {
    const auto may_be_zero = [](const Dim& d) { return d.lower_bound() <= 0; };
    const auto zeros = std::count_if(dims->begin(), dims->end(), may_be_zero);
    if (zeros == 0) return plain(shape);
    if (const auto fixed = known(shape); fixed && x->dtype() != DType::str) {
      Tensor zero(x->dtype(), {1});
      return {l.b.make<ConstantOfShape>({l.b.ints(*fixed)}, {zero})};
    }
  }
  Value* zero = l.b.make<Equal>({shape, l.b.scalar<int64_t>(0)});
  Value* count = l.b.make<CumSum>({l.b.make<Cast>({zero}, {.to = DType::i64}), l.b.scalar<int64_t>(0)});
  Value* first = l.b.make<And>({zero, l.b.make<Equal>({count, l.b.scalar<int64_t>(1)})});
  return plain(l.b.make<Where>({first, l.b.scalar<int64_t>(-1), shape}));
}

Values part_of_shape(Lowering& l) {
  const auto& a = l.attrs<ShapeOf>();
  if (a.start == 0 && !a.end) return {};
  return {l.b.make<Slice>({l.b.make<ShapeOf>({l.in(0)}), l.b.ints({a.start}), l.b.ints({a.end.value_or(INT64_MAX)})})};
}

// Until opset 18 parts without given extents were equal.
Values split_unevenly(Lowering& l) {
  const auto& a = l.attrs<Split>();
  const auto n = static_cast<int64_t>(l.node().num_results());
  if (l.in(1)) return {};
  const int rank = l.rank(0);
  const auto axis = static_cast<int>(a.axis < 0 ? a.axis + rank : a.axis);
  const Dim& d = l.in(0)->shape()[axis];
  if (d.is_const() && d.value() % n == 0) return a.num_outputs ? l.again<Split>({a.axis, {}}) : Values();
  Value* extent = l.extent(l.in(0), axis);
  Value* chunk = l.b.make<Div>({l.b.make<Add>({extent, l.b.scalar(n - 1)}), l.b.scalar(n)});
  std::vector<int64_t> counted;
  for (int64_t i = 0; i < n; ++i) counted.push_back(i);
  Value* rest = l.b.make<Sub>({extent, l.b.make<Mul>({chunk, l.b.ints(counted)})});
  Value* sizes = l.b.make<Min>({l.b.make<Max>({rest, l.b.scalar<int64_t>(0)}), chunk});
  return l.again({l.in(0), l.settled(sizes)}, std::make_shared<Split::Attrs>(Split::Attrs{a.axis, {}}));
}

// From then on their number has to be said.
void split_18(NodeExport& n) {
  n.ignore("num_outputs");
  n.regular();
  if (!n.node().operand(1)) n.set("num_outputs", int64_t{n.node().num_results()});
}

// `others` with the values at these places, of constants of one type.
Value* replaced_at(Lowering& l, const Tensor& others, const std::vector<int64_t>& places, const Tensor& values) {
  Tensor result = others.clone();
  const Tensor given = values.aligned_copy();
  const size_t width = result.bytes() / static_cast<size_t>(result.size());
  auto* to = static_cast<std::byte*>(result.mutable_data());
  const auto* from = static_cast<const std::byte*>(given.data());
  for (size_t i = 0; i < places.size(); ++i)
    std::copy_n(from + i * width, width, to + static_cast<size_t>(places[i]) * width);
  return l.b.constant(std::move(result));
}

// `values` at the positions of the axes, `others` elsewhere; both hold one value per axis and part.
Value* at_axes(Lowering& l, Value* others, const std::vector<int64_t>& axes, int rank, int parts, Value* values) {
  std::vector<int64_t> places;
  for (int part = 0; part < parts; ++part)
    for (int64_t a : axes) places.push_back((a < 0 ? a + rank : a) + part * rank);
  if (values->dtype() != DType::i64) {
    const Tensor *base = others->constant(), *given = values->constant();
    if (base && given && base->dtype() == given->dtype() && given->size() == static_cast<int64_t>(places.size()))
      return replaced_at(l, *base, places, *given);
    return l.b.make<ScatterElements>({others, l.b.ints(places), values});
  }
  const auto base = known(others), given = known(values);
  if (base && given) {
    auto list = *base;
    for (size_t i = 0; i < places.size(); ++i) list[static_cast<size_t>(places[i])] = (*given)[i];
    return l.b.ints(list);
  }
  return l.b.make<ScatterElements>({others, l.b.ints(places), values});
}

// Positions that wrap around: a gather along each axis.
Value* wrapped(Lowering& l, Value* x, Value* pads, const std::vector<int64_t>& axes) {
  const auto n = static_cast<int64_t>(axes.size());
  const auto fixed = known(pads);
  const auto pad = [&](int64_t i) {
    return fixed ? l.b.scalar((*fixed)[static_cast<size_t>(i)]) : l.b.make<Gather>({pads, l.b.scalar(i)});
  };
  for (int64_t i = 0; i < n; ++i) {
    const int64_t axis = axes[static_cast<size_t>(i)];
    if (fixed && (*fixed)[static_cast<size_t>(i)] == 0 && (*fixed)[static_cast<size_t>(i + n)] == 0) continue;
    Value* extent = l.extent(x, static_cast<int>(axis));
    Value* places =
        l.b.make<Range>({l.b.make<Neg>({pad(i)}), l.b.make<Add>({extent, pad(i + n)}), l.b.scalar<int64_t>(1)});
    x = l.b.make<Gather>({x, l.b.make<Mod>({places, extent})}, {.axis = axis});
  }
  return x;
}

// Does padding stay within once the extents? ONNX Runtime reads outside of its input where it does not.
bool wraps_once(Lowering& l, const std::vector<int64_t>& axes) {
  const auto pads = known(l.in(1));
  if (!pads) return false;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Dim& extent = l.in(0)->shape()[static_cast<int>(axes[i])];
    if (!extent.is_const() || std::max((*pads)[i], (*pads)[i + axes.size()]) > extent.value()) return false;
  }
  return true;
}

Values pad_otherwise(Lowering& l) {
  const bool wrap = l.attrs<Pad>().mode == PadMode::wrap && (l.opset() < 19 || l.ort());
  if (!wrap && (!l.in(3) || l.opset() >= 18)) return {};
  const int rank = l.rank(0);
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  if (l.in(3)) {
    const auto given = known(l.in(3));
    if (!given) l.refuse("axes of Pad must be constant in opset ", l.opset());
    axes = *given;
    for (int64_t& a : axes) a = a < 0 ? a + rank : a;
  }
  if (wrap && l.opset() >= 19 && wraps_once(l, axes)) return {};
  if (wrap) return {wrapped(l, l.in(0), l.in(1), axes)};
  Value* zeros = l.b.ints(std::vector<int64_t>(static_cast<size_t>(2 * rank)));
  return l.again({l.in(0), at_axes(l, zeros, axes, rank, 2, l.in(1)), l.in(2)});
}

// Its bounds may have one element in ours; in ONNX they have rank 0.
Values range_of_scalars(Lowering& l) {
  std::vector<Value*> bounds;
  bool changed = false;
  for (int i = 0; i < 3; ++i) {
    Value* v = l.in(i);
    const Shape& s = v->shape();
    const bool vector = s.ranked() && s.rank() > 0;
    bounds.push_back(vector ? l.b.make<Reshape>({v, l.b.ints({})}) : v);
    changed |= vector;
  }
  return changed ? l.again(bounds) : Values{};
}

Values center_crop_pad(Lowering& l) {
  Value* x = l.in(0);
  const int rank = l.rank(0);
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  if (const auto& given = l.attrs<CenterCropPad>().axes) axes = *given;
  for (int64_t& a : axes) a = a < 0 ? a + rank : a;
  Value *at = l.b.ints(axes), *two = l.b.scalar<int64_t>(2), *wanted = l.cast(l.in(1), DType::i64);
  Value* extents = l.b.make<Gather>({l.b.make<ShapeOf>({x}), at});
  Value* common = l.b.make<Min>({extents, wanted});
  Value* start = l.b.make<Div>({l.b.make<Sub>({extents, common}), two});
  Value* end = l.b.make<Add>({start, common});
  x = l.b.make<Slice>({x, l.settled(start), l.settled(end), at});
  Value* missing = l.b.make<Sub>({wanted, common});
  Value* before = l.b.make<Div>({missing, two});
  Value* pads = l.b.make<Concat>({before, l.b.make<Sub>({missing, before})}, {0});
  return {l.b.make<Pad>({x, l.settled(pads), nullptr, at})};
}

// Where column - row is on the kept side of k.
Values trilu(Lowering& l) {
  Value* x = l.in(0);
  if (x->dtype() == DType::str) l.refuse("Trilu exists from opset 14 on");
  const int rank = l.rank(0);
  Value *zero = l.b.scalar<int64_t>(0), *one = l.b.scalar<int64_t>(1);
  Value* rows = l.b.make<Range>({zero, l.extent(x, rank - 2), one});
  Value* columns = l.b.make<Range>({zero, l.extent(x, rank - 1), one});
  Value* distance = l.b.make<Sub>({columns, l.b.make<Unsqueeze>({rows, l.b.ints({1})})});
  Value* k = l.in(1) ? l.in(1) : zero;
  Value* kept = l.attrs<Trilu>().upper ? l.b.make<GreaterOrEqual>({distance, k}) : l.b.make<LessOrEqual>({distance, k});
  return {l.b.make<Where>({kept, x, l.b.constant(Tensor(x->dtype(), {}))})};
}

// ONNX writes the modes in capitals.
void depth_to_space(NodeExport& n) {
  n.ignore("mode");
  n.regular();
  if (n.attrs<DepthToSpace>().mode == DepthToSpaceMode::crd) n.set("mode", std::string("CRD"));
}

void resize(NodeExport& n) {
  const auto& a = n.attrs<Resize>();
  const int opset = n.dialect().opset;
  if (a.coordinates == ResizeCoordinates::half_pixel_symmetric && opset < 19)
    n.refuse("coordinates half_pixel_symmetric of Resize exist from opset 19 on");
  if (a.coordinates == ResizeCoordinates::tf_half_pixel_for_nn)
    n.refuse("coordinates tf_half_pixel_for_nn of Resize exist up to opset 12 only");
  // An empty operand counts as absent here, and is an error there.
  OnnxNode& out = n.regular();
  for (size_t i = 2; i < out.inputs.size(); ++i)
    if (const Value* v = out.inputs[i]; v && v->shape().ranked() && v->shape().rank() == 1 && v->shape()[0].is(0))
      out.inputs[i] = nullptr;
}

Values resize_otherwise(Lowering& l) {
  auto a = l.attrs<Resize>();
  // floor((x + 0.5) / scale) is also half_pixel's coordinate rounded up at halves.
  if (a.coordinates == ResizeCoordinates::tf_half_pixel_for_nn && a.mode == ResizeMode::nearest &&
      a.nearest_mode == ResizeNearest::floor) {
    a.coordinates = ResizeCoordinates::half_pixel, a.nearest_mode = ResizeNearest::round_prefer_ceil;
    return l.again<Resize>(a);
  }
  if (l.opset() >= 18 || !a.axes) return {};
  if (a.aspect != ResizeAspect::stretch) return {};
  // Axes that are not named keep their extents.
  const int rank = l.rank(0);
  const auto axes = *a.axes;
  a.axes.reset();
  Value *roi = l.in(1), *scales = l.in(2), *sizes = l.in(3);
  const auto filled = [&](DType t, double value, int n) {
    Tensor list(t, {n});
    std::vector<double> v(static_cast<size_t>(n), value);
    narrow(v, list);
    return l.b.constant(std::move(list));
  };
  if (roi && roi->shape().ranked() && !roi->shape()[0].is(0)) {
    Value* whole = l.b.make<Concat>({filled(roi->dtype(), 0, rank), filled(roi->dtype(), 1, rank)}, {0});
    roi = at_axes(l, whole, axes, rank, 2, roi);
  }
  if (scales && !(scales->shape().ranked() && scales->shape()[0].is(0)))
    scales = at_axes(l, filled(DType::f32, 1, rank), axes, rank, 1, scales);
  if (sizes && !(sizes->shape().ranked() && sizes->shape()[0].is(0)))
    sizes = at_axes(l, l.settled(l.b.make<ShapeOf>({l.in(0)})), axes, rank, 1, sizes);
  return l.again({l.in(0), roi, scales, sizes}, std::make_shared<Resize::Attrs>(std::move(a)));
}

}  // namespace

void rows_export_movement(ExportRows& rows) {
  rows.insert(rows.end(), {{OpId::Reshape, 1, nullptr, reshape_with_zeros},
                           {OpId::Reshape, 14},
                           {OpId::ShapeOf, 1, nullptr, part_of_shape},
                           {OpId::ShapeOf, 15},
                           {OpId::Split, 1, nullptr, split_unevenly},
                           {OpId::Split, 18, split_18},
                           {OpId::Pad, 1, nullptr, pad_otherwise},
                           {OpId::Range, 1, nullptr, range_of_scalars},
                           {OpId::CenterCropPad, 1, nullptr, nullptr, center_crop_pad},
                           {OpId::Trilu, 1, nullptr, nullptr, trilu},
                           {OpId::DepthToSpace, 1, depth_to_space},
                           {OpId::Resize, 1, resize, resize_otherwise}});
}

}  // namespace tc::onnx
