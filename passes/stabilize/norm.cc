#include "tc/ir/eval/wide.h"
#include "tc/passes/stabilize/stabilize.h"

namespace tc {
namespace norm_patterns {
namespace {

constexpr Any x, axes, eps, gamma, beta, extents, shape;
constexpr As<ReduceMean> mean;
constexpr As<LayerNormalization> layer_norm;
constexpr As<Reshape> grouped;
constexpr As<InstanceNormalization> instance_norm;

// The reduction keeps its axis and runs along the last one only.
bool over_last_axis(Rewrite& r) {
  if (!r.attrs(mean).keepdims) return false;
  const auto known = r.ints(r[axes]);
  const Shape& s = r[x]->shape();
  if (!known || known->size() != 1 || !s.ranked()) return false;
  return known->front() == -1 || known->front() == s.rank() - 1;
}

// One factor or addend per element of the last axis.
bool along_last_axis(const Value* v, const Shape& s) {
  const Shape& own = v->shape();
  return s.rank() > 0 && own.ranked() && own.rank() == 1 && own[0] == s[s.rank() - 1];
}

// x / sqrt(mean(x^2) + eps) * gamma
Patch make_rms_norm(Rewrite& r) {
  if (!over_last_axis(r)) return r.miss("the mean does not run along the last axis alone");
  if (!along_last_axis(r[gamma], r[x]->shape())) return r.miss("the scale is no vector along the last axis");
  return r.make<RMSNormalization>({r[x], r[gamma]}, {.axis = -1, .epsilon = r.number(eps)});
}

// rms_norm(x - mean(x)) is the layer norm of x.
Patch make_layer_norm(Rewrite& r) {
  if (!over_last_axis(r)) return r.miss("the mean does not run along the last axis alone");
  const auto& a = r.root_attrs<RMSNormalization>();
  if (a.axis != -1 && a.axis != r[x]->shape().rank() - 1)
    return r.miss("the norm does not run along the last axis alone");
  return r.make<LayerNormalization>({r[x], r[gamma]}, a);
}

Patch add_layer_norm_bias(Rewrite& r) {
  if (!r.single_use(layer_norm)) return r.miss("the norm has other users");
  const auto& a = r.attrs(layer_norm);
  if (a.axis != -1 && a.axis != r[x]->shape().rank() - 1)
    return r.miss("the norm does not run along the last axis alone");
  if (!along_last_axis(r[beta], r[x]->shape())) return r.miss("the bias is no vector along the last axis");
  return r.make<LayerNormalization>({r[x], r[gamma], r[beta]}, a);
}

// Before opset 18 there is no norm of groups: exporters make each a channel, and the parameters of channels follow.
Patch make_group_norm(Rewrite& r) {
  const Shape &whole = r[x]->shape(), &parts = r[grouped]->shape();
  if (!r.single_use(instance_norm)) return r.miss("the norm has other users");
  if (!whole.ranked() || whole.rank() < 3 || !same_type(r[x], r.root()->result(0))) return r.miss("the shape changes");
  if (!parts.ranked() || !(whole[0] == parts[0]) || !whole[1].is_const() || !parts[1].is_const())
    return r.miss("unknown groups");
  const int64_t channels = whole[1].value(), groups = parts[1].value();
  if (groups == 0 || channels % groups != 0) return r.miss("a group has no whole number of channels");
  const auto per_channel = [&](const Any& of_groups) {
    const auto values = widen<double>(r.tensor(of_groups));
    std::vector<double> repeated;
    for (int64_t c = 0; c < channels; ++c) repeated.push_back(values[static_cast<size_t>(c / (channels / groups))]);
    Tensor t(r[of_groups]->dtype(), {channels});
    narrow(repeated, t);
    return r.constant(t);
  };
  return r.make<GroupNormalization>({r[x], per_channel(gamma), per_channel(beta)},
                                    {.num_groups = groups, .epsilon = r.attrs(instance_norm).epsilon});
}

std::vector<Rule> make_table() {
  constexpr Exactness close = approximate(1e-5);
  std::vector<Rule> rules{
      {"rms-norm-of-centred-is-layer-norm", close, pat<RMSNormalization>(pat<Sub>(x, mean(x, axes)), gamma),
       make_layer_norm},
      {"add-into-layer-norm-bias", same_rounding, pat<Add>(layer_norm(x, gamma), beta), add_layer_norm_bias},
      {"instance-norm-of-groups-is-group-norm", reassociates,
       pat<Reshape>(instance_norm(grouped(x, extents), constant(gamma), constant(beta)), shape), make_group_norm},
  };
  for (const Pattern& square : {Pattern(pat<Pow>(x, 2)), Pattern(pat<Mul>(x, x))}) {
    const Pattern root = pat<Sqrt>(pat<Add>(mean(square, axes), scalar(eps)));
    for (const Pattern& normal : {Pattern(pat<Div>(x, root)), Pattern(pat<Mul>(x, pat<Reciprocal>(root))),
                                  Pattern(pat<Mul>(x, pat<Div>(1, root)))})
      rules.push_back({"scale-by-root-mean-square-is-rms-norm", close, pat<Mul>(normal, gamma), make_rms_norm});
  }
  return rules;
}

}  // namespace
}  // namespace norm_patterns

std::span<const Rule> norm_rules() {
  using namespace norm_patterns;
  static const std::vector<Rule> kRules = make_table();
  return kRules;
}

}  // namespace tc
