#include <algorithm>

#include "writer.h"

namespace tc::programs {
namespace {

// A range of an axis, with at least one element.
struct Range {
  IndexRange range;
  std::string text;
};
Range random_range(Writer& w, int64_t extent) {
  const int64_t first = w.below(extent), last = w.between(first, extent - 1), step = w.between(1, 3);
  const bool open = w.chance(0.3), negative = w.chance(0.5), back = w.chance(0.25);
  if (back) {
    const Bound stop = first == 0 ? Bound() : Bound(first - 1);
    return {slice(last, stop, -step), cat(last, ":", first == 0 ? "" : std::to_string(first - 1), ":-", step)};
  }
  const int64_t start = negative ? first - extent : first;
  const Bound stop = open ? Bound() : Bound(last + 1);
  return {slice(start, stop, step), cat(start, ":", open ? "" : std::to_string(last + 1), ":", step)};
}

Indexed at(const Var& x, const std::vector<Index>& indices) {
  return Indexed(x, indices);
}

// Ranges and integers for some axes of x.
std::vector<Index> random_indices(Writer& w, const Item& x, std::string& text) {
  std::vector<Index> indices;
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t extent = x.extents[static_cast<size_t>(i)];
    if (i > 0) text += ", ";
    if (w.chance(0.2)) {
      const int64_t place = w.between(-extent, extent - 1);
      indices.emplace_back(place);
      text += std::to_string(place);
    } else if (w.chance(0.15)) {
      indices.emplace_back(slice({}, {}));
      text += ":";
    } else {
      Range r = random_range(w, extent);
      indices.emplace_back(r.range);
      text += r.text;
    }
  }
  return indices;
}

void sliced(Writer& w) {
  const Item x = w.any(1);
  std::string text;
  std::vector<Index> indices = random_indices(w, x, text);
  if (w.chance(0.15)) indices.emplace_back(newaxis), text += ", newaxis";
  w.add(cat(x.name, "[", text, "]"), at(x.v, indices), x.size, x.exact);
}

void last_of(Writer& w) {
  const Item x = w.any(1);
  w.add(cat(x.name, "[..., -1]"), x.v[{ellipsis, -1}], x.size, x.exact);
}

void taken(Writer& w) {
  const Item x = w.any(1, 4);
  const int64_t axis = w.below(x.rank()), extent = x.extents[static_cast<size_t>(axis)];
  const Item i = w.fresh_ints(w.random_extents(static_cast<int>(w.between(1, 2))), 0, extent - 1);
  w.add(cat("take(", x.name, ", ", i.name, ", ", axis, ")"), take(x.v, reshape(i.v, {-1}), {.axis = axis}), x.size,
        x.exact);
}

void gathered(Writer& w) {
  const Item x = w.any(2, 4);
  const Extents shape = w.random_extents(static_cast<int>(w.between(1, 2)));
  const Item rows = w.fresh_ints(shape, 0, x.extents[0] - 1), columns = w.fresh_ints(shape, 0, x.extents[1] - 1);
  w.add(cat(x.name, "[", rows.name, ", ", columns.name, "]"), x.v[{rows.v, columns.v}], x.size, x.exact);
}

void along(Writer& w) {
  const Item x = w.any(1, 3);
  const int64_t axis = w.below(x.rank());
  Extents shape = x.extents;
  shape[static_cast<size_t>(axis)] = w.between(1, 4);
  const Item i = w.fresh_ints(shape, 0, x.extents[static_cast<size_t>(axis)] - 1);
  w.add(cat("take_along_axis(", x.name, ", ", i.name, ", ", axis, ")"), take_along_axis(x.v, i.v, {.axis = axis}),
        x.size, x.exact);
}

void updated(Writer& w) {
  const Item x = w.any(1, 4);
  std::string text;
  const Indexed part = at(x.v, random_indices(w, x, text));
  const Item y = w.fresh({}, -1, 1);
  switch (w.below(3)) {
    case 0:
      w.add(cat(x.name, ".at(", text, ").set(", y.name, ")"), part.set(y.v), x.size);
      return;
    case 1:
      w.add(cat(x.name, ".at(", text, ").add(", y.name, ")"), part.add(y.v), x.size + 1);
      return;
    default:
      w.add(cat(x.name, ".at(", text, ").multiply(", y.name, ")"), part.multiply(y.v), x.size);
  }
}

void scattered(Writer& w) {
  const Item x = w.any(1, 3);
  const int64_t n = w.between(1, 4);
  const Item i = w.fresh_ints({n}, 0, x.extents[0] - 1);
  Extents shape = x.extents;
  shape[0] = n;
  const Item y = w.fresh(shape);
  w.add(cat(x.name, ".at(", i.name, ").add(", y.name, ")"), x.v.at(i.v).add(y.v), x.size + y.size * 2);
}

// How many elements there are is known by the run alone, until they are summed.
void masked(Writer& w) {
  const Item x = w.any(1, 3);
  const Item c = w.fresh(x.extents);
  w.add(cat("sum(", x.name, "[", c.name, " > -0.5])"), sum(x.v[c.v > -0.5]), x.size * 3);
}

void sorted(Writer& w) {
  const Item x = w.fresh(w.random_extents(static_cast<int>(w.between(1, 3))));
  const int64_t axis = w.below(x.rank());
  const bool down = w.chance(0.5);
  w.add(cat("sort(", x.name, ", ", axis, down ? ", descending)" : ")"), sort(x.v, {.axis = axis, .descending = down}),
        x.size, true);
}

void largest(Writer& w) {
  const Item x = w.fresh(w.random_extents(static_cast<int>(w.between(1, 3))));
  const int64_t axis = w.below(x.rank()), k = w.between(1, x.extents[static_cast<size_t>(axis)]);
  w.add(cat("top_k(", x.name, ", ", k, ", ", axis, ").values"), top_k(x.v, k, {.axis = axis}).values, x.size, true);
}

void places(Writer& w) {
  const Item x = w.fresh(w.random_extents(static_cast<int>(w.between(2, 3))));
  const int64_t depth = x.extents.back();
  const Item i = w.chance(0.5) ? w.aside(cat("argmax(", x.name, ", -1)"), argmax(x.v, {.axis = -1}), 1, true)
                               : w.aside(cat("argmin(", x.name, ", -1)"), argmin(x.v, {.axis = -1}), 1, true);
  w.add(cat("one_hot(", i.name, ", ", depth, ")"), one_hot(i.v, depth, {.dtype = w.dtype()}), 1, true);
}

constexpr Statement kIndexingStatements[] = {sliced,  sliced,  sliced,    last_of, taken,  gathered, along,
                                             updated, updated, scattered, masked,  sorted, largest,  places};

}  // namespace

std::span<const Statement> indexing_statements() {
  return kIndexingStatements;
}

}  // namespace tc::programs
