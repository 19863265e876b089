#include <algorithm>
#include <numeric>

#include "writer.h"

namespace tc::programs {
namespace {

// The elements of x in another shape.
Extents other_shape(Writer& w, const Item& x) {
  int64_t left = x.count();
  Extents shape;
  for (int64_t i = w.between(1, 3); i > 0; --i) {
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= std::min<int64_t>(left, 12); ++d)
      if (left % d == 0) divisors.push_back(d);
    shape.push_back(w.one_of(divisors));
    left /= shape.back();
  }
  shape.push_back(left);
  return shape;
}

void reshaped(Writer& w) {
  const Item x = w.any();
  Extents shape = other_shape(w, x);
  if (w.chance(0.3)) shape[static_cast<size_t>(w.below(std::ssize(shape)))] = -1;
  w.add(cat("reshape(", x.name, ", ", list(shape), ")"), reshape(x.v, shape), x.size, x.exact);
}

void flattened(Writer& w) {
  const Item x = w.any();
  w.add(cat("flatten(", x.name, ")"), flatten(x.v), x.size, x.exact);
}

void permuted(Writer& w) {
  const Item x = w.any(2);
  std::vector<int64_t> axes(static_cast<size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  for (size_t i = axes.size(); i > 1; --i)
    std::swap(axes[i - 1], axes[static_cast<size_t>(w.below(static_cast<int64_t>(i)))]);
  w.add(cat("permute_dims(", x.name, ", ", list(axes), ")"), permute_dims(x.v, axes), x.size, x.exact);
}

void new_axis(Writer& w) {
  const Item x = w.any(0, 4);
  const int64_t axis = w.between(-x.rank() - 1, x.rank());
  w.add(cat("expand_dims(", x.name, ", ", axis, ")"), expand_dims(x.v, axis), x.size, x.exact);
}

void squeezed(Writer& w) {
  const Item x = w.any(1);
  std::vector<int64_t> axes;
  for (int i = 0; i < x.rank(); ++i)
    if (x.extents[static_cast<size_t>(i)] == 1) axes.push_back(i);
  if (!axes.empty()) w.add(cat("squeeze(", x.name, ", ", list(axes), ")"), squeeze(x.v, axes), x.size, x.exact);
}

void flipped(Writer& w) {
  const Item x = w.any(1);
  const int64_t axis = w.between(-x.rank(), x.rank() - 1);
  if (w.chance(0.3))
    w.add(cat("flip(", x.name, ")"), flip(x.v), x.size, x.exact);
  else
    w.add(cat("flip(", x.name, ", ", axis, ")"), flip(x.v, {.axis = axis}), x.size, x.exact);
}

void rolled(Writer& w) {
  const Item x = w.any(1);
  const int64_t axis = w.below(x.rank()), shift = w.between(-3, 3);
  w.add(cat("roll(", x.name, ", ", shift, ", ", axis, ")"), roll(x.v, shift, {.axis = axis}), x.size, x.exact);
}

void tiled(Writer& w) {
  const Item x = w.any(1, 3);
  std::vector<int64_t> times(static_cast<size_t>(x.rank()), 1);
  times[static_cast<size_t>(w.below(x.rank()))] = w.between(2, 3);
  w.add(cat("tile(", x.name, ", ", list(times), ")"), tile(x.v, times), x.size, x.exact);
}

void repeated(Writer& w) {
  const Item x = w.any(1, 3);
  const int64_t axis = w.below(x.rank()), times = w.between(1, 3);
  w.add(cat("repeat(", x.name, ", ", times, ", ", axis, ")"), repeat(x.v, times, {.axis = axis}), x.size, x.exact);
}

void joined(Writer& w) {
  const Item x = w.any(1, 4);
  const int64_t axis = w.between(-x.rank(), x.rank() - 1);
  Extents extents = x.extents;
  extents[static_cast<size_t>((axis + x.rank()) % x.rank())] = w.between(1, 3);
  const Item y = w.fresh(extents);
  if (w.chance(0.4))
    w.add(cat("concat({", x.name, ", ", y.name, ", ", x.name, "}, ", axis, ")"),
          concat({x.v, y.v, x.v}, {.axis = axis}), std::max(x.size, y.size));
  else
    w.add(cat("concat({", y.name, ", ", x.name, "}, ", axis, ")"), concat({y.v, x.v}, {.axis = axis}),
          std::max(x.size, y.size));
}

void stacked(Writer& w) {
  const Item x = w.any(0, 3), y = w.fresh(x.extents);
  const int64_t axis = w.between(0, x.rank());
  w.add(cat("stack({", x.name, ", ", y.name, "}, ", axis, ")"), stack({x.v, y.v}, {.axis = axis}),
        std::max(x.size, y.size));
}

void padded(Writer& w) {
  const Item x = w.any(1, 4);
  const char* const names[] = {"constant", "reflect", "edge", "wrap"};
  const auto mode = static_cast<PadKind>(w.below(4));
  std::vector<PadWidth> widths;
  std::string text;
  for (int64_t i = w.between(1, x.rank()); i > 0; --i) {
    const int64_t extent = x.extents[x.extents.size() - static_cast<size_t>(i)];
    const int64_t most = mode == PadKind::reflect ? std::min<int64_t>(2, extent - 1)
                         : mode == PadKind::wrap  ? std::min<int64_t>(2, extent)
                                                  : 2;
    const int64_t before = w.between(0, most), after = w.between(0, most);
    widths.push_back({before, after});
    text += cat(text.empty() ? "" : ", ", list({before, after}));
  }
  const double value = w.number(-1, 1);
  w.add(cat("pad(", x.name, ", {", text, "}, ", names[static_cast<size_t>(mode)], ", ", value, ")"),
        mode == PadKind::constant ? pad(x.v, widths, {.value = value}) : pad(x.v, widths, {.mode = mode}), x.size);
}

void broadcast(Writer& w) {
  const Item x = w.any(0, 3);
  Extents shape = x.extents;
  for (int64_t& d : shape)
    if (d == 1) d = w.between(1, 4);
  if (w.chance(0.5)) shape.insert(shape.begin(), w.between(1, 3));
  w.add(cat("broadcast_to(", x.name, ", ", list(shape), ")"), broadcast_to(x.v, shape), x.size, x.exact);
}

void moved(Writer& w) {
  const Item x = w.any(2);
  const int64_t from = w.between(-x.rank(), x.rank() - 1), to = w.below(x.rank());
  w.add(cat("moveaxis(", x.name, ", ", from, ", ", to, ")"), moveaxis(x.v, from, to), x.size, x.exact);
}

void parts(Writer& w) {
  const Item x = w.any(1, 4);
  const int64_t axis = w.below(x.rank()), extent = x.extents[static_cast<size_t>(axis)];
  if (extent < 2) return;
  const int64_t first = w.between(1, extent - 1);
  const std::vector<Var> both = split(x.v, {first, extent - first}, {.axis = axis});
  w.add(cat("split(", x.name, ", ", list({first, extent - first}), ", ", axis, ")[0]"), both[0], x.size, x.exact);
  w.add(cat("split(", x.name, ", ", list({first, extent - first}), ", ", axis, ")[1]"), both[1], x.size, x.exact);
}

void triangle(Writer& w) {
  const Item x = w.any(2, 4);
  const int64_t k = w.between(-2, 2);
  if (w.chance(0.5))
    w.add(cat("tril(", x.name, ", ", k, ")"), tril(x.v, {.k = k}), x.size);
  else
    w.add(cat("triu(", x.name, ", ", k, ")"), triu(x.v, {.k = k}), x.size);
}

constexpr Statement kMovementStatements[] = {reshaped, reshaped, flattened, permuted, permuted, new_axis,
                                             squeezed, flipped,  rolled,    tiled,    repeated, joined,
                                             stacked,  padded,   broadcast, moved,    parts,    triangle};

}  // namespace

std::span<const Statement> movement_statements() {
  return kMovementStatements;
}

}  // namespace tc::programs
