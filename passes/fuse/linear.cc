#include "tc/ir/eval/wide.h"
#include "tc/passes/fuse/fuse.h"

namespace tc {
namespace linear_patterns {
namespace {

constexpr Any x, y, c, bias;
constexpr As<MatMul, FusedMatMul> product;

constexpr const char* kShared = "the product has other users";
constexpr const char* kIntegers = "integers have no fused product";

bool has_floats(const Node& n) {
  return dtypes::floats.has(n.result(0)->dtype());
}

FusedMatMul::Attrs attrs_of(const Node& n) {
  return n.is<FusedMatMul>() ? n.attrs<FusedMatMul>() : FusedMatMul::Attrs{};
}

bool has_rank_2(const Value* v) {
  return v->shape().ranked() && v->shape().rank() >= 2;
}

// A product that may still get a scale or bias: nothing has been added, no activation.
const char* not_plain(Rewrite& r) {
  const Node& n = *r.node(product);
  if (!r.single_use(product)) return kShared;
  if (!has_floats(n)) return kIntegers;
  if (attrs_of(n).activation != Activation::none || n.operand(2) || n.operand(3)) return "the product has an epilogue";
  if (!has_rank_2(n.operand(0)) || !has_rank_2(n.operand(1))) return "an operand is a vector";
  return nullptr;
}

Patch gemm_is_matmul(Rewrite& r) {
  if (!has_floats(*r.root())) return r.miss(kIntegers);
  const auto& g = r.root_attrs<Gemm>();
  FusedMatMul::Attrs a;
  a.trans_a = g.trans_a;
  a.trans_b = g.trans_b;
  a.scale = g.alpha;
  Value* added = r[c];
  if (added && g.beta != 1) added = r.make<Mul>({added, r.scalar_like(added->dtype(), g.beta)});
  if (added && same_type(added, r.root()->result(0))) return r.make<FusedMatMul>({r[x], r[y], nullptr, added}, a);
  return r.make<FusedMatMul>({r[x], r[y], added}, a);
}

Patch scale_product(Rewrite& r, double factor) {
  if (const char* why = not_plain(r)) return r.miss(why);
  if (!same_type(r[product], r.root()->result(0))) return r.miss("the scale widens the shape");
  FusedMatMul::Attrs a = attrs_of(*r.node(product));
  a.scale *= factor;
  return r.make<FusedMatMul>({r.node(product)->operand(0), r.node(product)->operand(1)}, a);
}

// Does the transpose exchange the last two axes and nothing else?
bool swaps_last_axes(const Node& n) {
  const auto& perm = n.attrs<Transpose>().perm;
  const Shape& s = n.operand(0)->shape();
  if (perm.empty()) return s.ranked() && s.rank() == 2;
  const size_t rank = perm.size();
  if (rank < 2) return false;
  for (size_t i = 0; i + 2 < rank; ++i)
    if (perm[i] != static_cast<int64_t>(i)) return false;
  return perm[rank - 2] == static_cast<int64_t>(rank - 1);
}

Patch transpose_into_product(Rewrite& r) {
  const Node& n = *r.root();
  if (!has_floats(n)) return r.miss(kIntegers);
  FusedMatMul::Attrs a = attrs_of(n);
  std::vector<Value*> operands = n.operands();
  bool found = false;
  for (size_t i = 0; i < 2; ++i) {
    const Node* t = operands[i]->def_as<Transpose>();
    if (!t || t->graph() != n.graph() || !swaps_last_axes(*t) || !r.single_use(operands[i])) continue;
    if (!has_rank_2(operands[0]) || !has_rank_2(operands[1])) return r.miss("an operand is a vector");
    bool& flag = i == 0 ? a.trans_a : a.trans_b;
    flag = !flag;
    operands[i] = t->operand(0);
    found = true;
  }
  if (!found) return r.miss("");
  return r.make<FusedMatMul>(operands, a);
}

Patch add_product_bias(Rewrite& r) {
  if (const char* why = not_plain(r)) return r.miss(why);
  const Shape &s = r[bias]->shape(), &out = r[product]->shape();
  if (!broadcasts_into(s, out)) return r.miss("the addend may widen the shape");
  for (int i = 0; i + 1 < s.rank(); ++i)
    if (!s[i].is(1)) return r.miss("the addend is no vector along the last axis");
  if (s.rank() == 0 || !(s[s.rank() - 1] == out[out.rank() - 1]))
    return r.miss("the addend is no vector along the last axis");
  Value* vector = r[bias];
  if (s.rank() > 1) {
    if (!vector->constant()) return r.miss("the addend is no vector");
    vector = r.constant(vector->constant()->reshaped({vector->constant()->size()}));
  }
  return r.make<FusedMatMul>({r.node(product)->operand(0), r.node(product)->operand(1), vector},
                             attrs_of(*r.node(product)));
}

}  // namespace
}  // namespace linear_patterns

std::span<const Rule> linear_rules() {
  using namespace linear_patterns;
  static const Rule kRules[] = {
      {"gemm-is-matmul-with-bias", same_rounding, pat<Gemm>(x, y, maybe(c)), gemm_is_matmul},
      {"transpose-into-matmul", exact, pat<MatMul, FusedMatMul>(x, y, maybe(bias), maybe(c)), transpose_into_product},
      {"multiply-into-matmul-scale", same_rounding, pat<Mul>(product, scalar(c)),
       [](Rewrite& r) { return scale_product(r, r.number(c)); }},
      {"divide-into-matmul-scale", same_rounding, pat<Div>(product, scalar(c)),
       [](Rewrite& r) -> Patch {
         if (r.number(c) == 0) return r.miss("division by zero");
         return scale_product(r, 1 / r.number(c));
       }},
      {"add-into-matmul-bias", same_rounding, pat<Add>(product, bias), add_product_bias},
  };
  return kRules;
}

}  // namespace tc
