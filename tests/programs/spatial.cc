#include <cmath>

#include "writer.h"

namespace tc::programs {
namespace {

// [batch, channels, spatial...]: a value of the program, or a new one.
Item image(Writer& w, int spatial) {
  const Item x = w.any(spatial + 2, spatial + 2);
  for (size_t i = 2; i < x.extents.size(); ++i)
    if (x.extents[i] < 3) {
      Extents extents{w.between(1, 2), w.between(1, 4)};
      for (int k = 0; k < spatial; ++k) extents.push_back(w.between(3, 8));
      return w.fresh(extents);
    }
  return x;
}

std::vector<int64_t> each(Writer& w, int n, int64_t low, int64_t high) {
  std::vector<int64_t> list;
  for (int i = 0; i < n; ++i) list.push_back(w.between(low, high));
  return list;
}

struct NamedPadding {
  Padding padding;
  std::string text;
};
NamedPadding random_padding(Writer& w, int spatial) {
  static const std::vector<std::pair<Padding::Rule, const char*>> kRules = {{Padding::valid, "valid"},
                                                                            {Padding::same_upper, "same_upper"},
                                                                            {Padding::same_lower, "same_lower"},
                                                                            {Padding::full, "full"},
                                                                            {Padding::half, "half"}};
  if (w.chance(0.3)) {
    const std::vector<int64_t> extents = each(w, 2 * spatial, 0, 1);
    return {Padding(extents), list(extents)};
  }
  const auto& [rule, text] = w.one_of(kRules);
  return {Padding(rule), text};
}

void convolved(Writer& w) {
  const int spatial = w.chance(0.4) ? 1 : 2;
  const Item x = image(w, spatial);
  const int64_t channels = x.extents[1], groups = w.chance(0.2) ? channels : 1, out = groups * w.between(1, 4);
  ConvOptions o;
  const bool dilated = w.chance(0.2);
  if (!dilated && w.chance(0.4)) o.strides = each(w, spatial, 1, 2);
  const NamedPadding p = random_padding(w, spatial);
  o.padding = p.padding, o.groups = groups, o.flip_kernel = w.chance(0.15);
  Extents kernel{out, channels / groups};
  for (const int64_t k : each(w, spatial, 1, dilated ? 2 : 3)) kernel.push_back(k);
  if (dilated) o.dilations = std::vector<int64_t>(static_cast<size_t>(spatial), 2);
  const Item k = w.kernel(kernel);
  const double size = x.size * std::sqrt(static_cast<double>(k.count() / out));
  const auto axes = static_cast<size_t>(spatial);
  const std::string options = cat("strides ", list(o.strides.of(axes)), ", dilations ", list(o.dilations.of(axes)),
                                  ", padding ", p.text, ", groups ", groups, o.flip_kernel ? ", flip_kernel)" : ")");
  if (w.chance(0.5)) {
    const Item b = w.fresh({out});
    w.add(cat("conv(", x.name, ", ", k.name, ", ", b.name, ", ", options), conv(x.v, k.v, b.v, o), size + 2);
  } else {
    w.add(cat("conv(", x.name, ", ", k.name, ", ", options), conv(x.v, k.v, o), size);
  }
}

void convolved_back(Writer& w) {
  const int spatial = w.chance(0.5) ? 1 : 2;
  const Item x = image(w, spatial);
  Extents kernel{x.extents[1], w.between(1, 3)};
  for (const int64_t k : each(w, spatial, 1, 3)) kernel.push_back(k);
  const Item k = w.kernel(kernel);
  ConvTransposeOptions o;
  o.strides = each(w, spatial, 1, 2);
  w.add(
      cat("conv_transpose(", x.name, ", ", k.name, ", strides ", list(o.strides.of(static_cast<size_t>(spatial))), ")"),
      conv_transpose(x.v, k.v, o), x.size * std::sqrt(static_cast<double>(k.count())));
}

void pooled(Writer& w) {
  const int spatial = w.chance(0.3) ? 1 : 2;
  const Item x = image(w, spatial);
  const std::vector<int64_t> kernel = each(w, spatial, 1, 3), strides = each(w, spatial, 1, 2);
  const bool same = w.chance(0.3);
  const Padding padding = same ? Padding::same_upper : Padding::valid;
  const std::string options =
      cat(list(kernel), ", strides ", list(strides), same ? ", padding same_upper)" : ", padding valid)");
  if (w.chance(0.5))
    w.add(cat("max_pool(", x.name, ", ", options), max_pool(x.v, kernel, {.strides = strides, .padding = padding}),
          x.size);
  else
    w.add(cat("average_pool(", x.name, ", ", options),
          average_pool(x.v, kernel, {.strides = strides, .padding = padding}), x.size);
}

void pooled_whole(Writer& w) {
  const Item x = image(w, 2);
  if (w.chance(0.5))
    w.add(cat("global_average_pool(", x.name, ")"), global_average_pool(x.v), x.size);
  else
    w.add(cat("global_max_pool(", x.name, ")"), global_max_pool(x.v), x.size);
}

constexpr Statement kSpatialStatements[] = {convolved, convolved, convolved, convolved_back, pooled, pooled_whole};

}  // namespace

std::span<const Statement> spatial_statements() {
  return kSpatialStatements;
}

}  // namespace tc::programs
