// Bessel functions: see special.h, which includes this. NaN where the argument is negative unless it says otherwise.
#pragma once

#include "tc/frontend/dsl/var.h"

namespace tc::special {

// Modified, of the second kind: the power series with its logarithm (DLMF 10.31) up to 1, then a polynomial of
// (x - 1) / (x + 1). inf at 0, 0 at inf.
Var k0(Arg x);
Var k1(Arg x);
Var k0e(Arg x);  // exp(x) k0(x)
Var k1e(Arg x);  // exp(x) k1(x)

// Of the first kind, for every x: a polynomial times the distances to the first two zeros up to 8, then amplitude and
// phase (DLMF 10.17). There errors are absolute. 0 at +-inf.
Var j0(Arg x);  // even; 1 at 0
Var j1(Arg x);  // odd; 0 at 0

// The same of real order v >= 0: Miller's backward recurrence in the order (DLMF 10.74), its power series where
// x^2 <= 2 (v + 1), Hankel's expansion where x > 25 and x > v^2 / 2. There errors are absolute. Of whole orders also
// negative ones, and negative x; else NaN of these. With gradients in x alone: those in v are NaN.
Var jv(Arg v, Arg x);
Var jn(Arg n, Arg x);  // of whole n, else NaN

// Modified, of the first kind, of real order v >= 0: the power series (DLMF 10.25.2) where x^2 + v^2 < 400, else the
// trapezoidal rule on the steepest path (DLMF 10.32.12). 1 or 0 at 0, inf at inf; of negative x where v is whole, else
// NaN. With gradients in both arguments.
Var iv(Arg v, Arg x);
Var ive(Arg v, Arg x);      // exp(-|x|) iv(v, x): 0 at inf
Var log_ive(Arg v, Arg x);  // log(ive(v, x)) of x >= 0, also where ive(v, x) is 0: -inf at inf

// Modified, of the second kind, of any real order: the trapezoidal rule on the whole real line (DLMF 10.32.9). inf at
// 0, 0 at inf. With gradients in both arguments. Small x take more steps: 70 at 1, 330 at 1e-10.
Var kv(Arg v, Arg x);
Var kve(Arg v, Arg x);      // exp(x) kv(v, x)
Var log_kve(Arg v, Arg x);  // log(kve(v, x)), also where kve(v, x) is no number: -inf at inf
Var kn(Arg n, Arg x);       // kv of whole n, else NaN; with a gradient in x

}  // namespace tc::special
