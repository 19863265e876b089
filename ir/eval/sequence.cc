#include <algorithm>
#include <utility>

#include "tc/ir/eval/eval.h"
#include "tc/ir/eval/move.h"

namespace tc {
namespace {

int64_t position(EvalContext& ctx, int i, int64_t last) {
  const auto given = ctx.ints(i);
  if (given.size() != 1) ctx.fail(ErrorCode::bad_shape, "a position must be one element, got ", ctx.in(i).type());
  const auto n = static_cast<int64_t>(ctx.datum(0).items().size());
  const int64_t p = given[0];
  if (p < -n || p > last) ctx.fail(ErrorCode::bad_value, "position ", p, " in a sequence of ", n);
  return p < 0 ? p + n : p;
}

}  // namespace

template <>
void eval<SequenceConstruct>(EvalContext& ctx) {
  Sequence s;
  for (int i = 0; i < ctx.num_operands(); ++i) s.items.push_back(ctx.datum(i));
  ctx.set(0, std::move(s));
}

template <>
void eval<SequenceEmpty>(EvalContext& ctx) {
  ctx.set(0, Sequence());
}

template <>
void eval<SequenceAt>(EvalContext& ctx) {
  const auto& items = ctx.datum(0).items();
  ctx.set(0, items[static_cast<size_t>(position(ctx, 1, static_cast<int64_t>(items.size()) - 1))]);
}

template <>
void eval<SequenceInsert>(EvalContext& ctx) {
  Sequence s{ctx.datum(0).items()};
  const auto n = static_cast<int64_t>(s.items.size());
  s.items.insert(s.items.begin() + (ctx.has(2) ? position(ctx, 2, n) : n), ctx.datum(1));
  ctx.set(0, std::move(s));
}

template <>
void eval<SequenceErase>(EvalContext& ctx) {
  Sequence s{ctx.datum(0).items()};
  const int64_t last = static_cast<int64_t>(s.items.size()) - 1;
  if (last < 0) ctx.fail(ErrorCode::bad_value, "nothing to erase from an empty sequence");
  s.items.erase(s.items.begin() + (ctx.has(1) ? position(ctx, 1, last) : last));
  ctx.set(0, std::move(s));
}

template <>
void eval<SequenceLength>(EvalContext& ctx) {
  ctx.set(0, Tensor::scalar(static_cast<int64_t>(ctx.datum(0).items().size())));
}

template <>
void eval<SplitToSequence>(EvalContext& ctx) {
  const auto& a = ctx.attrs<SplitToSequence>();
  const Tensor& in = ctx.in(0);
  const int axis = ctx.axis(a.axis, in.rank());
  const int64_t extent = in.extent(axis);
  Extents sizes;
  if (ctx.has(1) && ctx.in(1).rank() > 0) {
    sizes = ctx.ints(1);
  } else {
    const int64_t chunk = ctx.has(1) ? ctx.ints(1)[0] : 1;
    if (chunk <= 0) ctx.fail(ErrorCode::bad_value, "split into parts of ", chunk);
    for (int64_t at = 0; at < extent; at += chunk) sizes.push_back(std::min(chunk, extent - at));
  }
  const Extents strides = row_major_strides(in.extents());
  Sequence s;
  int64_t at = 0;
  for (int64_t n : sizes) {
    if (n < 0 || n > extent - at) ctx.fail(ErrorCode::bad_value, "split sizes do not fit an axis of extent ", extent);
    Extents extents = in.extents();
    extents[static_cast<size_t>(axis)] = n;
    Tensor part(in.dtype(), extents);
    copy_strided(in, at * strides[static_cast<size_t>(axis)], strides, part, 0, row_major_strides(extents), extents);
    if (!ctx.has(1) && !a.keepdims) {
      extents.erase(extents.begin() + axis);
      part = part.reshaped(std::move(extents));
    }
    s.items.emplace_back(std::move(part));
    at += n;
  }
  if (at != extent) ctx.fail(ErrorCode::bad_value, "split sizes have sum ", at, ", the axis has extent ", extent);
  ctx.set(0, std::move(s));
}

template <>
void eval<ConcatFromSequence>(EvalContext& ctx) {
  const auto& a = ctx.attrs<ConcatFromSequence>();
  const auto& items = ctx.datum(0).items();
  if (items.empty()) ctx.fail(ErrorCode::bad_value, "concatenation of an empty sequence");
  const auto part = [&](size_t i) -> const Tensor& { return items[i].tensor(); };
  Extents extents = part(0).extents();
  const int axis = ctx.axis(a.axis, part(0).rank() + (a.new_axis ? 1 : 0));
  const auto as_part = [&](const Tensor& t) {
    Extents e = t.extents();
    if (a.new_axis) e.insert(e.begin() + axis, 1);
    return e;
  };
  extents = as_part(part(0));
  int64_t sum = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    Extents e = as_part(part(i));
    if (e.size() != extents.size())
      ctx.fail(ErrorCode::bad_shape, "concatenation of ", part(0).type(), " and ", part(i).type());
    sum += std::exchange(e[static_cast<size_t>(axis)], extents[static_cast<size_t>(axis)]);
    if (e != extents || part(i).dtype() != part(0).dtype())
      ctx.fail(ErrorCode::bad_shape, "concatenation of ", part(0).type(), " and ", part(i).type());
  }
  extents[static_cast<size_t>(axis)] = sum;
  Tensor& out = ctx.out(0, part(0).dtype(), extents);
  const Extents strides = row_major_strides(extents);
  int64_t at = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const Extents e = as_part(part(i));
    copy_strided(part(i), 0, row_major_strides(e), out, at * strides[static_cast<size_t>(axis)], strides, e);
    at += e[static_cast<size_t>(axis)];
  }
}

template <>
void eval<Optional>(EvalContext& ctx) {
  ctx.set(0, ctx.has(0) ? ctx.datum(0) : Datum());
}

template <>
void eval<OptionalGetElement>(EvalContext& ctx) {
  if (ctx.datum(0).empty()) ctx.fail(ErrorCode::bad_value, "the optional holds nothing");
  ctx.set(0, ctx.datum(0));
}

template <>
void eval<OptionalHasElement>(EvalContext& ctx) {
  ctx.set(0, Tensor::scalar(Bool(ctx.has(0))));
}

}  // namespace tc
