#include "tc/ir/infer.h"

#include <algorithm>
#include <charconv>

namespace tc {

std::optional<uint64_t> fresh_number(std::string_view name) {
  uint64_t number = 0;
  if (name.empty() || name[0] != '?') return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

const Type& InferContext::type(int i) const {
  const Value* v = node_.operand(i);
  TC_CHECK(v, "operand ", i, " of ", node_.op(), " is absent");
  return v->type();
}

const Shape& InferContext::shape(int i) const {
  const Type& t = type(i);
  if (!t.is_tensor()) fail(ErrorCode::bad_type, "operand ", i, " of ", node_.op(), " must be a tensor, got ", t);
  return t.shape();
}

const Tensor* InferContext::constant(int i) const {
  return has(i) ? node_.operand(i)->constant() : nullptr;
}
const Dims* InferContext::contents(int i) const {
  return has(i) ? node_.operand(i)->contents() : nullptr;
}

std::optional<std::vector<int64_t>> InferContext::ints(int i) const {
  if (const Dims* c = contents(i)) {
    std::vector<int64_t> values;
    for (const Dim& d : *c) {
      if (!d.is_const()) return std::nullopt;
      values.push_back(d.value());
    }
    return values;
  }
  const Tensor* t = constant(i);
  if (!t || t->dtype() == DType::str || kind(t->dtype()) == DTypeKind::floating) return std::nullopt;
  return to_i64(*t);
}

int InferContext::axis(int64_t a, int rank) const {
  if (a < -rank || a >= rank) fail(ErrorCode::bad_attribute, "axis ", a, " is out of range for rank ", rank);
  return static_cast<int>(a < 0 ? a + rank : a);
}

void InferContext::expect_rank(int i, int rank) const {
  const Shape& s = shape(i);
  if (s.ranked() && s.rank() != rank)
    fail(ErrorCode::bad_shape, "operand '", node_.info().facts->signature.operand(i).name, "' of ", node_.op(),
         " must have rank ", rank, ", got ", type(i));
}

namespace {

// `t` with the symbols that `old` has in place of those numbered from `first_fresh` on.
Type keep_symbols(const Type& t, const Type& old, uint64_t first_fresh) {
  if (t.kind() != old.kind()) return t;
  switch (t.kind()) {
    case Type::Kind::none:
      return t;
    case Type::Kind::sequence:
      return Type::sequence(keep_symbols(t.element(), old.element(), first_fresh));
    case Type::Kind::optional:
      return Type::optional(keep_symbols(t.element(), old.element(), first_fresh));
    case Type::Kind::map:
      return Type::map(t.dtype(), keep_symbols(t.element(), old.element(), first_fresh));
    case Type::Kind::tensor:
      break;
  }
  if (!t.shape().ranked() || !old.shape().ranked() || t.shape().rank() != old.shape().rank()) return t;
  Dims dims = t.shape().dims();
  for (size_t k = 0; k < dims.size(); ++k) {
    if (!dims[k].is_symbol()) continue;
    const Dim& before = old.shape().dims()[k];
    const auto number = fresh_number(dims[k].symbol_name());
    if (number && *number >= first_fresh && before.is_symbol()) dims[k] = before;
  }
  return Type::tensor(t.dtype(), Shape(std::move(dims)));
}

}  // namespace

void InferContext::set(int j, Type t) {
  if (j >= num_results()) return;
  // Inference that runs again keeps the symbols it introduced the first time.
  node_.result(j)->set_type(keep_symbols(t, node_.result(j)->type(), first_fresh_));
}

void InferContext::set(int j, Shape s) {
  if (j >= num_results()) return;
  const Slot& slot = node_.info().facts->signature.result(j);
  TC_CHECK(!slot.any, "result ", j, " of ", node_.op(), " has no element type by signature");
  DType t = slot.fixed;
  if (slot.variable) {
    bool found = false;
    const Signature& sig = node_.info().facts->signature;
    for (int i = 0; i < num_operands() && !found; ++i)
      if (has(i) && sig.operand(i).variable == slot.variable) t = dtype(i), found = true;
    TC_CHECK(found, "no operand of ", node_.op(), " binds the element type of result ", j);
  }
  set(j, Type::tensor(t, std::move(s)));
}

Shape InferContext::fresh_shape(int rank) {
  Dims dims;
  for (int i = 0; i < rank; ++i) dims.push_back(fresh());
  return Shape(std::move(dims));
}

void InferContext::fail_text(ErrorCode code, std::string text) const {
  throw Error(
      {code, std::move(text), node_.location().empty() ? std::string(node_.info().name()) : node_.location(), {}, {}});
}

Shape broadcast_shapes(InferContext& ctx, const std::vector<const Shape*>& shapes) {
  int rank = 0;
  for (const Shape* s : shapes) {
    if (!s->ranked()) return {};
    rank = std::max(rank, s->rank());
  }
  Dims dims(static_cast<size_t>(rank), Dim(1));
  for (const Shape* s : shapes)
    for (int i = 0; i < s->rank(); ++i) {
      Dim& d = dims[static_cast<size_t>(rank - s->rank() + i)];
      const Dim& e = (*s)[i];
      if (d.is_const() && e.is_const() && !d.is(1) && !e.is(1) && d.value() != e.value()) {
        std::string text;
        for (const Shape* t : shapes) text += cat(text.empty() ? "" : " and ", *t);
        ctx.fail(ErrorCode::bad_shape, "shapes ", text, " do not broadcast: ", d, " against ", e);
      }
      d = broadcast(d, e);
    }
  return Shape(std::move(dims));
}

Shape join_shapes(Module& module, const Shape& a, const Shape& b) {
  if (!a.ranked() || !b.ranked() || a.rank() != b.rank()) return {};
  Dims dims;
  for (int i = 0; i < a.rank(); ++i) dims.push_back(a[i] == b[i] ? a[i] : module.fresh_symbol());
  return Shape(std::move(dims));
}

Type join_types(Module& module, const Type& a, const Type& b) {
  if (a == b) return a;
  if (a.kind() == Type::Kind::optional && b.kind() != Type::Kind::optional)
    return join_types(module, a, Type::optional(b));
  if (b.kind() == Type::Kind::optional && a.kind() != Type::Kind::optional)
    return join_types(module, Type::optional(a), b);
  if (a.kind() != b.kind()) fail(ErrorCode::bad_type, "branches disagree: ", a, " against ", b);
  switch (a.kind()) {
    case Type::Kind::none:
      return a;
    case Type::Kind::sequence:
      return Type::sequence(join_types(module, a.element(), b.element()));
    case Type::Kind::optional:
      return Type::optional(join_types(module, a.element(), b.element()));
    case Type::Kind::map:
      return Type::map(a.dtype(), join_types(module, a.element(), b.element()));
    case Type::Kind::tensor:
      break;
  }
  if (a.dtype() != b.dtype()) fail(ErrorCode::bad_type, "branches disagree: ", a, " against ", b);
  return Type::tensor(a.dtype(), join_shapes(module, a.shape(), b.shape()));
}

void SameTypeAsFirst::infer(InferContext& ctx) {
  ctx.set(0, ctx.shape(0));
}

void Broadcasting::infer(InferContext& ctx) {
  std::vector<const Shape*> shapes;
  for (int i = 0; i < ctx.num_operands(); ++i)
    if (ctx.has(i)) shapes.push_back(&ctx.shape(i));
  ctx.set(0, broadcast_shapes(ctx, shapes));
}

}  // namespace tc
