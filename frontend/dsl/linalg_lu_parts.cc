#include "tc/frontend/dsl/linalg_parts.h"

namespace tc::linalg::parts {

namespace {

// Rows of x, [..., n, k], in the order [..., n].
Var in_order(const Var& x, const Var& order) {
  return take_along_axis(x, expand_dims(order, -1), {.axis = -2});
}

// The places of 0, 1, ... in a permutation [..., n].
Var inverse_of(const Var& permutation) {
  return argsort(permutation);
}

}  // namespace

// Column by column: the greatest of what is left comes up, and its multiples leave the rows below.
Lu factored(const Var& a) {
  const Var i = rows_of(a), k = columns_of(a);
  Dims per_row(a.shape().begin(), a.shape().end() - 1), one = per_row;
  one.back() = 1;
  one.push_back(1);
  const auto column = [&](Var j, Var lu, Var permutation, Var sign) {
    const Var left = where(i < j, -1, abs(pick(lu, j, -1)));
    const Var best = argmax(left, {.axis = -2, .keepdims = true});  // [..., 1, 1]
    const Var order = squeeze(where(i == j, best, where(i == best, j, i)), -1);
    const Var swapped = in_order(lu, order), pivot_row = pick(swapped, j, -2), pivot = pick(pivot_row, j, -1);
    const Var factors = where(i > j, pick(swapped, j, -1) / where(pivot == 0, 1, pivot), 0);
    const Var less = swapped - factors * where(k > j, pivot_row, 0);
    return std::tuple{where((k == j) & (i > j), factors, less), take_along_axis(permutation, order),
                      where(best == j, sign, -sign)};
  };
  const Var start = broadcast_to(arange(a.dim(-2)), per_row);
  const auto [lu, permutation, sign] = fori_loop(0, a.dim(-1), column, {a, start, ones(one, {.dtype = a.dtype()})});
  return {lu, permutation, sign};
}

Var lu_solved(const Var& lu, const Var& permutation, const Var& b) {
  const Var y = triangular(lu, in_order(b, permutation), {.lower = true, .unit = true});
  return triangular(lu, y, {.lower = false});
}

Var lu_solved_t(const Var& lu, const Var& permutation, const Var& b) {
  const Var y = triangular_t(lu, b, {.lower = false});
  return in_order(triangular_t(lu, y, {.lower = true, .unit = true}), inverse_of(permutation));
}

Var solved_t(const Var& a, const Var& b) {
  const Lu f = factored(a);
  return lu_solved_t(f.lu, f.permutation, b);
}

}  // namespace tc::linalg::parts
