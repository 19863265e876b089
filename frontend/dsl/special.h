// Special functions with SciPy's names, of floating-point tensors. They are made of elementary ops that every ONNX
// runtime has, and have gradients of their own. All of them compute in f64 (coefficients: tools/special/fit.py) and
// round to the element type of x. A NaN gives NaN.
//
// Error bad_type where x is not of floating point.
#pragma once

#include "tc/frontend/dsl/var.h"

namespace tc::special {

// Error functions. exp(x^2) erfc(x) is one polynomial for all x >= 0, as Shepherd and Laframboise (1981) found; squares
// in exponents are split into two parts, so that tails keep their relative accuracy.
Var erfc(Arg x);      // 1 - erf(x): 2 at -inf, 0 at inf
Var erfcx(Arg x);     // exp(x^2) erfc(x): inf below -26.7, 0 at inf
Var ndtr(Arg x);      // the normal distribution's probability below x: 0 at -inf, 1 at inf
Var log_ndtr(Arg x);  // log(ndtr(x)), also where ndtr(x) is 0: -inf at -inf, 0 at inf

// Modified Bessel functions of the first kind: the power series (DLMF 10.25.2) for |x| < 7.75, else a polynomial of
// 1/x.
Var i0(Arg x);   // even; 1 at 0, inf at +-inf
Var i1(Arg x);   // odd; 0 at 0, +-inf at +-inf
Var i0e(Arg x);  // exp(-|x|) i0(x): 0 at +-inf
Var i1e(Arg x);  // exp(-|x|) i1(x): 0 at +-inf

// The logarithmic derivative of gamma: a polynomial times the distance to the root on [1, 2], recurrence, and the
// asymptotic series from 10 on (Bernardo 1976). Negative x by reflection: there errors near its roots are absolute.
// -inf at 0, inf at -0, NaN at negative whole numbers and -inf, inf at inf. Its gradient is trigamma.
Var digamma(Arg x);
// The derivative of digamma, in the same way (DLMF 5.15): inf at 0 and negative whole numbers, 0 at inf.
Var trigamma(Arg x);

// Logistic functions and their like, by exp and log of operands that do not cancel.
Var expit(Arg x);           // 1 / (1 + exp(-x)), with relative accuracy in the tail
Var log_expit(Arg x);       // log(expit(x)): x at large negative x
Var logit(Arg p);           // log(p / (1 - p)): -inf at 0, inf at 1, NaN outside [0, 1]
Var log1mexp(Arg x);        // log(1 - exp(x)) of negative x: -inf at 0, NaN of positive x (Maechler 2012)
Var entr(Arg x);            // -x log(x): 0 at 0, -inf of negative x
Var xlogy(Arg x, Arg y);    // x log(y), 0 where x is 0 unless y is NaN
Var xlog1py(Arg x, Arg y);  // x log(1 + y), 0 where x is 0 unless y is NaN

Var exp2(Arg x);     // 2^x
Var exp10(Arg x);    // 10^x
Var cbrt(Arg x);     // the real cube root: a power and one step of Newton's method
Var deg2rad(Arg x);  // degrees in radians
Var rad2deg(Arg x);  // radians in degrees

}  // namespace tc::special
