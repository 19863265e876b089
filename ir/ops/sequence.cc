#include "tc/ir/ops/sequence.h"

#include <algorithm>

#include "tc/ir/shape_math.h"

namespace tc {
namespace {

void expect_position(InferContext& ctx, int i) {
  if (!ctx.has(i)) return;
  const Shape& s = ctx.shape(i);
  if (s.ranked() && s.is_static() && !s.count().is(1))
    ctx.fail(ErrorCode::bad_shape, "a position must be one element, got ", ctx.type(i));
}

const Type& expect_sequence(InferContext& ctx, const Type& t) {
  if (t.kind() != Type::Kind::sequence) ctx.fail(ErrorCode::bad_type, ctx.node().op(), " needs a sequence, got ", t);
  return t;
}

}  // namespace

Type element_type(InferContext& ctx, const Type& sequence) {
  const Type& t = expect_sequence(ctx, sequence).element();
  if (!t.is_tensor() || !t.shape().ranked()) return t;
  Dims dims = t.shape().dims();
  for (Dim& d : dims)
    if (!d.is_const()) d = ctx.fresh();
  return Type::tensor(t.dtype(), Shape(std::move(dims)));
}

void SequenceConstruct::infer(InferContext& ctx) {
  if (ctx.num_operands() == 0) ctx.fail(ErrorCode::bad_graph, "a sequence of nothing has no type; use sequence_empty");
  Type element = ctx.type(0);
  for (int i = 1; i < ctx.num_operands(); ++i) {
    if (!ctx.has(i)) ctx.fail(ErrorCode::bad_graph, "operand ", i, " of sequence_construct is missing");
    element = join_types(ctx.module(), element, ctx.type(i));
  }
  ctx.set(0, Type::sequence(std::move(element)));
}

void SequenceEmpty::infer(InferContext& ctx) {
  ctx.set(0, Type::sequence(Type::tensor(ctx.attrs<SequenceEmpty>().dtype, Shape())));
}

void SequenceAt::infer(InferContext& ctx) {
  expect_position(ctx, 1);
  ctx.set(0, element_type(ctx, ctx.type(0)));
}

void SequenceInsert::infer(InferContext& ctx) {
  expect_position(ctx, 2);
  const Type &element = expect_sequence(ctx, ctx.type(0)).element(), &inserted = ctx.type(1);
  if (element.kind() != inserted.kind() || element.dtype() != inserted.dtype())
    ctx.fail(ErrorCode::bad_type, "insertion of ", inserted, " into a sequence of ", element);
  // Into one that is empty for sure, the element alone decides.
  const bool first = ctx.node().operand(0)->def_as<SequenceEmpty>() != nullptr;
  ctx.set(0, Type::sequence(first ? inserted : join_types(ctx.module(), element, inserted)));
}

void SequenceErase::infer(InferContext& ctx) {
  expect_position(ctx, 1);
  ctx.set(0, expect_sequence(ctx, ctx.type(0)));
}

void SequenceLength::infer(InferContext& ctx) {
  expect_sequence(ctx, ctx.type(0));
  ctx.set(0, Shape(Dims()));
}

void SplitToSequence::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<SplitToSequence>();
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return ctx.set(0, Type::sequence(Type::tensor(ctx.dtype(0), Shape())));
  const int axis = ctx.axis(a.axis, in.rank());
  Dims dims = in.dims();
  Dim& d = dims[static_cast<size_t>(axis)];
  if (!ctx.has(1)) {
    d = 1;
    if (!a.keepdims) dims.erase(dims.begin() + axis);
  } else {
    const auto sizes = ctx.ints(1);
    const Shape& s = ctx.shape(1);
    const bool even =
        sizes && !sizes->empty() && s.ranked() &&
        (s.rank() == 0 ? (*sizes)[0] > 0 && d.is_const() && d.value() % (*sizes)[0] == 0
                       : std::all_of(sizes->begin(), sizes->end(), [&](int64_t n) { return n == (*sizes)[0]; }));
    d = even ? Dim((*sizes)[0]) : ctx.fresh();
  }
  ctx.set(0, Type::sequence(Type::tensor(ctx.dtype(0), Shape(std::move(dims)))));
}

void ConcatFromSequence::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<ConcatFromSequence>();
  const Type element = element_type(ctx, ctx.type(0));
  if (!element.is_tensor()) ctx.fail(ErrorCode::bad_type, "concat_from_sequence of ", ctx.type(0));
  if (!element.shape().ranked()) return ctx.set(0, Type::tensor(element.dtype(), Shape()));
  Dims dims = element.shape().dims();
  const int axis = ctx.axis(a.axis, static_cast<int>(dims.size()) + (a.new_axis ? 1 : 0));
  if (a.new_axis)
    dims.insert(dims.begin() + axis, ctx.fresh());
  else
    dims[static_cast<size_t>(axis)] = ctx.fresh();
  ctx.set(0, Type::tensor(element.dtype(), Shape(std::move(dims))));
}

void Optional::infer(InferContext& ctx) {
  const auto& type = ctx.attrs<Optional>().type;
  if (!ctx.has(0) && !type) ctx.fail(ErrorCode::bad_attribute, "an optional without a value needs a type");
  ctx.set(0, Type::optional(ctx.has(0) ? ctx.type(0) : *type));
}

void OptionalGetElement::infer(InferContext& ctx) {
  const Type& t = ctx.type(0);
  ctx.set(0, t.kind() == Type::Kind::optional ? t.element() : t);
}

void OptionalHasElement::infer(InferContext& ctx) {
  ctx.set(0, Shape(Dims()));
}

}  // namespace tc
