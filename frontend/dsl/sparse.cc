#include "tc/frontend/dsl/sparse.h"

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::sparse {

using namespace dsl;

namespace {

Var indices_of(const Arg& x) {
  const Var v = operand(x, Domain::integer);
  if (v.rank() != 1) refuse(ErrorCode::bad_shape, cat("indices are ", v.type(), ", expected rank 1"));
  return astype(v, i64);
}

Var data_of(const Arg& x, const Var& beside) {
  const Var v = operand(x, Domain::real);
  if (v.rank() != 1) refuse(ErrorCode::bad_shape, cat("data is ", v.type(), ", expected rank 1"));
  const Dim a = v.dim(0), b = beside.dim(0);
  if (a.is_const() && b.is_const() && a != b)
    refuse(ErrorCode::bad_shape, cat("data is ", v.type(), " and its indices ", beside.type()));
  return v;
}

// The row of each element that is stored row by row: how many rows end at or before it.
Var rows_of(const Var& indptr, const Dim& count) {
  const Var ends = indptr[slice(1, -1)];
  const Var marks = zeros({count + Dim(1)}, {.dtype = i64}).at(ends).add(1);
  return cumulative_sum(marks)[slice(count)];
}

Var starts_of(const Var& sorted_rows, const Dim& rows) {
  const Var counts = zeros({rows}, {.dtype = i64}).at(sorted_rows).add(1);
  return cumulative_sum(counts, {.include_initial = true});
}

Var key_of(const Coo& a) {
  return a.row * a.cols + a.col;
}

// Elements that are in order.
Csr compressed(const Var& data, const Var& row, const Var& col, const Dim& rows, const Dim& cols) {
  return {data, col, starts_of(row, rows), rows, cols};
}

Csr of_keys(const Var& data, const Var& keys, const Dim& rows, const Dim& cols) {
  const Var width = maximum(asarray(cols), 1), row = floor_divide(keys, width);
  return compressed(data, row, keys - row * width, rows, cols);
}

// Sums of the slices of x that have one index, along the first axis.
Var summed(const Var& x, const Var& index, const Dim& count) {
  Dims dims = x.shape();
  dims[0] = count;
  return zeros(dims, {.dtype = x.dtype()}).at(index).add(x);
}

Coo flipped(const Coo& a) {
  return {a.data, a.col, a.row, a.cols, a.rows};
}

void expect_same(const Coo& a, const Coo& b) {
  const auto differ = [](const Dim& x, const Dim& y) { return x.is_const() && y.is_const() && x != y; };
  if (differ(a.rows, b.rows) || differ(a.cols, b.cols))
    refuse(ErrorCode::bad_shape, cat("matrices [", a.rows, ",", a.cols, "] and [", b.rows, ",", b.cols, "]"));
}

// The elements of all of them, each moved by rows and columns.
Coo joined(const std::vector<Coo>& list, const std::vector<Dim>& down, const std::vector<Dim>& right, Dim rows,
           Dim cols) {
  std::vector<Var> data, row, col;
  for (size_t i = 0; i < list.size(); ++i) {
    data.push_back(list[i].data);
    row.push_back(list[i].row + asarray(down[i]));
    col.push_back(list[i].col + asarray(right[i]));
  }
  return {concat(data), concat(row), concat(col), std::move(rows), std::move(cols)};
}

void expect_some(const std::vector<Coo>& list) {
  if (list.empty()) refuse(ErrorCode::bad_argument, "there are no matrices");
}

}  // namespace

Csr::operator Coo() const {
  return {data, rows_of(indptr, data.dim(0)), indices, rows, cols};
}
Csc::operator Coo() const {
  return {data, indices, rows_of(indptr, data.dim(0)), rows, cols};
}

Coo coo(Arg data, Arg row, Arg col, Dim rows, Dim cols) {
  const Site site("sparse.coo", data.at());
  const Var r = indices_of(row), c = indices_of(col);
  return {data_of(data, r), r, c, std::move(rows), std::move(cols)};
}

Csr csr(Arg data, Arg indices, Arg indptr, Dim cols) {
  const Site site("sparse.csr", data.at());
  const Var i = indices_of(indices), p = indices_of(indptr);
  return {data_of(data, i), i, p, p.dim(0) - Dim(1), std::move(cols)};
}

Csc csc(Arg data, Arg indices, Arg indptr, Dim rows) {
  const Site site("sparse.csc", data.at());
  const Var i = indices_of(indices), p = indices_of(indptr);
  return {data_of(data, i), i, p, std::move(rows), p.dim(0) - Dim(1)};
}

Coo coo_from_dense(Arg x) {
  const Site site("sparse.coo_from_dense", x.at());
  const Var v = operand(x, Domain::real);
  if (v.rank() != 2) refuse(ErrorCode::bad_shape, cat("the operand is ", v.type(), ", expected a matrix"));
  const std::vector<Var> places = nonzero(v != 0);
  return {v.at(places[0], places[1]).get(), places[0], places[1], v.dim(0), v.dim(1)};
}

Csr csr_from_dense(Arg x) {
  const Site site("sparse.csr_from_dense", x.at());
  const Coo a = coo_from_dense(x);
  return compressed(a.data, a.row, a.col, a.rows, a.cols);
}

Csc csc_from_dense(Arg x) {
  const Site site("sparse.csc_from_dense", x.at());
  return transpose(csr_from_dense(matrix_transpose(x)));
}

Csr diag(Arg d) {
  const Site site("sparse.diag", d.at());
  const Var v = operand(d, Domain::real);
  if (v.rank() != 1) refuse(ErrorCode::bad_shape, cat("the diagonal is ", v.type(), ", expected rank 1"));
  const Dim n = v.dim(0);
  return {v, arange(n), arange(n + Dim(1)), n, n};
}

Var to_dense(const Coo& a, Location at) {
  const Site site("sparse.to_dense", at);
  return zeros({a.rows, a.cols}, {.dtype = a.data.dtype()}).at(a.row, a.col).add(a.data);
}

Csr to_csr(const Coo& a, Location at) {
  const Site site("sparse.to_csr", at);
  const Var order = argsort(key_of(a));
  return compressed(take(a.data, order), take(a.row, order), take(a.col, order), a.rows, a.cols);
}

Csc to_csc(const Coo& a, Location at) {
  const Site site("sparse.to_csc", at);
  return transpose(to_csr(flipped(a)));
}

Csr sum_duplicates(const Coo& a, Location at) {
  const Site site("sparse.sum_duplicates", at);
  const UniqueInverse u = unique_inverse(key_of(a));
  return of_keys(summed(a.data, u.inverse_indices, u.values.dim(0)), u.values, a.rows, a.cols);
}

Csr eliminate_zeros(const Coo& a, Location at) {
  const Site site("sparse.eliminate_zeros", at);
  const Csr once = sum_duplicates(a);
  const Var kept = nonzero(once.data != 0)[0];
  return compressed(take(once.data, kept), take(Coo(once).row, kept), take(once.indices, kept), a.rows, a.cols);
}

Coo transpose(const Coo& a) {
  return flipped(a);
}
Csc transpose(const Csr& a) {
  return {a.data, a.indices, a.indptr, a.cols, a.rows};
}
Csr transpose(const Csc& a) {
  return {a.data, a.indices, a.indptr, a.cols, a.rows};
}

Csr add(const Coo& a, const Coo& b, Location at) {
  const Site site("sparse.add", at);
  expect_same(a, b);
  return sum_duplicates(joined({a, b}, {0, 0}, {0, 0}, a.rows, a.cols));
}

Csr subtract(const Coo& a, const Coo& b, Location at) {
  const Site site("sparse.subtract", at);
  return add(a, structured(b, [](const Var& x) { return -x; }));
}

Csr multiply(const Coo& a, const Coo& b, Location at) {
  const Site site("sparse.multiply", at);
  expect_same(a, b);
  Csr result = to_csr(a);
  const Csr other = sum_duplicates(b);
  // One more key, greater than all, is what is found where there is none.
  const Var keys = key_of(result), none = reshape(asarray(a.rows * a.cols), {1});
  const Var known = concat({key_of(other), none}), place = searchsorted(known, keys);
  const Var values = concat({other.data, zeros({1}, {.dtype = other.data.dtype()})});
  result.data = result.data * where(take(known, place) == keys, take(values, place), 0);
  return result;
}

Var add(const Coo& a, Arg dense) {
  const Site site("sparse.add", dense.at());
  const auto [data, x] = promoted(a.data, dense, Domain::real);
  return broadcast_to(x, {a.rows, a.cols}).at(a.row, a.col).add(data);
}

Var stored_product(const Coo& a, Arg dense) {
  const Site site("sparse.multiply", dense.at());
  const auto [data, x] = promoted(a.data, dense, Domain::real);
  if (x.rank() == 0) return data * x;
  return data * broadcast_to(x, {a.rows, a.cols}).at(a.row, a.col).get();
}

Var sum(const Coo& a) {
  return tc::sum(a.data);
}

Var sum(const Coo& a, int64_t axis, Location at) {
  const Site site("sparse.sum", at);
  return axis_of(axis, 2) == 0 ? summed(a.data, a.col, a.cols) : summed(a.data, a.row, a.rows);
}

Var diagonal(const Coo& a, Location at) {
  const Site site("sparse.diagonal", at);
  // Elements elsewhere go to one place more, which is dropped.
  const Dim n = min(a.rows, a.cols);
  return summed(a.data, where(a.row == a.col, a.row, asarray(n)), n + Dim(1))[slice(n)];
}

Csr hstack(const std::vector<Coo>& list, Location at) {
  const Site site("sparse.hstack", at);
  expect_some(list);
  std::vector<Dim> down, right;
  Dim cols = 0;
  for (const Coo& a : list) {
    down.emplace_back(0);
    right.push_back(cols);
    cols += a.cols;
  }
  return to_csr(joined(list, down, right, list[0].rows, cols));
}

Csr vstack(const std::vector<Coo>& list, Location at) {
  const Site site("sparse.vstack", at);
  std::vector<Coo> turned;
  for (const Coo& a : list) turned.push_back(flipped(a));
  expect_some(turned);
  return to_csr(flipped(hstack(turned)));
}

Csr block_diag(const std::vector<Coo>& list, Location at) {
  const Site site("sparse.block_diag", at);
  expect_some(list);
  std::vector<Dim> down, right;
  Dim rows = 0, cols = 0;
  for (const Coo& a : list) {
    down.push_back(rows);
    right.push_back(cols);
    rows += a.rows;
    cols += a.cols;
  }
  return to_csr(joined(list, down, right, rows, cols));
}

Var matmul(const Coo& a, Arg x) {
  const Site site("sparse.matmul", x.at());
  const auto [data, dense] = promoted(a.data, x, Domain::real);
  if (dense.rank() < 1 || dense.rank() > 2)
    refuse(ErrorCode::bad_shape, cat("the dense operand is ", dense.type(), ", expected a vector or a matrix"));
  if (const Dim n = dense.dim(0); n.is_const() && a.cols.is_const() && n != a.cols)
    refuse(ErrorCode::bad_shape, cat("a matrix [", a.rows, ",", a.cols, "] and ", dense.type()));
  const Var rows = take(dense, a.col, {.axis = 0});
  return summed(dense.rank() == 1 ? data * rows : expand_dims(data, 1) * rows, a.row, a.rows);
}

Var matmul(Arg x, const Coo& a) {
  const Site site("sparse.matmul", x.at());
  const Var v = operand(x, Domain::real);
  if (v.rank() == 1) return matmul(flipped(a), v);
  return matrix_transpose(matmul(flipped(a), matrix_transpose(v)));
}

Var sampled_dot(const Coo& pattern, Arg x, Arg y) {
  const Site site("sparse.sampled_dot", x.at());
  const auto [left, right] = promoted(x, y, Domain::real);
  return vecdot(take(left, pattern.row, {.axis = 0}), take(right, pattern.col, {.axis = 0}));
}

}  // namespace tc::sparse
