// Functions of f32 and f64 made of + - * / sqrt and where, so that each runtime computes the same bits. Private to
// frontend/dsl; called within a Site.
//
// A product that is added to something may be rounded together with the sum by a fused multiply-add, which would be
// other bits. The CPU backend fuses x + a b and x - a b, never a b - x, and other runtimes run node by node: sums with
// a product are differences with a negated summand here, or the product is exact.
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
// The normal distribution's quantile of u in (0, 1), where 1 - u is exact: an odd multiple of 2^-24 or 2^-53.
Var normal_quantile(const Var& u);
// tan(pi (u - 1/2)).
Var cauchy_quantile(const Var& u);

}  // namespace tc::random
