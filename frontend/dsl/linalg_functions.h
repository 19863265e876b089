// Functions of matrices, and matrices made of others. Matrices are the last two axes; the others are batches, unless it
// is said otherwise. expm, tensorsolve and tensorinv are of f32 or f64; the others of any numbers.
//
// Errors: bad_type for other element types, bad_shape for extents that do not fit together.
#pragma once

#include "tc/frontend/dsl/shape.h"

namespace tc::linalg {

// The exponential by scaling and squaring of a Pade approximant (Higham 2005). Its gradient is the exponential of a
// block matrix (Al-Mohy and Higham 2009).
Var expm(Arg x);

// The product of each element of a with all of b, of any ranks: axes are multiplied, the missing ones of extent 1.
Var kron(Arg a, Arg b);
// The matrices along a diagonal, zeros elsewhere; vectors are rows, batches broadcast.
Var block_diag(const Args& matrices);
// The product of matrices, in the order that takes the fewest multiplications where extents are known, else from left
// to right. The first and the last may be vectors.
Var multi_dot(const Args& matrices);
// t[..., i, j] = c[..., i - j] on and below the diagonal, r[..., j - i] above; without r it is symmetric.
Var toeplitz(Arg c, Arg r = {});

struct TensorsolveOptions {
  std::vector<int64_t> axes = {};  // of a, which are moved to its end
};
// The x with tensordot(a, x, {.axes = x.rank()}) = b: the first axes of a are those of b, the others those of x. No
// batches.
Var tensorsolve(Arg a, Arg b, TensorsolveOptions options = {});
struct TensorinvOptions {
  int64_t ind = 2;  // how many first axes belong together
};
// The inverse of a as a map from its last axes to its first ones. No batches.
Var tensorinv(Arg a, TensorinvOptions options = {});

}  // namespace tc::linalg
