// Exponential integrals and other integrals of elementary functions: see special.h, which includes this.
#pragma once

#include "tc/frontend/dsl/var.h"

namespace tc::special {

// The integral of exp(-t) / t from x to inf: the power series (DLMF 6.6.2) up to 1, then a polynomial of
// (x - 2) / (x + 2). inf at 0, 0 at inf, NaN of negative x.
Var exp1(Arg x);
// The integral of exp(t) / t from -inf to x, in the sense of Cauchy; accurate at its root 0.3725. -inf at 0, inf at
// inf, 0 at -inf.
Var expi(Arg x);
// Dawson's integral, exp(-x^2) times the integral of exp(t^2) from 0 to x: polynomials of x^2, x and 1 / x^2. Odd; 0 at
// +-inf.
Var dawsn(Arg x);

// The integral of exp(-x t) / t^n from 1 to inf, n a whole number >= 0: the power series (DLMF 8.19.8) up to 1, then a
// continued fraction (DLMF 8.19.17). At 0: 1 / (n - 1), inf of n < 2; 0 at inf; NaN of negative x and of other n. With
// a gradient in x.
Var expn(Arg n, Arg x);
// Owen's function: the integral of exp(-h^2 (1 + t^2) / 2) / (1 + t^2) from 0 to a, over 2 pi. By quadrature for
// |a| <= 1, to which the identities of Patefield and Tandy (2000) lead. Even in h, odd in a; 0 at infinite h.
Var owens_t(Arg h, Arg a);

}  // namespace tc::special
