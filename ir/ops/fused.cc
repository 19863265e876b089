#include "tc/ir/ops/fused.h"

#include <algorithm>

#include "tc/ir/builder.h"
#include "tc/ir/grad.h"

namespace tc {
namespace {

// The residual may refine the result's extents, and must not contradict them.
void check_residual(InferContext& ctx, const Shape& s, int residual) {
  if (ctx.has(residual) && !compatible(Type::tensor(ctx.dtype(0), s), Type::tensor(ctx.dtype(0), ctx.shape(residual))))
    ctx.fail(ErrorCode::bad_shape, "the residual is ", ctx.type(residual), " but the result has shape ", s);
}
void set_with_residual(InferContext& ctx, Shape s, int residual) {
  check_residual(ctx, s, residual);
  ctx.set(0, std::move(s));
}

Shape swapped(const Shape& s, bool swap) {
  if (!swap || !s.ranked() || s.rank() < 2) return s;
  Dims dims = s.dims();
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return Shape(std::move(dims));
}

}  // namespace

Value* apply_epilogue(Builder& b, Value* v, const Epilogue& e) {
  const DType t = v->dtype();
  switch (e.activation) {
    case Activation::none:
      return v;
    case Activation::relu:
      return b.make<Relu>({v});
    case Activation::clip:
      return b.make<Clip>({v, b.scalar_like(t, e.alpha), b.scalar_like(t, e.beta)});
    case Activation::leaky_relu:
      return b.make<LeakyRelu>({v}, {e.alpha});
    case Activation::sigmoid:
      return b.make<Sigmoid>({v});
    case Activation::tanh:
      return b.make<Tanh>({v});
    case Activation::swish:
      return b.make<Swish>({v}, {e.alpha});
    case Activation::hard_swish:
      return b.make<HardSwish>({v});
    case Activation::hard_sigmoid:
      return b.make<HardSigmoid>({v}, {e.alpha, e.beta});
    case Activation::gelu:
      return b.make<Gelu>({v});
    case Activation::gelu_tanh:
      return b.make<Gelu>({v}, {GeluApproximation::tanh});
  }
  return v;
}

void FusedConv::infer(InferContext& ctx) {
  set_with_residual(ctx, infer_conv(ctx, ctx.attrs<FusedConv>(), 0, 1, 2), 3);
}

std::vector<Value*> FusedConv::decompose(Builder& b, const Node& node) {
  const auto& a = node.attrs<FusedConv>();
  Value* y = b.make<Conv>({node.operand(0), node.operand(1), node.operand(2)}, a);
  if (node.operand(3)) y = b.make<Add>({y, node.operand(3)});
  return {apply_epilogue(b, y, a.epilogue())};
}

void FusedMatMul::infer(InferContext& ctx) {
  const auto& at = ctx.attrs<FusedMatMul>();
  const Shape a = swapped(ctx.shape(0), at.trans_a), b = swapped(ctx.shape(1), at.trans_b);
  if (!a.ranked() || !b.ranked()) return ctx.set(0, Shape());
  if (a.rank() < 2 || b.rank() < 2)
    ctx.fail(ErrorCode::bad_shape, "operands must have rank 2 or more, got ", ctx.type(0), " and ", ctx.type(1));
  const Dim &ka = a[a.rank() - 1], &kb = b[b.rank() - 2];
  if (ka.is_const() && kb.is_const() && ka.value() != kb.value())
    ctx.fail(ErrorCode::bad_shape, "inner extents differ: ", ka, " and ", kb);
  const Shape batch_a(Dims(a.dims().begin(), a.dims().end() - 2)), batch_b(Dims(b.dims().begin(), b.dims().end() - 2));
  Dims dims = broadcast_shapes(ctx, {&batch_a, &batch_b}).dims();
  dims.push_back(a[a.rank() - 2]);
  dims.push_back(b[b.rank() - 1]);
  set_with_residual(ctx, Shape(std::move(dims)), 3);
}

std::vector<Value*> FusedMatMul::decompose(Builder& b, const Node& node) {
  const auto& at = node.attrs<FusedMatMul>();
  Value *p = node.operand(0), *q = node.operand(1);
  if (at.trans_a) p = swap_last_axes(b, p);
  if (at.trans_b) q = swap_last_axes(b, q);
  Value* y = b.make<MatMul>({p, q});
  if (at.scale != 1) y = b.make<Mul>({y, b.scalar_like(y->dtype(), at.scale)});
  if (node.operand(2)) y = b.make<Add>({y, node.operand(2)});
  if (node.operand(3)) y = b.make<Add>({y, node.operand(3)});
  return {apply_epilogue(b, y, at.epilogue())};
}

void FusedMatMulInteger::infer(InferContext& ctx) {
  const Shape s = matmul_shape(ctx, 0, 1);
  for (int i = 4; i < 6; ++i) {
    if (!ctx.has(i) || !ctx.shape(i).ranked() || !s.ranked() || s.rank() == 0) continue;
    const Shape& v = ctx.shape(i);
    const Dim& columns = s[s.rank() - 1];
    const bool one = v.rank() == 0 || (v.rank() == 1 && v[0].is(1));
    if (v.rank() > 1 || (!one && v[0].is_const() && columns.is_const() && v[0].value() != columns.value()))
      ctx.fail(ErrorCode::bad_shape, "operand ", i, " is ", ctx.type(i), ", not one number or one per column of ", s);
  }
  ctx.set(0, s);
}

std::vector<Value*> FusedMatMulInteger::decompose(Builder& b, const Node& node) {
  Value* sums = b.make<MatMulInteger>({node.operand(0), node.operand(1), node.operand(2), node.operand(3)});
  Value* y = b.make<Mul>({b.make<Cast>({sums}, {.to = node.operand(4)->dtype()}), node.operand(4)});
  if (node.operand(5)) y = b.make<Add>({y, node.operand(5)});
  return {apply_epilogue(b, y, node.attrs<FusedMatMulInteger>().epilogue())};
}

void FusedConvInteger::infer(InferContext& ctx) {
  const Shape s = infer_conv(ctx, ctx.attrs<FusedConvInteger>(), 0, 1, -1);
  for (int i = 4; i < 7; ++i) {
    if (!ctx.has(i) || !ctx.shape(i).ranked() || !s.ranked()) continue;
    const Shape& v = ctx.shape(i);
    bool fits = v.rank() <= s.rank();
    for (int axis = v.rank() - 1, of = s.rank() - 1; fits && axis >= 0; --axis, --of)
      fits = !v[axis].is_const() || v[axis].is(1) || (of == 1 && (!s[of].is_const() || v[axis] == s[of]));
    if (!fits)
      ctx.fail(ErrorCode::bad_shape, "operand ", i, " is ", ctx.type(i), ", not one number or one per channel of ", s);
  }
  ctx.set(0, s);
}

std::vector<Value*> FusedConvInteger::decompose(Builder& b, const Node& node) {
  const auto& a = node.attrs<FusedConvInteger>();
  Value* sums = b.make<ConvInteger>({node.operand(0), node.operand(1), node.operand(2), node.operand(3)}, a);
  if (node.operand(6)) sums = b.make<Add>({sums, node.operand(6)});
  Value* y = b.make<Mul>({b.make<Cast>({sums}, {.to = node.operand(4)->dtype()}), node.operand(4)});
  if (node.operand(5)) y = b.make<Add>({y, node.operand(5)});
  return {apply_epilogue(b, y, a.epilogue())};
}

void FusedDequantizeMatMul::infer(InferContext& ctx) {
  const auto& at = ctx.attrs<FusedDequantizeMatMul>();
  const Shape &x = ctx.shape(0), w = swapped(ctx.shape(1), at.trans_b);
  check_scale(ctx, 1, 2, 3, at.axis, at.block_size);
  if (!x.ranked() || !w.ranked()) return ctx.set(0, Shape());
  if (x.rank() < 2 || w.rank() != 2)
    ctx.fail(ErrorCode::bad_shape, "operands must be of rank 2 or more and a matrix, got ", ctx.type(0), " and ",
             ctx.type(1));
  Dims dims = x.dims();
  if (dims.back().is_const() && w[0].is_const() && dims.back().value() != w[0].value())
    ctx.fail(ErrorCode::bad_shape, "inner extents differ: ", dims.back(), " and ", w[0]);
  dims.back() = w[1];
  ctx.set(0, Shape(std::move(dims)));
}

std::vector<Value*> FusedDequantizeMatMul::decompose(Builder& b, const Node& node) {
  const auto& at = node.attrs<FusedDequantizeMatMul>();
  Value* w = b.make<DequantizeLinear>({node.operand(1), node.operand(2), node.operand(3)},
                                      {.axis = at.axis, .block_size = at.block_size});
  return {b.make<MatMul>({node.operand(0), at.trans_b ? swap_last_axes(b, w) : w})};
}

void FusedQLinearConv::infer(InferContext& ctx) {
  Shape s = infer_conv(ctx, ctx.attrs<FusedQLinearConv>(), 0, 3, 8);
  for (int i = 9; i < 14; ++i)
    if (ctx.has(i) != ctx.has(9)) ctx.fail(ErrorCode::bad_graph, "the residual and its quantisation go together");
  check_residual(ctx, s, 9);
  ctx.set(0, ctx.dtype(ctx.has(9) ? 13 : 7), std::move(s));
}

std::vector<Value*> FusedQLinearConv::decompose(Builder& b, const Node& node) {
  const auto& a = node.attrs<FusedQLinearConv>();
  std::vector<Value*> operands(14, nullptr);
  std::copy_n(node.operands().begin(), node.num_operands(), operands.begin());
  Value* product = b.make<QLinearConv>({operands.begin(), operands.begin() + 9}, a);
  if (!operands[9]) return {a.relu ? b.make<Max>({product, operands[7]}) : product};
  Value* y = b.make<Add>({b.make<DequantizeLinear>({product, operands[6], operands[7]}),
                          b.make<DequantizeLinear>({operands[9], operands[10], operands[11]})});
  if (a.relu) y = b.make<Relu>({y});
  return {b.make<QuantizeLinear>({y, operands[12], operands[13]})};
}

void Cluster::infer(InferContext& ctx) {
  Graph& body = ctx.node().region(0);
  if (body.num_inputs() != ctx.num_operands() || body.num_outputs() != ctx.num_results())
    ctx.fail(ErrorCode::bad_graph, "the region takes ", body.num_inputs(), " and gives ", body.num_outputs(),
             " values, the node has ", ctx.num_operands(), " operands and ", ctx.num_results(), " results");
  bool changed = false;
  for (int i = 0; i < ctx.num_operands(); ++i) {
    if (!ctx.has(i)) ctx.fail(ErrorCode::bad_graph, "operand ", i, " of a cluster is missing");
    if (body.input(i)->type() == ctx.type(i)) continue;
    body.input(i)->set_type(ctx.type(i));
    changed = true;
  }
  if (changed) infer_types(body);
  for (int j = 0; j < ctx.num_results(); ++j) ctx.set(j, body.output(j)->type());
}

std::vector<Value*> Cluster::decompose(Builder& b, const Node& node) {
  const Graph& body = node.region(0);
  std::vector<std::pair<Value*, Value*>> map;
  for (int i = 0; i < node.num_operands(); ++i) map.emplace_back(body.input(i), node.operand(i));
  return clone_into(body, b.graph(), b.before(), std::move(map));
}

}  // namespace tc
