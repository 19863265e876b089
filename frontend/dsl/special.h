// Special functions with SciPy's names, of floating-point tensors. They are made of elementary ops that every ONNX
// runtime has, and have gradients of their own. All of them compute in f64 (coefficients: tools/special/fit.py) and
// round to the element type of x. A NaN gives NaN.
//
// Error bad_type where x is not of floating point.
#pragma once

#include <optional>

#include "tc/frontend/dsl/special_bessel.h"
#include "tc/frontend/dsl/special_hyper.h"
#include "tc/frontend/dsl/special_incomplete.h"
#include "tc/frontend/dsl/special_integrals.h"
#include "tc/frontend/dsl/special_zeta.h"

namespace tc::special {

// Error functions. exp(x^2) erfc(x) is one polynomial for all x >= 0, as Shepherd and Laframboise (1981) found; squares
// in exponents are split into two parts, so that tails keep their relative accuracy.
Var erfc(Arg x);      // 1 - erf(x): 2 at -inf, 0 at inf
Var erfcx(Arg x);     // exp(x^2) erfc(x): inf below -26.7, 0 at inf
Var ndtr(Arg x);      // the normal distribution's probability below x: 0 at -inf, 1 at inf
Var log_ndtr(Arg x);  // log(ndtr(x)), also where ndtr(x) is 0: -inf at -inf, 0 at inf

// Inverse error functions: polynomials of x^2 in the middle and of sqrt(-log(q)) in the tails. NaN outside the domain.
Var erfinv(Arg x);   // erf(erfinv(x)) = x: -inf at -1, inf at 1
Var erfcinv(Arg q);  // erfc(erfcinv(q)) = q: inf at 0, -inf at 2
Var ndtri(Arg p);    // ndtr(ndtri(p)) = p: -inf at 0, inf at 1
// log_ndtr(ndtri_exp(y)) = y, also where exp(y) is 0: -inf at -inf, inf at 0. Far tails by Newton's method.
Var ndtri_exp(Arg y);

// Modified Bessel functions of the first kind: the power series (DLMF 10.25.2) for |x| < 7.75, else a polynomial of
// 1/x.
Var i0(Arg x);   // even; 1 at 0, inf at +-inf
Var i1(Arg x);   // odd; 0 at 0, +-inf at +-inf
Var i0e(Arg x);  // exp(-|x|) i0(x): 0 at +-inf
Var i1e(Arg x);  // exp(-|x|) i1(x): 0 at +-inf

// Gamma, by recurrence to a polynomial on [1, 2], and Stirling's series from 8 on (DLMF 5.11). inf at 0, -inf at -0,
// NaN at negative whole numbers and -inf.
Var gamma(Arg x);
// log(|gamma(x)|), with relative accuracy at its zeros 1 and 2; of negative x by reflection: there errors near its
// zeros are absolute. inf at 0, negative whole numbers, -inf and inf.
Var gammaln(Arg x);
Var gammasgn(Arg x);   // the sign of gamma(x), NaN where it has none; without gradient
Var factorial(Arg n);  // gamma(n + 1) of n >= 0, else 0
// Of positive arguments, else NaN, with inf at 0 and the limit at inf. The logarithm is made of terms that do not
// cancel where an argument is large (Didonato and Morris 1992); near its zeros its errors are absolute.
Var beta(Arg a, Arg b);    // gamma(a) gamma(b) / gamma(a + b)
Var betaln(Arg a, Arg b);  // log(beta(a, b))
Var comb(Arg n, Arg k);    // n! / (k! (n - k)!): 0 unless 0 <= k <= n; whole for whole n and k up to 1e12
Var poch(Arg z, Arg m);    // gamma(z + m) / gamma(z) of positive z and z + m, else NaN

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

Var rel_entr(Arg x, Arg y);    // x log(x / y): 0 where x is 0 and y >= 0, inf where an argument is negative or y is 0
Var kl_div(Arg x, Arg y);      // x log(x / y) - x + y, which does not cancel: y where x is 0, else inf as rel_entr
Var logaddexp2(Arg x, Arg y);  // log2(2^x + 2^y)
Var sinc(Arg x);               // sin(pi x) / (pi x): 1 at 0, 0 at +-inf

Var exp2(Arg x);      // 2^x
Var exp10(Arg x);     // 10^x
Var cbrt(Arg x);      // the real cube root: a power and one step of Newton's method
Var log1pexp(Arg x);  // log(1 + exp(x)): x at large x, with relative accuracy in the tail
Var deg2rad(Arg x);   // degrees in radians
Var rad2deg(Arg x);   // radians in degrees

struct NanToNumOptions {
  double nan = 0;
  std::optional<double> posinf = {}, neginf = {};  // the largest finite number, and its negative
};
// x with these numbers in place of NaN and the infinities.
Var nan_to_num(Arg x, NanToNumOptions options = {});

}  // namespace tc::special
