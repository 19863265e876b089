#include "tc/ir/ops/reduce.h"

#include "tc/ir/ops.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

// Reductions of known elements of small integer tensors.
std::optional<Dim> reduce_contents(OpId op, const Dims& elements) {
  if (elements.empty() && op != OpId::ReduceSum && op != OpId::ReduceProd) return std::nullopt;
  if (op == OpId::ReduceSum || op == OpId::ReduceProd) {
    Dim result = op == OpId::ReduceSum ? 0 : 1;
    for (const Dim& d : elements) result = op == OpId::ReduceSum ? result + d : result * d;
    return result;
  }
  if (op != OpId::ReduceMax && op != OpId::ReduceMin) return std::nullopt;
  Dim result = elements[0];
  for (const Dim& d : elements) result = op == OpId::ReduceMax ? max(result, d) : min(result, d);
  return result;
}

}  // namespace

const ReduceOp::Attrs& ReduceOp::attrs_of(const Node& node) {
  return *static_cast<const Attrs*>(node.raw_attrs().get());
}
const ArgExtreme::Attrs& ArgExtreme::attrs_of(const Node& node) {
  return *static_cast<const Attrs*>(node.raw_attrs().get());
}
const RunningOp::Attrs& RunningOp::attrs_of(const Node& node) {
  return *static_cast<const Attrs*>(node.raw_attrs().get());
}

std::vector<bool> reduced_axes(const std::vector<int64_t>* axes, int rank, bool noop_with_empty_axes) {
  if (!axes || axes->empty()) return std::vector<bool>(static_cast<size_t>(rank), !noop_with_empty_axes);
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (int axis : distinct_axes(*axes, rank)) reduced[static_cast<size_t>(axis)] = true;
  return reduced;
}

void ReduceOp::infer(InferContext& ctx) {
  const Attrs& attrs = attrs_of(ctx.node());
  const Shape& in = ctx.shape(0);
  const auto axes = ctx.has(1) ? ctx.ints(1) : std::vector<int64_t>();
  if (!in.ranked()) {
    const bool all = axes && axes->empty() && !attrs.noop_with_empty_axes && !attrs.keepdims;
    return ctx.set(0, all ? Shape(Dims()) : Shape());
  }
  if (!axes) {
    const auto count = known_length(ctx, 1);
    if (attrs.keepdims)
      ctx.set(0, ctx.fresh_shape(in.rank()));
    else if (count && *count > 0 && *count <= in.rank())
      ctx.set(0, ctx.fresh_shape(in.rank() - static_cast<int>(*count)));
    else
      ctx.set(0, Shape());
    return;
  }
  const auto reduced = reduced_axes(&*axes, in.rank(), attrs.noop_with_empty_axes);
  Dims dims;
  for (int i = 0; i < in.rank(); ++i) {
    if (!reduced[static_cast<size_t>(i)])
      dims.push_back(in[i]);
    else if (attrs.keepdims)
      dims.push_back(1);
  }
  ctx.set(0, Shape(std::move(dims)));
  const Dims* elements = ctx.contents(0);
  if (!elements || in.rank() != 1 || !reduced[0]) return;
  try {
    const auto result = reduce_contents(ctx.node().op(), *elements);
    // Sums of a narrow type wrap around, dims do not.
    const bool fits = ctx.dtype(0) == DType::i64 ||
                      (result && result->is_const() && result->value() >= INT32_MIN && result->value() <= INT32_MAX);
    if (result && fits) keep_contents(ctx, ctx.node().result(0)->shape(), {*result});
  } catch (const Error& e) {
    if (e.diagnostic().code != ErrorCode::limit_size) throw;  // an overflow is no failure of inference
  }
}

void ArgExtreme::infer(InferContext& ctx) {
  const Attrs& attrs = attrs_of(ctx.node());
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return ctx.set(0, Shape());
  const int axis = ctx.axis(attrs.axis, in.rank());
  Dims dims = in.dims();
  if (attrs.keepdims)
    dims[static_cast<size_t>(axis)] = 1;
  else
    dims.erase(dims.begin() + axis);
  ctx.set(0, Shape(std::move(dims)));
}

}  // namespace tc
