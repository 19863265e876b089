#include "tc/ir/ops/movement.h"

#include <algorithm>
#include <cmath>

#include "tc/ir/shape_math.h"

namespace tc {
namespace {

// The axes an optional operand lists, or all of them; nothing when they are not known.
std::optional<std::vector<int>> axes_operand(InferContext& ctx, int i, int rank) {
  if (!ctx.has(i)) {
    std::vector<int> all;
    for (int k = 0; k < rank; ++k) all.push_back(k);
    return all;
  }
  const auto axes = ctx.ints(i);
  if (!axes) return std::nullopt;
  return distinct_axes(*axes, rank);
}

Dim product(const Dims& dims, int from, int to) {
  return Shape(Dims(dims.begin() + from, dims.begin() + to)).count();
}

// A shape given by the elements of operand i, or one of fresh extents of its length.
Shape shape_operand(InferContext& ctx, int i) {
  ctx.expect_rank(i, 1);
  if (const Dims* c = ctx.contents(i)) return Shape(*c);
  const auto n = known_length(ctx, i);
  if (!n) return {};
  if (*n > kMaxRank) ctx.fail(ErrorCode::limit_rank, "a shape of ", *n, " extents");
  return ctx.fresh_shape(static_cast<int>(*n));
}

}  // namespace

void Reshape::infer(InferContext& ctx) {
  ctx.expect_rank(1, 1);
  const Shape& in = ctx.shape(0);
  const bool allow_zero = ctx.attrs<Reshape>().allow_zero;
  const Dims* target = ctx.contents(1);
  if (!target) {
    const auto n = known_length(ctx, 1);
    if (n && *n > kMaxRank) ctx.fail(ErrorCode::limit_rank, "reshape to rank ", *n);
    ctx.set(0, n ? ctx.fresh_shape(static_cast<int>(*n)) : Shape());
    return;
  }
  if (!in.ranked()) {
    Dims dims = *target;
    for (Dim& d : dims)
      if (d.is(-1) || (d.is(0) && !allow_zero)) d = ctx.fresh();
    ctx.set(0, Shape(std::move(dims)));
    return;
  }
  const Shape out(reshape_dims(in.dims(), *target, allow_zero));
  ctx.set(0, out);
  keep_contents_of(ctx, 0, out);
}

void Flatten::infer(InferContext& ctx) {
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return ctx.set(0, ctx.fresh_shape(2));
  int64_t axis = ctx.attrs<Flatten>().axis;
  if (axis < -in.rank() || axis > in.rank())
    ctx.fail(ErrorCode::bad_attribute, "axis ", axis, " is out of range for rank ", in.rank());
  if (axis < 0) axis += in.rank();
  const int split = static_cast<int>(axis);
  ctx.set(0, Shape{product(in.dims(), 0, split), product(in.dims(), split, in.rank())});
}

void Squeeze::infer(InferContext& ctx) {
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return ctx.set(0, Shape());
  std::vector<bool> drop(static_cast<size_t>(in.rank()), false);
  if (ctx.has(1)) {
    const auto axes = axes_operand(ctx, 1, in.rank());
    if (!axes) {
      const auto n = known_length(ctx, 1);
      return ctx.set(0, n && *n <= in.rank() ? ctx.fresh_shape(in.rank() - static_cast<int>(*n)) : Shape());
    }
    for (int a : *axes) {
      if (in[a].is_const() && !in[a].is(1))
        ctx.fail(ErrorCode::bad_shape, "axis ", a, " of ", in, " is not of extent 1");
      drop[static_cast<size_t>(a)] = true;
    }
  } else {
    for (int i = 0; i < in.rank(); ++i) {
      if (!in[i].is_const()) return ctx.set(0, Shape());  // the rank depends on whether the extent happens to be 1
      drop[static_cast<size_t>(i)] = in[i].is(1);
    }
  }
  Dims dims;
  for (int i = 0; i < in.rank(); ++i)
    if (!drop[static_cast<size_t>(i)]) dims.push_back(in[i]);
  const Shape out(std::move(dims));
  ctx.set(0, out);
  keep_contents_of(ctx, 0, out);
}

void Unsqueeze::infer(InferContext& ctx) {
  ctx.expect_rank(1, ctx.shape(1).ranked() && ctx.shape(1).rank() == 0 ? 0 : 1);
  const Shape& in = ctx.shape(0);
  const auto axes = ctx.ints(1);
  if (!in.ranked() || !axes) {
    const auto n = known_length(ctx, 1);
    return ctx.set(0, in.ranked() && n && *n + in.rank() <= kMaxRank ? ctx.fresh_shape(in.rank() + static_cast<int>(*n))
                                                                     : Shape());
  }
  const int rank = in.rank() + static_cast<int>(axes->size());
  Dims dims(static_cast<size_t>(rank));
  std::vector<bool> inserted(static_cast<size_t>(rank), false);
  for (int a : distinct_axes(*axes, rank)) inserted[static_cast<size_t>(a)] = true;
  int next = 0;
  for (size_t i = 0; i < dims.size(); ++i) dims[i] = inserted[i] ? Dim(1) : in[next++];
  const Shape out(std::move(dims));
  ctx.set(0, out);
  keep_contents_of(ctx, 0, out);
}

void Transpose::infer(InferContext& ctx) {
  const Shape& in = ctx.shape(0);
  const auto& perm = ctx.attrs<Transpose>().perm;
  if (!in.ranked())
    return ctx.set(0,
                   perm.empty() ? Shape() : ctx.fresh_shape(static_cast<int>(std::min<size_t>(perm.size(), kMaxRank))));
  Dims dims(in.dims().rbegin(), in.dims().rend());
  if (!perm.empty()) {
    if (static_cast<int>(perm.size()) != in.rank())
      ctx.fail(ErrorCode::bad_attribute, "perm has ", perm.size(), " entries for an operand of rank ", in.rank());
    const auto axes = distinct_axes(perm, in.rank());
    for (size_t i = 0; i < dims.size(); ++i) dims[i] = in[axes[i]];
  }
  const Shape out(std::move(dims));
  ctx.set(0, out);
  keep_contents_of(ctx, 0, out);
}

void Concat::infer(InferContext& ctx) {
  if (ctx.num_operands() == 0) ctx.fail(ErrorCode::bad_graph, "concat of nothing");
  const Shape* first = nullptr;
  bool all_ranked = true;
  for (int i = 0; i < ctx.num_operands(); ++i) {
    if (!ctx.has(i)) ctx.fail(ErrorCode::bad_graph, "operand ", i, " of concat is missing");
    const Shape& s = ctx.shape(i);
    if (!s.ranked())
      all_ranked = false;
    else if (!first)
      first = &s;
    else if (first->rank() != s.rank())
      ctx.fail(ErrorCode::bad_shape, "concat of different ranks: ", *first, " and ", s);
  }
  if (!first) return ctx.set(0, Shape());
  const int axis = ctx.axis(ctx.attrs<Concat>().axis, first->rank());
  Dims dims = first->dims();
  Dim sum = 0;
  for (int i = 0; i < ctx.num_operands(); ++i) {
    const Shape& s = ctx.shape(i);
    if (!s.ranked()) continue;
    for (int k = 0; k < s.rank(); ++k)
      if (k != axis) dims[static_cast<size_t>(k)] = same_extent(dims[static_cast<size_t>(k)], s[k], "concat");
    sum += s[axis];
  }
  dims[static_cast<size_t>(axis)] = all_ranked ? sum : ctx.fresh();
  const Shape out(std::move(dims));
  ctx.set(0, out);
  if (out.rank() != 1) return;
  Dims contents;
  for (int i = 0; i < ctx.num_operands(); ++i) {
    const Dims* c = ctx.contents(i);
    if (!c) return;
    contents.insert(contents.end(), c->begin(), c->end());
  }
  keep_contents(ctx, out, std::move(contents));
}

void Split::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<Split>();
  const Shape& in = ctx.shape(0);
  const int n = ctx.num_results();
  if (a.num_outputs && ctx.has(1)) ctx.fail(ErrorCode::bad_attribute, "split takes either sizes or num_outputs");
  if (a.num_outputs && *a.num_outputs < n)
    ctx.fail(ErrorCode::bad_attribute, "num_outputs is ", *a.num_outputs, ", but ", n, " results are used");
  if (!in.ranked()) {
    for (int j = 0; j < n; ++j) ctx.set(j, Shape());
    return;
  }
  const int axis = ctx.axis(a.axis, in.rank());
  Dims sizes;
  if (!ctx.has(1)) {
    const int64_t parts = a.num_outputs.value_or(n);
    if (parts > (1 << 20)) ctx.fail(ErrorCode::bad_attribute, "split into ", parts, " parts");
    sizes = split_evenly(in[axis], parts, !a.num_outputs);
  } else if (const Dims* c = ctx.contents(1)) {
    sizes = *c;
    if (static_cast<int>(sizes.size()) < n)
      ctx.fail(ErrorCode::bad_shape, "split has ", sizes.size(), " sizes for ", n, " results");
    Dim sum = 0;
    for (const Dim& s : sizes) {
      if (s.is_const() && s.value() < 0) ctx.fail(ErrorCode::bad_value, "a split size is ", s);
      sum += s;
    }
    same_extent(sum, in[axis], "sum of the split sizes and the axis");
  } else {
    for (int j = 0; j < n; ++j) sizes.push_back(ctx.fresh());
  }
  const Dims* contents = ctx.contents(0);
  int64_t at = 0;
  for (int j = 0; j < n; ++j) {
    Dims dims = in.dims();
    const Dim& size = dims[static_cast<size_t>(axis)] = sizes[static_cast<size_t>(j)];
    ctx.set(j, Shape(dims));
    if (!contents || !size.is_const()) {
      contents = nullptr;
      continue;
    }
    const int64_t end = at + size.value();
    if (end > static_cast<int64_t>(contents->size())) ctx.fail(ErrorCode::bad_shape, "the split sizes exceed the axis");
    ctx.set_contents(j, Dims(contents->begin() + at, contents->begin() + end));
    at = end;
  }
}

void Slice::infer(InferContext& ctx) {
  for (int i = 1; i < ctx.num_operands(); ++i)
    if (ctx.has(i)) ctx.expect_rank(i, 1);
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return ctx.set(0, Shape());
  const Dims *starts = ctx.contents(1), *ends = ctx.contents(2);
  std::optional<std::vector<int>> axes;
  if (ctx.has(3)) {
    axes = axes_operand(ctx, 3, in.rank());
  } else if (auto n = starts ? std::optional(static_cast<int64_t>(starts->size())) : known_length(ctx, 1)) {
    if (*n > in.rank()) ctx.fail(ErrorCode::bad_shape, "slice has ", *n, " bounds for an operand of shape ", in);
    axes.emplace();
    for (int k = 0; k < *n; ++k) axes->push_back(k);
  }
  if (!axes) return ctx.set(0, ctx.fresh_shape(in.rank()));
  const auto steps = ctx.ints(4);
  for (const Dims* c : {starts, ends})
    if (c && c->size() != axes->size())
      ctx.fail(ErrorCode::bad_shape, "slice has ", c->size(), " bounds for ", axes->size(), " axes");
  if (steps && steps->size() != axes->size())
    ctx.fail(ErrorCode::bad_shape, "slice has ", steps->size(), " steps for ", axes->size(), " axes");
  Dims dims = in.dims();
  std::optional<SliceRange> only;
  for (size_t k = 0; k < axes->size(); ++k) {
    Dim& d = dims[static_cast<size_t>((*axes)[k])];
    only.reset();
    if (starts && ends && (steps || !ctx.has(4)))
      only = slice_range(d, (*starts)[k], (*ends)[k], steps ? (*steps)[k] : 1);
    d = only ? only->length : ctx.fresh();
  }
  const Shape out(std::move(dims));
  ctx.set(0, out);
  const Dims* c = ctx.contents(0);
  if (!c || out.rank() != 1) return;
  if (axes->empty()) return keep_contents(ctx, out, *c);
  if (!only || !only->start.is_const() || !only->length.is_const()) return;
  Dims picked;
  int64_t at = only->start.value();
  for (int64_t n = only->length.value(); n > 0; --n, at += steps ? (*steps)[0] : 1)
    picked.push_back((*c)[static_cast<size_t>(at)]);
  keep_contents(ctx, out, std::move(picked));
}

void Pad::infer(InferContext& ctx) {
  ctx.expect_rank(1, 1);
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return ctx.set(0, Shape());
  const auto axes = axes_operand(ctx, 3, in.rank());
  if (!axes) return ctx.set(0, ctx.fresh_shape(in.rank()));
  const Dims* pads = ctx.contents(1);
  const size_t n = axes->size();
  if (const auto length = known_length(ctx, 1); length && *length != static_cast<int64_t>(2 * n))
    ctx.fail(ErrorCode::bad_shape, "pad has ", *length, " pads for ", n, " axes; expected ", 2 * n);
  Dims dims = in.dims();
  for (size_t k = 0; k < n; ++k) {
    Dim& d = dims[static_cast<size_t>((*axes)[k])];
    d = pads ? d + (*pads)[k] + (*pads)[n + k] : ctx.fresh();
    if (d.is_const() && d.value() < 0)
      ctx.fail(ErrorCode::bad_shape, "pads of axis ", (*axes)[k], " remove more than is there");
  }
  ctx.set(0, Shape(std::move(dims)));
}

void Expand::infer(InferContext& ctx) {
  const Shape& in = ctx.shape(0);
  const Shape target = shape_operand(ctx, 1);
  if (!in.ranked() || !target.ranked()) return ctx.set(0, Shape());
  if (!ctx.contents(1)) {
    // Extents other than 1 stay, and those that the target does not reach; the others may become anything.
    Dims dims = ctx.fresh_shape(std::max(in.rank(), target.rank())).dims();
    for (size_t i = 1; i <= in.dims().size(); ++i) {
      const Dim& d = in.dims()[in.dims().size() - i];
      if ((d.is_const() && !d.is(1)) || i > target.dims().size()) dims[dims.size() - i] = d;
    }
    return ctx.set(0, Shape(std::move(dims)));
  }
  const Shape out(broadcast_dims(in.dims(), target.dims()));
  ctx.set(0, out);
  const Dims* c = ctx.contents(0);
  if (!c || out.rank() > 1 || !out.is_static()) return;
  if (c->size() == 1 && out.count().value() <= kMaxContents)
    keep_contents(ctx, out, Dims(static_cast<size_t>(out.count().value()), (*c)[0]));
  else
    keep_contents(ctx, out, *c);
}

void Tile::infer(InferContext& ctx) {
  ctx.expect_rank(1, 1);
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) {
    const auto n = known_length(ctx, 1);
    return ctx.set(0, n && *n <= kMaxRank ? ctx.fresh_shape(static_cast<int>(*n)) : Shape());
  }
  const Dims* repeats = ctx.contents(1);
  if (!repeats) return ctx.set(0, ctx.fresh_shape(in.rank()));
  if (static_cast<int>(repeats->size()) != in.rank())
    ctx.fail(ErrorCode::bad_shape, "tile has ", repeats->size(), " repeats for an operand of shape ", in);
  Dims dims;
  for (int i = 0; i < in.rank(); ++i) {
    const Dim& r = (*repeats)[static_cast<size_t>(i)];
    if (r.is_const() && r.value() < 0) ctx.fail(ErrorCode::bad_value, "tile repeats ", r, " times");
    dims.push_back(in[i] * r);
  }
  const Shape out(std::move(dims));
  ctx.set(0, out);
  const Dims* c = ctx.contents(0);
  if (!c || out.rank() != 1 || !out[0].is_const() || out[0].value() > kMaxContents) return;
  Dims repeated;
  while (static_cast<int64_t>(repeated.size()) < out[0].value()) repeated.insert(repeated.end(), c->begin(), c->end());
  keep_contents(ctx, out, std::move(repeated));
}

namespace {

Dim divided(InferContext& ctx, const Dim& d, int64_t by) {
  if (d.is_const() && d.value() % by) ctx.fail(ErrorCode::bad_shape, "an extent of ", d, " is not a multiple of ", by);
  return floordiv(d, by);
}

int64_t checked_blocksize(InferContext& ctx, int64_t b) {
  if (b <= 0 || b > (1 << 24)) ctx.fail(ErrorCode::bad_attribute, "blocksize ", b);
  return b;
}

}  // namespace

void DepthToSpace::infer(InferContext& ctx) {
  const int64_t b = checked_blocksize(ctx, ctx.attrs<DepthToSpace>().blocksize);
  ctx.expect_rank(0, 4);
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return ctx.set(0, ctx.fresh_shape(4));
  ctx.set(0, Shape{in[0], divided(ctx, in[1], b * b), in[2] * Dim(b), in[3] * Dim(b)});
}

void SpaceToDepth::infer(InferContext& ctx) {
  const int64_t b = checked_blocksize(ctx, ctx.attrs<SpaceToDepth>().blocksize);
  ctx.expect_rank(0, 4);
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return ctx.set(0, ctx.fresh_shape(4));
  ctx.set(0, Shape{in[0], in[1] * Dim(b * b), divided(ctx, in[2], b), divided(ctx, in[3], b)});
}

void ReverseSequence::infer(InferContext& ctx) {
  SameTypeAsFirst::infer(ctx);
  ctx.expect_rank(1, 1);
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return;
  const auto& a = ctx.attrs<ReverseSequence>();
  if (in.rank() < 2) ctx.fail(ErrorCode::bad_shape, "reverse_sequence needs rank 2 or more, got ", in);
  const int batch = ctx.axis(a.batch_axis, in.rank()), time = ctx.axis(a.time_axis, in.rank());
  if (batch == time) ctx.fail(ErrorCode::bad_attribute, "batch_axis and time_axis are both ", batch);
  if (ctx.shape(1).ranked()) same_extent(in[batch], ctx.shape(1)[0], "batch and sequence_lens");
}

void CenterCropPad::infer(InferContext& ctx) {
  ctx.expect_rank(1, 1);
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return ctx.set(0, Shape());
  const auto& given = ctx.attrs<CenterCropPad>().axes;
  Dims dims = in.dims();
  std::vector<int> axes;
  if (given)
    axes = distinct_axes(*given, in.rank());
  else
    for (int k = 0; k < in.rank(); ++k) axes.push_back(k);
  const Dims* target = ctx.contents(1);
  if (target && target->size() != axes.size())
    ctx.fail(ErrorCode::bad_shape, "center_crop_pad has ", target->size(), " extents for ", axes.size(), " axes");
  for (size_t k = 0; k < axes.size(); ++k) dims[static_cast<size_t>(axes[k])] = target ? (*target)[k] : ctx.fresh();
  for (const Dim& d : dims)
    if (d.is_const() && d.value() < 0) ctx.fail(ErrorCode::bad_value, "center_crop_pad to a negative extent ", d);
  ctx.set(0, Shape(std::move(dims)));
}

void ShapeOf::infer(InferContext& ctx) {
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return ctx.set(0, ctx.fresh_shape(1));
  const auto& a = ctx.attrs<ShapeOf>();
  const auto range = slice_range(in.rank(), a.start, a.end.value_or(in.rank()), 1);
  const auto from = in.dims().begin() + range->start.value();
  ctx.set(0, Shape{range->length});
  keep_contents(ctx, Shape{range->length}, Dims(from, from + range->length.value()));
}

void Size::infer(InferContext& ctx) {
  ctx.set(0, Shape(Dims()));
  if (ctx.shape(0).ranked()) keep_contents(ctx, Shape(Dims()), {ctx.shape(0).count()});
}

void ConstantOfShape::infer(InferContext& ctx) {
  const auto& value = ctx.attrs<ConstantOfShape>().value;
  if (value && value->size() != 1)
    ctx.fail(ErrorCode::bad_attribute, "constant_of_shape fills with one value, got ", value->type());
  const Shape out = shape_operand(ctx, 0);
  if (out.ranked())
    for (const Dim& d : out.dims())
      if (d.is_const() && d.value() < 0) ctx.fail(ErrorCode::bad_shape, "negative extent ", d);
  const DType t = value ? value->dtype() : DType::f32;
  ctx.set(0, t, out);
  if ((t == DType::i64 || t == DType::i32 || t == DType::boolean) && out.is_static() && out.rank() <= 1 &&
      out.count().value() <= kMaxContents)
    keep_contents(ctx, out, Dims(static_cast<size_t>(out.count().value()), Dim(to_i64(*value)[0])));
}

void Range::infer(InferContext& ctx) {
  for (int i = 0; i < 3; ++i) {
    const Shape& s = ctx.shape(i);
    if (s.ranked() && !(s.rank() == 0 || (s.rank() == 1 && (!s[0].is_const() || s[0].is(1)))))
      ctx.fail(ErrorCode::bad_shape, "operand '", facts.signature.operand(i).name, "' of range must be a scalar, got ",
               ctx.type(i));
  }
  const Dims *start = ctx.contents(0), *limit = ctx.contents(1);
  const auto delta = ctx.ints(2);
  if (delta && delta->size() == 1 && (*delta)[0] == 0) ctx.fail(ErrorCode::bad_value, "range with delta 0");
  if (start && limit && delta && start->size() == 1 && limit->size() == 1 && delta->size() == 1 &&
      (*delta)[0] > -(int64_t{1} << 62)) {
    const int64_t step = (*delta)[0];
    const Dim &a = (*start)[0], &b = (*limit)[0];
    const Dim length = max(step > 0 ? ceildiv(b - a, step) : ceildiv(a - b, -step), 0);
    ctx.set(0, Shape{length});
    if (!length.is_const() || length.value() > kMaxContents) return;
    Dims contents;
    for (int64_t i = 0; i < length.value(); ++i) contents.push_back(a + Dim(i) * Dim(step));
    return keep_contents(ctx, Shape{length}, std::move(contents));
  }
  const Tensor *x = ctx.constant(0), *y = ctx.constant(1), *d = ctx.constant(2);
  if (x && y && d && x->size() == 1 && y->size() == 1 && d->size() == 1 && scalar_f64(*d) != 0) {
    const double n = std::ceil((scalar_f64(*y) - scalar_f64(*x)) / scalar_f64(*d));
    if (std::abs(n) < 1e15) return ctx.set(0, Shape{Dim(std::max<int64_t>(0, static_cast<int64_t>(n)))});
  }
  ctx.set(0, ctx.fresh_shape(1));
}

void EyeLike::infer(InferContext& ctx) {
  ctx.expect_rank(0, 2);
  const DType t = ctx.attrs<EyeLike>().dtype.value_or(ctx.dtype(0));
  if (!facts.set_of('U').has(t)) ctx.fail(ErrorCode::bad_attribute, "eye_like of element type ", t);
  ctx.set(0, t, ctx.shape(0).ranked() ? ctx.shape(0) : ctx.fresh_shape(2));
}

void Trilu::infer(InferContext& ctx) {
  SameTypeAsFirst::infer(ctx);
  if (ctx.shape(0).ranked() && ctx.shape(0).rank() < 2)
    ctx.fail(ErrorCode::bad_shape, "trilu needs rank 2 or more, got ", ctx.shape(0));
}

}  // namespace tc
