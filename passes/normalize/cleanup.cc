#include <algorithm>
#include <numeric>

#include "tc/passes/normalize/normalize.h"

namespace tc {
namespace cleanup_patterns {
namespace {

constexpr Any x, a, b, axes, s, steps, pads;
constexpr As<Transpose> inner_transpose;
constexpr As<Cast> inner_cast;
constexpr As<Concat, Max, Min, Sum, Mean> any_operands;

Patch forward(Rewrite& r) {
  return r.same(r[x]);
}

// For ops that cannot change anything but the shape or the element type.
Patch forward_if_same_type(Rewrite& r) {
  if (!same_type(r[x], r.root()->result(0))) return r.miss("the type changes, or may");
  return r[x];
}

Patch drop_transpose(Rewrite& r) {
  const auto& perm = r.root_attrs<Transpose>().perm;
  const Shape& shape = r[x]->shape();
  if (perm.empty() && !(shape.ranked() && shape.rank() <= 1)) return r.miss("the axes are reversed");
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != static_cast<int64_t>(i)) return r.miss("the axes move");
  return r.same(r[x]);
}

std::vector<int64_t> full_perm(const std::vector<int64_t>& perm, int rank) {
  if (!perm.empty()) return perm;
  std::vector<int64_t> reversed(static_cast<size_t>(rank));
  std::iota(reversed.rbegin(), reversed.rend(), int64_t{0});
  return reversed;
}

Patch merge_transposes(Rewrite& r) {
  const Shape& shape = r[x]->shape();
  if (!shape.ranked()) return r.miss("unknown rank");
  const auto first = full_perm(r.attrs(inner_transpose).perm, shape.rank());
  std::vector<int64_t> perm;
  for (int64_t axis : full_perm(r.root_attrs<Transpose>().perm, shape.rank()))
    perm.push_back(first[static_cast<size_t>(axis)]);
  return r.make<Transpose>({r[x]}, {std::move(perm)});
}

// Two conversions come back to the type of x, the one between holds all its values.
Patch drop_round_trip_cast(Rewrite& r) {
  const DType from = r[x]->dtype(), between = r.attrs(inner_cast).to, to = r.root_attrs<Cast>().to;
  if (from != to) return r.miss("the type changes");
  auto digits = [](DType t) {
    switch (t) {
      case DType::bf16:
        return 8;
      case DType::f16:
        return 11;
      case DType::f32:
        return 24;
      case DType::f64:
        return 53;
      default:
        return 0;
    }
  };
  const bool floats = digits(from) && digits(between) >= 24 && digits(between) >= digits(from);
  const bool ints = kind(from) == DTypeKind::signed_int && kind(between) == DTypeKind::signed_int &&
                    info(between).bits >= info(from).bits;
  const bool boolean = from == DType::boolean && between != DType::str;
  if (!floats && !ints && !boolean) return r.miss("the type between may lose values");
  return r.same(r[x]);
}

Patch drop_slice(Rewrite& r) {
  if (!same_type(r[x], r.root()->result(0))) return r.miss("the type changes, or may");
  if (r[steps]) {
    const auto known = r.ints(r[steps]);
    if (!known || std::any_of(known->begin(), known->end(), [](int64_t v) { return v != 1; }))
      return r.miss("steps may not be 1");
  }
  return r.same(r[x]);
}

Patch drop_pad(Rewrite& r) {
  const auto known = r.ints(r[pads]);
  if (!known) return r.miss("unknown pads");
  if (std::any_of(known->begin(), known->end(), [](int64_t v) { return v != 0; })) return r.miss("something is padded");
  return r.same(r[x]);
}

Patch drop_dropout(Rewrite& r) {
  const Node& n = *r.root();
  if (n.num_results() > 1 && !n.result(1)->unused()) return r.miss("the mask is used");
  if (const Value* training = n.operand(2); training && !(training->constant() && is_uniform(*training->constant(), 0)))
    return r.miss("may be training");
  return r.same(r[x]);
}

// A target that depends on data may turn out not to fit, and the node is what says so.
Patch drop_expand(Rewrite& r) {
  if (!r[s]->contents() && !r[s]->constant()) return r.miss("the target shape depends on data");
  return forward_if_same_type(r);
}

// What has the result's shape anyway says how far the other operand is repeated.
template <class Op, bool kFirst>
Patch drop_expand_of_operand(Rewrite& r) {
  if (!r[s]->contents() && !r[s]->constant()) return r.miss("the target shape depends on data");
  if (!same_type(r[a], r.root()->result(0))) return r.miss("the other operand is repeated, too, or may be");
  return kFirst ? r.make<Op>({r[x], r[a]}) : r.make<Op>({r[a], r[x]});
}

// The outer one alone says the result's shape, unless a 0 in it copies an extent of the inner result.
Patch merge_reshapes(Rewrite& r) {
  const auto target = r.ints(r[s]);
  if (!target || std::find(target->begin(), target->end(), 0) != target->end())
    return r.miss("the shape may copy an extent");
  return r.make<Reshape>({r[x], r[s]}, r.root_attrs<Reshape>());
}

Patch only_operand(Rewrite& r) {
  if (r.root()->num_operands() != 1) return r.miss("");
  return r.same(r.root()->operand(0));
}

}  // namespace
}  // namespace cleanup_patterns

std::span<const Rule> cleanup_rules() {
  using namespace cleanup_patterns;
  static const Rule kRules[] = {
      {"identity-is-its-operand", exact, pat<Identity, StopGradient>(x), forward},
      {"cast-to-same-type", exact, pat<Cast>(x), forward_if_same_type},
      {"cast-there-and-back", exact, pat<Cast>(inner_cast(x)), drop_round_trip_cast},
      {"reshape-to-same-shape", exact, pat<Reshape>(x, s), forward_if_same_type},
      {"flatten-of-matrix", exact, pat<Flatten>(x), forward_if_same_type},
      {"squeeze-of-nothing", exact, pat<Squeeze>(x, maybe(axes)), forward_if_same_type},
      {"unsqueeze-of-nothing", exact, pat<Unsqueeze>(x, axes), forward_if_same_type},
      {"expand-to-same-shape", exact, pat<Expand>(x, s), drop_expand},
      {"add-of-expanded", exact, pat<Add>(pat<Expand>(x, s), a), drop_expand_of_operand<Add, true>},
      {"multiply-by-expanded", exact, pat<Mul>(pat<Expand>(x, s), a), drop_expand_of_operand<Mul, true>},
      {"subtract-from-expanded", exact, pat<Sub>(pat<Expand>(x, s), a), drop_expand_of_operand<Sub, true>},
      {"subtract-expanded", exact, pat<Sub>(a, pat<Expand>(x, s)), drop_expand_of_operand<Sub, false>},
      {"tile-once", exact, pat<Tile>(x, s), forward_if_same_type},
      {"slice-of-everything", exact, pat<Slice>(x, a, b, maybe(axes), maybe(steps)), drop_slice},
      {"pad-by-nothing", exact, pat<Pad>(x, pads, maybe(a), maybe(axes)), drop_pad},
      {"transpose-in-order", exact, pat<Transpose>(x), drop_transpose},
      {"merge-transposes", exact, pat<Transpose>(inner_transpose(x)), merge_transposes},
      {"merge-reshapes", exact, pat<Reshape>(pat<Reshape, Flatten, Squeeze, Unsqueeze>(x, maybe(a)), s),
       merge_reshapes},
      {"reshape-there-and-back", exact,
       pat<Reshape, Flatten, Squeeze, Unsqueeze>(pat<Reshape, Flatten, Squeeze, Unsqueeze>(x, maybe(a)), maybe(b)),
       forward_if_same_type},
      {"dropout-outside-training", exact, pat<Dropout>(x, maybe(a), maybe(b)), drop_dropout},
      {"one-operand-is-itself", exact, any_operands, only_operand},
      {"add-zero", exact, pat<Add>(x, -0.0), forward},  // -0 + 0 is 0
      {"subtract-zero", exact, pat<Sub>(x, 0), forward},
      {"multiply-by-one", exact, pat<Mul>(x, 1), forward},
      {"divide-by-one", exact, pat<Div>(x, 1), forward},
      {"power-of-one", exact, pat<Pow>(x, 1), forward},
      {"clip-without-bounds", exact, pat<Clip>(x), forward},
  };
  return kRules;
}

}  // namespace tc
