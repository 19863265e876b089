// Sparse matrices: structs of Vars, whose functions become gathers, scatters and sums that any runtime has. Elements
// that are stored are `data`; gradients go to them and to dense operands, never to the pattern. The number of stored
// elements may be a symbol.
//
//   const tc::sparse::Csr a = tc::sparse::csr(data, indices, indptr, columns);
//   tc::Var y = tc::sparse::matmul(a, x);
//
// Functions that take a Coo take the other forms as well. Results that are sparse are in the form that is named. Error
// bad_shape for extents that do not fit together, bad_type for indices that are no integers.
#pragma once

#include <concepts>

#include "tc/frontend/dsl/linalg.h"
#include "tc/frontend/dsl/reduce.h"

namespace tc::sparse {

// data[e] at (row[e], col[e]), i64[nnz], in any order; of places that are named more than once the sum counts.
struct Coo {
  Var data, row, col;
  Dim rows, cols;
};
// data[e] in column indices[e], i64[nnz]; those of row i are e = indptr[i] to indptr[i + 1] - 1, i64[rows + 1].
struct Csr {
  Var data, indices, indptr;
  Dim rows, cols;
  operator Coo() const;
};
// The same by columns: the Csr of the transpose.
struct Csc {
  Var data, indices, indptr;
  Dim rows, cols;
  operator Coo() const;
};
template <class T>
concept Matrix = std::same_as<T, Coo> || std::same_as<T, Csr> || std::same_as<T, Csc>;

Coo coo(Arg data, Arg row, Arg col, Dim rows, Dim cols);
Csr csr(Arg data, Arg indices, Arg indptr, Dim cols);
Csc csc(Arg data, Arg indices, Arg indptr, Dim rows);
Csr csr_from_dense(Arg x);  // of the elements that are not 0
Csc csc_from_dense(Arg x);
Coo coo_from_dense(Arg x);
Csr diag(Arg d);  // a square matrix with that diagonal

Var to_dense(const Coo& a, Location at = Location::current());
Csr to_csr(const Coo& a, Location at = Location::current());          // sorted by row and column
Csc to_csc(const Coo& a, Location at = Location::current());          // sorted by column and row
Csr sum_duplicates(const Coo& a, Location at = Location::current());  // sorted, each place once
Csr eliminate_zeros(const Coo& a, Location at = Location::current());
Coo transpose(const Coo& a);
Csc transpose(const Csr& a);  // costs nothing, nor does the other one
Csr transpose(const Csc& a);

// Elementwise. Of two sparse ones: places of both; a product has those of a, each of which must be there once.
Csr add(const Coo& a, const Coo& b, Location at = Location::current());
Csr subtract(const Coo& a, const Coo& b, Location at = Location::current());
Csr multiply(const Coo& a, const Coo& b, Location at = Location::current());
Var add(const Coo& a, Arg dense);

// f of the stored elements: f(0) counts as 0.
template <Matrix M, class F>
M structured(M a, F f) {
  a.data = f(a.data);
  return a;
}
template <Matrix M>
M astype(M a, DType type) {
  a.data = tc::astype(a.data, type);
  return a;
}
// Stored elements times those of a dense matrix, of a vector for the rows or the columns, or a number.
Var stored_product(const Coo& a, Arg dense);
template <Matrix M>
M multiply(M a, Arg dense) {
  a.data = stored_product(a, std::move(dense));
  return a;
}
template <Matrix M>
M row_scale(M a, Arg by) {
  a.data = a.data * take(by, Coo(a).row);
  return a;
}
template <Matrix M>
M col_scale(M a, Arg by) {
  a.data = a.data * take(by, Coo(a).col);
  return a;
}

Var sum(const Coo& a);                                                   // of all elements
Var sum(const Coo& a, int64_t axis, Location at = Location::current());  // over rows (0) or columns (1 or -1)
Var diagonal(const Coo& a, Location at = Location::current());

Csr hstack(const std::vector<Coo>& list, Location at = Location::current());
Csr vstack(const std::vector<Coo>& list, Location at = Location::current());
Csr block_diag(const std::vector<Coo>& list, Location at = Location::current());

// a x of a vector or a dense matrix x; x a of a dense matrix or vector x.
Var matmul(const Coo& a, Arg x);
Var matmul(Arg x, const Coo& a);
// The elements of x y^T at the places of the pattern, for x[rows, k] and y[cols, k]; the gradient of a product's data.
Var sampled_dot(const Coo& pattern, Arg x, Arg y);

}  // namespace tc::sparse
