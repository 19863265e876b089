#include <algorithm>
#include <type_traits>

#include "tc/ir/eval/wide.h"
#include "tc/passes/fuse/fuse.h"

namespace tc {
namespace linear_patterns {
namespace {

constexpr Any x, y, c, bias;
constexpr As<MatMul, FusedMatMul> product;
constexpr As<Cast> converted;
constexpr As<FusedMatMulInteger, FusedConvInteger> sums;

constexpr const char* kShared = "the product has other users";
constexpr const char* kIntegers = "integers have no fused product";
constexpr const char* kInF32 = "kernels scale in f32";

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

// The value as one element per column of `out`; null when it is not that.
Value* as_row(Rewrite& r, Value* v, const Shape& out) {
  const Shape& s = v->shape();
  if (!broadcasts_into(s, out) || s.rank() == 0 || !(s[s.rank() - 1] == out[out.rank() - 1])) return nullptr;
  for (int i = 0; i + 1 < s.rank(); ++i)
    if (!s[i].is(1)) return nullptr;
  if (s.rank() == 1) return v;
  return v->constant() ? r.constant(v->constant()->reshaped({v->constant()->size()})) : nullptr;
}

Patch add_product_bias(Rewrite& r) {
  if (const char* why = not_plain(r)) return r.miss(why);
  Value* vector = as_row(r, r[bias], r[product]->shape());
  if (!vector) return r.miss("the addend is no vector along the last axis");
  return r.make<FusedMatMul>({r.node(product)->operand(0), r.node(product)->operand(1), vector},
                             attrs_of(*r.node(product)));
}

// What quantisation tools write behind a product of bytes.
Patch scale_product_sums(Rewrite& r) {
  const Node* integer = r.node(converted)->operand(0)->def_as<MatMulInteger>();
  if (!integer || integer->graph() != r.root()->graph()) return r.miss("what is converted is no integer product");
  if (!r.single_use(converted) || !r.single_use(integer->result(0))) return r.miss(kShared);
  if (r.root()->result(0)->dtype() != DType::f32) return r.miss(kInF32);
  if (!has_rank_2(integer->operand(0)) || !integer->operand(1)->shape().ranked() ||
      integer->operand(1)->shape().rank() != 2)
    return r.miss("an operand is a vector, or the right one has batches");
  const Shape &s = r[c]->shape(), &out = r[converted]->shape();
  if (!s.ranked() || !out.ranked()) return r.miss("a rank is not known");
  Value* scale = s.rank() == 0 || (s.rank() == 1 && s[0].is(1)) ? r[c] : as_row(r, r[c], out);
  if (!scale) return r.miss("the scale is no number, and no vector along the last axis");
  std::vector<Value*> operands = integer->operands();
  operands.resize(4, nullptr);
  operands.push_back(scale);
  return r.make<FusedMatMulInteger>(operands);
}

// Is a value one number, or one per channel, of a convolution's result?
bool is_per_channel(const Value* v, const Shape& out) {
  const Shape& s = v->shape();
  if (!s.ranked() || !out.ranked() || !broadcasts_into(s, out)) return false;
  for (int axis = 0; axis < s.rank(); ++axis)
    if (axis + out.rank() - s.rank() != 1 && !s[axis].is(1)) return false;
  return true;
}

// The same behind a convolution; what is added to its sums comes first.
Patch scale_convolution_sums(Rewrite& r) {
  const auto here = [&](const Node* n) { return n && n->graph() == r.root()->graph(); };
  Value *of = r.node(converted)->operand(0), *added = nullptr;
  if (const Node* add = of->def_as<Add>(); here(add)) {
    const int side = add->operand(0)->def_as<ConvInteger>() ? 0 : 1;
    if (!r.single_use(of)) return r.miss(kShared);
    of = add->operand(side), added = add->operand(1 - side);
  }
  const Node* integer = of->def_as<ConvInteger>();
  if (!here(integer)) return r.miss("what is converted is no integer convolution");
  if (!r.single_use(converted) || !r.single_use(of)) return r.miss(kShared);
  if (r.root()->result(0)->dtype() != DType::f32) return r.miss(kInF32);
  const Shape& out = of->shape();
  if (!is_per_channel(r[c], out) || (added && !(is_per_channel(added, out) && added->shape().count() == out[1])))
    return r.miss("the scale or addend is not one per channel");
  std::vector<Value*> operands = integer->operands();
  operands.resize(4, nullptr);
  operands.insert(operands.end(), {r[c], nullptr, added});
  FusedConvInteger::Attrs a;
  static_cast<ConvAttrs&>(a) = integer->attrs<ConvInteger>();
  return r.make<FusedConvInteger>(operands, a);
}

// The same sums with another bias or epilogue.
Patch rebuild_sums(Rewrite& r, Value* added, const Epilogue& e) {
  const Node& n = *r.node(sums);
  std::vector<Value*> operands = n.operands();
  operands.resize(std::max<size_t>(operands.size(), 6), nullptr);
  if (added) operands[5] = added;
  const auto make = [&]<class Op>(std::type_identity<Op>) {
    typename Op::Attrs a = n.attrs<Op>();
    a.set(e);
    return r.make<Op>(operands, a);
  };
  return n.is<FusedConvInteger>() ? make(std::type_identity<FusedConvInteger>())
                                  : make(std::type_identity<FusedMatMulInteger>());
}
Activation activation_of(const Node& n) {
  return n.is<FusedConvInteger>() ? n.attrs<FusedConvInteger>().activation : n.attrs<FusedMatMulInteger>().activation;
}

Patch add_sums_bias(Rewrite& r) {
  const Node& n = *r.node(sums);
  if (!r.single_use(sums)) return r.miss(kShared);
  if (activation_of(n) != Activation::none || n.operand(5)) return r.miss("the product has an epilogue");
  if (n.is<FusedConvInteger>()) {
    if (!is_per_channel(r[bias], r[sums]->shape())) return r.miss("the addend is not one per channel");
    return rebuild_sums(r, r[bias], {});
  }
  Value* vector = as_row(r, r[bias], r[sums]->shape());
  if (!vector) return r.miss("the addend is no vector along the last axis");
  return rebuild_sums(r, vector, {});
}

Patch relu_of_sums(Rewrite& r) {
  if (!r.single_use(sums)) return r.miss(kShared);
  if (activation_of(*r.node(sums)) != Activation::none) return r.miss("there is an activation already");
  return rebuild_sums(r, nullptr, {Activation::relu});
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
      {"scale-into-integer-product", exact, pat<Mul>(converted, c), scale_product_sums},
      {"scale-into-integer-convolution", exact, pat<Mul>(converted, c), scale_convolution_sums},
      {"add-into-integer-product", same_rounding, pat<Add>(sums, bias), add_sums_bias},
      {"relu-into-integer-product", exact, pat<Relu>(sums), relu_of_sums},
  };
  return kRules;
}

}  // namespace tc
