// Zeta functions and the derivatives of the logarithm of gamma: see special.h, which includes this.
#pragma once

#include "tc/frontend/dsl/var.h"

namespace tc::special {

// The sum of 1 / (q + k)^s over k = 0, 1, ... (Hurwitz), of s > 1: terms up to q + k >= 10, then the formula of Euler
// and Maclaurin (DLMF 25.11.28). inf of s = 1 and of q = 0, -1, ...; NaN of s < 1, and of negative q unless s is whole
// and q > -990. With gradients in both arguments, in s where q > 0.
Var zeta(Arg s, Arg q = 1);
// The n-th derivative of digamma, n a whole number >= 0, else NaN: (-1)^(n + 1) n! zeta(n + 1, x). With a gradient in
// x.
Var polygamma(Arg n, Arg x);
// The logarithm of the multivariate gamma function of dimension d >= 1; NaN unless a > (d - 1) / 2.
Var multigammaln(Arg a, int64_t d);

}  // namespace tc::special
