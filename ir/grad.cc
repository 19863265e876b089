#include "tc/ir/grad.h"

#include <algorithm>
#include <numeric>

namespace tc {

bool differentiable(const Type& t) {
  switch (t.kind()) {
    case Type::Kind::tensor:
      return dtypes::floats.has(t.dtype());
    case Type::Kind::sequence:
    case Type::Kind::optional:
      return differentiable(t.element());
    case Type::Kind::none:
    case Type::Kind::map:
      break;
  }
  return false;
}

Expr GradContext::out(int j) {
  if (j >= node_.num_results()) {
    while (j >= node_.num_results()) node_.add_result();
    infer_types(node_);
  }
  return {b, node_.result(j)};
}

int GradContext::rank(int i) const {
  const Shape& s = node_.operand(i)->shape();
  if (!s.ranked()) fail("the rank of operand ", i, " of ", node_.op(), " is unknown");
  return s.rank();
}

std::vector<int64_t> GradContext::ints(int i) const {
  std::vector<int64_t> result;
  const Dims* contents = node_.operand(i)->contents();
  bool known = contents != nullptr;
  for (size_t k = 0; known && k < contents->size(); ++k) {
    known = (*contents)[k].is_const();
    if (known) result.push_back((*contents)[k].value());
  }
  if (!known)
    fail("operand '", node_.info().facts->signature.operand(i).name, "' of ", node_.op(),
         " is not known before the program runs");
  return result;
}

void GradContext::give(int i, Value* gradient) {
  if (wanted(i)) give(node_.operand(i), gradient);
}

void GradContext::give(Value* to, Value* gradient) {
  if (!wanted_(to)) return;
  give_exactly(to, to->type().is_tensor() ? sum_to(b, gradient, to) : gradient);
}

void GradContext::give_exactly(Value* to, Value* gradient) {
  if (!wanted_(to)) return;
  TC_CHECK(
      gradient->type().kind() == to->type().kind() && (!to->type().is_tensor() || gradient->dtype() == to->dtype()),
      "the gradient of ", node_.op(), " is ", gradient->type(), ", not ", to->type());
  given_.emplace_back(to, gradient);
}

void GradContext::fail_text(std::string text) const {
  throw Error({ErrorCode::no_gradient,
               std::move(text),
               node_.location().empty() ? std::string(node_.info().name()) : node_.location(),
               {},
               {}});
}

Value* shape_of(Builder& b, Value* v) {
  return v->shape().is_static() ? b.ints(v->shape().extents()) : b.make<ShapeOf>({v});
}

Value* count_of(Builder& b, Value* v) {
  return v->shape().is_static() ? b.scalar(v->shape().count().value()) : b.make<Size>({v});
}

Value* join_ints(Builder& b, const std::vector<Value*>& parts) {
  if (parts.size() == 1) return parts[0];
  std::vector<int64_t> known;
  for (Value* v : parts) {
    if (!v->contents()) return b.make<Concat>(parts, {0});
    for (const Dim& d : *v->contents()) {
      if (!d.is_const()) return b.make<Concat>(parts, {0});
      known.push_back(d.value());
    }
  }
  return b.ints(known);
}

Value* known_or(Builder& b, const Dim& d, const std::function<Value*()>& compute) {
  return d.is_const() ? b.ints({d.value()}) : compute();
}

namespace {

// A region over the element types of sequences.
std::vector<std::unique_ptr<Graph>> element_region(Module& m, const std::vector<Value*>& sequences,
                                                   const std::function<Value*(Builder&, std::vector<Value*>)>& body) {
  auto g = std::make_unique<Graph>(m);
  for (Value* s : sequences) g->add_input(s->type().element());
  Builder b(*g);
  Value* out = body(b, g->inputs());
  g->set_outputs(std::vector{out});
  std::vector<std::unique_ptr<Graph>> list;
  list.push_back(std::move(g));
  return list;
}

}  // namespace

Value* full(Builder& b, Value* shape, DType t, double value) {
  return b.make<ConstantOfShape>({shape}, {scalar_tensor(t, value).reshaped({1})});
}

Value* full_like(Builder& b, Value* v, double value) {
  if (v->type().kind() == Type::Kind::sequence)
    return b
        .make_n<SequenceMap>(
            {v}, {}, 1,
            element_region(b.module(), {v},
                           [&](Builder& inner, std::vector<Value*> in) { return full_like(inner, in[0], value); }))
        ->result(0);
  if (v->type().kind() == Type::Kind::optional)
    return b.make<Optional>({full_like(b, b.make<OptionalGetElement>({v}), value)});
  if (v->shape().ranked() && v->shape().rank() == 0) return b.scalar_like(v->dtype(), value);
  return full(b, shape_of(b, v), v->dtype(), value);
}

Value* add_values(Builder& b, Value* x, Value* y) {
  if (x->type().kind() == Type::Kind::sequence)
    return b
        .make_n<SequenceMap>(
            {x, y}, {}, 1,
            element_region(b.module(), {x, y},
                           [](Builder& inner, std::vector<Value*> in) { return add_values(inner, in[0], in[1]); }))
        ->result(0);
  if (x->type().kind() == Type::Kind::optional)
    return b.make<Optional>({add_values(b, b.make<OptionalGetElement>({x}), b.make<OptionalGetElement>({y}))});
  return b.make<Add>({x, y});
}

Value* expand_like(Builder& b, Value* v, Value* like) {
  if (v->shape().ranked() && v->shape() == like->shape()) return v;
  return b.make<Expand>({v, shape_of(b, like)});
}

Value* reshape(Builder& b, Value* v, Value* shape) {
  // Only an extent of 0 needs the attribute, which is younger than the op.
  const Dims* extents = shape->contents();
  const bool nonzero =
      extents && std::all_of(extents->begin(), extents->end(), [](const Dim& d) { return d.lower_bound() > 0; });
  return b.make<Reshape>({v, shape}, {.allow_zero = !nonzero});
}

Value* reshape_like(Builder& b, Value* v, Value* like) {
  if (v->shape().ranked() && v->shape() == like->shape()) return v;
  return reshape(b, v, shape_of(b, like));
}

Value* merge_axes_from(Builder& b, Value* v, int axis) {
  if (axis == 1 && v->shape().rank() > 1) return b.make<Flatten>({v}, {.axis = 1});
  std::vector<Value*> extents;
  for (int k = 0; k < axis; ++k) extents.push_back(extent_of(b, v, k));
  Dim rest = 1;
  for (int k = axis; k < v->shape().rank(); ++k) rest *= v->shape()[k];
  extents.push_back(known_or(b, rest, [&] {
    return b.make<ReduceProd>({b.make<ShapeOf>({v}, {axis, std::nullopt})});
  }));
  return reshape(b, v, join_ints(b, extents));
}

Value* sum_to(Builder& b, Value* v, Value* like) {
  const Shape &from = v->shape(), &to = like->shape();
  if (from.ranked() && from == to) return v;
  if (to.ranked() && to.rank() == 0) return b.make<ReduceSum>({v}, {.keepdims = false});
  Value* lead = nullptr;  // the number of axes that broadcasting put in front
  if (from.ranked() && to.ranked()) {
    const int64_t added = from.rank() - to.rank();
    TC_CHECK(added >= 0, "a gradient of ", v->type(), " for ", like->type());
    lead = b.ints({added});
    std::vector<int64_t> axes(static_cast<size_t>(added)), inner;
    std::iota(axes.begin(), axes.end(), int64_t{0});
    bool sure = true;
    for (int k = 0; k < to.rank(); ++k) {
      const Dim &d = to[k], &g = from[static_cast<int>(added) + k];
      if (d == g || g.is(1)) continue;
      if (d.is(1))
        inner.push_back(k);
      else if (d.lower_bound() < 2 && !d.is(0))
        sure = false;
    }
    if (sure) {
      for (int64_t k : inner) axes.push_back(added + k);
      if (axes.empty()) return v;
      Value* sum = sum_over(b, v, axes, added == 0);
      return added == 0 || inner.empty() ? sum : unsqueeze(b, sum, inner);
    }
  } else {
    Value *all = b.make<ShapeOf>({v}), *kept = b.make<ShapeOf>({like});
    lead = b.make<Sub>({b.make<ShapeOf>({all}), b.make<ShapeOf>({kept})});
  }
  // Which extents are 1 shows when the program runs; to sum over one of the result's extents that is 1 does no harm.
  Value* target = b.make<ShapeOf>({like});
  Value* ones = b.make<ConstantOfShape>({lead}, {Tensor::of<int64_t>({1}, {1})});
  Value* is_one = b.make<Equal>({b.make<Concat>({ones, target}, {0}), b.ints({1})});
  Value* axes = b.make<Squeeze>({b.make<NonZero>({is_one}), b.ints({0})});
  Value* sum = b.make<ReduceSum>({v, axes}, {.keepdims = true, .noop_with_empty_axes = true});
  return b.make<Reshape>({sum, target}, {.allow_zero = true});
}

std::vector<std::unique_ptr<Graph>> region_list(std::unique_ptr<Graph> a, std::unique_ptr<Graph> b) {
  std::vector<std::unique_ptr<Graph>> list;
  list.push_back(std::move(a));
  if (b) list.push_back(std::move(b));
  return list;
}

Value* transpose(Builder& b, Value* v, std::vector<int64_t> perm) {
  return b.make<Transpose>({v}, {std::move(perm)});
}

Value* swap_last_axes(Builder& b, Value* v) {
  if (v->shape().rank() < 2) return v;
  std::vector<int64_t> perm(static_cast<size_t>(v->shape().rank()));
  std::iota(perm.begin(), perm.end(), int64_t{0});
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return transpose(b, v, std::move(perm));
}

Value* sum_over(Builder& b, Value* v, std::vector<int64_t> axes, bool keepdims) {
  return b.make<ReduceSum>({v, b.ints(axes)}, {.keepdims = keepdims});
}

Value* unsqueeze(Builder& b, Value* v, std::vector<int64_t> axes) {
  return axes.empty() ? v : b.make<Unsqueeze>({v, b.ints(axes)});
}

Value* scatter_add_along(Builder& b, Value* v, Value* indices, Value* extent, int axis) {
  const int places = indices->shape().rank(), rank = v->shape().rank() - places + 1;
  // The axes of the indices go to the front.
  std::vector<int64_t> front, back;
  for (int k = 0; k < places; ++k) front.push_back(axis + k);
  for (int k = 0; k < rank - 1 + places; ++k)
    if (k < axis || k >= axis + places) front.push_back(k);
  for (int k = 0; k < rank; ++k) back.push_back(k < axis ? k + 1 : k == axis ? 0 : k);
  if (axis != 0) v = transpose(b, v, front);
  Value* shape = extent;
  for (int k = 1; k < rank; ++k) shape = join_ints(b, {shape, extent_of(b, v, places + k - 1)});
  Value* tuples = unsqueeze(b, Expr(b, indices).cast(DType::i64), {-1});
  Value* sum = b.make<ScatterND>({full(b, shape, v->dtype(), 0), tuples, v}, {ScatterReduction::add});
  return axis == 0 ? sum : transpose(b, sum, back);
}

Value* with_batch_places(Builder& b, Value* indices, Value* data, int batch) {
  if (batch == 0) return indices;
  const int rank = indices->shape().rank();
  std::vector<Value*> extents, columns;
  for (int k = 0; k < rank - 1; ++k) extents.push_back(extent_of(b, indices, k));
  extents.push_back(b.ints({1}));
  Value* column_shape = join_ints(b, extents);
  for (int k = 0; k < batch; ++k) {
    std::vector<int64_t> others;
    for (int j = 0; j < rank; ++j)
      if (j != k) others.push_back(j);
    Value* places = unsqueeze(b, iota(b, extent_of(b, data, k)), others);
    columns.push_back(b.make<Expand>({places, column_shape}));
  }
  columns.push_back(indices);
  return b.make<Concat>(columns, {rank - 1});
}

}  // namespace tc
