// Singular values and what they give. Matrices are the last two axes [..., m, n], k = min(m, n); the others are
// batches, which broadcast between matrices and right-hand sides. Everything is f32 or f64 and exports as Loops of
// standard ops.
//
// Errors: bad_type for other element types, bad_shape for fewer axes than two, or a right-hand side of another extent.
// For m = 0 or n = 0 results are empty or zeros.
#pragma once

#include "tc/frontend/dsl/linalg.h"

namespace tc::linalg {

struct SvdOptions {
  bool full_matrices = true;
};
struct [[nodiscard]] SvdResult {
  Var u, s, vh;  // x = u diag(s) vh; s[..., k] descending; u[..., m, k], vh[..., k, n], or square ones
};
// One-sided rotations of the triangular factor, all pairs of a round at once (Hestenes 1958; Drmac and Veselic 2008).
// The gradient is Townsend's (2016), of results that are not full; where singular values are equal it takes the vectors
// as they are.
SvdResult svd(Arg x, SvdOptions options = {});
Var svdvals(Arg x);

// A tolerance is relative to the greatest singular value; singular values up to it count as zeros. The default is
// max(m, n) times the rounding unit.
struct RtolOptions {
  std::optional<double> rtol = {};
};
Var pinv(Arg x, RtolOptions options = {});         // gradient: Golub and Pereyra (1973), of constant rank
Var matrix_rank(Arg x, RtolOptions options = {});  // i64[...]

struct CondOptions {
  MatrixNorm p = MatrixNorm::two;
};
// The norm of x times that of its inverse; of norm two the quotient of the singular values, of any matrix.
Var cond(Arg x, CondOptions options = {});

struct LstsqOptions {
  std::optional<double> rcond = {};  // as rtol above
  bool full_rank = false;            // a promise: faster, by orthogonal factors
};
struct [[nodiscard]] LstsqResult {
  Var x, residuals, rank, s;
};
// The x that makes the norm of a x - b least, of those with the least norm. b is [..., m, j] or one vector [m], x
// [..., n, j] or [..., n]. residuals are the sums of the squares of a x - b for each column; rank is i64[...], s[...,
// k] the singular values of a. The gradient of x is that of constant rank.
//
// With full_rank the result for a matrix of lesser rank is infinite, NaN or meaningless; Error bad_shape where it is
// not known whether m >= n.
LstsqResult lstsq(Arg a, Arg b, LstsqOptions options = {});

}  // namespace tc::linalg
