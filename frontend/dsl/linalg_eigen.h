// Eigenvalues. Matrices are the last two axes, square; the others are batches. Everything is f32 or f64 and exports as
// Loops of standard ops.
//
// Errors: bad_type for other element types, bad_shape for fewer axes than two or matrices that are not square. For
// n = 0 results are empty.
#pragma once

#include "tc/frontend/dsl/shape.h"

namespace tc::linalg {

struct [[nodiscard]] EighResult {
  Var eigenvalues, eigenvectors;  // [..., n] ascending; [..., n, n], orthonormal columns
};
// Of a symmetric matrix, whose lower triangle is read: Jacobi's method, all pairs of a round at once (Brent and Luk
// 1985), then a step of Newton and Schulz on the vectors. Meant for n up to a few hundred. The gradient is Giles's
// (2008), symmetric; where eigenvalues are equal it takes the vectors as they are, which is right for what does not
// depend on their choice.
EighResult eigh(Arg x);
Var eigvalsh(Arg x);

}  // namespace tc::linalg
