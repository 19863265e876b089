// Eigenvalues of matrices that are not symmetric, and complex triangular forms. Matrices are the last two axes, square
// and real; the others are batches. Everything is f32 or f64 and exports as Loops of standard ops, some n^2 trips of
// them: meant for n up to about 64.
//
// What does not converge in 60 n sweeps is left as it is. Errors: bad_type for other element types, bad_shape for fewer
// axes than two or matrices that are not square.
#pragma once

#include "tc/frontend/dsl/complex.h"

namespace tc::linalg {

struct [[nodiscard]] EigResult {
  Complex eigenvalues, eigenvectors;  // [..., n] in no order; columns of length 1 whose greatest element is real
};
// By the complex triangular form and substitution. The gradient (Boeddeker, Hanebrink, Drude, Heymann and Haeb-Umbach
// 2017) is that of functions that do not depend on the phases of vectors; it needs distinct eigenvalues.
EigResult eig(Arg x);
Complex eigvals(Arg x);

struct [[nodiscard]] SchurResult {
  Complex t, z;  // x = z t z^H, t upper triangular, z unitary
};
// Hessenberg's form by reflections, then shifted QR steps (Francis 1961, with Wilkinson's shifts). No gradient.
SchurResult schur(Arg x);

}  // namespace tc::linalg
