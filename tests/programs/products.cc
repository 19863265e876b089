#include <cmath>

#include "writer.h"

namespace tc::programs {
namespace {

double grown(const Item& a, const Item& b, int64_t terms) {
  return a.size * b.size * std::sqrt(static_cast<double>(terms));
}

void with_matrix(Writer& w) {
  const Item a = w.any(1, 4);
  const int64_t k = a.extents.back();
  Extents extents{k, w.chance(0.2) ? 1 : w.between(2, 8)};
  if (a.rank() > 2 && w.chance(0.4)) extents.insert(extents.begin(), a.extents[static_cast<size_t>(a.rank() - 3)]);
  if (w.chance(0.15)) extents = {k};
  const Item b = w.fresh(extents, -1, 1);
  w.add(cat("matmul(", a.name, ", ", b.name, ")"), matmul(a.v, b.v), grown(a, b, k));
}

void with_its_transpose(Writer& w) {
  const Item a = w.any(2, 4);
  const bool first = w.chance(0.5);
  const Var t = matrix_transpose(a.v);
  w.add(first ? cat("matmul(matrix_transpose(", a.name, "), ", a.name, ")")
              : cat("matmul(", a.name, ", matrix_transpose(", a.name, "))"),
        first ? matmul(t, a.v) : matmul(a.v, t), grown(a, a, 4));
}

struct Equation {
  const char* text;
  int rank;                 // of the first operand
  std::vector<int> places;  // of its axes in the second one; -1 is another extent
};

void einsum_of_two(Writer& w) {
  static const std::vector<Equation> kEquations = {
      {"ij,jk->ik", 2, {1, -1}}, {"ij,kj->ki", 2, {-1, 1}},       {"ij,ij->j", 2, {0, 1}},
      {"ij,i->j", 2, {0}},       {"bij,bjk->bik", 3, {0, 2, -1}}, {"bij,kj->bki", 3, {-1, 2}},
      {"bij,bi->bj", 3, {0, 1}}, {"ij,k->ikj", 2, {-1}},          {"...i,i->...", 2, {1}}};
  const Equation& e = w.one_of(kEquations);
  const Item a = w.any(e.rank, e.rank);
  Extents extents;
  for (const int p : e.places) extents.push_back(p < 0 ? w.between(2, 4) : a.extents[static_cast<size_t>(p)]);
  const Item b = w.fresh(extents, -1, 1);
  w.add(cat("einsum(\"", e.text, "\", {", a.name, ", ", b.name, "})"), einsum(e.text, {a.v, b.v}), grown(a, b, 5));
}

void dots(Writer& w) {
  const Item a = w.any(1, 3);
  const Item b = w.fresh(a.extents);
  const int64_t axis = w.between(-a.rank(), -1);
  if (w.chance(0.5))
    w.add(cat("vecdot(", a.name, ", ", b.name, ", ", axis, ")"), vecdot(a.v, b.v, {.axis = axis}), grown(a, b, 4));
  else
    w.add(cat("tensordot(", a.name, ", ", b.name, ", all axes)"), tensordot(a.v, b.v, {.axes = a.rank()}),
          grown(a, b, a.count()));
}

// As a fully connected layer says it.
void dense(Writer& w) {
  const Item a = w.any(2, 3);
  const Item m = w.fresh({a.extents.back(), 4}, -1, 1), bias = w.fresh({4});
  w.add(cat("relu(matmul(", a.name, ", ", m.name, ") + ", bias.name, ")"), relu(matmul(a.v, m.v) + bias.v),
        grown(a, m, a.extents.back()) + 2);
}

constexpr Statement kProductsStatements[] = {with_matrix, with_matrix, with_its_transpose, einsum_of_two, dots, dense};

}  // namespace

std::span<const Statement> product_statements() {
  return kProductsStatements;
}

}  // namespace tc::programs
