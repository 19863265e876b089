// Axes, shapes and symbolic extents as values of the program.
#include <algorithm>

#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/elementwise.h"
#include "tc/ir/ops/movement.h"

namespace tc::dsl {

void Tracer::note_extents(Value* v) {
  if (!v->type().is_tensor() || !v->shape().ranked()) return;
  for (int axis = 0; axis < v->shape().rank(); ++axis) {
    const Dim& d = v->shape()[axis];
    if (d.is_const()) continue;
    const std::string key = d.str();
    const bool known =
        std::any_of(frames_.begin(), frames_.end(), [&](const Frame& f) { return f.sources.count(key); });
    if (!known) frames_.back().sources[key] = {v, axis};
  }
}

bool Tracer::knows(const Dim& d) const {
  bool known = true;
  d.for_each_symbol([&](const std::string& name) {
    const std::string key = Dim::symbol(name).str();
    known = known && std::any_of(frames_.begin(), frames_.end(),
                                 [&](const Frame& f) { return f.sources.count(key) || f.extents.count(key); });
  });
  return known;
}

Value* Tracer::find_extent(const std::string& key) {
  for (auto f = frames_.rbegin(); f != frames_.rend(); ++f)
    if (const auto it = f->extents.find(key); it != f->extents.end()) return it->second;
  for (auto f = frames_.rbegin(); f != frames_.rend(); ++f)
    if (const auto it = f->sources.find(key); it != f->sources.end()) {
      const auto [source, axis] = it->second;
      return make<ShapeOf>({var(source)}, {.start = axis, .end = axis + 1}).value();
    }
  return nullptr;
}

Var Tracer::extent(const Dim& d) {
  if (d.is_const()) return ints({d.value()});
  const std::string key = d.str();
  if (Value* v = find_extent(key)) {
    frames_.back().extents[key] = v;
    return var(v);
  }
  if (d.is_symbol())
    refuse(ErrorCode::bad_argument, cat("nothing here has an extent '", key, "'"),
           {"a symbol means something when it is an extent of an input or of a value computed before"});
  // n + c of an n that is there as it is, such as a product of which no factor is an extent.
  for (const Dim::Term& term : d.poly()->terms)
    if (term.atoms.empty())
      if (Value* v = find_extent((d - Dim(term.coefficient)).str()))
        return make<Add>({var(v), ints({term.coefficient})});
  const auto atom_value = [&](const Dim::Atom& a) {
    if (a.op == Dim::Op::symbol) return extent(Dim::symbol(a.name));
    const Var x = extent(a.args[0]), y = extent(a.args[1]);
    switch (a.op) {
      case Dim::Op::floordiv:
        return make<Div>({a.args[0].lower_bound() >= 0 ? x : make<Sub>({x, make<Mod>({x, y})}), y});
      case Dim::Op::mod:
        return make<Mod>({x, y});
      case Dim::Op::max:
        return make<Max>({x, y});
      case Dim::Op::min:
        return make<Min>({x, y});
      case Dim::Op::broadcast:
        return make<Where>({make<Equal>({x, ints({1})}), y, x});
      case Dim::Op::symbol:
        break;
    }
    TC_CHECK(false, "an atom of another kind");
  };
  Var sum;
  for (const Dim::Term& term : d.poly()->terms) {
    Var product;
    if (term.coefficient != 1 || term.atoms.empty()) product = ints({term.coefficient});
    for (const auto& a : term.atoms) {
      const Var factor = atom_value(*a);
      product = product.defined() ? make<Mul>({product, factor}) : factor;
    }
    sum = sum.defined() ? make<Add>({sum, product}) : product;
  }
  frames_.back().extents[key] = sum.value();
  return sum;
}

int axis_of(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    refuse(ErrorCode::bad_argument, cat("axis ", axis, " is out of range for rank ", rank),
           {rank ? cat("axes of rank ", rank, " are ", -rank, " to ", rank - 1) : "a scalar has no axes"});
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<int64_t> axes_of(const Axes& axes, int rank) {
  std::vector<int64_t> result;
  if (axes.all())
    for (int i = 0; i < rank; ++i) result.push_back(i);
  for (const int64_t a : axes.list()) result.push_back(axis_of(a, rank));
  std::sort(result.begin(), result.end());
  const auto twice = std::adjacent_find(result.begin(), result.end());
  if (twice != result.end()) refuse(ErrorCode::bad_argument, cat("axis ", *twice, " is given twice"));
  return result;
}

Var ints(const std::vector<int64_t>& values) {
  return Tracer::current().constant(Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values));
}

namespace {

// i64[1] of a scalar integer.
Var extent_of_scalar(const Var& v) {
  if (!dtypes::ints.has(v.dtype()) || v.rank() > 1 || (v.rank() == 1 && !v.dim(0).is(1)))
    refuse(ErrorCode::bad_type, cat("an extent is given as ", v.type(), ", expected one integer"));
  const Var wide = cast_to(v, DType::i64);
  return v.rank() == 1 ? wide : make<Reshape>({wide, ints({1})});
}

}  // namespace

Var shape_tensor(const ShapeArg& shape) {
  Tracer& tracer = Tracer::current();
  if (shape.dynamic()) {
    tracer.use(shape.var());
    if (!dtypes::ints.has(shape.var().dtype()) || shape.var().rank() != 1)
      refuse(ErrorCode::bad_type, cat("a shape is given as ", shape.var().type(), ", expected integers of rank 1"));
    return cast_to(shape.var(), DType::i64);
  }
  std::vector<Var> parts;
  std::vector<int64_t> fixed;  // in front of the next part
  const auto flush = [&] {
    if (!fixed.empty()) parts.push_back(ints(fixed));
    fixed.clear();
  };
  for (const Extent& e : shape.extents()) {
    if (!e.dynamic() && e.dim().is_const()) {
      fixed.push_back(e.dim().value());
      continue;
    }
    flush();
    parts.push_back(e.dynamic() ? extent_of_scalar(e.var()) : tracer.extent(e.dim()));
  }
  flush();
  if (parts.empty()) return ints({});
  return parts.size() == 1 ? parts[0] : make<Concat>(parts, {.axis = 0});
}

}  // namespace tc::dsl

namespace tc {

std::optional<Dims> ShapeArg::dims() const {
  if (dynamic()) return std::nullopt;
  Dims result;
  for (const Extent& e : list_) {
    if (e.dynamic()) return std::nullopt;
    result.push_back(e.dim());
  }
  return result;
}

}  // namespace tc
