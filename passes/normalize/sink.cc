#include <algorithm>

#include "tc/passes/normalize/normalize.h"

// Transposes move towards the outputs, where they meet others and vanish, or reach a product that reads transposed.
namespace tc {
namespace sink_patterns {
namespace {

constexpr Any x;
constexpr As<Transpose> inner_transpose;
constexpr As<Concat> concat;

using Perm = std::vector<int64_t>;

// Elementwise ops, as a pattern that leaves the operands open.
Pattern any_elementwise() {
  Pattern p = any_node();
  for (const OpInfo& op : all_ops())
    if (op.traits.elementwise && !op.traits.nondeterministic) p.ops.push_back(op.id);
  return p;
}

const Node* transpose_below(const Value* v, const Node& root) {
  const Node* t = v ? v->def_as<Transpose>() : nullptr;
  return t && t->graph() == root.graph() && !t->attrs<Transpose>().perm.empty() ? t : nullptr;
}

// The constant as it broadcasts against operands that are not transposed yet.
Value* permuted(Rewrite& r, Value* v, const Perm& perm) {
  const Tensor& t = *v->constant();
  if (t.size() == 1) return v;
  Extents extents(perm.size() - static_cast<size_t>(t.rank()), 1);
  extents.insert(extents.end(), t.extents().begin(), t.extents().end());
  Perm inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) inverse[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  return r.make<Transpose>({r.constant(t.reshaped(std::move(extents)))}, {std::move(inverse)});
}

Patch sink_below_elementwise(Rewrite& r) {
  const Node& n = *r.root();
  const Perm* perm = nullptr;
  for (const Value* v : n.operands())
    if (const Node* t = transpose_below(v, n)) {
      const Perm& p = t->attrs<Transpose>().perm;
      if (perm && *perm != p) return r.miss("the operands are transposed in different ways");
      if (!r.single_use(v)) return r.miss("the transpose has other users");
      perm = &p;
    }
  if (!perm || n.num_results() != 1) return r.miss("");
  for (const Value* v : n.operands()) {
    if (!v || transpose_below(v, n)) continue;
    if (!v->constant()) return r.miss("an operand is not transposed");
    if (v->constant()->rank() > static_cast<int>(perm->size())) return r.miss("a constant adds dimensions");
    if (v->constant()->size() > 1 && static_cast<int64_t>(v->constant()->bytes()) > r.limits.fold_bytes)
      return r.miss("a constant exceeds the folding budget");
  }
  std::vector<Value*> operands;
  for (Value* v : n.operands()) {
    const Node* t = transpose_below(v, n);
    operands.push_back(t ? t->operand(0) : v ? permuted(r, v, *perm) : nullptr);
  }
  return r.make<Transpose>({r.node(n.op(), operands, n.raw_attrs(), 1)->result(0)}, {*perm});
}

template <class Op>
Patch sink_below_axis_op(Rewrite& r) {
  if (!r.single_use(inner_transpose)) return r.miss("the transpose has other users");
  const Perm& perm = r.attrs(inner_transpose).perm;
  auto a = r.root_attrs<Op>();
  const auto rank = static_cast<int64_t>(perm.size());
  if (a.axis < -rank || a.axis >= rank) return r.miss("the axes are reversed");
  a.axis = perm[static_cast<size_t>(a.axis < 0 ? a.axis + rank : a.axis)];
  return r.make<Transpose>({r.make<Op>({r[x]}, a)}, {perm});
}

Patch sink_below_concat(Rewrite& r) {
  const Node& n = *r.root();
  std::vector<Value*> operands;
  const Perm* perm = nullptr;
  for (const Value* v : n.operands()) {
    const Node* t = transpose_below(v, n);
    if (!t) return r.miss("");
    if (!r.single_use(v)) return r.miss("a transpose has other users");
    if (perm && *perm != t->attrs<Transpose>().perm) return r.miss("the operands are transposed in different ways");
    perm = &t->attrs<Transpose>().perm;
    operands.push_back(t->operand(0));
  }
  if (!perm) return r.miss("");
  const int64_t axis = n.attrs<Concat>().axis, rank = static_cast<int64_t>(perm->size());
  return r.make<Transpose>({r.make<Concat>(operands, {(*perm)[static_cast<size_t>(axis < 0 ? axis + rank : axis)]})},
                           {*perm});
}

}  // namespace
}  // namespace sink_patterns

std::span<const Rule> sink_rules() {
  using namespace sink_patterns;
  static const Rule kRules[] = {
      {"transpose-after-elementwise", exact, any_elementwise(), sink_below_elementwise},
      {"transpose-after-softmax", exact, pat<Softmax>(inner_transpose(x)), sink_below_axis_op<Softmax>},
      {"transpose-after-log-softmax", exact, pat<LogSoftmax>(inner_transpose(x)), sink_below_axis_op<LogSoftmax>},
      {"transpose-after-concat", exact, concat, sink_below_concat},
  };
  return kRules;
}

}  // namespace tc
