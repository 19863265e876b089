// Functions of f32 and f64 made of + - * / sqrt and where, so that each runtime computes the same bits. Private to
// frontend/dsl; called within a Site.
//
// A product that is added to something may be rounded together with the sum by a fused multiply-add, which would be
// other bits. The CPU backend fuses x + a b and x - a b, never a b - x, and other runtimes run node by node: sums with
// a product are differences with a negated summand here, or the product is exact. Of (1 / x) y ONNX Runtime makes y /
// x: quotients are written as such.
#pragma once

#include "tc/frontend/dsl/var.h"

namespace tc::random {

// product + x, each rounded.
Var plus(const Var& product, const Var& x);

// log of a normal number: below 1 of one down to 2^-53, else of any from 2^-127 to 2^127. About 2 ulp.
Var log_below_1(const Var& x);
Var log_any(const Var& x);
// exp: 0 where that is below 2^-125 (f32) or 2^-1020 (f64), infinity from the largest power of two on. About 2 ulp.
Var exp_any(const Var& x);
// exp(x) = mantissa 2^exponent, and log(mantissa) + exponent log(2) of a mantissa from sqrt(1/2) to sqrt(2).
struct Parts {
  Var mantissa, exponent;
};
Parts exp_parts(const Var& x);
Var log_of(const Parts& p);
Var log_by_ratio(const Var& s, const Var& exponent);  // the same of s = (mantissa - 1) / (mantissa + 1)
// log(gamma(x)) of f64 from 1 on, with absolute accuracy near 1 and 2: Stirling's series from 8 on (DLMF 5.11.1).
Var log_gamma_from_1(const Var& x);
// The normal distribution's quantile of u in (0, 1), where 1 - u is exact: an odd multiple of 2^-24 or 2^-53.
Var normal_quantile(const Var& u);
// tan(pi (u - 1/2)).
Var cauchy_quantile(const Var& u);
// The sum along the last axis, which stays with extent 1: of halves, then of their halves and so on. An extent that is
// not fixed is left to the runtime.
Var ordered_sum(const Var& x);

}  // namespace tc::random
