// Factors by elimination with partial pivoting, and what they give. Matrices are the last two axes, square; the others
// are batches, which broadcast between matrices and right-hand sides. A right-hand side b is [..., n, k], or one vector
// [n]; x has its shape. Everything is f32 or f64 and exports as Loops of standard ops.
//
// A singular matrix gives infinities or NaNs where something is divided by a pivot of 0, also in gradients.
//
// Errors: bad_type for other element types, bad_shape for fewer axes than two, matrices that are not square, or a
// right-hand side of another extent. For n = 0 results are empty, determinants 1.
#pragma once

#include "tc/frontend/dsl/shape.h"

namespace tc::linalg {

// lu has U in its upper triangle and L below, whose diagonal is ones. Row i of L U is row permutation[..., i] of the
// matrix (i64[..., n]; SciPy's pivots are the swaps that make it).
struct [[nodiscard]] LuFactor {
  Var lu, permutation;
};
LuFactor lu_factor(Arg a);  // gradient: Giles (2008), Seeger et al. (2017)

struct LuSolveOptions {
  bool trans = false;  // solves a^T x = b
};
Var lu_solve(const LuFactor& factor, Arg b, LuSolveOptions options = {});

struct [[nodiscard]] LuResult {
  Var p, l, u;  // a = p l u
};
LuResult lu(Arg a);

// What is promised of a: nothing; that it is symmetric; that it is positive definite as well, by Cholesky's factor. Of
// the latter two the lower triangle is read, and the gradient is symmetric.
enum class Assume : uint8_t { gen, sym, pos };
struct SolveOptions {
  Assume assume = Assume::gen;
};
Var solve(Arg a, Arg b, SolveOptions options = {});  // the x with a x = b; gradient: Giles (2008)
Var inv(Arg a);
Var det(Arg a);  // [...]: of f64 the product of the pivots, of f32 ONNX's Det

struct [[nodiscard]] SlogdetResult {
  Var sign, logabsdet;  // det = sign exp(logabsdet): 0 and -inf for a singular matrix
};
SlogdetResult slogdet(Arg a);

}  // namespace tc::linalg
