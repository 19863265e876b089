#include "tc/frontend/dsl/linalg_tridiagonal.h"

#include "tc/frontend/dsl/linalg_parts.h"

namespace tc::linalg {

using namespace dsl;

namespace {

Var front(const Var& x, int axis) {
  return moveaxis(x, axis, 0);
}

Var without_first(const Var& x) {
  return x.at(ellipsis, slice(1, {})).get();
}

Var with_last(const Var& x, double value) {
  Dims dims = x.shape();
  dims.back() = 1;
  return concat({x, full(dims, asarray(value, {.dtype = x.dtype()}))}, {.axis = -1});
}

Var at_first(const Var& x) {
  return x.at(ellipsis, 0).get();
}

struct Diagonals {
  Var dl, d, du;
};
// With equal batches, which those of a right-hand side are part of.
Diagonals diagonals_of(const Arg& dl, const Arg& d, const Arg& du, Dims batch) {
  std::vector<Var> list = promoted({dl, d, du}, Domain::floating);
  const Dims own = batch;
  for (size_t i = 0; i < 3; ++i) {
    const Var& v = list[i];
    parts::expect_real(v);
    if (v.rank() < 1) refuse(ErrorCode::bad_shape, cat("a diagonal is ", v.type(), ", expected an axis"));
    batch = located([&] { return broadcast_dims(batch, {v.shape().begin(), v.shape().end() - 1}); });
  }
  const Dim n = list[1].dim(-1);
  for (const size_t i : {0, 2})
    if (const Dim have = list[i].dim(-1); n.is_const() && have.is_const() && have != n - Dim(1))
      refuse(ErrorCode::bad_shape, cat("the diagonals are ", list[0].type(), ", ", list[1].type(), " and ",
                                       list[2].type(), ", expected one element less beside the middle one"));
  for (Var& v : list) {
    Dims dims = batch;
    dims.push_back(v.dim(-1));
    v = broadcast_to(v, dims);
  }
  return {list[0], list[1], list[2]};
}

// Row by row: the greater of two elements of a column is the pivot.
TridiagonalFactor factor_rows(const Diagonals& m) {
  const Var above = with_last(m.du, 0);
  const auto row = [](Var d, Var du, Var below, Var next, Var next_du) {
    const Var swapped = abs(below) > abs(d), pivot = where(swapped, below, d);
    const Var factor = where(swapped, d, below) / where(pivot == 0, 1, pivot);
    return std::tuple{where(swapped, du - factor * next, next - factor * du),
                      where(swapped, -factor * next_du, next_du),
                      pivot,
                      where(swapped, next, du),
                      where(swapped, next_du, 0),
                      factor,
                      swapped};
  };
  const auto [d, du, pivots, second, third, factors, swapped] =
      scan(row, {at_first(m.d), at_first(above)},
           {front(with_last(m.dl, 0), -1), front(with_last(without_first(m.d), 1), -1),
            front(with_last(without_first(above), 0), -1)});
  const auto back = [](const Var& x) { return moveaxis(x, 0, -1); };
  return {back(pivots), back(second), back(third), back(factors), back(swapped)};
}

// b: [..., n, k], its batch being that of the factor.
Var substituted(const TridiagonalFactor& f, const Var& b) {
  const auto each = [](const Var& x) { return expand_dims(front(x, -1), -1); };
  const Var rows = front(b, -2), first = rows[0];
  const Var later = concat({rows[slice(1, {})], expand_dims(zeros_like(first), 0)}, {.axis = 0});
  const auto down = [](Var y, Var factor, Var swapped, Var next) {
    const Var row = where(swapped, next, y);
    return std::pair{where(swapped, y, next) - factor * row, row};
  };
  const auto [rest, y] = scan(down, {first}, {each(f.factors), each(f.swapped), later});
  const auto up = [](Var next, Var after, Var row, Var d, Var du, Var du2) {
    const Var x = (row - du * next - du2 * after) / d;
    return std::tuple{x, next, x};
  };
  const auto [last, before, x] =
      scan(up, {zeros_like(first), zeros_like(first)}, {y, each(f.d), each(f.du), each(f.du2)}, {.reverse = true});
  return moveaxis(x, 0, -2);
}

Var solution(const Var& dl, const Var& d, const Var& du, const Var& b) {
  return substituted(factor_rows({dl, d, du}), b);
}

}  // namespace

TridiagonalFactor tridiagonal_lu_factor(Arg dl, Arg d, Arg du) {
  const Site site("linalg.tridiagonal_lu_factor", d.at());
  return factor_rows(diagonals_of(dl, d, du, {}));
}

Var tridiagonal_lu_solve(const TridiagonalFactor& factor, Arg b) {
  const Site site("linalg.tridiagonal_lu_solve", b.at());
  TridiagonalFactor f = factor;
  auto [d, y] = promoted(f.d, b, Domain::floating);
  parts::expect_real(d);
  const bool vector = y.rank() == 1;
  if (vector) y = expand_dims(y, -1);
  if (y.rank() < 2) refuse(ErrorCode::bad_shape, cat("the right-hand side is ", y.type(), ", expected an axis"));
  const Dims batch = located([&, d = d, y = y] {
    return broadcast_dims({d.shape().begin(), d.shape().end() - 1}, {y.shape().begin(), y.shape().end() - 2});
  });
  for (Var* v : {&f.d, &f.du, &f.du2, &f.factors, &f.swapped}) {
    Dims dims = batch;
    dims.push_back(v->dim(-1));
    *v = broadcast_to(*v, dims);
  }
  Dims dims = batch;
  dims.insert(dims.end(), y.shape().end() - 2, y.shape().end());
  const Var x = substituted(f, broadcast_to(y, dims));
  return vector ? squeeze(x, -1) : x;
}

Var solve_tridiagonal(Arg dl, Arg d, Arg du, Arg b) {
  const Site site("linalg.solve_tridiagonal", d.at());
  auto [middle, y] = promoted(d, b, Domain::floating);
  const bool vector = y.rank() == 1;
  if (vector) y = expand_dims(y, -1);
  if (y.rank() < 2) refuse(ErrorCode::bad_shape, cat("the right-hand side is ", y.type(), ", expected an axis"));
  const Diagonals m = diagonals_of(dl, middle, du, {y.shape().begin(), y.shape().end() - 2});
  if (const Dim n = m.d.dim(-1), have = y.dim(-2); n.is_const() && have.is_const() && n != have)
    refuse(ErrorCode::bad_shape, cat("the right-hand side is ", y.type(), " for a diagonal ", m.d.type()));
  Dims dims(m.d.shape().begin(), m.d.shape().end() - 1);
  dims.insert(dims.end(), y.shape().end() - 2, y.shape().end());
  const auto rule = [](Var below, Var on, Var above, Var, Var x, Var g) {
    const Var gb = solution(above, on, below, g);
    const auto summed = [](const Var& a, const Var& c) { return -sum(a * c, {.axis = -1}); };
    const auto head = [](const Var& v) { return v.at(ellipsis, slice(-1), slice()).get(); };
    const auto tail = [](const Var& v) { return v.at(ellipsis, slice(1, {}), slice()).get(); };
    return std::tuple{summed(tail(gb), head(x)), summed(gb, x), summed(head(gb), tail(x)), gb};
  };
  const Var x = custom_vjp(solution, rule)(m.dl, m.d, m.du, broadcast_to(y, dims));
  return vector ? squeeze(x, -1) : x;
}

}  // namespace tc::linalg
