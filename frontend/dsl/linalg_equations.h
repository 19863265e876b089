// Matrix equations. Matrices are the last two axes; the others are batches, which broadcast. Everything is f32 or f64
// and exports as Loops of standard ops.
//
// Where an equation has no solution, or the method does not find it, the result is NaN. Errors: bad_type for other
// element types, bad_shape for extents that do not fit together.
#pragma once

#include "tc/frontend/dsl/shape.h"

namespace tc::linalg {

// a x + x b = q. Up to 256 elements of x by one system of equations, else by the iteration for the sign of a matrix
// (Roberts 1980), which needs that all eigenvalues of a and b have real parts of one sign. The gradient solves the
// transposed equation, as do the two below (Kao and Hennequin 2020).
Var solve_sylvester(Arg a, Arg b, Arg q);
// a x + x a^T = q, as above.
Var solve_continuous_lyapunov(Arg a, Arg q);
// x = a x a^T + q by doubling (Smith 1968): of a with eigenvalues inside of the unit circle.
Var solve_discrete_lyapunov(Arg a, Arg q);

// The stabilizing solution of x = a^T x a - a^T x b (r + b^T x b)^-1 b^T x a + q, of symmetric q and r: structure
// preserving doubling (Chu, Fan, Lin and Wang 2004), then a step of Newton's method.
Var solve_discrete_are(Arg a, Arg b, Arg q, Arg r);
// That of a^T x + x a - x b r^-1 b^T x + q = 0: the sign of the Hamiltonian matrix (Roberts 1980), then a step of
// Newton's method. Gradients of both are those of the closed loop's Lyapunov equation.
Var solve_continuous_are(Arg a, Arg b, Arg q, Arg r);

}  // namespace tc::linalg
