#include <algorithm>

#include "tc/ir/grad.h"

namespace tc {

// Vectors take part as matrices of one row or column.
void MatMul::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const int ra = ctx.rank(0), rb = ctx.rank(1);
  Value *x = ctx.in(0), *y = ctx.in(1), *g = ctx.seed();
  if (rb == 1) g = unsqueeze(b, g, {-1}), y = unsqueeze(b, y, {1});
  if (ra == 1) g = unsqueeze(b, g, {-2}), x = unsqueeze(b, x, {0});
  if (ctx.wanted(0)) ctx.give(0, b.make<MatMul>({g, swap_last_axes(b, y)}));
  if (!ctx.wanted(1)) return;
  if (rb <= 2 && ra > 2) {  // one matrix for all batches: one product over all rows
    x = b.make<Flatten>({x}, {.axis = ra - 1});
    g = b.make<Flatten>({g}, {.axis = ra - 1});
  }
  Value* product = b.make<MatMul>({swap_last_axes(b, x), g});
  ctx.give(1, rb == 1 ? b.make<Squeeze>({product, b.ints({-1})}) : product);
}

void Gemm::grad(GradContext& ctx) {
  const auto& at = ctx.attrs<Gemm>();
  Value *x = ctx.in(0), *y = ctx.in(1), *g = ctx.seed();
  auto product = [&](Value* p, Value* q, bool trans_p, bool trans_q) {
    return ctx.b.make<Gemm>({p, q}, {.alpha = at.alpha, .trans_a = trans_p, .trans_b = trans_q});
  };
  if (ctx.wanted(0)) ctx.give(0, at.trans_a ? product(y, g, at.trans_b, true) : product(g, y, false, !at.trans_b));
  if (ctx.wanted(1)) ctx.give(1, at.trans_b ? product(g, x, true, at.trans_a) : product(x, g, !at.trans_a, false));
  if (ctx.wanted(2)) ctx.give(2, at.beta == 1 ? Expr(ctx.b, g) : at.beta * Expr(ctx.b, g));
}

namespace {

using Labels = std::vector<int>;

char letter(const GradContext& ctx, int label) {
  if (label >= 52) ctx.fail("an einsum over ", label + 1, " axes has more than there are letters");
  return static_cast<char>(label < 26 ? 'a' + label : 'A' + label - 26);
}

std::string spell(const GradContext& ctx, const Labels& labels) {
  std::string s;
  for (int l : labels) s += letter(ctx, l);
  return s;
}

bool has(const Labels& labels, int l) {
  return std::find(labels.begin(), labels.end(), l) != labels.end();
}

}  // namespace

// The gradient with respect to an operand is the einsum of the seed and the other operands. Axes that only this operand
// has are repeated afterwards; a label that it has twice picked a diagonal.
void Einsum::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const int n = ctx.node().num_operands();
  std::vector<int> ranks;
  for (int i = 0; i < n; ++i) ranks.push_back(ctx.rank(i));
  const EinsumLabels labels = parse_einsum(ctx.attrs<Einsum>().equation, ranks);
  auto labels_of = [&](int i) -> const Labels& { return labels.operands[static_cast<size_t>(i)]; };
  std::vector<bool> longer(static_cast<size_t>(labels.count), false);  // not 1 in some operand
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < ranks[static_cast<size_t>(i)]; ++k)
      if (!ctx.in(i)->shape()[k].is(1)) longer[static_cast<size_t>(labels_of(i)[static_cast<size_t>(k)])] = true;
  // Does broadcasting repeat axis k of operand i?
  auto repeated = [&](int i, int k) {
    return ctx.in(i)->shape()[k].is(1) && longer[static_cast<size_t>(labels_of(i)[static_cast<size_t>(k)])];
  };

  for (int i = 0; i < n; ++i) {
    if (!ctx.wanted(i)) continue;
    std::vector<Value*> operands{ctx.seed()};
    std::vector<Labels> terms{labels.result};
    for (int j = 0; j < n; ++j) {
      if (j == i) continue;
      Labels term;
      std::vector<int64_t> dropped;
      for (int k = 0; k < ranks[static_cast<size_t>(j)]; ++k) {
        if (repeated(j, k))
          dropped.push_back(k);
        else
          term.push_back(labels_of(j)[static_cast<size_t>(k)]);
      }
      operands.push_back(dropped.empty() ? ctx.in(j) : Expr(b, b.make<Squeeze>({ctx.in(j), b.ints(dropped)})));
      terms.push_back(std::move(term));
    }
    const Labels& mine = labels_of(i);
    Labels result;
    std::vector<int64_t> missing;                // axes of operand i that the einsum does not give
    std::vector<std::pair<int, int>> diagonals;  // axes with one label
    for (int k = 0; k < static_cast<int>(mine.size()); ++k) {
      const int l = mine[static_cast<size_t>(k)];
      const auto first = std::find(mine.begin(), mine.begin() + k, l) - mine.begin();
      const bool given =
          !repeated(i, k) && std::any_of(terms.begin(), terms.end(), [&](const Labels& t) { return has(t, l); });
      if (first < k) diagonals.emplace_back(static_cast<int>(first), k);
      if (given && first == k)
        result.push_back(l);
      else
        missing.push_back(k);
    }
    std::string equation;
    // A scalar's term is empty, its comma is not.
    for (size_t t = 0; t < terms.size(); ++t) equation += cat(t ? "," : "", spell(ctx, terms[t]));
    equation += cat("->", spell(ctx, result));
    Value* g = unsqueeze(b, b.make<Einsum>(operands, {equation}), missing);
    g = expand_like(b, g, ctx.in(i));
    for (const auto& [p, q] : diagonals) {
      auto places = [&](int axis) {
        std::vector<int64_t> others;
        for (int k = 0; k < static_cast<int>(mine.size()); ++k)
          if (k != axis) others.push_back(k);
        return unsqueeze(b, iota(b, extent_of(b, ctx.in(i), axis)), others);
      };
      g = where(equal(Expr(b, places(p)), Expr(b, places(q))), Expr(b, g), 0);
    }
    ctx.give(i, g);
  }
}

}  // namespace tc
