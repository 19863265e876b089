#include "tc/frontend/dsl/linalg_parts.h"

#include <limits>

namespace tc::linalg::parts {

using namespace dsl;

void expect_real(const Var& v) {
  if (v.dtype() != f32 && v.dtype() != f64)
    refuse(ErrorCode::bad_type, cat("an operand is ", v.type(), ", expected f32 or f64"));
}

Var matrix(const Arg& x) {
  const Var v = operand(x, Domain::floating);
  expect_real(v);
  if (v.rank() < 2) refuse(ErrorCode::bad_shape, cat("an operand is ", v.type(), ", expected at least two axes"));
  return v;
}

void expect_square(const Var& v) {
  const Dim m = v.dim(-2), n = v.dim(-1);
  if (m.is_const() && n.is_const() && m != n)
    refuse(ErrorCode::bad_shape, cat("an operand is ", v.type(), ", expected square matrices"));
}

Var square_matrix(const Arg& x) {
  const Var v = matrix(x);
  expect_square(v);
  return v;
}

System system_of(const Arg& a, const Arg& b) {
  auto [m, y] = promoted(a, b, Domain::floating);
  expect_real(m);
  if (m.rank() < 2) refuse(ErrorCode::bad_shape, cat("an operand is ", m.type(), ", expected at least two axes"));
  if (y.rank() < 1) refuse(ErrorCode::bad_shape, cat("the right-hand side is ", y.type(), ", expected an axis"));
  const bool vector = y.rank() == 1;
  const Dim have = y.dim(vector ? -1 : -2), want = m.dim(-2);
  if (have.is_const() && want.is_const() && have != want)
    refuse(ErrorCode::bad_shape, cat("the right-hand side is ", y.type(), " for matrices ", m.type()));
  if (vector) y = expand_dims(y, -1);
  const auto batch = [](const Var& v) { return Dims(v.shape().begin(), v.shape().end() - 2); };
  const Dims common = located([&] { return broadcast_dims(batch(m), batch(y)); });
  const auto wide = [&](const Var& v) {
    Dims dims = common;
    dims.insert(dims.end(), v.shape().end() - 2, v.shape().end());
    return broadcast_to(v, dims);
  };
  return {wide(m), wide(y), vector};
}

Var rows_of(const Var& m) {
  return expand_dims(arange(m.dim(-2)), 1);
}

Var columns_of(const Var& m) {
  return expand_dims(arange(m.dim(-1)), 0);
}

Var pick(const Var& x, const Var& index, int axis) {
  return take(x, expand_dims(index, 0), {.axis = axis});
}

Var eye_like(const Var& m) {
  return eye(m.dim(-2), {.columns = m.dim(-1), .dtype = m.dtype()});
}

Var batched_eye(const Var& m, const Dim& columns) {
  Dims dims = m.shape();
  dims.back() = columns;
  return broadcast_to(eye(m.dim(-2), {.columns = columns, .dtype = m.dtype()}), dims);
}

Var zeros_beside(const Var& m, const Dim& columns) {
  Dims dims = m.shape();
  dims.back() = columns;
  return zeros(dims, {.dtype = m.dtype()});
}

Var t(const Var& m) {
  return tc::matrix_transpose(m);
}

Var copy_lower(const Var& m) {
  return tril(m) + t(tril(m, {.k = -1}));
}

Var half_lower(const Var& m) {
  return (tril(m) + tril(m, {.k = -1})) / 2;
}

Var symmetric(const Var& m) {
  return (m + t(m)) / 2;
}

Var reciprocal_or_zero(const Var& x) {
  const Var zero = x == 0;
  return where(zero, 0, 1 / where(zero, 1, x));
}

double epsilon(DType type) {
  return type == f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

// Column by column: what the columns before leave of column j, over the root of its diagonal element.
Var columnwise_cholesky(const Var& a) {
  const Var i = rows_of(a), k = columns_of(a);
  const auto column = [&](Var j, Var l) {
    const Var rest = pick(a, j, -1) - tc::matmul(l, t(pick(l, j, -2))), square = pick(rest, j, -2);
    const Var pivot = sqrt(where(square > 0, square, std::numeric_limits<double>::quiet_NaN()));
    const Var below = where(i > j, rest / pivot, where(i == j, pivot, 0));
    return where(k == j, below, l);
  };
  return fori_loop(0, a.dim(-1), column, {zeros_beside(a, a.dim(-1))});
}

namespace {

// One of two ways that compute the same, which one being known only where the extent is.
template <class Small, class Large>
Var by_extent(const Dim& n, Small small, Large large) {
  if (n.is_const()) return n.value() <= kBlock ? small() : large();
  return tc::cond(asarray(n) <= kBlock, small, large);
}

}  // namespace

Var cholesky(const Var& a) {
  const Var l = by_extent(
      a.dim(-1), [&] { return columnwise_cholesky(a); }, [&] { return blocked_cholesky(a); });
  const Var failed = any(isnan(l), {.axis = {-2, -1}, .keepdims = true});
  return where(failed & (rows_of(a) >= columns_of(a)), std::numeric_limits<double>::quiet_NaN(), l);
}

// Row by row. Rows of x that are not there yet are zeros.
Var rowwise_triangular(const Var& a, const Var& b, Triangle which) {
  const Var i = rows_of(b), last = asarray(a.dim(-1)) - 1;
  const Var m = which.lower ? tril(a, {.k = -1}) : triu(a, {.k = 1});
  const Var pivots = which.unit ? Var() : expand_dims(linalg::diagonal(a), -1);
  const auto row = [&](Var step, Var x) {
    const Var j = which.lower ? step : last - step;
    Var y = pick(b, j, -2) - tc::matmul(pick(m, j, -2), x);
    if (!which.unit) y = y / pick(pivots, j, -2);
    return where(i == j, y, x);
  };
  return fori_loop(0, a.dim(-1), row, {zeros_beside(b, b.dim(-1))});
}

Var triangular(const Var& a, const Var& b, Triangle which) {
  return by_extent(
      a.dim(-1), [&] { return rowwise_triangular(a, b, which); }, [&] { return blocked_triangular(a, b, which); });
}

Var triangular_t(const Var& a, const Var& b, Triangle which) {
  return triangular(t(a), b, {.lower = !which.lower, .unit = which.unit});
}

}  // namespace tc::linalg::parts
