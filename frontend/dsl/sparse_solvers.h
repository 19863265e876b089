// Linear systems of sparse matrices by iterations: Loops that run in any runtime.
#pragma once

#include "tc/frontend/dsl/sparse.h"

namespace tc::sparse {

struct SolverOptions {
  double rtol = 1e-5;  // stops where the norm of the residual is at most this times that of b
  double atol = 0;     // or this
  int64_t maxiter = 1000;
  bool jacobi = false;  // divides by the diagonal first
};
struct [[nodiscard]] SolverResult {
  Var x, iterations, residual;  // i64[], and the norm of b - a x
};
// The x with a x = b, f32 or f64, from x = 0: of symmetric positive definite matrices (Hestenes and Stiefel 1952), and
// of any (van der Vorst 1992). The gradients of x with respect to data and b are found by the same method with the same
// tolerance, of the transpose.
SolverResult cg(const Coo& a, Arg b, SolverOptions options = {});
SolverResult bicgstab(const Coo& a, Arg b, SolverOptions options = {});

struct GmresOptions {
  double rtol = 1e-5, atol = 0;
  int64_t restart = 20;   // vectors of one round
  int64_t maxiter = 100;  // rounds
  bool jacobi = false;
};
// Of any matrix (Saad and Schultz 1986).
SolverResult gmres(const Coo& a, Arg b, GmresOptions options = {});

}  // namespace tc::sparse
