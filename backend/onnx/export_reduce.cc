#include "tc/backend/onnx/export_rows.h"
#include "tc/ir/ops/reduce.h"

namespace tc::onnx {
namespace {

// The axes were an attribute until opset 18 (of ReduceSum until 13). An empty list reduces all axes there.
void axes_as_attribute(NodeExport& n) {
  const ReduceOp::Attrs& a = ReduceOp::attrs_of(n.node());
  n.ignore("noop_with_empty_axes");
  const bool given = n.node().operand(1);
  const auto axes = given ? n.known_ints(1) : std::vector<int64_t>();
  if (axes.empty() && a.noop_with_empty_axes) n.refuse("noop_with_empty_axes exists from opset 18 on");
  n.regular();
  n.drop_inputs_from(1);
  if (!axes.empty()) n.set("axes", axes);
}

// Over no axes each element is reduced by itself: over a new axis of extent 1.
template <class Op>
std::vector<Value*> of_single_elements(Lowering& l) {
  const ReduceOp::Attrs& a = ReduceOp::attrs_of(l.node());
  if (!a.noop_with_empty_axes) return {};
  const Value* axes = l.in(1);
  if (axes && (!axes->shape().ranked() || !axes->shape()[0].is_const())) l.refuse("the number of axes is not known");
  if (axes && !axes->shape()[0].is(0)) {
    ReduceOp::Attrs plain = a;
    plain.noop_with_empty_axes = false;
    return l.again<Op>(plain);
  }
  Value* last = l.b.ints({-1});
  return {l.b.make<Op>({l.b.make<Unsqueeze>({l.in(0), last}), last}, {.keepdims = false})};
}

// The product of the extents from `begin` to `end`, as a list of one.
Value* product_of(Lowering& l, Value* shape, Value* begin, Value* end) {
  return l.b.make<ReduceProd>({l.b.make<Slice>({shape, begin, end}), nullptr});
}

// x as [before, along, after] an axis that only a run knows.
Value* around_axis(Lowering& l, Value* x, Value* shape) {
  Value* axis = l.b.make<Reshape>({l.cast(l.in(1), DType::i64), l.b.ints({1})});
  Value* counted = l.scalar_op<Add>(axis, l.rank(0));
  axis = l.b.make<Where>({l.scalar_op<Less>(axis, 0), counted, axis});
  Value* before = product_of(l, shape, l.b.ints({0}), axis);
  Value* after = product_of(l, shape, l.scalar_op<Add>(axis, 1), l.b.ints({l.rank(0)}));
  Value* extents = l.b.make<Concat>({before, l.b.make<Gather>({shape, axis}), after}, {0});
  return l.b.make<Reshape>({x, extents}, {.allow_zero = true});
}

// A running product by a scan along the axis.
std::vector<Value*> cum_prod(Lowering& l) {
  const RunningOp::Attrs& a = RunningOp::attrs_of(l.node());
  const DType t = l.in(0)->dtype();
  Value* x = l.cast(l.in(0), dtypes::floats.has(t) && t != DType::f64 ? DType::f32 : t);
  Value* shape = l.b.make<ShapeOf>({x});
  const Tensor* given = l.in(1)->constant();
  int64_t axis = given ? to_i64(*given)[0] : 1, rank = l.rank(0);
  if (axis < 0) axis += rank;
  if (!given) x = around_axis(l, x, shape), rank = 3;
  std::vector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis) others.push_back(i);
  Value* extents = l.settled(l.b.make<Gather>({l.b.make<ShapeOf>({x}), l.b.ints(others)}));
  Value* ones = l.b.make<Expand>({l.b.scalar_like(x->dtype(), 1), extents});
  Scan::Attrs scan{1, {axis}, {a.reverse}, {axis}, {a.reverse}};
  const auto inputs = scan_region_inputs(scan, {ones->type(), x->type()});
  auto body = std::make_unique<Graph>(l.b.module(), "product");
  for (const Type& type : inputs) body->add_input(type);
  Builder inner(*body);
  inner.set_location(l.node().location());
  Value* product = inner.make<Mul>({body->input(0), body->input(1)});
  // A value and its copy: one is carried on, one is kept.
  body->set_outputs(std::vector{product, inner.make<Identity>({a.exclusive ? body->input(0) : product})});
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(body));
  Value* y = l.cast(l.b.make_n<Scan>({ones, x}, scan, 2, std::move(regions))->result(1), t);
  return {given ? y : l.b.make<Reshape>({y, shape}, {.allow_zero = true})};
}

}  // namespace

void rows_export_reduce(ExportRows& rows) {
#define TC_REDUCE(Name, spelling, since, types, doc, start, step, finish)         \
  if (since == 18) {                                                              \
    rows.push_back({OpId::Name, 1, axes_as_attribute, of_single_elements<Name>}); \
    rows.push_back({OpId::Name, since});                                          \
  }
#include "tc/ir/ops/reduce.def"
  rows.push_back({OpId::CumProd, 1, nullptr, nullptr, cum_prod});
}

}  // namespace tc::onnx
