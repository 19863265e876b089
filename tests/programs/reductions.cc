#include <algorithm>
#include <cmath>

#include "writer.h"

namespace tc::programs {
namespace {

struct Over {
  std::vector<int64_t> axes;  // empty: all
  int64_t count = 1;          // elements that become one
  std::string text;
  Axes argument() const { return axes.empty() ? Axes() : Axes(axes); }
};

Over random_axes(Writer& w, const Item& x) {
  Over over;
  for (int i = 0; i < x.rank(); ++i)
    if (w.chance(0.5)) over.axes.push_back(w.chance(0.3) ? i - x.rank() : i);
  for (int i = 0; i < x.rank(); ++i)
    if (over.axes.empty() ||
        std::any_of(over.axes.begin(), over.axes.end(), [&](int64_t a) { return (a + x.rank()) % x.rank() == i; }))
      over.count *= x.extents[static_cast<size_t>(i)];
  over.text = list(over.axes);
  return over;
}

struct Reduction {
  const char* name;
  Var (*apply)(const Var& x, const Axes& axes, bool keep);
};

#define TC_REDUCTION(function)                                                                                         \
  {                                                                                                                    \
#function, [](const Var& x, const Axes& axes, bool keep) { return function(x, {.axis = axes, .keepdims = keep}); } \
  }
constexpr Reduction kReductions[] = {TC_REDUCTION(sum), TC_REDUCTION(mean), TC_REDUCTION(max), TC_REDUCTION(min)};
constexpr Reduction kLogSum[] = {TC_REDUCTION(logsumexp)};
constexpr Reduction kSpreads[] = {TC_REDUCTION(var), TC_REDUCTION(std)};
constexpr Reduction kProduct[] = {TC_REDUCTION(prod)};
#undef TC_REDUCTION

void apply(Writer& w, const Reduction& r, const Item& x, const Over& over, double size) {
  const bool keep = w.chance(0.5);
  w.add(cat(r.name, "(", x.name, ", axes ", over.text, keep ? ", keepdims)" : ")"), r.apply(x.v, over.argument(), keep),
        size);
}

void plain(Writer& w) {
  const Item x = w.any(1);
  const Over over = random_axes(w, x);
  const int64_t k = w.below(4);
  apply(w, kReductions[k], x, over, k == 0 ? x.size * std::sqrt(static_cast<double>(over.count)) : x.size);
}

void log_sum(Writer& w) {
  const Item x = w.bounded(w.any(1), 8);
  const Over over = random_axes(w, x);
  apply(w, kLogSum[0], x, over, x.size + 2);
}

// Of few elements these are nearly 0, where the gradient of a root is not smooth.
void spread(Writer& w) {
  const Item x = w.fresh(w.random_extents(static_cast<int>(w.between(1, 3))));
  const Over over = random_axes(w, x);
  const int64_t k = over.count < 3 ? 0 : w.below(2);
  apply(w, kSpreads[k], x, over, x.size);
}

void product(Writer& w) {
  const Item x = w.unit(w.any(1, 3));
  const Over over = random_axes(w, x);
  apply(w, kProduct[0], x, over, 1);
}

void norm(Writer& w) {
  const Item x = w.positive(w.any(1));
  const Over over = random_axes(w, x);
  const double ord = w.chance(0.5) ? 2 : 1;
  w.add(cat("vector_norm(", x.name, ", axes ", over.text, ", ord ", ord, ")"),
        linalg::vector_norm(x.v, {.axis = over.argument(), .ord = ord}),
        x.size * (ord == 1 ? static_cast<double>(over.count) : std::sqrt(static_cast<double>(over.count))));
}

void cumulative(Writer& w) {
  const Item x = w.any(1);
  const int64_t axis = w.below(x.rank());
  const bool initial = w.chance(0.2);
  const auto n = static_cast<double>(x.extents[static_cast<size_t>(axis)]);
  if (w.chance(0.3)) {
    const Item u = w.unit(x);
    w.add(cat("cumulative_prod(", u.name, ", ", axis, ")"), cumulative_prod(u.v, {.axis = axis}), 1);
    return;
  }
  w.add(cat("cumulative_sum(", x.name, ", ", axis, initial ? ", include_initial)" : ")"),
        cumulative_sum(x.v, {.axis = axis, .include_initial = initial}), x.size * std::sqrt(n));
}

void differences(Writer& w) {
  const Item x = w.any(1);
  const int64_t axis = w.below(x.rank());
  if (x.extents[static_cast<size_t>(axis)] < 2) return;
  w.add(cat("diff(", x.name, ", ", axis, ")"), diff(x.v, {.axis = axis}), x.size * 2);
}

constexpr Statement kReductionsStatements[] = {plain,   plain, plain,      log_sum,    spread,
                                               product, norm,  cumulative, cumulative, differences};

}  // namespace

std::span<const Statement> reduction_statements() {
  return kReductionsStatements;
}

}  // namespace tc::programs
