// Attributes by their kind and, where values must fit the operand, by their name.
#include <algorithm>

#include "writer.h"

namespace tc::fuzz {
namespace {

AttrValue integers(std::vector<int64_t> v) {
  return v;
}

}  // namespace

std::optional<AttrValue> Writer::attribute(const FieldInfo& field, const Value* x) {
  const int r = x && x->type().is_tensor() ? rank(x) : 0, spatial = std::max(r - 2, 0);
  const auto several = [&](int n, int64_t low, int64_t high) {
    std::vector<int64_t> list;
    for (int i = 0; i < n; ++i) list.push_back(between(low, high));
    return integers(list);
  };
  if (field.name == "axis" && field.kind == AttrKind::integer) {
    if (random_.chance(4) && !field.required) return std::nullopt;
    return AttrValue(r ? between(-r, r - 1) : int64_t{0});
  }
  if (field.name == "perm") {
    std::vector<int64_t> order;
    for (int i = 0; i < r; ++i) order.insert(order.begin() + between(0, i), i);
    return random_.chance(4) ? std::nullopt : std::optional(integers(order));
  }
  if (field.name == "kernel_shape") return field.required ? std::optional(several(spatial, 1, 3)) : std::nullopt;
  if (field.name == "strides" || field.name == "dilations")
    return random_.chance(2) ? std::nullopt : std::optional(several(spatial, 1, 2));
  if (field.name == "pads") return random_.chance(2) ? std::nullopt : std::optional(several(2 * spatial, 0, 1));
  if (field.name == "pooled_shape") return several(2, 1, 2);
  if (field.name == "num_groups" || field.name == "blocksize") return AttrValue(between(1, 2));
  if (field.name == "group" || field.name == "offset_group" || field.name == "storage_order" ||
      field.name == "epsilon" || field.name == "hidden_size" || field.name == "num_outputs")
    return std::nullopt;
  switch (field.kind) {
    case AttrKind::boolean:
      return random_.chance(2) ? std::nullopt : std::optional(AttrValue(random_.chance(2)));
    case AttrKind::integer:
      if (random_.chance(2) && !field.required) return std::nullopt;
      return AttrValue(between(-1, 3));
    case AttrKind::real: {
      static const std::vector<double> kReals = {0.1, 0.5, 1, 2, -0.5, 0};
      return random_.chance(2) ? std::nullopt : std::optional(AttrValue(one_of(kReals)));
    }
    case AttrKind::enumeration:
      if (random_.chance(3) || field.enumerators.empty()) return std::nullopt;
      return AttrValue(std::string(field.enumerators[random_.below(field.enumerators.size())]));
    case AttrKind::dtype:
      if (field.optional && random_.chance(2)) return std::nullopt;
      return AttrValue(random_type(dtypes::numeric | DType::boolean));
    default:
      return std::nullopt;
  }
}

std::shared_ptr<void> Writer::attributes(const OpInfo& op, const Value* x) {
  std::shared_ptr<void> attrs = op.attrs.make();
  for (size_t i = 0; i < op.attrs.fields.size(); ++i)
    if (const auto value = attribute(op.attrs.fields[i], x)) op.attrs.set(attrs.get(), i, *value);
  return attrs;
}

}  // namespace tc::fuzz
