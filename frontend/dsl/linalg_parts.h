// What the decompositions are made of: loops over columns whose extents may be symbolic, without gradients of their
// own. Rules of gradients call these, so that they lead back to no rule. Private to frontend/dsl.
//
// Matrices are [..., m, n]; an index such as j is i64[].
#pragma once

#include <limits>
#include <string_view>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/shape_math.h"

namespace tc::linalg::parts {

// An operand of f32 or f64 and at least two axes; Errors bad_type, bad_shape.
Var matrix(const Arg& x);
Var square_matrix(const Arg& x);
void expect_square(const Var& v);
void expect_real(const Var& v);

// A right-hand side for matrices like `a`: [n, k], or a vector [n] as a column; batches of both broadcast to one.
struct System {
  Var a, b;
  bool vector;
  Var result(const Var& x) const { return vector ? squeeze(x, -1) : x; }
};
System system_of(const Arg& a, const Arg& b);

Var rows_of(const Var& m);                           // i64[m, 1]: 0, 1, ...
Var columns_of(const Var& m);                        // i64[1, n]
Var pick(const Var& x, const Var& index, int axis);  // one row or column, whose axis stays with extent 1
Var eye_like(const Var& m);                          // a unit matrix of m's extents, not batched
Var batched_eye(const Var& m, const Dim& columns);   // [..., rows of m, columns]
Var zeros_beside(const Var& m, const Dim& columns);  // [..., rows of m, columns]
Var t(const Var& m);                                 // the transpose
Var copy_lower(const Var& m);                        // the lower triangle, mirrored
Var half_lower(const Var& m);                        // the lower triangle with half the diagonal
Var symmetric(const Var& m);                         // (m + m^T) / 2
Var reciprocal_or_zero(const Var& x);                // 1 / x, and 0 of 0
double epsilon(DType t);

struct Triangle {
  bool lower = true, unit = false;
};
Var cholesky(const Var& a);                                    // the lower factor, of the lower triangle of a
Var triangular(const Var& a, const Var& b, Triangle which);    // a^-1 b, a's batch being that of b
Var triangular_t(const Var& a, const Var& b, Triangle which);  // a^-T b, `which` being a's

// The two above for matrices up to 64: column by column, row by row; and for larger ones, by blocks of that.
inline constexpr int64_t kBlock = 64;
Var columnwise_cholesky(const Var& a);
Var rowwise_triangular(const Var& a, const Var& b, Triangle which);
Var blocked_cholesky(const Var& a);
Var blocked_triangular(const Var& a, const Var& b, Triangle which);

// Both factors in one matrix, the ones of L left out; row i of P a is row permutation[i] of a; sign[..., 1, 1] is that
// of the permutation.
struct Lu {
  Var lu, permutation, sign;
};
Lu factored(const Var& a);
Var lu_solved(const Var& lu, const Var& permutation, const Var& b);    // a^-1 b
Var lu_solved_t(const Var& lu, const Var& permutation, const Var& b);  // a^-T b
Var solved_t(const Var& a, const Var& b);                              // a^-T b through factors of its own

struct Qr {
  Var q, r;
};
Qr householder(const Var& a, bool complete);
Var reflector(const Var& x, const Var& i, const Var& j);  // see linalg_qr.cc
Dim least(const Var& m);                                  // the lesser of the two extents

// What matrices are divided by so that squares of their elements stay in range, [..., 1, 1].
Var scale_of(const Var& a);

// Of symmetric matrices: values [..., n] ascending, vectors in the columns.
struct Eigen {
  Var values, vectors;
};
Eigen symmetric_eigen(const Var& a);

// a = u s v^T with s [..., k] descending, k = min(m, n); u has k columns, or m of full factors, v has k or n.
struct Svd {
  Var u, s, v;
};
Svd svd(const Var& a, bool full);

}  // namespace tc::linalg::parts
