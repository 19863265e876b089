// Tridiagonal systems by elimination with partial pivoting: d[..., n] is the diagonal, dl[..., n - 1] is below and
// du[..., n - 1] above it; n >= 1. Batches broadcast. A right-hand side b is [..., n, k], or one vector [n]; x has its
// shape. Everything is f32 or f64 and exports as Scans of standard ops.
//
// A singular matrix gives infinities or NaNs. Errors: bad_type for other element types, bad_shape for extents that do
// not fit together.
#pragma once

#include "tc/frontend/dsl/shape.h"

namespace tc::linalg {

// The upper factor has three diagonals d, du, du2; row i was swapped with the next one where `swapped`, and then
// factors[i] times row i taken from that. All are [..., n]; what is past the end of a diagonal is 0.
struct [[nodiscard]] TridiagonalFactor {
  Var d, du, du2, factors, swapped;
};
TridiagonalFactor tridiagonal_lu_factor(Arg dl, Arg d, Arg du);
Var tridiagonal_lu_solve(const TridiagonalFactor& factor, Arg b);

Var solve_tridiagonal(Arg dl, Arg d, Arg du, Arg b);  // gradient by the transposed system

}  // namespace tc::linalg
