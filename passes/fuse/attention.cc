#include "tc/ir/eval/wide.h"
#include "tc/passes/fuse/fuse.h"

namespace tc {
namespace attention_patterns {
namespace {

constexpr Any queries, key_heads, values, bias, residual, target;
constexpr As<Softmax> weights;
constexpr As<Transpose> turned;

constexpr const char* kNoProduct = "the scores are no product of queries and keys";
// Added to a score below this in magnitude such a number swallows it, so that adding is as good as replacing.
constexpr double kSwallows = -1e37;

// softmax(scale * q k' + mask)
struct Scores {
  Value *q = nullptr, *k = nullptr, *mask = nullptr;
  double scale = 1;
};

bool in_graph(const Rewrite& r, const Node* n) {
  return n && n->graph() == r.root()->graph();
}

std::optional<double> scalar_of(const Value* v) {
  if (!v->constant() || v->constant()->size() != 1) return std::nullopt;
  return scalar_f64(*v->constant());
}

// The scaled operand when the value is a multiple of it by a constant, which `scale` takes over; else null.
Value* unscaled(Rewrite& r, Value* v, double& scale) {
  Node* n = v->def();
  if (!in_graph(r, n) || (!n->is<Mul>() && !n->is<Div>()) || !r.single_use(v)) return nullptr;
  for (int i = 0; i < 2; ++i) {
    const auto factor = scalar_of(n->operand(i));
    if (!factor || !same_type(n->operand(1 - i), v)) continue;
    if (n->is<Div>() && (i == 0 || *factor == 0)) return nullptr;
    scale *= n->is<Mul>() ? *factor : 1 / *factor;
    return n->operand(1 - i);
  }
  return nullptr;
}

Value* without_scales(Rewrite& r, Value* v, double& scale) {
  while (Value* inner = unscaled(r, v, scale)) v = inner;
  return v;
}

// The value with its last two axes exchanged, when it is the result of a transposition.
Value* transposed(Rewrite& r, Value* v) {
  Node* n = v->def();
  if (!in_graph(r, n) || !n->is<Transpose>()) return nullptr;
  std::vector<int64_t> perm = n->attrs<Transpose>().perm;
  if (perm.size() < 2) return nullptr;
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != static_cast<int64_t>(i)) return r.make<Transpose>({n->operand(0)}, {perm});
  return n->operand(0);
}

// Notes an addend of scores of shape `to`; why it cannot be a mask, if so. A scale found before it was applied after
// it.
const char* add_to_mask(Rewrite& r, Scores& s, Value* addend, const Shape& to) {
  if (s.scale != 1) return "scores and mask are scaled together";
  const Shape& shape = addend->shape();
  if (!broadcasts_into(shape, to)) return "the mask may widen the scores";
  if (shape.rank() > 0 && !(shape[shape.rank() - 1] == to[to.rank() - 1])) return "the mask has not one column per key";
  // Operands of rank 3 are heads of one batch axis.
  if (shape.rank() == 3 && to.rank() == 3) addend = r.make<Unsqueeze>({addend, r.ints({1})});
  s.mask = s.mask ? r.make<Add>({s.mask, addend}) : addend;
  return nullptr;
}

bool may_be_scores(const Rewrite& r, const Value* v, const Value* sum) {
  const Node* n = v->def();
  return in_graph(r, n) && same_type(v, sum) &&
         (n->is<MatMul>() || n->is<FusedMatMul>() || n->is<Mul>() || n->is<Div>() || n->is<Add>() || n->is<Where>());
}

// Takes off what was done last to the scores; `done` once the product is reached.
const char* peel(Rewrite& r, Value*& x, Scores& s, bool& done) {
  if (!r.single_use(x)) return "the scores have other users";
  Node* n = x->def();
  if (!in_graph(r, n)) return kNoProduct;
  if (Value* inner = unscaled(r, x, s.scale)) {
    x = inner;
    return nullptr;
  }
  const Shape& shape = x->shape();
  if (n->is<Add>()) {
    const int scores = may_be_scores(r, n->operand(0), x) ? 0 : 1;
    if (!may_be_scores(r, n->operand(scores), x)) return kNoProduct;
    // Both may be: a mask made of sums has no product below.
    Value *first = n->operand(scores), *other = n->operand(1 - scores);
    if (scores == 0 && may_be_scores(r, other, x) && !first->def()->is<MatMul>() && !first->def()->is<FusedMatMul>() &&
        (other->def()->is<MatMul>() || other->def()->is<FusedMatMul>()))
      std::swap(first, other);
    if (const char* why = add_to_mask(r, s, other, shape)) return why;
    x = first;
    return nullptr;
  }
  if (n->is<Where>()) {
    const int fill = scalar_of(n->operand(2)) ? 2 : 1;
    const auto number = scalar_of(n->operand(fill));
    if (!number || !same_type(n->operand(3 - fill), x)) return kNoProduct;
    if (!(*number <= kSwallows)) return "what hides a score is too large a number";
    Value *hidden = r.scalar_like(x->dtype(), *number), *zero = r.scalar_like(x->dtype(), 0);
    std::vector<Value*> choice{n->operand(0), zero, hidden};
    if (fill == 1) std::swap(choice[1], choice[2]);
    if (const char* why = add_to_mask(r, s, r.make<Where>(choice), shape)) return why;
    x = n->operand(3 - fill);
    return nullptr;
  }
  done = true;
  if (n->is<MatMul>()) {
    s.q = n->operand(0);
    Value* keys = without_scales(r, n->operand(1), s.scale);
    s.k = transposed(r, keys);
    return s.k ? nullptr : "the keys are not transposed";
  }
  if (!n->is<FusedMatMul>()) return kNoProduct;
  const auto& a = n->attrs<FusedMatMul>();
  if (a.trans_a || a.activation != Activation::none) return kNoProduct;
  s.q = n->operand(0);
  s.k = a.trans_b ? n->operand(1) : transposed(r, n->operand(1));
  if (!s.k) return "the keys are not transposed";
  for (int i : {2, 3})
    if (Value* addend = n->operand(i))
      if (const char* why = add_to_mask(r, s, addend, shape)) return why;
  s.scale *= a.scale;
  return nullptr;
}

bool has_rank(const Value* v, int rank) {
  return v->shape().ranked() && v->shape().rank() == rank;
}

// matmul(softmax(...), v)
Patch recognise_attention(Rewrite& r) {
  const Node& root = *r.root();
  Value* v = r[values];
  if (root.result(0)->dtype() != DType::f32) return r.miss("the element type has no kernel");
  if (root.is<FusedMatMul>()) {
    const auto& a = root.attrs<FusedMatMul>();
    if (a.trans_a || a.trans_b || a.scale != 1 || a.activation != Activation::none || root.operand(2) ||
        root.operand(3))
      return r.miss("the product has an epilogue");
  }
  Value* p = r[weights];
  if (!p->shape().ranked() || (p->shape().rank() != 3 && p->shape().rank() != 4))
    return r.miss("the rank is not 3 or 4");
  const int rank = p->shape().rank();
  const int64_t axis = r.attrs(weights).axis;
  if (axis != -1 && axis != rank - 1) return r.miss("the softmax is not over the keys");
  if (!r.single_use(weights)) return r.miss("the softmax has other users");
  Scores s;
  bool done = false;
  for (Value* x = r.node(weights)->operand(0); !done;)
    if (const char* why = peel(r, x, s, done)) return r.miss(why);
  s.q = without_scales(r, s.q, s.scale);
  s.k = without_scales(r, s.k, s.scale);
  if (!has_rank(s.q, rank) || !has_rank(s.k, rank) || !has_rank(v, rank)) return r.miss("an operand broadcasts");
  for (int i = 0; i + 2 < rank; ++i)
    if (!(s.q->shape()[i] == s.k->shape()[i]) || !(s.q->shape()[i] == v->shape()[i]))
      return r.miss("an operand broadcasts, or may");
  if (!(s.k->shape()[rank - 2] == v->shape()[rank - 2])) return r.miss("keys and values may differ in number");
  Attention::Attrs a;
  if (rank == 3) a.q_num_heads = a.kv_num_heads = 1;
  a.scale = s.scale;
  a.zero_hidden_rows = false;
  return r.make<Attention>({s.q, s.k, v, s.mask}, a);
}

// The value whose part `index` along its first axis a value is.
struct Part {
  Value* of = nullptr;
  int64_t index = 0;
};
Part part_of(const Rewrite& r, Value* v) {
  const Node* n = v->def();
  const auto numbers = [&](const Node* m, int i) { return r.ints(m->operand(i)).value_or(std::vector<int64_t>{}); };
  const std::vector<int64_t> zero{0};
  if (!in_graph(r, n)) return {};
  if (n->is<Gather>() && n->attrs<Gather>().axis == 0 && has_rank(n->operand(1), 0)) {
    const auto index = numbers(n, 1);
    return index.size() == 1 && index[0] >= 0 ? Part{n->operand(0), index[0]} : Part{};
  }
  if (!n->is<Squeeze>() || numbers(n, 1) != zero) return {};
  const Node* cut = n->operand(0)->def();
  if (!in_graph(r, cut)) return {};
  if (cut->is<Slice>()) {
    const auto starts = numbers(cut, 1), ends = numbers(cut, 2), steps = numbers(cut, 4);
    const bool plain = !cut->operand(4) || steps == std::vector<int64_t>{1};
    if (!plain || numbers(cut, 3) != zero || starts.size() != 1 || starts[0] < 0 || ends != std::vector{starts[0] + 1})
      return {};
    return {cut->operand(0), starts[0]};
  }
  if (!cut->is<Split>() || cut->attrs<Split>().axis != 0) return {};
  for (int i = 0; i < cut->num_results(); ++i) {
    const Shape& shape = cut->result(i)->shape();
    if (!shape.ranked() || !shape[0].is(1)) return {};
    if (cut->result(i) == n->operand(0)) return {cut->operand(0), i};
  }
  return {};
}

// The operand (batch, length, heads * size) of which the value is heads (batch, heads, length, size); else null. Where
// queries, keys and values come from one product, it is a slice of (batch, length, parts * heads * size).
Value* heads_side_by_side(Rewrite& r, Value* v) {
  const Part part = part_of(r, v);
  Node* turn = part.of ? part.of->def() : v->def();
  const std::vector<int64_t> swap = part.of ? std::vector<int64_t>{2, 0, 3, 1, 4} : std::vector<int64_t>{0, 2, 1, 3};
  if (!in_graph(r, turn) || !turn->is<Transpose>() || turn->attrs<Transpose>().perm != swap) return nullptr;
  Node* split = turn->operand(0)->def();
  if (!in_graph(r, split) || !split->is<Reshape>()) return nullptr;
  Value* whole = split->operand(0);
  if (!has_rank(whole, 3) || !has_rank(split->result(0), static_cast<int>(swap.size()))) return nullptr;
  const Shape &from = whole->shape(), &to = split->result(0)->shape();
  if (!(from[0] == to[0]) || !(from[1] == to[1])) return nullptr;
  if (!part.of) return to[2].is_const() && to[2].value() > 0 ? whole : nullptr;
  if (!to[2].is_const() || !to[3].is_const() || !to[4].is_const() || to[3].value() <= 0 || part.index >= to[2].value())
    return nullptr;
  const int64_t width = to[3].value() * to[4].value();
  return r.make<Slice>({whole, r.ints({part.index * width}), r.ints({(part.index + 1) * width}), r.ints({2})});
}

// Heads that are split, transposed, and transposed back and merged at the end stay where they lie.
Patch leave_heads_in_place(Rewrite& r) {
  const std::vector<int64_t> swap{0, 2, 1, 3};
  if (r.attrs(turned).perm != swap) return r.miss("");
  Node* n = r.node(turned)->operand(0)->def();
  if (!in_graph(r, n) || !n->is<Attention>() || !has_rank(r[turned], 4)) return r.miss("");
  if (n->num_results() != 1 || n->operand(4) || !r.single_use(turned) || !r.single_use(n->result(0)))
    return r.miss("the heads have other users");
  const Shape &from = r[turned]->shape(), &to = r.root()->result(0)->shape();
  if (!to.ranked() || to.rank() != 3 || !(to[0] == from[0]) || !(to[1] == from[1]))
    return r.miss("the heads are not merged");
  std::vector<Value*> operands = n->operands();
  for (size_t i = 0; i < 3; ++i) {
    operands[i] = heads_side_by_side(r, operands[i]);
    if (!operands[i]) return r.miss("an operand's heads do not come side by side");
  }
  Attention::Attrs a = n->attrs<Attention>();
  a.q_num_heads = n->operand(0)->shape()[1].value();
  a.kv_num_heads = n->operand(1)->shape()[1].value();
  return Rewrite::same(r.make<Attention>(operands, a));
}

// The operand (batch, heads, length, size) of which the value has each head several times, one behind the other: with
// an axis more, expanded, and merged into the heads; else null.
Value* repeated_heads(Rewrite& r, Value* v) {
  const Node* merge = v->def();
  if (!in_graph(r, merge) || !merge->is<Reshape>() || !has_rank(v, 4)) return nullptr;
  const Node* expand = merge->operand(0)->def();
  if (!in_graph(r, expand) || !expand->is<Expand>() || !has_rank(expand->result(0), 5)) return nullptr;
  const Node* split = expand->operand(0)->def();
  if (!in_graph(r, split) || (!split->is<Unsqueeze>() && !split->is<Reshape>())) return nullptr;
  Value* heads = split->operand(0);
  if (!has_rank(heads, 4) || !has_rank(split->result(0), 5)) return nullptr;
  const Shape &x = heads->shape(), &one = split->result(0)->shape(), &many = expand->result(0)->shape(),
              &y = v->shape();
  if (!one[2].is(1) || !x[1].is_const() || !many[2].is_const() || !y[1].is_const()) return nullptr;
  for (int i = 0; i < 4; ++i) {
    const int at = i < 2 ? i : i + 1;
    if (!(x[i] == one[at]) || !(x[i] == many[at]) || (i != 1 && !(x[i] == y[i]))) return nullptr;
  }
  return y[1].value() == x[1].value() * many[2].value() ? heads : nullptr;
}

// Queries in groups, each with keys and values of its own (Ainslie et al., "GQA", 2023), as exporters spell them.
Patch share_heads(Rewrite& r) {
  const Node& n = *r.root();
  if (n.num_results() != 1 || n.num_operands() > 4) return r.miss("it has a past, or gives its scores");
  std::vector<Value*> operands = n.operands();
  for (const size_t i : {size_t{1}, size_t{2}}) {
    operands[i] = repeated_heads(r, operands[i]);
    if (!operands[i]) return r.miss("keys or values are not repeated");
  }
  if (!(operands[1]->shape()[1] == operands[2]->shape()[1])) return r.miss("keys and values repeat differently");
  return r.make<Attention>(operands, n.attrs<Attention>());
}

}  // namespace
}  // namespace attention_patterns

std::span<const Rule> attention_rules() {
  using namespace attention_patterns;
  static const Rule kRules[] = {
      {"products-and-softmax-are-attention", reassociates,
       pat<MatMul, FusedMatMul>(weights, values, maybe(bias), maybe(residual)), recognise_attention},
      {"repeated-heads-are-shared", exact, pat<Attention>(queries, key_heads, values, maybe(bias)), share_heads},
      {"heads-stay-side-by-side", exact, pat<Reshape>(turned, target), leave_heads_in_place},
  };
  return kRules;
}

}  // namespace tc
