#include <algorithm>
#include <cmath>
#include <limits>

#include "tc/passes/normalize/normalize.h"

namespace tc {
namespace canonical_patterns {
namespace {

constexpr Any x, y, low, high, low2, high2;
constexpr As<Relu> relu;
constexpr As<Clip> clip;

// A bound of any rank with one element, as the scalar that Clip takes.
Value* as_scalar(Rewrite& r, const Any& c) {
  const Tensor& t = r.tensor(c);
  return t.rank() == 0 ? r[c] : r.constant(t.reshaped({}));
}

Patch max_zero_is_relu(Rewrite& r) {
  if (!dtypes::floats.has(r[x]->dtype()) && !dtypes::signed_ints.has(r[x]->dtype()))
    return r.miss("relu takes floats and signed integers");
  return r.make<Relu>({r[x]});
}

Patch min_max_is_clip(Rewrite& r) {
  if (!(r.number(low) <= r.number(high))) return r.miss("the bounds cross");
  if (!same_type(r[x], r.root()->result(0))) return r.miss("a bound widens the shape");
  return r.make<Clip>({r[x], as_scalar(r, low), as_scalar(r, high)});
}

// Bounds of a Clip when they are constants; infinite where absent.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity(), high = -low;
};
std::optional<Bounds> bounds_of(const Node& n) {
  Bounds result;
  for (int i = 1; i <= 2; ++i) {
    const Value* v = n.operand(i);
    if (!v) continue;
    if (!v->constant() || v->constant()->size() != 1) return std::nullopt;
    (i == 1 ? result.low : result.high) = scalar_f64(*v->constant());
  }
  return result;
}

Value* make_clip(Rewrite& r, Value* v, const Bounds& b) {
  Value* lo = std::isinf(b.low) ? nullptr : r.scalar_like(v->dtype(), b.low);
  Value* hi = std::isinf(b.high) ? nullptr : r.scalar_like(v->dtype(), b.high);
  return r.make<Clip>({v, lo, hi});
}

Patch clip_at_zero_is_relu(Rewrite& r) {
  if (!dtypes::floats.has(r[x]->dtype()) && !dtypes::signed_ints.has(r[x]->dtype()))
    return r.miss("relu takes floats and signed integers");
  const auto b = bounds_of(*r.root());
  if (!b || b->low != 0 || !std::isinf(b->high)) return r.miss("other bounds");
  return r.make<Relu>({r[x]});
}

Patch merge_clips(Rewrite& r) {
  if (!dtypes::floats.has(r[x]->dtype())) return r.miss("integers");
  const auto outer = bounds_of(*r.root()), inner = bounds_of(*r.node(clip));
  if (!outer || !inner) return r.miss("bounds are not constants");
  if (!(inner->low <= inner->high) || !(outer->low <= outer->high)) return r.miss("the bounds cross");
  const Bounds both{std::clamp(inner->low, outer->low, outer->high), std::clamp(inner->high, outer->low, outer->high)};
  return make_clip(r, r[x], both);
}

Patch clip_of_relu(Rewrite& r) {
  if (!dtypes::floats.has(r[x]->dtype())) return r.miss("integers");
  const auto b = bounds_of(*r.root());
  if (!b) return r.miss("bounds are not constants");
  if (!(std::max(b->low, 0.0) <= b->high)) return r.miss("nothing is left between the bounds");
  return make_clip(r, r[x], {std::max(b->low, 0.0), b->high});
}

// Whether no element is negative or -0, by the few ops that lead to roots of mean squares and of variances, from so
// many definitions.
bool is_nonnegative(const Value* v, int depth = 4) {
  if (const Tensor* c = v->constant()) return c->size() == 1 && scalar_f64(*c) > 0;
  const Node* n = v->def();
  if (!n || depth == 0) return false;
  const auto operand_is = [&](int i) { return is_nonnegative(n->operand(i), depth - 1); };
  switch (n->op()) {
    case OpId::Abs:
    case OpId::Exp:
    case OpId::ReduceSumSquare:
      return true;
    case OpId::Mul:
      return n->operand(0) == n->operand(1) || (operand_is(0) && operand_is(1));
    case OpId::Add:
      return operand_is(0) && operand_is(1);
    case OpId::Pow: {
      const Tensor* power = n->operand(1)->constant();
      return power && power->size() == 1 && scalar_f64(*power) == 2;
    }
    case OpId::ReduceMean:
    case OpId::ReduceSum:
      return operand_is(0);
    default:
      return false;
  }
}

// x^0.5 or its inverse: by the square root, but for -infinity, whose power is infinity, and -0, whose power is 0.
Patch root_of(Rewrite& r, bool inverse) {
  const DType t = r[x]->dtype();
  if (!dtypes::floats.has(t)) return r.miss("integers");
  const bool plain = is_nonnegative(r[x]);
  if (!plain && t != DType::f32 && t != DType::f64) return r.miss("no test for infinities of this type");
  Value* root = r.make<Sqrt>({r[x]});
  if (!plain) {
    Value* infinity = r.scalar_like(t, std::numeric_limits<double>::infinity());
    root = r.make<Where>({r.make<IsInf>({r[x]}), infinity, r.make<Abs>({root})});
  }
  return inverse ? r.make<Reciprocal>({root}) : root;
}

}  // namespace
}  // namespace canonical_patterns

std::span<const Rule> canonical_rules() {
  using namespace canonical_patterns;
  static const Rule kRules[] = {
      {"max-zero-is-relu", exact, pat<Max>(x, 0), max_zero_is_relu},
      {"min-of-max-is-clip", exact, pat<Min>(pat<Max>(x, scalar(low)), scalar(high)), min_max_is_clip},
      {"max-of-min-is-clip", exact, pat<Max>(pat<Min>(x, scalar(high)), scalar(low)), min_max_is_clip},
      {"clip-at-zero-is-relu", exact, pat<Clip>(x, 0, maybe(high)), clip_at_zero_is_relu},
      {"merge-clips", exact, pat<Clip>(clip(x, maybe(low), maybe(high)), maybe(low2), maybe(high2)), merge_clips},
      {"clip-of-relu", exact, pat<Clip>(pat<Relu>(x), maybe(low), maybe(high)), clip_of_relu},
      {"relu-of-clip", exact, pat<Relu>(clip(x, maybe(low), maybe(high))),
       [](Rewrite& r) -> Patch {
         if (!dtypes::floats.has(r[x]->dtype())) return r.miss("integers");
         const auto b = bounds_of(*r.node(clip));
         if (!b || !(b->low <= b->high)) return r.miss("bounds are not constants in order");
         return make_clip(r, r[x], {std::max(b->low, 0.0), std::max(b->high, 0.0)});
       }},
      {"relu-of-relu", exact, pat<Relu>(relu(x)), [](Rewrite& r) -> Patch { return r.same(r[relu]); }},
      {"sum-of-two-is-add", same_rounding, pat<Sum>(x, y),
       [](Rewrite& r) -> Patch {
         return r.make<Add>({r[x], r[y]});
       }},
      {"multiply-by-minus-one", exact, pat<Mul>(x, -1),
       [](Rewrite& r) -> Patch {
         if (kind(r[x]->dtype()) == DTypeKind::unsigned_int) return r.miss("unsigned");
         return r.make<Neg>({r[x]});
       }},
      {"subtract-from-zero", exact, pat<Sub>(-0.0, x),  // 0 - 0 is 0
       [](Rewrite& r) -> Patch {
         if (kind(r[x]->dtype()) == DTypeKind::unsigned_int) return r.miss("unsigned");
         return r.make<Neg>({r[x]});
       }},
      {"square-is-a-product", same_rounding, pat<Pow>(x, 2),
       [](Rewrite& r) -> Patch {
         return r.make<Mul>({r[x], r[x]});
       }},
      {"cube-is-a-product", same_rounding, pat<Pow>(x, 3),
       [](Rewrite& r) -> Patch {
         return r.make<Mul>({r.make<Mul>({r[x], r[x]}), r[x]});
       }},
      {"power-of-minus-one-is-reciprocal", same_rounding, pat<Pow>(x, -1),
       [](Rewrite& r) -> Patch {
         if (!dtypes::floats.has(r[x]->dtype())) return r.miss("integers");
         return r.make<Reciprocal>({r[x]});
       }},
      {"power-of-half-is-square-root", same_rounding, pat<Pow>(x, 0.5),
       [](Rewrite& r) -> Patch { return root_of(r, false); }},
      {"power-of-minus-half-is-reciprocal-of-root", same_rounding, pat<Pow>(x, -0.5),
       [](Rewrite& r) -> Patch { return root_of(r, true); }},
      {"neg-of-neg", exact, pat<Neg>(pat<Neg>(x)), [](Rewrite& r) -> Patch { return r.same(r[x]); }},
  };
  return kRules;
}

}  // namespace tc
