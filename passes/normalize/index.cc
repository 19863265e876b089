// Indices of single elements that are the same all over a slice, as exporters write masked assignments and gathers of
// rows, become indices of slices: the slices are copied whole, and nobody expands the indices.
#include "tc/passes/normalize/normalize.h"

namespace tc {
namespace index_patterns {
namespace {

constexpr Any data, indices, target, updates;
constexpr As<Expand> expanded;

// What indices of every element of `data` were expanded from, along their axis and before it.
struct Slices {
  int axis = 0;
  bool along_axis_only = false;  // the same for all positions before the axis, of which data has as many
  bool batches = false;          // one for each position before the axis, of which data has as many
};

// The reason for declining, or null.
const char* find_slices(Rewrite& r, int64_t axis, Slices& result) {
  const Shape &x = r[data]->shape(), &from = r[indices]->shape(), &to = r[expanded]->shape();
  if (!x.ranked() || !from.ranked() || !to.ranked() || x.rank() != to.rank() || x.rank() == 0) return "unknown ranks";
  const int rank = x.rank(), skip = rank - from.rank();
  if (skip < 0) return "unknown ranks";
  result.axis = static_cast<int>(axis < 0 ? axis + rank : axis);
  const auto given = [&](int d) { return d < skip ? Dim(1) : from[d - skip]; };
  if (!(given(result.axis) == to[result.axis])) return "the indices are expanded along the axis";
  result.along_axis_only = result.batches = true;
  for (int d = 0; d < rank; ++d) {
    if (d == result.axis) continue;
    if (!(to[d] == x[d])) return "not all of a slice is meant, or may not be";
    if (d > result.axis && !given(d).is(1)) return "the indices vary within a slice";
    if (d > result.axis) continue;
    if (!given(d).is(1)) result.along_axis_only = false;
    if (!(given(d) == x[d])) result.batches = false;
  }
  return nullptr;
}

Patch scatter_slices(Rewrite& r) {
  Slices slices;
  if (const char* why = find_slices(r, r.root_attrs<ScatterElements>().axis, slices)) return r.miss(why);
  if (slices.axis != 0) return r.miss("not along the first axis");
  if (r[indices]->dtype() != DType::i64) return r.miss("the indices are not i64");
  Value* tuples = r.make<Reshape>({r[indices], r.ints({-1, 1})});
  return r.make<ScatterND>({r[data], tuples, r[updates]}, {r.root_attrs<ScatterElements>().reduction});
}

Patch gather_slices(Rewrite& r) {
  Slices slices;
  if (const char* why = find_slices(r, r.root_attrs<GatherElements>().axis, slices)) return r.miss(why);
  if (!slices.along_axis_only) return r.miss("other indices for each batch");
  return r.make<Gather>({r[data], r.make<Reshape>({r[indices], r.ints({-1})})}, {slices.axis});
}

// One tuple of one index for each batch and position.
Patch gather_batched_slices(Rewrite& r) {
  Slices slices;
  if (const char* why = find_slices(r, r.root_attrs<GatherElements>().axis, slices)) return r.miss(why);
  if (slices.along_axis_only || !slices.batches) return r.miss("the same indices for all batches");
  if (slices.axis + 1 == r[data]->shape().rank()) return r.miss("slices of one element");
  if (r[indices]->dtype() != DType::i64) return r.miss("the indices are not i64");
  if (r[indices]->shape().rank() != r[data]->shape().rank()) return r.miss("the indices lack axes");
  std::vector<int64_t> axes;
  for (int d = slices.axis + 2; d < r[data]->shape().rank(); ++d) axes.push_back(d);
  Value* tuples = axes.empty() ? r[indices] : r.make<Squeeze>({r[indices], r.ints(axes)});
  return r.make<GatherND>({r[data], tuples}, {slices.axis});
}

}  // namespace
}  // namespace index_patterns

std::span<const Rule> index_rules() {
  using namespace index_patterns;
  static const Rule kRules[] = {
      {"scatter-whole-slices", exact, pat<ScatterElements>(data, expanded(indices, target), updates), scatter_slices},
      {"gather-whole-slices", exact, pat<GatherElements>(data, expanded(indices, target)), gather_slices},
      {"gather-slices-of-batches", exact, pat<GatherElements>(data, expanded(indices, target)), gather_batched_slices},
  };
  return kRules;
}

}  // namespace tc
