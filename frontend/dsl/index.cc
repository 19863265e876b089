#include "tc/frontend/dsl/index.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/elementwise.h"
#include "tc/ir/ops/gather.h"
#include "tc/ir/ops/movement.h"

namespace tc {

using namespace dsl;

namespace {

// What happens to one axis, or a new one.
struct Entry {
  enum Kind { all, range, array, added } kind;
  IndexRange bounds = {};  // of a range
  Var indices = {};        // of an array; rank 0 for an integer
};

// An index expression against the axes of x: one entry per axis, in order, with added axes among them.
using Plan = std::vector<Entry>;

bool is_mask(const Index& i) {
  const auto* v = std::get_if<Var>(&i.content());
  return v && v->dtype() == bool_;
}

// The number of axes that an index takes up.
int axes_of_index(const Index& i) {
  if (std::holds_alternative<NewAxis>(i.content()) || std::holds_alternative<Ellipsis>(i.content())) return 0;
  if (!is_mask(i)) return 1;
  const int rank = std::get<Var>(i.content()).rank();
  if (rank == 0) refuse(ErrorCode::bad_type, "a mask must have axes", {"tc::where chooses by a single condition"});
  return rank;
}

Var index_array(const Var& v) {
  if (!dtypes::ints.has(v.dtype()))
    refuse(ErrorCode::bad_type, cat("an index is ", v.type(), ", expected integers or booleans"));
  return v.dtype() == i32 ? v : astype(v, i64);
}

void expect_mask_fits(const Var& mask, const Var& x, int axis) {
  for (int i = 0; i < mask.rank(); ++i) {
    const Dim &m = mask.dim(i), &d = x.dim(axis + i);
    if (m.is_const() && d.is_const() && m != d)
      refuse(ErrorCode::bad_shape, cat("a mask of shape ", Shape(mask.shape()), " does not fit axes ", axis, " to ",
                                       axis + mask.rank() - 1, " of ", x.type()));
  }
}

int64_t checked_index(int64_t i, const Var& x, int axis) {
  const Dim& d = x.dim(axis);
  if (d.is_const() && (i < -d.value() || i >= d.value()))
    refuse(ErrorCode::bad_argument, cat("index ", i, " is out of range for axis ", axis, " of ", x.type()));
  return i;
}

bool is_all(const IndexRange& r) {
  const auto* step = std::get_if<Dim>(&r.step.value());
  return r.start.open() && r.stop.open() && (r.step.open() || (step && step->is(1)));
}

// A mask that does all the work alone.
struct SoleMask {
  Var mask;
  int axis;  // of x, the mask's first
};
std::optional<SoleMask> sole_mask(const Var& x, const std::vector<Index>& indices) {
  std::optional<SoleMask> found;
  int axis = 0, used = 0;
  for (const Index& i : indices) used += axes_of_index(i);
  for (const Index& i : indices) {
    const auto* range = std::get_if<IndexRange>(&i.content());
    if (std::holds_alternative<Ellipsis>(i.content())) {
      axis += x.rank() - used;
    } else if (range && is_all(*range)) {
      ++axis;
    } else if (is_mask(i) && !found) {
      found = {std::get<Var>(i.content()), axis};
      axis += axes_of_index(i);
    } else {
      return std::nullopt;
    }
  }
  if (!found || axis > x.rank()) return std::nullopt;
  expect_mask_fits(found->mask, x, found->axis);
  return found;
}

Plan plan(const Var& x, const std::vector<Index>& indices) {
  int used = 0, ellipses = 0;
  for (const Index& i : indices) {
    used += axes_of_index(i);
    ellipses += std::holds_alternative<Ellipsis>(i.content());
  }
  if (ellipses > 1) refuse(ErrorCode::bad_argument, "an index has more than one ellipsis");
  if (used > x.rank()) refuse(ErrorCode::bad_argument, cat("indices for ", used, " axes are too many for ", x.type()));
  Plan p;
  int axis = 0;
  const auto skip = [&](int n) {
    for (int k = 0; k < n; ++k) p.push_back({Entry::all});
    axis += n;
  };
  for (const Index& index : indices) {
    if (const auto* i = std::get_if<int64_t>(&index.content())) {
      p.push_back({Entry::array, {}, asarray(checked_index(*i, x, axis++))});
    } else if (const auto* r = std::get_if<IndexRange>(&index.content())) {
      p.push_back({is_all(*r) ? Entry::all : Entry::range, *r});
      ++axis;
    } else if (std::holds_alternative<NewAxis>(index.content())) {
      p.push_back({Entry::added});
    } else if (std::holds_alternative<Ellipsis>(index.content())) {
      skip(x.rank() - used);
    } else if (const Var& v = std::get<Var>(index.content()); is_mask(index)) {
      expect_mask_fits(v, x, axis);
      for (const Var& places : nonzero(v)) p.push_back({Entry::array, {}, places});
      axis += v.rank();
    } else {
      p.push_back({Entry::array, {}, index_array(v)});
      ++axis;
    }
  }
  skip(x.rank() - axis);
  return p;
}

// i64[1] of a bound, or of `open` where there is none.
Var bound_tensor(const Bound& b, int64_t open) {
  if (b.open()) return ints({open});
  if (const auto* d = std::get_if<Dim>(&b.value())) return shape_tensor({*d});
  return shape_tensor({std::get<Var>(b.value())});
}

// The ranges of several axes in one op.
Var sliced(const Var& x, const std::vector<std::pair<int, IndexRange>>& ranges) {
  if (ranges.empty()) return x;
  std::vector<Var> starts, stops, steps;
  std::vector<int64_t> axes;
  bool unit = true;
  constexpr int64_t kFirst = std::numeric_limits<int64_t>::min(), kLast = std::numeric_limits<int64_t>::max();
  for (const auto& [axis, r] : ranges) {
    const auto* step = std::get_if<Dim>(&r.step.value());
    const int64_t by = step && step->is_const() ? step->value() : 1;
    if (by == 0) refuse(ErrorCode::bad_argument, "the step of a range is 0");
    axes.push_back(axis);
    steps.push_back(bound_tensor(r.step, 1));
    const bool either = !r.step.open() && (!step || !step->is_const());  // the sign is the run's
    const auto end = [&](const Bound& b, int64_t upwards, int64_t downwards) {
      if (!b.open() || !either) return bound_tensor(b, by > 0 ? upwards : downwards);
      return where(steps.back() > 0, upwards, ints({downwards}));
    };
    starts.push_back(end(r.start, 0, kLast));
    stops.push_back(end(r.stop, kLast, kFirst));
    unit = unit && step ? step->is(1) : unit && r.step.open();
  }
  const auto joined = [](const std::vector<Var>& parts) {
    std::vector<int64_t> fixed;
    for (const Var& v : parts)
      if (const Tensor* t = v.value()->constant()) fixed.push_back(to_i64(*t)[0]);
    return fixed.size() == parts.size() ? ints(fixed) : make<Concat>(parts, {.axis = 0});
  };
  std::vector<Var> operands = {x, joined(starts), joined(stops), ints(axes)};
  if (!unit) operands.push_back(joined(steps));
  return make<Slice>(operands);
}

// Which of the plan's arrays there are, and where the axes of their elements go in the result.
struct Arrays {
  std::vector<int> axes;  // of x
  std::vector<Var> indices;
  int place = 0;  // the first of their axes in the result, added ones not counted
  int added_before = 0;
};

Arrays arrays_of(const Plan& p) {
  Arrays a;
  int axis = 0, kept = 0, added = 0;
  bool open = false, split = false;  // inside of a run of arrays; more than one run
  for (const Entry& e : p) {
    if (e.kind == Entry::array) {
      split = split || (!a.axes.empty() && !open);
      if (a.axes.empty()) a.place = kept, a.added_before = added;
      a.axes.push_back(axis);
      a.indices.push_back(e.indices);
    }
    open = e.kind == Entry::array;
    kept += e.kind == Entry::all || e.kind == Entry::range;
    added += e.kind == Entry::added;
    axis += e.kind != Entry::added;
  }
  // As in NumPy, where integers alone never count as arrays.
  bool scalars = true;
  for (const Var& v : a.indices) scalars = scalars && v.rank() == 0;
  if (split && !scalars) a.place = a.added_before = 0;
  return a;
}

int common_rank(const std::vector<Var>& list) {
  int rank = 0;
  for (const Var& v : list) rank = std::max(rank, v.rank());
  return rank;
}

// The axes that newaxis adds, counted in the result. Arrays' axes come first when they do not stand together.
std::vector<int64_t> added_axes(const Plan& p, const Arrays& a) {
  std::vector<int64_t> result;
  int64_t at = 0;
  const int array_rank = common_rank(a.indices);
  bool arrays_done = a.axes.empty();
  int kept = 0;
  if (!arrays_done && a.place == 0 && a.added_before == 0) at += array_rank, arrays_done = true;
  for (const Entry& e : p) {
    if (e.kind == Entry::array && !arrays_done) at += array_rank, arrays_done = true;
    if (e.kind == Entry::added) result.push_back(at++);
    if (e.kind == Entry::all || e.kind == Entry::range) ++at, ++kept;
  }
  return result;
}

Var gathered(const Var& x, const Arrays& a) {
  // Integers, and one array alone: axis by axis from the last.
  bool simple = true;
  for (const Var& v : a.indices) simple = simple && v.rank() == 0;
  if (simple || a.axes.size() == 1) {
    Var y = x;
    for (size_t k = a.axes.size(); k-- > 0;) y = make<Gather>({y, a.indices[k]}, {.axis = a.axes[k]});
    return y;
  }
  std::vector<int64_t> front(a.axes.begin(), a.axes.end());
  for (int i = 0; i < x.rank(); ++i)
    if (std::find(a.axes.begin(), a.axes.end(), i) == a.axes.end()) front.push_back(i);
  const std::vector<Var> broadcast = broadcast_arrays(a.indices);
  std::vector<Arg> wide;
  for (const Var& v : broadcast) wide.emplace_back(astype(v, i64));
  const Var tuples = stack(Args(wide), {.axis = -1});
  const Var y = make<GatherND>({permute_dims(x, front), tuples});
  const int rank = common_rank(a.indices);
  std::vector<int64_t> order;
  for (int i = 0; i < a.place; ++i) order.push_back(rank + i);
  for (int i = 0; i < rank; ++i) order.push_back(i);
  for (int i = rank + a.place; i < y.rank(); ++i) order.push_back(i);
  return permute_dims(y, order);
}

// For updates: the shape of the part, and for the first axes of x, up to the last that is indexed, tuples of indices of
// all its places.
struct Places {
  Dims shape;  // without added axes
  Var tuples;
};

Places places(const Var& x, const Plan& p, const Arrays& a) {
  std::vector<Entry> axes;
  for (const Entry& e : p)
    if (e.kind != Entry::added) axes.push_back(e);
  size_t depth = axes.size();
  while (depth > 0 && axes[depth - 1].kind == Entry::all) --depth;
  const int array_rank = common_rank(a.indices);
  int kept = 0;
  for (size_t i = 0; i < depth; ++i) kept += axes[i].kind != Entry::array;
  const int rank = kept + array_rank;
  // Each axis' indices, shaped to broadcast against the others in the order of the result's axes.
  const auto shaped = [&](const Var& v, int first) {
    std::vector<int64_t> trailing;
    for (int i = v.rank(); i < rank - first; ++i) trailing.push_back(i);
    return trailing.empty() ? v : expand_dims(v, trailing);
  };
  std::vector<Var> indices;
  int place = 0;
  for (size_t i = 0; i < depth; ++i) {
    if (axes[i].kind == Entry::array) {
      const Var v = astype(axes[i].indices, i64);
      indices.push_back(shaped(v, a.place + array_rank - v.rank()));
      continue;
    }
    const Var every = arange(x.dim(static_cast<int>(i)));
    const Var some = axes[i].kind == Entry::all ? every : sliced(every, {{0, axes[i].bounds}});
    indices.push_back(shaped(some, place < a.place ? place : place + array_rank));
    ++place;
  }
  Places result;
  if (indices.empty()) {
    result.shape = x.shape();
    return result;
  }
  const std::vector<Var> grid = broadcast_arrays(indices);
  result.shape = grid[0].shape();
  for (size_t i = depth; i < axes.size(); ++i) result.shape.push_back(x.dim(static_cast<int>(i)));
  result.tuples = stack(grid, {.axis = -1});
  return result;
}

Var combined(const Var& x, const Var& v, ScatterReduction reduction) {
  switch (reduction) {
    case ScatterReduction::none:
      return v;
    case ScatterReduction::add:
      return x + v;
    case ScatterReduction::mul:
      return x * v;
    case ScatterReduction::max:
      return maximum(x, v);
    case ScatterReduction::min:
      return minimum(x, v);
  }
  TC_CHECK(false, "another reduction");
}

Var updated(const Var& x, const std::vector<Index>& indices, const Arg& value, ScatterReduction reduction) {
  Tracer::current().use(x);
  const Var v = operand_like(value, x.dtype());
  if (v.dtype() != x.dtype())
    refuse(ErrorCode::bad_type, cat("the value is ", v.type(), ", the tensor ", x.type()),
           {cat("convert the value: astype(v, tc::", x.dtype(), ")")});
  if (const auto sole = sole_mask(x, indices); sole && v.rank() == 0) {
    std::vector<int64_t> rest;
    for (int i = sole->axis + sole->mask.rank(); i < x.rank(); ++i) rest.push_back(i - sole->axis);
    return where(rest.empty() ? sole->mask : expand_dims(sole->mask, rest), combined(x, v, reduction), x);
  }
  const Plan p = plan(x, indices);
  const Arrays a = arrays_of(p);
  const Places at = places(x, p, a);
  // The value is aligned with the part as indexing gives it, added axes included.
  const std::vector<int64_t> added = added_axes(p, a);
  Dims full = at.shape;
  for (const int64_t axis : added) full.insert(full.begin() + axis, Dim(1));
  Var part = broadcast_to(v, full);
  if (!added.empty()) part = squeeze(part, added);
  if (!at.tuples.defined()) return combined(x, part, reduction);  // all of x
  return make<ScatterND>({x, at.tuples, part}, {.reduction = reduction});
}

Location location_of(const std::vector<Index>& indices) {
  return indices.empty() ? Location::current() : indices[0].at();
}

}  // namespace

Arg::Arg(const Indexed& part, Location at) : content_(part.get()), at_(at) {}

Var Index::array(Arg v, Location at) {
  const Site site("indexing", at);
  return operand(v);
}
Var Index::array(const std::vector<int64_t>& v, Location at) {
  const Site site("indexing", at);
  return ints(v);
}

Var Indexed::get() const {
  const Site site("indexing", location_of(indices_));
  Tracer::current().use(x_);
  if (const auto sole = sole_mask(x_, indices_); sole && sole->mask.rank() == 1)
    return make<Compress>({x_, sole->mask}, {.axis = sole->axis});
  const Plan p = plan(x_, indices_);
  std::vector<std::pair<int, IndexRange>> ranges;
  int axis = 0;
  for (const Entry& e : p) {
    if (e.kind == Entry::range) ranges.emplace_back(axis, e.bounds);
    axis += e.kind != Entry::added;
  }
  const Arrays a = arrays_of(p);
  const Var y = gathered(sliced(x_, ranges), a);
  const std::vector<int64_t> added = added_axes(p, a);
  return added.empty() ? y : make<Unsqueeze>({y, ints(added)});
}

#define TC_DSL_UPDATE(name, reduction)                                \
  Var Indexed::name(Arg value) const {                                \
    const Site site("at." #name, value.at());                         \
    return updated(x_, indices_, value, ScatterReduction::reduction); \
  }
TC_DSL_UPDATE(set, none)
TC_DSL_UPDATE(add, add)
TC_DSL_UPDATE(multiply, mul)
TC_DSL_UPDATE(min, min)
TC_DSL_UPDATE(max, max)
#undef TC_DSL_UPDATE

Var Param::operator[](Index i) const {
  return var(i.at())[i];
}
Var Param::operator[](std::initializer_list<Index> indices) const {
  return Indexed(*this, indices).get();
}

Var Var::operator[](Index i) const {
  return Indexed(*this, {std::move(i)}).get();
}
Var Var::operator[](std::initializer_list<Index> indices) const {
  return Indexed(*this, indices).get();
}

}  // namespace tc
