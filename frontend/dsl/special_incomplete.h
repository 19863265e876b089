// Incomplete gamma and beta functions, and their inverses: see special.h, which includes this. They have gradients in
// all arguments. Loops take as many steps as the element that needs most, and none where no element needs them.
#pragma once

#include "tc/frontend/dsl/var.h"

namespace tc::special {

// The regularised incomplete gamma functions of a > 0 and x >= 0, whose sum is 1; both keep their relative accuracy
// where they are small. Where a > 20 and |x / a - 1| < 0.4, an expansion that is uniform in x / a (Temme 1979, DLMF
// 8.12); else the power series (DLMF 8.11.4) for x < a, and Legendre's continued fraction (DLMF 8.9.2) for x > a. Of
// small a and x the upper one is made of x^a - 1 and gamma(1 + a) - 1. Of a = 0: 1 and 0, of infinite a: 0 and 1; NaN
// of negative arguments, and where both are 0 or both infinite.
Var gammainc(Arg a, Arg x);   // the lower one: 0 at 0, 1 at inf
Var gammaincc(Arg a, Arg x);  // the upper one: 1 at 0, 0 at inf
Var gammal(Arg k, Arg x);     // gamma(k) gammainc(k, x)
// gamma(k) gammaincc(k, x). Of small k its derivative by k has errors of 1e-15 / k^2.
Var gammau(Arg k, Arg x);
Var chi2sf(Arg x, Arg k);  // the probability above x of the chi-squared distribution with k degrees of freedom

// x where gammainc(a, x) = p, and where gammaincc(a, x) = q, by Newton's method for the logarithms of both, from
// Wilson's and Hilferty's approximation (1931). 0 and inf at the ends; NaN unless a > 0 and 0 <= p <= 1.
Var gammaincinv(Arg a, Arg p);
Var gammainccinv(Arg a, Arg q);

// The regularised incomplete beta functions of a, b > 0 and 0 <= x <= 1, whose sum is 1; both keep their relative
// accuracy where they are small. The even part of the continued fraction DLMF 8.17.22, from its 110th step on, with the
// prefactor as Didonato and Morris (1992) arrange it; where a, b > 300, quadrature of the density. A parameter of 0 is
// as the limit, infinite ones likewise; NaN outside of the domain, and where both limits apply.
Var betainc(Arg a, Arg b, Arg x);   // 0 at 0, 1 at 1
Var betaincc(Arg a, Arg b, Arg x);  // 1 - betainc(a, b, x)
// x where betainc(a, b, x) = p, by Newton's method in the logarithm of the odds. NaN unless a, b > 0 and 0 <= p <= 1.
Var betaincinv(Arg a, Arg b, Arg p);

}  // namespace tc::special
