// Cholesky factors and triangular systems. Matrices are the last two axes; the others are batches, which broadcast
// between matrices and right-hand sides. A right-hand side b is [..., n, k], or one vector [n], as in the Array API; x
// has its shape. Everything is f32 or f64 and exports as Loops of standard ops.
//
// Errors: bad_type for other element types, bad_shape for fewer axes than two, matrices that are not square, or a
// right-hand side of another extent. Results for n = 0 are empty.
#pragma once

#include "tc/frontend/dsl/shape.h"

namespace tc::linalg {

struct CholeskyOptions {
  bool upper = false;
};
// The triangular L with L L^T = x, or the upper U with U^T U = x. Only that triangle of x is read. A matrix that is not
// positive definite gives a triangle of NaNs. The gradient is symmetric (Smith 1995; Murray 2016).
Var cholesky(Arg x, CholeskyOptions options = {});

struct TriangularOptions {
  bool lower = false;          // the triangle of a that is read
  bool trans = false;          // solves a^T x = b
  bool unit_diagonal = false;  // ones, whatever a has there
};
// The x with a x = b, by substitution. A zero on the diagonal gives infinities or NaNs. The gradient is Giles's (2008).
Var solve_triangular(Arg a, Arg b, TriangularOptions options = {});

struct ChoSolveOptions {
  bool lower = true;  // the factor that c is: cholesky(a), or with false cholesky(a, {.upper = true})
};
// The x with a x = b.
Var cho_solve(Arg c, Arg b, ChoSolveOptions options = {});

}  // namespace tc::linalg
